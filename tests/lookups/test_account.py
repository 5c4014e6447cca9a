"""The customer's own numbers and preferences."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import ledger
from billing.models import AuditEvent
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.registry_server import Register
from tests.lookups.test_hostile_bodies import assert_error

pytestmark = pytest.mark.django_db


class TestTheBalance:
    """GET /v1/account/balance."""

    def test_is_reported_in_every_unit_a_client_may_read(self, customer: Customer) -> None:
        body = customer.get("/v1/account/balance").json()
        assert body.pop("topUpUrl").startswith("http")
        assert body == {
            "success": True,
            "livemode": True,
            "type": "user",
            "balanceStored": 3140,
            "owedStored": 0,
            "balanceDisplay": "$0.31",
            "lookupsRemaining": 10,
            "pricePerLookup": 0.0314,
        }

    def test_of_an_account_that_owes_says_so_and_a_lookup_says_why_it_is_refused(self, customer: Customer) -> None:
        ledger.reverse(
            account_id=customer.account.pk,
            amount=-5000,
            idempotency_key="r",
            source="card",
            reason="dispute",
            reference="pi_1",
            now=timezone.now(),
        )
        body = customer.get("/v1/account/balance").json()
        assert (body["balanceStored"], body["owedStored"], body["lookupsRemaining"]) == (0, 1860, 0)
        refused = customer.lookup()
        assert (refused.status_code, refused.json()["balanceStored"]) == (402, 0)
        assert "0.1860 USD are owed" in refused.json()["detail"]

    def test_of_three_dollars_fourteen_is_a_hundred_lookups(self, customer: Customer) -> None:
        ledger.deposit(
            account_id=customer.account.pk,
            amount=31_400 - 3_140,
            idempotency_key="d",
            source="card",
            now=timezone.now(),
        )
        body = customer.get("/v1/account/balance").json()
        assert (body["balanceStored"], body["balanceDisplay"], body["lookupsRemaining"]) == (31_400, "$3.14", 100)

    def test_of_an_internal_account_says_so(self, switches: None) -> None:
        assert open_customer(kind="internal").get("/v1/account/balance").json()["type"] == "internal"


class TestTheUsage:
    """GET /v1/account/usage."""

    def test_lists_what_happened_newest_first(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        body = customer.get("/v1/account/usage").json()
        assert [entry["kind"] for entry in body["entries"]] == ["capture", "hold", "free_grant"]
        capture = body["entries"][0]
        assert (capture["amount"], capture["amountStored"]) == (0.0314, PRICE)
        assert capture["reference"] == "NY Acme Corp"
        assert (capture["availableAfterStored"], capture["heldAfterStored"]) == (9 * PRICE, 0)
        assert body["entries"][1]["availableChangeStored"] == -PRICE
        assert customer.secret.startswith(capture["key"])
        assert body["nextCursor"] is None

    def test_comes_in_pages(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        seen: list[str] = []
        cursor = ""
        while True:
            body = customer.get(f"/v1/account/usage?limit=2{cursor}").json()
            seen += [entry["id"] for entry in body["entries"]]
            if body["nextCursor"] is None:
                break
            cursor = f"&cursor={body['nextCursor']}"
        assert len(seen) == len(set(seen)) == 3

    def test_can_be_limited_to_days(self, customer: Customer) -> None:
        assert customer.get("/v1/account/usage?from=2001-01-01&to=2001-12-31").json()["entries"] == []
        today = timezone.now().date().isoformat()
        assert len(customer.get(f"/v1/account/usage?from={today}&to={today}").json()["entries"]) == 1

    def test_of_a_period_that_ends_before_it_begins_is_refused(self, customer: Customer) -> None:
        reply = customer.get("/v1/account/usage?from=2026-11-02&to=2026-11-01")
        assert (reply.status_code, reply.json()["details"]) == (400, {"from": ["Lies after to."]})
        assert customer.get("/v1/account/usage?from=2026-11-01&to=2026-11-01").status_code == 200

    def test_comes_as_csv_when_asked_for(self, customer: Customer, register: Register) -> None:
        register.rows = [{**register.rows[0], "current_entity_name": "=CMD CORP."}]
        customer.lookup("=cmd corp")
        reply = customer.get("/v1/account/usage", accept="text/csv")
        assert reply["Content-Type"].startswith("text/csv")
        rows = list(csv.DictReader(io.StringIO(b"".join(reply.streaming_content).decode())))
        assert [row["kind"] for row in rows] == ["capture", "hold", "free_grant"]
        assert rows[0]["amountUsd"] == "0.0314"

    def test_names_the_request_that_money_moved_for(self, customer: Customer, register: Register) -> None:
        customer.lookup(headers={"x_request_id": "mine-1"})
        customer.lookup("Nobody Knows This", headers={"x_request_id": "mine-2"})
        entries = customer.get("/v1/account/usage").json()["entries"]
        assert [(entry["kind"], entry["requestId"]) for entry in entries] == [
            ("release", "mine-2"),
            ("hold", "mine-2"),
            ("capture", "mine-1"),
            ("hold", "mine-1"),
            ("free_grant", None),
        ]
        table = b"".join(customer.get("/v1/account/usage", accept="text/csv").streaming_content).decode()
        assert [row["requestId"] for row in csv.DictReader(io.StringIO(table))][1:] == [
            "mine-2",
            "mine-1",
            "mine-1",
            "",
        ]

    def test_names_the_bulk_request_through_hold_and_cancelling(self, customer: Customer, no_workers: None) -> None:
        rows = {"entities": [{"entity_name": "Acme Corp", "state": "NY"}]}
        job_id = customer.post("/v1/bulk-lookup", rows, x_request_id="mine").json()["job_id"]
        Client().delete(f"/v1/bulk-lookup/{job_id}", headers={"x-api-key": customer.secret})
        entries = customer.get("/v1/account/usage").json()["entries"][:2]
        assert [(one["kind"], one["requestId"]) for one in entries] == [("release", "mine"), ("hold", "mine")]

    def test_has_one_unit_in_a_table_and_names_it(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        ledger.adjust(
            account_id=customer.account.pk,
            amount=-PRICE,
            idempotency_key="a",
            operator="Dana",
            reason="correction",
            now=timezone.now(),
        )
        table = b"".join(customer.get("/v1/account/usage", accept="text/csv").streaming_content).decode()
        header, *rows = csv.reader(io.StringIO(table))
        money = [[row[header.index(name)] for name in header if name.endswith("Usd")] for row in rows]
        assert money == [
            ["-0.0314", "-0.0314", "0.2512", "0.0000"],
            ["0.0314", "0.0000", "0.2826", "0.0000"],
            ["0.0314", "-0.0314", "0.2826", "0.0314"],
            ["0.3140", "0.3140", "0.3140", "0.0000"],
        ]
        entries = customer.get("/v1/account/usage").json()["entries"]
        numbers = {name for name, value in entries[0].items() if isinstance(value, int | float)}
        assert {name for name in numbers if not name.endswith("Stored")} == {"amount"}

    def test_is_each_accounts_own(self, customer: Customer, switches: None) -> None:
        other = open_customer(name="Other")
        ids = {entry["id"] for entry in other.get("/v1/account/usage").json()["entries"]}
        mine = {entry["id"] for entry in customer.get("/v1/account/usage").json()["entries"]}
        assert not ids & mine

    @pytest.mark.parametrize(
        "query",
        [
            "from=today",
            "to=2026-13-01",
            "cursor=x",
            "cursor=-1",
            "limit=0",
            "limit=501",
            "limit=1e3",
            "cursor=" + "9" * 30,
            "from=0001-01-01",
        ],
    )
    def test_refuses_what_it_cannot_read(self, customer: Customer, query: str) -> None:
        body = assert_error(customer.get(f"/v1/account/usage?{query}"), 400, "invalid_request")
        assert query.split("=")[0] in body["details"]


class TestTheSettings:
    """GET and PATCH /v1/account/settings."""

    def test_can_all_be_changed(self, customer: Customer) -> None:
        wanted = {
            "maxCacheAgeDays": 30,
            "cacheFirstDefault": True,
            "monthlyBudget": 12.5,
            "webhookUrl": "https://hooks.example.com/x?y=1",
        }
        assert customer.patch("/v1/account/settings", wanted).json() == {"success": True, "livemode": True, **wanted}
        customer.account.refresh_from_db()
        assert customer.account.monthly_budget == 125_000

    def test_are_read_in_the_shape_they_are_answered_in_when_changed(self, customer: Customer) -> None:
        changed = customer.patch("/v1/account/settings", {"maxCacheAgeDays": 3, "monthlyBudget": 2}).json()
        assert customer.get("/v1/account/settings").json() == changed

    def test_that_are_left_out_stay(self, customer: Customer) -> None:
        customer.patch("/v1/account/settings", {"maxCacheAgeDays": 30, "monthlyBudget": "0.0314"})
        body = customer.patch("/v1/account/settings", {"cacheFirstDefault": True}).json()
        assert (body["maxCacheAgeDays"], body["monthlyBudget"]) == (30, 0.0314)

    def test_go_back_to_the_default_with_null(self, customer: Customer) -> None:
        customer.patch("/v1/account/settings", {"maxCacheAgeDays": 30, "webhookUrl": "https://a.example.com"})
        body = customer.patch("/v1/account/settings", {"maxCacheAgeDays": None, "webhookUrl": None}).json()
        assert (body["maxCacheAgeDays"], body["webhookUrl"]) == (None, None)

    def test_stand_in_the_audit_log_with_the_key_that_changed_them(self, customer: Customer) -> None:
        customer.patch("/v1/account/settings", {})
        customer.patch("/v1/account/settings", {"monthlyBudget": 5, "webhookUrl": "https://hooks.acme.test/"})
        event = AuditEvent.objects.get(kind="settings_changed")
        assert (event.subject, event.detail) == (
            f"billing.account {customer.account.pk}",
            "By a key: monthly_budget, webhook_url.",
        )
        assert event.actor == f"key {customer.key.prefix}… of account {customer.account.pk}"
        assert "hooks.acme.test" not in str(list(AuditEvent.objects.values()))

    def test_of_test_mode_stand_there_too(self, tester: Customer) -> None:
        tester.patch("/v1/account/settings", {"webhookUrl": "https://hooks.acme.test/"})
        assert AuditEvent.objects.get(kind="settings_changed").detail == "By a key (test): webhook_url."

    def test_limit_a_months_spending(self, customer: Customer, register: Register) -> None:
        customer.patch("/v1/account/settings", {"monthlyBudget": 0.0314})
        assert customer.lookup().status_code == 200
        refused = customer.lookup("Zebra Inc")
        assert refused.status_code == 402
        assert "budget" in refused.json()["detail"]

    def test_take_an_address_of_this_machine_where_development_lets_them(
        self, customer: Customer, settings: Any
    ) -> None:
        settings.WEBHOOKS_TO_LOOPBACK = True
        wanted = "http://127.0.0.1:9000/"
        assert customer.patch("/v1/account/settings", {"webhookUrl": wanted}).json()["webhookUrl"] == wanted
        assert_error(
            customer.patch("/v1/account/settings", {"webhookUrl": "https://10.0.0.1/"}), 400, "invalid_request"
        )

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("maxCacheAgeDays", -1),
            ("maxCacheAgeDays", 366),
            ("maxCacheAgeDays", 1.5),
            ("maxCacheAgeDays", "7"),
            ("maxCacheAgeDays", True),
            ("cacheFirstDefault", "yes"),
            ("cacheFirstDefault", 1),
            ("cacheFirstDefault", None),
            ("monthlyBudget", -1),
            ("monthlyBudget", 0.00001),
            ("monthlyBudget", 1e300),
            ("monthlyBudget", "many"),
            ("monthlyBudget", True),
            ("monthlyBudget", "NaN"),
            ("monthlyBudget", "1e999999999"),
            ("monthlyBudget", "1_0"),
            ("monthlyBudget", "\uff11\uff10"),
            ("monthlyBudget", " 10"),
            ("monthlyBudget", []),
            ("webhookUrl", "http://a.example.com"),
            ("webhookUrl", "https://localhost/x"),
            ("webhookUrl", "https://10.0.0.1/"),
            ("webhookUrl", "https://[::1]/"),
            ("webhookUrl", "https://user:pw@a.example.com"),
            ("webhookUrl", "ftp://a.b"),
            ("webhookUrl", "http://127.0.0.1:9000/"),
            ("webhookUrl", "https://2130706433/"),
            ("webhookUrl", "https://169.254.169.254/latest"),
            ("webhookUrl", 5),
            ("webhookUrl", "https://a.example.com:99999"),
        ],
    )
    def test_refuse_what_makes_no_sense(self, customer: Customer, field: str, value: Any) -> None:
        body = assert_error(customer.patch("/v1/account/settings", {field: value}), 400, "invalid_request")
        assert list(body["details"]) == [field]
