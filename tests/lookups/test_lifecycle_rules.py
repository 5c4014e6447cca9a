"""The rules of a job to the second and the row: who may take it and end it, who hears of it, when it is forgotten."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from celery import current_app

from billing.models import Hold
from jurisdictions import services as jurisdictions
from lookups.jobs import lifecycle, runner
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Accepted, Delivered, NothingFound, OutOfFunds, TooManyAtOnce, Unavailable
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Delivery, Job, StoredAnswer
from lookups.models.jobs import is_running
from tests.lookups.conftest import NOW, PRICE, Customer, open_customer

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
    return Ask(**{"question": ACME, "payer": KeyPayer(customer.key), "request_id": "r-1", **more})


def job(customer: Customer, **more: Any) -> Job:
    """A job's row, waiting unless `more` makes it another."""
    known = {
        "account": customer.account,
        "key": customer.key,
        "ask_id": uuid.uuid4(),
        "state": "NY",
        "question": lifecycle.to_json(ACME),
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
    known = {"status": "complete", "ended_at": NOW, "reply_status": 200, "reply": {"success": True}}
    return job(customer, **{**known, **more})


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


def now_is(row: Job) -> Job:
    return Job.objects.get(pk=row.pk)


class TestAnAcceptedQuestion:
    def accept(self, customer: Customer, limit: int = 10) -> Any:
        customer.key.concurrent_lookups = limit
        return lifecycle.accept(ask(customer), estimated_seconds=60, now=NOW)

    def test_is_kept_whole_with_its_money(self, customer: Customer) -> None:
        asked = ask(customer)
        outcome = lifecycle.accept(asked, estimated_seconds=60, now=NOW)
        row = Job.objects.get()
        assert outcome == Accepted(row.public_id, 60)
        assert (row.account, row.key, row.ask_id, row.state) == (customer.account, customer.key, asked.ask_id, "NY")
        assert (row.status, row.claim, row.attempts, row.bulk, row.request_id) == ("pending", None, 0, None, "r-1")
        assert (row.created_at, row.deadline, row.estimated_seconds) == (NOW, NOW + DEADLINE, 60)
        assert lifecycle.from_json(row.question) == ACME
        hold = Hold.objects.get()
        assert (row.hold, hold.amount, hold.expires_at) == (hold, PRICE, NOW + 2 * DEADLINE)

    def test_wakes_a_worker_once_it_is_written(
        self, customer: Customer, sent: list[Any], django_capture_on_commit_callbacks: Callable[..., Any]
    ) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            self.accept(customer)
            assert sent == []
        named = {"kwargs": {"job_id": str(Job.objects.get().pk)}, "queue": "interactive", "retry": False}
        assert sent == [("lookups.tasks.run_job", named)]

    def test_is_one_too_many_at_the_limit_and_not_before(self, customer: Customer) -> None:
        running(customer)
        assert isinstance(self.accept(customer, limit=2), Accepted)
        assert self.accept(customer, limit=2) == TooManyAtOnce(2)
        assert (Job.objects.count(), customer.balance.held) == (2, PRICE)

    def test_has_nothing_to_do_with_other_keys_bulk_jobs_and_what_has_ended(self, customer: Customer) -> None:
        job(open_customer(name="Other"))
        job(customer, bulk=bulk(customer))
        ended(customer)
        assert isinstance(self.accept(customer, limit=1), Accepted)

    def test_without_money_is_no_job(self, customer: Customer) -> None:
        customer.key.monthly_budget = PRICE - 1
        customer.key.save()
        assert self.accept(customer) == OutOfFunds(PRICE - 1, PRICE, by_budget=True)
        assert Job.objects.count() == 0

    def test_is_found_again_by_its_ask_and_by_no_other(self, customer: Customer) -> None:
        asked = ask(customer)
        assert lifecycle.find_accepted(asked) is None
        outcome = lifecycle.accept(asked, estimated_seconds=60, now=NOW)
        assert lifecycle.find_accepted(asked) == outcome
        assert lifecycle.find_accepted(ask(customer)) is None

    @pytest.mark.parametrize("runs", [True, False])
    def test_that_outlived_its_caller_is_claimed_by_the_fetch_that_goes_on(
        self, customer: Customer, runs: bool
    ) -> None:
        asked = ask(customer)
        row = now_is(lifecycle.adopt(asked, None, estimated_seconds=40, runs=runs, now=NOW))
        assert (row.ask_id, row.estimated_seconds, row.deadline) == (asked.ask_id, 40, NOW + DEADLINE)
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
        lifecycle.accept(ask(customer), estimated_seconds=60, now=NOW)
        taken = lifecycle.claim(Job.objects.get().pk, now=NOW)
        assert taken is not None
        with django_assert_num_queries(0):
            assert (taken.key.account.name, taken.bulk) == ("Acme", None)
            assert taken.hold is not None
            assert taken.hold.amount == PRICE

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
        assert lifecycle.fail(row, reply_status=500, reply={}, now=NOW) is False
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
    def end(self, row: Job) -> bool:
        return lifecycle.fail(row, reply_status=503, reply={"success": False}, now=NOW + MINUTE)

    def test_is_done_once_with_the_reply(self, customer: Customer) -> None:
        row, other = running(customer), running(customer)
        assert self.end(row) is True
        kept = now_is(row)
        assert (kept.status, kept.reply_status, kept.reply, kept.ended_at) == (
            "failed",
            503,
            {"success": False},
            NOW + MINUTE,
        )
        assert self.end(row) is False
        assert now_is(other).status == "processing"

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

    @pytest.mark.parametrize(
        ("outcome", "status"),
        [
            (Delivered(StoredAnswer(), live=True, cost=0, balance=0), "complete"),
            (NothingFound(), "complete"),
            (Unavailable("NY", "down"), "failed"),
            (OutOfFunds(0, PRICE), "failed"),
        ],
    )
    def test_with_an_answer_is_complete_and_else_it_failed(self, customer: Customer, outcome: Any, status: str) -> None:
        rendered: list[Any] = []

        def render(*given: Any) -> tuple[int, dict[str, Any]]:
            rendered.append(given)
            return 207, {"made": "by the customer's contract"}

        row = running(customer)
        assert lifecycle.end(row, outcome, render=render, now=NOW) is True
        assert lifecycle.end(row, outcome, render=render, now=NOW) is False
        kept = now_is(row)
        assert (kept.status, kept.reply_status, kept.reply) == (status, 207, {"made": "by the customer's contract"})
        assert (kept.ended_at, rendered[0]) == (NOW, (outcome, "r-1"))


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

    def test_are_single_ones_or_of_a_bulk_job(self, customer: Customer) -> None:
        one, of_bulk = job(customer), job(customer, bulk=bulk(customer))
        assert list(Job.objects.single()) == [one]
        assert list(Job.objects.of_bulk_jobs()) == [of_bulk]

    def test_are_failed_so_many_at_a_time_and_the_others_by_the_next_sweep(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(runner, "SWEPT", 1)
        late = [job(customer), job(customer)]
        jurisdictions.disable(code="FL", reason="Maintenance")
        off = [job(customer, state="FL", deadline=NOW + DAY) for _ in range(2)]
        for left in (1, 0):
            swept = runner.sweep(render=lambda *_: (503, {"success": False}), now=NOW + DEADLINE)
            assert swept.failed == 2
            assert Job.objects.open().filter(pk__in=[one.pk for one in late]).count() == left
            assert Job.objects.open().filter(pk__in=[one.pk for one in off]).count() == left


class TestTheNameOfAJob:
    def find(self, customer: Customer, name: str, now: Any = NOW) -> Job | None:
        return lifecycle.find(name, key=customer.key, now=now)

    def test_leads_to_it_for_its_account_only(self, customer: Customer) -> None:
        row = job(customer)
        assert self.find(customer, row.public_id) == row
        assert self.find(open_customer(name="Other"), row.public_id) is None

    def test_is_exactly_that(self, customer: Customer) -> None:
        name = job(customer).public_id
        for other in (name[4:], name.upper(), name + "0", name[:-1], "job_" + name, name[:-1] + "g", name[:-2] + " 0"):
            assert self.find(customer, other) is None, other

    def test_is_forgotten_seven_days_after_its_end(self, customer: Customer) -> None:
        row, waiting = ended(customer), job(customer)
        assert self.find(customer, row.public_id, NOW + 7 * DAY - SECOND) == row
        assert self.find(customer, row.public_id, NOW + 7 * DAY) is None
        assert self.find(customer, waiting.public_id, NOW + 8 * DAY) == waiting

    def test_is_cleared_away_with_the_job_but_for_rows_of_bulk_jobs(self, customer: Customer) -> None:
        ended(customer)
        ended(customer)
        of_bulk, waiting = ended(customer, bulk=bulk(customer)), job(customer)
        assert lifecycle.prune(now=NOW + 7 * DAY - SECOND) == 0
        assert lifecycle.prune(now=NOW + 7 * DAY) == 2
        assert set(Job.objects.all()) == {of_bulk, waiting}


class TestTheQuestionOfAJob:
    @pytest.mark.parametrize(
        "question",
        [
            ACME,
            Question(state="FL", entity_id="P1"),
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
        row = job(customer, question=lifecycle.to_json(question))
        assert lifecycle.from_json(now_is(row).question) == question

    def test_is_kept_under_the_names_it_had_before_an_update_of_the_service(self) -> None:
        asked = Question(state="CA", name="Zebra", kind="ucc", search_by="debtor", date_after=date(2025, 1, 2))
        assert lifecycle.to_json(asked) == {
            "state": "CA",
            "name": "Zebra",
            "entity_id": None,
            "kind": "ucc",
            "search_by": "debtor",
            "date_after": "2025-01-02",
            "date_before": None,
        }
