"""docs/asvs.md answers every requirement of levels 1 and 2 once, and what it cites is there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "asvs.md").read_text()
ROWS = [
    [cell.strip() for cell in row.split("|")[1:-1]]
    for row in re.findall(r"^\| \d+\.\d+\.\d+ \|.*$", TEXT, re.MULTILINE)
]
BEYOND = re.findall(r"\d+\.\d+\.\d+", TEXT.partition("## Level 3")[2])
# ASVS 5.0.0: 70 requirements of level 1, 183 of level 2, 92 of level 3; the last section of each chapter.
LEVELS = {"1": 70, "2": 183}
OF_LEVEL_3 = 92
SECTIONS = {
    1: 5,
    2: 4,
    3: 7,
    4: 4,
    5: 4,
    6: 8,
    7: 6,
    8: 4,
    9: 2,
    10: 7,
    11: 7,
    12: 3,
    13: 4,
    14: 3,
    15: 4,
    16: 5,
    17: 3,
}
PLACE = re.compile(r"`([\w.-]*[/.][\w./-]*)(?:::(\w+))?`")


def list_cited(cell: str) -> Iterator[tuple[str, str]]:
    """The files and tests that a cell names."""
    for path, test in PLACE.findall(cell):
        if "/" in path or (ROOT / path).exists():
            yield path, test


def is_there(path: str, test: str) -> bool:
    """Whether a cited place exists, and has the class or test that is cited."""
    file = ROOT / path
    return file.exists() and (
        not test or bool(re.search(rf"^ *(?:class|def) {test}\b", file.read_text(), re.MULTILINE))
    )


def list_files(pattern: str) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in ROOT.glob(pattern)]


def read(path: str) -> str:
    return (ROOT / path).read_text()


def find_answer(name: str) -> tuple[str, set[str]]:
    """What is answered, and the files that are cited."""
    [row] = [row for row in ROWS if row[0] == name]
    return row[3], {path for path, _ in list_cited(row[4])}


def number(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


class TestTheList:
    """Of requirements."""

    def test_has_each_number_once_and_in_order(self) -> None:
        answered = [number(row[0]) for row in ROWS]
        assert answered == sorted(set(answered))
        assert not set(answered) & set(map(number, BEYOND))

    def test_is_as_long_as_the_standards(self) -> None:
        assert Counter(row[1] for row in ROWS) == LEVELS
        assert len(set(BEYOND)) == len(BEYOND) == OF_LEVEL_3

    def test_has_no_gap(self) -> None:
        """Numbers count up from 1 in every section; sections of documentation and of level 3 alone count as well."""
        known = {number(row[0]) for row in ROWS} | set(map(number, BEYOND))
        sections = {section[:2] for section in known}
        for chapter, last in SECTIONS.items():
            assert {section for at, section in sections if at == chapter} == set(range(1, last + 1))
        for section in sections:
            held = {one[2] for one in known if one[:2] == section}
            assert held == set(range(1, len(held) + 1)), section


class TestAnAnswer:
    """A row; all of them in one test, as each takes no time."""

    def test_is_one_of_three_and_stands_on_something(self) -> None:
        for name, _, asked, answer, why in ROWS:
            assert answer in ("yes", "no", "not applicable"), name
            assert asked, name
            assert why, f"{name} says neither where nor why"
            assert answer != "yes" or list(list_cited(why)), f"{name} is a yes that nothing shows"

    def test_cites_what_is_there(self) -> None:
        assert [(row[0], place) for row in ROWS for place in list_cited(row[4]) if not is_there(*place)] == []

    def test_of_what_other_sites_may_read_names_each_file_that_lets_them(self) -> None:
        letting = {path for path in list_files("lookups/**/*.py") if "Access-Control-Allow-Origin" in read(path)}
        assert letting
        assert find_answer("3.4.2") == ("no", letting)

    def test_of_secrets_in_addresses_names_each_file_that_has_one(self) -> None:
        holding = {path for path in list_files("lookups/**/urls.py") if re.search(r"<str:(secret|token)>", read(path))}
        assert holding
        answer, cited = find_answer("14.2.1")
        assert (answer, cited & set(list_files("lookups/**/urls.py"))) == ("no", holding)

    def test_is_no_not_applicable_where_the_service_does_what_is_asked_about(self) -> None:
        asked = {
            "11.6.1": "key pairs" if "Ed25519" in read("lookups/evidence/signing.py") else "",
            "15.3.6": "scripts" if list_files("lookups/static/lookups/*.js") else "",
        }
        assert [name for name, there in asked.items() if there and find_answer(name)[0] == "not applicable"] == []


class TestTheSummary:
    """Above the list."""

    def test_counts_the_answers(self) -> None:
        counted = Counter(row[3] for row in ROWS)
        said = re.search(r"(\d+) are met, (\d+) are not,\s+(\d+) are about what is not here", TEXT)
        assert said
        assert tuple(map(int, said.groups())) == (counted["yes"], counted["no"], counted["not applicable"])


class TestACitation:
    """What this file calls one."""

    def test_that_leads_nowhere_is_noticed(self) -> None:
        assert is_there("tests/packaging/test_asvs.py", "TestACitation")
        assert not is_there("tests/packaging/test_asvs.py", "TestNobody")
        assert not is_there("tests/packaging/test_nothing.py", "")
        assert list(list_cited("see `docs/asvs.md` and `a/b.py::test_c`")) == [
            ("docs/asvs.md", ""),
            ("a/b.py", "test_c"),
        ]
