"""A customer wants to know the LEI of a company that is looked up."""

from __future__ import annotations

import csv
import io
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from lookups.bulk import queue
from lookups.identities import asking, finding
from lookups.lookup import handover
from lookups.models import Entity, Identifiers, Job, Lookup, RecordVersion
from lookups.privacy import erasure
from scrapers.evidence import bodies
from scrapers.identities.gleif import Gleif
from scrapers.models import Breaker
from scrapers.operations import breaker
from scrapers.transport.exchanges import digest
from scrapers.transport.pace import Pace
from tests.doors.mcp.agents import Agent
from tests.lookups.conftest import NOW, PRICE, Customer, anew
from tests.lookups.gleif_server import PlayedGleif, lei, record
from tests.lookups.identifiers.conftest import include
from tests.lookups.registry_server import Register
from tests.lookups.test_hostile_bodies import assert_error
from tests.lookups.test_left_out import leave_out
from tests.pages.dossier.conftest import read
from tests.pages.dossier.records import keep

pytestmark = pytest.mark.django_db


class TestAnLei:
    """Of a company whose number and name GLEIF has."""

    def test_comes_with_both_statuses_and_its_own_source(self, customer: Customer, gleif: PlayedGleif) -> None:
        gleif.records = [record("ACME CORP.", registration="LAPSED")]
        body = include(customer).json()
        found = body["identifiers"]["lei"]
        assert (found["status"], found["lei"], found["legalName"]) == ("attached", lei(100001), "ACME CORP.")
        assert (found["entityStatus"], found["registrationStatus"]) == ("ACTIVE", "LAPSED")
        assert found["nextRenewal"] == "2026-03-01"
        assert (found["authority"], found["authorityConfirmed"]) == ("RA000628", True)
        evidence = found["evidence"]
        assert evidence["sourceUrl"].startswith("https://api.gleif.org/api/v1/lei-records?")
        assert evidence["retrievedAt"] != body["data"]["evidence"]["retrievedAt"]
        assert evidence["sha256"] != body["data"]["evidence"]["sha256"]
        assert body["identifiers"]["cik"]["status"] == "not_loaded"

    def test_is_asked_for_by_the_states_number_and_nothing_else(self, customer: Customer, gleif: PlayedGleif) -> None:
        include(customer)
        assert gleif.asked == [
            {"filter[entity.registeredAs]": "100001", "filter[entity.registeredAt]": "RA000628", "page[size]": "10"}
        ]

    def test_costs_nothing_and_changes_nothing_of_the_answer(self, customer: Customer, gleif: PlayedGleif) -> None:
        plain, more = customer.lookup().json(), include(customer).json()
        assert "identifiers" not in plain
        assert len(gleif.asked) == 1, "only where it was asked for"
        assert customer.balance.spent == 2 * PRICE
        assert (more["verdict"], more["cost"]) == (plain["verdict"], plain["cost"])
        left_out = {"scrapedAt", "evidence"}
        assert {k: v for k, v in more["data"].items() if k not in left_out} == {
            k: v for k, v in plain["data"].items() if k not in left_out
        }

    def test_is_repeated_as_it_was(self, customer: Customer, gleif: PlayedGleif) -> None:
        body = include(customer).json()
        gleif.records = []
        assert customer.get(f"/v1/lookups/{body['lookupId']}").json()["identifiers"] == body["identifiers"]

    def test_has_its_exchange_kept_as_that_of_a_registry(self, customer: Customer, gleif: PlayedGleif) -> None:
        body = include(customer).json()
        proof = customer.get(f"/v1/lookups/{body['lookupId']}/evidence").json()
        (exchange,) = proof["identifierExchanges"]
        assert exchange["bytes"] == "kept"
        assert exchange["record"]["url"] == body["identifiers"]["lei"]["evidence"]["sourceUrl"]
        assert body["identifiers"]["lei"]["evidence"]["sha256"] == digest([exchange["record"]])
        kept = bodies.read(exchange["record"]["body"]["sha256"])
        assert kept is not None
        assert lei(100001).encode() in kept
        assert exchange["sha256"] not in proof["manifest"]["exchanges"], "the registry's are signed by themselves"

    def test_is_withheld_for_a_company_that_is_left_out(self, customer: Customer, gleif: PlayedGleif) -> None:
        body = include(customer).json()
        leave_out(kind="company", state="NY", entity_id="100001")
        told = customer.get(f"/v1/lookups/{body['lookupId']}").json()["identifiers"]
        assert (told["lei"]["status"], told["lei"]["lei"], told["lei"]["legalName"]) == ("withheld", None, None)

    @pytest.mark.parametrize(("number", "asked"), [("0804695111", 1), ("804695111", 2)])
    def test_in_texas_is_that_of_the_secretary_of_states_number(
        self, gleif: PlayedGleif, number: str, asked: int
    ) -> None:
        """Companies are known there by the Comptroller's numbers, which no LEI is issued for."""
        gleif.records = [record("Acme LLC", number=number, authority="RA000637")]
        known = {"state": "TX", "entityName": "ACME LLC", "entityId": "32085000001"}
        acme = keep(read_at=NOW, normalized={"identifiers": {"sosFileNumber": "0804695111"}}, **known)
        found = finding.find(acme, now=NOW)
        assert (found.lei["status"], found.lei["authorityConfirmed"]) == ("attached", True)
        assert [one["filter[entity.registeredAs]"] for one in gleif.asked] == ["0804695111", "804695111"][:asked]
        assert len(found.exchanges) == asked

    def test_in_texas_is_not_looked_for_without_such_a_number(self, gleif: PlayedGleif) -> None:
        known = {"state": "TX", "entityName": "ACME", "entityId": "32085000002", "normalized": {"identifiers": {}}}
        assert finding.find(keep(read_at=NOW, **known), now=NOW).lei == {"status": "unsupported"}
        assert gleif.asked == []


