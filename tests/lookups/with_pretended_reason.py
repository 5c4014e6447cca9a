"""Where a reason is found that stands in the enum alone. Run by test_new_reason.py, with one that is pretended."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from lookups.admin import job_filters
from lookups.api.schema import document
from lookups.jobs import queue_status, retries, runner, timeline
from lookups.lookup.outcomes import Unavailable
from lookups.models import Job, Lookup
from scrapers.failures import Failure, PortalUnavailable
from scrapers.models import Breaker, ScrapeAttempt
from scrapers.operations import metrics
from scrapers.sandbox.magic import MAGIC
from scrapers.states.new_york import NewYork
from scrapers.transport.pace import Pace
from tests.lookups.conftest import PRICE, Customer

pytestmark = pytest.mark.django_db
WORD = "office_closed"
CLOSED = Failure(WORD)


@pytest.fixture
def closed_office(monkeypatch: pytest.MonkeyPatch) -> None:
    """New York's portal says that its office is closed."""

    def search(*_: Any) -> None:
        raise PortalUnavailable("closed today", reason=CLOSED)

    for name in ("search", "narrow"):
        monkeypatch.setattr(NewYork, name, search)
    monkeypatch.setattr(NewYork, "pace", Pace(seconds=0.0, concurrency=4))
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def job(customer: Customer, closed_office: None, monkeypatch: pytest.MonkeyPatch) -> Job:
    """A job of a slow state whose office is closed, with no time for a second try."""
    monkeypatch.setattr(NewYork, "slow", True)
    assert customer.lookup().status_code == 202
    Job.objects.update(deadline=timezone.now() + timedelta(seconds=50))
    run()
    return Job.objects.get()


@pytest.fixture
def admin(db: None) -> Client:
    get_user_model().objects.create_superuser("admin", password="a long password")
    client = Client()
    client.login(username="admin", password="a long password")
    return client


def run() -> None:
    runner.run(job_id=Job.objects.get().pk, now=timezone.now())


class TestTheCustomer:
    """Reads it where every reason is read."""

    def test_is_answered_with_it_and_pays_nothing(self, customer: Customer, closed_office: None) -> None:
        reply = customer.lookup()
        assert (reply.status_code, reply["Retry-After"]) == (503, "77")
        body = reply.json()
        assert (body["reason"], body["retryable"], body["cost"]) == (WORD, True, 0)
        assert (customer.balance.available, customer.balance.held) == (10 * PRICE, 0)
        assert Lookup.objects.get().reason == WORD

    def test_can_play_it_in_the_sandbox(self, tester: Customer) -> None:
        assert MAGIC[WORD] == "Magic Office Closed LLC"
        for kind in ("business_entity", "ucc"):
            reply = tester.lookup("Magic Office Closed LLC", searchType=kind)
            assert (reply.status_code, reply.json()["reason"], reply["Retry-After"]) == (503, WORD, "77")

    def test_finds_it_in_the_document(self) -> None:
        told = document.build()["components"]["schemas"]
        assert WORD in told["Reason"]["enum"]
        assert f"* `{WORD}` - " in told["Reason"]["description"]
        assert WORD in told["OutcomeReason"]["enum"]
        for name, words in (("SourceUnavailable", "Reason"), ("JobFailed", "OutcomeReason")):
            assert f"#/components/schemas/{words}" in str(told[name]["properties"]["reason"])

    def test_reads_its_sentence_once_the_registry_is_left_alone(self, customer: Customer, closed_office: None) -> None:
        for number in range(5):
            customer.lookup(f"Acme {number} Corp")
        assert (Breaker.objects.get().failures, Breaker.objects.get().reason) == (5, WORD)
        row = next(row for row in customer.get("/v1/states").json() if row["state"] == "NY")
        assert (row["status"], row["reason"]) == ("degraded", "The registry's office is closed today.")
        assert customer.lookup().json()["reason"] == WORD
        assert metrics.measure(now=timezone.now())["NY"].success_rate == 0.0


class TestAJob:
    """Is tried again after the reason's pause, and ends with it."""

    def test_waits_for_its_pause(
        self, customer: Customer, closed_office: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", True)
        customer.lookup()
        run()
        job = Job.objects.get()
        assert job.status == "pending"
        assert job.not_before is not None
        assert timedelta(seconds=4) < job.not_before - timezone.now() < timedelta(seconds=7 * 1.3)

    def test_waits_twice_as_long_each_time(self) -> None:
        now = timezone.now()
        later = retries.find_pause(Unavailable("NY", WORD), tries=3, now=now, deadline=now + timedelta(hours=1))
        assert later is not None
        assert timedelta(seconds=28) <= later <= timedelta(seconds=28 * 1.3)

    def test_tells_the_customer(self, customer: Customer, job: Job) -> None:
        body = customer.get(f"/v1/lookup/status/{job.public_id}").json()
        assert (body["status"], body["reason"], body["retryable"]) == ("failed", WORD, True)

    def test_tells_the_operator(self, job: Job, admin: Client) -> None:
        assert timeline.why(job, now=timezone.now()) == "The registry says that its office is closed."
        page = admin.get(f"/admin/lookups/job/{job.pk}/change/").content.decode()
        assert "The registry says that its office is closed." in page

    def test_is_found_by_it(self, job: Job, admin: Client) -> None:
        assert job_filters.REASONS[WORD][0] == "closed office"
        page = admin.get("/admin/lookups/job/?why=office_closed").content.decode()
        assert "closed office" in page
        assert job.public_id in page
        assert job.public_id not in admin.get("/admin/lookups/job/?why=down").content.decode()

    def test_is_counted_by_it(self, job: Job) -> None:
        single = next(line for line in queue_status.read(now=timezone.now()) if line.kind == "single")
        assert single.ended == {"unavailable: office closed": 1}


class TestTheEvidence:
    """Names it."""

    def test_is_listed_under_it(self, customer: Customer, closed_office: None, admin: Client) -> None:
        customer.lookup()
        attempt = ScrapeAttempt.objects.get()
        assert (attempt.outcome, attempt.get_outcome_display()) == (WORD, "office closed")
        assert "office closed" in admin.get(f"/admin/scrapers/scrapeattempt/?outcome__exact={WORD}").content.decode()

    def test_needs_no_more_than_a_migration_that_django_writes(self, capsys: pytest.CaptureFixture[str]) -> None:
        call_command("makemigrations", "scrapers", dry_run=True, verbosity=1)
        assert "Alter field outcome on scrapeattempt" in capsys.readouterr().out
