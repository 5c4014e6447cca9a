"""`python -m config.launch.queues worker|bulk|beat`: becomes that process of Celery's.

Celery's own command line loads every command that it has, with a shell that completes them: 10 MB of each process.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from celery.concurrency import get_implementation
from celery.utils.nodenames import default_nodename, host_format

from config import env, started
from config.launch import commands

if TYPE_CHECKING:
    from celery.apps.worker import Worker

env.leave_out_checks()


def work(name: str) -> int:
    """Take calls from the queues of a worker, "worker" or "bulk", until it is stopped; the exit code."""
    worker = prepare(name)
    worker.start()
    return worker.exitcode or 0


def prepare(name: str) -> Worker:
    """The worker, which knows its tasks and is not started."""
    from config.celery import app

    worker = app.Worker(
        hostname=host_format(default_nodename(commands.NODES[name])),
        pool_cls=get_implementation("threads"),
        concurrency=commands.THREADS[name],
        queues=commands.QUEUES[name],
        loglevel="INFO",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    started()  # it loads the tasks, and all that they need, once the apps are there
    return worker


def tick(schedule: str) -> int:
    """Be the clock, until it is stopped; `schedule` is the file with what it has done last."""
    from config.celery import app

    app.Beat(loglevel="INFO", schedule=schedule).run()
    return 0


def main(arguments: list[str]) -> int:
    """Run one of the three."""
    parser = argparse.ArgumentParser(prog="python -m config.launch.queues")
    parser.add_argument("name", choices=[*commands.NODES, "beat"])
    parser.add_argument("--schedule", default="")
    chosen = parser.parse_args(arguments)
    return tick(chosen.schedule) if chosen.name == "beat" else work(chosen.name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
