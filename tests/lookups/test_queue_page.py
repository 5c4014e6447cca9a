"""The page that says how the queue stands."""

from __future__ import annotations

import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.launch import commands
from lookups.jobs import broker, lifecycle, queue_status
from lookups.lookup import rows
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Cancelled, Failed, Found, NothingFound, Outcome, Unavailable
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Delivery, Job, StoredAnswer
from lookups.notifications import outbox_status
from lookups.verdicts import Breakdown
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.test_job_pages import staff

pytestmark = pytest.mark.django_db


def bulk_of(customer: Customer) -> BulkJob:
    now = timezone.now()
    return BulkJob.objects.create(
        account=customer.account,
        key=customer.key,
        accepts_stored=False,
        total=1,
        questions=1,
        created_at=now,
        deadline=now + timedelta(hours=1),
    )


def job(customer: Customer, *, minutes: float = 1, outcome: Outcome | None = None, **more: Any) -> Job:
    """A job accepted some minutes ago."""
    created = timezone.now() - timedelta(minutes=minutes)
    lookup = rows.draft(Ask(Question("NY", "Acme"), KeyPayer(customer.key)), now=created)
    if outcome is not None:
        rows.end(lookup, outcome, stopwatch=Stopwatch(more["ended_at"]))
    lookup.save()
    return Job.objects.create(
        account=customer.account,
        key=customer.key,
        lookup=lookup,
        ask_id=lookup.ask_id,
        state="NY",
        estimated_seconds=9,
        created_at=created,
        deadline=created + timedelta(hours=1),
        **more,
    )


def running(customer: Customer, *, seconds_ago: float, **more: Any) -> Job:
    lease = timezone.now() - timedelta(seconds=seconds_ago) + lifecycle.LEASE
    return job(customer, status="processing", claim=uuid.uuid4(), lease_until=lease, attempts=1, **more)


def ended(customer: Customer, outcome: Outcome, *, seconds_ago: float = 30, **more: Any) -> Job:
    status = "complete" if isinstance(outcome, Found | NothingFound) else "failed"
    at = timezone.now() - timedelta(seconds=seconds_ago)
    return job(customer, status=status, outcome=outcome, ended_at=at, **more)


def found() -> Found:
    """An answer of a registry, kept."""
    return Found(StoredAnswer(evidence={}, total=1, retrieved_at=timezone.now()))


def lines() -> dict[str, queue_status.Line]:
    return {line.kind: line for line in queue_status.read(now=timezone.now())}


def page(client: Client) -> str:
    reply = client.get("/admin/lookups/job/queue/")
    assert reply.status_code == 200
    return reply.content.decode()


class TestTheQueue:
    """Read from the jobs' rows."""

    def test_is_empty_and_well(self, db: None) -> None:
        told = page(staff("view_job"))
        assert "Nobody works" not in told
        assert "not in the last 60 minutes" in told

    def test_counts_each_kind_by_itself(self, customer: Customer) -> None:
        later = timezone.now() + timedelta(minutes=5)
        for _ in range(3):
            job(customer, minutes=2)
        job(customer, minutes=9, not_before=later)
        running(customer, seconds_ago=5)
        running(customer, seconds_ago=lifecycle.LEASE.total_seconds() + 60)
        job(customer, bulk=bulk_of(customer), minutes=30)
        single, bulk = lines()["single"], lines()["bulk"]
        assert (single.waiting, single.due, single.later, single.running, single.stuck) == (4, 3, 1, 1, 1)
        assert (bulk.waiting, bulk.due, bulk.running, bulk.stuck) == (1, 1, 0, 0)
        now = timezone.now()
        assert now - single.oldest >= timedelta(minutes=9)
        assert timedelta(minutes=2) <= now - single.due_since < timedelta(minutes=3)

    def test_counts_what_ended_by_how(self, customer: Customer) -> None:
        unreadable = Unavailable("NY", "layout_changed")
        for outcome in (found(), found(), NothingFound(), unreadable, Failed(Breakdown.BROKEN)):
            ended(customer, outcome)
        ended(customer, NothingFound(ambiguous=True))
        ended(customer, Cancelled(), bulk=bulk_of(customer))
        ended(customer, found(), seconds_ago=3700)
        assert lines()["single"].ended == {
            "answered": 2,
            "not found": 1,
            "ambiguous": 1,
            "unavailable: layout changed": 1,
            "ended or broken here": 1,
        }
        assert lines()["bulk"].ended == {"cancelled": 1}

    def test_names_the_accounts_with_the_most(self, customer: Customer) -> None:
        others = [open_customer(name=f"Account {number}") for number in range(6)]
        for number, other in enumerate(others):
            for _ in range(number + 1):
                job(other)
        told = lines()["single"].accounts
        assert [(name, number) for _, name, number in told] == [(f"Account {n}", n + 1) for n in (5, 4, 3, 2, 1)]

    def test_asks_the_database_as_often_for_many_jobs_as_for_none(self, customer: Customer) -> None:
        client = staff("view_job", "view_account")

        def count() -> int:
            with CaptureQueriesContext(connection) as seen:
                page(client)
            return len(seen)

        count()  # whatever is read once a process has been read
        none = count()
        for number in range(20):
            other = open_customer(name=f"Account {number}")
            job(other)
            running(other, seconds_ago=1)
            ended(other, found())
        assert count() == none


