"""When a portal is left alone, and how it is tried again."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.test import Client

from jurisdictions.codes import PLACES
from jurisdictions.models import Jurisdiction
from scrapers import discovery, gateway
from scrapers.failures import (
    Failure,
    PageChanged,
    PortalBlocked,
    PortalDisabled,
    PortalError,
    PortalUnavailable,
)
from scrapers.models import Breaker
from scrapers.operations import breaker
from scrapers.refusals import QueryRefused, Refusal
from scrapers.transport.pace import Pace
from tests.billing.conftest import somebody_waits

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DOWN = PortalUnavailable("answered 500")
WALL = PortalBlocked("a wall")
pytestmark = pytest.mark.usefixtures("switches")


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def fail(error: PortalError = DOWN, *, times: int = 1, now: datetime = NOW, patience: float = 20.0) -> None:
    for number in range(times):
        permit = breaker.enter(state="NY", budget_seconds=20, now=now)
        breaker.note_failure(permit, error, question=f"Company {number}", patience=patience, now=now)


def refusal(now: datetime = NOW) -> PortalUnavailable | None:
    return breaker.find_rest(state="NY", now=now)


def told() -> tuple[str, str]:
    row = Jurisdiction.objects.get(pk="NY")
    return row.status, row.reason


class TestAPortalThatFails:
    """Five times in a row, it is left alone."""

    def test_is_asked_four_times_in_vain(self) -> None:
        fail(times=4)
        assert refusal() is None
        assert told()[0] == "active"

    @pytest.mark.parametrize(
        ("error", "reason"),
        [
            (DOWN, "down"),
            (PageChanged("no table"), "layout_changed"),
            (WALL, "blocked"),
            (PortalUnavailable("slow", reason=Failure.TIMEOUT), "timeout"),
        ],
    )
    def test_is_left_alone_for_a_minute(self, error: PortalError, reason: str) -> None:
        fail(error, times=5)
        resting = refusal(at(10))
        assert resting is not None
        assert (resting.reason, resting.retry_after) == (reason, 50.0)
        with pytest.raises(PortalUnavailable):
            breaker.enter(state="NY", budget_seconds=20, now=at(59))
        assert told() == ("degraded", error.reason.facts.customer)

    def test_leaves_other_portals_alone(self) -> None:
        fail(times=5)
        assert breaker.enter(state="CO", budget_seconds=20, now=NOW) == breaker.Permit("CO")

    def test_is_well_after_one_answer(self) -> None:
        fail(times=4)
        breaker.note_answer(breaker.Permit("NY"), now=NOW)
        fail(times=4)
        assert refusal() is None

    def test_is_well_when_it_refuses_a_question(self) -> None:
        fail(times=4)
        fail(QueryRefused(Refusal.NO_LETTERS))
        fail(times=4)
        assert refusal() is None

    @pytest.mark.parametrize(
        "error",
        [PortalUnavailable("no turn", reason=Failure.RATE_LIMITED), PortalUnavailable("slow", reason=Failure.TIMEOUT)],
    )
    def test_is_not_blamed_for_our_own_hurry(self, error: PortalError) -> None:
        fail(error, times=6, patience=3.0)
        assert refusal() is None

    def test_is_not_judged_by_one_odd_company(self) -> None:
        permit = breaker.Permit("NY")
        for _ in range(9):
            breaker.note_failure(permit, PageChanged("odd"), question="Odd Inc.", patience=20, now=NOW)
        assert refusal() is None


class TestTheProbe:
    """One question tries the portal again."""

    def test_is_one_alone(self) -> None:
        fail(times=5)
        assert breaker.enter(state="NY", budget_seconds=20, now=at(60)).is_probe
        with pytest.raises(PortalUnavailable) as refused:
            breaker.enter(state="NY", budget_seconds=20, now=at(61))
        assert refused.value.retry_after == 29.0

    def test_closes_the_breaker_with_an_answer(self) -> None:
        fail(times=5)
        breaker.note_answer(breaker.enter(state="NY", budget_seconds=20, now=at(60)), now=at(61))
        assert refusal(at(61)) is None
        assert not breaker.enter(state="NY", budget_seconds=20, now=at(61)).is_probe
        assert told() == ("active", "")

    def test_that_fails_doubles_the_rest_up_to_a_quarter_of_an_hour(self) -> None:
        fail(times=5)
        moment, rests = at(60), []
        for _ in range(6):
            fail(now=moment)
            row = Breaker.objects.get(pk="NY")
            assert row.open_until is not None
            rests.append((row.open_until - moment).total_seconds())
            moment = row.open_until
        assert rests == [120, 240, 480, 900, 900, 900]

    def test_that_is_lost_with_its_process_makes_room_for_the_next(self) -> None:
        fail(times=5)
        assert breaker.enter(state="NY", budget_seconds=20, now=at(60)).is_probe
        assert breaker.enter(state="NY", budget_seconds=20, now=at(90)).is_probe

    @pytest.mark.parametrize("error", [PortalUnavailable("no turn", reason=Failure.RATE_LIMITED), DOWN])
    def test_that_comes_back_too_late_lets_nobody_in_beside_the_next(self, error: PortalUnavailable) -> None:
        fail(times=5)
        late = breaker.enter(state="NY", budget_seconds=20, now=at(60))
        assert breaker.enter(state="NY", budget_seconds=20, now=at(90)).is_probe
        breaker.note_failure(late, error, question="Acme", patience=20, now=at(91))
        assert Breaker.objects.get(pk="NY").probe_until == at(90 + 20 + 10)

    def test_that_got_no_turn_lets_the_next_one_try(self) -> None:
        fail(times=5)
        fail(PortalUnavailable("no turn", reason=Failure.RATE_LIMITED), now=at(60))
        assert breaker.enter(state="NY", budget_seconds=20, now=at(61)).is_probe

    @pytest.mark.django_db(transaction=True)
    def test_is_one_alone_among_many_at_once(self) -> None:
        fail(times=5)

        def try_it(_: int) -> bool:
            try:
                return breaker.enter(state="NY", budget_seconds=20, now=at(60)).is_probe
            except PortalUnavailable:
                return False
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(try_it, range(16))) == 1


class TestAClockThatWasSetBack:
    """By an hour, after a portal was left alone."""

    def test_does_not_leave_it_alone_for_an_hour_more(self) -> None:
        fail(times=breaker.FAILURES, now=at(3600))
        assert refusal(at(3600)) is not None
        assert refusal() is None
        assert breaker.enter(state="NY", budget_seconds=20, now=NOW).is_probe

    def test_leaves_it_alone_as_usual_when_the_next_one_fails_too(self) -> None:
        fail(times=breaker.FAILURES, now=at(3600))
        fail()
        resting = refusal()
        assert resting is not None
        assert resting.retry_after is not None
        assert resting.retry_after <= breaker.LONGEST_REST.total_seconds()

    def test_is_not_confused_with_clocks_that_differ_a_little(self) -> None:
        fail(times=breaker.FAILURES, now=at(30))
        assert refusal() is not None


class TestAPortalThatTurnsUsAway:
    """403, 429, a wall."""

    def test_is_asked_at_half_the_pace_each_time_down_to_an_eighth(self) -> None:
        seen = []
        for _ in range(4):
            seen.append(breaker.enter(state="NY", budget_seconds=20, now=NOW).slowness)
            fail(WALL)
        assert seen == [1, 2, 4, 8]
        assert Breaker.objects.get(pk="NY").slowness == 8

    def test_gets_slower_turns_and_fewer_at_once(self) -> None:
        pace = Pace(seconds=1.5, concurrency=2)
        assert breaker.Permit("NY", 1).slow_down(pace) == pace
        assert breaker.Permit("NY", 4).slow_down(pace) == Pace(seconds=6.0, concurrency=1)

    def test_regains_its_pace_in_steps_of_ten_minutes(self) -> None:
        fail(WALL, times=2)
        seen = []
        for minutes in (5, 11, 12, 22, 32):
            breaker.note_answer(breaker.Permit("NY"), now=at(60 * minutes))
            seen.append(breaker.enter(state="NY", budget_seconds=20, now=at(60 * minutes)).slowness)
        assert seen == [4, 2, 2, 1, 1]

    def test_is_not_asked_before_the_time_it_named(self) -> None:
        fail(PortalBlocked("429", reason=Failure.RATE_LIMITED, retry_after=600))
        resting = refusal(at(100))
        assert resting is not None
        assert (resting.reason, resting.retry_after) == ("rate_limited", 500.0)
        assert told()[0] == "active"  # it works, we were too fast

    def test_is_not_left_alone_for_ever_by_a_slip_of_theirs(self) -> None:
        fail(PortalBlocked("429", reason=Failure.RATE_LIMITED, retry_after=999_999))
        assert refusal(at(24 * 3600)) is None


class TestTheOperator:
    """Decides in the end."""

    def test_can_have_a_portal_asked_again_at_once(self) -> None:
        fail(times=5)
        get_user_model().objects.create_superuser("admin", password="a long password")
        client = Client()
        client.login(username="admin", password="a long password")
        asked = {"action": "ask_again", "_selected_action": ["NY"]}
        assert client.post("/admin/scrapers/breaker/", asked).status_code == 302
        assert refusal() is None
        assert told() == ("active", "")
        assert client.get("/admin/scrapers/breaker/").status_code == 200

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.usefixtures("on_postgres")
    @pytest.mark.parametrize("failure", [None, DOWN], ids=["an answer", "a failure"])
    def test_can_have_it_asked_again_while_something_comes_back_from_it(self, failure: PortalError | None) -> None:
        """Nothing was left to note it in, and that broke off the lookup whose answer was there."""
        fail(times=2)
        permit, is_closed = breaker.enter(state="NY", budget_seconds=20, now=NOW), threading.Event()

        def close() -> None:
            with transaction.atomic():
                breaker.close(state="NY", now=NOW)
                is_closed.set()
                until = time.monotonic() + 30
                while not somebody_waits() and time.monotonic() < until:
                    time.sleep(0.02)
            connection.close()

        def note() -> None:
            is_closed.wait(30)
            try:
                if failure is None:
                    breaker.note_answer(permit, now=at(1))
                else:
                    breaker.note_failure(permit, failure, question="Another", patience=20, now=at(1))
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(close), pool.submit(note)]:
                done.result(60)
        assert [row.failures for row in Breaker.objects.all()] == ([] if failure is None else [1])

    def test_can_have_nobody_asked_at_all(self, settings: object) -> None:
        settings.ASK_PORTALS = False  # type: ignore[attr-defined]
        with pytest.raises(PortalDisabled):
            gateway.get_portal("NY")
        assert gateway.get_portal("NY", sandbox=True).sandbox

    def test_says_why_a_state_is_off_in_words_that_callers_read(self) -> None:
        for reason, sentence in (
            ("The office asked us to stop.", None),
            ("", "The operator has switched this state off."),
        ):
            Jurisdiction.objects.filter(pk="NY").update(enabled=False, status="inactive", reason=reason)
            with pytest.raises(PortalDisabled) as off:
                gateway.get_portal("NY")
            assert off.value.detail == (sentence or reason)
            assert (off.value.retryable, off.value.retry_after) == (False, None)

    @pytest.mark.parametrize(
        "code", [one.code for one in discovery.list_portals() if one.verification == "unsupported"]
    )
    def test_cannot_make_a_state_answer_that_nobody_can_read(self, code: str) -> None:
        with pytest.raises(QueryRefused) as refused:
            gateway.get_portal(code)
        assert (refused.value.refusal, refused.value.refusal.facts.unsupported) == (Refusal.NO_READER, True)
        assert refused.value.sentence == f"No program can ask the registry of {PLACES[code].name}."
        portal = discovery.find_portal(code)
        assert portal is not None
        assert gateway.explain_off(code) == portal.off_reason != ""
        assert gateway.get_portal(code, sandbox=True).sandbox

    def test_cannot_make_a_state_answer_that_has_no_portal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(discovery, "find_portal", lambda code: None)
        with pytest.raises(QueryRefused, match="No program can ask the registry of New York"):
            gateway.get_portal("NY")
        assert gateway.explain_off("NY") == "No search of it is known."

    def test_leaves_the_word_of_an_operator_alone(self) -> None:
        Jurisdiction.objects.filter(pk="NY").update(enabled=False, status="inactive", reason="our choice")
        fail(times=5)
        assert told() == ("inactive", "our choice")
