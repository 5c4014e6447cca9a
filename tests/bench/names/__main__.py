"""Measures matching and searching on the held-out sets and over the whole registry, and prints the tables.

    python -m tests.bench.names                              # some minutes on one core
    python -m tests.bench.names --write "Title of a section" # and puts them into docs/matching-held-out.md

    python -m tests.bench.names --practice 1                 # other questions of the same habits, to work on

A section that is there is replaced; the first results stand in one of their own and stay.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from tests.bench.names import companies, held_out, judge, merges, searching, sisters
from tests.bench.names.companies import Registry
from tests.bench.names.questions import Question, fingerprint

ROOT = Path(__file__).resolve().parents[3]
CAP_BY_HABIT = 100
PAGE = ROOT / "docs" / "matching-held-out.md"


def main() -> None:
    """Print the tables, and write them where that is asked."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", metavar="TITLE", help="the section of docs/matching-held-out.md to write")
    options.add_argument("--practice", metavar="SEED", help="measure other questions of the same habits instead")
    chosen = options.parse_args()
    if not companies.there():
        sys.exit(f"{companies.FILE.name} does not lie in ../shared/registers beside the project: nothing to measure.")
    registry, parts = Registry(companies.read()), [_circumstances()]
    sys.stdout.write(f"{parts[0]}\n")
    for part in _practised(registry, chosen.practice) if chosen.practice else _measured(registry):
        sys.stdout.write(f"{part}\n")
        sys.stdout.flush()
        parts.append(part)
    if chosen.write and not chosen.practice:
        _write(chosen.write, "\n".join(parts))


def _circumstances() -> str:
    commit = _git("rev-parse", "--short", "HEAD")
    changed = " with changes in scrapers" if _git("status", "--porcelain", "--", "scrapers") else ""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit}{changed}, {machine}, threshold {judge.THRESHOLD}.\n"
    )


def _git(*arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def _measured(registry: Registry) -> Iterator[str]:
    first, second = held_out.build(registry), sisters.build(registry)
    for name, questions in (("The first set: people's habits", first), ("The second set: sister companies", second)):
        yield f"### {name}\n"
        yield f"{len(questions)} questions, fingerprint `{fingerprint(questions)}`.\n"
        yield judge.table(judge.judge(registry, questions))
    yield "### What a registry's search lists and what is chosen from it\n"
    index = searching.Index(registry)
    for name, questions in (("first", first), ("second", second)):
        yield f"The {name} set, over {len(registry.companies)} companies:\n"
        yield _searches(registry, index, questions)
    yield "### Real companies told as one\n"
    yield _merges(registry)


def _practised(registry: Registry, seed: str) -> Iterator[str]:
    questions = held_out.practice(registry, seed)
    yield judge.table(judge.judge(registry, questions))
    yield _searches(registry, searching.Index(registry), questions)


def _searches(registry: Registry, index: searching.Index, questions: list[Question]) -> str:
    lines = [
        "| search | cap | found | or suggested | the company was listed | wrong company | met the cap "
        "| asked for more of the name | searches a question |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    by_habit: dict[str, list[str]] = {}
    for kind in searching.KINDS:
        for cap in searching.CAPS:
            one = searching.simulate(registry, index, questions, kind, cap)
            tally = one.tally
            shares = (tally.recall, (tally.right + tally.suggested) / tally.findable, one.listed / tally.findable)
            lines.append(
                f"| {kind.replace('_', ' ')} | {cap} | {' | '.join(f'{share:.1%}' for share in shares)} "
                f"| {tally.wrong} | {one.cut} | {one.refused} | {one.searches / tally.asked:.2f} |"
            )
            for habit, own in one.habits.items() if cap == CAP_BY_HABIT else ():
                by_habit.setdefault(habit, []).append(
                    f"{own.recall:.0%}, {own.wrong}" if own.findable else f"{own.wrong}"
                )
    lines += [f"\nFound, and wrong companies, at a cap of {CAP_BY_HABIT}:\n"]
    lines += ["| | starts with | contains | word pattern |", "|---|---|---|---|"]
    lines += [f"| {habit.replace('_', ' ')} | {' | '.join(cells)} |" for habit, cells in by_habit.items()]
    return "\n".join(lines) + "\n"


def _merges(registry: Registry) -> str:
    started = time.monotonic()
    exact = merges.exact_pairs(registry)
    count, near = merges.near_pairs(registry)
    false = sum(exact[kind] for kind in merges.FALSE)
    return (
        f"False merges at `exact`, over all pairs: **{false}**. Pairs at `exact`, by what their names differ in:\n\n"
        f"{_counted(exact)}\n"
        f"Of {count:,} pairs of neighbors in the alphabet with other words, {sum(near.values())} pass the threshold by "
        f"another kind (each is registered under its own spelling, and gets it first when it is asked for):\n\n"
        f"{_counted(near)}\n"
        f"Taken in {time.monotonic() - started:.0f} s.\n"
    )


def _counted(counts: Counter[str]) -> str:
    return "| | pairs |\n|---|---|\n" + "".join(f"| {kind} | {number} |\n" for kind, number in counts.most_common())


def _write(title: str, body: str) -> None:
    head, *sections = re.split(r"^(?=## )", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    section = f"## {title}\n\n{body.rstrip()}\n"
    kept = [one.rstrip() + "\n" for one in sections if not one.startswith(f"## {title}\n")]
    PAGE.write_text("\n".join((head.rstrip() + "\n", *kept, section)), encoding="utf-8")


if __name__ == "__main__":
    main()