class TestABulkJobInItsList:
    """Leads to its questions."""

    def test_is_found_by_its_name_and_leads_to_its_jobs(self, customer: Customer) -> None:
        mine, other = bulk_of(customer), bulk_of(customer)
        one = job(customer, bulk=mine)
        job(customer, bulk=other)
        client = staff("view_job", "view_bulkjob")
        listed = client.get("/admin/lookups/bulkjob/", {"q": mine.public_id})
        assert list(listed.context["cl"].result_list) == [mine]
        address = f"/admin/lookups/job/?bulk__id__exact={mine.pk}"
        assert address in listed.content.decode()
        assert list(client.get(address).context["cl"].result_list) == [one]


class TestAWorkerThatIsGone:
    """Is noticed by the work nobody takes."""

    @pytest.mark.parametrize(
        ("due_minutes", "sign_seconds", "quiet"), [(2, None, True), (2, 90, True), (2, 20, False), (0.5, None, False)]
    )
    def test_by_what_was_last_ended(
        self, customer: Customer, due_minutes: float, sign_seconds: float | None, quiet: bool
    ) -> None:
        job(customer, minutes=due_minutes)
        if sign_seconds:
            ended(customer, found(), seconds_ago=sign_seconds)
        assert lines()["single"].is_quiet(timezone.now()) is quiet
        assert ("Nobody works on single jobs" in page(staff("view_job"))) is quiet

    def test_by_what_was_last_taken(self, customer: Customer) -> None:
        job(customer, minutes=2)
        running(customer, seconds_ago=20)
        assert not lines()["single"].is_quiet(timezone.now())

    def test_of_one_kind_is_not_hidden_by_the_other(self, customer: Customer) -> None:
        job(customer, minutes=2, bulk=bulk_of(customer))
        running(customer, seconds_ago=2)
        assert lines()["bulk"].is_quiet(timezone.now())

    def test_is_not_reported_when_all_that_waits_is_for_later(self, customer: Customer) -> None:
        job(customer, minutes=9, not_before=timezone.now() + timedelta(minutes=3))
        assert not lines()["single"].is_quiet(timezone.now())


def message(customer: Customer, channel: str = "webhook", *, due_minutes: float = 0, **more: Any) -> Delivery:
    """A message to a customer, due so many minutes ago (or later)."""
    now = timezone.now()
    told = {"status": "pending", "livemode": True, "next_at": now - timedelta(minutes=due_minutes), **more}
    return Delivery.objects.create(
        account=customer.account, channel=channel, event="webhook.test", created_at=now, body="{}", **told
    )


