"""docs/truth.md has the figures of the pages that they are taken from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

DOCS: Path = settings.BASE_DIR / "docs"
TRUTH = "truth.md"
HELD_OUT = "matching-held-out.md"
Rows = dict[str, list[str]]


def read(page: str) -> str:
    """A page of docs/."""
    return (DOCS / page).read_text(encoding="utf-8")


def part_of(page: str, heading: str) -> str:
    """What stands below a heading, down to the next of its kind."""
    (level,) = re.findall(rf"^(#+) {re.escape(heading)}", page, re.MULTILINE)
    return re.split(rf"^{level} ", page.partition(f"\n{level} {heading}")[2], flags=re.MULTILINE)[0]


def rows_of(part: str) -> list[list[str]]:
    """The rows of its tables, headings and rules left out."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines() if line.startswith("| ")]
    return [row for row in cells if any(any(sign.isdigit() for sign in cell) for cell in row[1:])]


def measured(when: str, part: str) -> Rows:
    """A table of the held-out measurement, by its first cells."""
    section = part_of(part_of(read(HELD_OUT), when), part)
    return {row[0]: row[1:] for row in rows_of(section)}


WHEN = {"before": "First results", "after": "After mending"}


class TestTheFiguresOfTheStates:
    """How many answer."""

    def test_are_those_of_the_page_of_states(self) -> None:
        last = read("states.md").strip().splitlines()[-1]
        now = {what: count for count, what in re.findall(r"(\d+) ([a-z][a-z ]*)", last)}
        told = {row[0]: row[2] for row in rows_of(part_of(read(TRUTH), "How many states answer"))}
        assert told == {what: now[what] for what in told}
        assert len(told) == 6


class TestTheFiguresOfNames:
    """The measurement's, before and after."""

    @pytest.mark.parametrize(
        ("who", "part"), [("people's habits", "The first set"), ("sister companies", "The second set")]
    )
    @pytest.mark.parametrize("when", WHEN)
    def test_of_the_matcher(self, who: str, part: str, when: str) -> None:
        (told,) = [
            row
            for row in rows_of(part_of(read(TRUTH), "Right companies and wrong ones"))
            if row[0].startswith(who) and row[0].endswith(when)
        ]
        questions, _, recall, suggested, precision, wrong = measured(WHEN[when], part)["**all**"]
        assert told[1:] == [recall, suggested, precision, wrong]
        assert f"{questions} questions" in told[0]

    def test_of_the_search(self) -> None:
        told = rows_of(part_of(read(TRUTH), "What is sent to a registry"))
        assert len(told) == 6
        for search, when, *figures in told:
            found = part_of(part_of(read(HELD_OUT), WHEN[when]), "What a registry's search lists")
            first = found.partition("The second set")[0]
            row = next(row for row in rows_of(first) if row[:2] == [search, "100"])
            assert figures == [row[2], row[3], row[5], row[8]]

    def test_of_each_habit(self) -> None:
        told = rows_of(part_of(read(TRUTH), "What the matcher missed"))
        assert len(told) >= 12
        for habit, *figures in told:
            assert figures == [measured(WHEN[when], "The first set")[habit][2] for when in WHEN]


class TestAPart:
    """Of a page."""

    def test_ends_where_the_next_begins(self) -> None:
        page = (
            "# P\n\n## A b\n\n| x | y |\n|---|---|\n| one | 1 |\n\n### Inner\n\n| two | 2 |\n\n## C\n\n| three | 3 |\n"
        )
        assert rows_of(part_of(page, "A")) == [["one", "1"], ["two", "2"]]
        assert rows_of(part_of(part_of(page, "A"), "Inner")) == [["two", "2"]]

    def test_that_is_not_there_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="unpack"):
            part_of("# P\n", "Gone")
