"""The one enum of failures: what each member has to say, and that its word stands in no second table."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from scrapers.failures import (
    Facts,
    Failure,
    Health,
    PageChanged,
    PortalBlocked,
    PortalDisabled,
    PortalError,
    PortalResting,
    PortalUnavailable,
    find_failure,
    list_unanswered,
)
from scrapers.models import Breaker, ScrapeAttempt
from scrapers.refusals import QueryRefused, Refusal
from scrapers.sandbox.magic import FAILURES, MAGIC

ROOT: Path = settings.BASE_DIR
WORDS = {failure.value for failure in Failure}
# The sandbox's pages stand under the outcomes that it plays; some of those have a failure's word.
ELSEWHERE = {"scrapers/failures.py", "scrapers/sandbox/server.py"}


def second_tables(source: str) -> Iterator[int]:
    """Lines at which two or more failure words stand together in one literal."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Dict(keys=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                words = {part.value for part in parts if isinstance(part, ast.Constant)} & WORDS
                if len(words) > 1:
                    yield node.lineno


def disagreements(facts: Facts) -> list[str]:
    """What of a failure is at odds with its being worth another try, or not."""
    waits = {"retry_after": facts.retry_after, "pause": facts.pause}
    return [name for name, seconds in waits.items() if facts.retryable != bool(seconds)]


@pytest.mark.parametrize("failure", Failure, ids=str)
class TestAFailure:
    """Says all that follows from it."""

    def test_fits_the_columns_that_keep_it(self, failure: Failure) -> None:
        for column in (ScrapeAttempt._meta.get_field("outcome"), Breaker._meta.get_field("reason")):
            assert len(failure.value) <= (column.max_length or 0)

    def test_is_found_by_its_word(self, failure: Failure) -> None:
        assert find_failure(failure.value) is failure
        assert f"{failure}" == failure.value

    def test_has_a_sentence_for_everybody(self, failure: Failure) -> None:
        for sentence in (failure.facts.customer, failure.facts.operator):
            assert sentence[0].isupper()
            assert sentence.endswith(".")

    def test_leaves_nothing_known_unless_the_registry_answered(self, failure: Failure) -> None:
        assert failure.is_answer == (failure not in list_unanswered())

    def test_says_when_to_come_back_only_where_that_may_help(self, failure: Failure) -> None:
        assert disagreements(failure.facts) == []

    def test_is_tried_again_only_where_that_may_help(self, failure: Failure) -> None:
        assert not failure.facts.repeats or failure.facts.retryable

    def test_is_explained_to_operators(self, failure: Failure) -> None:
        runbook = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")
        assert failure.is_answer or f"`{failure.value}`" in runbook

    def test_can_be_played_unless_nobody_is_asked(self, failure: Failure) -> None:
        outcome = failure.facts.sandbox
        assert (outcome is None) == (failure.facts.health is Health.UNKNOWN)
        assert outcome is None or (FAILURES[outcome] is failure and outcome in MAGIC)


class TestAFailureThatDisagreesWithItself:
    """Is noticed."""

    @pytest.mark.parametrize(
        ("more", "found"),
        [
            ({"retry_after": None, "pause": None}, []),
            ({"retry_after": 3600, "pause": None}, ["retry_after"]),
            ({"retry_after": None, "pause": 5.0}, ["retry_after"]),
            ({"retry_after": 0, "pause": 0}, ["retry_after", "pause"]),
        ],
    )
    def test_by_what_it_says_of_waiting(self, more: dict[str, Any], found: list[str]) -> None:
        facts = Facts(**{"customer": "X.", "operator": "X.", "sandbox": None, **more})
        assert disagreements(facts) == found


class TestAnError:
    """Derives everything from its failure."""

    def test_has_the_usual_one_of_its_kind(self) -> None:
        usual = {
            PortalUnavailable: Failure.DOWN,
            PortalBlocked: Failure.BLOCKED,
            PageChanged: Failure.LAYOUT_CHANGED,
            PortalDisabled: Failure.DISABLED,
        }
        for kind, failure in usual.items():
            error: PortalError = kind("x")
            assert (error.reason, error.retryable) == (failure, failure.facts.retryable)
        refused = QueryRefused(Refusal.NO_LETTERS)
        assert (refused.reason, refused.retryable) == (Failure.REFUSED, False)

    def test_may_have_another(self) -> None:
        assert PortalBlocked("429", reason=Failure.RATE_LIMITED).reason is Failure.RATE_LIMITED

    def test_of_a_portal_at_rest_may_always_be_tried_again(self) -> None:
        error = PortalResting("left alone", reason=Failure.LAYOUT_CHANGED)
        assert (error.reason, error.retryable) == (Failure.LAYOUT_CHANGED, True)

    def test_that_no_other_try_mends_names_no_time_for_one(self) -> None:
        assert PageChanged("a notice", retry_after=60).retry_after is None
        assert PortalDisabled("The office asked us to stop.", retry_after=60).retry_after is None
        assert PortalResting("left alone", reason=Failure.LAYOUT_CHANGED, retry_after=60).retry_after == 60

    def test_is_down_for_a_word_of_another_version(self) -> None:
        assert find_failure("moved_away") is None
        assert PortalResting("left alone", reason=find_failure("moved_away")).reason is Failure.DOWN


class TestTheWords:
    """Stand in one table."""

    def test_are_in_no_second_one(self) -> None:
        found = [
            f"{name}:{line}"
            for app in ("scrapers", "lookups")
            for path in sorted((ROOT / app).rglob("*.py"))
            if "migrations" not in path.parts and (name := str(path.relative_to(ROOT))) not in ELSEWHERE
            for line in second_tables(path.read_text(encoding="utf-8"))
        ]
        assert found == []

    @pytest.mark.parametrize(
        "table",
        [
            '{"down": 5.0, "timeout": 10.0}',
            '["down", "blocked"]',
            '("refused", "x", "disabled")',
            '{"down", "blocked"}',
        ],
    )
    def test_are_noticed_in_one(self, table: str) -> None:
        assert list(second_tables(f"A = 1\nTOLD = {table}")) == [2]
