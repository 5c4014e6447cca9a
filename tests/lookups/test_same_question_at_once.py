"""The same question asked twice at once: one fetch, and each customer billed for their own answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from lookups.lookup import single_flight
from lookups.lookup.questions import Question
from lookups.models import Lookup, SharedFetch
from tests.lookups.conftest import PRICE, Customer, anew, answers_when, open_customer
from tests.lookups.registry_server import Register, company

pytestmark = pytest.mark.django_db(transaction=True)
ACME = Question(state="NY", name="Acme Corp")


def without_marks(reply: Any) -> dict[str, Any]:
    """A reply without what is its own: the marks of request and lookup, and the hash of its manifest."""
    body = reply.json()
    assert len(body["evidence"]["sha256"]) == 64
    return {**body, "requestId": "", "lookupId": "", "evidence": {**body["evidence"], "sha256": ""}}


class TestOneQuestionOfMany:
    """Several customers want the same company at the same moment."""

    def test_is_fetched_once_and_billed_to_each(
        self, switches: None, register: Register, come: list[Any], at_once: Callable[..., list[Any]]
    ) -> None:
        customers = [open_customer(name=f"Customer {number}") for number in range(4)]
        all_here = answers_when(register, lambda: len(come) == 4)
        *replies, _ = at_once(*[customer.lookup for customer in customers], all_here)
        assert [reply.status_code for reply in replies] == [200] * 4
        assert register.asked == 1
        assert {reply.json()["source"] for reply in replies} == {"live"}
        assert [customer.balance.spent for customer in customers] == [PRICE] * 4
        assert [customer.balance.held for customer in customers] == [0] * 4
        assert sorted(Lookup.objects.values_list("shared", flat=True)) == [False, True, True, True]

    def test_that_finds_nothing_is_billed_to_nobody(
        self, switches: None, register: Register, come: list[Any], at_once: Callable[..., list[Any]]
    ) -> None:
        customers = [open_customer(name=f"Customer {number}") for number in range(3)]
        register.rows = []
        all_here = answers_when(register, lambda: len(come) == 3)
        *replies, _ = at_once(*[customer.lookup for customer in customers], all_here)
        assert [reply.status_code for reply in replies] == [404] * 3
        assert [customer.balance.available for customer in customers] == [10 * PRICE] * 3
        bodies = [without_marks(reply) for reply in replies]
        assert bodies[0] == bodies[1] == bodies[2]

    def test_that_fails_fails_for_all_and_is_billed_to_nobody(
        self, switches: None, register: Register, come: list[Any], at_once: Callable[..., list[Any]]
    ) -> None:
        customers = [open_customer(name=f"Customer {number}") for number in range(3)]
        register.status = 403
        all_here = answers_when(register, lambda: len(come) == 3)
        *replies, _ = at_once(*[customer.lookup for customer in customers], all_here)
        assert [reply.json()["reason"] for reply in replies] == ["blocked"] * 3
        assert [customer.balance.available for customer in customers] == [10 * PRICE] * 3

    def test_asked_twice_by_one_customer_under_two_keys_is_billed_twice(
        self, switches: None, register: Register, come: list[Any], at_once: Callable[..., list[Any]]
    ) -> None:
        customer = open_customer()

        def ask() -> Any:
            return customer.lookup(headers=anew())

        at_once(ask, ask, answers_when(register, lambda: len(come) == 2))
        assert register.asked == 1
        assert customer.balance.spent == 2 * PRICE

    def test_is_answered_with_its_own_company_though_one_of_like_name_was_read_since(
        self, switches: None, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A clerk calls both names the same, so they share a stored answer: a moment later it was the other's."""
        register.rows = [company("FOXES LLC", "300001"), company("THE FOXES LLC", "300002")]
        asks, waits, other = open_customer(name="Asks"), open_customer(name="Waits"), open_customer(name="Other")
        join, shared = single_flight.join, list[single_flight.Ticket]()

        def noted(**asked: Any) -> single_flight.Ticket:
            shared.append(join(**asked))
            return shared[-1]

        def come_meanwhile(**asked: Any) -> single_flight.Ticket:
            monkeypatch.setattr(single_flight, "join", noted)
            assert asks.lookup("Foxes LLC").json()["data"]["entityId"] == "300001"
            assert other.lookup("The Foxes LLC").json()["data"]["entityId"] == "300002"
            monkeypatch.setattr(single_flight, "join", join)
            return replace(shared[0], leader=None)  # as one who came before the first had its answer

        monkeypatch.setattr(single_flight, "join", come_meanwhile)
        found = waits.lookup("Foxes LLC").json()
        assert (found["data"]["entityName"], found["data"]["entityId"]) == ("FOXES LLC", "300001")
        assert (waits.balance.spent, waits.balance.held) == (PRICE, 0)

    def test_asked_afterwards_by_another_is_fetched_again(self, switches: None, register: Register) -> None:
        open_customer().lookup()
        open_customer(name="Other").lookup()
        assert register.asked == 2


