"""What looks mean one after the other: parts that were not shown, liens that are gone, companies that went and came."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lookups.watches import comparing
from lookups.watches.comparing import Finding, Memory, Result
from lookups.watches.readings import LIENS, Facts, Reading, of_liens
from lookups.watches.taxonomy import Category

BEGAN, DAY = datetime(2026, 3, 2, 9, tzinfo=UTC), timedelta(days=1)
LIEN = {"fileNumber": "1", "status": "Active"}


class Watched:
    """A company, or the liens on its name, that is looked at again and again; looks are numbered from 1 on."""

    def __init__(self, kind: str = "business_entity", old_pages: Mapping[int, Facts] | None = None) -> None:
        self.kind, self.old_pages, self.memory, self.looks = kind, old_pages or {}, Memory(), 0
        self.reread: list[int] = []
        self.not_checked: list[str] = []

    def look(self, facts: Facts | None, *, day: float, reader: str = "1") -> tuple[Result, list[Finding]]:
        """One look: the parts that it showed, or None where nothing was found."""
        self.looks += 1
        shown = ({LIENS} if self.kind == "ucc" else {*facts["data"], *facts["normalized"]}) if facts else set()
        reading = Reading(
            kind=self.kind,
            verdict="absent" if facts is None else "found",
            at=BEGAN + day * DAY,
            lookup=self.looks,
            reader=reader,
            facts=facts or {},
            shown=frozenset(shown),
        )
        judged = comparing.judge(self.memory, reading, categories=[*Category], reread=self._read_again)
        self.memory, self.not_checked = judged.memory, judged.not_checked
        return judged.result, judged.findings

    def _read_again(self, lookup: int) -> Facts | None:
        self.reread.append(lookup)
        return self.old_pages.get(lookup)


def record(*, filings: list[str] | None = None, **data: Any) -> Facts:
    """A record that shows these fields, and documents of one day."""
    filed = [{"date": "2026-01-05", "title": one} for one in filings or []]
    return {"data": data, "normalized": {"filings": filed} if filings else {}}


def told(findings: list[Finding]) -> list[tuple[str, int | None, int]]:
    """The codes, with the looks that say so."""
    return [(one.code, one.before, one.after) for one in findings]


class TestAPartThatWasNotShown:
    """By the last look, or the last two."""

    @pytest.mark.parametrize("missed", [1, 2])
    def test_is_reported_with_the_look_that_showed_it_last(self, missed: int) -> None:
        watched = Watched()
        watched.look(record(status="Active", jurisdiction="DE"), day=0)
        for day in range(1, missed + 1):
            assert watched.look(record(status="Active"), day=day) == (Result.UNCHANGED, [])
        result, findings = watched.look(record(status="Dissolved", jurisdiction="NV"), day=5)
        assert (result, told(findings)) == (
            Result.CHANGED,
            [("status.wording", 1 + missed, 2 + missed), ("name.particulars", 1, 2 + missed)],
        )

    def test_is_read_anew_by_another_reader_from_the_pages_that_showed_it(self) -> None:
        watched = Watched(old_pages={1: record(status="ACT", jurisdiction="Delaware"), 2: record(status="GOOD")})
        watched.look(record(status="Active", jurisdiction="DE"), day=0)
        watched.look(record(status="Good"), day=1)
        result, findings = watched.look(record(status="GOOD", jurisdiction="Nevada"), day=2, reader="2")
        assert (result, told(findings)) == (Result.CHANGED, [("name.particulars", 1, 3)])
        assert sorted(watched.reread) == [1, 2]

    def test_of_which_the_old_pages_are_gone_is_known_from_the_next_look_on(self) -> None:
        watched = Watched(old_pages={2: record(status="GOOD")})
        watched.look(record(status="Active", jurisdiction="DE"), day=0)
        watched.look(record(status="Good"), day=1)
        assert watched.look(record(status="GOOD", jurisdiction="Nevada"), day=2, reader="2")[0] is Result.UNCHANGED
        result, findings = watched.look(record(status="GOOD", jurisdiction="Ohio"), day=3, reader="2")
        assert (result, told(findings)) == (Result.CHANGED, [("name.particulars", 3, 4)])


class TestAReceiverOfProcess:
    """Who gets a company's legal papers."""

    @pytest.mark.parametrize(
        "later", [{"name": "ADA MERRILL", "kind": "person"}, {"name": "QUAY CORP.", "kind": "organization"}, None]
    )
    def test_that_is_another_or_none_is_reported(self, later: dict[str, str] | None) -> None:
        watched = Watched()
        first = {"name": "JORDAN DOE", "kind": "person"}
        watched.look({"data": {}, "normalized": {"serviceOfProcess": first}}, day=0)
        _, findings = watched.look({"data": {}, "normalized": {"serviceOfProcess": later}}, day=1)
        assert told(findings) == [("agent.changed", 1, 2)]


