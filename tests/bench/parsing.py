"""What a state's reader adds to its pages: its time in multiples of what their parser alone takes.

    python -m tests.bench.parsing [--repeats 30] [--states NY,DE]

Plays every golden case that ends in a record, without a network: the reader's own time (its searches and records, its
pages parsed among it; not the conversation that brings them) beside lxml's, or json's, for the bytes of the same pages.
Seconds of the thread's processor, each the least of the repeats; a state's figure is the sum over its cases.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

MICRO = 1e6


class Watch:
    """The seconds spent in some functions, and not in some others that these call."""

    def __init__(self) -> None:
        self.seconds, self._depth = 0.0, 0

    def over(self, function: Callable[..., Any], *, sign: int) -> Callable[..., Any]:
        """The same function, whose time is added (+1) or, inside one that is added, taken off (-1)."""

        def timed(*args: Any, **named: Any) -> Any:
            counts = (self._depth == 0) if sign > 0 else (self._depth == 1)
            self._depth += sign
            began = time.thread_time()
            try:
                return function(*args, **named)
            finally:
                self.seconds += sign * (time.thread_time() - began) if counts else 0.0
                self._depth -= sign

        return timed


def watch_readers() -> Watch:
    """From now on every portal's searches and records are timed, without the requests they make."""
    from scrapers.search.sources import LivePortal
    from scrapers.transport.session import PortalSession

    watch = Watch()
    for name in ("search", "open"):
        setattr(LivePortal, name, watch.over(getattr(LivePortal, name), sign=1))
    for name in ("get", "post"):
        setattr(PortalSession, name, watch.over(getattr(PortalSession, name), sign=-1))
    return watch


def parse_alone(pages: Iterable[bytes]) -> None:
    """What the parsers would do with these bytes."""
    from lxml import html

    for body in pages:
        if body.lstrip()[:1] in (b"{", b"["):
            json.loads(body)
        elif body.strip():
            html.fromstring(body, parser=html.HTMLParser(encoding="utf-8", no_network=True))


def least(repeats: int, work: Callable[[], float]) -> float:
    """The least of what the work says it took."""
    return min(work() for _ in range(repeats))


def measure(repeats: int, states: set[str]) -> dict[str, tuple[float, float, int]]:
    """By state: seconds of the reader, of the parsers alone, and bytes."""
    from scrapers import discovery
    from scrapers.evidence import replay
    from scrapers.transport.recording import load_steps
    from tests.scrapers.golden import list_cases, to_reading

    watch, sums = watch_readers(), defaultdict[str, list[float]](lambda: [0.0, 0.0, 0])
    for case in list_cases():
        if case.expected["outcome"] != "found" or (states and case.state not in states):
            continue
        portal, steps = discovery.find_portal(case.state), load_steps(case.folder)
        assert portal is not None
        reading, kept = to_reading(case, steps)
        bodies = [one.body for one in steps]

        def read(reading: Any = reading, portal: Any = portal, kept: dict[str, bytes] = kept) -> float:
            watch.seconds = 0.0
            replay.play(reading, portal=portal, find_body=kept.get)
            return watch.seconds

        def parse(bodies: list[bytes] = bodies) -> float:
            began = time.thread_time()
            parse_alone(bodies)
            return time.thread_time() - began

        read()
        for place, value in enumerate((least(repeats, read), least(repeats, parse), sum(map(len, bodies)))):
            sums[case.state][place] += value
    return {state: (row[0], row[1], int(row[2])) for state, row in sums.items()}


def main() -> None:
    """Print a table in Markdown, slowest first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--states", default="", help="codes, with commas between; all without")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    import django

    django.setup()
    rows = measure(options.repeats, set(filter(None, options.states.split(","))))
    sys.stdout.write("| state | kB | parser alone, µs | reader, µs | times |\n| --- | --- | --- | --- | --- |\n")
    for state, (reader, alone, size) in sorted(rows.items(), key=lambda row: -row[1][0] / row[1][1]):
        kilo, times = size / 1000, reader / alone
        sys.stdout.write(f"| {state} | {kilo:.0f} | {alone * MICRO:.0f} | {reader * MICRO:.0f} | {times:.1f} |\n")
    all_times = [reader / alone for reader, alone, _ in rows.values()]
    sys.stdout.write(f"\n{len(rows)} states, median {statistics.median(all_times):.1f}, most {max(all_times):.1f}\n")


if __name__ == "__main__":
    main()