class TestOneNameOfMany:
    """Several customers want to know at the same moment whether the same name is free."""

    @staticmethod
    def check(customer: Customer, name: str = "Acme") -> Callable[[], Any]:
        return lambda: customer.post("/v1/name-availability", {"entity_name": name, "state": "NY"})

    def test_is_asked_for_once_and_billed_to_each(
        self, switches: None, register: Register, come: list[Any], at_once: Callable[..., list[Any]]
    ) -> None:
        customers = [open_customer(name=f"Customer {number}") for number in range(3)]
        all_here = answers_when(register, lambda: len(come) == 3)
        *replies, _ = at_once(*[self.check(customer) for customer in customers], all_here)
        bodies = [without_marks(reply) for reply in replies]
        assert [body["available"] for body in bodies] == [False] * 3
        assert bodies[0]["conflictingEntities"]
        assert bodies[0] == bodies[1] == bodies[2]
        assert register.asked == 1
        assert [customer.balance.spent for customer in customers] == [PRICE] * 3
        assert [customer.balance.held for customer in customers] == [0] * 3
        assert sorted(Lookup.objects.values_list("shared", flat=True)) == [False, True, True]

    def test_that_cannot_be_asked_is_billed_to_nobody(
        self, switches: None, register: Register, come: list[Any], at_once: Callable[..., list[Any]]
    ) -> None:
        customers = [open_customer(name=f"Customer {number}") for number in range(3)]
        register.status = 403
        all_here = answers_when(register, lambda: len(come) == 3)
        *replies, _ = at_once(*[self.check(customer) for customer in customers], all_here)
        assert [reply.json()["reason"] for reply in replies] == ["blocked"] * 3
        assert [customer.balance.available for customer in customers] == [10 * PRICE] * 3
        assert register.asked == 1

    def test_in_another_spelling_is_another_question(
        self, switches: None, register: Register, come: list[Any], at_once: Callable[..., list[Any]]
    ) -> None:
        customer = open_customer()
        all_here = answers_when(register, lambda: len(come) == 2)
        *replies, _ = at_once(self.check(customer, "Acme"), self.check(customer, "ACME Inc"), all_here)
        assert [reply.json()["searchedName"] for reply in replies] == ["Acme", "ACME Inc"]
        assert sorted(Lookup.objects.values_list("shared", flat=True)) == [False, False]


