"""A lookup from question to outcome, at its edges: how long it is worked on, who is asked, what a failure leaves."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from billing import prices
from billing.models import Hold, LedgerEntry, Payment
from billing.payments import checkout
from jurisdictions import services as jurisdictions
from lookups.jobs import lifecycle
from lookups.lookup import flow, rows, settlement, single_flight
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Accepted, Ended, NothingFound, OutOfFunds, TooManyAtOnce
from lookups.lookup.payers import CredentialPayer, KeyPayer
from lookups.lookup.questions import Question
from lookups.models import Job, Lookup, SharedFetch, StoredAnswer
from lookups.verdicts import ANSWERED, Verdict
from scrapers import gateway
from scrapers.models import ScrapeAttempt
from scrapers.sandbox.magic import DEMO_QUESTION
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register
from tests.lookups.test_pay_per_request import credential

pytestmark = pytest.mark.django_db
ACME = Question(state="NY", name="Acme Corp")


def ask(customer: Customer, **more: Any) -> Ask:
    """A question of its own, whatever the customer has asked before."""
    return Ask(**{"question": ACME, "payer": KeyPayer(customer.key), "request_id": "r-1", "apart": True, **more})


def perform(asked: Ask, **more: Any) -> Any:
    return flow.perform(ask=asked, **{"now": timezone.now(), **more})


def ended(asked: Ask, **more: Any) -> Lookup:
    """The lookup of a question that is answered while its caller waits."""
    result = perform(asked, **more)
    assert isinstance(result, Ended)
    kept = Lookup.objects.get(pk=result.lookup.pk)
    assert (kept.verdict, kept.cost, kept.ended_at) == (
        result.lookup.verdict,
        result.lookup.cost,
        result.lookup.ended_at,
    )
    return result.lookup


def started(started_ago: float) -> Stopwatch:
    made = Stopwatch(timezone.now() - timedelta(seconds=started_ago))
    made._started -= started_ago
    return made


def accepted(asked: Ask) -> Lookup:
    """Its row, which an earlier try has left open, its price held."""
    row = rows.draft(asked, now=timezone.now())
    rows.accept(asked, row, now=timezone.now(), hold_for=timedelta(minutes=10))
    return row


def answer(asked: Ask, *, budget: float, started_ago: float = 0.0, **more: Any) -> Lookup:
    row = accepted(asked)
    left = flow.answer(asked, row, started(started_ago), budget_seconds=budget, **more)
    assert left.verdict == Lookup.objects.get(pk=row.pk).verdict
    return left


def switching_off(fetch: Callable[..., Any]) -> Callable[..., Any]:
    """The same fetch, and somebody who switches the state off before its answer is settled."""

    def fetching(*given: Any) -> Any:
        reply = fetch(*given)
        jurisdictions.disable(code="NY", reason="Asked to stop.")
        return reply

    return fetching


class TestAQuestion:
    def test_is_answered_and_its_attempt_can_be_found(self, customer: Customer, register: Register) -> None:
        asked = ask(customer)
        row = ended(asked)
        assert (row.verdict, row.source, row.cost, row.balance_after) == ("found", "live", PRICE, 9 * PRICE)
        attempt = ScrapeAttempt.objects.get()
        assert (attempt.asked_by, attempt.sandbox, attempt.state) == (asked.ask_id, False, "NY")
        assert (row.attempt_id, row.ask_id, Lookup.objects.count()) == (attempt.pk, asked.ask_id, 1)

    def test_has_its_row_before_anybody_is_asked(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[Any] = []
        fetch = flow._fetch

        def fetching(asked: Ask, *more: Any) -> Any:
            row = Lookup.objects.get()
            seen.append((row.ask_id, row.verdict, row.hold == Hold.objects.get(), customer.balance.held))
            return fetch(asked, *more)

        monkeypatch.setattr(flow, "_fetch", fetching)
        asked = ask(customer)
        ended(asked)
        assert seen == [(asked.ask_id, None, True, PRICE)]

    def test_whose_row_cannot_be_written_holds_nothing(self, customer: Customer) -> None:
        asked = ask(customer)
        accepted(asked)
        held = customer.balance.held
        other = rows.draft(asked, now=timezone.now(), ask_id=asked.ask_id)
        anew = replace(asked, ask_id=uuid.uuid4())
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.accept(anew, other, now=timezone.now(), hold_for=timedelta(minutes=10))
        assert (customer.balance.held, Hold.objects.count(), Lookup.objects.count()) == (held, 1, 1)

    def test_holds_its_price_for_ten_minutes_while_its_caller_waits(
        self, customer: Customer, register: Register
    ) -> None:
        now = timezone.now()
        row = ended(ask(customer), now=now)
        assert row.created_at == now
        hold = Hold.objects.get()
        assert timedelta(0) <= hold.expires_at - now - timedelta(minutes=10) < timedelta(minutes=1)

    @pytest.mark.django_db(transaction=True)
    def test_that_may_become_a_job_holds_its_price_as_long_as_a_job_does(
        self, customer: Customer, register: Register
    ) -> None:
        now = timezone.now()
        assert ended(ask(customer), now=now).verdict == "found"
        hold = Hold.objects.get()
        assert timedelta(0) <= hold.expires_at - now - timedelta(minutes=30) < timedelta(minutes=1)

    @pytest.mark.django_db(transaction=True)
    def test_that_cannot_become_a_job_holds_its_price_for_ten_minutes(
        self, customer: Customer, register: Register
    ) -> None:
        now = timezone.now()
        name = Question(state="NY", name="Acme Corp", kind="name_check")
        assert ended(ask(customer, question=name), now=now).verdict == "taken"
        hold = Hold.objects.get()
        assert timedelta(0) <= hold.expires_at - now - timedelta(minutes=10) < timedelta(minutes=1)

    def test_without_money_asks_nobody(self, customer: Customer, register: Register) -> None:
        customer.key.monthly_budget = PRICE - 1
        customer.key.save()
        assert perform(ask(customer)) == OutOfFunds(PRICE - 1, PRICE, by_budget=True)
        assert (register.asked, SharedFetch.objects.count(), Lookup.objects.count()) == (0, 0, 0)

    def test_that_came_with_its_payment_takes_no_place_and_no_hold(
        self, switches: None, settings: Any, django_assert_max_num_queries: Any
    ) -> None:
        settings.SANDBOX_PAYMENTS, settings.CONCURRENT_LOOKUPS = True, 0
        purchase = checkout.Purchase("lookup", PRICE, "POST /v1/lookup", b"{}", "One lookup")
        offer = checkout.demand(purchase, now=timezone.now())
        question = Question(state=DEMO_QUESTION["state"], name=DEMO_QUESTION["entity_name"])
        result = perform(Ask(question=question, payer=CredentialPayer(purchase, credential(offer.headers))))
        assert isinstance(result, Ended)
        row, paid = Lookup.objects.get(), Payment.objects.get()
        assert (result.lookup, bool(result.receipt), paid.state) == (row, True, "paid")
        assert (row.verdict, row.charged, row.cost, row.balance_after, row.hold) == ("found", PRICE, 0, None, None)
        assert (row.payment, row.account, row.key, Hold.objects.count()) == (paid, None, None, 0)
        assert (row.sandbox, SharedFetch.objects.get().sandbox, ScrapeAttempt.objects.get().sandbox) == (
            True,
            True,
            True,
        )

    def test_that_came_with_its_payment_and_finds_nothing_is_free(self, switches: None, settings: Any) -> None:
        settings.SANDBOX_PAYMENTS = True
        purchase = checkout.Purchase("lookup", PRICE, "POST /v1/lookup", b"{}", "One lookup")
        offer = checkout.demand(purchase, now=timezone.now())
        question = Question(state=DEMO_QUESTION["state"], name="Quasar Umbrella Repair")
        result = perform(Ask(question=question, payer=CredentialPayer(purchase, credential(offer.headers))))
        assert isinstance(result, Ended)
        assert (result.lookup.verdict, result.lookup.charged, result.receipt) == ("not_found", 0, None)
        assert (Payment.objects.get().state, Payment.objects.get().detail) == ("abandoned", "not_found")

    def test_that_came_with_its_payment_and_breaks_down_before_it_moved_is_free(
        self, switches: None, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.SANDBOX_PAYMENTS = True
        purchase = checkout.Purchase("lookup", PRICE, "POST /v1/lookup", b"{}", "One lookup")
        offer = checkout.demand(purchase, now=timezone.now())
        question = Question(state=DEMO_QUESTION["state"], name=DEMO_QUESTION["entity_name"])
        monkeypatch.setattr("lookups.lookup.flow.gateway.fetch", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            perform(Ask(question=question, payer=CredentialPayer(purchase, credential(offer.headers))))
        assert (Payment.objects.get().state, Payment.objects.get().detail) == ("abandoned", "internal_error")
        assert (Lookup.objects.get().verdict, Lookup.objects.get().reason) == ("failed", "internal_error")

    def test_of_a_state_that_is_off_is_kept_and_holds_nothing(self, customer: Customer, register: Register) -> None:
        jurisdictions.disable(code="NY", reason="Maintenance")
        row = ended(ask(customer))
        assert (row.verdict, row.reason, row.hold, row.retry_at) == ("unavailable", "disabled", None, None)
        assert (Hold.objects.count(), register.asked) == (0, 0)

    def test_that_the_state_does_not_take_is_kept_and_holds_nothing(
        self, customer: Customer, register: Register
    ) -> None:
        row = ended(ask(customer, question=Question(state="NY", entity_id="not-a-number")))
        assert (row.verdict, row.reason, row.refusal) == (
            "refused",
            "not_an_identifier",
            {"entity_id": "not-a-number"},
        )
        assert (Hold.objects.count(), register.asked) == (0, 0)

    def test_that_cannot_be_answered_later_is_answered_now(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", True)
        row = ended(ask(customer, question=Question(state="NY", name="Acme Corp", kind="name_check")))
        assert (row.verdict, Job.objects.count()) == ("taken", 0)

    def test_whose_state_is_switched_off_meanwhile_is_not_sold(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(flow, "_fetch", switching_off(flow._fetch))
        row = ended(ask(customer))
        assert (row.verdict, row.reason, row.attempt_id) == ("unavailable", "disabled", ScrapeAttempt.objects.get().pk)
        assert (customer.balance.spent, customer.balance.held, StoredAnswer.objects.count()) == (0, 0, 0)

    def test_that_finds_nothing_in_a_state_that_was_switched_off_meanwhile_says_that(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(flow, "_fetch", switching_off(flow._fetch))
        row = ended(ask(customer, question=Question(state="NY", name="Nobody Knows This")))
        assert (row.verdict, row.reason) == ("unavailable", "disabled")
        assert SharedFetch.objects.get().result["kind"] == "unavailable"

    def test_that_came_with_its_payment_moves_no_money_when_its_state_is_switched_off_meanwhile(
        self, switches: None, register: Register, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.SANDBOX_PAYMENTS = True

        class LivePayer(CredentialPayer):
            """Whose payment is good for a real registry."""

            def claim(self, *, now: datetime) -> None:
                super().claim(now=now)
                self.sandbox = False

        purchase = checkout.Purchase("lookup", PRICE, "POST /v1/lookup", b"{}", "One lookup")
        offer = checkout.demand(purchase, now=timezone.now())
        monkeypatch.setattr(flow, "_fetch", switching_off(flow._fetch))
        result = perform(Ask(question=ACME, payer=LivePayer(purchase, credential(offer.headers))))
        assert isinstance(result, Ended)
        assert (result.lookup.verdict, result.lookup.reason, result.receipt) == ("unavailable", "disabled", None)
        assert (Payment.objects.get().state, StoredAnswer.objects.count(), register.asked > 0) == ("abandoned", 0, True)


class TestAStoredAnswer:
    def test_is_sold_before_anybody_is_asked(self, customer: Customer, register: Register) -> None:
        ended(ask(customer))
        row = ended(ask(customer, accepts_stored=True))
        assert (row.source, row.price, row.cost, row.balance_after) == ("stored", 0, 0, 9 * PRICE)
        assert (register.asked, customer.balance.spent, Hold.objects.count()) == (1, PRICE, 1)

    def test_is_sold_also_of_a_state_that_is_off(self, customer: Customer, register: Register) -> None:
        ended(ask(customer))
        jurisdictions.disable(code="NY", reason="Maintenance")
        assert ended(ask(customer, accepts_stored=True)).verdict == "found"

    def test_without_money_for_it_is_not_sold_and_not_kept(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prices, "STORED", 9 * PRICE + 1)
        ended(ask(customer))
        assert perform(ask(customer, accepts_stored=True)) == OutOfFunds(9 * PRICE, 9 * PRICE + 1)
        assert (Lookup.objects.count(), register.asked) == (1, 1)


class TestALimit:
    """How many lookups a key may run at a time: its own number, or else the service's."""

    def test_of_a_key_goes_before_the_services(self, customer: Customer, register: Register, settings: Any) -> None:
        settings.CONCURRENT_LOOKUPS = 7
        customer.key.concurrent_lookups = 0
        customer.key.save()
        assert perform(ask(customer)) == TooManyAtOnce(0)
        assert (customer.balance.held, register.asked, Lookup.objects.count()) == (0, 0, 0)

    def test_of_the_service_holds_for_other_keys(self, customer: Customer, register: Register, settings: Any) -> None:
        settings.CONCURRENT_LOOKUPS = 0
        assert perform(ask(customer)) == TooManyAtOnce(0)

    def test_counts_those_that_run_and_no_others(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        customer.key.concurrent_lookups = 1
        customer.key.save()
        assert ended(ask(customer)).verdict == "found"
        with monkeypatch.context() as patch:
            patch.setattr("lookups.lookup.storage.store", lambda **_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                perform(ask(customer))
        register.status = 403
        assert [ended(ask(customer)).verdict for _ in range(2)] == ["unavailable"] * 2

    def test_holds_for_questions_that_are_answered_later(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", True)
        monkeypatch.setattr(NewYork, "estimated_seconds", 60)
        customer.key.concurrent_lookups = 1
        customer.key.save()
        result, job = perform(ask(customer)), Job.objects.get()
        assert (result, job.estimated_seconds, job.lookup) == (Accepted(job), 60, Lookup.objects.get())
        assert perform(ask(customer)) == TooManyAtOnce(1)
        assert (Lookup.objects.count(), customer.balance.held) == (1, PRICE)


class TestAFetch:
    """How long it may take, by the clock of its caller."""

    def test_has_what_is_left_of_the_callers_time(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        register.may_go, fetch, given = threading.Event(), gateway.fetch, []

        def fetch_in(*asked: Any, budget_seconds: float, **how: Any) -> Any:
            given.append(budget_seconds)
            return fetch(*asked, budget_seconds=budget_seconds, **how)

        monkeypatch.setattr(gateway, "fetch", fetch_in)
        row = answer(ask(customer), budget=5.0, started_ago=3.9)
        register.may_go.set()
        assert (row.verdict, row.reason, customer.balance.held) == ("unavailable", "timeout", 0)
        assert 1.0 <= given[0] <= 1.1

    def test_has_a_second_at_the_least(self, customer: Customer, register: Register) -> None:
        register.seconds = 0.2
        assert answer(ask(customer), budget=5.0, started_ago=6.0).verdict == "found"

    def test_is_known_to_others_for_as_long_as_it_may_take(self, customer: Customer, register: Register) -> None:
        begun = timezone.now()
        answer(ask(customer), budget=40.0, started_ago=0.0)
        shared = SharedFetch.objects.get()
        assert timedelta(0) <= shared.lease_until - begun - timedelta(seconds=50) < timedelta(seconds=20)
        assert shared.result is not None
        assert shared.result["kind"] == "answer"

    def test_that_fails_names_its_attempt(self, customer: Customer, register: Register) -> None:
        register.status = 403
        row, attempt = answer(ask(customer), budget=20.0), ScrapeAttempt.objects.get()
        assert (row.verdict, row.reason, row.attempt_id) == ("unavailable", "blocked", attempt.pk)
        result = SharedFetch.objects.get().result
        assert result is not None
        assert result["attempt_id"] == attempt.pk

    def test_that_fails_may_be_tried_again(self, customer: Customer, register: Register) -> None:
        register.status = 403
        row = answer(ask(customer), budget=20.0, try_again=lambda failure: failure.reason == "blocked")
        assert (row.verdict, customer.balance.held) == (None, PRICE)

    def test_that_breaks_down_is_over_for_all_and_leaves_the_lookup_to_its_caller(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("lookups.lookup.storage.store", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            answer(ask(customer), budget=20.0)
        assert SharedFetch.objects.get().result == {"kind": "crashed"}
        assert (customer.balance.held, Lookup.objects.get().verdict) == (PRICE, None)

    @pytest.mark.parametrize("transaction", [False, pytest.param(True, marks=pytest.mark.django_db(transaction=True))])
    def test_that_breaks_down_gives_the_money_back_and_says_why(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch, transaction: bool
    ) -> None:
        monkeypatch.setattr("lookups.lookup.storage.store", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            perform(ask(customer))
        row = Lookup.objects.get()
        assert (row.verdict, row.reason, row.cost) == ("failed", "internal_error", 0)
        assert [entry.reason for entry in LedgerEntry.objects.filter(kind="release")] == ["internal_error"]


class TestSomebodyElsesFetchOfTheSameQuestion:
    def other(self, *, seconds: float) -> single_flight.Ticket:
        """Under way, for so many seconds more."""
        began = timezone.now() - single_flight.GRACE
        return single_flight.join(question=ACME, sandbox=False, budget_seconds=seconds, now=began)

    def test_is_waited_for_as_long_as_the_caller_waits(self, customer: Customer, register: Register) -> None:
        self.other(seconds=60.0)
        begun = time.monotonic()
        row = answer(ask(customer), budget=50.0, started_ago=49.5)
        assert (row.verdict, row.reason, row.shared) == ("unavailable", "timeout", True)
        assert time.monotonic() - begun < 49.5  # where the caller's time would begin anew, it would take fifty
        assert (register.asked, customer.balance.held) == (0, 0)

    def test_that_failed_may_be_tried_again(self, customer: Customer, register: Register) -> None:
        self.other(seconds=60.0)
        row = answer(ask(customer), budget=0.1, try_again=lambda _: True)
        assert (row.verdict, customer.balance.held) == (None, PRICE)

    def test_that_is_lost_is_taken_over(self, customer: Customer, register: Register) -> None:
        self.other(seconds=0.4)
        row = answer(ask(customer), budget=20.0)
        assert (row.verdict, row.shared, register.asked) == ("found", False, 1)


class TestAnAskTakenUpAgain:
    """An earlier try under the same id broke off, or was answered: what it came to is not paid for twice."""

    def earlier(self, customer: Customer, verdict: str) -> Ask:
        """One that ended so."""
        asked = ask(customer, resumed=True)
        accepted(asked)
        Lookup.objects.update(verdict=verdict, ended_at=timezone.now(), hold=None)
        asked.payer.release(asked.bill, Hold.objects.get(), reason="x", now=timezone.now())
        return asked

    def test_whose_row_is_open_is_the_same_lookup(self, customer: Customer, register: Register) -> None:
        asked = ask(customer, resumed=True)
        row = accepted(asked)
        assert ended(asked) == row
        assert (Lookup.objects.count(), Hold.objects.count(), register.asked) == (1, 1, 1)
        assert (customer.balance.spent, customer.balance.held) == (PRICE, 0)

    def test_whose_hold_expired_meanwhile_holds_its_price_anew(self, customer: Customer, register: Register) -> None:
        asked = ask(customer, resumed=True)
        row = accepted(asked)
        asked.payer.release(asked.bill, row.hold, reason="expired", now=timezone.now())
        assert ended(asked) == row
        assert Lookup.objects.get().hold != row.hold
        assert (customer.balance.spent, customer.balance.held, Hold.objects.count()) == (PRICE, 0, 2)

    def test_whose_row_ends_while_it_is_taken_up_hears_what_it_came_to(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The earlier try was slow, not dead: its end is not written over."""
        asked = ask(customer, resumed=True)
        row = accepted(asked)

        def end_it_meanwhile(*_: Any, **__: Any) -> None:
            flow.answer(asked, Lookup.objects.get(pk=row.pk), Stopwatch(timezone.now()), budget_seconds=10)

        with monkeypatch.context() as slow:
            slow.setattr(settlement, "find_stored", end_it_meanwhile)
            result = perform(asked)
        assert (result.lookup, result.lookup.verdict, result.repeated) == (row, "found", True)
        assert (customer.balance.spent, customer.balance.held, register.asked) == (PRICE, 0, 1)

    def test_whose_row_is_open_may_be_answered_from_what_is_stored(
        self, customer: Customer, register: Register
    ) -> None:
        ended(ask(customer))
        asked = ask(customer, resumed=True, accepts_stored=True)
        row = accepted(asked)
        again = ended(asked)
        assert (again, again.source, again.cost) == (row, "stored", 0)
        assert (customer.balance.spent, customer.balance.held, register.asked) == (PRICE, 0, 1)

    def test_of_a_state_that_was_switched_off_gives_the_money_back(
        self, customer: Customer, register: Register
    ) -> None:
        asked = ask(customer, resumed=True)
        row = accepted(asked)
        jurisdictions.disable(code="NY", reason="Maintenance")
        again = ended(asked)
        assert (again, again.reason, customer.balance.held, Lookup.objects.count()) == (row, "disabled", 0, 1)

    def test_of_a_slow_registry_is_answered_later_with_its_own_hold(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", True)
        asked = ask(customer, resumed=True)
        row = accepted(asked)
        result, job = perform(asked), Job.objects.get()
        assert (result, job.lookup, job.hold, job.ask_id) == (Accepted(job), row, row.hold, asked.ask_id)
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 1)

    @pytest.mark.parametrize("verdict", sorted(ANSWERED))
    def test_that_was_answered_gets_that_answer(self, customer: Customer, register: Register, verdict: str) -> None:
        asked = self.earlier(customer, verdict)
        row = ended(asked)
        assert (row.ask_id, row.verdict) == (asked.ask_id, verdict)
        assert (register.asked, Lookup.objects.count(), Hold.objects.count()) == (0, 1, 1)

    @pytest.mark.parametrize("verdict", sorted({one.value for one in Verdict} - {*ANSWERED}))
    def test_that_ended_without_an_answer_stays_so_under_its_id(
        self, customer: Customer, register: Register, verdict: str
    ) -> None:
        asked = self.earlier(customer, verdict)
        row = ended(asked)
        assert (row.ask_id, row.verdict, register.asked) == (asked.ask_id, verdict, 0)
        assert (Lookup.objects.count(), customer.balance.spent) == (1, 0)

    def test_that_became_a_job_is_that_job(self, customer: Customer, register: Register) -> None:
        asked = ask(customer, resumed=True)
        job = lifecycle.adopt(asked, accepted(asked), estimated_seconds=9, runs=True, now=timezone.now())
        assert perform(asked) == Accepted(job)
        settlement.end(asked, job.lookup, NothingFound(), stopwatch=started(0.0))
        assert (perform(asked), register.asked) == (Accepted(job), 0)

    def test_that_is_new_looks_for_nothing_earlier(self, customer: Customer, register: Register) -> None:
        asked = ask(customer)
        other = ended(ask(customer, resumed=False))
        assert ended(asked).pk != other.pk

    def test_of_which_nothing_was_written_is_the_same_question(self, customer: Customer, register: Register) -> None:
        asked = ask(customer, resumed=True)
        first = ended(asked)
        assert ended(asked) == first
        assert (first.ask_id, customer.balance.spent, register.asked) == (asked.ask_id, PRICE, 1)

    def test_after_a_breakdown_is_answered_and_paid_once_however_often_it_is_repeated(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        headers = {"idempotency_key": "order-17"}
        with monkeypatch.context() as patch:
            patch.setattr("lookups.lookup.storage.store", lambda **_: 1 / 0)
            assert customer.lookup(headers=headers).status_code == 500
        first, second = (customer.lookup(headers=headers) for _ in range(2))
        assert (first.status_code, second.status_code, second["Idempotency-Replayed"]) == (200, 200, "true")
        assert (customer.balance.spent, second.content) == (PRICE, first.content)
