"""How a lookup ends, outcome by outcome: what is paid, what is kept of it, and what a caller gets who came too late."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from lookups.outcomes import Accepted, Delivered, NothingFound, Outcome, OutOfFunds, Refused, Unavailable
from lookups.questions import Question
from lookups.services import flights, jobs, lookup, paying, settling
from lookups.services.asks import Ask, Watch
from scrapers.errors import PageChanged, PortalBlocked, PortalUnavailable, QueryRefused
from scrapers.families.sandbox.magic import DEMO_QUESTION
from scrapers.pipeline import Reply

from billing import ledger
from billing.models import Hold, Payment
from lookups.models import Flight, Job, Lookup, StoredAnswer
from scrapers.records import Evidence, NotFound, Suggestion
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db
ACME, BY_ID = Question(state="NY", name="Acme Corp"), Question(state="NY", entity_id="100001")
FOUND, ABSENT = Lookup.Outcome.FOUND, Lookup.Outcome.NOT_FOUND
LOST = Unavailable("NY", "timeout")
FREE = 10 * PRICE


@pytest.fixture
def now() -> Any:
    return timezone.now()


@pytest.fixture
def watch(now: Any) -> Watch:
    """Started two and a half seconds ago."""
    made = Watch(now - timedelta(seconds=2.5))
    made._started -= 2.5
    return made


def ask(customer: Customer, **more: Any) -> Ask:
    return Ask(**{"question": ACME, "key": customer.key, "request_id": "r-1", **more})


def hold(asked: Ask) -> Hold:
    made = paying.set_aside(asked.bill, now=timezone.now())
    assert made is not None
    return made


def flight(asked: Ask) -> flights.Ticket:
    """The leave to ask the registry; no attempt has number 77 but this one."""
    made = flights.board(question=asked.question, sandbox=asked.sandbox, budget_seconds=20, now=timezone.now())
    return flights.Ticket(made.flight_id, made.pilot, attempt_id=77)


def stored(customer: Customer, register: Register) -> StoredAnswer:
    """An answer that was read before; its price was paid then."""
    assert customer.lookup().status_code == 200
    answer = StoredAnswer.objects.select_related("entity").get(asked="Acme Corp", match__kind="exact")
    Lookup.objects.all().delete()
    return answer


def absent(now: Any, **more: Any) -> Reply:
    near = Suggestion("ACME HOLDING", "7", "Active", 0.8)
    answer = NotFound(
        evidence=Evidence("https://registry.example/search", now, "a" * 64), suggestions=(near,), **more
    )  # fmt: skip
    return Reply(answer=answer, normalized=None, version="1", built_at="2026", note="Active only.", attempt_id=77)


def job_of(asked: Ask, **more: Any) -> Job:
    assert asked.key is not None
    row = jobs.adopt(asked, None, estimated_seconds=9, runs=True, now=timezone.now())
    Job.objects.filter(pk=row.pk).update(**more)
    return row


def kept() -> dict[str, Any]:
    """The one row of the one lookup; its time is measured and looked at apart."""
    row: dict[str, Any] = Lookup.objects.values().get()
    del row["id"]
    return row


def row_of(of: Ask, watch: Watch, **more: Any) -> dict[str, Any]:
    """What is kept of every lookup, with what is said of this one."""
    assert of.key is not None
    row = {
        "ask_id": of.ask_id, "account_id": of.key.account_id, "payment_id": None, "key_id": of.key.pk,
        "hold_id": None, "answer_id": None, "state": "NY", "kind": "business_entity", "asked": "Acme Corp",
        "sandbox": False, "source": "live", "outcome": "found", "reason": "", "shared": False, "cost": 0,
        "attempt_id": None, "request_id": "r-1", "created_at": watch.begun,
    }  # fmt: skip
    return {**row, **more}


def assert_kept(expected: dict[str, Any]) -> None:
    row = kept()
    assert 2500 <= row.pop("duration_ms") < 60_000
    assert row == expected


class TestAnAnswerOfTheRegistry:
    def test_that_there_is_no_such_company_gives_the_money_back(
        self, customer: Customer, watch: Watch, now: Any
    ) -> None:
        asked = ask(customer)
        held, ticket = hold(asked), flight(asked)
        told = settling.settle_reply(asked, held, ticket, absent(now), watch=watch)
        assert isinstance(told, NothingFound)
        assert (told.suggestions[0]["entityId"], told.ambiguous, told.note) == ("7", False, "Active only.")
        assert told.evidence is not None
        assert told.evidence["sourceUrl"] == "https://registry.example/search"
        assert_kept(row_of(asked, watch, outcome="not_found", hold_id=held.pk, attempt_id=77))
        held.refresh_from_db()
        assert (held.state, customer.balance.available) == ("released", FREE)
        assert held.entries.get(kind="release").reason == "not_found"
        landed = Flight.objects.get()
        assert landed.landing == {
            "kind": "not_found", "suggestions": told.suggestions, "ambiguous": False, "note": "Active only.",
            "evidence": told.evidence, "attempt_id": 77,
        }  # fmt: skip
        assert landed.landed_at is not None

    def test_that_several_fit_is_kept_as_ambiguous(self, customer: Customer, watch: Watch, now: Any) -> None:
        asked = ask(customer)
        told = settling.settle_reply(asked, None, flight(asked), absent(now, ambiguous=True), watch=watch)
        assert isinstance(told, NothingFound)
        assert told.ambiguous is True
        assert_kept(row_of(asked, watch, outcome="not_found", reason="ambiguous", attempt_id=77))
        assert settling.find_outcome(asked) == NothingFound(ambiguous=True)

    def test_is_kept_with_what_it_cost(self, customer: Customer, register: Register) -> None:
        begun = timezone.now()
        assert customer.lookup(headers={"x_request_id": "mine-1"}).status_code == 200
        row = Lookup.objects.get()
        assert row.hold is not None
        assert row.answer is not None
        assert (row.account, row.key, row.hold.state, row.answer.asked) == (
            customer.account, customer.key, "captured", "Acme Corp",
        )  # fmt: skip
        assert (row.source, row.outcome, row.cost, row.shared, row.reason) == ("live", "found", PRICE, False, "")
        assert row.attempt_id is not None
        assert begun <= row.created_at <= timezone.now()
        assert row.hold.entries.get(kind="capture").reference == "NY Acme Corp"
        landing = Flight.objects.get().landing
        assert landing == {"kind": "answer", "id": row.answer.pk, "attempt_id": row.attempt_id}

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
            (PortalUnavailable("slow", reason="timeout", retry_after=7.0), "timeout", True, 7.0),
            (PortalBlocked("a wall", retry_after=90.0), "blocked", True, 90.0),
            (PageChanged("no such label"), "layout_changed", False, None),
        ],
    )
    def test_costs_nothing_and_is_named(
        self, customer: Customer, watch: Watch, error: Any, reason: str, retryable: bool, retry_after: float | None
    ) -> None:
        asked = ask(customer)
        held = hold(asked)
        told = settling.settle_failure(asked, held, flight(asked), error, watch=watch)
        assert told == Unavailable("NY", reason, retryable, retry_after)
        landing = {"kind": "unavailable", "reason": reason, "retryable": retryable, "retry_after": retry_after}
        assert Flight.objects.get().landing == {**landing, "attempt_id": 77}
        assert_kept(row_of(asked, watch, outcome="source_unavailable", reason=reason, hold_id=held.pk, attempt_id=77))
        assert (customer.balance.available, customer.balance.held) == (FREE, 0)
        assert held.entries.get(kind="release").reason == "source_unavailable"
        assert settling.find_outcome(asked) == Unavailable("NY", reason)

    @pytest.mark.parametrize(("question", "field"), [(ACME, "entity_name"), (BY_ID, "entity_id")])
    def test_but_refuses_the_question_says_which_part_of_it(
        self, customer: Customer, watch: Watch, question: Question, field: str
    ) -> None:
        asked = ask(customer, question=question)
        tried: list[Unavailable] = []

        def try_again(failure: Unavailable) -> bool:
            tried.append(failure)
            return True

        told = settling.settle_failure(
            asked, None, flight(asked), QueryRefused("Too short."), watch=watch, try_again=try_again
        )
        assert (told, tried) == (Refused(field, "Too short."), [])
        assert Flight.objects.get().landing == {"kind": "refused", "text": "Too short.", "attempt_id": 77}
        expected = row_of(asked, watch, outcome="refused", asked=question.words, attempt_id=77)
        assert_kept(expected)
        assert settling.find_outcome(asked) == Refused(field, "The registry refused this question.")

    def test_and_is_tried_again_keeps_the_lookup_open_with_its_money(self, customer: Customer, watch: Watch) -> None:
        asked = ask(customer)
        failures: list[Unavailable] = []

        def again(failure: Unavailable) -> bool:
            failures.append(failure)
            return len(failures) == 1

        held = hold(asked)
        told = settling.settle_failure(
            asked, held, flight(asked), PortalUnavailable("503"), watch=watch, try_again=again
        )
        assert (told, failures) == (Unavailable("NY", "down"), [told])
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 0)
        assert Flight.objects.get().landed_at is not None
        last = settling.settle_failure(
            asked, held, flight(asked), PortalUnavailable("503"), watch=watch, try_again=again
        )
        assert (last, customer.balance.held, Lookup.objects.count()) == (Unavailable("NY", "down"), 0, 1)


class TestAnAnswerThatSomebodyElseFetched:
    def test_is_sold_and_marked_as_shared(self, customer: Customer, register: Register, watch: Watch) -> None:
        answer = stored(customer, register)
        other = open_customer(name="Other")
        asked = ask(other)
        held = hold(asked)
        told = settling.share(asked, held, {"kind": "answer", "id": answer.pk, "attempt_id": 78}, watch=watch)
        assert told == Delivered(answer, live=True, cost=PRICE, balance=FREE - PRICE)
        assert_kept(row_of(asked, watch, answer_id=answer.pk, shared=True, cost=PRICE, hold_id=held.pk, attempt_id=78))

    def test_that_there_is_none_is_told_and_marked_as_shared(self, customer: Customer, watch: Watch) -> None:
        asked = ask(customer)
        landing = {
            "kind": "not_found",
            "suggestions": [{"entityId": "7"}],
            "ambiguous": True,
            "note": "N",
            "evidence": {},
        }
        told = settling.share(asked, hold(asked), {**landing, "attempt_id": 78}, watch=watch)
        assert told == NothingFound([{"entityId": "7"}], True, "N", {})
        row = kept()
        assert (row["shared"], row["attempt_id"], row["reason"], row["outcome"]) == (True, 78, "ambiguous", "not_found")

    def test_that_takes_too_long_is_a_timeout(self, customer: Customer, watch: Watch) -> None:
        asked = ask(customer)
        assert settling.share(asked, hold(asked), None, watch=watch) == Unavailable("NY", "timeout")
        row = kept()
        assert (row["shared"], row["attempt_id"], row["reason"]) == (True, None, "timeout")
        assert customer.balance.held == 0

    def test_that_failed_may_be_tried_again(self, customer: Customer, watch: Watch) -> None:
        landing = {"kind": "unavailable", "reason": "down", "retryable": True, "retry_after": 3.0}
        asked = ask(customer)
        held = hold(asked)
        failed = Unavailable("NY", "down", True, 3.0)
        assert settling.share(asked, held, landing, watch=watch, try_again=lambda failure: failure == failed) == failed
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 0)
        assert settling.share(asked, held, landing, watch=watch) == failed
        assert (customer.balance.held, Lookup.objects.count()) == (0, 1)

    def test_that_was_refused_is_not_tried_again(self, customer: Customer, watch: Watch) -> None:
        asked = ask(customer)
        told = settling.share(asked, None, {"kind": "refused", "text": "No."}, watch=watch, try_again=lambda _: True)
        assert (told, Lookup.objects.count()) == (Refused("entity_name", "No."), 1)

    def test_that_broke_down_is_an_error_here_too(self, customer: Customer, watch: Watch) -> None:
        asked = ask(customer)
        with pytest.raises(flights.FlightLost):
            settling.share(asked, hold(asked), settling.CRASHED, watch=watch)
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 0)


class TestAStoredAnswer:
    def test_is_sold_from_the_balance(self, customer: Customer, register: Register, watch: Watch) -> None:
        answer = stored(customer, register)
        other = open_customer(name="Other")
        asked = ask(other)
        told = settling.sell_stored(asked, answer, watch=watch)
        expires = answer.retrieved_at + timedelta(days=7)
        assert told == Delivered(answer, live=False, cost=PRICE, balance=FREE - PRICE, expires_at=expires)
        assert_kept(row_of(asked, watch, source="cache", answer_id=answer.pk, cost=PRICE))

    def test_is_sold_from_what_was_held(self, customer: Customer, register: Register, watch: Watch) -> None:
        answer = stored(customer, register)
        asked = ask(open_customer(name="Other"))
        held = hold(asked)
        settling.sell_stored(asked, answer, watch=watch, hold=held)
        held.refresh_from_db()
        assert (held.state, kept()["hold_id"], kept()["cost"]) == ("captured", held.pk, PRICE)

    def test_without_money_is_not_sold(self, customer: Customer, register: Register, watch: Watch) -> None:
        answer = stored(customer, register)
        other = open_customer(name="Other")
        other.key.monthly_budget = PRICE - 1
        other.key.save()
        told = settling.sell_stored(ask(other), answer, watch=watch)
        assert (told, Lookup.objects.count()) == (OutOfFunds(PRICE - 1, PRICE, by_budget=True), 0)

    def test_costs_more_than_the_balance_says_so(self, customer: Customer, register: Register, watch: Watch) -> None:
        answer = stored(customer, register)
        asked = ask(open_customer(name="Other", mode="live"))
        assert asked.account is not None
        ledger.charge(
            account_id=asked.account.pk, amount=FREE - 1, idempotency_key="x", reference="", now=timezone.now()
        )
        assert settling.sell_stored(asked, answer, watch=watch) == OutOfFunds(1, PRICE, by_budget=False)

    @pytest.mark.parametrize("charged_to", ["hold", "balance"])
    def test_is_not_sold_for_a_job_that_is_somebody_elses(
        self, customer: Customer, register: Register, watch: Watch, charged_to: str
    ) -> None:
        answer = stored(customer, register)
        other = open_customer(name="Other")
        asked = ask(other, claim=uuid.uuid4())
        job_of(asked, claim=uuid.uuid4())
        held = hold(asked) if charged_to == "hold" else None
        assert settling.sell_stored(asked, answer, watch=watch, hold=held) == LOST
        assert (other.balance.spent, Lookup.objects.count()) == (0, 0)

    def test_whose_hold_ended_with_its_job_is_not_sold(
        self, customer: Customer, register: Register, watch: Watch
    ) -> None:
        answer = stored(customer, register)
        other = open_customer(name="Other")
        asked = ask(other)
        held = hold(asked)
        paying.give_back(held, reason="cancelled", now=timezone.now())
        job_of(asked, claim=uuid.uuid4())
        assert settling.sell_stored(asked, answer, watch=watch, hold=held) == LOST
        assert other.balance.spent == 0


class TestAnAskThatIsNotOursAnyMore:
    """Its job was ended, or another worker has it: nothing is paid, nothing is noted, and it counts as a time-out."""

    @pytest.fixture
    def asked(self, customer: Customer) -> Ask:
        return ask(customer, claim=uuid.uuid4())

    def test_is_known_by_its_job(self, customer: Customer, asked: Ask) -> None:
        assert settling.is_ours(asked)
        job_of(asked, claim=asked.claim)
        assert settling.is_ours(asked)
        Job.objects.update(claim=uuid.uuid4())
        assert not settling.is_ours(asked)
        Job.objects.update(status="pending", claim=None)
        assert not settling.is_ours(asked)
        Job.objects.update(status="failed", claim=asked.claim, ended_at=timezone.now(), reply={})
        assert not settling.is_ours(asked)

    def test_of_a_caller_who_waited_is_claimed_by_the_ask_itself(self, customer: Customer) -> None:
        asked = ask(customer)
        job_of(asked)
        assert settling.is_ours(asked)
        assert settling.is_ours(ask(customer))
        Job.objects.update(claim=uuid.uuid4())
        assert not settling.is_ours(asked)

    def test_is_never_one_that_came_with_its_payment(self, customer: Customer, now: Any) -> None:
        paid = Payment.objects.create(
            challenge_id="c", proof_hash="p", method="m", purpose="lookup", amount=PRICE, created_at=now
        )
        asked = Ask(question=ACME, payment=paid, claim=uuid.uuid4())
        job_of(ask(customer, ask_id=asked.ask_id), claim=uuid.uuid4())
        assert settling.is_ours(asked)

    def test_pays_for_no_answer(self, customer: Customer, register: Register, asked: Ask, watch: Watch) -> None:
        answer = stored(customer, register)
        held = hold(asked)
        job_of(asked, claim=uuid.uuid4())
        assert settling.share(asked, held, {"kind": "answer", "id": answer.pk}, watch=watch) == LOST
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 0)

    @pytest.mark.parametrize(
        "outcome", [NothingFound(), Refused("entity_name", "No."), Unavailable("NY", "down", retryable=False)]
    )
    def test_gives_no_money_back(self, customer: Customer, asked: Ask, watch: Watch, outcome: Any) -> None:
        held = hold(asked)
        job_of(asked, claim=uuid.uuid4())
        assert settling.conclude(asked, held, outcome, watch=watch) == LOST
        assert (customer.balance.held, Lookup.objects.count()) == (PRICE, 0)
        assert settling.conclude(asked, held, outcome, watch=watch, locked=True) is outcome
        assert (customer.balance.held, Lookup.objects.count()) == (0, 1)


class TestALookupThatDeliversNothing:
    def conclude(self, customer: Customer, outcome: Any, watch: Watch) -> dict[str, Any]:
        assert settling.conclude(ask(customer), None, outcome, watch=watch) is outcome
        return kept()

    def test_for_a_question_no_registry_of_the_state_takes_is_kept_as_unsupported(
        self, customer: Customer, watch: Watch
    ) -> None:
        row = self.conclude(customer, Refused("searchType", "No liens here.", unsupported=True), watch)
        assert (row["outcome"], row["reason"], row["shared"], row["attempt_id"]) == (
            "refused",
            "unsupported",
            False,
            None,
        )

    def test_for_a_question_that_is_too_short_has_no_further_reason(self, customer: Customer, watch: Watch) -> None:
        row = self.conclude(customer, Refused("entity_name", "Too short."), watch)
        assert (row["outcome"], row["reason"]) == ("refused", "")

    def test_gives_back_only_its_own_share_of_a_larger_hold(self, customer: Customer, watch: Watch) -> None:
        whole = ledger.hold(
            account_id=customer.account.pk, amount=3 * PRICE, idempotency_key="bulk", reference="",
            expires_at=timezone.now() + timedelta(hours=1), now=timezone.now(), key=customer.key,
        )  # fmt: skip
        settling.conclude(ask(customer, shares_hold=True), whole, NothingFound(), watch=watch)
        assert (customer.balance.held, customer.balance.available) == (2 * PRICE, FREE - 2 * PRICE)
        settling.conclude(ask(customer), whole, NothingFound(), watch=watch)
        assert customer.balance.held == 0


class TestALiveAnswerWithoutMoney:
    def test_whose_hold_expired_is_charged_anew(self, customer: Customer, register: Register, watch: Watch) -> None:
        answer = stored(customer, register)
        asked = ask(customer)
        held = hold(asked)
        paying.give_back(held, reason="expired", now=timezone.now())
        told = settling.share(asked, held, {"kind": "answer", "id": answer.pk}, watch=watch)
        assert told == Delivered(answer, live=True, cost=PRICE, balance=FREE - 2 * PRICE)

    def test_whose_hold_expired_and_whose_credit_is_gone_is_kept_back(
        self, customer: Customer, register: Register, watch: Watch
    ) -> None:
        answer = stored(customer, register)
        asked = ask(customer)
        held = hold(asked)
        paying.give_back(held, reason="expired", now=timezone.now())
        ledger.charge(
            account_id=customer.account.pk, amount=FREE - PRICE, idempotency_key="x", reference="", now=timezone.now()
        )
        told = settling.share(asked, held, {"kind": "answer", "id": answer.pk}, watch=watch)
        assert (told, Lookup.objects.count()) == (OutOfFunds(0, PRICE), 0)


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
        assert (settling.find_settled(asked), settling.find_outcome(asked)) == (None, None)

    def test_is_a_live_answer_with_what_it_cost(self, customer: Customer, register: Register) -> None:
        asked, row = self.settled(customer, register)
        customer.account.refresh_from_db()
        told = settling.find_outcome(asked)
        assert told == Delivered(row.answer, live=True, cost=PRICE, balance=customer.account.available)  # type: ignore[arg-type]
        assert told.answer.entity.name == "ACME CORP."  # type: ignore[union-attr]
        assert settling.find_settled(ask(customer)) is None

    def test_is_a_stored_answer_with_its_end(self, customer: Customer, register: Register) -> None:
        asked, row = self.settled(customer, register, source="cache")
        told = settling.find_outcome(asked)
        assert isinstance(told, Delivered)
        assert row.answer is not None
        assert (told.live, told.expires_at) == (False, row.answer.retrieved_at + timedelta(days=7))

    def test_of_a_payment_that_came_with_the_request_leaves_no_balance(
        self, customer: Customer, register: Register, now: Any
    ) -> None:
        _, row = self.settled(customer, register, source="cache")
        paid = Payment.objects.create(
            challenge_id="c", proof_hash="p", method="m", purpose="lookup", amount=PRICE, created_at=now
        )
        told = settling.find_outcome(Ask(question=ACME, payment=paid, ask_id=row.ask_id))
        assert isinstance(told, Delivered)
        assert (told.answer, told.balance) == (row.answer, None)

    def test_is_no_answer_when_that_is_gone(self, customer: Customer, register: Register) -> None:
        asked, _ = self.settled(customer, register, answer=None)
        assert settling.find_outcome(asked) is None

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
        assert settling.find_outcome(asked) == outcome
        assert settling.redeliver(asked, row) is None

    def test_is_delivered_again_and_not_asked_again(self, customer: Customer, register: Register) -> None:
        asked, row = self.settled(customer, register)
        told = lookup.perform(ask=asked, now=timezone.now())
        assert isinstance(told, Delivered)
        assert (told.answer, register.asked, customer.balance.spent) == (row.answer, 1, PRICE)

    def test_without_an_answer_is_asked_anew_under_another_id(self, customer: Customer, register: Register) -> None:
        asked, _ = self.settled(customer, register, outcome="not_found", cost=0)
        assert isinstance(lookup.perform(ask=asked, now=timezone.now()), Delivered)
        assert (register.asked, Lookup.objects.count()) == (2, 2)

    def test_is_the_job_it_became(self, customer: Customer, register: Register) -> None:
        asked = ask(customer, resumed=True)
        row = job_of(asked)
        assert lookup.perform(ask=asked, now=timezone.now()) == Accepted(row.public_id, 9)
        assert register.asked == 0
