"""Whether a name is free, told as the person who wants it lives it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import ledger
from lookups.models import Entity, Lookup
from tests.lookups.conftest import PRICE, Customer, anew
from tests.lookups.registry_server import Register, company
from tests.lookups.test_hostile_bodies import assert_error

pytestmark = pytest.mark.django_db

# Twenty names a person would try on the sandbox, each answer read: (state, name, whether free, kinds of conflict)
TWENTY: list[tuple[str, str, bool, list[str]]] = [
    ("DE", "Blue Heron Logistics LLC", False, ["active", "inactive"]),
    ("DE", "Blue Heron Logistics", False, ["active", "inactive"]),
    ("DE", "The Blue-Heron Logistics, L.L.C.", False, ["active", "inactive"]),
    ("DE", "Blue Heron Logistics Corp", False, ["active", "inactive"]),
    ("DE", "Blue Heron Logistics Holdings LLC", False, ["active"]),
    ("DE", "Blue Heron Logistics Partners LLC", True, []),
    ("DE", "Blue Heron Bakery LLC", True, []),
    ("DE", "Heron & Sons Haulage LLC", True, []),
    ("DE", "Quasar Umbrella Repair Inc", True, []),
    ("DE", "Dapplethorn Nursery LLC", True, []),
    ("DE", "Amber Pangolin Glassworks Inc.", False, ["active"]),
    ("TX", "3 Foxes Delivery LLC", False, ["active"]),
    ("TX", "Three Foxes Delivery Inc", False, ["active"]),
    ("TX", "Four Foxes Delivery LLC", True, []),
    ("TX", "Mosswhittle Weavers Holdings II LLC", True, []),
    ("TX", "Mosswhittle Weavers Holdings III LLC", True, []),
    ("MA", "Quayside Tea and Spice LLC", False, ["active", "active"]),
    ("PR", "Cafe Nandu del Cantil LLC", False, ["active"]),
    ("ME", "OQuillans Boat Yard Inc", False, ["active"]),
    ("NY", "Snowberry Omnibus Corp.", False, ["neutral"]),
]


def check(who: Customer, name: Any, state: Any = "DE", **headers: str) -> Any:
    return who.post("/v1/name-availability", {"entity_name": name, "state": state}, **headers)


class TestTwentyNames:
    """On the sandbox."""

    @pytest.mark.parametrize(("state", "name", "free", "kinds"), TWENTY, ids=lambda value: str(value)[:40])
    def test_are_judged_as_a_clerk_would(
        self, tester: Customer, state: str, name: str, free: bool, kinds: list[str]
    ) -> None:
        body = check(tester, name, state).json()
        assert body["available"] is free, body
        assert sorted(one["statusClass"] for one in body["conflictingEntities"]) == sorted(kinds)


class TestAReply:
    """Its form."""

    def test_has_the_fixed_fields(self, tester: Customer) -> None:
        body = check(tester, "Blue Heron Logistics LLC").json()
        assert {
            "success",
            "available",
            "searchedName",
            "state",
            "conflictingEntities",
            "variationNote",
            "warning",
            "statusNote",
            "cost",
            "data_source",
            "walletBalance",
            "lookupsRemaining",
        } <= body.keys()
        assert (body["success"], body["data_source"], body["searchedName"]) == (
            True,
            "live",
            "Blue Heron Logistics LLC",
        )
        first = body["conflictingEntities"][0]
        assert set(first) == {"entityName", "entityId", "status", "statusClass", "sosUrl", "entityPageUrl"}
        assert first["entityId"] == "SB-DE-000123"

    def test_leads_to_the_page_of_an_entity_that_is_stored(self, tester: Customer) -> None:
        for other in ({"state": "OH", "sandbox": True}, {"state": "DE", "sandbox": False}):  # have its number as well
            named = {"slug": f"heron-{other['state']}", "name": "HERON", "name_key": "heron"}
            Entity.objects.create(entity_id="SB-DE-000123", last_read_at=timezone.now(), **named, **other)
        assert check(tester, "Blue Heron Logistics LLC").json()["conflictingEntities"][0]["entityPageUrl"] is None
        page = tester.lookup("Blue Heron Logistics LLC", "DE").json()["data"]["entityPageUrl"]
        assert check(tester, "Blue Heron Logistics LLC").json()["conflictingEntities"][0]["entityPageUrl"] == page

    def test_warns_of_an_owner_that_was_revoked(self, tester: Customer) -> None:
        body = check(tester, "Mosswhittle Weavers Holdings II LLC", "TX").json()
        assert body["available"]
        assert "Revoked" in body["warning"]

    def test_calls_no_name_free_whose_owner_has_a_status_that_nobody_knows(self, tester: Customer) -> None:
        body = check(tester, "Rustwhistle Cartography LLC", "UT").json()
        assert not body["available"]
        assert [one["statusClass"] for one in body["conflictingEntities"]] == ["neutral"]
        assert "no status that we know" in body["warning"]

    def test_calls_a_name_taken_whose_owner_is_pending(self, tester: Customer) -> None:
        body = check(tester, "Lampblack Ink Company", "OH").json()
        assert (body["verdict"], body["available"]) == ("taken", False)
        assert [one["statusClass"] for one in body["conflictingEntities"]] == ["neutral"]
        assert "is Pending: that does not say that it has ended" in body["warning"]

    def test_says_by_which_rule_and_how_sure_that_is(self, tester: Customer) -> None:
        florida, guam = (check(tester, "Quasar Umbrella Repair Inc", state).json() for state in ("FL", "GU"))
        assert florida["rule"]["source"] == "Florida Statutes 605.0112 and 607.0401(1)(d)"
        assert "plural and possessive forms" in florida["rule"]["text"]
        assert "except fictitious names" in florida["ownerRule"]["text"]
        assert (florida["rule"]["sure"], florida["ownerRule"]["sure"]) == ("rule", "rule")
        assert (guam["rule"]["sure"], guam["ownerRule"]["sure"]) == ("assumed", "assumed")
        assert "Whatever exists on the register stands in the way" in guam["ownerRule"]["text"]

    def test_tells_the_rule_again_with_the_kept_reply(self, tester: Customer) -> None:
        body = check(tester, "Quasar Umbrella Repair Inc", "FL").json()
        again = tester.get(f"/v1/lookups/{body['lookupId']}").json()
        assert (again["rule"], again["ownerRule"]) == (body["rule"], body["ownerRule"])

    def test_is_read_again_with_its_evidence_by_a_key_for_name_checks_alone(self, tester: Customer) -> None:
        company = tester.lookup("Blue Heron Logistics LLC", "DE").json()["lookupId"]
        type(tester.key).objects.update(scopes=["names"])
        body = check(tester, "Quasar Umbrella Repair Inc", "FL").json()
        told = tester.get(f"/v1/lookups/{body['lookupId']}")
        assert (told.status_code, told.json()["verdict"]) == (200, body["verdict"])
        evidence = tester.get(f"/v1/lookups/{body['lookupId']}/evidence")
        assert (evidence.status_code, evidence.json()["lookupId"]) == (200, body["lookupId"])
        assert_error(tester.get(f"/v1/lookups/{company}"), 403, "forbidden")
        assert tester.get(f"/v1/lookups/{company.replace('lk_', 'nc_')}").status_code == 404
        type(tester.key).objects.update(scopes=["account"])
        assert_error(tester.get(f"/v1/lookups/{body['lookupId']}"), 403, "forbidden")

    def test_notes_the_same_name_with_another_legal_form(self, tester: Customer) -> None:
        body = check(tester, "Amber Pangolin Glassworks Inc.").json()
        assert "Amber Pangolin Glassworks LLC" in body["variationNote"]


class TestARegistrysOwnNameCheck:
    """Asked where there is one."""

    def test_is_shown_and_believed(self, tester: Customer) -> None:
        body = check(tester, "Magic Name Refused LLC").json()
        assert (body["available"], body["conflictingEntities"]) == (False, [])
        assert body["registryVerdict"] == {
            "source": "The fictional registry's own name check",
            "available": False,
            "said": "This name is not available.",
        }
        assert "not available" in body["statusNote"]

    def test_is_null_where_there_is_none(self, tester: Customer) -> None:
        assert check(tester, "Quasar Umbrella Repair").json()["registryVerdict"] is None


class TestTheCharge:
    """One lookup's price a verdict, whichever it is; nothing otherwise."""

    def test_is_the_same_for_a_free_and_a_taken_name(self, customer: Customer, register: Register) -> None:
        taken = check(customer, "Acme Corporation", "NY").json()
        free = check(customer, "Quasar Umbrella Repair", "NY").json()
        assert (taken["available"], free["available"]) == (False, True)
        assert (taken["cost"], free["cost"]) == (0.0314, 0.0314)
        assert (free["walletBalance"], free["lookupsRemaining"]) == ("0.25", 8)
        assert customer.balance.spent == 2 * PRICE
        assert free["statusNote"] is None  # names of ended entities are seen, too

    def test_is_nothing_when_the_registry_cannot_be_asked(self, tester: Customer, customer: Customer) -> None:
        reply = check(tester, "Magic Blocked LLC")
        assert (reply.status_code, reply.json()["reason"]) == (503, "blocked")
        off = check(customer, "Acme", "KS")
        assert (off.status_code, off.json()["reason"]) == (503, "disabled")
        assert customer.balance.available == 10 * PRICE
        assert customer.balance.held == 0

    def test_is_asked_of_nobody_where_the_registry_is_not_asked(self, customer: Customer, register: Register) -> None:
        """Who has spent all is not sent to top up for what cannot be had."""
        register.status = 500
        for number in range(5):
            assert check(customer, f"Acme {number}", "NY").status_code == 503
        ledger.hold(
            account_id=customer.account.pk,
            amount=10 * PRICE,
            idempotency_key="all",
            reference="all of it",
            expires_at=timezone.now() + timedelta(hours=1),
            now=timezone.now(),
        )
        for state, reason in (("KS", "disabled"), ("NY", "down")):
            reply = check(customer, "Acme", state)
            assert (reply.status_code, reply.json().get("reason")) == (503, reason)

    def test_is_nothing_for_a_list_that_was_cut(self, tester: Customer) -> None:
        reply = check(tester, "Magic Too Many LLC")
        assert reply.status_code == 400
        assert reply.json()["code"] == "invalid_request"

    def test_is_made_once_for_a_repeated_request(self, customer: Customer, register: Register) -> None:
        first = check(customer, "Acme", "NY", idempotency_key="once").json()
        assert check(customer, "Acme", "NY", idempotency_key="once").json() == first
        assert customer.balance.spent == PRICE

    @pytest.mark.parametrize(("name", "verdict"), [("Acme", "taken"), ("Quasar Umbrella Repair", "free")])
    def test_is_made_once_where_the_reply_was_lost_whichever_the_verdict(
        self, customer: Customer, register: Register, name: str, verdict: str
    ) -> None:
        first = check(customer, name, "NY").json()
        assert first["verdict"] == verdict
        assert check(customer, name, "NY").json() == first
        assert customer.balance.spent == PRICE

    def test_needs_a_balance_that_covers_it(self, customer: Customer, register: Register) -> None:
        for number in range(10):
            assert check(customer, f"Quasar {number} Umbrella", "NY").status_code == 200
        reply = check(customer, "One More Name", "NY")
        assert (reply.status_code, reply["Content-Type"]) == (402, "application/problem+json")
        assert customer.balance.available == 0

    def test_is_counted_as_a_row(self, customer: Customer, register: Register) -> None:
        check(customer, "Acme", "NY")
        row = Lookup.objects.get()
        assert (row.kind, row.verdict, row.cost, row.asked) == ("name_check", "taken", PRICE, "Acme")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
