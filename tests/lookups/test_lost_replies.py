"""A client that disconnects, and asks the same again within five minutes, is not charged twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import keys, ledger, prices, reconciliation
from lookups.bulk import bulk_jobs, queue
from lookups.jobs import runner
from lookups.lookup import rows
from lookups.lookup.asks import Ask
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Job, Lookup
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.messages import end_bulk, wait_for
from tests.lookups.registry_server import Register

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_workers")]
REPLAYED = "Idempotency-Replayed"
ROWS = [{"entity_name": "Acme Corp", "state": "NY", "ref": "a"}, {"entity_name": "Zebra Inc", "state": "NY"}]


def pass_time(**by: float) -> None:
    """Everything asked so far was asked so much earlier."""
    moved = timezone.now() - timedelta(**by)
    Lookup.objects.update(created_at=moved)
    BulkJob.objects.update(created_at=moved)


def refuse_money(customer: Customer) -> None:
    """Nothing is left to pay with."""
    left = customer.balance.available
    ledger.charge(account_id=customer.account.pk, amount=left, idempotency_key="all", reference="", now=timezone.now())


class TestTheSameQuestionAgain:
    """Within five minutes of an answer that was paid for."""

    def test_gets_the_same_reply_and_costs_nothing_more(self, customer: Customer, register: Register) -> None:
        first, second = customer.lookup(), customer.lookup()
        assert (second.status_code, second.content) == (200, first.content)
        assert (second[REPLAYED], REPLAYED in first) == ("true", False)
        assert (customer.balance.spent, customer.balance.held, register.asked) == (PRICE, 0, 1)
        assert Lookup.objects.count() == 1

    def test_gets_it_with_the_last_credit_spent(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        refuse_money(customer)
        assert customer.lookup()[REPLAYED] == "true"
        assert customer.lookup("Zebra Inc").status_code == 402

    @pytest.mark.parametrize("how", [{"fresh": True}, {"source": "live"}])
    def test_gets_it_although_it_must_be_live(
        self, customer: Customer, register: Register, how: dict[str, Any]
    ) -> None:
        first, second = customer.lookup(**how), customer.lookup(**how)
        assert second.json()["data"]["scrapedAt"] == first.json()["data"]["scrapedAt"]  # which says how old it is
        assert (customer.balance.spent, register.asked) == (PRICE, 1)

    def test_gets_it_of_a_name_check_too(self, customer: Customer, register: Register) -> None:
        body = {"entity_name": "Acme", "state": "NY"}
        first, second = (customer.post("/v1/name-availability", body) for _ in range(2))
        assert (second.content, second[REPLAYED], customer.balance.spent) == (first.content, "true", PRICE)

    def test_gets_it_from_a_stored_answer_that_had_a_price(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prices, "STORED", 100)
        open_customer(name="Other").lookup()
        first, second = (customer.lookup(source="cache") for _ in range(2))
        assert (second.content, second[REPLAYED], customer.balance.spent) == (first.content, "true", 100)
        assert customer.lookup(source="live").json()["source"] == "live"  # a stored answer is none to that
        assert customer.balance.spent == 100 + PRICE

    def test_gets_it_with_the_ref_that_it_had(self, customer: Customer, register: Register) -> None:
        first, second = (customer.lookup(ref="a") for _ in range(2))
        assert (second.content, second[REPLAYED], customer.balance.spent) == (first.content, "true", PRICE)

    def test_gets_it_for_as_long_again_as_an_answer_may_take(
        self, customer: Customer, register: Register, settings: Any
    ) -> None:
        settings.SYNC_BUDGET_SECONDS = 100.0
        customer.lookup()
        pass_time(minutes=6)
        assert customer.lookup()[REPLAYED] == "true"

    def test_gets_it_with_another_key_of_the_account(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        key, secret = keys.issue(account=customer.account, name="other", now=timezone.now())
        assert Customer(customer.account, key, secret).lookup()[REPLAYED] == "true"

    def test_gets_the_job_that_answers_it(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", True)
        first, second = customer.lookup(), customer.lookup()
        assert (first.status_code, second.status_code, second[REPLAYED]) == (202, 202, "true")
        assert second.json()["jobId"] == first.json()["jobId"]
        assert runner.run(job_id=Job.objects.get().pk, now=timezone.now())
        third = customer.lookup()
        assert (third.status_code, third.json()["verdict"], third[REPLAYED]) == (200, "found", "true")
        assert (customer.balance.spent, customer.balance.held, Job.objects.count()) == (PRICE, 0, 1)


class TestAnotherQuestion:
    """Or the same one under other circumstances: answered anew, and charged."""

    @pytest.mark.parametrize("other", [{"entity_name": "ACME CORPORATION"}, {"ref": "b"}, {"entity_id": "100001"}])
    def test_is_charged(self, customer: Customer, register: Register, other: dict[str, Any]) -> None:
        customer.lookup(ref="a")
        again = customer.post("/v1/lookup", {"entity_name": "Acme Corp", "state": "NY", "ref": "a", **other})
        assert REPLAYED not in again
        assert customer.balance.spent == 2 * PRICE

    def test_without_a_ref_is_charged(self, customer: Customer, register: Register) -> None:
        customer.lookup(ref="a")
        assert REPLAYED not in customer.lookup()
        assert customer.balance.spent == 2 * PRICE

    def test_with_an_idempotency_key_of_its_own_is_charged(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        for number in range(2):
            assert REPLAYED not in customer.lookup(headers={"idempotency_key": f"order-{number}"})
        assert (customer.balance.spent, register.asked) == (3 * PRICE, 3)

    def test_after_five_minutes_is_charged(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        pass_time(minutes=4, seconds=59)
        assert customer.lookup()[REPLAYED] == "true"
        pass_time(seconds=rows.ASKED_AGAIN.total_seconds() + 20)
        assert REPLAYED not in customer.lookup()
        assert customer.balance.spent == 2 * PRICE

    def test_of_another_account_is_charged(self, customer: Customer, register: Register) -> None:
        other = open_customer(name="Other")
        customer.lookup()
        assert REPLAYED not in other.lookup()
        assert other.balance.spent == PRICE

    def test_that_a_bulk_job_has_asked_is_another_purchase(self, customer: Customer, register: Register) -> None:
        body = {"entities": [{"entity_name": "Acme Corp", "state": "NY"}]}
        assert customer.post("/v1/bulk-lookup", body).status_code == 202
        end_bulk()
        assert REPLAYED not in customer.lookup()
        assert customer.balance.spent == 2 * PRICE

    def test_by_the_same_words_in_another_place_is_another(self, customer: Customer, register: Register) -> None:
        assert customer.post("/v1/lookup", {"entity_id": "100001", "state": "NY"}).status_code == 200
        assert REPLAYED not in customer.lookup("100001")

    def test_with_a_test_key_is_none_that_was_paid_for(self, customer: Customer, register: Register) -> None:
        assert customer.lookup().status_code == 200
        key, secret = keys.issue(account=customer.account, name="test", mode="test", now=timezone.now())
        pretended = Customer(customer.account, key, secret).lookup()
        assert (pretended.status_code, REPLAYED in pretended) == (404, False)

    def test_with_a_test_key_for_a_stored_answer_is_none_that_was_paid_for(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prices, "STORED", 100)
        key, secret = keys.issue(account=customer.account, name="test", mode="test", now=timezone.now())
        tester = Customer(customer.account, key, secret)
        assert tester.lookup("Magic Found LLC").status_code == 200
        register.rows = [{**register.rows[0], "current_entity_name": "MAGIC FOUND LLC"}]
        assert customer.lookup("Magic Found LLC").status_code == 200
        pretended = tester.lookup("Magic Found LLC", source="cache")
        assert (pretended.json()["livemode"], pretended.json()["source"]) == (False, "cache")
        assert REPLAYED not in pretended

    def test_of_a_test_key_is_none_that_the_registry_has_answered(self, customer: Customer, register: Register) -> None:
        key, secret = keys.issue(account=customer.account, name="test", mode="test", now=timezone.now())
        pretended = Customer(customer.account, key, secret).lookup("Magic Found LLC")
        assert (pretended.status_code, Lookup.objects.get().price) == (200, PRICE)
        real = customer.lookup("Magic Found LLC")
        assert (real.status_code, REPLAYED in real, register.asked > 0) == (404, False, True)

    def test_after_nothing_was_found_is_asked_anew(self, customer: Customer, register: Register) -> None:
        rows_of_then, register.rows = register.rows, []
        assert customer.lookup().status_code == 404
        register.rows = rows_of_then
        again = customer.lookup()
        assert (again.status_code, REPLAYED in again, customer.balance.spent) == (200, False, PRICE)
        assert customer.lookup().content == again.content

    def test_after_the_registry_failed_is_asked_anew(self, customer: Customer, register: Register) -> None:
        register.status = 500
        assert customer.lookup().status_code == 503
        register.status = 200
        assert (customer.lookup().status_code, customer.balance.spent) == (200, PRICE)

    def test_that_costs_nothing_is_asked_anew(self, switches: None, register: Register) -> None:
        ours = open_customer(kind="internal")
        assert [REPLAYED in ours.lookup() for _ in range(2)] == [False, False]
        tester = open_customer(mode="test", name="Tester")
        assert [REPLAYED in tester.lookup("Magic Found LLC", "CA") for _ in range(2)] == [False, False]


class TestTheSameBulkRequestAgain:
    """Within five minutes of its 202."""

    def ask(self, customer: Customer, rows: Any = None, **more: Any) -> Any:
        return customer.post("/v1/bulk-lookup", {"entities": rows or ROWS}, **more)

    def test_is_the_same_bulk_job(self, customer: Customer, register: Register) -> None:
        first, second = self.ask(customer), self.ask(customer)
        assert (second.status_code, second.json(), second[REPLAYED]) == (202, first.json(), "true")
        assert (customer.balance.held, BulkJob.objects.count()) == (2 * PRICE, 1)
        queue.work(now=timezone.now())
        assert self.ask(customer).json()["job_id"] == first.json()["job_id"]
        assert (customer.balance.held, customer.balance.spent) == (0, 2 * PRICE)

    def test_is_another_one_where_it_ended_and_cost_nothing(self, customer: Customer, register: Register) -> None:
        """Its registry was down, say: the rows are asked again, and not told from what failed."""
        register.status = 500
        first = self.ask(customer).json()["job_id"]
        end_bulk()
        late = timezone.now() + bulk_jobs.MAX_WAIT
        runner.sweep(now=late)
        queue.sweep(now=late)
        assert BulkJob.objects.get().ended_at
        register.status = 200
        second = self.ask(customer)
        assert REPLAYED not in second
        assert second.json()["job_id"] != first
        end_bulk()
        assert (customer.balance.held, customer.balance.spent) == (0, 2 * PRICE)
        third = self.ask(customer)
        assert (third.json(), third[REPLAYED]) == (second.json(), "true")

    def test_is_another_one_when_it_asks_anything_else(self, customer: Customer, register: Register) -> None:
        self.ask(customer)
        for other in (ROWS[::-1], ROWS[:1], [ROWS[0], {**ROWS[1], "ref": "b"}]):
            assert REPLAYED not in self.ask(customer, other)
        assert REPLAYED not in customer.post("/v1/bulk-lookup", {"entities": ROWS, "max_wait_seconds": 60})
        assert BulkJob.objects.count() == 5

    def test_is_another_one_after_five_minutes_or_a_cancel_or_with_a_key(
        self, customer: Customer, register: Register
    ) -> None:
        self.ask(customer)
        assert REPLAYED not in self.ask(customer, idempotency_key="x")
        pass_time(minutes=5)
        assert REPLAYED not in self.ask(customer)
        BulkJob.objects.update(cancelled_at=timezone.now())
        assert REPLAYED not in self.ask(customer)


@pytest.mark.django_db(transaction=True)
class TestAClientThatDidNotWait:
    """Its first request is still being answered when it asks again."""

    def test_gets_the_answer_of_the_first_and_pays_once(
        self, customer: Customer, register: Register, at_once: Callable[..., list[Any]]
    ) -> None:
        answers = register.may_go = threading.Event()

        def ask_again() -> Any:
            assert register.in_there.wait(10)
            threading.Timer(0.5, answers.set).start()
            return customer.lookup()

        first, second = at_once(customer.lookup, ask_again)
        assert (second.content, second[REPLAYED]) == (first.content, "true")
        assert (customer.balance.spent, customer.balance.held, register.asked) == (PRICE, 0, 1)

    def test_many_times_at_once_pays_once(
        self, customer: Customer, register: Register, at_once: Callable[..., list[Any]]
    ) -> None:
        register.seconds = 0.2
        replies = at_once(*[customer.lookup] * 8)
        assert len({reply.content for reply in replies}) == 1
        assert [REPLAYED in reply for reply in replies].count(False) == 1
        assert (customer.balance.spent, customer.balance.held, register.asked) == (PRICE, 0, 1)
        assert reconciliation.run(now=timezone.now()).mismatches == []

    def test_a_bulk_job_many_times_at_once_pays_once(
        self, customer: Customer, register: Register, at_once: Callable[..., list[Any]]
    ) -> None:
        replies = at_once(*[lambda: customer.post("/v1/bulk-lookup", {"entities": ROWS})] * 6)
        assert len({reply.json()["job_id"] for reply in replies}) == 1
        assert customer.balance.held == 2 * PRICE

    def test_takes_it_over_where_the_first_died(self, customer: Customer, register: Register, settings: Any) -> None:
        settings.SYNC_BUDGET_SECONDS = 0.3
        dead, now = Ask(Question(state="NY", name="Acme Corp"), KeyPayer(customer.key)), timezone.now()
        rows.accept(dead, rows.draft(dead, now=now), now=now, hold_for=timedelta(minutes=30))
        reply = customer.lookup()
        assert reply.status_code in (200, 202)
        for job in Job.objects.filter(status="pending"):
            runner.run(job_id=job.pk, now=timezone.now())
        wait_for(lambda: not Lookup.objects.open().exists())
        assert (Lookup.objects.count(), customer.balance.spent, customer.balance.held) == (1, PRICE, 0)
