"""Runs the measurements one after the other, each a process of its own on servers that are thrown away.

    make bench                                    # all of them, some forty minutes on two quiet cores
    make bench BENCH_ARGS="rates charge_rate"     # these

Left out unless they are named: `large`, which fills 15 GB, and `slow_clients`, which wants nginx and Caddy. Figures are
put into docs/ by hand, with the day, the machine and the commit.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.engines import programs, servers
from tests.journeys.checkout import ROOT, clean_environment

USUAL = (
    *("rates", "rates --engine embedded", "charge_rate", "bulk_rate", "queue_look", "several_processes", "waits"),
    *("evidence_cost", "reading_path", "matching", "parsing", "wire_writing", "thousand_accounts"),
)
NAMED = ("large", "slow_clients", "copy_size", "names")
WITH_SERVERS = ("charge_rate", "bulk_rate", "copy_size")  # the others start what they need
SETTINGS = {"DJANGO_SETTINGS_MODULE": "config.settings.dev", "RATE_LIMIT_PER_MINUTE": "1000000"}


def run(bench: str, folder: Path) -> bool:
    """Run one to its end; whether it measured."""
    name, *more = bench.split()
    sys.stdout.write(f"\n== {bench}\n\n")
    sys.stdout.flush()
    command = [sys.executable, "-m", f"tests.bench.{name}", *more]
    environment = clean_environment(SETTINGS | {"VAR_DIR": str(folder)})
    if name not in WITH_SERVERS:
        return subprocess.run(command, cwd=ROOT, env=environment).returncode == 0
    with servers.running(programs.get_programs()) as addresses:
        environment |= {"DATABASE_URL": addresses.database_url, "REDIS_URL": addresses.redis_url}
        return subprocess.run(command, cwd=ROOT, env=environment).returncode == 0


def main() -> None:
    """Run what is named, or the usual ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join((*USUAL, *NAMED)))
    wanted = parser.parse_args().names
    known = {bench.split()[0] for bench in USUAL} | set(NAMED)
    if strange := sorted(set(wanted) - known):
        parser.error(f"There is no {', '.join(strange)}.")
    began, failed = time.monotonic(), list[str]()
    for bench in [bench for bench in (*USUAL, *NAMED) if bench.split()[0] in wanted] or USUAL:
        with tempfile.TemporaryDirectory(prefix="sos-lookup-bench-") as folder:
            failed += [] if run(bench, Path(folder)) else [bench]
    sys.stdout.write(f"\n{(time.monotonic() - began) / 60:.0f} minutes. Failed: {', '.join(failed) or 'none'}.\n")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
