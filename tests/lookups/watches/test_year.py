"""A simulated year: nothing missed, nothing false; and a judge that errs is found out by it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lookups.watches import comparing
from lookups.watches.comparing import Judgement, Memory, Result
from tests.lookups.watches import year

COMPANIES = 20


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Play the year with one thing of the judge replaced."""

    def play(name: str, value: Any) -> year.Figures:
        monkeypatch.setattr(comparing, name, value)
        return year.play(companies=6, days=365)

    return play


class TestASimulatedYear:
    """Twenty companies, day by day; the thousand are played by hand (docs/watches.md)."""

    def test_misses_nothing_and_tells_nothing_false(self) -> None:
        found = year.play(companies=COMPANIES, days=365)
        assert (found.missed, found.false, found.unnamed) == ([], [], [])
        assert found.told > 200
        assert set(found.looks) == {result.value for result in Result}

    def test_finds_out_a_judge_that_believes_the_first_absence(self, breaking: Any) -> None:
        real = comparing._judge_absence
        found = breaking("_judge_absence", lambda memory, reading, apart: _twice(real, memory, reading))
        assert found.false

    def test_finds_out_a_judge_that_takes_spelling_for_change(self, breaking: Any) -> None:
        real = comparing.list_changes
        found = breaking("list_changes", lambda before, after: real(before, after, noise=True))
        assert found.false

    def test_finds_out_a_judge_that_forgets_what_was_not_shown(self, breaking: Any) -> None:
        real = comparing._remember
        found = breaking("_remember", lambda memory, reading: real(Memory(), reading))
        assert found.missed

    def test_finds_out_a_judge_that_compares_two_readers_words(self, breaking: Any) -> None:
        found = breaking("_read_anew", lambda memory, reread: memory)
        assert found.false

    def test_finds_out_a_judge_that_takes_an_outage_for_an_absence(self, breaking: Any) -> None:
        real = comparing.judge

        def judge(memory: Memory, reading: Any, **how: Any) -> Judgement:
            if reading.verdict == "unclear":
                reading = year.Reading(kind=reading.kind, verdict="absent", at=reading.at, lookup=reading.lookup)
            return real(memory, reading, **how)

        found = breaking("judge", judge)
        assert found.false


def _twice(judge: Any, memory: Memory, reading: Any) -> Judgement:
    """Judged as if it were the second time already."""
    first: Judgement = judge(memory, reading, timedelta())
    return judge(first.memory, reading, timedelta()) if first.result is Result.ABSENT else first  # type: ignore[no-any-return]