class TestNoLei:
    """Where it is not sure whose it is."""

    def test_is_attached_under_another_name(self, customer: Customer, gleif: PlayedGleif) -> None:
        """Eight of 3,921 numbers of New York that LEIs were issued for were wrong."""
        gleif.records = [record("Zenith Paper Mills Inc.")]
        body = include(customer).json()
        assert body["identifiers"]["lei"]["status"] == "name_disagrees"
        assert body["identifiers"]["lei"]["lei"] is None
        assert lei(100001) not in str(body)
        assert (body["verdict"], body["cost"]) == ("found", 0.0314)

    @pytest.mark.parametrize(
        "records",
        [
            pytest.param([], id="nobody has the number"),
            pytest.param([record("Acme Corp.", number="0100001")], id="with a zero before it"),
            pytest.param([record("Acme Corp.", authority="RA000602")], id="the number is another state's"),
            pytest.param([record("Acme Corp.", authority="RA888888")], id="a placeholder for a registry"),
        ],
    )
    def test_is_found_for_another_number(self, customer: Customer, gleif: PlayedGleif, records: Any) -> None:
        gleif.records = records
        told = include(customer).json()["identifiers"]["lei"]
        assert (told["status"], told["lei"]) == ("not_found", None)
        assert told["evidence"]["sourceUrl"].startswith("https://api.gleif.org/"), "what was not found is proven, too"

    def test_is_attached_where_two_agree(self, customer: Customer, gleif: PlayedGleif) -> None:
        gleif.records = [record("Acme Corp."), record("Acme Corp", lei=lei(7))]
        assert include(customer).json()["identifiers"]["lei"]["status"] == "ambiguous"

    def test_is_looked_for_where_no_company_was_found(self, customer: Customer, gleif: PlayedGleif) -> None:
        reply = include(customer, "Nobody Knows This")
        assert reply.status_code == 404
        assert "identifiers" not in reply.json()
        assert gleif.asked == []