class TestMessagesToCustomers:
    """Stand beside the jobs they tell of."""

    def test_are_counted_by_how_they_are_sent(self, customer: Customer) -> None:
        now = timezone.now()
        message(customer, due_minutes=5)
        message(customer, due_minutes=-5, attempts=2)
        message(customer, due_minutes=1, claim=uuid.uuid4(), lease_until=now + timedelta(seconds=20))
        message(customer, status="delivered", next_at=None, delivered_at=now)
        message(customer, "email", status="given_up", next_at=None)
        webhook, mail = outbox_status.read(now=now)
        assert (webhook.waiting, webhook.due, webhook.retried, webhook.arrived, webhook.given_up) == (3, 1, 1, 1, 0)
        assert now - webhook.due_since > timedelta(minutes=4.9)
        assert (mail.waiting, mail.due_since, mail.given_up) == (0, None, 1)

    def test_are_shown_to_who_may_see_them(self, customer: Customer) -> None:
        message(customer, status="given_up", next_at=None)
        assert "Messages to customers" not in page(staff("view_job"))
        told = page(staff("view_job", "view_delivery", name="dora"))
        assert "channel__exact=webhook&amp;status__exact=given_up" in told

    def test_of_a_job_are_on_its_page(self, customer: Customer) -> None:
        done = ended(customer, Unavailable("NY", "blocked"))
        told = message(customer, due_minutes=1)
        Delivery.objects.filter(pk=told.pk).update(job=done, event="lookup.failed")
        address = f"/admin/lookups/job/{done.pk}/change/"
        assert f"/admin/lookups/delivery/{told.pk}/" in staff("view_job", "view_delivery").get(address).content.decode()
        assert "lookup.failed" not in staff("view_job", name="dora").get(address).content.decode()


class TestTheBroker:
    """Is asked how much waits in it."""

    def test_counts_messages_by_queue(self, monkeypatch: pytest.MonkeyPatch) -> None:
        mine = f"counted-{uuid.uuid4().hex}"  # other tests put messages into the same broker
        monkeypatch.setattr(broker, "QUEUES", (mine, f"{mine}-not"))
        assert broker.list_depths() == {mine: 0, f"{mine}-not": 0}
        for _ in range(3):
            current_app.send_task("nobody.knows", queue=mine)
        assert broker.list_depths() == {mine: 3, f"{mine}-not": 0}
        with current_app.connection_for_write() as opened:
            opened.default_channel.queue_purge(mine)
        assert broker.list_depths() == {mine: 0, f"{mine}-not": 0}

    def test_has_the_queues_that_workers_listen_to(self) -> None:
        assert set(broker.QUEUES) == {name for names in commands.QUEUES.values() for name in names.split(",")}

    @pytest.mark.parametrize("address", ["", "redis://127.0.0.1:9/0"], ids=["folder", "redis"])
    def test_that_takes_nothing_is_named_with_its_reason_to_whoever_reads_the_log(
        self, address: str, settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        """`/readyz` says that the queue takes nothing; whether it is away, full or read-only is what to do about it."""
        settings.REDIS_URL, settings.VAR_DIR = address, tmp_path / "gone"
        reply = Client().get("/readyz")
        assert (reply.status_code, list(reply.json()["details"])) == (503, ["broker"])
        assert ("connecting to 127.0.0.1:9" if address else "No such file or directory") in caplog.text

    def test_that_is_gone_is_unknown_not_empty(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(current_app.conf, "broker_url", "redis://127.0.0.1:9/0")
        assert broker.list_depths() is None
        assert "Unknown: the broker did not answer" in page(staff("view_job"))


class TestTheMenu:
    """Beside every page."""

    def test_leads_to_what_one_may_see(self, db: None) -> None:
        told = staff("view_job", "view_jurisdiction").get("/admin/").content.decode()
        assert 'href="/admin/lookups/job/queue/"' in told
        assert 'href="/admin/jurisdictions/jurisdiction/health/"' in told
        assert 'href="/admin/lookups/job/"' in told
        assert "/admin/billing/" not in told

    def test_hides_what_one_may_not(self, db: None) -> None:
        told = staff("view_account").get("/admin/").content.decode()
        assert "/admin/lookups/job/queue/" not in told
        assert "/health/" not in told
        assert 'href="/admin/billing/account/"' in told
