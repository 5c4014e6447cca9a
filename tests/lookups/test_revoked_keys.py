"""A key that is revoked, and an account that is closed, while their work waits: what has not begun is not begun."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import keys, reconciliation
from billing.models import Account, LedgerEntry
from lookups import tasks
from lookups.bulk import queue
from lookups.jobs import lifecycle, operator_actions, runner
from lookups.lookup import rows
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Accepted
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import Job, Lookup
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.registry_server import Register, company

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("register", "no_workers")]
ROWS = [{"entity_name": "Acme Corp", "state": "NY"}, {"entity_name": "Zebra Inc", "state": "NY"}]


@pytest.fixture
def sister(customer: Customer) -> Customer:
    """The same account with another key of the same mode."""
    key, secret = keys.issue(account=customer.account, name="other", now=timezone.now())
    return Customer(customer.account, key, secret)


def ask_in_bulk(customer: Customer) -> str:
    job: str = customer.post("/v1/bulk-lookup", {"entities": ROWS}).json()["job_id"]
    return job


def accept_job(customer: Customer, name: str = "Acme Corp") -> Job:
    """A single lookup that is answered later."""
    ask, now = Ask(Question(state="NY", name=name), KeyPayer(customer.key)), timezone.now()
    accepted = lifecycle.accept(ask, rows.draft(ask, now=now), estimated_seconds=60, now=now)
    assert isinstance(accepted, Accepted)
    return accepted.job


def revoke(customer: Customer) -> None:
    keys.revoke(key=customer.key, now=timezone.now())


def close(customer: Customer) -> None:
    Account.objects.filter(pk=customer.account.pk).update(is_active=False)


def expire(customer: Customer) -> None:
    type(customer.key).objects.filter(pk=customer.key.pk).update(expires_at=timezone.now())


ENDS = pytest.mark.parametrize("end", [revoke, close, expire])


class TestWhatWaitsForAKeyThatHasEnded:
    """Revoked, expired, or of an account that was closed."""

    @ENDS
    def test_is_cancelled_by_the_sweep_and_its_money_goes_back(
        self, customer: Customer, register: Register, end: Callable[[Customer], None]
    ) -> None:
        accept_job(customer)
        ask_in_bulk(customer)
        end(customer)
        tasks.sweep_jobs()
        assert set(Lookup.objects.values_list("verdict", flat=True)) == {"cancelled"}
        assert (customer.balance.held, customer.balance.available) == (0, 10 * PRICE)
        assert set(LedgerEntry.objects.filter(kind="release").values_list("reason", flat=True)) == {"cancelled"}
        assert (Job.objects.open().count(), register.asked) == (0, 0)
        assert reconciliation.run(now=timezone.now()).mismatches == []

    @ENDS
    def test_is_cancelled_at_the_latest_when_a_worker_takes_it(
        self, customer: Customer, register: Register, end: Callable[[Customer], None]
    ) -> None:
        job = accept_job(customer)
        ask_in_bulk(customer)
        end(customer)
        runner.run(job_id=job.pk, now=timezone.now())
        queue.work(now=timezone.now())
        assert set(Lookup.objects.values_list("verdict", flat=True)) == {"cancelled"}
        assert (customer.balance.held, customer.balance.spent, register.asked) == (0, 0, 0)

    def test_is_not_tried_a_second_time(self, customer: Customer, register: Register) -> None:
        register.status = 500
        job = accept_job(customer)
        runner.run(job_id=job.pk, now=timezone.now())
        assert Job.objects.get().status == "pending"
        revoke(customer)
        tasks.sweep_jobs()
        assert (Lookup.objects.get().verdict, customer.balance.held) == ("cancelled", 0)

    def test_is_not_asked_again_by_an_operator(self, customer: Customer) -> None:
        job = accept_job(customer)
        revoke(customer)
        tasks.sweep_jobs()
        assert operator_actions.do_over(Job.objects.get(pk=job.pk), now=timezone.now()) is False
        assert customer.balance.held == 0

    def test_is_told_as_cancelled(self, customer: Customer, sister: Customer) -> None:
        single, bulk = accept_job(customer), ask_in_bulk(customer)
        revoke(customer)
        tasks.sweep_jobs()
        status = sister.get(f"/v1/lookup/status/{single.public_id}").json()
        assert (status["status"], status["verdict"], status["code"], status["cost"]) == (
            "failed",
            "cancelled",
            "cancelled",
            0,
        )
        body = sister.get(f"/v1/bulk-lookup/{bulk}").json()
        assert [row["status"] for row in body["results"]] == ["cancelled"] * 2
        assert (body["status"], body["completed"], body["failed"], body["cost"]) == ("complete", 2, 0, 0)


@pytest.mark.django_db(transaction=True)
class TestWhatIsUnderWay:
    """When its key is revoked."""

    def test_may_end_and_is_paid(
        self, customer: Customer, register: Register, sister: Customer, at_once: Callable[..., list[Any]]
    ) -> None:
        job = accept_job(customer)
        answers = register.may_go = threading.Event()

        def revoke_meanwhile() -> None:
            assert register.in_there.wait(10)
            revoke(customer)
            tasks.sweep_jobs()
            answers.set()

        at_once(lambda: runner.run(job_id=job.pk, now=timezone.now()), revoke_meanwhile)
        assert sister.get(f"/v1/lookup/status/{job.public_id}").json()["verdict"] == "found"
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)


class TestTheSameAskedWithAnotherKey:
    """Moments later, by who has just revoked the one before."""

    def test_is_no_repetition_of_a_lookup_that_will_be_cancelled(self, customer: Customer, sister: Customer) -> None:
        accept_job(customer)
        revoke(customer)
        reply = sister.lookup()
        assert (reply.status_code, reply.json().get("verdict")) == (200, "found")
        tasks.sweep_jobs()
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)

    def test_is_no_repetition_of_a_bulk_job_that_will_be_cancelled(self, customer: Customer, sister: Customer) -> None:
        first = ask_in_bulk(customer)
        revoke(customer)
        second = ask_in_bulk(sister)
        tasks.sweep_jobs()
        queue.work(now=timezone.now())
        assert second != first
        assert sister.get(f"/v1/bulk-lookup/{second}").json()["found"] == 2

    def test_is_no_repetition_of_a_bulk_job_that_was_cancelled_in_the_middle(
        self, customer: Customer, sister: Customer
    ) -> None:
        first = ask_in_bulk(customer)
        runner.run(job_id=Job.objects.order_by("position")[0].pk, now=timezone.now())
        revoke(customer)
        tasks.sweep_jobs()
        assert customer.balance.spent == PRICE
        second = ask_in_bulk(sister)
        queue.work(now=timezone.now())
        assert second != first
        assert sister.get(f"/v1/bulk-lookup/{second}").json()["found"] == 2


class TestOtherWork:
    """Of whoever's key has not ended."""

    def test_of_a_sister_key_goes_on(self, customer: Customer, sister: Customer) -> None:
        accept_job(sister)
        ask_in_bulk(customer)
        revoke(customer)
        tasks.sweep_jobs()
        assert Counter(Lookup.objects.values_list("verdict", flat=True)) == {"cancelled": 2, None: 1}
        assert customer.balance.held == PRICE

    def test_of_a_rotated_key_goes_on_while_both_work(self, customer: Customer) -> None:
        now = timezone.now()
        accept_job(customer)
        keys.rotate(key=customer.key, grace=timedelta(hours=1), now=now)
        assert runner.sweep(now=now).failed == 0
        assert not Job.objects.barred(now + timedelta(minutes=59)).exists()
        assert Job.objects.barred(now + timedelta(hours=1)).exists()