class TestADocument:
    """Of which the title is left out at the request of somebody it names."""

    @pytest.mark.parametrize("left", [["withheld"], ["withheld", "withheld"]])
    def test_is_the_one_of_its_day_and_hides_no_other_that_went(self, left: list[str]) -> None:
        watched = Watched()
        watched.look(record(filings=["Change of agent", "Statement of Ada Merrill"]), day=0)
        _, findings = watched.look(record(filings=left), day=1)
        assert [one.code for one in findings] == ["filing.removed"] * (2 - len(left))


class TestLiens:
    """On a company's name."""

    def test_that_are_all_gone_are_reported_at_the_second_look_that_misses_them_and_once(self) -> None:
        watched = Watched("ucc")
        assert watched.look(of_liens([LIEN]), day=0) == (Result.BASELINE, [])
        assert watched.not_checked == []
        assert watched.look(None, day=1) == (Result.ABSENT, [])
        result, findings = watched.look(None, day=2)
        assert (result, told(findings)) == (Result.CHANGED, [("lien.removed", 1, 3)])
        assert watched.look(None, day=3) == (Result.UNCHANGED, [])
        result, findings = watched.look(of_liens([LIEN]), day=4)
        assert (result, told(findings)) == (Result.CHANGED, [("lien.added", 3, 5)])

    @pytest.mark.parametrize("reader", ["1", "2"])
    def test_of_which_there_were_none_are_reported_when_any_reader_finds_one(self, reader: str) -> None:
        watched = Watched("ucc")
        assert watched.look(None, day=0) == (Result.BASELINE, [])
        assert watched.look(None, day=0.5) == (Result.UNCHANGED, [])
        result, findings = watched.look(of_liens([LIEN]), day=1, reader=reader)
        assert (result, told(findings), watched.reread) == (Result.CHANGED, [("lien.added", 1, 3)], [])


class TestACompany:
    """That is taken from the register, and put back."""

    def test_is_said_to_be_gone_and_there_again_by_the_looks_that_saw_it(self) -> None:
        watched = Watched()
        active = record(status="Active")
        watched.look(active, day=0)
        assert "officers" in watched.not_checked
        assert LIENS not in watched.not_checked
        assert watched.look(None, day=1) == (Result.ABSENT, [])
        assert watched.not_checked == []  # of nobody nothing is left unread
        assert watched.look(None, day=1.9) == (Result.ABSENT, [])
        _, gone = watched.look(None, day=2)
        assert watched.look(None, day=9) == (Result.ABSENT, [])
        _, back = watched.look(active, day=10)
        assert (told(gone), told(back)) == ([("disappeared", 1, 4)], [("reappeared", 2, 6)])
        changes = [(one.path, one.before, one.after) for finding in (*gone, *back) for one in finding.changes]
        assert changes == [("found", True, False), ("found", False, True)]
        assert watched.look(None, day=11) == (Result.ABSENT, [])

    def test_that_was_missed_once_and_found_is_missed_for_the_first_time_again(self) -> None:
        watched = Watched()
        active = record(status="Active")
        for facts, day in ((active, 0), (None, 1), (active, 2), (None, 3)):
            assert watched.look(facts, day=day)[1] == []
