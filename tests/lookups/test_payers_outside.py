"""Who pays for a lookup, and when.

A payer outside our ledger once there is an answer and before anything of it is kept, an account by what was held for
it; and what becomes of a lookup whose caller is lost or comes again.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import ledger
from billing.challenge import PaymentProblem
from billing.models import Hold, LedgerEntry, Payment
from billing.payments import checkout
from jurisdictions.models import Jurisdiction
from lookups.lookup import flow, rows, settlement, single_flight
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Ended, Result, TooManyAtOnce
from lookups.lookup.payers import FREE, Bill, CredentialPayer, KeyPayer, Paid
from lookups.models import Lookup
from scrapers.failures import PortalDisabled
from scrapers.gateway import NameReply
from scrapers.models import ScrapeAttempt
from scrapers.records import Evidence, NameVerdict, Rule
from tests.lookups import test_settlement_rules as rules
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register
from tests.lookups.test_questions_taken_up import taken

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


class Outside(CredentialPayer):
    """One whose money moves somewhere else; `moved` is what was asked of it, and for how much."""

    def __init__(self, payment: Payment) -> None:
        super().__init__(checkout.Purchase("lookup", PRICE, "POST /v1/lookup", b"{}"), "Payment claimed-before")
        self.payment, self.sandbox = payment, False
        self.moved: list[tuple[str, int]] = []

    def collect(self, bill: Bill, *, now: datetime) -> None:
        """See Payer."""
        self.moved.append(("collect", bill.price))

    def capture(self, bill: Bill, hold: Hold | None, *, now: datetime, is_locked: bool = False) -> Paid:
        """See Payer."""
        self.moved.append(("deliver", bill.price))
        return FREE

    def claim(self, *, now: datetime) -> None:
        """See Payer. It was claimed before."""

    def unclaim(self) -> None:
        self.moved.append(("unclaim", 0))

    def abandon(self, *, reason: str, now: datetime) -> None:
        """See Payer."""
        self.moved.append((reason, 0))


@pytest.fixture
def payer() -> Outside:
    return Outside(rules.payment())


@pytest.fixture
def stopwatch() -> Stopwatch:
    return Stopwatch(timezone.now())


def may_have_moved(payer: Outside) -> None:
    """Its payment was sent on before, and nobody knows what came of it."""
    assert payer.payment is not None
    Payment.objects.filter(pk=payer.payment.pk).update(state=Payment.State.UNKNOWN)
    payer.payment.refresh_from_db()


def verdict(now: datetime) -> NameReply:
    """That the name is free."""
    rule = Rule("Nothing but capitals.", "Statute 1", "rule")
    free = NameVerdict("free", (), "ACME", None, None, "Active entities only.", "None.", rule, rule)
    evidence = Evidence("https://registry.example/search", now)
    return NameReply(verdict=free, evidence=evidence, reading=rules.read_then(now))


@pytest.mark.usefixtures("switches")
class TestAVerdictOnAName:
    def test_is_paid_for_first(self, payer: Outside, stopwatch: Stopwatch) -> None:
        asked = Ask(question=rules.NAME, payer=payer)
        row = rules.accepted(asked, stopwatch)
        reply = verdict(stopwatch.now)
        assert settlement.settle_reply(asked, row, rules.lead(asked), reply, stopwatch=stopwatch).verdict == "free"
        assert payer.moved == [("collect", PRICE), ("deliver", PRICE)]

    def test_costs_its_price_where_only_a_record_may_cost_less(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = rules.ask(customer, question=rules.NAME, find_price=lambda found, price: 0)
        row = rules.accepted(asked, stopwatch)
        reply = verdict(stopwatch.now)
        assert settlement.settle_reply(asked, row, rules.lead(asked), reply, stopwatch=stopwatch).cost == PRICE

    def test_that_was_paid_is_delivered_where_the_state_is_switched_off_meanwhile(
        self, payer: Outside, stopwatch: Stopwatch, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def collect(bill: Bill, *, now: datetime) -> None:
            Jurisdiction.objects.filter(pk="NY").update(enabled=False, status="inactive")

        monkeypatch.setattr(payer, "collect", collect)
        asked = Ask(question=rules.NAME, payer=payer)
        row = rules.accepted(asked, stopwatch)
        reply = verdict(stopwatch.now)
        assert settlement.settle_reply(asked, row, rules.lead(asked), reply, stopwatch=stopwatch).verdict == "free"


class TestAnAnswerThatSomebodyElseFetched:
    def share(self, payer: Outside, stopwatch: Stopwatch, result: single_flight.Result) -> Lookup:
        asked = Ask(question=rules.NAME if result["kind"] == "check" else rules.ACME, payer=payer)
        return settlement.share(asked, rules.accepted(asked, stopwatch), result, stopwatch=stopwatch)

    def test_is_paid_for_first(
        self, payer: Outside, customer: Customer, register: Register, stopwatch: Stopwatch
    ) -> None:
        answer = rules.stored(customer, register)
        result = {"kind": "answer", "id": answer.pk, "reading_id": answer.reading_id}
        assert self.share(payer, stopwatch, result).verdict == "found"
        assert payer.moved == [("collect", PRICE), ("deliver", PRICE)]

    def test_on_a_name_is_paid_for_first(self, payer: Outside, stopwatch: Stopwatch) -> None:
        check = {"verdict": "free", "evidence": {**rules.PROOF, "fromRegister": False}}
        assert self.share(payer, stopwatch, {"kind": "check", "check": check}).verdict == "free"
        assert payer.moved == [("collect", PRICE), ("deliver", PRICE)]

    def test_that_there_is_none_moves_nothing(self, payer: Outside, stopwatch: Stopwatch) -> None:
        result = {"kind": "not_found", "suggestions": [], "ambiguous": False, "note": "", "evidence": None}
        assert self.share(payer, stopwatch, result).verdict == "not_found"
        assert payer.moved == []


class TestAStoredAnswer:
    def test_is_paid_for_first_at_its_own_price(
        self, payer: Outside, customer: Customer, register: Register, stopwatch: Stopwatch
    ) -> None:
        answer = rules.stored(customer, register)
        asked = Ask(question=rules.ACME, payer=payer, stored_price=PRICE - 1)
        row = settlement.sell_stored(asked, rules.drafted(asked, stopwatch), answer, stopwatch=stopwatch)
        assert (row.verdict, row.price) == ("found", PRICE - 1)
        assert payer.moved == [("collect", PRICE - 1), ("deliver", PRICE - 1)]


@pytest.mark.django_db(transaction=True)
class TestAStoredAnswerInATransactionOfItsOwn:
    """Outside of one, nothing can be locked."""

    def test_is_sold_at_its_price(self, customer: Customer, register: Register, stopwatch: Stopwatch) -> None:
        answer = rules.stored(customer, register)
        asked = Ask(question=rules.ACME, payer=KeyPayer(customer.key), stored_price=100)
        row = settlement.sell_stored(asked, rules.drafted(asked, stopwatch), answer, stopwatch=stopwatch)
        assert (row.verdict, row.cost, customer.balance.spent) == ("found", 100, PRICE + 100)

    def test_ends_what_was_held_for_a_live_one(
        self, customer: Customer, register: Register, stopwatch: Stopwatch
    ) -> None:
        answer = rules.stored(customer, register)
        asked = rules.ask(customer)
        row = settlement.sell_stored(asked, rules.accepted(asked, stopwatch), answer, stopwatch=stopwatch)
        assert (row.verdict, row.cost, customer.balance.held, customer.balance.spent) == ("found", 0, 0, PRICE)


@pytest.mark.usefixtures("switches", "register")
class TestARequestThatBringsItsPayment:
    """From its claim to its end: what is not delivered is left with the payer, unless it has moved."""

    def perform(self, payer: Outside) -> Result:
        return flow.perform(ask=Ask(question=rules.ACME, payer=payer), now=timezone.now())

    def break_down(self, payer: Outside, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
        def collect(bill: Bill, *, now: datetime) -> None:
            raise error

        monkeypatch.setattr(payer, "collect", collect)

    def test_is_answered_however_impatient_it_is_for_it_cannot_become_a_job(self, payer: Outside) -> None:
        impatient = Ask(question=rules.ACME, payer=payer, patience=timedelta(seconds=1))
        assert isinstance(flow.perform(ask=impatient, now=timezone.now()), Ended)

    def test_is_answered(self, payer: Outside) -> None:
        result = self.perform(payer)
        assert isinstance(result, Ended)
        assert payer.moved == [("collect", PRICE), ("deliver", PRICE), ("found", 0)]

    def test_and_is_not_answered_now_leaves_it_with_the_payer(
        self, payer: Outside, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(payer, "place", taken)
        assert self.perform(payer) == TooManyAtOnce(limit=0)
        assert payer.moved == [("unclaim", 0)]

    def test_and_breaks_down_leaves_it_with_the_payer(self, payer: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
        self.break_down(payer, ZeroDivisionError("broken"), monkeypatch)
        with pytest.raises(ZeroDivisionError, match="broken"):
            self.perform(payer)
        assert payer.moved == [("internal_error", 0)]

    def test_and_breaks_down_once_it_is_paid_says_that_it_is_owed(
        self, payer: Outside, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        may_have_moved(payer)
        self.break_down(payer, ZeroDivisionError("broken"), monkeypatch)
        with pytest.raises(PaymentProblem, match="could not be delivered yet") as problem:
            self.perform(payer)
        assert problem.value.word == "internal-payment-error"

    def test_and_is_broken_off_by_the_operator_is_just_that(
        self, payer: Outside, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        may_have_moved(payer)
        self.break_down(payer, KeyboardInterrupt(), monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            self.perform(payer)

    def test_that_may_have_moved_gets_the_answer_of_its_own_lookup(self, payer: Outside, stopwatch: Stopwatch) -> None:
        owed = rules.accepted(Ask(question=rules.ACME, payer=payer), stopwatch)
        later = Outside(rules.payment(challenge_id="later", proof_hash="later"))
        rules.accepted(Ask(question=rules.ACME, payer=later), stopwatch)
        may_have_moved(payer)
        result = self.perform(payer)
        assert isinstance(result, Ended)
        assert (result.lookup.pk, result.lookup.verdict) == (owed.pk, "found")
        assert ScrapeAttempt.objects.get().asked_by == owed.ask_id

    def test_that_may_have_moved_is_owed_its_answer_while_the_state_is_switched_off(
        self, payer: Outside, register: Register, stopwatch: Stopwatch
    ) -> None:
        rules.accepted(Ask(question=rules.ACME, payer=payer), stopwatch)
        may_have_moved(payer)
        Jurisdiction.objects.filter(pk="NY").update(enabled=False, status="inactive")
        with pytest.raises(PaymentProblem, match="could not be delivered yet") as problem:
            self.perform(payer)
        assert (problem.value.word, register.asked) == ("internal-payment-error", 0)
        assert Lookup.objects.get().verdict is None

    def test_whose_payment_is_at_fault_says_so(self, payer: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
        may_have_moved(payer)
        self.break_down(payer, PaymentProblem("payment-in-progress", "Wait."), monkeypatch)
        with pytest.raises(PaymentProblem, match="Wait"):
            self.perform(payer)

    def test_that_is_free_is_delivered_without_a_payment(self, payer: Outside, stopwatch: Stopwatch) -> None:
        asked = Ask(question=rules.ACME, payer=payer)
        assert payer.charge(replace(asked.bill, price=0), now=stopwatch.now) == FREE
        assert payer.moved == []


class TestWhatAKeyPays:
    """From its account: what is written down, and what the answer says is left."""

    @pytest.fixture
    def bill(self) -> Bill:
        return Bill(uuid.uuid4(), PRICE, "NY Acme Corp", "r-1")

    def hold(self, customer: Customer, bill: Bill) -> Hold:
        hold = KeyPayer(customer.key).hold(bill, now=timezone.now())
        assert hold is not None
        return hold

    def written(self, kind: str) -> tuple[int, str, str, str]:
        entry = LedgerEntry.objects.get(kind=kind)
        return entry.amount, entry.reference, entry.request_id, entry.idempotency_key

    def test_less_than_was_held_gives_the_rest_back(self, customer: Customer, bill: Bill) -> None:
        hold = self.hold(customer, bill)
        paid = KeyPayer(customer.key).capture(replace(bill, price=100), hold, now=timezone.now())
        assert paid == Paid(100, rules.FREE_GRANT - 100)
        assert self.written("capture") == (100, "NY Acme Corp", "r-1", f"lookup:{bill.ask_id}:taken")
        assert self.written("release")[::2] == (PRICE - 100, "r-1")

    def test_nothing_of_what_was_held_gives_all_of_it_back(self, customer: Customer, bill: Bill) -> None:
        hold = self.hold(customer, bill)
        paid = KeyPayer(customer.key).capture(replace(bill, price=0), hold, now=timezone.now())
        assert paid == Paid(0, rules.FREE_GRANT)
        assert not LedgerEntry.objects.filter(kind="capture").exists()

    @pytest.mark.parametrize("price", [PRICE, 100])
    def test_leaves_nothing_and_no_less_where_the_account_owes(
        self, customer: Customer, bill: Bill, price: int
    ) -> None:
        hold = self.hold(customer, bill)
        taken = {"amount": -2 * rules.FREE_GRANT, "idempotency_key": "v", "source": "card", "reason": "refunded"}
        ledger.reverse(account_id=customer.account.pk, reference="pi_1", now=timezone.now(), **taken)
        assert KeyPayer(customer.key).capture(replace(bill, price=price), hold, now=timezone.now()) == Paid(price, 0)

    def test_at_once_says_of_which_request_and_what_is_left(self, customer: Customer, bill: Bill) -> None:
        assert KeyPayer(customer.key).charge(bill, now=timezone.now()) == Paid(PRICE, rules.FREE_GRANT - PRICE)
        assert self.written("charge") == (PRICE, "NY Acme Corp", "r-1", f"lookup:{bill.ask_id}:charge")

    def test_to_the_last_unit_leaves_nothing(self, customer: Customer, bill: Bill) -> None:
        rules.spend_all(customer, but=PRICE)
        assert KeyPayer(customer.key).charge(bill, now=timezone.now()) == Paid(PRICE, 0)
        free = replace(bill, ask_id=uuid.uuid4(), price=0)
        assert KeyPayer(customer.key).charge(free, now=timezone.now()) == Paid(0, 0)

    def test_of_a_part_of_a_larger_hold_comes_back_under_its_own_name(self, customer: Customer, bill: Bill) -> None:
        hold = self.hold(customer, replace(bill, price=2 * PRICE))
        part = replace(bill, shares_hold=True)
        KeyPayer(customer.key).release(part, hold, reason="not_found", now=timezone.now())
        assert self.written("release")[::3] == (PRICE, f"lookup:{bill.ask_id}:back")


class TestAStateThatIsSwitchedOff:
    def test_says_why_in_the_operators_words(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = rules.ask(customer)
        row, error = rules.accepted(asked, stopwatch), PortalDisabled("Closed until Monday.")
        ended = settlement.settle_failure(asked, row, rules.lead(asked), error, stopwatch=stopwatch)
        assert (ended.verdict, ended.reason, ended.note) == ("unavailable", "disabled", "Closed until Monday.")


class TestALookupWhoseCallerIsLost:
    def lost(self, asked: Ask, now: datetime) -> Lookup:
        row = rows.draft(asked, now=now - HOUR)
        rows.accept(asked, row, now=now, hold_for=HOUR)
        return row

    def test_and_who_paid_outside_is_ended(self, payer: Outside) -> None:
        now = timezone.now()
        row = self.lost(Ask(question=rules.ACME, payer=payer), now)
        assert settlement.end_unattended(before=now, now=now) == 1
        row.refresh_from_db()
        assert (row.verdict, row.reason, payer.moved) == ("failed", "internal_error", [])

    def test_is_left_alone_where_it_comes_to_its_end_meanwhile(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now, release = timezone.now(), KeyPayer.release
        first, second = (self.lost(rules.ask(customer), now) for _ in range(2))

        def release_and_be_overtaken(self: KeyPayer, *about: Any, **named: Any) -> None:
            Lookup.objects.open().exclude(ask_id=about[0].ask_id).update(verdict="cancelled", ended_at=now)
            release(self, *about, **named)

        monkeypatch.setattr(KeyPayer, "release", release_and_be_overtaken)
        assert settlement.end_unattended(before=now, now=now) == 1
        assert {Lookup.objects.get(pk=row.pk).verdict for row in (first, second)} == {"failed", "cancelled"}


class TestAQuestionTakenUpAgain:
    def test_of_a_test_key_is_written_once(self, tester: Customer, stopwatch: Stopwatch) -> None:
        asked = rules.ask(tester)
        row = rules.accepted(asked, stopwatch)
        rows.accept(asked, row, now=stopwatch.now, hold_for=HOUR)
        assert Lookup.objects.get() == row

    def test_whose_hold_has_expired_holds_anew_for_as_long_as_is_asked(
        self, customer: Customer, stopwatch: Stopwatch
    ) -> None:
        asked = rules.ask(customer)
        row, later = rules.accepted(asked, stopwatch), stopwatch.begun + 2 * HOUR
        other = rules.accepted(rules.ask(customer), stopwatch)
        ledger.expire_holds(now=later)
        rows.accept(asked, row, now=later, hold_for=3 * HOUR)
        assert row.hold is not None
        assert (row.hold.state, row.hold.expires_at) == ("open", later + 3 * HOUR)
        assert (customer.balance.held, Lookup.objects.get(pk=other.pk).hold) == (PRICE, other.hold)
