"""The rules of a job to the second and the row: who may take it and end it, who hears of it, when it is forgotten."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import IntegrityError, transaction
from django.utils import timezone

from billing import keys, ledger, prices, reconciliation
from billing.models import Hold, LedgerEntry
from jurisdictions import services as jurisdictions
from lookups.bulk import bulk_jobs, queue
from lookups.jobs import lifecycle, operator_actions, runner
from lookups.lookup import rows
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Accepted, Failed, TooManyAtOnce
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Delivery, Job, Lookup, Watch
from lookups.models.jobs import is_running
from lookups.verdicts import Breakdown, Verdict
from tests.lookups.conftest import NOW, PRICE, Customer, open_customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db
SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
LEASE, DEADLINE = timedelta(seconds=130), timedelta(minutes=15)
ACME = Question(state="NY", name="Acme Corp")


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The messages that would have gone to the queue."""
    messages: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, **named: messages.append((name, named)))
    return messages


def ask(customer: Customer, **more: Any) -> Ask:
    """A question of its own, whatever the customer has asked before."""
    return Ask(**{"question": ACME, "payer": KeyPayer(customer.key), "request_id": "r-1", "apart": True, **more})


def lookup(customer: Customer, **more: Any) -> Lookup:
    """An open lookup's row."""
    known = {
        "account": customer.account,
        "key": customer.key,
        "state": "NY",
        "kind": "business_entity",
        "asked": "Acme Corp",
        "question": ACME.to_json(),
        "price": PRICE,
        "created_at": NOW,
    }
    return Lookup.objects.create(**{**known, **more})


def job(customer: Customer, **more: Any) -> Job:
    """A job's row, waiting unless `more` makes it another."""
    known = {
        "account": customer.account,
        "key": customer.key,
        "lookup": more.get("lookup") or lookup(customer, state=more.get("state", "NY")),
        "ask_id": uuid.uuid4(),
        "state": "NY",
        "estimated_seconds": 60,
        "request_id": "r-1",
        "created_at": NOW,
        "deadline": NOW + DEADLINE,
    }
    return Job.objects.create(**{**known, **more})


def running(customer: Customer, **more: Any) -> Job:
    known = {"status": "processing", "claim": uuid.uuid4(), "lease_until": NOW + LEASE, "attempts": 1}
    return job(customer, **{**known, **more})


def ended(customer: Customer, **more: Any) -> Job:
    settled = more.get("lookup") or lookup(customer, verdict="not_found", ended_at=NOW)
    return job(customer, **{"status": "complete", "ended_at": NOW, "lookup": settled, **more})


def accepted(customer: Customer, **more: Any) -> Job:
    """A question that was taken on with its money."""
    asked = ask(customer, **more)
    result = lifecycle.accept(asked, drafted(asked), estimated_seconds=60, now=NOW)
    assert isinstance(result, Accepted)
    return result.job


def drafted(asked: Ask) -> Lookup:
    return rows.draft(asked, now=NOW)


def bulk(customer: Customer) -> BulkJob:
    return BulkJob.objects.create(
        account=customer.account,
        key=customer.key,
        accepts_stored=False,
        total=1,
        questions=1,
        created_at=NOW,
        deadline=NOW + DEADLINE,
    )


def watch(customer: Customer) -> Watch:
    known = {"state": "NY", "entity_name": "Acme Corp", "every": "week", "categories": [], "created_at": NOW}
    return Watch.objects.create(account=customer.account, key=customer.key, **known)


def now_is(row: Job) -> Job:
    return Job.objects.get(pk=row.pk)


def with_verdict(row: Job, verdict: str | None = "unavailable") -> Lookup:
    """Its lookup as whoever settled it has it in hand."""
    row.lookup.verdict, row.lookup.ended_at = verdict, NOW if verdict else None
    row.lookup.save()
    return row.lookup


