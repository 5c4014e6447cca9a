"""How a lookup ends, outcome by outcome: what is paid, what is kept of it, and what a caller gets who came too late."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import ledger
from billing.models import Hold, Payment
from billing.payments import checkout
from lookups.jobs import lifecycle
from lookups.lookup import flow, settlement, single_flight
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Accepted, Delivered, Judged, NothingFound, Outcome, OutOfFunds, Refused, Unavailable
from lookups.lookup.payers import CredentialPayer, KeyPayer, Paid
from lookups.lookup.questions import Question
from lookups.models import Job, Lookup, SharedFetch, StoredAnswer
from lookups.names.check import COPY_KEPT
from scrapers.failures import Failure, PageChanged, PortalBlocked, PortalUnavailable
from scrapers.gateway import NameReply, Reply
from scrapers.records import Evidence, NameVerdict, NotFound, Suggestion
from scrapers.refusals import QueryRefused, Refusal
from scrapers.sandbox.magic import DEMO_QUESTION
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.registry_server import Register
from tests.lookups.test_answers_from_a_copy import virginia  # noqa: F401  (used by pytest)

pytestmark = pytest.mark.django_db
ACME, BY_ID = Question(state="NY", name="Acme Corp"), Question(state="NY", entity_id="100001")
FOUND, ABSENT = Lookup.Outcome.FOUND, Lookup.Outcome.NOT_FOUND
LOST = Unavailable("NY", "timeout")
TOO_SHORT = "The name needs letters or digits."
FREE = 10 * PRICE


@pytest.fixture
def now() -> Any:
    return timezone.now()


@pytest.fixture
def stopwatch(now: Any) -> Stopwatch:
    """Started two and a half seconds ago."""
    made = Stopwatch(now - timedelta(seconds=2.5))
    made._started -= 2.5
    return made


def ask(customer: Customer, **more: Any) -> Ask:
    return Ask(**{"question": ACME, "payer": KeyPayer(customer.key), "request_id": "r-1", **more})


def hold(asked: Ask) -> Hold:
    made = asked.payer.hold(asked.bill, now=timezone.now())
    assert made is not None
    return made


def lead(asked: Ask) -> single_flight.Ticket:
    """The leave to ask the registry; no attempt has number 77 but this one."""
    made = single_flight.join(question=asked.question, sandbox=asked.sandbox, budget_seconds=20, now=timezone.now())
    return single_flight.Ticket(made.fetch_id, made.leader, attempt_id=77)


def stored(customer: Customer, register: Register) -> StoredAnswer:
    """An answer that was read before; its price was paid then."""
    assert customer.lookup().status_code == 200
    answer = StoredAnswer.objects.select_related("entity").get(asked="Acme Corp", match__kind="exact")
    Lookup.objects.all().delete()
    return answer


def absent(now: Any, **more: Any) -> Reply:
    near = Suggestion("ACME HOLDING", "7", "Active", 0.8)
    answer = NotFound(evidence=Evidence("https://registry.example/search", now, "a" * 64), suggestions=(near,), **more)
    return Reply(answer=answer, normalized=None, version="1", built_at="2026", note="Active only.", attempt_id=77)


def paying_by(payment: Payment) -> CredentialPayer:
    """Who sent this payment with the request; it was claimed before."""
    payer = CredentialPayer(checkout.Purchase("lookup", PRICE, "POST /v1/lookup", b"{}"), "Payment claimed-before")
    payer.payment, payer.sandbox = payment, payment.is_sandbox
    return payer


def job_of(asked: Ask, **more: Any) -> Job:
    row = lifecycle.adopt(asked, None, estimated_seconds=9, runs=True, now=timezone.now())
    Job.objects.filter(pk=row.pk).update(**more)
    return row


def kept() -> dict[str, Any]:
    """The one row of the one lookup; its time is measured and looked at apart."""
    row: dict[str, Any] = Lookup.objects.values().get()
    del row["id"]
    return row


def row_of(of: Ask, stopwatch: Stopwatch, **more: Any) -> dict[str, Any]:
    """What is kept of every lookup, with what is particular to this one."""
    assert of.account is not None
    assert of.payer.key is not None
    row = {
        "ask_id": of.ask_id,
        "account_id": of.account.pk,
        "payment_id": None,
        "key_id": of.payer.key.pk,
        "hold_id": None,
        "answer_id": None,
        "state": "NY",
        "kind": "business_entity",
        "asked": "Acme Corp",
        "sandbox": False,
        "source": "live",
        "outcome": "found",
        "reason": "",
        "shared": False,
        "cost": 0,
        "attempt_id": None,
        "request_id": "r-1",
        "created_at": stopwatch.begun,
    }
    return {**row, **more}


def assert_kept(expected: dict[str, Any]) -> None:
    row = kept()
    assert 2500 <= row.pop("duration_ms") < 60_000
    assert row == expected


class TestAnAnswerOfTheRegistry:
    def test_that_there_is_no_such_company_gives_the_money_back(
        self, customer: Customer, stopwatch: Stopwatch, now: Any
    ) -> None:
        asked = ask(customer)
        held, ticket = hold(asked), lead(asked)
        outcome = settlement.settle_reply(asked, held, ticket, absent(now), stopwatch=stopwatch)
        assert isinstance(outcome, NothingFound)
        assert (outcome.suggestions[0]["entityId"], outcome.ambiguous, outcome.note) == ("7", False, "Active only.")
        assert outcome.evidence is not None
        assert outcome.evidence["sourceUrl"] == "https://registry.example/search"
        assert_kept(row_of(asked, stopwatch, outcome="not_found", hold_id=held.pk, attempt_id=77))
        held.refresh_from_db()
        assert (held.state, customer.balance.available) == ("released", FREE)
        assert held.entries.get(kind="release").reason == "not_found"
        fetch = SharedFetch.objects.get()
        assert fetch.result == {
            "kind": "not_found",
            "suggestions": outcome.suggestions,
            "ambiguous": False,
            "note": "Active only.",
            "evidence": outcome.evidence,
            "attempt_id": 77,
        }
        assert fetch.ended_at is not None

    def test_that_several_fit_is_kept_as_ambiguous(self, customer: Customer, stopwatch: Stopwatch, now: Any) -> None:
        asked = ask(customer)
        outcome = settlement.settle_reply(asked, None, lead(asked), absent(now, ambiguous=True), stopwatch=stopwatch)
        assert isinstance(outcome, NothingFound)
        assert outcome.ambiguous is True
        assert_kept(row_of(asked, stopwatch, outcome="not_found", reason="ambiguous", attempt_id=77))
        assert settlement.find_outcome(asked) == NothingFound(ambiguous=True)

    def test_is_kept_with_what_it_cost(self, customer: Customer, register: Register) -> None:
        begun = timezone.now()
        assert customer.lookup(headers={"x_request_id": "mine-1"}).status_code == 200
        row = Lookup.objects.get()
        assert row.hold is not None
        assert row.answer is not None
        assert (row.account, row.key, row.hold.state, row.answer.asked) == (
            customer.account,
            customer.key,
            "captured",
            "Acme Corp",
        )
        assert (row.source, row.outcome, row.cost, row.shared, row.reason) == ("live", "found", PRICE, False, "")
        assert row.attempt_id is not None
        assert begun <= row.created_at <= timezone.now()
        assert row.hold.entries.get(kind="capture").reference == "NY Acme Corp"
        result = SharedFetch.objects.get().result
        assert result == {"kind": "answer", "id": row.answer.pk, "attempt_id": row.attempt_id}

    def test_of_the_sandbox_is_kept_as_such_and_free(self, tester: Customer) -> None:
        assert tester.post("/v1/lookup", DEMO_QUESTION).status_code == 200
        row = Lookup.objects.get()
        assert (row.sandbox, row.cost, row.hold, row.account) == (True, 0, None, tester.account)
        assert row.state == DEMO_QUESTION["state"]


class TestARegistryThatDoesNotAnswer:
    @pytest.mark.parametrize(
        ("error", "reason", "retryable", "retry_after"),
        [
            (PortalUnavailable("503"), "down", True, None),
            (PortalUnavailable("slow", reason=Failure.TIMEOUT, retry_after=7.0), "timeout", True, 7.0),
            (PortalBlocked("a wall", retry_after=90.0), "blocked", True, 90.0),
            (PageChanged("no such label"), "layout_changed", False, None),
        ],
    )
    def test_costs_nothing_and_is_named(
        self,
        customer: Customer,
        stopwatch: Stopwatch,
        error: Any,
        reason: str,
        retryable: bool,
        retry_after: float | None,
    ) -> None:
        asked = ask(customer)
        held = hold(asked)
        outcome = settlement.settle_failure(asked, held, lead(asked), error, stopwatch=stopwatch)
        assert outcome == Unavailable("NY", reason, retryable, retry_after)
        result = {"kind": "unavailable", "reason": reason, "retryable": retryable, "retry_after": retry_after}
        assert SharedFetch.objects.get().result == {**result, "note": None, "attempt_id": 77}
        assert_kept(
            row_of(asked, stopwatch, outcome="source_unavailable", reason=reason, hold_id=held.pk, attempt_id=77)
        )
        assert (customer.balance.available, customer.balance.held) == (FREE, 0)
        assert held.entries.get(kind="release").reason == "source_unavailable"
        assert settlement.find_outcome(asked) == Unavailable("NY", reason)

    @pytest.mark.parametrize(("question", "field"), [(ACME, "entity_name"), (BY_ID, "entity_id")])
    def test_but_refuses_the_question_says_which_part_of_it(
        self, customer: Customer, stopwatch: Stopwatch, question: Question, field: str
    ) -> None:
        asked = ask(customer, question=question)
        tried: list[Unavailable] = []

        def try_again(failure: Unavailable) -> bool:
            tried.append(failure)
            return True

        outcome = settlement.settle_failure(
            asked, None, lead(asked), QueryRefused(Refusal.NO_LETTERS), stopwatch=stopwatch, try_again=try_again
        )
        assert (outcome, tried) == (Refused(field, TOO_SHORT), [])
        assert SharedFetch.objects.get().result == {"kind": "refused", "text": TOO_SHORT, "attempt_id": 77}
        expected = row_of(asked, stopwatch, outcome="refused", asked=question.words, attempt_id=77)
        assert_kept(expected)
        assert settlement.find_outcome(asked) == Refused(field, "The registry refused this question.")

    def test_and_is_tried_again_keeps_the_lookup_open_with_its_money(
        self, customer: Customer, stopwatch: Stopwatch
    ) -> None:
        asked = ask(customer)
        failures: list[Unavailable] = []

        def again(failure: Unavailable) -> bool:
            failures.append(failure)
            return len(failures) == 1

        held = hold(asked)
        outcome = settlement.settle_failure(
            asked, held, lead(asked), PortalUnavailable("503"), stopwatch=stopwatch, try_again=again
        )
        assert (outcome, failures) == (Unavailable("NY", "down"), [outcome])
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 0)
        assert SharedFetch.objects.get().ended_at is not None
        last = settlement.settle_failure(
            asked, held, lead(asked), PortalUnavailable("503"), stopwatch=stopwatch, try_again=again
        )
        assert (last, customer.balance.held, Lookup.objects.count()) == (Unavailable("NY", "down"), 0, 1)


class TestAnAnswerThatSomebodyElseFetched:
    def test_is_sold_and_marked_as_shared(self, customer: Customer, register: Register, stopwatch: Stopwatch) -> None:
        answer = stored(customer, register)
        other = open_customer(name="Other")
        asked = ask(other)
        held = hold(asked)
        outcome = settlement.share(
            asked, held, {"kind": "answer", "id": answer.pk, "attempt_id": 78}, stopwatch=stopwatch
        )
        assert outcome == Delivered(answer, live=True, cost=PRICE, balance=FREE - PRICE)
        assert_kept(
            row_of(asked, stopwatch, answer_id=answer.pk, shared=True, cost=PRICE, hold_id=held.pk, attempt_id=78)
        )

    def test_that_there_is_none_is_passed_on_and_marked_as_shared(
        self, customer: Customer, stopwatch: Stopwatch
    ) -> None:
        asked = ask(customer)
        result = {
            "kind": "not_found",
            "suggestions": [{"entityId": "7"}],
            "ambiguous": True,
            "note": "N",
            "evidence": {},
        }
        outcome = settlement.share(asked, hold(asked), {**result, "attempt_id": 78}, stopwatch=stopwatch)
        assert outcome == NothingFound([{"entityId": "7"}], True, "N", {})
        row = kept()
        assert (row["shared"], row["attempt_id"], row["reason"], row["outcome"]) == (True, 78, "ambiguous", "not_found")

    def test_that_takes_too_long_is_a_timeout(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        assert settlement.share(asked, hold(asked), None, stopwatch=stopwatch) == Unavailable("NY", "timeout")
        row = kept()
        assert (row["shared"], row["attempt_id"], row["reason"]) == (True, None, "timeout")
        assert customer.balance.held == 0

    def test_that_failed_may_be_tried_again(self, customer: Customer, stopwatch: Stopwatch) -> None:
        result = {"kind": "unavailable", "reason": "down", "retryable": True, "retry_after": 3.0}
        asked = ask(customer)
        held = hold(asked)
        failed = Unavailable("NY", "down", True, 3.0)
        assert (
            settlement.share(asked, held, result, stopwatch=stopwatch, try_again=lambda failure: failure == failed)
            == failed
        )
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 0)
        assert settlement.share(asked, held, result, stopwatch=stopwatch) == failed
        assert (customer.balance.held, Lookup.objects.count()) == (0, 1)

    def test_that_was_refused_is_not_tried_again(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        outcome = settlement.share(
            asked, None, {"kind": "refused", "text": "No."}, stopwatch=stopwatch, try_again=lambda _: True
        )
        assert (outcome, Lookup.objects.count()) == (Refused("entity_name", "No."), 1)

    def test_that_broke_down_is_an_error_here_too(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        with pytest.raises(single_flight.FetchLost):
            settlement.share(asked, hold(asked), settlement.CRASHED, stopwatch=stopwatch)
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 0)


class TestAVerdictOnAName:
    """Sold whichever it is, and never stored."""

    NAME = Question(state="NY", name="Acme Corp", kind="name_check")

    def reply(self, now: Any) -> NameReply:
        verdict = NameVerdict("free", (), "ACME", None, None, "Active entities only.", "None.")
        evidence = Evidence("https://registry.example/search", now, "a" * 64)
        return NameReply(verdict=verdict, evidence=evidence, version="1", attempt_id=77)

    def test_is_sold_and_shared_with_those_who_wait(self, customer: Customer, stopwatch: Stopwatch, now: Any) -> None:
        asked = ask(customer, question=self.NAME)
        held = hold(asked)
        outcome = settlement.settle_reply(asked, held, lead(asked), self.reply(now), stopwatch=stopwatch)
        assert isinstance(outcome, Judged)
        assert (outcome.verdict["available"], outcome.verdict["searchedName"]) == (True, "Acme Corp")
        assert (outcome.cost, outcome.balance) == (PRICE, FREE - PRICE)
        assert_kept(row_of(asked, stopwatch, kind="name_check", hold_id=held.pk, cost=PRICE, attempt_id=77))
        fetch = SharedFetch.objects.get()
        assert fetch.result == {"kind": "verdict", "verdict": outcome.verdict, "attempt_id": 77}
        other = ask(open_customer(name="Other"), question=self.NAME)
        Lookup.objects.all().delete()
        theirs = hold(other)
        shared = settlement.share(other, theirs, fetch.result, stopwatch=stopwatch)
        assert shared == Judged(outcome.verdict, cost=PRICE, balance=FREE - PRICE)
        expected = row_of(other, stopwatch, kind="name_check", hold_id=theirs.pk, cost=PRICE, attempt_id=77)
        assert_kept({**expected, "shared": True})

    def test_from_a_copy_is_kept_as_one(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer, question=replace(self.NAME, from_copy=True))
        settlement.share(asked, hold(asked), {"kind": "verdict", "verdict": {}}, stopwatch=stopwatch)
        assert kept()["source"] == "cache"

    def test_whose_reply_was_lost_is_made_anew_for_what_was_paid(
        self, customer: Customer, stopwatch: Stopwatch, now: Any
    ) -> None:
        asked = ask(customer, question=self.NAME)
        settlement.share(asked, hold(asked), {"kind": "verdict", "verdict": {}}, stopwatch=stopwatch)
        row = settlement.find_settled(asked)
        assert row is not None
        customer.account.refresh_from_db()
        paid = settlement.find_paid_verdict(ask(customer, question=self.NAME), row)
        assert paid == Paid(PRICE, FREE - PRICE)
        again = replace(asked, paid=paid)
        outcome = settlement.settle_reply(again, None, lead(again), self.reply(now), stopwatch=stopwatch)
        assert isinstance(outcome, Judged)
        assert (outcome.cost, outcome.balance) == (PRICE, FREE - PRICE)
        assert (customer.balance.spent, Lookup.objects.count()) == (PRICE, 1)

    def test_is_all_that_is_made_anew(self, customer: Customer, stopwatch: Stopwatch, now: Any) -> None:
        asked = ask(customer, question=self.NAME)
        settlement.share(asked, hold(asked), {"kind": "verdict", "verdict": {}}, stopwatch=stopwatch)
        row = settlement.find_settled(asked)
        assert row is not None
        assert settlement.find_paid_verdict(ask(customer), row) is None
        row.outcome = Lookup.Outcome.NOT_FOUND
        assert settlement.find_paid_verdict(asked, row) is None
        row.outcome = Lookup.Outcome.FOUND
        payment = Payment.objects.create(
            challenge_id="c", proof_hash="p", method="m", purpose="lookup", amount=PRICE, created_at=now
        )
        by_request = Ask(question=self.NAME, payer=paying_by(payment), ask_id=row.ask_id)
        assert settlement.find_paid_verdict(by_request, row) == Paid(PRICE, None)

    def test_taken_up_again_asks_the_registry_and_charges_nothing(self, customer: Customer, register: Register) -> None:
        asked = ask(customer, question=self.NAME)
        first = flow.perform(ask=asked, now=timezone.now())
        seen = register.asked
        again = flow.perform(ask=replace(asked, resumed=True), now=timezone.now())
        assert isinstance(first, Judged)
        assert isinstance(again, Judged)
        assert (again.verdict["conflictingEntities"], again.cost) == (first.verdict["conflictingEntities"], PRICE)
        assert (register.asked > seen, customer.balance.spent, Lookup.objects.count()) == (True, PRICE, 1)
        assert customer.balance.held == 0

    @pytest.mark.usefixtures("virginia")
    @pytest.mark.parametrize("failed", ["live", "shared", "late", "refused"])
    def test_may_be_found_in_a_copy_where_the_registry_gives_none(
        self, customer: Customer, stopwatch: Stopwatch, failed: str
    ) -> None:
        asked = ask(customer, question=replace(self.NAME, state="VA"))
        outcome: Any
        if failed == "late":
            outcome = settlement.share(asked, hold(asked), None, stopwatch=stopwatch)
        elif failed == "refused":
            error: Any = QueryRefused(Refusal.NO_LETTERS)
            outcome = settlement.settle_failure(asked, hold(asked), lead(asked), error, stopwatch=stopwatch)
            assert outcome == Refused("entity_name", f"{TOO_SHORT} {COPY_KEPT}")
            return
        else:
            error = PortalUnavailable("503")
            outcome = settlement.settle_failure(asked, hold(asked), lead(asked), error, stopwatch=stopwatch)
            if failed == "shared":
                Lookup.objects.all().delete()
                result = SharedFetch.objects.get().result
                assert result is not None
                outcome = settlement.share(asked, hold(asked), result, stopwatch=stopwatch)
        assert isinstance(outcome, Unavailable)
        assert (outcome.state, outcome.note) == ("VA", COPY_KEPT)


class TestAStoredAnswer:
    def test_is_sold_from_the_balance(self, customer: Customer, register: Register, stopwatch: Stopwatch) -> None:
        answer = stored(customer, register)
        other = open_customer(name="Other")
        asked = ask(other)
        outcome = settlement.sell_stored(asked, answer, stopwatch=stopwatch)
        expires = answer.retrieved_at + timedelta(days=7)
        assert outcome == Delivered(answer, live=False, cost=PRICE, balance=FREE - PRICE, expires_at=expires)
        assert_kept(row_of(asked, stopwatch, source="cache", answer_id=answer.pk, cost=PRICE))

    def test_is_sold_from_what_was_held(self, customer: Customer, register: Register, stopwatch: Stopwatch) -> None:
        answer = stored(customer, register)
        asked = ask(open_customer(name="Other"))
        held = hold(asked)
        settlement.sell_stored(asked, answer, stopwatch=stopwatch, hold=held)
        held.refresh_from_db()
        assert (held.state, kept()["hold_id"], kept()["cost"]) == ("captured", held.pk, PRICE)

    def test_is_sold_for_the_job_of_whoever_claimed_it(
        self, customer: Customer, register: Register, stopwatch: Stopwatch
    ) -> None:
        answer = stored(customer, register)
        asked = ask(open_customer(name="Other"), claim=uuid.uuid4())
        job_of(asked, claim=asked.claim)
        held = hold(asked)
        assert isinstance(settlement.sell_stored(asked, answer, stopwatch=stopwatch, hold=held), Delivered)
        assert kept()["cost"] == PRICE

    def test_without_money_is_not_sold(self, customer: Customer, register: Register, stopwatch: Stopwatch) -> None:
        answer = stored(customer, register)
        other = open_customer(name="Other")
        other.key.monthly_budget = PRICE - 1
        other.key.save()
        outcome = settlement.sell_stored(ask(other), answer, stopwatch=stopwatch)
        assert (outcome, Lookup.objects.count()) == (OutOfFunds(PRICE - 1, PRICE, by_budget=True), 0)

    def test_costs_more_than_the_balance_says_so(
        self, customer: Customer, register: Register, stopwatch: Stopwatch
    ) -> None:
        answer = stored(customer, register)
        asked = ask(open_customer(name="Other", mode="live"))
        assert asked.account is not None
        ledger.charge(
            account_id=asked.account.pk, amount=FREE - 1, idempotency_key="x", reference="", now=timezone.now()
        )
        assert settlement.sell_stored(asked, answer, stopwatch=stopwatch) == OutOfFunds(1, PRICE, by_budget=False)

    @pytest.mark.parametrize("charged_to", ["hold", "balance"])
    def test_is_not_sold_for_a_job_that_is_somebody_elses(
        self, customer: Customer, register: Register, stopwatch: Stopwatch, charged_to: str
    ) -> None:
        answer = stored(customer, register)
        other = open_customer(name="Other")
        asked = ask(other, claim=uuid.uuid4())
        job_of(asked, claim=uuid.uuid4())
        held = hold(asked) if charged_to == "hold" else None
        assert settlement.sell_stored(asked, answer, stopwatch=stopwatch, hold=held) == LOST
        assert (other.balance.spent, Lookup.objects.count()) == (0, 0)

    def test_whose_hold_ended_with_its_job_is_not_sold(
        self, customer: Customer, register: Register, stopwatch: Stopwatch
    ) -> None:
        answer = stored(customer, register)
        other = open_customer(name="Other")
        asked = ask(other)
        held = hold(asked)
        asked.payer.release(asked.bill, held, reason="cancelled", now=timezone.now())
        job_of(asked, claim=uuid.uuid4())
        assert settlement.sell_stored(asked, answer, stopwatch=stopwatch, hold=held) == LOST
        assert other.balance.spent == 0


class TestAnAskThatIsNotOursAnyMore:
    """Its job was ended, or another worker has it: nothing is paid, nothing is noted, and it counts as a time-out."""

    @pytest.fixture
    def asked(self, customer: Customer) -> Ask:
        return ask(customer, claim=uuid.uuid4())

    def test_is_known_by_its_job(self, customer: Customer, asked: Ask) -> None:
        assert settlement.is_ours(asked)
        job_of(asked, claim=asked.claim)
        assert settlement.is_ours(asked)
        Job.objects.update(claim=uuid.uuid4())
        assert not settlement.is_ours(asked)
        Job.objects.update(status="pending", claim=None)
        assert not settlement.is_ours(asked)
        Job.objects.update(status="failed", claim=asked.claim, ended_at=timezone.now(), reply={})
        assert not settlement.is_ours(asked)

    def test_of_a_caller_who_waited_is_claimed_by_the_ask_itself(self, customer: Customer) -> None:
        asked = ask(customer)
        job_of(asked)
        assert settlement.is_ours(asked)
        assert settlement.is_ours(ask(customer))
        Job.objects.update(claim=uuid.uuid4())
        assert not settlement.is_ours(asked)

    def test_is_never_one_that_came_with_its_payment(self, customer: Customer, now: Any) -> None:
        paid = Payment.objects.create(
            challenge_id="c", proof_hash="p", method="m", purpose="lookup", amount=PRICE, created_at=now
        )
        asked = Ask(question=ACME, payer=paying_by(paid), claim=uuid.uuid4())
        job_of(ask(customer, ask_id=asked.ask_id), claim=uuid.uuid4())
        assert settlement.is_ours(asked)

    def test_pays_for_no_answer(self, customer: Customer, register: Register, asked: Ask, stopwatch: Stopwatch) -> None:
        answer = stored(customer, register)
        held = hold(asked)
        job_of(asked, claim=uuid.uuid4())
        assert settlement.share(asked, held, {"kind": "answer", "id": answer.pk}, stopwatch=stopwatch) == LOST
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 0)

    @pytest.mark.parametrize(
        "outcome", [NothingFound(), Refused("entity_name", "No."), Unavailable("NY", "down", retryable=False)]
    )
    def test_gives_no_money_back(self, customer: Customer, asked: Ask, stopwatch: Stopwatch, outcome: Any) -> None:
        held = hold(asked)
        job_of(asked, claim=uuid.uuid4())
        assert settlement.end(asked, held, outcome, stopwatch=stopwatch) == LOST
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 0)
        assert settlement.end(asked, held, outcome, stopwatch=stopwatch, locked=True) is outcome
        assert (customer.balance.held, Lookup.objects.count()) == (0, 1)


class TestALookupThatDeliversNothing:
    def end(self, customer: Customer, outcome: Any, stopwatch: Stopwatch) -> dict[str, Any]:
        assert settlement.end(ask(customer), None, outcome, stopwatch=stopwatch) is outcome
        return kept()

    def test_for_a_question_no_registry_of_the_state_takes_is_kept_as_unsupported(
        self, customer: Customer, stopwatch: Stopwatch
    ) -> None:
        row = self.end(customer, Refused("searchType", "No liens here.", unsupported=True), stopwatch)
        assert (row["outcome"], row["reason"], row["shared"], row["attempt_id"]) == (
            "refused",
            "unsupported",
            False,
            None,
        )

    def test_for_a_question_that_is_too_short_has_no_further_reason(
        self, customer: Customer, stopwatch: Stopwatch
    ) -> None:
        row = self.end(customer, Refused("entity_name", "Too short."), stopwatch)
        assert (row["outcome"], row["reason"]) == ("refused", "")

    def test_is_kept_with_its_time_in_thousandths_of_a_second(self, customer: Customer, stopwatch: Stopwatch) -> None:
        stopwatch._started -= 3600
        row = self.end(customer, NothingFound(), stopwatch)
        assert 3_602_500 <= row["duration_ms"] < 3_605_500

    def test_gives_back_only_its_own_share_of_a_larger_hold(self, customer: Customer, stopwatch: Stopwatch) -> None:
        whole = ledger.hold(
            account_id=customer.account.pk,
            amount=3 * PRICE,
            idempotency_key="bulk",
            reference="",
            expires_at=timezone.now() + timedelta(hours=1),
            now=timezone.now(),
            key=customer.key,
        )
        settlement.end(ask(customer, shares_hold=True), whole, NothingFound(), stopwatch=stopwatch)
        assert (customer.balance.held, customer.balance.available) == (2 * PRICE, FREE - 2 * PRICE)
        settlement.end(ask(customer), whole, NothingFound(), stopwatch=stopwatch)
        assert customer.balance.held == 0


class TestALiveAnswerWithoutMoney:
    def test_whose_hold_expired_is_charged_anew(
        self, customer: Customer, register: Register, stopwatch: Stopwatch
    ) -> None:
        answer = stored(customer, register)
        asked = ask(customer)
        held = hold(asked)
        asked.payer.release(asked.bill, held, reason="expired", now=timezone.now())
        outcome = settlement.share(asked, held, {"kind": "answer", "id": answer.pk}, stopwatch=stopwatch)
        assert outcome == Delivered(answer, live=True, cost=PRICE, balance=FREE - 2 * PRICE)

    def test_whose_hold_expired_and_whose_credit_is_gone_is_kept_back(
        self, customer: Customer, register: Register, stopwatch: Stopwatch
    ) -> None:
        answer = stored(customer, register)
        asked = ask(customer)
        held = hold(asked)
        asked.payer.release(asked.bill, held, reason="expired", now=timezone.now())
        ledger.charge(
            account_id=customer.account.pk, amount=FREE - PRICE, idempotency_key="x", reference="", now=timezone.now()
        )
        outcome = settlement.share(asked, held, {"kind": "answer", "id": answer.pk}, stopwatch=stopwatch)
        assert (outcome, Lookup.objects.count()) == (OutOfFunds(0, PRICE), 0)


class TestWhatASettledLookupRemembers:
    """After a crash: who asks again under the same id gets what was paid for, and nothing is paid twice."""

    def settled(self, customer: Customer, register: Register, **changed: Any) -> tuple[Ask, Lookup]:
        assert customer.lookup().status_code == 200
        row = Lookup.objects.get()
        Lookup.objects.update(**changed)
        row.refresh_from_db()
        return ask(customer, ask_id=row.ask_id, resumed=True), row

    def test_is_nothing_when_it_was_not_settled(self, customer: Customer) -> None:
        asked = ask(customer)
        assert (settlement.find_settled(asked), settlement.find_outcome(asked)) == (None, None)

    def test_is_a_live_answer_with_what_it_cost(self, customer: Customer, register: Register) -> None:
        asked, row = self.settled(customer, register)
        customer.account.refresh_from_db()
        outcome = settlement.find_outcome(asked)
        assert outcome == Delivered(row.answer, live=True, cost=PRICE, balance=customer.account.available)  # type: ignore[arg-type]
        assert outcome.answer.entity.name == "ACME CORP."  # type: ignore[union-attr]
        assert settlement.find_settled(ask(customer)) is None

    def test_is_a_stored_answer_with_its_end(self, customer: Customer, register: Register) -> None:
        asked, row = self.settled(customer, register, source="cache")
        outcome = settlement.find_outcome(asked)
        assert isinstance(outcome, Delivered)
        assert row.answer is not None
        assert (outcome.live, outcome.expires_at) == (False, row.answer.retrieved_at + timedelta(days=7))

    def test_of_a_payment_that_came_with_the_request_leaves_no_balance(
        self, customer: Customer, register: Register, now: Any
    ) -> None:
        _, row = self.settled(customer, register, source="cache")
        paid = Payment.objects.create(
            challenge_id="c", proof_hash="p", method="m", purpose="lookup", amount=PRICE, created_at=now
        )
        outcome = settlement.find_outcome(Ask(question=ACME, payer=paying_by(paid), ask_id=row.ask_id))
        assert isinstance(outcome, Delivered)
        assert (outcome.answer, outcome.balance) == (row.answer, None)

    def test_is_no_answer_when_that_is_gone(self, customer: Customer, register: Register) -> None:
        asked, _ = self.settled(customer, register, answer=None)
        assert settlement.find_outcome(asked) is None

    @pytest.mark.parametrize(
        ("changed", "outcome"),
        [
            ({"outcome": "not_found"}, NothingFound(ambiguous=False)),
            ({"outcome": "not_found", "reason": "ambiguous"}, NothingFound(ambiguous=True)),
            ({"outcome": "source_unavailable", "reason": "blocked"}, Unavailable("NY", "blocked")),
            ({"outcome": "refused"}, Refused("entity_name", "The registry refused this question.")),
        ],
    )
    def test_is_how_it_ended(
        self, customer: Customer, register: Register, changed: dict[str, Any], outcome: Outcome
    ) -> None:
        asked, row = self.settled(customer, register, cost=0, **changed)
        assert settlement.find_outcome(asked) == outcome
        assert settlement.redeliver(asked, row) is None

    def test_is_delivered_again_and_not_asked_again(self, customer: Customer, register: Register) -> None:
        asked, row = self.settled(customer, register)
        outcome = flow.perform(ask=asked, now=timezone.now())
        assert isinstance(outcome, Delivered)
        assert (outcome.answer, register.asked, customer.balance.spent) == (row.answer, 1, PRICE)

    def test_without_an_answer_is_asked_anew_under_another_id(self, customer: Customer, register: Register) -> None:
        asked, _ = self.settled(customer, register, outcome="not_found", cost=0)
        assert isinstance(flow.perform(ask=asked, now=timezone.now()), Delivered)
        assert (register.asked, Lookup.objects.count()) == (2, 2)

    def test_is_the_job_it_became(self, customer: Customer, register: Register) -> None:
        asked = ask(customer, resumed=True)
        row = job_of(asked)
        assert flow.perform(ask=asked, now=timezone.now()) == Accepted(row.public_id, 9)
        assert register.asked == 0
