"""What an operator may do with a job."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from billing import ledger
from lookups.jobs import operator_actions, runner
from lookups.models import Job
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def slow_new_york(monkeypatch: pytest.MonkeyPatch, no_workers: None, register: Register) -> None:
    monkeypatch.setattr(NewYork, "slow", True)


@pytest.fixture
def staff() -> Client:
    get_user_model().objects.create_superuser("admin", password="a long password")
    client = Client()
    client.login(username="admin", password="a long password")
    return client


def act(staff: Client, action: str) -> str:
    asked = {"action": action, "_selected_action": [str(pk) for pk in Job.objects.values_list("pk", flat=True)]}
    return staff.post("/admin/lookups/job/", asked, follow=True).content.decode()


def do_over(staff: Client) -> str:
    """Choose them, read what it costs, confirm."""
    page = act(staff, "do_over")
    hidden = dict(re.findall(r'name="(token|as_of|ids)" value="([^"]+)"', page))
    return staff.post("/admin/lookups/job/ask-outage-again/", {**hidden, "confirm": "1"}, follow=True).content.decode()


def work() -> None:
    for job in Job.objects.all():
        runner.run(job_id=job.pk, now=timezone.now())


class TestAFailedJob:
    """Is shown with its reason, and may be done over."""

    @pytest.fixture(autouse=True)
    def _failed(self, customer: Customer, register: Register) -> None:
        register.status = 403
        assert customer.lookup().status_code == 202
        work()
        assert Job.objects.get().status == "failed"

    def test_is_listed_with_its_reason(self, staff: Client) -> None:
        page = staff.get("/admin/lookups/job/").content.decode()
        assert re.search(r"field-reason[^>]*>\s*blocked\s*<", page)
        assert "Acme Corp" in page
        assert staff.get(f"/admin/lookups/job/{Job.objects.get().pk}/change/").status_code == 200

    def test_says_when_to_the_second(self, staff: Client) -> None:
        made = Job.objects.get().created_at
        assert f"{made:%Y-%m-%d %H:%M:%S}" in staff.get("/admin/lookups/job/").content.decode()

    def test_is_asked_again_and_paid_for_once(self, staff: Client, customer: Customer, register: Register) -> None:
        assert "1 job is asked again" in do_over(staff)
        assert customer.balance.held == PRICE
        register.status = 200
        work()
        assert Job.objects.get().status == "complete"
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)
        assert "No live job that failed there is left" in act(staff, "do_over")

    def test_is_not_asked_again_without_money(self, customer: Customer) -> None:
        ledger.adjust(
            account_id=customer.account.pk,
            amount=-10 * PRICE,
            idempotency_key="x",
            operator="t",
            reason="t",
            now=timezone.now(),
        )
        with pytest.raises(ledger.InsufficientFunds):
            operator_actions.do_over(Job.objects.get(), now=timezone.now())
        assert Job.objects.get().status == "failed"


class TestAWaitingJob:
    """May be hurried or ended."""

    @pytest.fixture(autouse=True)
    def _waiting(self, customer: Customer, register: Register) -> None:
        register.status = 500
        customer.lookup()
        work()
        job: Any = Job.objects.get()
        assert (job.status, job.not_before > timezone.now()) == ("pending", True)

    def test_is_tried_now(self, staff: Client, register: Register) -> None:
        register.status = 200
        assert "1 of 1 to be tried now" in act(staff, "hurry")
        work()
        assert Job.objects.get().status == "complete"

    def test_is_ended_and_gives_its_money_back(self, staff: Client, customer: Customer) -> None:
        assert "1 of 1 ended" in act(staff, "end")
        assert (customer.balance.available, customer.balance.held) == (10 * PRICE, 0)
        assert (
            customer.get(f"/v1/lookup/status/{Job.objects.get().public_id}").json()["error"] == "Ended by the operator"
        )