class TestAnAcceptedQuestion:
    def accept(self, customer: Customer, limit: int = 10) -> Any:
        customer.key.concurrent_lookups = limit
        asked = ask(customer)
        return lifecycle.accept(asked, drafted(asked), estimated_seconds=60, now=NOW)

    def test_is_kept_whole_with_its_money(self, customer: Customer) -> None:
        asked = ask(customer)
        result = lifecycle.accept(asked, drafted(asked), estimated_seconds=60, now=NOW)
        row, hold = Job.objects.get(), Hold.objects.get()
        assert result == Accepted(row)
        assert (row.account, row.key, row.ask_id, row.state) == (customer.account, customer.key, asked.ask_id, "NY")
        assert (row.status, row.claim, row.attempts, row.bulk, row.request_id) == ("pending", None, 0, None, "r-1")
        assert (row.created_at, row.deadline, row.estimated_seconds) == (NOW, NOW + DEADLINE, 60)
        assert (row.hold, hold.amount, hold.expires_at) == (hold, PRICE, NOW + 2 * DEADLINE)
        kept = Lookup.objects.get()
        assert (row.lookup, kept.ask_id, kept.hold, kept.verdict, kept.created_at) == (
            kept,
            asked.ask_id,
            hold,
            None,
            NOW,
        )
        assert Question.from_json(kept.question) == ACME

    def test_wakes_a_worker_once_it_is_written(
        self, customer: Customer, sent: list[Any], django_capture_on_commit_callbacks: Callable[..., Any]
    ) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            self.accept(customer)
            assert sent == []
        named = {"kwargs": {"job_id": str(Job.objects.get().pk)}, "queue": "interactive", "retry": False}
        assert sent == [("lookups.tasks.run_job", named)]

    def test_that_cannot_be_a_job_holds_nothing_and_is_not_kept(
        self, customer: Customer, sent: list[Any], django_capture_on_commit_callbacks: Callable[..., Any]
    ) -> None:
        asked = ask(customer)
        other = job(customer, ask_id=asked.ask_id)
        with django_capture_on_commit_callbacks(execute=True), pytest.raises(IntegrityError), transaction.atomic():
            lifecycle.accept(asked, drafted(asked), estimated_seconds=60, now=NOW)
        assert (list(Lookup.objects.all()), Hold.objects.count(), sent) == ([other.lookup], 0, [])

    def test_is_one_too_many_at_the_limit_and_not_before(self, customer: Customer) -> None:
        running(customer)
        assert isinstance(self.accept(customer, limit=2), Accepted)
        assert self.accept(customer, limit=2) == TooManyAtOnce(2)
        assert (Job.objects.count(), customer.balance.held) == (2, PRICE)

    @pytest.mark.parametrize(("wait", "given_up"), [(None, DEADLINE), (MINUTE, MINUTE), (DAY / 4, DAY / 4)])
    def test_is_given_up_when_its_caller_says_and_its_price_is_held_for_a_quarter_of_an_hour_more(
        self, customer: Customer, wait: timedelta | None, given_up: timedelta
    ) -> None:
        row = accepted(customer, max_wait=wait)
        assert (row.deadline, row.lookup.hold.expires_at) == (NOW + given_up, NOW + given_up + DEADLINE)

    @pytest.mark.parametrize(("budget", "longest"), [(8, 130), (200, 210)])
    def test_without_a_job_is_nobodys_after_the_longest_fetch(self, settings: Any, budget: int, longest: int) -> None:
        settings.SYNC_BUDGET_SECONDS = budget
        assert lifecycle.longest_answer() == timedelta(seconds=longest)

    def test_has_nothing_to_do_with_other_keys_bulk_jobs_and_what_has_ended(self, customer: Customer) -> None:
        job(open_customer(name="Other"))
        job(customer, bulk=bulk(customer))
        ended(customer)
        assert isinstance(self.accept(customer, limit=1), Accepted)

    def test_without_money_is_no_job(self, customer: Customer) -> None:
        customer.key.monthly_budget = PRICE - 1
        customer.key.save()
        with pytest.raises(ledger.BudgetExceeded):
            self.accept(customer)
        assert (Job.objects.count(), Lookup.objects.count()) == (0, 0)

    @pytest.mark.parametrize("runs", [True, False])
    def test_that_outlived_its_caller_is_claimed_by_the_fetch_that_goes_on(
        self, customer: Customer, runs: bool
    ) -> None:
        asked = ask(customer)
        made = drafted(asked)
        rows.accept(asked, made, now=NOW, hold_for=lifecycle.MAX_WAIT)
        row = now_is(lifecycle.adopt(asked, made, estimated_seconds=40, runs=runs, now=NOW))
        assert (row.ask_id, row.estimated_seconds, row.deadline) == (asked.ask_id, 40, NOW + DEADLINE)
        assert (row.lookup, row.hold, row.request_id, row.created_at) == (made, made.hold, "r-1", NOW)
        held = ("processing", asked.ask_id, NOW + LEASE, 1)
        free = ("pending", None, None, 0)
        assert (row.status, row.claim, row.lease_until, row.attempts) == (held if runs else free)


