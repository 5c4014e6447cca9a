"""`Idempotency-Key`: a request that is sent again gets its first answer, and is paid once."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.utils import timezone

from billing import keys
from billing.models import Hold
from lookups import idempotency
from lookups.models import IdempotencyRecord, Lookup
from tests.lookups.conftest import PRICE, Customer, answers_when, open_customer
from tests.lookups.registry_server import Register
from tests.lookups.test_hostile_bodies import assert_error

pytestmark = pytest.mark.django_db
KEY = {"idempotency_key": "order-17"}


class TestARepeatedRequest:
    """Same key, same body."""

    def test_gets_the_first_reply_and_costs_nothing_more(self, customer: Customer, register: Register) -> None:
        first = customer.lookup(headers=KEY)
        register.rows = []
        second = customer.lookup(headers=KEY)
        assert second.status_code == 200
        assert second.content == first.content
        assert second["Idempotency-Replayed"] == "true"
        assert "Idempotency-Replayed" not in first
        assert second["X-RateLimit-Limit"]
        assert customer.balance.spent == PRICE
        assert register.asked == 1

    def test_whose_answer_could_not_be_noted_has_been_given_it_and_gets_the_same(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as database:
            database.setattr(idempotency, "finish", Mock(side_effect=OperationalError("the connection is lost")))
            first = customer.lookup(headers=KEY)
        assert (first.status_code, first.json()["cost"]) == (200, 0.0314)
        IdempotencyRecord.objects.update(lease_until=timezone.now())
        assert customer.lookup(headers=KEY).content == first.content
        assert (customer.balance.spent, register.asked) == (PRICE, 1)

    def test_may_have_its_json_written_in_another_order(self, customer: Customer, register: Register) -> None:
        one = customer.post("/v1/lookup", '{"entity_name":"Acme Corp","state":"NY"}', **KEY)
        two = customer.post("/v1/lookup", '{ "state": "NY",  "entity_name": "Acme Corp" }', **KEY)
        assert one.content == two.content
        assert customer.balance.spent == PRICE

    def test_of_something_not_found_is_not_found_again(self, customer: Customer, register: Register) -> None:
        first = customer.lookup("Nobody Knows This", headers=KEY)
        asked = register.asked
        second = customer.lookup("Nobody Knows This", headers=KEY)
        assert (second.status_code, second.content) == (404, first.content)
        assert register.asked == asked

    def test_after_a_failure_is_asked_anew(self, customer: Customer, register: Register) -> None:
        register.status = 500
        assert customer.lookup(headers=KEY).status_code == 503
        register.status = 200
        assert customer.lookup(headers=KEY).status_code == 200
        assert customer.balance.spent == PRICE

    def test_after_24_hours_is_a_new_one(self, customer: Customer, register: Register) -> None:
        customer.lookup(headers=KEY)
        IdempotencyRecord.objects.update(expires_at=timezone.now())
        assert customer.lookup("Zebra Inc", headers=KEY).json()["data"]["entityName"] == "ZEBRA INC."
        assert customer.balance.spent == 2 * PRICE

    def test_is_each_accounts_own(self, customer: Customer, register: Register) -> None:
        other = open_customer(name="Other")
        customer.lookup(headers=KEY)
        other.lookup(headers=KEY)
        assert other.balance.spent == PRICE

    def test_is_found_among_others_of_its_account_and_of_other_accounts(
        self, customer: Customer, register: Register
    ) -> None:
        key, secret = keys.issue(account=customer.account, name="tests", mode="test", now=timezone.now())
        other, sandbox = open_customer(name="Other"), Customer(customer.account, key, secret)
        first = customer.lookup(headers=KEY).json()
        assert other.lookup("Zebra Inc", headers=KEY).json()["data"]["entityName"] == "ZEBRA INC."
        assert sandbox.lookup("Blue Heron Logistics LLC", "DE", headers=KEY).status_code == 200
        assert customer.lookup("Zebra Inc", headers={"idempotency_key": "another"}).status_code == 200
        again = customer.lookup(headers=KEY).json()
        assert (again["lookupId"], again["data"]["entityName"]) == (first["lookupId"], "ACME CORP.")
        assert (customer.balance.spent, other.balance.spent) == (2 * PRICE, PRICE)


class TestAnotherRequestUnderTheSameKey:
    """A mistake of the client."""

    @pytest.mark.parametrize("other", [{"entity_name": "Zebra Inc"}, {"source": "cache"}, {"state": "CO"}, {"x": 1}])
    def test_is_a_409(self, customer: Customer, register: Register, other: dict[str, Any]) -> None:
        customer.lookup(headers=KEY)
        reply = customer.post("/v1/lookup", {"entity_name": "Acme Corp", "state": "NY", **other}, **KEY)
        body = assert_error(reply, 409, "idempotency_conflict")
        assert body["retryable"] is False
        assert customer.balance.spent == PRICE

    @pytest.mark.parametrize("word", ["", "x" * 256, "a\tb", "ü"])
    def test_needs_a_key_that_is_one(self, customer: Customer, word: str) -> None:
        assert_error(customer.lookup(headers={"idempotency_key": word}), 400, "invalid_request")


class TestACrashUnderAKey:
    """The service dies between charging and answering."""

    def test_is_never_charged_twice(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("lookups.bodies.of_lookup", lambda *_: 1 / 0)
            assert customer.lookup(headers=KEY).status_code == 500
        assert customer.balance.spent == PRICE
        body = customer.lookup(headers=KEY).json()
        assert body["data"]["entityName"] == "ACME CORP."
        assert (customer.balance.spent, register.asked) == (PRICE, 1)
        assert Lookup.objects.count() == 1

    def test_of_a_name_check_is_followed_by_the_verdict_that_was_paid(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = {"entity_name": "Quasar Umbrella Repair", "state": "NY"}
        with monkeypatch.context() as patch:
            patch.setattr("lookups.bodies.of_lookup", lambda *_: 1 / 0)
            assert customer.post("/v1/name-availability", asked, **KEY).status_code == 500
        assert (customer.balance.held, customer.balance.spent, register.asked) == (
            0,
            PRICE,
            2,  # by name and shorter
        )
        register.status = 500  # it is not asked again
        body = customer.post("/v1/name-availability", asked, **KEY).json()
        assert (body["available"], body["cost"], body["walletBalance"]) == (True, 0.0314, "0.28")
        assert (customer.balance.held, customer.balance.spent, register.asked) == (0, PRICE, 2)
        assert Lookup.objects.count() == 1

    def test_before_the_charge_finds_its_own_hold_again(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def killed(*_: Any, **__: Any) -> None:
            raise SystemExit

        with monkeypatch.context() as patch:
            patch.setattr("lookups.lookup.settlement.settle_reply", killed)
            patch.setattr("lookups.lookup.settlement.end", killed)  # nor does it end anything on its way down
            with pytest.raises(SystemExit):
                customer.lookup(headers=KEY)
        assert customer.balance.held == PRICE
        assert customer.lookup(headers=KEY).status_code == 200
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)
        assert Hold.objects.count() == 1

    def test_whose_hold_expired_meanwhile_is_charged_once_all_the_same(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("lookups.lookup.settlement.settle_reply", lambda *a, **k: 1 / 0)
            assert customer.lookup(headers=KEY).status_code == 500
        assert Hold.objects.get().state == "released"
        told = [customer.lookup(headers=KEY) for _ in range(3)]
        assert [reply.status_code for reply in told] == [200] * 3
        assert told[0].json() == told[1].json() == told[2].json()
        assert (customer.balance.spent, register.asked) == (PRICE, 2)

    def test_before_anything_was_written_is_charged_once_however_often_it_is_repeated(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("lookups.lookup.rows.accept", lambda *a, **k: 1 / 0)
            assert customer.lookup(headers=KEY).status_code == 500
        assert Lookup.objects.count() == 0
        assert [customer.lookup(headers=KEY).status_code for _ in range(3)] == [200] * 3
        assert (customer.balance.held, customer.balance.spent, register.asked) == (0, PRICE, 1)
        assert Lookup.objects.count() == 1

    def test_does_not_lock_its_key_for_ever(self, customer: Customer, register: Register) -> None:
        now = timezone.now()
        asked = {"account_id": customer.account.pk, "sandbox": False, "key": "k", "body_hash": "h"}
        dead = idempotency.claim(**asked, lease=timedelta(seconds=50), now=now)
        with pytest.raises(idempotency.StillRunning):
            idempotency.claim(**asked, lease=timedelta(seconds=50), now=now + timedelta(seconds=49))
        next_one = idempotency.claim(**asked, lease=timedelta(seconds=50), now=now + timedelta(seconds=51))
        assert next_one.resumed
        assert next_one.ask_id == dead.ask_id
        idempotency.finish(dead)
        assert not IdempotencyRecord.objects.get().is_answered


@pytest.mark.django_db(transaction=True)
class TestTwoAtOnce:
    """The second one arrives while the first still runs."""

    def test_is_asked_to_come_back(self, switches: None, register: Register, at_once: Callable[..., list[Any]]) -> None:
        customer = open_customer()
        register.may_go = threading.Event()

        def first() -> Any:
            return customer.lookup(headers=KEY)

        def second() -> Any:
            register.in_there.wait(5)
            reply = customer.lookup(headers=KEY)
            register.may_go.set()  # type: ignore[union-attr]
            return reply

        done, early = at_once(first, second)
        body = assert_error(early, 409, "idempotency_conflict")
        assert (body["retryable"], early["Retry-After"]) == (True, "1")
        assert done.status_code == 200
        assert json.loads(customer.lookup(headers=KEY).content) == done.json()
        assert customer.balance.spent == PRICE

    def test_of_many_one_is_charged(
        self, switches: None, register: Register, at_once: Callable[..., list[Any]]
    ) -> None:
        customer = open_customer()
        refused: list[Any] = []

        def ask() -> Any:
            reply = customer.lookup(headers=KEY)
            refused.extend([reply] if reply.status_code == 409 else [])
            return reply

        all_refused = answers_when(register, lambda: len(refused) == 5)
        *replies, _ = at_once(*[ask] * 6, all_refused)
        assert sorted(reply.status_code for reply in replies) == [200] + [409] * 5
        assert customer.balance.spent == PRICE
        assert customer.balance.held == 0


class TestManyUnderWay:
    """Each is answered, given up and taken over for itself: else a repetition of another would be charged anew."""

    @pytest.mark.parametrize("how", ["answered", "given up", "broken off", "taken over"])
    def test_end_one_by_one(self, customer: Customer, how: str) -> None:
        now, lease = timezone.now(), timedelta(minutes=1)
        asked: dict[str, Any] = {"account_id": customer.account.pk, "sandbox": False, "body_hash": "h", "lease": lease}
        first, other = (idempotency.claim(key=word, now=now, **asked) for word in ("a", "b"))
        rows = IdempotencyRecord.objects.filter(pk=other.record_id)
        before = rows.values().get()
        match how:
            case "answered":
                idempotency.finish(first)
            case "given up":
                idempotency.forget(first)
            case "broken off":
                idempotency.release(first, now=now)
            case _:
                rows.update(lease_until=now + 3 * lease)
                before = rows.values().get()
                assert idempotency.claim(key="a", now=now + 2 * lease, **asked).ask_id == first.ask_id
        assert rows.values().get() == before
        with pytest.raises(idempotency.StillRunning):
            idempotency.claim(key="b", now=now, **asked)


class TestPruning:
    """Keys end."""

    def test_forgets_what_is_over(self, customer: Customer, register: Register) -> None:
        customer.lookup(headers=KEY)
        assert idempotency.prune(now=timezone.now()) == 0
        assert idempotency.prune(now=timezone.now() + timedelta(hours=24, seconds=1)) == 1
