"""How a lookup ends, outcome by outcome: what is paid, what its row keeps, and that it ends once."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, transaction
from django.utils import timezone

from billing import ledger, prices
from billing.models import Account, Hold, LedgerEntry, Payment
from billing.payments import checkout
from lookups.jobs import lifecycle, runner
from lookups.lookup import rows, settlement, single_flight
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Cancelled, Failed, Found, Judged, NothingFound, OutOfFunds, Refused, Unavailable
from lookups.lookup.payers import CredentialPayer, KeyPayer, Paid
from lookups.lookup.questions import Question
from lookups.lookup.rows import Making
from lookups.models import BulkJob, IdempotencyRecord, Job, Lookup, Manifest, SharedFetch, StoredAnswer
from lookups.names.check import COPY_KEPT
from lookups.verdicts import ANSWERED, BILLED, Breakdown, Verdict
from scrapers.failures import Failure, PageChanged, PortalBlocked, PortalUnavailable
from scrapers.gateway import NameReply, Reply
from scrapers.models import Reading
from scrapers.records import Evidence, NameVerdict, NotFound, Rule, Suggestion
from scrapers.refusals import QueryRefused, Refusal
from scrapers.sandbox.magic import DEMO_QUESTION
from tests.lookups.conftest import NOW, PRICE, Customer, open_customer
from tests.lookups.registry_server import Register
from tests.lookups.test_answers_from_a_copy import virginia  # noqa: F401  (used by pytest)

pytestmark = pytest.mark.django_db
ACME, BY_ID = Question(state="NY", name="Acme Corp"), Question(state="NY", entity_id="100001")
NAME = Question(state="NY", name="Acme Corp", kind="name_check")
FREE_GRANT = 10 * PRICE
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
MADE = {"attempt_id": 77, "reading_id": 78}
PROOF = {"sourceUrl": "https://registry.example/1", "retrievedAt": "then", "sha256": "b" * 64, "fromRegister": False}
NEAR = [{"entityName": "ACME HOLDING", "entityId": "7"}]
EMPTY = [
    (NothingFound(), "not_found"),
    (Unavailable("NY", "down"), "source_unavailable"),
    (Refused(Refusal.NO_LETTERS), "refused"),
    (Failed(Breakdown.BROKEN), "internal_error"),
    (Failed(Breakdown.ENDED), "ended_by_operator"),
    (Failed(Breakdown.OUT_OF_FUNDS), "insufficient_balance"),
    (Cancelled(), "cancelled"),
]


class Stopped(Stopwatch):
    """A stopwatch that stands at two and a half seconds."""

    @property
    def seconds(self) -> float:
        """Seconds since the request came in."""
        return 2.5


@pytest.fixture
def now() -> Any:
    return timezone.now()


@pytest.fixture
def stopwatch(now: Any) -> Stopwatch:
    return Stopped(now - timedelta(seconds=2.5))


def ask(customer: Customer, **more: Any) -> Ask:
    """A question of its own, whatever the customer has asked before."""
    return Ask(**{"question": ACME, "payer": KeyPayer(customer.key), "request_id": "r-1", "apart": True, **more})


def drafted(asked: Ask, stopwatch: Stopwatch, **more: Any) -> Lookup:
    """The row of a question that nobody has written yet."""
    return rows.draft(asked, now=stopwatch.begun, **more)


def accepted(asked: Ask, stopwatch: Stopwatch) -> Lookup:
    """The row of a question that was accepted, its price held."""
    row = drafted(asked, stopwatch)
    rows.accept(asked, row, now=stopwatch.begun, hold_for=HOUR)
    return row


def lead(asked: Ask) -> single_flight.Ticket:
    """The leave to ask the registry; nothing else has these numbers."""
    made = single_flight.join(question=asked.question, sandbox=asked.sandbox, budget_seconds=20, now=timezone.now())
    read_then(timezone.now())
    return single_flight.Ticket(made.fetch_id, made.leader, **MADE)


def stored(customer: Customer, register: Register) -> StoredAnswer:
    """An answer that was read before; its price was paid then."""
    assert customer.lookup().status_code == 200
    answer = StoredAnswer.objects.select_related("version__entity").get(asked="Acme Corp", match__kind="exact")
    Lookup.objects.all().delete()
    return answer


def read_then(now: Any) -> Reading:
    """What is kept of attempt 77."""
    asked = {"state": "NY", "kind": "business_entity", "outcome": "not_found", "question": {}, "exchanges": []}
    by = {"reader_version": "1", "reader_built_at": "2026", "reader_revision": "r", "sha256": "a" * 64}
    known = {**asked, **by, "read_at": now, "keep_until": now, "attempt_id": 77}
    return Reading.objects.get_or_create(pk=78, defaults=known)[0]


def absent(now: Any, **more: Any) -> Reply:
    near = Suggestion("ACME HOLDING", "7", "Active", 0.8)
    answer = NotFound(evidence=Evidence("https://registry.example/search", now), suggestions=(near,), **more)
    return Reply(
        answer=answer, normalized=None, version="1", built_at="2026", note="Active only.", reading=read_then(now)
    )


def payment(**more: Any) -> Payment:
    known = {"challenge_id": "c", "proof_hash": "p", "method": "m", "purpose": "lookup", "amount": PRICE}
    return Payment.objects.create(**{**known, "created_at": NOW, **more})


def paying_by(made: Payment) -> CredentialPayer:
    """Who sent this payment with the request; it was claimed before."""
    payer = CredentialPayer(checkout.Purchase("lookup", PRICE, "POST /v1/lookup", b"{}"), "Payment claimed-before")
    payer.payment, payer.sandbox = made, made.is_sandbox
    return payer


def job_of(asked: Ask, lookup: Lookup, **more: Any) -> Job:
    """The job of a lookup, which the ask itself has claimed unless `more` makes it another's."""
    row = lifecycle.adopt(asked, lookup, estimated_seconds=9, runs=True, now=timezone.now())
    Job.objects.filter(pk=row.pk).update(**more)
    return row


def columns(row: Lookup) -> dict[str, Any]:
    return {column.attname: getattr(row, column.attname) for column in Lookup._meta.concrete_fields}


def kept(row: Lookup | None = None) -> dict[str, Any]:
    """The columns of a row as they are kept, of the only one if none is named."""
    return columns(Lookup.objects.get(pk=row.pk) if row else Lookup.objects.get())


def row_of(of: Ask, stopwatch: Stopwatch, **more: Any) -> dict[str, Any]:
    """What is kept of a lookup that has not ended, with what is particular to this one."""
    row = {
        "ask_id": of.ask_id,
        "origin": "api",
        "account_id": of.account and of.account.pk,
        "payment_id": None,
        "key_id": of.payer.key and of.payer.key.pk,
        "hold_id": None,
        "bulk_id": None,
        "position": None,
        "repeats_id": None,
        "ref": None,
        "state": "NY",
        "kind": "business_entity",
        "asked": "Acme Corp",
        "question": of.question.to_json(),
        "sandbox": False,
        "price": PRICE,
        "request_id": "r-1",
        "created_at": stopwatch.begun,
        "verdict": None,
        "reason": "",
        "refusal": None,
        "version_id": None,
        "filing_set_id": None,
        "match": None,
        "related": [],
        "candidates": [],
        "name_check": None,
        "total": 0,
        "note": "",
        "evidence": None,
        "source": "live",
        "data_as_of": None,
        "expires_at": None,
        "reader_version": "",
        "reader_built_at": "",
        "retry_at": None,
        "shared": False,
        "cost": 0,
        "balance_after": None,
        "attempt_id": None,
        "reading_id": None,
        "asked_by_id": None,
        "duration_ms": None,
        "ended_at": None,
    }
    return {**row, **more}