class TestTakingAJob:
    """One worker at a time, for as long as its lease runs."""

    def test_makes_it_the_workers_until_its_lease_runs_out(self, customer: Customer) -> None:
        row = job(customer)
        mine = lifecycle.claim(row.pk, now=NOW)
        assert mine is not None
        kept = now_is(row)
        assert (kept.status, kept.claim, kept.lease_until, kept.attempts) == (
            "processing",
            mine.claim,
            NOW + LEASE,
            1,
        )
        assert mine.claim is not None
        assert lifecycle.claim(row.pk, now=NOW + LEASE - SECOND) is None
        other = lifecycle.claim(row.pk, now=NOW + LEASE)
        assert other is not None
        assert (other.attempts, other.claim != mine.claim) == (2, True)

    def test_leaves_others_alone(self, customer: Customer) -> None:
        row, other = job(customer), job(customer)
        lifecycle.claim(row.pk, now=NOW)
        assert now_is(other).status == "pending"

    def test_is_not_done_at_its_deadline(self, customer: Customer) -> None:
        assert lifecycle.claim(job(customer).pk, now=NOW + DEADLINE) is None
        assert lifecycle.claim(job(customer).pk, now=NOW + DEADLINE - SECOND) is not None

    def test_is_not_done_before_its_next_try(self, customer: Customer) -> None:
        row = job(customer, not_before=NOW + MINUTE)
        assert lifecycle.claim(row.pk, now=NOW + MINUTE - SECOND) is None
        assert lifecycle.claim(row.pk, now=NOW + MINUTE) is not None

    def test_that_has_ended_is_not_done(self, customer: Customer) -> None:
        worked_on = ended(customer, claim=uuid.uuid4(), lease_until=NOW - MINUTE)
        assert lifecycle.claim(worked_on.pk, now=NOW) is None
        assert lifecycle.list_unheard(now=NOW) == []

    def test_reads_all_that_answering_needs_at_once(self, customer: Customer, django_assert_num_queries: Any) -> None:
        taken = lifecycle.claim(accepted(customer).pk, now=NOW)
        assert taken is not None
        with django_assert_num_queries(0):
            assert (taken.key.account.name, taken.bulk, taken.lookup.version) == ("Acme", None, None)
            assert taken.lookup.hold is not None
            assert (taken.lookup.hold.amount, taken.lookup.filing_set) == (PRICE, None)

    def test_whose_try_failed_waits_for_its_time_with_nobody(self, customer: Customer) -> None:
        row, other = running(customer), running(customer)
        assert lifecycle.postpone(row, until=NOW + MINUTE) is True
        kept = now_is(row)
        assert (kept.status, kept.claim, kept.lease_until, kept.not_before) == ("pending", None, None, NOW + MINUTE)
        assert now_is(other).status == "processing"

    def test_whose_worker_broke_is_free_at_once(self, customer: Customer) -> None:
        row, other = running(customer), running(customer)
        assert lifecycle.release(row, now=NOW) is True
        assert (now_is(row).lease_until, now_is(other).lease_until) == (NOW, NOW + LEASE)
        assert lifecycle.claim(row.pk, now=NOW) is not None

    def test_by_another_worker_leaves_the_first_with_nothing_to_say(self, customer: Customer) -> None:
        row = running(customer)
        Job.objects.filter(pk=row.pk).update(claim=uuid.uuid4())
        before = now_is(row)
        assert lifecycle.postpone(row, until=NOW) is False
        assert lifecycle.release(row, now=NOW) is False
        assert lifecycle.end(row, with_verdict(row), now=NOW) is False
        kept = now_is(row)
        assert (kept.status, kept.lease_until, kept.claim) == ("processing", before.lease_until, before.claim)

    @pytest.mark.parametrize("make", [job, ended])
    def test_that_nobody_has_taken_is_neither_put_off_nor_let_go(
        self, customer: Customer, make: Callable[[Customer], Job]
    ) -> None:
        row = make(customer)
        assert lifecycle.postpone(row, until=NOW) is False
        assert lifecycle.release(row, now=NOW) is False
        assert (now_is(row).not_before, now_is(row).lease_until) == (None, None)


