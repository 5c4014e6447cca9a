"""Runs the day, prints its table, and fails when anything differs."""

from __future__ import annotations

import argparse
import secrets
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.failures.money_day import check, day
from tests.failures.money_day.day import Day


def main(arguments: list[str]) -> int:
    """The day in the size that was asked for; the logs of its processes stay when it fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.failures.money_day", description=__doc__)
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--kill-every", type=int, default=150, help="operations between two kills")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no more operations are begun")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000), help="of what is done and who dies")
    asked = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ended early, it still ends its processes
    folder = Path(tempfile.mkdtemp(prefix="sos-money-day-"))
    say(f"seed {asked.seed}, logs in {folder}")
    with day.running(folder, clients=asked.clients, seed=asked.seed) as its:
        its.live(asked.operations, kill_every=asked.kill_every, minutes=asked.minutes)
        say(f"{sum(its.done.values())} operations done; waiting until nothing is under way")
        its.end(seconds=900)
        findings = check.compare(its)
        say(table(its, findings))
    if any(findings.values()):
        return 1
    shutil.rmtree(folder)
    return 0


def table(its: Day, findings: check.Findings) -> str:
    """What was done, what failed, what was compared and what differs, as Markdown."""
    replies: Counter[str] = sum((client.record.replies for client in its.clients), Counter())
    parts: dict[str, Iterable[tuple[str, int]]] = {
        f"operations of {len(its.clients)} clients in {its.seconds:.0f} s": its.done.most_common(),
        "killed with SIGKILL": its.kills.most_common(),
        "PostgreSQL stopped and started": [("times", its.service.stops)],
        "replies by status": sorted(replies.items()),
        "transfers, as the node dealt with them": its.chain.fates.items(),
        "card messages": [("delivered", its.provider.delivered), ("delivered again", its.provider.doubled)],
        "refunds that failed later": [("times", its.provider.failed)],
        "compared": check.count_compared(its).items(),
        "differences": [(name, len(lines)) for name, lines in findings.items()],
    }
    rows = ["| | | |", "| --- | --- | ---: |"]
    for title, numbers in parts.items():
        lines = list(numbers)
        rows.append(f"| **{title}** | | {sum(number for _, number in lines) if title != 'compared' else ''} |")
        rows += [f"| | {name} | {number} |" for name, number in lines]
    told = [f"{name}: {line}" for name, lines in findings.items() for line in lines[:20]]
    return "\n".join([*rows, *told])


def say(text: str) -> None:
    """Print at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
