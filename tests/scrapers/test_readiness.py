"""What is known of a state before it is asked: read in one statement, and acted upon for a second."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from jurisdictions import services
from jurisdictions.models import Jurisdiction
from scrapers import gateway
from scrapers.failures import PageChanged, PortalDisabled, PortalResting, PortalUnavailable
from scrapers.models import Breaker, BulkCopy, ScrapeAttempt
from scrapers.operations import breaker, readiness
from scrapers.operations.readiness import Readiness
from scrapers.records import Query

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DOWN = PortalUnavailable("answered 500")
pytestmark = pytest.mark.usefixtures("switches")


def fail(times: int = 1) -> None:
    for number in range(times):
        breaker.note_failure(breaker.Permit("NY"), DOWN, question=f"Company {number}", patience=20, now=NOW)


def load_copy(status: str = "current") -> None:
    BulkCopy.objects.create(state="NY", url="", file="", as_of=NOW - timedelta(days=2), status=status, started_at=NOW)


def known() -> Readiness:
    seen = gateway.look_at("NY", sandbox=False)
    assert seen is not None
    return seen


def ask(seen: Readiness) -> None:
    gateway.fetch(Query("NY", name="Acme Corp"), now=NOW, budget_seconds=1.0, known=seen)


class TestAState:
    def test_is_known_after_one_question(self, django_assert_num_queries: Any) -> None:
        load_copy()
        with django_assert_num_queries(1):
            seen = known()
            assert gateway.get_portal("NY", known=seen).code == "NY"
            assert gateway.find_rest("NY", now=NOW, known=seen) is None
            copy = gateway.find_copy("NY", known=seen)
            permit = breaker.enter(state="NY", budget_seconds=20, now=NOW, is_well=seen.is_well)
        assert (copy, permit) == (gateway.find_copy("NY"), breaker.Permit("NY"))

    def test_that_is_off_says_why(self) -> None:
        services.disable(code="NY", reason="Maintenance")
        with pytest.raises(PortalDisabled, match="Maintenance"):
            gateway.get_portal("NY", known=known())

    def test_that_rests_is_left_alone(self) -> None:
        fail(times=5)
        resting = gateway.find_rest("NY", now=NOW, known=known())
        assert isinstance(resting, PortalResting)
        with pytest.raises(PortalResting):
            ask(known())
        assert ScrapeAttempt.objects.count() == 0

    @pytest.mark.parametrize(
        "held_against_it",
        [{"failures": 1}, {"slowness": 2}, {"open_until": NOW, "reason": "down"}],
        ids=["a failure", "a slower pace", "a rest that is over"],
    )
    def test_is_not_well_while_anything_is_held_against_it(self, held_against_it: dict[str, Any]) -> None:
        assert known().is_well
        row = Breaker.objects.create(state="NY", changed_at=NOW)
        assert known().is_well
        Breaker.objects.filter(pk=row.pk).update(**held_against_it)
        assert not known().is_well

    @pytest.mark.parametrize("status", ["loading", "replaced", "refused"])
    def test_has_no_copy_that_does_not_answer(self, status: str) -> None:
        load_copy(status)
        assert gateway.find_copy("NY", known=known()) is None

    def test_of_the_sandbox_is_not_looked_at(self, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(0):
            assert gateway.look_at("NY", sandbox=True) is None

    def test_without_its_row_is_an_error(self) -> None:
        Jurisdiction.objects.all().delete()
        with pytest.raises(Jurisdiction.DoesNotExist):
            readiness.read("NY")


class TestWhatWasReadBefore:
    def test_serves_whoever_asks_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        seen = known()
        monkeypatch.setattr(readiness, "read", None)  # would break
        monkeypatch.setattr(gateway, "ask", lambda *_, **__: 1 / 0)
        with pytest.raises(PageChanged, match="ZeroDivisionError"):
            ask(seen)

    def test_is_read_anew_by_whoever_waited_for_his_turn(self) -> None:
        seen = known()
        services.disable(code="NY", reason="Maintenance")
        late = Readiness(True, "", is_well=True, copy_as_of=None, read_at=seen.read_at - readiness.SECONDS)
        with pytest.raises(PortalDisabled, match="Maintenance"):
            ask(late)
        assert ScrapeAttempt.objects.count() == 0


class TestAnAnswer:
    """Of a portal that failed while it was asked."""

    def test_to_a_question_from_before_the_failures_heals_nothing(self) -> None:
        early = breaker.enter(state="NY", budget_seconds=20, now=NOW)
        fail(times=5)
        breaker.note_answer(early, now=NOW)
        assert breaker.find_rest(state="NY", now=NOW) is not None

    def test_to_a_question_from_after_a_failure_heals_it(self) -> None:
        fail()
        breaker.note_answer(breaker.enter(state="NY", budget_seconds=20, now=NOW), now=NOW)
        assert Breaker.objects.get(pk="NY").failures == 0