class TestGleif:
    """When it is not well."""

    @pytest.mark.parametrize(
        ("status", "raw", "reason"),
        [
            (500, b"{}", "down"),
            (429, b"{}", "rate_limited"),
            (200, b"<html><body>Moved</body></html>", "layout_changed"),
            (200, b'{"data": [{"id": 1}]}', "layout_changed"),
            (200, b'{"data": {"attributes": 5}}', "layout_changed"),
        ],
    )
    def test_leaves_a_word_why_and_the_lookup_as_it_is(
        self, customer: Customer, gleif: PlayedGleif, status: int, raw: bytes, reason: str
    ) -> None:
        gleif.status, gleif.raw = status, raw
        reply = include(customer)
        assert (reply.status_code, reply.json()["verdict"], customer.balance.spent) == (200, "found", PRICE)
        told = reply.json()["identifiers"]["lei"]
        assert (told["status"], told["reason"], told["lei"]) == ("unavailable", reason, None)

    def test_is_not_believed_when_it_answers_another_question(self, customer: Customer, gleif: PlayedGleif) -> None:
        gleif.records, gleif.ignores_filter = [record("Acme Corp.", number="5", authority="RA777777")], True
        assert include(customer).json()["identifiers"]["lei"]["reason"] == "layout_changed"

    def test_is_asked_again_for_the_next_lookup(self, customer: Customer, gleif: PlayedGleif) -> None:
        gleif.status, gleif.raw = 500, b"{}"
        include(customer)
        gleif.status, gleif.raw = 200, None
        assert include(customer).json()["identifiers"]["lei"]["status"] == "attached"

    def test_is_not_asked_where_the_operator_says_so(
        self, customer: Customer, gleif: PlayedGleif, settings: Any
    ) -> None:
        settings.ASK_GLEIF = False
        told = include(customer).json()["identifiers"]["lei"]
        assert (told["status"], told["reason"], gleif.asked) == ("unavailable", "disabled", [])

    def test_breaks_nothing_when_our_own_reading_breaks(
        self, customer: Customer, gleif: PlayedGleif, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("lookups.identities.finding.choose_lei", lambda *_, **__: 1 / 0)
        body = include(customer).json()
        assert (body["verdict"], body["identifiers"]["lei"]["status"]) == ("found", "unavailable")


@pytest.fixture
def slow(gleif: PlayedGleif, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlayedGleif]:
    """It takes a request and does not answer; a lookup waits 0.3 seconds for it."""
    monkeypatch.setattr(asking, "BUDGET_SECONDS", 0.3)
    gleif.may_go = threading.Event()
    yield gleif
    gleif.may_go.set()


class TestAnAccountThatIsErased:
    def test_while_they_are_looked_for_keeps_none(
        self, customer: Customer, gleif: PlayedGleif, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """They name the company: from the erased lookup they led to what it had asked."""
        find = finding.find

        def erased_meanwhile(version: RecordVersion, *, now: datetime) -> finding.Found:
            erasure.erase(account=customer.account, give_up_credit=True, now=now)
            return find(version, now=now)

        monkeypatch.setattr(finding, "find", erased_meanwhile)
        assert include(customer).status_code == 200
        assert (Lookup.objects.get().asked, Lookup.objects.get().version) == ("erased", None)
        assert not Identifiers.objects.exists()


class TestTheTimeThatIdentifiersAdd:
    """To a lookup: none when they are known, little when they are not."""

    def test_is_none_for_a_day_after_they_were_found(self, customer: Customer, gleif: PlayedGleif) -> None:
        first = include(customer).json()["identifiers"]
        gleif.may_go = threading.Event()  # whoever asked now would wait
        assert include(customer).json()["identifiers"] == first
        assert len(gleif.asked) == 1, "0 exchanges"

    def test_is_spent_again_after_that_day(self, customer: Customer, gleif: PlayedGleif) -> None:
        include(customer)
        Identifiers.objects.update(asked_at=F("asked_at") - timedelta(hours=25))
        include(customer)
        assert len(gleif.asked) == 2

    def test_is_bounded_and_soon_none_where_it_does_not_answer(self, customer: Customer, slow: PlayedGleif) -> None:
        spent = []
        for _ in range(breaker.FAILURES + 1):
            began = time.monotonic()
            told = include(customer, source="cache").json()["identifiers"]["lei"]
            spent.append(time.monotonic() - began)
            assert told["status"] == "unavailable"
        assert all(seconds > 0.3 for seconds in spent[:-1])
        assert max(spent) < 5, "it would take 20 to answer"
        assert len(slow.asked) <= breaker.FAILURES, "then it is left alone; one may have given up before it was heard"
        assert Breaker.objects.get(pk="GLEIF").open_until is not None
        assert breaker.find_rest(state="NY", now=timezone.now()) is None, "which is nothing of the registry's"

    def test_is_not_spent_waiting_for_a_turn_that_comes_too_late(
        self, customer: Customer, gleif: PlayedGleif, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Gleif, "pace", Pace(60.0, 4))
        include(customer)
        told = include(customer, "Zebra Inc").json()["identifiers"]["lei"]
        assert (told["status"], told["reason"], len(gleif.asked)) == ("unavailable", "rate_limited", 1)


class TestARequest:
    """With words that nobody knows."""

    @pytest.mark.parametrize("wrong", ["identifiers", ["lei"], ["identifiers", "identifiers"], {"a": 1}, [5]])
    def test_is_refused(self, customer: Customer, wrong: Any) -> None:
        assert "include" in assert_error(customer.lookup(include=wrong), 400, "invalid_request")["details"]

    def test_for_liens_has_no_company_to_identify(self, customer: Customer) -> None:
        reply = customer.lookup("Acme Corp", "FL", searchType="ucc", include=["identifiers"])
        assert list(assert_error(reply, 400, "invalid_request")["details"]) == ["include"]

    @pytest.mark.parametrize("nothing", [[], None])
    def test_may_include_nothing(self, tester: Customer, nothing: Any) -> None:
        reply = tester.lookup("Blue Heron Logistics LLC", "DE", include=nothing)
        assert (reply.status_code, "identifiers" in reply.json()) == (200, False)

    def test_with_and_one_without_are_two(self, customer: Customer, gleif: PlayedGleif) -> None:
        """What was asked a moment ago is told again; but this asks for more."""
        assert "identifiers" not in customer.lookup().json()
        assert "identifiers" in customer.lookup(include=["identifiers"]).json()


@pytest.mark.usefixtures("no_workers")
class TestABulkJob:
    """That includes identifiers."""

    def test_has_them_in_every_row_that_found_a_company(self, customer: Customer, gleif: PlayedGleif) -> None:
        names = ("Acme Corp", "Nobody Knows This", "ACME CORP.", "Zebra Inc")
        rows = [{"entity_name": name, "state": "NY"} for name in names]
        job = customer.post("/v1/bulk-lookup", {"entities": rows, "include": ["identifiers"]}).json()["job_id"]
        queue.work(now=timezone.now())
        found = customer.get(f"/v1/bulk-lookup/{job}").json()["results"]
        told = [one.get("identifiers", {}).get("lei", {}).get("status") for one in found]
        assert told == ["attached", None, "attached", "not_found"]
        assert len(gleif.asked) == 2, "a row that repeats another is given the same"
        assert customer.balance.spent == 2 * PRICE
        table = customer.get(f"/v1/bulk-lookup/{job}", accept="text/csv").getvalue().decode()
        lines = list(csv.DictReader(io.StringIO(table)))
        assert [line["identifiers.lei.lei"] for line in lines] == [lei(100001), "", lei(100001), ""]

    def test_has_their_exchanges_in_the_evidence_of_a_row_that_repeats_another(
        self, customer: Customer, gleif: PlayedGleif
    ) -> None:
        rows = [{"entity_name": "Acme Corp", "state": "NY"}] * 2
        job = customer.post("/v1/bulk-lookup", {"entities": rows, "include": ["identifiers"]}).json()["job_id"]
        queue.work(now=timezone.now())
        numbers = [row["lookupId"] for row in customer.get(f"/v1/bulk-lookup/{job}").json()["results"]]

        def list_exchanges() -> list[Any]:
            return [customer.get(f"/v1/lookups/{one}/evidence").json()["identifierExchanges"] for one in numbers]

        first, repeated = list_exchanges()
        assert repeated == first
        assert [one["bytes"] for one in first] == ["kept"]
        leave_out(kind="company", state="NY", entity_id="100001")
        assert [[one["bytes"] for one in each] for each in list_exchanges()] == [["withheld"]] * 2

    def test_may_come_as_a_table(self, tester: Customer) -> None:
        table = "name,state\nBlue Heron Logistics LLC,DE\n"
        sent = {"content-type": "text/csv"}
        made = tester.post("/v1/bulk-lookup?include=identifiers", table, **sent)
        queue.work(now=timezone.now())
        (row,) = tester.get(made.json()["poll_url"]).json()["results"]
        assert row["identifiers"]["lei"]["status"] == "attached"
        assert tester.post("/v1/bulk-lookup?include=duns", table, **sent).status_code == 400

    def test_has_none_where_it_did_not_ask(self, customer: Customer, gleif: PlayedGleif) -> None:
        job = customer.post("/v1/bulk-lookup", {"entities": [{"entity_name": "Acme Corp", "state": "NY"}]}).json()
        queue.work(now=timezone.now())
        (row,) = customer.get(job["poll_url"]).json()["results"]
        assert ("identifiers" in row, gleif.asked) == (False, [])


class TestTheSandbox:
    """Plays GLEIF as it plays registries."""

    def test_has_an_lei_that_asks_nobody(self, tester: Customer, gleif: PlayedGleif) -> None:
        told = include(tester, "Blue Heron Logistics LLC", "DE").json()["identifiers"]
        assert (told["lei"]["status"], told["lei"]["registrationStatus"]) == ("attached", "LAPSED")
        assert (told["lei"]["evidence"], told["cik"]["status"]) == (None, "suggested")
        assert gleif.asked == []

    def test_has_one_that_was_issued_for_somebody_else(self, tester: Customer) -> None:
        told = include(tester, "Blue Heron Logistics Holdings LP", "DE").json()["identifiers"]["lei"]
        assert (told["status"], told["lei"]) == ("name_disagrees", None)

    def test_has_none_where_no_code_of_the_registry_is_known(self, tester: Customer) -> None:
        told = include(tester, "Nettlecombe Printworks Company", "GU").json()["identifiers"]["lei"]
        assert (told["status"], told["authority"]) == ("unsupported", None)

    def test_says_where_the_code_is_inferred(self, tester: Customer) -> None:
        told = include(tester, "Lanternfish Cartage Society", "AK").json()["identifiers"]["lei"]
        assert (told["authority"], told["authorityConfirmed"]) == ("RA000594", False)


def test_an_agent_may_ask_for_identifiers(tester: Customer) -> None:
    asked = {"entity_name": "Blue Heron Logistics LLC", "state": "DE", "include": ["identifiers"]}
    result = Agent(tester.secret).call("look_up_company", **asked)
    assert result["structuredContent"]["identifiers"]["lei"]["status"] == "attached"


@pytest.mark.django_db(transaction=True)
def test_a_lookup_that_is_answered_later_has_them_too(
    switches: None,
    customer: Customer,
    gleif: PlayedGleif,
    register: Register,
    monkeypatch: pytest.MonkeyPatch,
    no_workers: None,
    settings: Any,
) -> None:
    """Its caller did not wait; the thread that asks the registry looks for them, and then ends the job."""
    settings.SYNC_BUDGET_SECONDS = 0.2
    pool = ThreadPoolExecutor(2)
    monkeypatch.setattr(handover, "_pool", lambda _: pool)
    register.may_go = threading.Event()
    reply = customer.lookup(include=["identifiers"], headers=anew())
    assert reply.status_code == 202
    register.may_go.set()
    until = time.monotonic() + 60
    while Job.objects.open().exists() and time.monotonic() < until:
        time.sleep(0.02)
    pool.shutdown(wait=True)
    body = customer.get(reply.json()["statusUrl"]).json()
    assert body["result"]["identifiers"]["lei"]["status"] == "attached"


class TestThePublicPage:
    """Of a company that has another name by now."""

    def test_shows_no_number_that_was_found_for_the_name_before(
        self, customer: Customer, register: Register, gleif: PlayedGleif
    ) -> None:
        """It says "by number and name", and of a CIK that the SEC has one filer of this name."""
        include(customer)
        [company] = Entity.objects.all()
        assert gleif.records[0]["id"] in read(company.page_url).content.decode()
        register.rows[0]["current_entity_name"] = "ZEBRA MILLS INC."
        customer.post("/v1/lookup", {"state": "NY", "entity_id": "100001"})
        company.refresh_from_db()
        page = read(company.page_url).content.decode()
        assert "ZEBRA MILLS INC." in page
        assert gleif.records[0]["id"] not in page