class TestManyAtOnce:
    """One account's last credit."""

    def test_are_charged_for_what_there_is(self, on_postgres: None, customer: Customer, register: Register) -> None:
        from django.db import connections

        def one(number: int) -> int:
            try:
                return int(check(customer, f"Quasar {number} Umbrella", "NY").status_code)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(one, range(14)))
        assert answers.count(200) == 10
        assert customer.balance.available == 0
        assert customer.balance.held == 0


class TestBadInput:
    """Each gets the one error shape, and costs nothing."""

    @pytest.mark.parametrize(
        ("name", "state", "code"),
        [
            ("A", "DE", "invalid_request"),
            (None, "DE", "invalid_request"),
            ("x" * 201, "DE", "invalid_request"),
            ("Acme", "Delaware", "invalid_request"),
            ("Acme", "ZZ", "unsupported_state"),
            (["Acme"], "DE", "invalid_request"),
            ("Acme", None, "invalid_request"),
            ("Ac\x00me", "DE", "invalid_request"),
        ],
    )
    def test_is_reported_plainly(self, tester: Customer, name: Any, state: Any, code: str) -> None:
        reply = check(tester, name, state)
        assert (reply.status_code, reply.json()["code"], reply.json()["cost"]) == (400, code, 0)

    def test_without_a_key_is_refused(self, switches: None, client: Any) -> None:
        reply = client.post("/v1/name-availability", "{}", content_type="application/json")
        assert reply.status_code == 401


def test_the_states_say_where_names_can_be_checked(switches: None, client: Any) -> None:
    told = {row["state"]: row["nameAvailabilityAvailable"] for row in client.get("/v1/states").json()}
    assert told["NY"] is True
    assert told["AS"] is False


def test_a_new_row_takes_a_name(customer: Customer, register: Register) -> None:
    assert check(customer, "Fresh Start LLC", "NY").json()["available"]
    register.rows.append(company("FRESH START INC.", "100099"))
    assert not check(customer, "Fresh Start LLC", "NY", **anew()).json()["available"]