def ended_row(of: Ask, stopwatch: Stopwatch, **more: Any) -> dict[str, Any]:
    """The same of one that has ended when the stopwatch stood."""
    return row_of(of, stopwatch, **{"duration_ms": 2500, "ended_at": stopwatch.now, **more})


def sold(answer: StoredAnswer, **more: Any) -> dict[str, Any]:
    """What a row keeps of an answer."""
    known = {
        "verdict": "found",
        "version_id": answer.version_id,
        "filing_set_id": answer.filing_set_id,
        "match": answer.match,
        "related": answer.related,
        "total": 1,
        "note": answer.note,
        "evidence": answer.evidence,
        "reading_id": answer.reading_id,
        "data_as_of": answer.retrieved_at,
        "reader_version": answer.reader_version,
        "reader_built_at": answer.reader_built_at,
    }
    return {**known, **more}


def assert_kept(row: Lookup, expected: dict[str, Any]) -> None:
    """It is kept so, and whoever ended it has it in hand as it is kept; its evidence names its own manifest."""
    found = kept(row)
    assert columns(row) == found
    del found["id"]
    assert found == proven(expected, row)


def proven(expected: dict[str, Any], row: Lookup) -> dict[str, Any]:
    """The same columns, with the evidence of the row's own manifest."""
    evidence = expected.get("evidence")
    own = evidence and {**evidence, "sha256": Manifest.objects.get(lookup_id=row.pk).sha256}
    return {**expected, "evidence": own}


def releases(hold: Hold | None) -> list[str]:
    """Why money went back from this hold, each time."""
    return [entry.reason for entry in LedgerEntry.objects.filter(hold=hold, kind="release").order_by("pk")]


def state_of(hold: Hold | None) -> str:
    return Hold.objects.get(pk=hold and hold.pk).state


def spend_all(customer: Customer, but: int = 0) -> None:
    ledger.charge(
        account_id=customer.account.pk,
        amount=customer.balance.available - but,
        idempotency_key=f"spend:{uuid.uuid4()}",
        reference="",
        now=timezone.now(),
    )