class TestEndingAJob:
    def end(self, row: Job, verdict: str | None = "unavailable") -> bool:
        return lifecycle.end(row, with_verdict(row, verdict), now=NOW + MINUTE)

    def test_is_done_once(self, customer: Customer) -> None:
        row, other = running(customer), running(customer)
        assert self.end(row) is True
        kept = now_is(row)
        assert (kept.status, kept.ended_at) == ("failed", NOW + MINUTE)
        assert self.end(row, "found") is False
        assert (now_is(row).status, now_is(other).status) == ("failed", "processing")

    def test_is_not_done_while_its_lookup_is_open(self, customer: Customer) -> None:
        row = running(customer)
        assert self.end(row, None) is False
        assert now_is(row).status == "processing"

    def test_that_nobody_took_leaves_all_others_that_wait(self, customer: Customer) -> None:
        row, other = job(customer), job(customer)
        assert self.end(row) is True
        assert (now_is(row).status, now_is(other).status) == ("failed", "pending")

    def test_is_not_done_by_who_read_it_before_it_was_taken(self, customer: Customer) -> None:
        row = job(customer)
        lifecycle.claim(row.pk, now=NOW)
        assert self.end(row) is False
        assert now_is(row).status == "processing"

    def test_is_sent_to_a_customer_who_wants_to_know(
        self, customer: Customer, sent: list[Any], django_capture_on_commit_callbacks: Callable[..., Any]
    ) -> None:
        customer.account.webhook_url = "https://customer.example/hook"
        customer.account.save()
        row, of_bulk, not_mine = running(customer), running(customer, bulk=bulk(customer)), running(customer)
        Job.objects.filter(pk=not_mine.pk).update(claim=uuid.uuid4())
        with django_capture_on_commit_callbacks(execute=True):
            assert [self.end(one) for one in (row, of_bulk, not_mine)] == [True, True, False]
        delivery = Delivery.objects.get()
        assert (delivery.job, delivery.event, delivery.created_at) == (row, "lookup.failed", NOW + MINUTE)

    @pytest.mark.parametrize("verdict", [one.value for one in Verdict])
    def test_with_an_answer_is_complete_and_else_it_failed(self, customer: Customer, verdict: str) -> None:
        row = running(customer)
        assert self.end(row, verdict) is True
        answered = ("found", "not_found", "ambiguous", "free", "taken", "cannot_say")
        assert now_is(row).status == ("complete" if verdict in answered else "failed")


