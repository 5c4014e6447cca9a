"""`python -m config.launch web|worker|bulk|beat`: becomes that one process, for whoever starts each on its own.

A container or a service manager then runs the same command lines as `manage.py up`, with its own restarts.
"""

from __future__ import annotations

import argparse
import os
import sys

from config import env
from config.launch import commands, preflight


def main(arguments: list[str]) -> None:
    """Replace this process by the named one; ends with one line when its folder cannot be written."""
    parser = argparse.ArgumentParser(prog="python -m config.launch")
    parser.add_argument("name", choices=["web", "worker", "bulk", "beat"])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    chosen = parser.parse_args(arguments)
    try:
        preflight.require_writable(env.VAR_DIR)
    except preflight.NotReady as problem:
        sys.exit(str(problem))
    command = commands.list_all(host=chosen.host, port=chosen.port)[chosen.name]
    environment = env.inherited()
    if chosen.name == "web" and not env.PROMETHEUS_MULTIPROC_DIR:
        environment |= commands.count_together(env.VAR_DIR)
    os.execve(command[0], command, environment)  # noqa: S606  (our own command lines)


if __name__ == "__main__":
    main(sys.argv[1:])