class TestAnAcceptedQuestion:
    """A row and its money, both or neither."""

    def test_is_kept_whole_with_its_hold(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        row = accepted(asked, stopwatch)
        assert row.hold is not None
        assert_kept(row, row_of(asked, stopwatch, hold_id=row.hold.pk))
        assert (row.hold.amount, row.hold.expires_at, row.hold.state) == (PRICE, stopwatch.begun + HOUR, "open")
        assert Question.from_json(row.question) == ACME
        assert LedgerEntry.objects.get(hold=row.hold).request_id == "r-1"

    def test_of_a_test_key_holds_nothing(self, tester: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(tester)
        assert_kept(accepted(asked, stopwatch), row_of(asked, stopwatch, sandbox=True))

    def test_that_came_with_its_payment_has_no_account(self, stopwatch: Stopwatch) -> None:
        made = payment()
        asked = Ask(question=ACME, payer=paying_by(made), request_id="r-1")
        assert_kept(accepted(asked, stopwatch), row_of(asked, stopwatch, payment_id=made.pk))

    def test_costs_what_was_quoted(self, customer: Customer, stopwatch: Stopwatch) -> None:
        row = accepted(ask(customer, price=PRICE + 1), stopwatch)
        assert (row.price, customer.balance.held) == (PRICE + 1, PRICE + 1)

    def test_keeps_what_else_is_known_of_it(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer, question=BY_ID)
        row = drafted(asked, stopwatch, ref="mine", position=3)
        assert (row.ref, row.position, row.asked, row.pk) == ("mine", 3, "100001", None)

    @pytest.mark.parametrize(("person", "door"), [(None, "api"), (7, "page")])
    def test_came_from_a_program_or_from_a_person(
        self, customer: Customer, stopwatch: Stopwatch, person: int | None, door: str
    ) -> None:
        row = drafted(ask(customer, asked_by_id=person), stopwatch)
        assert (row.origin, row.asked_by_id) == (door, person)

    def test_without_money_is_not_written(self, customer: Customer, stopwatch: Stopwatch) -> None:
        spend_all(customer, but=PRICE - 1)
        with pytest.raises(ledger.InsufficientFunds):
            accepted(ask(customer), stopwatch)
        assert Lookup.objects.count() == 0

    def test_that_cannot_be_written_holds_nothing(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        drafted(asked, stopwatch).save()
        with pytest.raises(IntegrityError), transaction.atomic():
            accepted(asked, stopwatch)
        assert (customer.balance.held, Hold.objects.count()) == (0, 0)

    def test_taken_up_again_finds_its_row_and_its_hold(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        row = accepted(asked, stopwatch)
        assert rows.find(ask(customer)) is None
        again = rows.find(asked)
        assert again == row
        assert again is not None
        rows.accept(asked, again, now=stopwatch.now, hold_for=HOUR)
        assert (again.hold, Lookup.objects.count(), customer.balance.held) == (row.hold, 1, PRICE)

    def test_is_found_with_all_that_a_reply_tells(
        self, customer: Customer, register: Register, django_assert_num_queries: Any
    ) -> None:
        assert customer.lookup().status_code == 200
        asked = ask(customer, ask_id=Lookup.objects.get().ask_id)
        with django_assert_num_queries(1):
            row = rows.find(asked)
            assert row is not None
            assert row.version is not None
            assert (row.version.entity.name, row.filing_set, row.payment) == ("ACME CORP.", None, None)


class TestWhatARowKeeps:
    """Column by column, of each outcome; what is not named stays as an open row has it."""

    def keep(self, outcome: Any, account: Account | None = None) -> dict[str, Any]:
        return rows.to_columns(outcome, Lookup(state="NY", account=account), now=NOW)

    def answer(self, **more: Any) -> StoredAnswer:
        known = {
            "match": {"score": 1.0, "kind": "exact"},
            "related": [{"entityName": "ACME II"}],
            "total": 2,
            "note": "Active only.",
            "evidence": PROOF,
            "retrieved_at": NOW - HOUR,
            "reader_version": "4",
            "reader_built_at": "2026-11-01",
        }
        return StoredAnswer(**{**known, **more})

    def found(self, answer: StoredAnswer, **more: Any) -> dict[str, Any]:
        known = {
            "verdict": "found",
            "version": None,
            "filing_set": None,
            "match": {"score": 1.0, "kind": "exact"},
            "related": [{"entityName": "ACME II"}],
            "total": 2,
            "note": "Active only.",
            "evidence": answer.evidence,
            "source": "live",
            "data_as_of": NOW - HOUR,
            "expires_at": None,
            "reader_version": "4",
            "reader_built_at": "2026-11-01",
        }
        return {**known, **more}

    def test_of_a_live_answer(self) -> None:
        answer = self.answer()
        assert self.keep(Found(answer)) == self.found(answer)

    def test_of_an_answer_from_a_copy_with_its_day(self) -> None:
        day = datetime(2026, 11, 1, tzinfo=UTC)
        answer = self.answer(evidence={**PROOF, "fromRegister": True}, as_of=day)
        assert self.keep(Found(answer)) == self.found(answer, source="copy", data_as_of=day)
        assert self.keep(Found(self.answer(evidence={})))["source"] == "live"

    @pytest.mark.parametrize("from_copy", [True, False])
    def test_of_a_stored_answer_until_when_it_serves(self, from_copy: bool, settings: Any) -> None:
        settings.CACHE_MAX_AGE_DAYS = 5
        answer = self.answer(evidence={**PROOF, "fromRegister": from_copy})
        expected = self.found(answer, source="stored")
        week = timedelta(days=7)
        for account, age in ((None, timedelta(days=5)), (Account(max_cache_age_days=7), week), (Account(), week)):
            if account is not None and account.max_cache_age_days is None:
                age = timedelta(days=5)
            expires = {"expires_at": NOW - HOUR + age}
            assert self.keep(Found(answer, stored=True), account) == {**expected, **expires}

    def test_of_a_stored_answer_an_account_may_want_none(self) -> None:
        assert rows.max_age(Account(max_cache_age_days=0)) == timedelta(0)

    @pytest.mark.parametrize("verdict", ["free", "taken", "cannot_say"])
    @pytest.mark.parametrize(("from_copy", "source"), [(True, "copy"), (False, "live")])
    def test_of_a_verdict_on_a_name(self, verdict: str, from_copy: bool, source: str) -> None:
        check = {"verdict": verdict, "evidence": {**PROOF, "fromRegister": from_copy}}
        expected = {"verdict": verdict, "name_check": check, "evidence": check["evidence"], "source": source}
        assert self.keep(Judged(check)) == expected

    @pytest.mark.parametrize(("ambiguous", "verdict"), [(False, "not_found"), (True, "ambiguous")])
    def test_of_nothing_found(self, ambiguous: bool, verdict: str) -> None:
        assert self.keep(NothingFound(NEAR, ambiguous, "Active only.", PROOF)) == {
            "verdict": verdict,
            "candidates": NEAR,
            "note": "Active only.",
            "evidence": PROOF,
            "source": "live",
            "data_as_of": None,
        }
        assert self.keep(NothingFound())["note"] == ""

    def test_of_nothing_found_in_a_copy(self) -> None:
        proof = {**PROOF, "fromRegister": True, "dataAsOf": "2026-11-01T00:00:00.000Z"}
        kept = self.keep(NothingFound(evidence=proof))
        assert (kept["source"], kept["data_as_of"]) == ("copy", datetime(2026, 11, 1, tzinfo=UTC))

    def test_of_a_registry_that_could_not_be_asked(self) -> None:
        expected = {"verdict": "unavailable", "reason": "blocked", "retry_at": None, "note": ""}
        assert self.keep(Unavailable("NY", Failure.BLOCKED)) == expected
        hinted = Unavailable("NY", "blocked", retry_after=0.0, note="From a copy.")
        assert self.keep(hinted) == {**expected, "retry_at": NOW, "note": "From a copy."}
        assert self.keep(replace(hinted, retry_after=90.5))["retry_at"] == NOW + timedelta(seconds=90.5)
        assert self.keep(replace(hinted, retry_after=90.5, retryable=False))["retry_at"] is None

    @pytest.mark.parametrize("note", [None, "From a copy."])
    def test_of_a_question_that_is_not_taken(self, note: str | None) -> None:
        assert self.keep(Refused(Refusal.NAME_TOO_SHORT, {"shortest": 3}, note)) == {
            "verdict": "refused",
            "reason": "name_too_short",
            "refusal": {"shortest": 3},
            "note": note or "",
        }

    @pytest.mark.parametrize("why", list(Breakdown))
    def test_of_what_broke_down_here(self, why: Breakdown) -> None:
        assert self.keep(Failed(why)) == {"verdict": "failed", "reason": why.value}

    def test_of_what_was_cancelled(self) -> None:
        assert self.keep(Cancelled()) == {"verdict": "cancelled"}

    def test_is_a_verdict_that_the_row_takes(self) -> None:
        assert {one.value for one in Verdict} >= {*BILLED, *ANSWERED}
        assert set(BILLED) == {"found", "free", "taken", "cannot_say"}
        assert set(ANSWERED) == {*BILLED, "not_found", "ambiguous"}


class TestEndingARow:
    def test_is_done_once(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        row, late = accepted(asked, stopwatch), rows.find(asked)
        assert late is not None
        ended = rows.end(row, NothingFound(NEAR), stopwatch=stopwatch, making=Making(78, shared=True))
        assert ended is row
        expected = ended_row(asked, stopwatch, hold_id=row.hold and row.hold.pk, verdict="not_found", candidates=NEAR)
        assert_kept(row, {**expected, "attempt_id": 78, "shared": True})
        with pytest.raises(rows.EndedBefore):
            rows.end(late, Failed(Breakdown.BROKEN), stopwatch=stopwatch)
        assert_kept(row, {**expected, "attempt_id": 78, "shared": True})

    def test_leaves_all_others_open(self, customer: Customer, stopwatch: Stopwatch) -> None:
        row, other = accepted(ask(customer), stopwatch), accepted(ask(customer), stopwatch)
        rows.end(row, NothingFound(), stopwatch=stopwatch)
        assert list(Lookup.objects.open()) == [other]

    def test_that_was_not_written_yet_writes_it(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        row = rows.end(drafted(asked, stopwatch), Cancelled(), stopwatch=stopwatch)
        assert_kept(row, ended_row(asked, stopwatch, verdict="cancelled"))
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.end(drafted(asked, stopwatch), Cancelled(), stopwatch=stopwatch)

    def test_keeps_what_was_paid(self, customer: Customer, register: Register, stopwatch: Stopwatch) -> None:
        answer = stored(customer, register)
        asked = ask(customer)
        row = rows.end(drafted(asked, stopwatch), Found(answer), stopwatch=stopwatch, paid=Paid(5, 6))
        assert_kept(row, ended_row(asked, stopwatch, **sold(answer), cost=5, balance_after=6))

    def test_measures_no_time_before_it_was_asked(self, customer: Customer, stopwatch: Stopwatch) -> None:
        row = drafted(ask(customer), stopwatch)
        row.created_at = stopwatch.now + MINUTE
        assert rows.end(row, Cancelled(), stopwatch=stopwatch).duration_ms == 0


class TestRowsOfABulkRequest:
    """Rows that ask the same are ended together and paid for once."""

    def row(self, customer: Customer, stopwatch: Stopwatch, bulk: BulkJob, position: int, **more: Any) -> Lookup:
        made = drafted(ask(customer), stopwatch, origin="bulk", bulk=bulk, position=position)
        for name, value in more.items():
            setattr(made, name, value)
        made.save()
        return made

    def bulk(self, customer: Customer, now: Any) -> BulkJob:
        known = {"accepts_stored": False, "total": 4, "questions": 2, "created_at": now, "deadline": now}
        return BulkJob.objects.create(account=customer.account, key=customer.key, **known)

    def test_that_repeat_one_end_with_it_and_cost_nothing(
        self, customer: Customer, register: Register, stopwatch: Stopwatch
    ) -> None:
        answer, bulk = stored(customer, register), self.bulk(customer, stopwatch.begun)
        first, other = (self.row(customer, stopwatch, bulk, at) for at in (0, 1))
        again = self.row(customer, stopwatch, bulk, 2, repeats=first, price=0)
        of_other = self.row(customer, stopwatch, bulk, 3, repeats=other, price=0)
        paid, making = Paid(PRICE, 6), Making(78, shared=True)
        rows.end(first, Found(answer), stopwatch=stopwatch, paid=paid, making=making)
        apart = ("id", "ask_id", "position", "repeats_id", "price", "cost")
        one, same = kept(first), kept(again)
        assert {name: one[name] for name in one if name not in apart} == {
            name: same[name] for name in same if name not in apart
        }
        assert (one["price"], one["cost"], same["price"], same["cost"]) == (PRICE, PRICE, 0, 0)
        assert (same["verdict"], same["version_id"]) == ("found", answer.version_id)
        assert set(Lookup.objects.open()) == {other, of_other}

    def test_that_repeat_one_and_have_ended_stay_so(self, customer: Customer, stopwatch: Stopwatch) -> None:
        bulk = self.bulk(customer, stopwatch.begun)
        first = self.row(customer, stopwatch, bulk, 0)
        again = self.row(customer, stopwatch, bulk, 1, repeats=first)
        rows.end(again, Cancelled(), stopwatch=stopwatch)
        before = kept(again)
        rows.end(first, NothingFound(), stopwatch=stopwatch)
        assert (kept(again), kept(first)["verdict"]) == (before, "not_found")

    def test_are_cancelled_together_and_no_others_are(self, customer: Customer, stopwatch: Stopwatch) -> None:
        bulk = self.bulk(customer, stopwatch.begun)
        first, second, other = (self.row(customer, stopwatch, bulk, at) for at in range(3))
        again = self.row(customer, stopwatch, bulk, 3, repeats=second)
        done = self.row(customer, stopwatch, bulk, 4)
        rows.end(done, NothingFound(), stopwatch=stopwatch)
        rows.cancel([], now=stopwatch.now)
        rows.cancel([first, second, done], now=stopwatch.now)
        cancelled = {"verdict": "cancelled", "ended_at": stopwatch.now, "duration_ms": 2500}
        for row in (first, second, again):
            assert {name: kept(row)[name] for name in cancelled} == cancelled
        assert (kept(done)["verdict"], list(Lookup.objects.open())) == ("not_found", [other])
        rows.cancel([other], now=stopwatch.now)
        assert kept(other)["duration_ms"] == 2500


class TestALookupWhoseCallerIsLost:
    """Its process died: it is ended as soon as no process can be at it any more, and its money goes back."""

    LONGEST = lifecycle.longest_answer()

    def lost(self, customer: Customer, now: Any, **more: Any) -> Lookup:
        asked = ask(customer)
        row = rows.draft(asked, now=now - self.LONGEST - SECOND)
        rows.accept(asked, row, now=now, hold_for=HOUR)
        Lookup.objects.filter(pk=row.pk).update(**more)
        return row

    def end(self, now: Any, **more: Any) -> int:
        return settlement.end_unattended(before=now - self.LONGEST, now=now, **more)

    def test_is_ended_as_broken_and_its_money_is_back(self, customer: Customer, now: Any) -> None:
        row = self.lost(customer, now)
        assert (self.end(now), self.end(now)) == (1, 0)
        found = kept(row)
        assert (found["verdict"], found["reason"], found["cost"]) == ("failed", "internal_error", 0)
        assert (found["ended_at"] - now < SECOND, found["duration_ms"] // 1000) == (True, 131)
        assert (customer.balance.held, customer.balance.available) == (0, 10 * PRICE)
        assert state_of(row.hold) == "released"

    def test_is_ended_by_the_sweep_within_two_and_a_half_minutes(self, customer: Customer, now: Any) -> None:
        self.lost(customer, now)
        runner.sweep(now=now)
        assert (customer.balance.held, Lookup.objects.open().count()) == (0, 0)
        assert self.LONGEST + timedelta(seconds=15) < timedelta(minutes=2, seconds=30)

    def test_keeps_no_other_from_it_where_it_cannot_be_ended(
        self, customer: Customer, now: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        broken = self.lost(customer, now)
        Lookup.objects.update(created_at=now - HOUR)
        self.lost(customer, now, ref="another")
        release = KeyPayer.release

        def refuse(payer: KeyPayer, bill: Any, *arguments: Any, **words: Any) -> None:
            assert bill.ask_id != broken.ask_id, "its money cannot be given back"
            release(payer, bill, *arguments, **words)

        monkeypatch.setattr(KeyPayer, "release", refuse)
        assert self.end(now) == 1
        assert list(Lookup.objects.open()) == [broken]
        assert customer.balance.held == PRICE

    def test_waits_with_all_others_for_a_database_that_is_away(
        self, customer: Customer, now: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each of five hundred would wait for it as long as the first."""
        self.lost(customer, now)
        Lookup.objects.update(created_at=now - HOUR)
        self.lost(customer, now, ref="another")
        tries: list[Any] = []

        def is_away(payer: KeyPayer, bill: Any, *arguments: Any, **words: Any) -> None:
            tries.append(bill.ask_id)
            raise OperationalError("the server closed the connection")

        monkeypatch.setattr(KeyPayer, "release", is_away)
        with pytest.raises(OperationalError):
            self.end(now)
        assert (len(tries), Lookup.objects.open().count()) == (1, 2)

    def test_is_not_ended_before(self, customer: Customer, now: Any) -> None:
        self.lost(customer, now, created_at=now - self.LONGEST)
        assert self.end(now) == 0

    def test_sells_nothing_should_its_process_be_alive_after_all(
        self, customer: Customer, stopwatch: Stopwatch, now: Any
    ) -> None:
        asked = ask(customer)
        row, ticket = accepted(asked, stopwatch), lead(asked)
        Lookup.objects.filter(pk=row.pk).update(created_at=now - self.LONGEST - SECOND)
        assert self.end(now) == 1
        assert settlement.settle_reply(asked, row, ticket, absent(now), stopwatch=stopwatch).verdict == "failed"
        assert (customer.balance.held, customer.balance.spent) == (0, 0)

    def test_whose_hold_has_expired_is_ended_too(self, customer: Customer, now: Any) -> None:
        self.lost(customer, now)
        ledger.expire_holds(now=now + HOUR)
        assert (self.end(now), customer.balance.available) == (1, 10 * PRICE)

    def test_is_not_one_that_has_a_job_or_has_ended(self, customer: Customer, now: Any) -> None:
        job_of(ask(customer), self.lost(customer, now))
        self.lost(customer, now, verdict="cancelled", ended_at=now)
        before = list(Lookup.objects.order_by("pk").values())
        assert self.end(now) == 0
        assert list(Lookup.objects.order_by("pk").values()) == before

    @pytest.mark.parametrize(("lease", "ended"), [(SECOND, 0), (-SECOND, 1)])
    def test_is_not_one_that_is_being_answered_to_the_same_request_sent_again(
        self, customer: Customer, now: Any, lease: timedelta, ended: int
    ) -> None:
        row = self.lost(customer, now)
        IdempotencyRecord.objects.create(
            account=customer.account,
            key="k",
            body_hash="",
            ask_id=row.ask_id,
            lease_until=now + lease,
            created_at=now,
            expires_at=now + HOUR,
        )
        assert self.end(now) == ended

    @pytest.mark.parametrize("whose", ["another ask's", "another account's"])
    def test_is_ended_whatever_else_is_asked_again(self, customer: Customer, now: Any, whose: str) -> None:
        row = self.lost(customer, now)
        other = open_customer(name="Other").account if whose == "another account's" else customer.account
        IdempotencyRecord.objects.create(
            account=other,
            key="k",
            body_hash="",
            ask_id=uuid.uuid4() if whose == "another ask's" else row.ask_id,
            lease_until=now + SECOND,
            created_at=now,
            expires_at=now + HOUR,
        )
        assert self.end(now) == 1

    @pytest.mark.parametrize("state", Payment.State.values)
    @pytest.mark.parametrize("taken_back", [0, 1, PRICE])
    def test_is_owed_where_its_own_payment_may_have_moved_money_that_is_not_taken_back(
        self, customer: Customer, now: Any, state: str, taken_back: int
    ) -> None:
        made = payment(state=state, taken_back=taken_back, ended_at=now)
        row = self.lost(customer, now, payment=made)
        is_owed = state in ("settling", "unknown", "paid") and not taken_back
        assert list(Lookup.objects.unattended(now - self.LONGEST, now)) == ([] if is_owed else [row])

    def test_is_no_row_of_a_bulk_request_nor_one_that_repeats_another(self, customer: Customer, now: Any) -> None:
        known = {"accepts_stored": False, "total": 2, "questions": 1, "created_at": now, "deadline": now}
        bulk = BulkJob.objects.create(account=customer.account, key=customer.key, **known)
        first = self.lost(customer, now, bulk=bulk, position=0)
        self.lost(customer, now, repeats=first)
        assert (self.end(now), Lookup.objects.open().count()) == (0, 2)

    def test_is_ended_with_so_many_at_a_time(self, customer: Customer, now: Any) -> None:
        for _ in range(3):
            self.lost(customer, now)
        assert [self.end(now, limit=2) for _ in range(3)] == [2, 1, 0]


class TestAnAnswerOfTheRegistry:
    def test_that_there_is_no_such_company_gives_the_money_back(
        self, customer: Customer, stopwatch: Stopwatch, now: Any
    ) -> None:
        asked = ask(customer)
        row, ticket = accepted(asked, stopwatch), lead(asked)
        ended = settlement.settle_reply(asked, row, ticket, absent(now), stopwatch=stopwatch)
        fetch = SharedFetch.objects.get()
        result = fetch.result
        assert result is not None
        assert (result["suggestions"][0]["entityId"], result["evidence"]["sourceUrl"], result["note"]) == (
            "7",
            "https://registry.example/search",
            "Active only.",
        )
        assert_kept(
            ended,
            ended_row(
                asked,
                stopwatch,
                verdict="not_found",
                candidates=result["suggestions"],
                note="Active only.",
                evidence=result["evidence"],
                hold_id=row.hold and row.hold.pk,
                **MADE,
            ),
        )
        assert (state_of(row.hold), customer.balance.available, releases(row.hold)) == (
            "released",
            FREE_GRANT,
            ["not_found"],
        )
        assert (result["kind"], result["ambiguous"], result["attempt_id"]) == ("not_found", False, 77)
        assert set(result) == {"kind", "suggestions", "ambiguous", "note", "evidence", "attempt_id", "reading_id"}
        assert fetch.ended_at == stopwatch.now

    def test_that_several_fit_is_kept_as_ambiguous(self, customer: Customer, stopwatch: Stopwatch, now: Any) -> None:
        asked = ask(customer)
        row = accepted(asked, stopwatch)
        ended = settlement.settle_reply(asked, row, lead(asked), absent(now, ambiguous=True), stopwatch=stopwatch)
        assert (ended.verdict, kept()["verdict"], len(kept()["candidates"])) == ("ambiguous", "ambiguous", 1)
        assert customer.balance.held == 0

    def test_is_kept_with_what_it_cost(self, customer: Customer, register: Register) -> None:
        begun = timezone.now()
        assert customer.lookup(headers={"x_request_id": "mine-1"}).status_code == 200
        row, answer = Lookup.objects.get(), StoredAnswer.objects.get(asked="Acme Corp")
        assert row.hold is not None
        assert row.attempt_id is not None
        assert row.ended_at is not None
        assert (row.account, row.key, row.hold.state, row.request_id) == (
            customer.account,
            customer.key,
            "captured",
            "mine-1",
        )
        found = columns(row)
        assert {name: found[name] for name in sold(answer)} == proven(sold(answer), row)
        assert (row.source, row.cost, row.balance_after, row.shared, row.reason, row.expires_at) == (
            "live",
            PRICE,
            FREE_GRANT - PRICE,
            False,
            "",
            None,
        )
        assert begun <= row.created_at <= row.ended_at <= timezone.now()
        assert row.hold.entries.get(kind="capture").reference == "NY Acme Corp"
        result = SharedFetch.objects.get().result
        assert result == {"kind": "answer", "id": answer.pk, "attempt_id": row.attempt_id, "reading_id": row.reading_id}

    def test_of_the_sandbox_is_kept_as_such_and_free(self, tester: Customer) -> None:
        assert tester.post("/v1/lookup", DEMO_QUESTION).status_code == 200
        row = Lookup.objects.get()
        assert (row.sandbox, row.verdict, row.cost, row.balance_after, row.hold, row.account) == (
            True,
            "found",
            0,
            None,
            None,
            tester.account,
        )
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
        row = accepted(asked, stopwatch)
        ended = settlement.settle_failure(asked, row, lead(asked), error, stopwatch=stopwatch)
        result = {"kind": "unavailable", "reason": reason, "retryable": retryable, "retry_after": retry_after}
        assert SharedFetch.objects.get().result == {**result, "note": None, **MADE}
        expected = ended_row(asked, stopwatch, verdict="unavailable", reason=reason, **MADE)
        retry_at = stopwatch.now + timedelta(seconds=retry_after) if retry_after else None
        assert_kept(ended, {**expected, "retry_at": retry_at, "hold_id": row.hold and row.hold.pk})
        assert (customer.balance.available, customer.balance.held) == (FREE_GRANT, 0)
        assert releases(row.hold) == ["source_unavailable"]

    @pytest.mark.parametrize("question", [ACME, BY_ID])
    def test_but_refuses_the_question_says_why(
        self, customer: Customer, stopwatch: Stopwatch, question: Question
    ) -> None:
        asked = ask(customer, question=question)
        row = accepted(asked, stopwatch)
        tried: list[Unavailable] = []

        def try_again(failure: Unavailable) -> bool:
            tried.append(failure)
            return True

        error: Any = QueryRefused(Refusal.NAME_TOO_SHORT, shortest=3)
        ended = settlement.settle_failure(asked, row, lead(asked), error, stopwatch=stopwatch, try_again=try_again)
        assert tried == []
        result = {"kind": "refused", "refusal": "name_too_short", "values": {"shortest": 3}, "note": None}
        assert SharedFetch.objects.get().result == {**result, **MADE}
        expected = ended_row(asked, stopwatch, verdict="refused", asked=question.words, **MADE)
        expected |= {"reason": "name_too_short", "refusal": {"shortest": 3}}
        assert_kept(ended, {**expected, "hold_id": row.hold and row.hold.pk})
        assert releases(row.hold) == ["refused"]

    def test_and_is_tried_again_keeps_the_lookup_open_with_its_money(
        self, customer: Customer, stopwatch: Stopwatch
    ) -> None:
        asked = ask(customer)
        failures: list[Unavailable] = []

        def again(failure: Unavailable) -> bool:
            failures.append(failure)
            return len(failures) == 1

        row, error = accepted(asked, stopwatch), PortalUnavailable("503", retry_after=3.0)
        same = settlement.settle_failure(asked, row, lead(asked), error, stopwatch=stopwatch, try_again=again)
        assert (same.verdict, failures) == (None, [Unavailable("NY", "down", True, 3.0)])
        assert (customer.balance.held, kept()["verdict"]) == (PRICE, None)
        assert SharedFetch.objects.get().ended_at is not None
        last = settlement.settle_failure(asked, row, lead(asked), error, stopwatch=stopwatch, try_again=again)
        assert (last.verdict, customer.balance.held, kept()["verdict"]) == ("unavailable", 0, "unavailable")


class TestAnAnswerThatSomebodyElseFetched:
    def test_is_sold_and_marked_as_shared(self, customer: Customer, register: Register, stopwatch: Stopwatch) -> None:
        answer = stored(customer, register)
        other = open_customer(name="Other")
        asked = ask(other)
        row = accepted(asked, stopwatch)
        result = {"kind": "answer", "id": answer.pk, "reading_id": answer.reading_id, "attempt_id": 78}
        ended = settlement.share(asked, row, result, stopwatch=stopwatch)
        expected = ended_row(asked, stopwatch, **sold(answer), shared=True, cost=PRICE, attempt_id=78)
        assert_kept(ended, {**expected, "balance_after": FREE_GRANT - PRICE, "hold_id": row.hold and row.hold.pk})
        assert (state_of(row.hold), other.balance.spent, other.balance.held) == ("captured", PRICE, 0)

    def test_comes_with_all_that_a_reply_tells(
        self, customer: Customer, register: Register, django_assert_num_queries: Any
    ) -> None:
        answer = stored(customer, register)
        found = settlement.read(ask(customer), {"kind": "answer", "id": answer.pk, "reading_id": answer.reading_id})
        assert isinstance(found, Found)
        assert (found.answer, found.stored) == (answer, False)
        with django_assert_num_queries(0):
            assert found.answer.version is not None
            assert (found.answer.version.entity.name, found.answer.filing_set) == ("ACME CORP.", None)

    def test_that_there_is_none_is_passed_on_and_marked_as_shared(
        self, customer: Customer, stopwatch: Stopwatch
    ) -> None:
        asked = ask(customer)
        row = accepted(asked, stopwatch)
        result = {"kind": "not_found", "suggestions": NEAR, "ambiguous": True, "note": "N", "evidence": PROOF}
        ended = settlement.share(asked, row, {**result, "attempt_id": 78}, stopwatch=stopwatch)
        expected = ended_row(asked, stopwatch, verdict="ambiguous", shared=True, attempt_id=78, candidates=NEAR)
        assert_kept(ended, {**expected, "note": "N", "evidence": PROOF, "hold_id": row.hold and row.hold.pk})

    def test_that_takes_too_long_is_a_timeout(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        row = accepted(asked, stopwatch)
        ended = settlement.share(asked, row, None, stopwatch=stopwatch)
        expected = ended_row(asked, stopwatch, verdict="unavailable", reason="timeout", shared=True)
        assert_kept(ended, {**expected, "hold_id": row.hold and row.hold.pk})
        assert customer.balance.held == 0

    def test_that_failed_may_be_tried_again(self, customer: Customer, stopwatch: Stopwatch) -> None:
        result = {"kind": "unavailable", "reason": "down", "retryable": False, "retry_after": 3.0, "note": "N"}
        asked = ask(customer)
        row, failed = accepted(asked, stopwatch), Unavailable("NY", "down", False, 3.0, "N")
        same = settlement.share(asked, row, result, stopwatch=stopwatch, try_again=lambda failure: failure == failed)
        assert (same.verdict, kept()["verdict"], customer.balance.held) == (None, None, PRICE)
        ended = settlement.share(asked, row, result, stopwatch=stopwatch)
        assert (ended.verdict, kept()["note"], customer.balance.held) == ("unavailable", "N", 0)

    def test_that_takes_too_long_may_be_tried_again(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        row = accepted(asked, stopwatch)
        late = Unavailable("NY", "timeout")
        settlement.share(asked, row, None, stopwatch=stopwatch, try_again=lambda failure: failure == late)
        assert (kept()["verdict"], customer.balance.held) == (None, PRICE)

    def test_that_was_refused_is_not_tried_again(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        result = {"kind": "refused", "refusal": "no_letters", "values": {}, "note": None}
        row = accepted(asked, stopwatch)
        ended = settlement.share(asked, row, result, stopwatch=stopwatch, try_again=lambda _: True)
        assert (ended.verdict, ended.reason, ended.refusal) == ("refused", "no_letters", {})

    def test_that_broke_down_is_an_error_here_too(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        row = accepted(asked, stopwatch)
        with pytest.raises(single_flight.FetchLost):
            settlement.share(asked, row, settlement.CRASHED, stopwatch=stopwatch)
        assert (customer.balance.held, kept()["verdict"]) == (PRICE, None)


class TestAVerdictOnAName:
    """Sold whichever it is, and never stored."""

    def reply(self, now: Any, *, word: Any = "free") -> NameReply:
        rule = Rule("Nothing but capitals.", "Statute 1", "rule")
        verdict = NameVerdict(word, (), "ACME", None, None, "Active entities only.", "None.", rule, rule)
        evidence = Evidence("https://registry.example/search", now)
        return NameReply(verdict=verdict, evidence=evidence, reading=read_then(now))

    @pytest.mark.parametrize("verdict", ["free", "taken", "cannot_say"])
    def test_is_sold_and_shared_with_those_who_wait(
        self, customer: Customer, stopwatch: Stopwatch, now: Any, verdict: str
    ) -> None:
        asked = ask(customer, question=NAME)
        row, reply = accepted(asked, stopwatch), self.reply(now, word=verdict)
        ended = settlement.settle_reply(asked, row, lead(asked), reply, stopwatch=stopwatch)
        check = ended.name_check
        assert check is not None
        assert (check["available"], check["searchedName"]) == (verdict == "free", "Acme Corp")
        given = {"verdict": verdict, "name_check": check, "evidence": check["evidence"], "kind": "name_check"}
        given |= {"cost": PRICE, "balance_after": FREE_GRANT - PRICE, "attempt_id": 77, "reading_id": 78}
        assert_kept(ended, ended_row(asked, stopwatch, **given, hold_id=row.hold and row.hold.pk))
        fetch = SharedFetch.objects.get()
        assert fetch.result == {"kind": "check", "check": check, **MADE}
        other = ask(open_customer(name="Other"), question=NAME)
        theirs = accepted(other, stopwatch)
        shared = settlement.share(other, theirs, fetch.result, stopwatch=stopwatch)
        expected = ended_row(other, stopwatch, **given, hold_id=theirs.hold and theirs.hold.pk)
        assert_kept(shared, {**expected, "shared": True})
        assert StoredAnswer.objects.count() == 0

    @pytest.mark.usefixtures("virginia")
    @pytest.mark.parametrize("failed", ["live", "shared", "late", "refused"])
    def test_may_be_found_in_a_copy_where_the_registry_gives_none(
        self, customer: Customer, stopwatch: Stopwatch, failed: str
    ) -> None:
        asked = ask(customer, question=replace(NAME, state="VA"))
        row = accepted(asked, stopwatch)
        if failed == "late":
            ended = settlement.share(asked, row, None, stopwatch=stopwatch)
        elif failed == "refused":
            error: Any = QueryRefused(Refusal.NO_LETTERS)
            ended = settlement.settle_failure(asked, row, lead(asked), error, stopwatch=stopwatch)
            assert (ended.reason, ended.note) == ("no_letters", COPY_KEPT)
            return
        else:
            error = PortalUnavailable("503")
            ended = settlement.settle_failure(asked, row, lead(asked), error, stopwatch=stopwatch)
            if failed == "shared":
                result = SharedFetch.objects.get().result
                assert result is not None
                other = ask(customer, question=asked.question)
                ended = settlement.share(other, accepted(other, stopwatch), result, stopwatch=stopwatch)
        assert (ended.verdict, ended.state, ended.note) == ("unavailable", "VA", COPY_KEPT)


class TestAStoredAnswer:
    """Sold at its own price; nothing is held for it."""

    @pytest.fixture
    def answer(self, customer: Customer, register: Register) -> StoredAnswer:
        return stored(customer, register)

    @pytest.fixture
    def other(self, answer: StoredAnswer) -> Customer:
        return open_customer(name="Other")

    def sold(self, asked: Ask, stopwatch: Stopwatch, answer: StoredAnswer, **more: Any) -> dict[str, Any]:
        expires = answer.retrieved_at + timedelta(days=7)
        row = ended_row(asked, stopwatch, **sold(answer), source="stored", expires_at=expires)
        return {**row, **more}

    @pytest.mark.parametrize("price", [0, 100])
    def test_is_sold_from_the_balance(
        self, other: Customer, answer: StoredAnswer, stopwatch: Stopwatch, monkeypatch: Any, price: int
    ) -> None:
        monkeypatch.setattr(prices, "STORED", price)
        asked = ask(other)
        row = settlement.sell_stored(asked, drafted(asked, stopwatch), answer, stopwatch=stopwatch)
        paid = {"cost": price, "price": price, "balance_after": FREE_GRANT - price}
        assert_kept(row, self.sold(asked, stopwatch, answer, **paid))
        assert (other.balance.spent, other.balance.held, Hold.objects.filter(account=other.account).count()) == (
            price,
            0,
            0,
        )

    @pytest.mark.parametrize("price", [0, 100])
    def test_gives_back_what_was_held_for_a_live_one(
        self, other: Customer, answer: StoredAnswer, stopwatch: Stopwatch, monkeypatch: Any, price: int
    ) -> None:
        monkeypatch.setattr(prices, "STORED", price)
        asked = ask(other)
        row = accepted(asked, stopwatch)
        settlement.sell_stored(asked, row, answer, stopwatch=stopwatch)
        paid = {"cost": price, "balance_after": FREE_GRANT - price, "hold_id": row.hold and row.hold.pk}
        found = kept(row)
        del found["id"]
        assert {**found, "price": 0} == {**proven(self.sold(asked, stopwatch, answer, **paid), row), "price": 0}
        assert (state_of(row.hold), releases(row.hold)) == ("released", ["stored"])
        assert (other.balance.spent, other.balance.held) == (price, 0)

    def test_is_in_the_row_at_its_own_price(self, other: Customer, answer: StoredAnswer, stopwatch: Stopwatch) -> None:
        asked = ask(other)
        row = settlement.sell_stored(asked, accepted(asked, stopwatch), answer, stopwatch=stopwatch)
        assert columns(row) == kept(row)

    def test_gives_back_only_its_own_share_of_a_larger_hold(
        self, other: Customer, answer: StoredAnswer, stopwatch: Stopwatch
    ) -> None:
        asked = ask(other, shares_hold=True)
        row = drafted(asked, stopwatch)
        row.hold = ledger.hold(
            account_id=other.account.pk,
            amount=3 * PRICE,
            idempotency_key="bulk",
            reference="",
            expires_at=stopwatch.now + HOUR,
            now=stopwatch.now,
            key=other.key,
        )
        row.save()
        settlement.sell_stored(asked, row, answer, stopwatch=stopwatch)
        assert (other.balance.held, other.balance.available) == (2 * PRICE, FREE_GRANT - 2 * PRICE)

    def test_is_sold_for_the_job_of_whoever_claimed_it(
        self, other: Customer, answer: StoredAnswer, stopwatch: Stopwatch
    ) -> None:
        asked = ask(other, claim=uuid.uuid4())
        row = accepted(asked, stopwatch)
        job_of(asked, row, claim=asked.claim)
        assert settlement.sell_stored(asked, row, answer, stopwatch=stopwatch).verdict == "found"
        assert kept(row)["source"] == "stored"

    def test_is_not_sold_for_a_job_that_is_somebody_elses(
        self, other: Customer, answer: StoredAnswer, stopwatch: Stopwatch, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr(prices, "STORED", 100)
        asked = ask(other, claim=uuid.uuid4())
        row = accepted(asked, stopwatch)
        job_of(asked, row, claim=uuid.uuid4())
        left = settlement.sell_stored(asked, row, answer, stopwatch=stopwatch)
        assert (left, left.verdict, left.price) == (row, None, PRICE)
        assert (other.balance.spent, other.balance.held, kept(row)["verdict"]) == (0, PRICE, None)

    def test_without_money_for_it_is_not_sold(
        self, other: Customer, answer: StoredAnswer, stopwatch: Stopwatch, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr(prices, "STORED", 100)
        spend_all(other, but=99)
        asked = ask(other)
        with pytest.raises(ledger.InsufficientFunds) as short:
            settlement.sell_stored(asked, drafted(asked, stopwatch), answer, stopwatch=stopwatch)
        assert settlement.out_of_funds(short.value) == OutOfFunds(99, 100, by_budget=False)
        assert Lookup.objects.count() == 0

    def test_beyond_the_keys_budget_is_not_sold_and_says_so(
        self, other: Customer, answer: StoredAnswer, stopwatch: Stopwatch, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr(prices, "STORED", 100)
        other.key.monthly_budget = 99
        other.key.save()
        asked = ask(other)
        with pytest.raises(ledger.InsufficientFunds) as short:
            settlement.sell_stored(asked, drafted(asked, stopwatch), answer, stopwatch=stopwatch)
        assert settlement.out_of_funds(short.value) == OutOfFunds(99, 100, by_budget=True)

    def test_that_cannot_be_paid_ends_what_was_accepted_and_gives_its_hold_back(
        self, other: Customer, answer: StoredAnswer, stopwatch: Stopwatch, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr(prices, "STORED", PRICE + 1)
        asked = ask(other)
        row = accepted(asked, stopwatch)
        spend_all(other)
        ended = settlement.sell_stored(asked, row, answer, stopwatch=stopwatch)
        assert (ended.verdict, ended.reason, ended.cost) == ("failed", "insufficient_balance", 0)
        assert (other.balance.held, other.balance.spent, releases(row.hold)) == (0, 9 * PRICE, ["insufficient_balance"])

    def test_will_do_where_it_is_asked_for_and_young_enough(self, customer: Customer, answer: StoredAnswer) -> None:
        def find(asked: Ask, age: timedelta) -> StoredAnswer | None:
            begun = answer.retrieved_at + age - timedelta(seconds=2.5)
            return settlement.find_stored(asked, stopwatch=Stopped(begun))

        wanted, week = ask(customer, accepts_stored=True), timedelta(days=7)
        assert find(wanted, week - SECOND) == answer
        assert find(wanted, week) is None
        assert find(ask(customer), SECOND) is None
        customer.account.max_cache_age_days = 1
        asked = ask(customer, accepts_stored=True)
        assert (find(asked, week / 7 - SECOND), find(asked, week / 7)) == (answer, None)

    @pytest.mark.parametrize(
        "changed", [{"sandbox": True}, {"state": "FL"}, {"question": "0" * 64}, {"retrieved_at": NOW - timedelta(365)}]
    )
    def test_is_one_of_the_same_question(
        self, customer: Customer, answer: StoredAnswer, stopwatch: Stopwatch, changed: dict[str, Any]
    ) -> None:
        wanted = ask(customer, accepts_stored=True)
        assert settlement.find_stored(wanted, stopwatch=stopwatch) == answer
        StoredAnswer.objects.filter(pk=answer.pk).update(**changed)
        assert settlement.find_stored(wanted, stopwatch=stopwatch) is None

    def test_comes_with_all_that_a_reply_tells(
        self, customer: Customer, answer: StoredAnswer, stopwatch: Stopwatch, django_assert_num_queries: Any
    ) -> None:
        with django_assert_num_queries(1):
            found = settlement.find_stored(ask(customer, accepts_stored=True), stopwatch=stopwatch)
            assert found is not None
            assert found.version is not None
            assert (found.version.entity.name, found.filing_set) == ("ACME CORP.", None)


class TestALookupThatIsNotOursAnyMore:
    """It was ended, or its job is another worker's: nothing is paid and nothing is noted."""

    @pytest.fixture
    def asked(self, customer: Customer) -> Ask:
        return ask(customer, claim=uuid.uuid4())

    @pytest.fixture
    def row(self, asked: Ask, stopwatch: Stopwatch) -> Lookup:
        return accepted(asked, stopwatch)

    def is_ours(self, asked: Ask, row: Lookup) -> bool:
        with transaction.atomic():
            return settlement.lock(asked, row).is_ours

    def test_is_never_one_that_was_not_written(
        self, asked: Ask, stopwatch: Stopwatch, django_assert_num_queries: Any
    ) -> None:
        with django_assert_num_queries(0):
            assert settlement.lock(asked, drafted(asked, stopwatch)).is_ours

    def test_is_one_that_has_ended_or_is_gone(self, asked: Ask, row: Lookup) -> None:
        assert self.is_ours(asked, row)
        Lookup.objects.update(verdict="cancelled", ended_at=NOW)
        assert not self.is_ours(asked, row)
        Lookup.objects.filter(pk=row.pk).delete()
        assert not self.is_ours(asked, row)

    def test_is_known_by_its_job(self, asked: Ask, row: Lookup) -> None:
        job_of(asked, row, claim=asked.claim)
        assert self.is_ours(asked, row)
        Job.objects.update(claim=uuid.uuid4())
        assert not self.is_ours(asked, row)
        Job.objects.update(status="pending", claim=None)
        assert not self.is_ours(asked, row)
        Job.objects.update(status="failed", claim=asked.claim, ended_at=timezone.now())
        assert not self.is_ours(asked, row)

    def test_is_known_by_its_verdict_also_where_the_job_is_ours(self, asked: Ask, row: Lookup) -> None:
        job_of(asked, row, claim=asked.claim)
        Lookup.objects.update(verdict="cancelled", ended_at=NOW)
        assert not self.is_ours(asked, row)

    def test_of_a_caller_who_waited_is_claimed_by_the_ask_itself(
        self, customer: Customer, stopwatch: Stopwatch
    ) -> None:
        asked = ask(customer)
        row, other = accepted(asked, stopwatch), accepted(ask(customer), stopwatch)
        job_of(asked, row)
        assert (self.is_ours(asked, row), self.is_ours(ask(customer), row)) == (True, False)
        assert not self.is_ours(replace(asked, claim=uuid.uuid4()), row)
        Job.objects.update(claim=uuid.uuid4())
        assert (self.is_ours(asked, row), self.is_ours(asked, other)) == (False, True)

    def test_pays_for_no_answer(
        self, customer: Customer, register: Register, asked: Ask, row: Lookup, stopwatch: Stopwatch
    ) -> None:
        assert open_customer(name="Other").lookup().status_code == 200
        answer = StoredAnswer.objects.get(asked="Acme Corp")
        job_of(asked, row, claim=uuid.uuid4())
        left = settlement.share(
            asked, row, {"kind": "answer", "id": answer.pk, "reading_id": answer.reading_id}, stopwatch=stopwatch
        )
        assert (left, left.verdict, kept(row)["verdict"], customer.balance.held) == (row, None, None, PRICE)

    @pytest.mark.parametrize("outcome", [outcome for outcome, _ in EMPTY])
    def test_gives_no_money_back(
        self, customer: Customer, asked: Ask, row: Lookup, stopwatch: Stopwatch, outcome: Any
    ) -> None:
        job_of(asked, row, claim=uuid.uuid4())
        left = settlement.end(asked, row, outcome, stopwatch=stopwatch)
        assert (left, left.verdict, kept(row)["verdict"], customer.balance.held) == (row, None, None, PRICE)
        ended = settlement.end_locked(asked, row, outcome, stopwatch=stopwatch)
        assert (ended, kept(row)["verdict"], customer.balance.held) == (row, ended.verdict, 0)

    def test_comes_back_as_it_was_ended_with_all_that_a_reply_tells(
        self, customer: Customer, register: Register, stopwatch: Stopwatch, django_assert_num_queries: Any
    ) -> None:
        assert customer.lookup().status_code == 200
        asked = ask(customer, ask_id=Lookup.objects.get().ask_id)
        late = Lookup.objects.get()
        late.verdict = None
        left = settlement.end(asked, late, NothingFound(), stopwatch=stopwatch)
        with django_assert_num_queries(0):
            assert left.version is not None
            assert (left.verdict, left.version.entity.name) == ("found", "ACME CORP.")
        assert customer.balance.spent == PRICE


class TestALookupThatDeliversNothing:
    @pytest.mark.parametrize(("outcome", "word"), EMPTY)
    def test_gives_the_money_back_once_and_says_why(
        self, customer: Customer, stopwatch: Stopwatch, outcome: Any, word: str
    ) -> None:
        asked = ask(customer)
        row = accepted(asked, stopwatch)
        ended = settlement.end(asked, row, outcome, stopwatch=stopwatch)
        expected = ended_row(asked, stopwatch, hold_id=row.hold and row.hold.pk)
        assert_kept(ended, {**expected, **rows.to_columns(outcome, row, now=stopwatch.now)})
        assert (releases(row.hold), customer.balance.held, customer.balance.available) == ([word], 0, FREE_GRANT)
        settlement.end(asked, row, Cancelled(), stopwatch=stopwatch)
        assert (releases(row.hold), kept(row)["verdict"]) == ([word], ended.verdict)

    @pytest.mark.parametrize(("outcome", "word"), EMPTY)
    def test_also_when_it_is_taken_from_whoever_works_on_it(
        self, customer: Customer, stopwatch: Stopwatch, outcome: Any, word: str
    ) -> None:
        asked = ask(customer)
        row = accepted(asked, stopwatch)
        ended = settlement.end_locked(asked, row, outcome, stopwatch=stopwatch)
        expected = ended_row(asked, stopwatch, hold_id=row.hold and row.hold.pk)
        assert_kept(ended, {**expected, **rows.to_columns(outcome, row, now=stopwatch.now)})
        assert releases(row.hold) == [word]
        with pytest.raises(rows.EndedBefore):
            settlement.end_locked(asked, row, Cancelled(), stopwatch=stopwatch)

    def test_is_kept_also_where_nothing_was_held(self, customer: Customer, stopwatch: Stopwatch) -> None:
        asked = ask(customer)
        ended = settlement.end(asked, drafted(asked, stopwatch), NothingFound(), stopwatch=stopwatch)
        assert_kept(ended, ended_row(asked, stopwatch, verdict="not_found"))

    def test_gives_back_only_its_own_share_of_a_larger_hold(self, customer: Customer, stopwatch: Stopwatch) -> None:
        whole = ledger.hold(
            account_id=customer.account.pk,
            amount=3 * PRICE,
            idempotency_key="bulk",
            reference="",
            expires_at=timezone.now() + HOUR,
            now=timezone.now(),
            key=customer.key,
        )
        asked, other = ask(customer, shares_hold=True), ask(customer)
        rows_of_it = [drafted(one, stopwatch, hold=whole) for one in (asked, other)]
        Lookup.objects.bulk_create(rows_of_it)
        settlement.end(asked, rows_of_it[0], NothingFound(), stopwatch=stopwatch)
        assert (customer.balance.held, customer.balance.available) == (2 * PRICE, FREE_GRANT - 2 * PRICE)
        settlement.end(other, rows_of_it[1], NothingFound(), stopwatch=stopwatch)
        assert customer.balance.held == 0


class TestALiveAnswerWithoutMoney:
    def expired(self, customer: Customer, stopwatch: Stopwatch) -> tuple[Ask, Lookup]:
        """A question whose hold has gone back while its registry was asked."""
        asked = ask(customer)
        row = accepted(asked, stopwatch)
        asked.payer.release(asked.bill, row.hold, reason="expired", now=timezone.now())
        return asked, row

    def test_whose_hold_expired_is_charged_anew(
        self, customer: Customer, register: Register, stopwatch: Stopwatch
    ) -> None:
        answer = stored(customer, register)
        asked, row = self.expired(customer, stopwatch)
        ended = settlement.share(
            asked, row, {"kind": "answer", "id": answer.pk, "reading_id": answer.reading_id}, stopwatch=stopwatch
        )
        assert (ended.verdict, ended.cost, ended.balance_after) == ("found", PRICE, FREE_GRANT - 2 * PRICE)
        assert customer.balance.spent == 2 * PRICE

    def test_whose_hold_expired_and_whose_credit_is_gone_is_kept_back(
        self, customer: Customer, register: Register, stopwatch: Stopwatch
    ) -> None:
        answer = stored(customer, register)
        asked, row = self.expired(customer, stopwatch)
        spend_all(customer)
        result = {"kind": "answer", "id": answer.pk, "reading_id": answer.reading_id, "attempt_id": 78}
        ended = settlement.share(asked, row, result, stopwatch=stopwatch)
        expected = ended_row(asked, stopwatch, verdict="failed", reason="insufficient_balance", attempt_id=78)
        expected |= {"shared": True, "reading_id": answer.reading_id, "hold_id": row.hold and row.hold.pk}
        assert_kept(ended, expected)
        assert (customer.balance.held, releases(row.hold)) == (0, ["expired"])
        assert StoredAnswer.objects.filter(pk=answer.pk).exists()
