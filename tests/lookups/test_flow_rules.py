"""A lookup from question to outcome, at its edges: how long it is worked on, who is asked, what a failure leaves."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing.models import Hold, Payment
from billing.payments import checkout
from jurisdictions import services as jurisdictions
from lookups.lookup import flow, single_flight
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Accepted, Delivered, Judged, OutOfFunds, Refused, TooManyAtOnce, Unavailable
from lookups.lookup.payers import CredentialPayer, KeyPayer
from lookups.lookup.questions import Question
from lookups.models import Job, Lookup, SharedFetch, StoredAnswer
from scrapers.models import ScrapeAttempt
from scrapers.sandbox.magic import DEMO_QUESTION
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register
from tests.lookups.test_pay_per_request import credential

pytestmark = pytest.mark.django_db
ACME = Question(state="NY", name="Acme Corp")
SECOND = timedelta(seconds=1)


def ask(customer: Customer, **more: Any) -> Ask:
    return Ask(**{"question": ACME, "payer": KeyPayer(customer.key), "request_id": "r-1", **more})


def perform(asked: Ask, **more: Any) -> Any:
    return flow.perform(ask=asked, **{"now": timezone.now(), **more})


def started(started_ago: float) -> Stopwatch:
    made = Stopwatch(timezone.now() - timedelta(seconds=started_ago))
    made._started -= started_ago
    return made


def answer(asked: Ask, *, budget: float, started_ago: float = 0.0, **more: Any) -> Any:
    held = asked.payer.hold(asked.bill, now=timezone.now())
    return flow.answer(asked, held, started(started_ago), budget_seconds=budget, **more)


def never_rendered(*_: Any) -> Any:
    raise AssertionError("no job's reply is made here")


class TestAQuestion:
    def test_is_answered_and_its_attempt_can_be_found(self, customer: Customer, register: Register) -> None:
        asked = ask(customer)
        outcome = perform(asked)
        assert isinstance(outcome, Delivered)
        assert (outcome.live, outcome.cost, outcome.balance) == (True, PRICE, 9 * PRICE)
        attempt = ScrapeAttempt.objects.get()
        assert (attempt.asked_by, attempt.sandbox, attempt.state) == (asked.ask_id, False, "NY")
        assert (Lookup.objects.get().attempt_id, Lookup.objects.get().ask_id) == (attempt.pk, asked.ask_id)

    def test_holds_its_price_for_ten_minutes_while_its_caller_waits(
        self, customer: Customer, register: Register
    ) -> None:
        now = timezone.now()
        perform(ask(customer), now=now, render=never_rendered)
        hold = Hold.objects.get()
        assert timedelta(0) <= hold.expires_at - now - timedelta(minutes=10) < timedelta(minutes=1)

    @pytest.mark.django_db(transaction=True)
    def test_that_may_become_a_job_holds_its_price_as_long_as_a_job_does(
        self, customer: Customer, register: Register
    ) -> None:
        now = timezone.now()
        assert isinstance(perform(ask(customer), now=now, render=never_rendered), Delivered)
        hold = Hold.objects.get()
        assert timedelta(0) <= hold.expires_at - now - timedelta(minutes=30) < timedelta(minutes=1)

    @pytest.mark.django_db(transaction=True)
    def test_that_cannot_become_a_job_holds_its_price_for_ten_minutes(
        self, customer: Customer, register: Register
    ) -> None:
        now = timezone.now()
        name = Question(state="NY", name="Acme Corp", kind="name_check")
        assert isinstance(perform(ask(customer, question=name), now=now, render=never_rendered), Judged)
        hold = Hold.objects.get()
        assert timedelta(0) <= hold.expires_at - now - timedelta(minutes=10) < timedelta(minutes=1)

    def test_without_money_asks_nobody(self, customer: Customer, register: Register) -> None:
        customer.key.monthly_budget = PRICE - 1
        customer.key.save()
        assert perform(ask(customer)) == OutOfFunds(PRICE - 1, PRICE, by_budget=True)
        assert (register.asked, SharedFetch.objects.count()) == (0, 0)

    def test_that_came_with_its_payment_takes_no_place_and_no_hold(
        self, switches: None, settings: Any, django_assert_max_num_queries: Any
    ) -> None:
        settings.SANDBOX_PAYMENTS, settings.CONCURRENT_LOOKUPS = True, 0
        purchase = checkout.Purchase("lookup", PRICE, "POST /v1/lookup", b"{}", "One lookup")
        offer = checkout.demand(purchase, now=timezone.now())
        question = Question(state=DEMO_QUESTION["state"], name=DEMO_QUESTION["entity_name"])
        outcome = perform(Ask(question=question, payer=CredentialPayer(purchase, credential(offer.headers))))
        assert isinstance(outcome, Delivered)
        assert (outcome.cost, outcome.balance, Hold.objects.count()) == (PRICE, None, 0)
        paid = Payment.objects.get()
        assert (paid.state, bool(outcome.receipt)) == ("paid", True)
        assert (Lookup.objects.get().payment, Lookup.objects.get().cost) == (paid, 0)
        assert (Lookup.objects.get().sandbox, SharedFetch.objects.get().sandbox) == (True, True)
        assert ScrapeAttempt.objects.get().sandbox is True

    def test_of_a_state_that_is_off_is_kept_and_holds_nothing(self, customer: Customer, register: Register) -> None:
        jurisdictions.disable(code="NY", reason="Maintenance")
        outcome = perform(ask(customer))
        assert isinstance(outcome, Unavailable)
        assert (outcome.reason, outcome.retryable, register.asked) == ("disabled", False, 0)
        row = Lookup.objects.get()
        assert (row.outcome, row.reason, row.hold) == ("source_unavailable", "disabled", None)

    def test_that_the_state_does_not_take_is_kept_and_holds_nothing(
        self, customer: Customer, register: Register
    ) -> None:
        outcome = perform(ask(customer, question=Question(state="NY", entity_id="not-a-number")))
        assert isinstance(outcome, Refused)
        assert (Lookup.objects.get().outcome, Hold.objects.count(), register.asked) == ("refused", 0, 0)

    def test_that_cannot_be_answered_later_is_answered_now(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", True)
        outcome = perform(ask(customer, question=Question(state="NY", name="Acme Corp", kind="name_check")))
        assert (type(outcome), Job.objects.count()) == (Judged, 0)

    def test_taken_up_again_that_nobody_had_settled_is_the_same_question(
        self, customer: Customer, register: Register
    ) -> None:
        asked = ask(customer, resumed=True)
        assert isinstance(perform(asked), Delivered)
        assert Lookup.objects.get().ask_id == asked.ask_id


class TestAStoredAnswer:
    def test_will_do_where_it_is_asked_for_and_young_enough(self, customer: Customer, register: Register) -> None:
        perform(ask(customer))
        read = StoredAnswer.objects.get(match__kind="exact").retrieved_at
        wanted = ask(customer, accepts_stored=True)
        week = timedelta(days=7)
        assert flow.find_stored(wanted, now=read + week - SECOND) is not None
        assert flow.find_stored(wanted, now=read + week) is None
        assert flow.find_stored(ask(customer), now=read) is None

    def test_is_sold_before_anybody_is_asked(self, customer: Customer, register: Register) -> None:
        perform(ask(customer))
        outcome = perform(ask(customer, accepts_stored=True))
        assert isinstance(outcome, Delivered)
        assert (outcome.live, register.asked, customer.balance.spent) == (False, 1, 2 * PRICE)

    def test_of_the_sandbox_is_none_of_a_registry(self, customer: Customer, register: Register) -> None:
        perform(ask(customer))
        StoredAnswer.objects.update(sandbox=True)
        assert flow.find_stored(ask(customer, accepts_stored=True), now=timezone.now()) is None


class TestALimit:
    """How many lookups a key may run at a time: its own number, or else the service's."""

    def test_of_a_key_goes_before_the_services(self, customer: Customer, register: Register, settings: Any) -> None:
        settings.CONCURRENT_LOOKUPS = 7
        customer.key.concurrent_lookups = 0
        customer.key.save()
        assert perform(ask(customer)) == TooManyAtOnce(0)
        assert (customer.balance.held, register.asked) == (0, 0)

    def test_of_the_service_holds_for_other_keys(self, customer: Customer, register: Register, settings: Any) -> None:
        settings.CONCURRENT_LOOKUPS = 0
        assert perform(ask(customer)) == TooManyAtOnce(0)

    def test_counts_those_that_run_and_no_others(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        customer.key.concurrent_lookups = 1
        customer.key.save()
        assert isinstance(perform(ask(customer)), Delivered)
        with monkeypatch.context() as patch:
            patch.setattr("lookups.lookup.storage.store", lambda **_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                perform(ask(customer))
        register.status = 403
        assert isinstance(perform(ask(customer)), Unavailable)
        assert isinstance(perform(ask(customer)), Unavailable)

    def test_holds_for_questions_that_are_answered_later(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", True)
        monkeypatch.setattr(NewYork, "estimated_seconds", 60)
        customer.key.concurrent_lookups = 1
        customer.key.save()
        outcome = perform(ask(customer))
        assert outcome == Accepted(Job.objects.get().public_id, 60)
        assert perform(ask(customer)) == TooManyAtOnce(1)


class TestAFetch:
    """How long it may take, by the clock of its caller."""

    def test_has_what_is_left_of_the_callers_time(self, customer: Customer, register: Register) -> None:
        register.seconds = 2.5
        begun = time.monotonic()
        outcome = answer(ask(customer), budget=5.0, started_ago=3.9)
        assert (outcome, time.monotonic() - begun < 2.4) == (Unavailable("NY", "timeout", True, None), True)
        assert customer.balance.held == 0

    def test_has_a_second_at_the_least(self, customer: Customer, register: Register) -> None:
        register.seconds = 0.2
        assert isinstance(answer(ask(customer), budget=5.0, started_ago=6.0), Delivered)

    def test_is_known_to_others_for_as_long_as_it_may_take(self, customer: Customer, register: Register) -> None:
        begun = timezone.now()
        answer(ask(customer), budget=40.0, started_ago=0.0)
        shared = SharedFetch.objects.get()
        assert timedelta(0) <= shared.lease_until - begun - timedelta(seconds=50) < timedelta(seconds=20)
        assert shared.result["kind"] == "answer"

    def test_that_fails_names_its_attempt(self, customer: Customer, register: Register) -> None:
        register.status = 403
        outcome = answer(ask(customer), budget=20.0)
        assert isinstance(outcome, Unavailable)
        assert Lookup.objects.get().attempt_id == ScrapeAttempt.objects.get().pk
        assert SharedFetch.objects.get().result["attempt_id"] == ScrapeAttempt.objects.get().pk

    def test_that_fails_may_be_tried_again(self, customer: Customer, register: Register) -> None:
        register.status = 403
        outcome = answer(ask(customer), budget=20.0, try_again=lambda failure: failure.reason == "blocked")
        assert isinstance(outcome, Unavailable)
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 0)

    def test_that_breaks_down_is_over_for_all_and_leaves_the_hold_to_its_caller(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("lookups.lookup.storage.store", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            answer(ask(customer), budget=20.0)
        assert SharedFetch.objects.get().result["kind"] == "crashed"
        assert customer.balance.held == PRICE

    def test_that_breaks_down_gives_the_money_back_and_says_why(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("lookups.lookup.storage.store", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            perform(ask(customer))
        assert Hold.objects.get().entries.get(kind="release").reason == "internal_error"


class TestSomebodyElsesFetchOfTheSameQuestion:
    def other(self, *, seconds: float) -> single_flight.Ticket:
        """Under way, for so many seconds more."""
        began = timezone.now() - single_flight.GRACE
        return single_flight.join(question=ACME, sandbox=False, budget_seconds=seconds, now=began)

    def test_is_waited_for_as_long_as_the_caller_waits(self, customer: Customer, register: Register) -> None:
        self.other(seconds=60.0)
        begun = time.monotonic()
        assert answer(ask(customer), budget=5.0, started_ago=4.5) == Unavailable("NY", "timeout")
        assert time.monotonic() - begun < 4
        assert (register.asked, customer.balance.held) == (0, 0)
        assert Lookup.objects.get().shared is True

    def test_that_failed_may_be_tried_again(self, customer: Customer, register: Register) -> None:
        self.other(seconds=60.0)
        outcome = answer(ask(customer), budget=0.1, try_again=lambda _: True)
        assert (outcome, customer.balance.held) == (Unavailable("NY", "timeout"), PRICE)

    def test_that_is_lost_is_taken_over(self, customer: Customer, register: Register) -> None:
        self.other(seconds=0.4)
        assert isinstance(answer(ask(customer), budget=20.0), Delivered)
        assert (register.asked, Lookup.objects.get().shared) == (1, False)