class TestWhatWasBought:
    """With a key that was revoked since."""

    def test_stays_readable_with_the_accounts_other_keys(self, customer: Customer, sister: Customer) -> None:
        lookup = customer.lookup().json()["lookupId"]
        single, bulk = accept_job(customer, "Zebra Inc"), ask_in_bulk(customer)
        runner.run(job_id=single.pk, now=timezone.now())
        queue.work(now=timezone.now())
        revoke(customer)
        addresses = [f"/v1/lookups/{lookup}", f"/v1/lookup/status/{single.public_id}", f"/v1/bulk-lookup/{bulk}"]
        assert [customer.get(address).status_code for address in addresses] == [401] * 3
        replies = [sister.get(address) for address in addresses]
        assert [reply.status_code for reply in replies] == [200] * 3
        assert replies[2].json()["found"] == 2
        assert len(sister.get("/v1/lookups").json()["lookups"]) == 4
        assert sister.get("/v1/bulk-lookup").json()["bulk_jobs"][0]["job_id"] == bulk


@pytest.mark.django_db(transaction=True)
class TestAKeyRevokedWhileManyWork:
    """Workers take rows of its bulk job in the same moment."""

    def test_pays_for_what_was_begun_and_gets_the_rest_back(
        self, switches: None, register: Register, at_once: Callable[..., list[Any]]
    ) -> None:
        names = [f"COMPANY {number} INC." for number in range(8)]
        register.rows = [company(name, str(200000 + number)) for number, name in enumerate(names)]
        register.seconds = 0.05
        customer = open_customer()
        customer.post("/v1/bulk-lookup", {"entities": [{"entity_name": name, "state": "NY"} for name in names]})

        def work() -> int:
            return queue.work(now=timezone.now())

        at_once(work, work, work, lambda: revoke(customer), lambda: runner.sweep(now=timezone.now()))
        tasks.sweep_jobs()
        seen = Counter(Lookup.objects.values_list("verdict", flat=True))
        assert seen["found"] + seen["cancelled"] == 8
        assert (customer.balance.held, customer.balance.spent) == (0, seen["found"] * PRICE)
        assert reconciliation.run(now=timezone.now()).mismatches == []
