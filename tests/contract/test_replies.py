"""Real replies fit the served document, and keep every name that existing clients rely on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from billing.models import Account
from scrapers.sandbox.magic import DEMO_QUESTION, MAGIC
from tests.contract.conftest import undocumented
from tests.lookups.conftest import Customer
from tests.lookups.messages import write_messages
from tests.lookups.registry_server import Register, company
from tests.lookups.webhook_receiver import receiving, says

pytestmark = pytest.mark.django_db
Judge = Callable[[Any, str, str], None]

TEXT, MAYBE = (str,), (str, type(None))
# Written down from the contract, not from the code: name -> types. A change here breaks clients.
ENTITY: dict[str, tuple[type, ...]] = {
    "entityName": TEXT,
    "entityType": MAYBE,
    "entityId": TEXT,
    "status": MAYBE,
    "formationDate": MAYBE,
    "registeredAgentName": MAYBE,
    "registeredAgentAddress": MAYBE,
    "registeredAgentCity": MAYBE,
    "registeredAgentState": MAYBE,
    "registeredAgentZip": MAYBE,
    "principalAddress": MAYBE,
    "principalCity": MAYBE,
    "principalState": MAYBE,
    "principalZip": MAYBE,
    "mailingAddress": MAYBE,
    "mailingCity": MAYBE,
    "mailingState": MAYBE,
    "mailingZip": MAYBE,
    "officers": (list,),
    "jurisdiction": MAYBE,
    "feiEinNumber": MAYBE,
    "sosUrl": MAYBE,
    "scrapedAt": TEXT,
    "cached": (bool,),
    "cacheExpiresAt": MAYBE,
    "relatedResults": (list,),
}
RECEIPT: dict[str, tuple[type, ...]] = {
    "success": (bool,),
    "cost": (float, int),
    "cached": (bool,),
    "source": TEXT,
    "stale": (bool,),
    "dataAsOf": TEXT,
    "total_results": (int,),
    "state_scraper_version": TEXT,
    "scraper_built_at": TEXT,
}
FILING: dict[str, tuple[type, ...]] = {
    "fileNumber": TEXT,
    "fileDate": MAYBE,
    "debtorName": MAYBE,
    "securedParty": MAYBE,
    "collateral": MAYBE,
    "status": MAYBE,
    "lapseDate": MAYBE,
}
STATE: dict[str, tuple[type, ...]] = {
    "state": TEXT,
    "status": TEXT,
    "version": TEXT,
    "lastTestedAt": MAYBE,
    "available": (bool,),
    "uccAvailable": (bool,),
}


def assert_keeps(told: dict[str, Any], fixed: dict[str, tuple[type, ...]]) -> None:
    """Every fixed name is there, with its type."""
    for name, types in fixed.items():
        assert name in told, f"{name} is missing"
        assert isinstance(told[name], types), f"{name} is {told[name]!r}"


class TestAFoundCompany:
    """200."""

    @pytest.mark.parametrize("source", ["live", "cache"])
    def test_keeps_the_fixed_names(self, customer: Customer, register: Register, judge: Judge, source: str) -> None:
        register.rows.append(company("ACME LLC", "100003"))
        customer.lookup()
        reply = customer.lookup(source=source)
        judge(reply, "post", "/v1/lookup")
        body = reply.json()
        assert body["source"] == source
        assert_keeps(body, RECEIPT)
        assert_keeps(body["data"], ENTITY)
        assert list(body["data"])[: len(ENTITY)] == list(ENTITY)
        assert set(body["data"]["relatedResults"][0]) == {"entityName", "entityId", "entityType", "status", "sosUrl"}
        assert body["data"]["scrapedAt"].endswith("Z")
        assert len(body["data"]["scrapedAt"]) == len("2026-05-06T08:00:00.000Z")
        assert ("entity" in body) == (source == "cache")

    @pytest.mark.parametrize("state", ["DE", "CA", "PR", "nj"])
    def test_of_the_sandbox_fits_too(self, tester: Customer, judge: Judge, state: str) -> None:
        reply = tester.lookup(MAGIC["several"], state)
        judge(reply, "post", "/v1/lookup")
        assert_keeps(reply.json()["data"], ENTITY)

    def test_with_liens_keeps_the_fixed_names(self, tester: Customer, judge: Judge) -> None:
        reply = tester.lookup(**DEMO_QUESTION, searchType="ucc")
        judge(reply, "post", "/v1/lookup")
        data = reply.json()["data"]
        assert isinstance(data["totalResults"], int)
        for filing in data["filings"]:
            assert_keeps(filing, FILING)


class TestAnError:
    """Everything else."""

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ({"entity_name": "Nobody Knows This", "state": "DE"}, 404),
            ({"entity_name": MAGIC["ambiguous"], "state": "DE"}, 404),
            ({"entity_name": MAGIC["portal_down"], "state": "DE"}, 503),
            ({"entity_name": MAGIC["blocked"], "state": "DE"}, 503),
            ({"entity_name": MAGIC["rate_limited"], "state": "DE"}, 503),
            ({"entity_name": MAGIC["page_changed"], "state": "DE"}, 503),
            ({"entity_name": MAGIC["too_many"], "state": "DE"}, 400),
            ({"entity_name": "x"}, 400),
            ({"entity_name": "Acme", "state": "ZZ"}, 400),
            ({"entity_name": "A" * 70_000, "state": "DE"}, 413),
        ],
    )
    def test_of_a_lookup_fits(self, tester: Customer, judge: Judge, body: dict[str, Any], status: int) -> None:
        reply = tester.post("/v1/lookup", body)
        assert reply.status_code == status
        judge(reply, "post", "/v1/lookup")
        assert reply.json()["cost"] == 0

    def test_not_found_keeps_its_three_fixed_fields(self, tester: Customer) -> None:
        body = tester.lookup("Nobody Knows This", "DE").json()
        assert {name: body[name] for name in ("success", "error", "cost")} == {
            "success": False,
            "error": "Entity not found",
            "cost": 0,
        }

    def test_of_a_key_or_a_limit_or_a_balance_fits(
        self, customer: Customer, tester: Customer, register: Register, judge: Judge
    ) -> None:
        from tests.lookups.test_lookup import _spend_all

        judge(Client().post("/v1/lookup", {}, content_type="application/json"), "post", "/v1/lookup")
        judge(customer.post("/v1/lookup", "x", **{"content-type": "text/plain"}), "post", "/v1/lookup")
        _spend_all(customer)
        judge(customer.lookup(), "post", "/v1/lookup")
        type(tester.key).objects.filter(pk=tester.key.pk).update(scopes=["account"])
        judge(tester.lookup(), "post", "/v1/lookup")
        type(tester.key).objects.filter(pk=tester.key.pk).update(rate_limit_per_minute=0)
        judge(tester.lookup(), "post", "/v1/lookup")
        judge(tester.get("/v1/account/balance"), "get", "/v1/account/balance")

    def test_of_a_test_key_that_sends_live_settings_fits(self, tester: Customer, judge: Judge) -> None:
        judge(tester.patch("/v1/account/settings", {"monthlyBudget": 1}), "patch", "/v1/account/settings")
        judge(tester.get("/v1/account/balance"), "get", "/v1/account/balance")

    def test_of_a_webhooks_secret_and_test_fits(self, customer: Customer, judge: Judge, settings: Any) -> None:
        secret, test = "/v1/account/webhook-secret", "/v1/account/webhook-test"
        for _ in range(6):  # without one before, with one, too many in a day
            judge(customer.post(secret, {}), "post", secret)
        judge(customer.post(test, {}), "post", test)
        settings.WEBHOOKS_TO_LOOPBACK = True
        with receiving(says(204)) as receiver:
            customer.patch("/v1/account/settings", {"webhookUrl": f"http://127.0.0.1:{receiver.port}/"})
            delivered = customer.post(test, {})
        judge(delivered, "post", test)
        assert delivered.json()["delivered"] is True
        judge(customer.post(test, {}), "post", test)  # nobody listens any more
        type(customer.key).objects.filter(pk=customer.key.pk).update(scopes=["lookup"])
        for path in (secret, test):
            judge(customer.post(path, {}), "post", path)

    def test_of_a_crash_fits(self, tester: Customer, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: Any, **__: Any) -> None:
            raise RuntimeError

        monkeypatch.setattr("lookups.api.views.lookup.perform", broken)
        judge(tester.lookup(), "post", "/v1/lookup")


class TestAPaymentInsteadOfAKey:
    """402, and what follows."""

    def test_fits_from_the_challenge_to_the_receipt(self, settings: Any, switches: None, judge: Judge) -> None:
        from tests.lookups.test_pay_per_request import pay, post

        settings.SANDBOX_PAYMENTS = True
        challenge = post(DEMO_QUESTION)
        judge(challenge, "post", "/v1/lookup")
        assert set(challenge.json()) == {"type", "title", "status", "detail", "challengeId"}
        judge(pay(DEMO_QUESTION), "post", "/v1/lookup")
        judge(pay({"entity_name": "Nobody Knows This", "state": "DE"}), "post", "/v1/lookup")
        judge(pay(DEMO_QUESTION, "sandbox_declined"), "post", "/v1/lookup")
        judge(pay(DEMO_QUESTION, "sandbox_unknown"), "post", "/v1/lookup")
        judge(post(DEMO_QUESTION, authorization="Payment a, Payment b"), "post", "/v1/lookup")


class TestTheOtherEndpoints:
    """States, health, account."""

    def test_list_states_with_their_fixed_names(self, switches: None, judge: Judge) -> None:
        reply = Client().get("/v1/states")
        judge(reply, "get", "/v1/states")
        for row in reply.json():
            assert_keeps(row, STATE)

    def test_tell_health_with_its_fixed_names(self, switches: None, judge: Judge) -> None:
        reply = Client().get("/v1/health")
        judge(reply, "get", "/v1/health")
        assert set(reply.json()) == {"status", "checks", "components", "oldest_due_seconds", "timestamp"}
        assert set(reply.json()["checks"]) == {
            "redis",
            "postgres",
            "degraded_scrapers",
            "lookups_today",
            "cache_hit_rate_pct",
        }

    def test_tell_the_balance_with_its_fixed_names(self, customer: Customer, judge: Judge) -> None:
        reply = customer.get("/v1/account/balance")
        judge(reply, "get", "/v1/account/balance")
        assert set(reply.json()) == {
            "success",
            "livemode",
            "type",
            "balanceStored",
            "owedStored",
            "balanceDisplay",
            "lookupsRemaining",
            "pricePerLookup",
            "topUpUrl",
        }
        Account.objects.filter(pk=customer.account.pk).update(is_active=False)
        judge(customer.get("/v1/account/balance"), "get", "/v1/account/balance")

    def test_list_what_was_sent(self, customer: Customer, judge: Judge) -> None:
        write_messages(customer, 2)
        for query in ("", "?limit=1", "?status=x&cursor=x&limit=x"):
            judge(customer.get(f"/v1/account/deliveries{query}"), "get", "/v1/account/deliveries")

    def test_tell_the_usage_and_the_settings(self, customer: Customer, register: Register, judge: Judge) -> None:
        customer.lookup()
        judge(customer.get("/v1/account/usage"), "get", "/v1/account/usage")
        judge(customer.get("/v1/account/usage?limit=x"), "get", "/v1/account/usage")
        judge(customer.get("/v1/account/settings"), "get", "/v1/account/settings")
        judge(customer.patch("/v1/account/settings", {"monthlyBudget": 1}), "patch", "/v1/account/settings")
        judge(customer.patch("/v1/account/settings", {"monthlyBudget": -1}), "patch", "/v1/account/settings")


class TestTheJudge:
    """A judge that passes everything is none."""

    def test_notices_a_name_that_is_not_described(self, document: dict[str, Any]) -> None:
        schema = {"$ref": "#/components/schemas/Balance"}
        assert list(undocumented({"success": True, "secret": 1}, schema, document)) == ["/secret"]

    def test_notices_it_where_one_of_several_shapes_is_described(self, document: dict[str, Any]) -> None:
        schema = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("UccData", "Evidence")]}
        seen = {"sourceUrl": "", "retrievedAt": "", "sha256": "", "fromRegister": False, "secret": 1}
        assert list(undocumented(seen, schema, document)) == ["/secret"]

    def test_notices_a_missing_name(self, customer: Customer, judge: Judge) -> None:
        reply = customer.get("/v1/account/balance")
        told = {name: value for name, value in reply.json().items() if name != "type"}
        reply.json = lambda: told
        with pytest.raises(Exception, match="'type' is a required property"):
            judge(reply, "get", "/v1/account/balance")
