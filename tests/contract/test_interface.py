"""The interface description that this service re-creates, table by table: endpoints, fields, errors, limits."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing.models import Account
from lookups.jobs import lifecycle, runner
from scrapers.sandbox.magic import MAGIC
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register, company
from tests.lookups.test_lookup import _spend_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_workers")]

NULL = type(None)
JOB = "/v1/lookup/status/job_" + "0" * 32


def assert_fields(found: dict[str, Any], fields: dict[str, type | tuple[type, ...]]) -> None:
    """Every field of the table is there, in its type."""
    for name, kind in fields.items():
        assert isinstance(found[name], kind), (name, found[name])


class TestTheEndpoints:
    """Method, path, and who may."""

    @pytest.mark.parametrize(
        ("method", "path", "without_a_key"),
        [
            ("post", "/v1/lookup", 402),
            ("get", JOB, 401),
            ("get", "/v1/account/balance", 401),
            ("get", "/v1/states", 200),
            ("get", "/v1/health", 200),
            ("post", "/v1/name-availability", 401),
            ("post", "/v1/bulk-lookup", 401),
        ],
    )
    def test_ask_for_a_key_where_the_table_does(
        self, settings: Any, switches: None, method: str, path: str, without_a_key: int
    ) -> None:
        settings.SANDBOX_PAYMENTS = True
        body = {"entity_name": "Acme", "state": "NY"} if method == "post" else None
        reply = getattr(Client(), method)(path, body, content_type="application/json")
        assert reply.status_code == without_a_key
        wrong = getattr(Client(), method)(path, body, content_type="application/json", headers={"x-api-key": "osd_x"})
        assert wrong.status_code == (200 if without_a_key == 200 else 401)

    @pytest.mark.parametrize("header", ["x-api-key", "authorization"])
    def test_take_the_key_in_either_header(self, customer: Customer, header: str) -> None:
        value = customer.secret if header == "x-api-key" else f"Bearer {customer.secret}"
        assert Client().get("/v1/account/balance", headers={header: value}).status_code == 200


class TestTheFields:
    """What replies hold."""

    def test_of_a_lookup(self, customer: Customer, register: Register) -> None:
        body = customer.lookup().json()
        assert_fields(body, {"success": bool, "data": dict, "cost": float})
        texts = "entityName entityType entityId status formationDate registeredAgentName registeredAgentAddress"
        texts += " registeredAgentCity registeredAgentState principalAddress principalCity principalState sosUrl"
        assert_fields(body["data"], dict.fromkeys(texts.split(), (str, NULL)))
        assert_fields(body["data"], {"officers": list, "cached": bool, "scrapedAt": str})

    def test_of_a_name_check(self, customer: Customer, register: Register) -> None:
        body = customer.post("/v1/name-availability", {"entity_name": "Acme Corp", "state": "NY"}).json()
        fields: dict[str, Any] = dict.fromkeys(("success", "available"), bool)
        fields |= dict.fromkeys(("searchedName", "state", "data_source", "walletBalance"), str)
        fields |= dict.fromkeys(("variationNote", "warning", "statusNote"), (str, NULL))
        assert_fields(body, fields | {"conflictingEntities": list, "cost": float, "lookupsRemaining": int})
        conflict = body["conflictingEntities"][0]
        assert_fields(conflict, dict.fromkeys(("entityName", "entityId", "statusClass", "sosUrl"), str))
        assert_fields(conflict, {"status": (str, NULL)})  # null where the registry publishes none
        assert (conflict["statusClass"], body["data_source"], body["cost"]) == ("active", "live", 0.0314)

    def test_of_a_demand_for_payment(self, settings: Any) -> None:
        settings.SANDBOX_PAYMENTS = True
        body = {"entity_name": "Acme", "state": "NY"}
        reply = Client().post("/v1/lookup", body, content_type="application/json")
        assert reply["Content-Type"] == "application/problem+json"
        assert reply["WWW-Authenticate"].startswith("Payment ")
        assert_fields(reply.json(), {"type": str, "title": str, "status": int, "detail": str, "challengeId": str})

    def test_of_the_service(self, customer: Customer) -> None:
        assert_fields(customer.get("/v1/account/balance").json(), {"balanceStored": int, "lookupsRemaining": int})
        states = customer.get("/v1/states").json()
        assert len(states) == 56
        assert_fields(states[0], {"state": str, "status": str})
        assert customer.get("/v1/health").json()["status"] in ("healthy", "degraded")


class TestTheStates:
    """Of a job: pending, processing, complete; a failed one is a 500."""

    def test_follow_each_other(self, tester: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
        accepted = tester.lookup(MAGIC["later"], "DE")
        assert (accepted.status_code, accepted.json()["async"]) == (202, True)
        address = accepted.json()["statusUrl"]
        assert tester.get(address).json()["status"] == "pending"
        job = lifecycle.find(accepted.json()["jobId"], key=tester.key, now=timezone.now())
        assert job is not None
        assert runner.run(job_id=job.pk, now=timezone.now())
        assert tester.get(address).json()["status"] == "complete"

    def test_end_as_a_500_when_nobody_could_answer(self, tester: Customer) -> None:
        address = tester.lookup(MAGIC["later"], "DE").json()["statusUrl"]
        runner.sweep(now=timezone.now() + lifecycle.MAX_WAIT)
        assert (tester.get(address).status_code, tester.get(address).json()["status"]) == (500, "failed")


class TestTheErrors:
    """Status, where, and that nothing is billed."""

    @pytest.mark.parametrize(
        ("status", "path", "body"),
        [
            (400, "/v1/lookup", {"state": "NY"}),
            (400, "/v1/name-availability", {"entity_name": "Acme", "state": "Narnia"}),
            (400, "/v1/name-availability", {"entity_name": "Acme", "state": "GU"}),
            (404, "/v1/lookup", {"entity_name": "Nobody Knows Inc", "state": "NY"}),
            (404, JOB, None),
        ],
    )
    def test_bill_nothing(
        self, customer: Customer, register: Register, status: int, path: str, body: dict[str, str] | None
    ) -> None:
        reply = customer.get(path) if body is None else customer.post(path, body)
        assert reply.status_code == status
        assert isinstance(reply.json()["error"], str)
        assert (customer.balance.spent, customer.balance.held) == (0, 0)

    @pytest.mark.parametrize("path", ["/v1/lookup", "/v1/name-availability"])
    def test_of_a_registry_that_is_away_bill_nothing(self, customer: Customer, register: Register, path: str) -> None:
        register.status = 500
        assert customer.post(path, {"entity_name": "Acme Corp", "state": "NY"}).status_code == 503
        assert (customer.balance.spent, customer.balance.held) == (0, 0)

    @pytest.mark.parametrize("path", ["/v1/lookup", "/v1/name-availability"])
    def test_of_an_empty_balance_is_a_402(self, customer: Customer, register: Register, path: str) -> None:
        _spend_all(customer)
        reply = customer.post(path, {"entity_name": "Acme Corp", "state": "NY"})
        assert (reply.status_code, reply["Content-Type"]) == (402, "application/problem+json")

    def test_of_an_account_that_is_gone_is_a_404(self, customer: Customer) -> None:
        Account.objects.update(is_active=False)
        reply = customer.get("/v1/account/balance")
        assert (reply.status_code, reply.json()["error"]) == (404, "User not found")


class TestTheLimits:
    """Price and sizes."""

    def test_of_the_price(self, customer: Customer, register: Register) -> None:
        assert (customer.lookup().json()["cost"], customer.balance.spent) == (0.0314, PRICE)

    def test_of_conflicting_entities(self, customer: Customer, register: Register) -> None:
        register.rows[:] = [company("ACME CORP.", str(100_000 + number)) for number in range(14)]
        body = customer.post("/v1/name-availability", {"entity_name": "Acme Corp", "state": "NY"}).json()
        assert len(body["conflictingEntities"]) == 10

    @pytest.mark.parametrize("state", ["N", "NYC", "", None])
    def test_of_a_state_code(self, customer: Customer, state: Any) -> None:
        assert customer.post("/v1/name-availability", {"entity_name": "Acme", "state": state}).status_code == 400

    @pytest.mark.parametrize(("rows", "status"), [(0, 400), (1, 202), (1000, 202), (1001, 400)])
    def test_of_a_bulk_request(self, tester: Customer, rows: int, status: int) -> None:
        row = {"entity_name": "Magic Found LLC", "state": "DE"}
        assert tester.post("/v1/bulk-lookup", {"entities": [row] * rows}).status_code == status
