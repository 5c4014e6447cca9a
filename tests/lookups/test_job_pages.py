"""What staff see of a job whose lookup failed, and who may do something about it."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing import ledger
from lookups.jobs import lifecycle, runner, timeline
from lookups.lookup import settlement
from lookups.lookup.asks import Stopwatch
from lookups.models import Job, Lookup, SharedFetch
from scrapers.models import Breaker, Reading, ScrapeAttempt
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db

SEES_ALL = ("view_job", "view_scrapeattempt", "view_ledgerentry")


@pytest.fixture(autouse=True)
def slow_new_york(monkeypatch: pytest.MonkeyPatch, no_workers: None, register: Register) -> None:
    monkeypatch.setattr(NewYork, "slow", True)


def staff(*permissions: str, name: str = "sam") -> Client:
    user = get_user_model().objects.create_user(name, password=None, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client(enforce_csrf_checks=False)
    client.force_login(user)
    return client


def page_of(job: Job) -> str:
    return f"/admin/lookups/job/{job.pk}/change/"


def look(client: Client, job: Job) -> str:
    reply = client.get(page_of(job))
    assert reply.status_code == 200
    return reply.content.decode()


def ask_again(client: Client, job: Job) -> str:
    """The button, the page that says what it costs, its button."""
    page = do(client, job, "do_over", follow=True)
    hidden = dict(re.findall(r'name="(token|as_of|ids)" value="([^"]+)"', page.content.decode()))
    return client.post(page.redirect_chain[-1][0], {**hidden, "confirm": "1"}, follow=True).content.decode()


def do(client: Client, job: Job, action: str, **more: Any) -> Any:
    return client.post(f"/admin/lookups/job/{job.pk}/act/", {"job_action": action}, **more)


def work(job: Job) -> Job:
    """A worker takes the job, also if its turn is later."""
    Job.objects.filter(pk=job.pk).update(not_before=None)
    runner.run(job_id=job.pk, now=timezone.now())
    Breaker.objects.all().delete()
    return Job.objects.get(pk=job.pk)


def asked(customer: Customer, name: str = "Acme Corp") -> Job:
    """A question that became a job."""
    assert customer.lookup(name).status_code == 202
    return Job.objects.order_by("created_at").last()


@pytest.fixture
def blocked(customer: Customer, register: Register) -> Job:
    """A job whose registry turned us away."""
    register.status = 403
    job = work(asked(customer))
    assert job.status == "failed"
    return job


class TestAFailedJobsPage:
    """All that is known of it, on one page."""

    def test_says_why_in_words_and_what_the_customer_got(self, blocked: Job) -> None:
        page = look(staff(*SEES_ALL), blocked)
        assert "The registry&#x27;s site turned us away" in page
        assert "source_unavailable" in page
        assert "Acme Corp" in page
        assert str(blocked.ask_id) in page

    def test_shows_the_attempt_with_its_stages_and_what_the_portal_answered(self, blocked: Job) -> None:
        page = look(staff(*SEES_ALL), blocked)
        attempt = ScrapeAttempt.objects.get(asked_by=blocked.ask_id)
        assert f"/admin/scrapers/scrapeattempt/{attempt.pk}/change/#page-1" in page
        assert "answered 403" in page
        assert "GET 403" in page
        assert [one["status"] for one in Reading.objects.get(attempt=attempt).exchanges] == [403]

    def test_shows_its_money(self, blocked: Job) -> None:
        page = look(staff(*SEES_ALL), blocked)
        assert "released" in page
        for entry in ledger.LedgerEntry.objects.filter(hold=blocked.hold):
            assert f"/admin/billing/ledgerentry/{entry.pk}/change/" in page

    def test_shows_every_try_also_those_that_were_put_off(self, customer: Customer, register: Register) -> None:
        register.status = 500
        job = asked(customer)
        for _ in range(3):
            job = work(job)
        assert (job.status, Lookup.objects.get().verdict) == ("pending", None)
        story = timeline.tell(job, now=timezone.now())
        assert [one.attempt.outcome for one in story.tries] == ["down"] * 3
        assert {one.whose for one in story.tries} == {""}
        assert look(staff(*SEES_ALL), job).count("/change/#evidence") == 3

    def test_shows_the_tries_before_it_was_asked_again(self, blocked: Job, register: Register) -> None:
        client = staff(*SEES_ALL, "change_job")
        assert "1 job is asked again." in ask_again(client, blocked)
        register.status = 200
        job = work(blocked)
        assert (job.status, job.lookup_id == blocked.lookup_id) == ("complete", False)
        assert job.ask_id == blocked.ask_id  # whoever repeats the first request gets what has come of it by now
        story = timeline.tell(job, now=timezone.now())
        assert [(one.attempt.outcome, one.whose) for one in story.tries] == [
            ("blocked", "before it was asked again"),
            ("found", ""),
        ]
        assert [entry.kind for entry in story.entries] == ["hold", "release", "hold", "capture"]

    def test_leads_to_the_fetch_it_shared(self, customer: Customer, register: Register) -> None:
        register.status = 403
        mine = asked(customer)
        work(asked(open_customer(name="Other")))
        attempt, result = ScrapeAttempt.objects.get(), SharedFetch.objects.get().result
        assert result["attempt_id"] == attempt.pk
        claimed = lifecycle.claim(mine.pk, now=timezone.now())
        ask = runner.to_ask(claimed)
        lookup = settlement.share(ask, claimed.lookup, result, stopwatch=Stopwatch(timezone.now()))
        lifecycle.end(claimed, lookup, now=timezone.now())
        settled = Lookup.objects.get(ask_id=mine.ask_id)
        assert (settled.shared, settled.attempt_id) == (True, attempt.pk)
        page = look(staff(*SEES_ALL), mine)
        assert "of a fetch that somebody else" in page
        assert f"/admin/scrapers/scrapeattempt/{attempt.pk}/change/#page-1" in page

    def test_leads_to_fetches_that_a_try_may_have_waited_for(self, customer: Customer, register: Register) -> None:
        register.status = 500
        mine = asked(customer)
        work(asked(open_customer(name="Other")))
        Job.objects.filter(pk=mine.pk).update(attempts=1)  # it waited for the other's fetch, and was put off
        assert "may have waited for it" in look(staff(*SEES_ALL), mine)

    def test_says_so_when_nobody_was_asked(self, customer: Customer) -> None:
        job = asked(customer)
        assert "The registry was not asked" in look(staff(*SEES_ALL), job)

    def test_shows_hostile_text_escaped(self, customer: Customer, register: Register) -> None:
        register.status = 403
        job = work(asked(customer, "<script>alert(1)</script> Corp"))
        attempt = ScrapeAttempt.objects.get()
        attempt.detail, attempt.stages = "<img src=x onerror=alert(2)>", [{"name": "x", "ms": 1, "detail": "</pre><b>"}]
        attempt.save()
        client = staff(*SEES_ALL)
        for page in (look(client, job), client.get("/admin/lookups/job/").content.decode()):
            assert "<script>alert(1)" not in page
            assert "<img src=x" not in page
            assert "</pre><b>" not in page
        assert "&lt;img src=x" in look(client, job)

    def test_asks_the_database_as_often_for_many_tries_as_for_one(self, blocked: Job) -> None:
        client = staff(*SEES_ALL)

        def count() -> int:
            with CaptureQueriesContext(connection) as seen:
                look(client, blocked)
            return len(seen)

        count()  # whatever is read once a process has been read
        one = count()
        for _ in range(5):
            again = ScrapeAttempt.objects.get(pk=ScrapeAttempt.objects.last().pk)
            again.pk = None
            again.save()
            read = Reading.objects.last()
            assert read is not None
            read.pk, read.attempt = None, again
            read.save()
        assert count() == one

    def test_is_not_there_for_nonsense(self, blocked: Job) -> None:
        client = staff(*SEES_ALL)
        for nonsense in ("nonsense", uuid.uuid4()):
            assert client.get(f"/admin/lookups/job/{nonsense}/change/").status_code in (302, 404)


class TestAnActionOnAJobsPage:
    """Changes something, so it is a POST of somebody who may."""

    def test_ends_a_waiting_job_and_is_remembered_with_the_name(self, customer: Customer) -> None:
        job = asked(customer)
        client = staff("view_job", "change_job", name="dana")
        assert do(client, job, "end")["Location"] == page_of(job)
        assert Job.objects.get().status == "failed"
        assert (customer.balance.available, customer.balance.held) == (10 * PRICE, 0)
        assert "An operator ended it." in look(client, job)
        entry = LogEntry.objects.get()
        assert (entry.user.username, str(job.ask_id) in entry.change_message) == ("dana", True)

    def test_takes_a_running_job_from_its_worker(self, customer: Customer, register: Register) -> None:
        job = asked(customer)
        client = staff("view_job", "change_job")
        assert "Take from its worker" not in look(client, job)
        lifecycle.claim(job.pk, now=timezone.now())
        assert "Take from its worker" in look(client, job)
        do(client, job, "release")
        assert "It is stuck" in look(client, job)
        assert work(job).status == "complete"
        assert customer.balance.spent == PRICE

    def test_hurries_a_job_that_waits_for_another_try(self, customer: Customer, register: Register) -> None:
        register.status = 500
        job = asked(customer)
        runner.run(job_id=job.pk, now=timezone.now())
        do(staff("view_job", "change_job"), job, "hurry")
        assert Job.objects.get().not_before is None

    def test_tells_when_there_is_no_money_to_ask_again(self, blocked: Job, customer: Customer) -> None:
        ledger.adjust(
            account_id=customer.account.pk,
            amount=-10 * PRICE,
            idempotency_key="x",
            operator="t",
            reason="t",
            now=timezone.now(),
        )
        told = ask_again(staff("view_job", "change_job"), blocked)
        assert "0 jobs are asked again. 1 could not be paid for." in told
        assert not LogEntry.objects.exists()

    @pytest.mark.parametrize("action", ["hurry", "end", "release", "do_over"])
    def test_is_not_for_who_may_only_look(self, blocked: Job, action: str) -> None:
        client = staff(*SEES_ALL)
        assert do(client, blocked, action).status_code == 403
        client.post("/admin/lookups/job/", {"action": action, "_selected_action": [str(blocked.pk)]})
        assert Job.objects.get().status == "failed"
        page = look(client, blocked)
        assert "/act/" not in page
        assert "Ask again" not in page

    def test_is_no_link_and_not_made_by_another_site(self, blocked: Job) -> None:
        client = staff("view_job", "change_job")
        page = client.get(f"/admin/lookups/job/{blocked.pk}/act/?job_action=do_over", follow=True)
        assert page.request["PATH_INFO"] == f"/admin/lookups/job/{blocked.pk}/change/"
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(get_user_model().objects.get())
        assert do(strict, blocked, "do_over").status_code == 403
        assert Job.objects.get().status == "failed"

    def test_of_a_session_that_has_ended_leads_back_to_the_job(self, blocked: Job) -> None:
        client = staff("view_job", "change_job")
        sign_in = do(Client(), blocked, "do_over")["Location"]
        page = client.get(parse_qs(urlsplit(sign_in).query)["next"][0], follow=True)
        assert page.request["PATH_INFO"] == f"/admin/lookups/job/{blocked.pk}/change/"
        assert page.status_code == 200

    def test_that_is_none_is_not_there(self, blocked: Job) -> None:
        client = staff("view_job", "change_job")
        assert do(client, blocked, "delete").status_code == 404
        assert do(client, Job(pk=uuid.uuid4()), "end").status_code == 404

    def test_is_not_for_strangers(self, blocked: Job) -> None:
        assert do(Client(), blocked, "end").status_code == 302
        assert do(staff(), blocked, "end").status_code == 403
        assert Job.objects.get().status == "failed"


class TestWhatIsShownOfAJob:
    """Goes by the right to see it."""

    def test_leaves_out_what_the_registry_answered_and_the_money(self, blocked: Job) -> None:
        page = look(staff("view_job"), blocked)
        assert "You need the right to view scrape attempts" in page
        assert "You need the right to view ledger entries" in page
        assert "answered 403" not in page
        assert "/admin/billing/ledgerentry/" not in page

    def test_is_nothing_without_the_right_to_see_jobs(self, blocked: Job) -> None:
        client = staff("view_scrapeattempt")
        assert client.get(page_of(blocked)).status_code == 403
        assert client.get("/admin/lookups/job/queue/").status_code == 403


class TestALookupThatFailedAtOnce:
    """Has no job, and its page leads to the attempt all the same."""

    def test_leads_to_what_the_registry_answered(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", False)
        register.status = 403
        assert customer.lookup().status_code == 503
        assert customer.post("/v1/name-availability", {"entity_name": "Acme", "state": "NY"}).status_code == 503
        seer, viewer = staff("view_lookup", "view_scrapeattempt"), staff("view_lookup", name="kim")
        for lookup in Lookup.objects.all():
            attempt = ScrapeAttempt.objects.get(asked_by=lookup.ask_id)
            for client, leads in ((seer, True), (viewer, False)):
                page = client.get(f"/admin/lookups/lookup/{lookup.pk}/change/").content.decode()
                assert (f"/admin/scrapers/scrapeattempt/{attempt.pk}/change/" in page) is leads
        assert Lookup.objects.count() == 2


class TestTheListOfJobs:
    """Is narrowed by what operators look for."""

    def found(self, client: Client, **by: str) -> int:
        reply = client.get("/admin/lookups/job/", by)
        assert reply.status_code == 200
        return int(reply.context["cl"].result_count)

    @pytest.fixture
    def many(self, customer: Customer, blocked: Job, register: Register) -> Client:
        waiting, ended = asked(customer, "Zebra Inc"), asked(customer, "Yak Inc")
        Job.objects.filter(pk=waiting.pk).update(created_at=timezone.now() - timedelta(minutes=6))
        client = staff("view_job", "change_job")
        do(client, ended, "end")
        return client

    @pytest.mark.parametrize(
        ("by", "number"),
        [
            ({}, 3),
            ({"why": "blocked"}, 1),
            ({"why": "ended_by_operator"}, 1),
            ({"why": "internal_error"}, 0),
            ({"why": "down"}, 0),
            ({"why": "nonsense"}, 3),
            ({"age": "hour"}, 3),
            ({"age": "waiting"}, 1),
            ({"age": "stuck"}, 0),
            ({"kind": "single"}, 3),
            ({"kind": "bulk"}, 0),
            ({"status__exact": "failed"}, 2),
            ({"state": "NY"}, 3),
        ],
    )
    def test_by(self, many: Client, by: dict[str, str], number: int) -> None:
        assert self.found(many, **by) == number

    def test_by_the_name_customers_know_and_by_the_ask(self, many: Client, blocked: Job) -> None:
        assert self.found(many, q=blocked.public_id) == 1
        assert self.found(many, q=str(blocked.ask_id)) == 1
        assert self.found(many, q=f"job_{uuid.uuid4().hex}") == 0
        assert self.found(many, q="Acme") == 3
        assert self.found(many, q="\0") >= 0  # answered, whatever it finds

    def test_finds_stuck_ones(self, many: Client, customer: Customer) -> None:
        lifecycle.claim(asked(customer, "Ox Inc").pk, now=timezone.now() - lifecycle.LEASE - timedelta(seconds=1))
        assert self.found(many, age="stuck") == 1
