"""Adds the stories of a day of failures up into one line at the end, also when they ran in another process."""

from __future__ import annotations

from collections import Counter
from typing import Any

PROPERTY, SEED = "day of failures", "seed of the whole day"
FIELDS = ("stories", "lookups", "jobs", "kills", "stops", "lost", "double")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the line, if any story was told."""
    total: Counter[str] = Counter()
    seeds = []
    for outcome in ("passed", "failed", "error"):
        for report in terminalreporter.stats.get(outcome, []):
            for name, value in getattr(report, "user_properties", []):
                if name == SEED and report.when == "call":
                    seeds.append(value)
                if name == PROPERTY and report.when == "call":
                    total.update(dict(zip(FIELDS, map(int, value.split()), strict=True)))
    if total:
        terminalreporter.write_line(
            f"A day of failures: {total['stories']} stories, {total['lookups']} lookups, {total['jobs']} of them jobs; "
            f"{total['kills']} kills, {total['stops']} server stops: "
            f"lost {total['lost']}, charged twice {total['double']}"
            + "".join(f" (the whole day's seed: {seed})" for seed in seeds)
        )