class TestASharedFetch:
    """The lease on a question."""

    def test_has_one_leader_at_a_time(self, at_once: Callable[..., list[Any]]) -> None:
        now = timezone.now()

        def join() -> single_flight.Ticket:
            return single_flight.join(question=ACME, sandbox=False, budget_seconds=20, now=now)

        tickets = at_once(*[join] * 8)
        assert sum(ticket.is_leader for ticket in tickets) == 1
        assert len({ticket.fetch_id for ticket in tickets}) == 1

    def test_of_the_sandbox_is_another_one(self) -> None:
        now = timezone.now()
        real = single_flight.join(question=ACME, sandbox=False, budget_seconds=20, now=now)
        fiction = single_flight.join(question=ACME, sandbox=True, budget_seconds=20, now=now)
        assert real.is_leader
        assert fiction.is_leader

    def test_whose_leader_died_is_taken_over_by_one_of_those_who_wait(self, at_once: Callable[..., list[Any]]) -> None:
        now = timezone.now()
        dead = single_flight.join(question=ACME, sandbox=False, budget_seconds=0, now=now - single_flight.GRACE)
        ended = threading.Event()

        def wait() -> str:
            ticket = single_flight.Ticket(dead.fetch_id, None)
            ticket, result = single_flight.wait(ticket, budget_seconds=10, now=now + timedelta(seconds=1))
            if ticket.is_leader:
                single_flight.finish(ticket, result={"kind": "not_found"}, now=timezone.now())
                ended.set()
                return "leader"
            assert result is not None
            return str(result["kind"])

        assert sorted(at_once(wait, wait, wait)) == ["leader", "not_found", "not_found"]

    def test_that_was_taken_over_cannot_be_ended_by_its_first_leader(self) -> None:
        now = timezone.now()
        first = single_flight.join(question=ACME, sandbox=False, budget_seconds=0, now=now - single_flight.GRACE)
        second = single_flight.join(question=ACME, sandbox=False, budget_seconds=5, now=now)
        assert second.is_leader
        single_flight.finish(first, result={"kind": "not_found"}, now=now)
        assert SharedFetch.objects.get().ended_at is None

    def test_is_not_waited_for_beyond_the_budget(self) -> None:
        now = timezone.now()
        single_flight.join(question=ACME, sandbox=False, budget_seconds=20, now=now)
        ticket = single_flight.join(question=ACME, sandbox=False, budget_seconds=20, now=now)
        assert single_flight.wait(ticket, budget_seconds=0.2, now=now) == (ticket, None)

    def test_is_forgotten_after_an_hour(self) -> None:
        now = timezone.now()
        ticket = single_flight.join(question=ACME, sandbox=False, budget_seconds=20, now=now)
        single_flight.finish(ticket, result={"kind": "not_found"}, now=now)
        assert single_flight.prune(now=now + timedelta(minutes=59)) == 0
        assert single_flight.prune(now=now + timedelta(minutes=61)) == 1


class TestManyLookupsOfOneKey:
    """At most ten at a time."""

    def test_beyond_the_limit_are_refused_without_being_charged(
        self, switches: None, register: Register, settings: Any, at_once: Callable[..., list[Any]]
    ) -> None:
        settings.CONCURRENT_LOOKUPS = 2
        customer = open_customer()
        register.may_go = threading.Event()
        names = iter(["Acme Corp", "Zebra Inc"])
        inside = threading.Semaphore(0)

        def busy() -> Any:
            name = next(names)
            inside.release()
            return customer.lookup(name)

        def third() -> Any:
            for _ in range(2):
                assert inside.acquire(timeout=60)
            until = time.monotonic() + 60
            while register.asked < 2 and time.monotonic() < until:
                time.sleep(0.02)
            try:
                return customer.lookup("Third Corp")
            finally:
                register.may_go.set()  # type: ignore[union-attr]

        first, second, refused = at_once(busy, busy, third)
        assert (first.status_code, second.status_code, refused.status_code) == (200, 200, 429)
        assert refused["Retry-After"] == "1"
        assert refused.json()["code"] == "rate_limited"
        assert customer.balance.spent == 2 * PRICE
        assert customer.balance.held == 0


class TestAnEmptyingBalance:
    """More lookups at once than the balance covers."""

    def test_never_pays_for_more_than_it_holds(
        self, on_postgres: None, switches: None, register: Register, at_once: Callable[..., list[Any]]
    ) -> None:
        from billing import ledger

        customer = open_customer()
        ledger.adjust(
            account_id=customer.account.pk,
            amount=-7 * PRICE,
            idempotency_key="x",
            operator="t",
            reason="t",
            now=timezone.now(),
        )
        register.seconds = 0.2
        replies = at_once(*[lambda: customer.lookup(headers=anew())] * 8)
        codes = sorted(reply.status_code for reply in replies)
        assert codes == [200] * 3 + [402] * 5
        assert customer.balance.available == 0
        assert customer.balance.spent == 3 * PRICE