class TestAJobThatIsStopped:
    """By its deadline, its state's switch or an operator; also while a worker has it."""

    def stop(self, row: Job) -> bool:
        return runner.stop(row, because=Failed(Breakdown.ENDED), now=NOW + MINUTE)

    @pytest.mark.parametrize("runs", [True, False])
    def test_ends_its_lookup_and_gives_the_money_back_once(self, customer: Customer, runs: bool) -> None:
        row = accepted(customer)
        if runs:
            taken = lifecycle.claim(row.pk, now=NOW)
            assert taken is not None
            row = taken
        assert self.stop(row) is True
        assert self.stop(row) is False
        kept, job_now = Lookup.objects.get(), now_is(row)
        assert (job_now.status, job_now.ended_at) == ("failed", NOW + MINUTE)
        assert (kept.verdict, kept.reason, kept.cost) == ("failed", "ended_by_operator", 0)
        assert [entry.reason for entry in LedgerEntry.objects.filter(kind="release")] == ["ended_by_operator"]
        assert (customer.balance.available, customer.balance.held) == (10 * PRICE, 0)

    def test_whose_lookup_was_settled_ends_with_that(self, customer: Customer) -> None:
        row = accepted(customer)
        Lookup.objects.update(verdict="not_found", ended_at=NOW)
        before = Lookup.objects.values().get()
        assert self.stop(row) is True
        assert (now_is(row).status, Lookup.objects.values().get()) == ("complete", before)
        assert LedgerEntry.objects.filter(kind="release").count() == 0

    def test_is_left_alone_when_it_has_moved_on(self, customer: Customer) -> None:
        row = accepted(customer)
        lifecycle.claim(row.pk, now=NOW)
        assert self.stop(row) is False
        assert (now_is(row).status, Lookup.objects.get().verdict, customer.balance.held) == ("processing", None, PRICE)

    def test_that_was_settled_by_a_worker_who_died_is_ended_and_nobody_is_asked(
        self, customer: Customer, register: Register
    ) -> None:
        row = accepted(customer)
        Lookup.objects.update(verdict="not_found", ended_at=NOW)
        assert runner.run(job_id=row.pk, now=NOW) is True
        assert (now_is(row).status, register.asked) == ("complete", 0)

    def test_for_a_stored_answer_that_cannot_be_paid_any_more_says_so(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert customer.lookup().status_code == 200
        monkeypatch.setattr(prices, "STORED", 100)
        now = timezone.now()
        made = bulk_jobs.accept(
            wanted=[bulk_jobs.Wanted(ACME)],
            key=customer.key,
            accepts_stored=True,
            bulk_id=uuid.uuid4(),
            request_id="r-1",
            now=now,
        )
        assert isinstance(made, BulkJob)
        assert made.hold is not None
        ledger.release(hold_id=made.hold.pk, reason="expired", now=now)
        ledger.charge(account_id=customer.account.pk, amount=9 * PRICE, idempotency_key="x", reference="", now=now)
        assert runner.run(job_id=Job.objects.get().pk, now=now) is True
        kept = Lookup.objects.get(bulk=made)
        assert (kept.verdict, kept.reason, Job.objects.get().status) == ("failed", "insufficient_balance", "failed")


class TestAJobThatIsDoneOver:
    """A failed one's question is asked again for the same customer: a new lookup, and the old one stays as it is."""

    def failed(self, customer: Customer, verdict: str = "unavailable", **more: Any) -> Job:
        end = {"verdict": verdict, "reason": "down", "ended_at": NOW}
        earlier = lookup(customer, ref="mine", request_id="r-1", **end, **more)
        known = {"attempts": 3, "claim": uuid.uuid4(), "lease_until": NOW, "not_before": NOW, "bulk": earlier.bulk}
        return ended(customer, status="failed", lookup=earlier, ask_id=earlier.ask_id, **known)

    def bulk_of(self, customer: Customer, names: list[str]) -> BulkJob:
        made = bulk_jobs.accept(
            wanted=[bulk_jobs.Wanted(Question(state="NY", name=name), ref=name) for name in names],
            key=customer.key,
            accepts_stored=False,
            bulk_id=uuid.uuid4(),
            request_id="r-1",
            now=NOW,
        )
        assert isinstance(made, BulkJob)
        return made

    def stopped(self, of_bulk: BulkJob, position: int) -> Job:
        row = Job.objects.get(bulk=of_bulk, position=position)
        assert runner.stop(row, because=Failed(Breakdown.ENDED), now=NOW)
        return now_is(row)

    def test_waits_as_a_new_one_with_its_money_and_wakes_a_worker(
        self, customer: Customer, sent: list[Any], django_capture_on_commit_callbacks: Callable[..., Any]
    ) -> None:
        row = self.failed(customer)
        with django_capture_on_commit_callbacks(execute=True):
            assert operator_actions.do_over(row, now=NOW + DAY) is True
        assert [named["kwargs"]["job_id"] for _, named in sent] == [str(row.pk)]
        kept, hold = now_is(row), Hold.objects.get()
        assert (kept.status, kept.attempts, kept.deadline) == ("pending", 0, NOW + DAY + DEADLINE)
        assert (kept.claim, kept.lease_until, kept.not_before, kept.ended_at) == (None, None, None, None)
        assert (kept.hold, hold.amount, hold.expires_at) == (hold, PRICE, NOW + DAY + 2 * DEADLINE)
        assert operator_actions.do_over(row, now=NOW + DAY) is False

    def test_has_a_new_lookup_and_the_earlier_stays(self, customer: Customer) -> None:
        row = self.failed(customer)
        before = Lookup.objects.filter(pk=row.lookup_id).values().get()
        operator_actions.do_over(row, now=NOW + DAY)
        assert Lookup.objects.filter(pk=row.lookup_id).values().get() == before
        new = now_is(row).lookup
        assert (new.pk != row.lookup_id, new.ask_id != row.ask_id, Lookup.objects.count()) == (True, True, 2)
        assert (new.verdict, new.created_at, new.hold, new.price) == (None, NOW + DAY, Hold.objects.get(), PRICE)
        assert (new.account, new.key, new.ref, new.request_id, new.question, new.asked) == (
            customer.account,
            customer.key,
            "mine",
            "r-1",
            ACME.to_json(),
            "Acme Corp",
        )

    def test_is_done_over_also_where_its_customer_has_asked_the_same_since(self, customer: Customer) -> None:
        """Who reads both by their numbers gets both answers."""
        row = self.failed(customer)
        lookup(customer, created_at=NOW + DAY)
        assert operator_actions.do_over(row, now=NOW + DAY) is True
        assert (now_is(row).status, Hold.objects.count()) == ("pending", 1)

    @pytest.mark.parametrize("make", [job, running, ended])
    def test_is_one_that_failed(self, customer: Customer, make: Callable[[Customer], Job]) -> None:
        row = make(customer)
        before = Job.objects.values().get()
        assert operator_actions.do_over(row, now=NOW + DAY) is False
        assert (Job.objects.values().get(), Lookup.objects.count(), Hold.objects.count()) == (before, 1, 0)

    def test_without_money_stays_failed(self, customer: Customer) -> None:
        row = self.failed(customer)
        ledger.charge(account_id=customer.account.pk, amount=9 * PRICE + 1, idempotency_key="x", reference="", now=NOW)
        before = Job.objects.values().get()
        with pytest.raises(ledger.InsufficientFunds), transaction.atomic():
            operator_actions.do_over(row, now=NOW + DAY)
        assert (Job.objects.values().get(), Lookup.objects.count()) == (before, 1)

    def test_of_a_bulk_request_is_its_row_from_now_on(self, customer: Customer) -> None:
        made = self.bulk_of(customer, ["Acme Corp", "Zebra Inc"])
        row, other = self.stopped(made, 0), Lookup.objects.get(bulk=made, position=1)
        assert operator_actions.do_over(row, now=NOW + MINUTE) is True
        new, earlier = now_is(row).lookup, Lookup.objects.get(pk=row.lookup_id)
        assert list(Lookup.objects.rows_of(made)) == [new, other]
        assert (new.position, new.ref, new.origin, new.price, new.verdict) == (0, "Acme Corp", "bulk", PRICE, None)
        assert (earlier.bulk, earlier.position, earlier.origin, earlier.verdict) == (None, None, "bulk", "failed")

    def test_of_a_bulk_request_is_paid_from_its_own_hold(self, customer: Customer, register: Register) -> None:
        made = self.bulk_of(customer, ["Acme Corp", "Zebra Inc"])
        row, now = self.stopped(made, 0), timezone.now()
        operator_actions.do_over(row, now=now)
        assert customer.balance.held == 2 * PRICE
        assert runner.run(job_id=row.pk, now=now) is True
        new = now_is(row).lookup
        assert (new.verdict, new.cost, now_is(row).status) == ("found", PRICE, "complete")
        assert (customer.balance.held, customer.balance.spent) == (PRICE, PRICE)
        assert reconciliation.run(now=now).mismatches == []

    def test_of_a_bulk_request_takes_those_along_that_repeat_it(self, customer: Customer, register: Register) -> None:
        made, now = self.bulk_of(customer, ["Acme Corp", "ACME CORP"]), timezone.now()
        row = self.stopped(made, 0)
        operator_actions.do_over(row, now=now)
        assert runner.run(job_id=row.pk, now=now) is True
        assert [(one.verdict, one.cost) for one in Lookup.objects.rows_of(made)] == [("found", PRICE), ("found", 0)]

    def test_of_a_bulk_request_that_is_cancelled_gives_its_own_hold_back(self, customer: Customer) -> None:
        made = self.bulk_of(customer, ["Acme Corp", "Zebra Inc"])
        operator_actions.do_over(self.stopped(made, 0), now=NOW + MINUTE)
        bulk_jobs.cancel(made, now=NOW + 2 * MINUTE)
        assert (customer.balance.available, customer.balance.held) == (10 * PRICE, 0)

    @pytest.mark.parametrize("by_cancelling", [True, False])
    def test_of_a_bulk_request_that_had_ended_is_not_cancelled_with_it(
        self, customer: Customer, by_cancelling: bool
    ) -> None:
        made, now = self.bulk_of(customer, ["Acme Corp", "Zebra Inc"]), timezone.now()
        row = self.stopped(made, 0)
        if by_cancelling:
            assert bulk_jobs.cancel(made, now=now)
        else:
            self.stopped(made, 1)
            queue.sweep(now=now)
        operator_actions.do_over(row, now=now)
        assert not bulk_jobs.cancel(made, now=now)
        assert now_is(row).status == "pending"
        assert customer.balance.held == PRICE


class TestTheSweep:
    """What it finds among jobs of every sort."""

    def unheard(self, now: Any = NOW, **more: Any) -> list[uuid.UUID]:
        return lifecycle.list_unheard(now=now, **more)

    def test_wakes_who_has_waited_for_fifteen_seconds(self, customer: Customer) -> None:
        row = job(customer)
        assert self.unheard(NOW + timedelta(seconds=14)) == []
        assert self.unheard(NOW + timedelta(seconds=15)) == [row.pk]

    def test_wakes_whose_next_try_has_come_however_young(self, customer: Customer) -> None:
        row = job(customer, not_before=NOW + SECOND)
        assert self.unheard(NOW) == []
        assert self.unheard(NOW + SECOND) == [row.pk]

    def test_wakes_whose_worker_is_lost_and_lets_others_work(self, customer: Customer) -> None:
        lost, at_work = running(customer, lease_until=NOW), running(customer, lease_until=NOW + SECOND)
        assert self.unheard() == [lost.pk]
        assert at_work.pk not in self.unheard()

    def test_wakes_nobody_whose_time_is_over_nor_bulk_rows_nor_what_has_ended(self, customer: Customer) -> None:
        job(customer, deadline=NOW + MINUTE)
        job(customer, bulk=bulk(customer), deadline=NOW + DAY)
        ended(customer, deadline=NOW + DAY)
        assert self.unheard(NOW + MINUTE) == []

    def test_wakes_the_oldest_first_and_only_so_many(self, customer: Customer) -> None:
        young = job(customer, created_at=NOW - MINUTE)
        old = job(customer, created_at=NOW - 2 * MINUTE)
        assert self.unheard() == [old.pk, young.pk]
        assert self.unheard(limit=1) == [old.pk]

    def test_ends_lookups_that_nobody_attends_to_any_more(self, customer: Customer) -> None:
        lost, fresh = lookup(customer), lookup(customer, created_at=NOW + SECOND)
        assert runner.sweep(now=NOW + lifecycle.longest_answer() + SECOND) == runner.Swept(woken=0, failed=1)
        assert list(Lookup.objects.open()) == [fresh]
        assert Lookup.objects.get(pk=lost.pk).reason == "internal_error"


class TestTheRowsOfJobs:
    def test_are_overdue_whose_deadline_has_come_unless_somebody_is_at_it(self, customer: Customer) -> None:
        waiting, lost = job(customer), running(customer, lease_until=NOW + DEADLINE)
        running(customer, lease_until=NOW + DEADLINE + SECOND)
        ended(customer)
        assert list(Job.objects.overdue(NOW + DEADLINE - SECOND)) == []
        assert set(Job.objects.overdue(NOW + DEADLINE)) == {waiting, lost}

    def test_are_open_until_they_have_ended_and_live_unless_a_test_keys(
        self, customer: Customer, tester: Customer
    ) -> None:
        waiting, at_work, florida = job(customer), running(customer), job(customer, state="FL")
        done, pretended = ended(customer, state="TX"), job(tester, state="CA")
        assert set(Job.objects.open()) == {waiting, at_work, florida, pretended}
        assert set(Job.objects.live()) == {waiting, at_work, florida, done}
        asked = Job.objects.open().live()
        assert set(asked.filter(state="NY")) == {waiting, at_work}
        assert list(asked.filter(state="FL")) == [florida]
        assert (list(asked.filter(state="TX")), list(asked.filter(state="CA"))) == ([], [])

    def test_run_only_while_a_worker_has_them(self, customer: Customer) -> None:
        at_work = running(customer)
        job(customer)
        running(customer, lease_until=NOW)
        ended(customer, claim=uuid.uuid4(), lease_until=NOW + LEASE)
        assert list(Job.objects.filter(is_running(NOW))) == [at_work]

    def test_are_one_each_whatever_their_claims(self, customer: Customer) -> None:
        row, other = running(customer), running(customer)
        Job.objects.filter(pk=other.pk).update(claim=row.claim)
        assert list(Job.objects.claimed_like(row)) == list(Job.objects.unchanged(row)) == [row]

    def test_are_single_ones_of_a_bulk_job_or_of_a_watch(self, customer: Customer) -> None:
        one, of_bulk, of_watch = job(customer), job(customer, bulk=bulk(customer)), job(customer, watch=watch(customer))
        assert list(Job.objects.single()) == [one]
        assert list(Job.objects.of_bulk_jobs()) == [of_bulk]
        assert list(Job.objects.of_watches()) == [of_watch]
        assert set(Job.objects.queued()) == {of_bulk, of_watch}

    def test_are_failed_so_many_at_a_time_and_the_others_by_the_next_sweep(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(runner, "SWEPT", 1)
        late = [job(customer), job(customer)]
        jurisdictions.disable(code="FL", reason="Maintenance")
        off = [job(customer, state="FL", deadline=NOW + DAY) for _ in range(2)]
        for left in (1, 0):
            swept = runner.sweep(now=NOW + DEADLINE)
            assert swept.failed == 2
            assert Job.objects.open().filter(pk__in=[one.pk for one in late]).count() == left
            assert Job.objects.open().filter(pk__in=[one.pk for one in off]).count() == left

    def test_that_can_not_be_failed_keep_no_other_from_it(self, customer: Customer) -> None:
        broken = job(customer, lookup=lookup(customer, question={"of": "another version"}))
        job(customer)
        waiting = job(customer, deadline=NOW + DAY)
        assert runner.sweep(now=NOW + DEADLINE) == runner.Swept(woken=1, failed=1)
        assert set(Job.objects.open()) == {broken, waiting}


class TestTheNameOfAJob:
    def find(self, customer: Customer, name: str, now: Any = NOW) -> Job | None:
        return lifecycle.find(name, key=customer.key, now=now)

    def test_leads_to_it_for_its_account_only(self, customer: Customer) -> None:
        row = job(customer)
        assert self.find(customer, row.public_id) == row
        assert self.find(open_customer(name="Other"), row.public_id) is None

    def test_leads_to_it_for_keys_of_its_own_mode_only(self, customer: Customer) -> None:
        row, (test_key, _) = job(customer), keys.issue(account=customer.account, name="t", now=NOW, mode="test")
        pretended = job(customer, key=test_key)
        for key, mine, other in ((customer.key, row, pretended), (test_key, pretended, row)):
            assert lifecycle.find(mine.public_id, key=key, now=NOW) == mine
            assert lifecycle.find(other.public_id, key=key, now=NOW) is None

    def test_is_exactly_that(self, customer: Customer) -> None:
        name = job(customer).public_id
        for other in (name[4:], name.upper(), name + "0", name[:-1], "job_" + name, name[:-1] + "g", name[:-2] + " 0"):
            assert self.find(customer, other) is None, other

    def test_is_forgotten_seven_days_after_its_end(self, customer: Customer) -> None:
        row, waiting = ended(customer), job(customer)
        assert self.find(customer, row.public_id, NOW + 7 * DAY - SECOND) == row
        assert self.find(customer, row.public_id, NOW + 7 * DAY) is None
        assert self.find(customer, waiting.public_id, NOW + 8 * DAY) == waiting

    def test_is_cleared_away_with_the_job_and_what_came_of_it_stays(self, customer: Customer) -> None:
        ended(customer)
        ended(customer, bulk=bulk(customer))
        waiting = job(customer)
        assert lifecycle.prune(now=NOW + 7 * DAY - SECOND) == 0
        assert lifecycle.prune(now=NOW + 7 * DAY) == 2
        assert (list(Job.objects.all()), Lookup.objects.count()) == ([waiting], 3)


class TestTheQuestionOfALookup:
    @pytest.mark.parametrize(
        "question",
        [
            ACME,
            Question(state="FL", entity_id="P1"),
            Question(state="VA", name="Acme", kind="name_check", from_copy=True),
            Question(
                state="CA",
                name="Zebra",
                kind="ucc",
                search_by="secured_party",
                date_after=date(2025, 1, 2),
                date_before=date(2026, 3, 4),
            ),
        ],
    )
    def test_is_asked_again_as_it_was(self, customer: Customer, question: Question) -> None:
        row = job(customer, lookup=lookup(customer, question=question.to_json()))
        assert Question.from_json(now_is(row).lookup.question) == question
        assert runner.to_ask(now_is(row)).question == question

    def test_is_asked_for_whoever_holds_its_claim_at_the_price_it_had(self, customer: Customer) -> None:
        row = running(customer, lookup=lookup(customer, price=PRICE + 1), attempts=1)
        asked = runner.to_ask(row)
        assert (asked.ask_id, asked.claim, asked.price) == (row.lookup.ask_id, row.claim, PRICE + 1)
        assert (asked.payer.key, asked.request_id, asked.resumed) == (customer.key, "r-1", False)
        assert (asked.shares_hold, asked.accepts_stored) == (False, False)
        row.attempts, row.bulk = 2, bulk(customer)
        asked = runner.to_ask(row)
        assert (asked.resumed, asked.shares_hold, asked.accepts_stored) == (True, True, False)
        row.bulk.accepts_stored = True
        assert runner.to_ask(row).accepts_stored is True

    def test_is_kept_under_the_names_it_had_before_an_update_of_the_service(self) -> None:
        asked = Question(state="CA", name="Zebra", kind="ucc", search_by="debtor", date_after=date(2025, 1, 2))
        assert asked.to_json() == {
            "state": "CA",
            "name": "Zebra",
            "entity_id": None,
            "kind": "ucc",
            "search_by": "debtor",
            "date_after": "2025-01-02",
            "date_before": None,
            "from_copy": False,
        }
