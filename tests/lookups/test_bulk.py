"""Many companies in one request."""

from __future__ import annotations

import copy
import csv
import io
import json
import tracemalloc
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from celery import current_app
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from billing import ledger, reconciliation
from billing.models import AuditEvent, LedgerEntry
from jurisdictions import services
from lookups import tasks
from lookups.bulk import bulk_jobs, queue
from lookups.jobs import lifecycle, operator_actions, runner
from lookups.models import BulkJob, Job, Lookup
from scrapers.sandbox.magic import MAGIC
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.registry_server import Register, company
from tests.lookups.test_hostile_bodies import assert_error
from tests.lookups.test_left_out import leave_out

pytestmark = pytest.mark.django_db
TWO = [{"entity_name": "Acme Corp", "state": "NY", "ref": "a-1"}, {"entity_name": "Zebra Inc", "state": "ny"}]


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch, register: Register) -> list[str]:
    """The messages that would have gone to workers; each test plays the worker itself."""
    sent: list[str] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, **_: sent.append(name))
    return sent


@pytest.fixture(autouse=True)
def rested(monkeypatch: pytest.MonkeyPatch) -> None:
    """New York asked without a pause between two questions."""
    from scrapers.states.new_york import NewYork
    from scrapers.transport.pace import Pace

    monkeypatch.setattr(NewYork, "pace", Pace(seconds=0.0, concurrency=2))


def ask(customer: Customer, rows: Any = None, **more: Any) -> Any:
    headers = more.pop("headers", {})
    return customer.post("/v1/bulk-lookup", {"entities": TWO if rows is None else rows, **more}, **headers)


def read(customer: Customer, job: str, query: str = "", **headers: str) -> Any:
    return customer.get(f"/v1/bulk-lookup/{job}{query}", **headers)


def drop(customer: Customer, job: str) -> Any:
    return Client().delete(f"/v1/bulk-lookup/{job}", headers={"x-api-key": customer.secret})


def work() -> int:
    return queue.work(now=timezone.now())


class TestABulkRequest:
    """POST /v1/bulk-lookup."""

    def test_is_taken_on_with_its_whole_price_held(
        self, customer: Customer, register: Register, calls: list[str], django_capture_on_commit_callbacks: Any
    ) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            reply = ask(customer)
        assert reply.status_code == 202
        body = reply.json()
        assert set(body) == {"job_id", "livemode", "status", "total", "poll_url"}
        assert (body["status"], body["total"]) == ("queued", 2)
        assert body["job_id"].startswith("bulk_")
        assert body["poll_url"] == reply["Location"] == f"/v1/bulk-lookup/{body['job_id']}"
        assert (customer.balance.held, customer.balance.available) == (2 * PRICE, 8 * PRICE)
        assert register.asked == 0
        assert calls == ["lookups.tasks.run_bulk"] * 2

    @pytest.mark.parametrize("rows", [[], [TWO[0]] * 1001, None, "x", {}, 3])
    def test_of_no_rows_or_too_many_is_refused(self, customer: Customer, rows: Any) -> None:
        reply = customer.post("/v1/bulk-lookup", {"entities": rows})
        assert_error(reply, 400, "invalid_request", "Invalid request body")
        assert reply.json()["details"][0]["index"] is None
        assert (BulkJob.objects.count(), customer.balance.held) == (0, 0)

    def test_names_each_bad_row_and_queues_nothing(self, customer: Customer) -> None:
        rows = [TWO[0], {"entity_name": "A", "state": "NY"}, {"state": "NY"}, 7, {"entity_name": "Acme", "state": "ZZ"}]
        details = ask(customer, rows).json()["details"]
        assert [one["index"] for one in details] == [1, 2, 3, 4]
        assert details[1]["error"] == "entity_name: This field is required."
        assert (Job.objects.count(), customer.balance.held) == (0, 0)

    @pytest.mark.parametrize("row", [7, None, "Acme", ["Acme", "NY"], True])
    def test_says_of_a_row_that_is_none_what_to_send(self, customer: Customer, row: Any) -> None:
        assert ask(customer, [TWO[0], row]).json()["details"] == [{"index": 1, "error": "row: Send an object."}]

    def test_that_the_balance_does_not_cover_is_a_402(self, customer: Customer) -> None:
        rows = [{"entity_name": f"Company {number}", "state": "NY"} for number in range(11)]
        reply = ask(customer, rows)
        assert reply.status_code == 402
        assert reply["Content-Type"].startswith("application/problem+json")
        assert (Job.objects.count(), customer.balance.held) == (0, 0)

    def test_with_a_repeated_key_is_one(self, customer: Customer) -> None:
        first = ask(customer, headers={"idempotency_key": "k"}).json()
        assert ask(customer, headers={"idempotency_key": "k"}).json() == first
        assert BulkJob.objects.count() == 1
        assert customer.balance.held == 2 * PRICE

    def test_with_an_unknown_source_is_refused(self, customer: Customer) -> None:
        assert ask(customer, source="memory").json()["details"][0]["error"].startswith("source: ")

    @pytest.mark.parametrize("asked", [{"source": "cache"}, {"fresh": False}, {"source": "stored"}, {"fresh": "no"}])
    def test_refuses_a_row_that_would_be_answered_from_another_source_than_it_asks_for(
        self, customer: Customer, asked: dict[str, Any]
    ) -> None:
        reply = ask(customer, [TWO[0], {**TWO[1], **asked}])
        assert_error(reply, 400, "invalid_request")
        [problem] = reply.json()["details"]
        assert (problem["index"], problem["error"].partition(":")[0]) == (1, next(iter(asked)))
        assert (BulkJob.objects.count(), customer.balance.held) == (0, 0)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("include", ["identifiers"]),
            ("webhook_url", "https://hooks.acme.test/"),
            ("email_results", True),
            ("max_wait_seconds", 60),
        ],
    )
    def test_refuses_a_row_that_says_what_is_said_for_all(self, customer: Customer, name: str, value: Any) -> None:
        """It was passed over: no identifiers came, and nobody was called when the row had ended."""
        reply = ask(customer, [TWO[0], {**TWO[1], name: value}, {**TWO[0], name: None}])
        assert_error(reply, 400, "invalid_request")
        assert reply.json()["details"] == [
            {"index": 1, "error": f"{name}: Send it beside `entities`: it is for all rows."}
        ]
        assert (BulkJob.objects.count(), customer.balance.held) == (0, 0)

    def test_takes_a_row_that_says_the_same_as_is_said_for_all(self, customer: Customer) -> None:
        rows = [{**TWO[0], "max_wait_seconds": 60, "include": ["identifiers"], "email_results": False}]
        assert ask(customer, rows, max_wait_seconds=60, include=["identifiers"]).status_code == 202

    def test_refuses_another_source_in_a_column_of_a_table_too(self, customer: Customer) -> None:
        """Passed over in silence, rows that ask for a stored record would be asked live and charged for it."""
        table = b"Entity name,State,Source\nBlue Heron Logistics LLC,DE,live\nMagic Not Found LLC,NV,cache\n"
        reply = customer.post("/v1/bulk-lookup", table, content_type="text/csv")
        assert_error(reply, 400, "invalid_request")
        [problem] = reply.json()["details"]
        assert (problem["line"], problem["column"]) == (3, "Source")
        assert (BulkJob.objects.count(), customer.balance.held) == (0, 0)

    def test_takes_a_table_with_a_source_that_is_the_customers_own(self, customer: Customer) -> None:
        table = b"company,state,Source\nBlue Heron Logistics LLC,DE,Salesforce\n"
        assert customer.post("/v1/bulk-lookup", table, content_type="text/csv").status_code == 202

    def test_takes_a_row_that_asks_for_the_source_of_all(self, customer: Customer) -> None:
        assert ask(customer, [{**TWO[0], "source": "live"}, {**TWO[1], "fresh": True}]).status_code == 202
        assert ask(customer, [{**TWO[0], "source": "cache"}], source="cache").status_code == 202

    def test_refuses_an_older_word_for_another_source(self, customer: Customer) -> None:
        assert_error(ask(customer, fresh=False), 400, "invalid_request")
        assert ask(customer, fresh=False, source="live").status_code == 202

    @pytest.mark.parametrize("fresh", ["true", "false"])
    def test_is_not_passed_over_in_the_address(self, customer: Customer, fresh: str) -> None:
        """As of a lookup: what would be answered from another source than the address asks for is not taken on."""
        type(customer.account).objects.update(cache_first_default=fresh == "true")
        refused = customer.post(f"/v1/bulk-lookup?fresh={fresh}", {"entities": TWO})
        assert_error(refused, 400, "invalid_request")
        source = "live" if fresh == "true" else "cache"
        assert customer.post(f"/v1/bulk-lookup?fresh={fresh}", {"entities": TWO, "source": source}).status_code == 202

    def test_needs_the_right_scope(self, switches: None) -> None:
        from billing import keys

        other = open_customer()
        _, secret = keys.issue(account=other.account, name="x", mode="live", now=timezone.now(), scopes=["lookup"])
        assert ask(Customer(other.account, other.key, secret)).status_code == 403


class TestABulkJob:
    """GET /v1/bulk-lookup/{job_id}."""

    def test_tells_each_row_in_order_and_charges_what_was_found(self, customer: Customer, register: Register) -> None:
        rows = [*TWO, {"entity_name": "Nobody Knows This", "state": "NY"}, {"entity_name": "Acme", "state": "DE"}]
        job = ask(customer, rows).json()["job_id"]
        before = read(customer, job).json()
        assert (before["status"], before["completed"], before["completed_at"]) == ("queued", 0, None)
        assert [row["status"] for row in before["results"]] == ["queued"] * 4
        work()
        body = read(customer, job).json()
        assert (body["status"], body["total"], body["completed"]) == ("complete", 4, 4)
        assert (body["found"], body["not_found"], body["failed"], body["cost"]) == (2, 1, 1, 0.0628)
        assert body["completed_at"]
        assert [row["status"] for row in body["results"]] == ["found", "found", "not_found", "failed"]
        assert [row["ref"] for row in body["results"]] == ["a-1", None, None, None]
        assert body["results"][0]["data"]["entityName"] == "ACME CORP."
        assert [row["cost"] for row in body["results"]] == [0.0314, 0.0314, 0, 0]
        assert body["results"][3]["error"] == "State portal temporarily unavailable"
        assert (customer.balance.held, customer.balance.spent, customer.balance.available) == (0, 628, 2512)
        assert reconciliation.run(now=timezone.now()).mismatches == []

    @pytest.mark.parametrize(
        ("outcome", "told"),
        [
            ("ambiguous", {"error", "code", "retryable", "verdict", "suggestions", "evidence"}),
            ("not_found", {"error", "code", "retryable", "verdict", "suggestions"}),
            ("too_many", {"error", "code", "retryable", "verdict", "reason", "details"}),
            ("page_changed", {"error", "code", "retryable", "verdict", "reason"}),
        ],
    )
    def test_tells_of_a_row_what_a_single_lookup_tells(self, tester: Customer, outcome: str, told: set[str]) -> None:
        single = tester.lookup(MAGIC[outcome], "DE").json()
        job = ask(tester, [{"entity_name": MAGIC[outcome], "state": "DE"}]).json()["job_id"]
        work()
        (row,) = read(tester, job).json()["results"]
        for body in (single, row):  # each was read at its own moment, and has a proof of its own
            for own in ("retrievedAt", "sha256"):
                (body.get("evidence") or {}).pop(own, None)
        assert {name: row[name] for name in told} == {name: single[name] for name in told}

    def test_tells_of_a_row_what_was_asked(self, tester: Customer) -> None:
        asked = {"entity_name": "Blue Heron Logistics LLC", "entity_id": "SB-DE-000123", "state": "DE", "ref": "7"}
        job = ask(tester, [asked, {"entity_name": "Acme", "state": "DE", "searchType": "ucc"}]).json()["job_id"]
        for wait in (lambda: None, work):
            wait()
            first, second = read(tester, job).json()["results"]
            assert {name: first[name] for name in asked} == asked
            assert (first["searchType"], second["searchType"]) == ("business_entity", "ucc")

    def test_tells_of_a_row_what_one_must_know_of_its_source(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from scrapers.states.new_york import NewYork

        monkeypatch.setattr(NewYork, "coverage", "active_only")
        single = customer.lookup().json()["note"]
        assert "active entities" in single
        leave_out(kind="field", field="formationDate", state="NY", entity_id="100002")
        services.disable(code="DE", reason="Delaware asked us to stop.")
        job = ask(customer, [*TWO, {"entity_name": "Acme", "state": "DE"}]).json()["job_id"]
        work()
        plain, left_out, off = (row["note"] for row in read(customer, job).json()["results"])
        assert (plain, off) == (single, "Delaware asked us to stop.")
        assert left_out == f"{single} Left out at the request of a person it is about: formationDate."

    def test_tells_no_row_the_company_of_another_whose_name_is_alike(
        self, customer: Customer, register: Register
    ) -> None:
        register.rows += [company("FOXES LLC", "200001"), company("THE FOXES LLC", "200002")]
        asked = [{"entity_name": name, "state": "NY"} for name in ("Foxes LLC", "The Foxes LLC", "FOXES, L.L.C.")]
        job = ask(customer, asked).json()["job_id"]
        work()
        body = read(customer, job).json()
        assert [row["data"]["entityId"] for row in body["results"]] == ["200001", "200002", "200001"]
        assert body["cost"] == 2 * 0.0314

    def test_tells_no_row_the_company_of_another_that_is_written_with_accents(
        self, customer: Customer, register: Register
    ) -> None:
        register.rows += [company("CAF\u00c9 FOXES LLC", "200001"), company("CAFE FOXES INC", "200002")]
        job = ask(customer, [{"entity_name": one, "state": "NY"} for one in ("Caf\u00e9 Foxes", "Cafe Foxes")])
        work()
        results = read(customer, job.json()["job_id"]).json()["results"]
        assert [row["data"]["entityId"] for row in results] == ["200001", "200002"]

    def test_fetches_and_charges_a_repeated_row_once(self, customer: Customer, register: Register) -> None:
        rows = [TWO[0], {"entity_name": "ACME, Corp.", "state": "ny", "ref": "again"}, TWO[0]]
        job = ask(customer, rows).json()["job_id"]
        assert customer.balance.held == PRICE
        work()
        body = read(customer, job).json()
        assert (body["found"], body["cost"]) == (3, 0.0314)
        assert [row["cost"] for row in body["results"]] == [0.0314, 0, 0]
        assert [row["data"]["entityName"] for row in body["results"]] == ["ACME CORP."] * 3
        assert (register.asked, customer.balance.spent) == (1, PRICE)

    def test_comes_in_pages(self, customer: Customer) -> None:
        rows = [{"entity_name": f"Company {number}", "state": "NY"} for number in range(7)]
        job, seen, query = ask(customer, rows).json()["job_id"], [], "?limit=3"
        while query:
            page = read(customer, job, query).json()
            seen.append([row["index"] for row in page["results"]])
            query = f"?limit=3&cursor={page['next_cursor']}" if page["next_cursor"] else ""
        assert seen == [[0, 1, 2], [3, 4, 5], [6]]

    @pytest.mark.parametrize("query", ["?limit=0", "?limit=501", "?limit=x", "?cursor=x", "?cursor=-2"])
    def test_refuses_a_page_that_is_none(self, customer: Customer, query: str) -> None:
        assert read(customer, ask(customer).json()["job_id"], query).status_code == 400

    def test_comes_as_csv_that_no_spreadsheet_runs(self, customer: Customer) -> None:
        job = ask(customer, [TWO[0], {"entity_name": "=cmd()", "state": "NY"}]).json()["job_id"]
        work()
        reply = read(customer, job, accept="text/csv")
        assert reply["Content-Type"].startswith("text/csv")
        rows = list(csv.DictReader(io.StringIO(reply.getvalue().decode())))
        assert [row["status"] for row in rows] == ["found", "not_found"]
        assert (rows[0]["entityName"], rows[0]["entityId"], rows[0]["ref"]) == ("ACME CORP.", "100001", "a-1")
        assert rows[1]["entity_name"] == "'=cmd()"

    def test_as_csv_has_a_line_for_each_lien_and_adds_up(self, tester: Customer) -> None:
        rows = [{"entity_name": "Blue Heron Logistics LLC", "state": "DE", "searchType": "ucc", "ref": "r"}]
        job = ask(tester, rows).json()["job_id"]
        work()
        lines = list(csv.DictReader(io.StringIO(read(tester, job, accept="text/csv").getvalue().decode())))
        filings = read(tester, job).json()["results"][0]["data"]["filings"]
        assert [line["filing.fileNumber"] for line in lines] == [one["fileNumber"] for one in filings]
        assert [line["filing.lapseDate"] for line in lines] == [one["lapseDate"] or "" for one in filings]
        assert ({line["verdict"] for line in lines}, {line["ref"] for line in lines}) == ({"found"}, {"r"})
        assert len(lines) > 1

    def test_says_of_each_row_which_liens_were_searched_for(self, tester: Customer) -> None:
        """Liens held by a bank, none of them filed of late, read "not found" as if it had never had any."""
        bank = {"entity_name": "First Puddlestone Bank", "state": "DE", "searchType": "ucc"}
        days = {"dateAfter": "2026-01-01", "dateBefore": "2026-01-02"}
        rows = [{**bank, "searchBy": "secured_party", **days}, bank, {"entity_name": MAGIC["found"], "state": "DE"}]
        job = ask(tester, rows).json()["job_id"]
        work()
        names = ("searchBy", "dateAfter", "dateBefore")
        results = read(tester, job).json()["results"]
        assert [[row[name] for name in names] for row in results] == [
            ["secured_party", "2026-01-01", "2026-01-02"],
            ["debtor", None, None],
            [None, None, None],
        ]
        lines = csv.DictReader(io.StringIO(read(tester, job, accept="text/csv").getvalue().decode()))
        assert [[line[name] or None for name in names] for line in lines] == [
            [row[name] for name in names] for row in results
        ]

    def test_as_csv_has_what_followed_each_lien(self, tester: Customer) -> None:
        """A lien was terminated in the file, and nothing said by which document and when."""
        rows = [{"entity_name": "Blue Heron Logistics LLC", "state": "DE", "searchType": "ucc"}]
        job = ask(tester, rows).json()["job_id"]
        work()
        lines = csv.DictReader(io.StringIO(read(tester, job, accept="text/csv").getvalue().decode()))
        assert [line["filing.amendments"] for line in lines] == [
            "2025-01-15 Assignment (SBU-DE-2025-000402); 2026-02-20 Collateral Change (SBU-DE-2026-000403)",
            "2024-03-01 Termination (SBU-DE-2024-000302)",
            "2024-02-02 Continuation (SBU-DE-2024-000103)",
            "",
        ]

    def test_as_csv_has_the_addresses_of_a_liens_parties(self, tester: Customer) -> None:
        """They had the parties' names twice, and where a debtor lives, by whom a lender knows it, not at all."""
        rows = [{"entity_name": MAGIC["found"], "state": "DE", "searchType": "ucc"}]
        job = ask(tester, rows).json()["job_id"]
        work()
        (line,) = csv.DictReader(io.StringIO(read(tester, job, accept="text/csv").getvalue().decode()))
        assert (line["filing.debtorName"], line["filing.debtors"], line["filing.securedParties"]) == (
            "MAGIC FOUND LLC",
            "MAGIC FOUND LLC (12 QUAY STREET, DOVER, DE 19901)",
            "FIRST PUDDLESTONE BANK (2 HALFPENNY ROW, DOVER, DE 19901)",
        )

    def test_as_csv_says_why_and_when_and_by_what_proof(self, tester: Customer) -> None:
        rows = [{"entity_name": name, "state": "CA"} for name in ("Magic Ambiguous LLC", "Magic Too Many LLC")]
        job = ask(tester, rows).json()["job_id"]
        work()
        lines = list(csv.DictReader(io.StringIO(read(tester, job, accept="text/csv").getvalue().decode())))
        assert [(line["verdict"], line["code"], line["reason"]) for line in lines] == [
            ("ambiguous", "ambiguous_name", ""),
            ("refused", "invalid_request", "too_many_companies"),
        ]
        assert len(lines[0]["evidence.sha256"]) == 64

    def test_counts_a_name_that_several_bear_as_the_document_says(self, tester: Customer) -> None:
        job = ask(tester, [{"entity_name": MAGIC["ambiguous"], "state": "DE"}]).json()["job_id"]
        work()
        numbers = read(tester, job).json()
        [row] = numbers["results"]
        assert (numbers["found"], numbers["not_found"], row["status"], row["verdict"]) == (
            0,
            1,
            "not_found",
            "ambiguous",
        ), "who reads the status alone takes it for no company that was found"
        shape = tester.get("/openapi.json").json()["components"]["schemas"]["BulkSummary"]
        assert "several that fit" in shape["properties"]["not_found"]["description"]

    def test_as_csv_says_of_a_refused_row_what_has_to_change(self, tester: Customer) -> None:
        job = ask(tester, [{"entity_name": MAGIC["too_many"], "state": "DE"}]).json()["job_id"]
        work()
        [row] = read(tester, job).json()["results"]
        (line,) = csv.DictReader(io.StringIO(read(tester, job, accept="text/csv").getvalue().decode()))
        assert [line["note"]] == row["details"]["entity_name"]

    def test_as_csv_names_the_companies_to_choose_from(self, tester: Customer) -> None:
        job = ask(tester, [{"entity_name": MAGIC["ambiguous"], "state": "DE"}]).json()["job_id"]
        work()
        (line,) = csv.DictReader(io.StringIO(read(tester, job, accept="text/csv").getvalue().decode()))
        one, other = read(tester, job).json()["results"][0]["suggestions"]
        named = [f"{each['entityName']} ({each['entityId']})" for each in (one, other)]
        assert line["suggestions"] == "; ".join(named)
        assert list(line)[-6:] == [
            "suggestions",
            "relatedResults",
            "filing.amendments",
            "searchBy",
            "dateAfter",
            "dateBefore",
        ]

    def test_as_csv_has_all_that_is_known_of_a_company(self, tester: Customer) -> None:
        job = ask(tester, [{"entity_name": "Blue Heron Logistics LLC", "state": "DE"}]).json()["job_id"]
        work()
        (line,) = csv.DictReader(io.StringIO(read(tester, job, accept="text/csv").getvalue().decode()))
        data = read(tester, job).json()["results"][0]["data"]
        assert line["officers"] == "ADA MERRILL (Manager); JONAS PEPPERCOTE (Member)"
        assert (line["normalized.match.score"], line["normalized.statusClass"]) == ("1", "active")
        assert (line["formationDate"], line["normalized.formationDate"]) == ("03/14/2011", "2011-03-14")
        assert (line["scrapedAt"], line["entityPageUrl"]) == (data["scrapedAt"], data["entityPageUrl"])
        for name in ("sourceUrl", "retrievedAt", "sha256"):
            assert line[f"evidence.{name}"] == data["evidence"][name] != ""

    def test_as_csv_has_numbers_of_one_form(self, customer: Customer) -> None:
        job = ask(customer, [TWO[0], {"entity_name": "Nobody Knows This", "state": "NY"}, TWO[0]]).json()["job_id"]
        work()
        lines = csv.DictReader(io.StringIO(read(customer, job, accept="text/csv").getvalue().decode()))
        assert [line["cost"] for line in lines] == ["0.0314", "0", "0"]

    def test_as_csv_begins_with_a_mark_where_asked(self, tester: Customer) -> None:
        job = ask(tester, [{"entity_name": "Magic Found LLC", "state": "CA"}]).json()["job_id"]
        plain, marked = (
            tester.get(f"/v1/bulk-lookup/{job}{query}", accept="text/csv").getvalue() for query in ("", "?bom=true")
        )
        assert marked == b"\xef\xbb\xbf" + plain
        assert tester.get(f"/v1/bulk-lookup/{job}?bom=1", accept="text/csv").status_code == 400

    def test_comes_as_lines_of_json(self, customer: Customer) -> None:
        job = ask(customer).json()["job_id"]
        work()
        reply = read(customer, job, accept="application/x-ndjson")
        assert reply["Content-Type"].startswith("application/x-ndjson")
        rows = [json.loads(line) for line in reply.getvalue().decode().splitlines()]
        assert rows == read(customer, job).json()["results"]

    @pytest.mark.slow
    def test_of_many_rows_is_streamed_in_little_memory(self, customer: Customer) -> None:
        ask(customer, [TWO[0]])
        work()
        made, first = BulkJob.objects.get(), Lookup.objects.get()
        version = copy.copy(first.version)
        version.pk, version.number, version.data = None, 2, {**version.data, "entityName": "x" * 5000}
        version.save(force_insert=True)
        first.version = version
        rows = []
        for number in range(1, 1500):
            row = copy.copy(first)
            row.pk, row.ask_id, row.position, row.cost, row.repeats_id = None, uuid.uuid4(), number, 0, first.pk
            rows.append(row)
        Lookup.objects.bulk_create(rows, batch_size=200)
        del rows
        reply = read(customer, made.public_id, accept="application/x-ndjson")
        tracemalloc.start()
        size = sum(len(part) for part in reply.streaming_content)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert size > 11_000_000
        assert peak < 8_000_000

    @pytest.mark.parametrize("job", ["x", "bulk_", "bulk_" + "0" * 32, "job_" + "0" * 32])
    def test_that_there_is_not_is_a_404(self, customer: Customer, job: str) -> None:
        assert_error(read(customer, job), 404, "job_not_found", "Job not found")

    def test_is_read_and_cancelled_beside_others_of_its_account(self, customer: Customer) -> None:
        rows = [{"entity_name": "Acme Corp", "state": "NY"}, {"entity_name": "Nobody At All", "state": "NY"}]
        first, second = (ask(customer, one).json()["job_id"] for one in (TWO, rows))
        assert [read(customer, job).json()["job_id"] for job in (first, second)] == [first, second]
        assert drop(customer, first).status_code == 200
        assert customer.balance.held == 2 * PRICE
        work()
        told = [read(customer, job).json() for job in (first, second)]
        assert [(one["status"], one["found"], one["cost"]) for one in told] == [
            ("cancelled", 0, 0.0),
            ("complete", 1, 0.0314),
        ]
        assert [row["entity_name"] for row in told[1]["results"]] == ["Acme Corp", "Nobody At All"]
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)

    def test_of_another_account_is_a_404(self, customer: Customer) -> None:
        job, other = ask(customer).json()["job_id"], open_customer(name="Other")
        assert read(other, job).status_code == drop(other, job).status_code == 404

    def test_sells_stored_records_when_they_will_do(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        asked = register.asked
        job = ask(customer, [TWO[0]], source="cache").json()["job_id"]
        work()
        assert read(customer, job).json()["results"][0]["data"]["cached"] is True
        assert (register.asked, customer.balance.spent, customer.balance.held) == (asked, PRICE, 0)

    def test_costs_nothing_with_a_test_key(self, tester: Customer) -> None:
        job = ask(tester, [{"entity_name": "Magic Found LLC", "state": "DE"}]).json()["job_id"]
        work()
        body = read(tester, job).json()
        assert (body["found"], body["cost"]) == (1, 0)
        assert tester.balance.available == 10 * PRICE

    def test_is_kept_when_its_jobs_are_forgotten(self, customer: Customer) -> None:
        job = ask(customer).json()["job_id"]
        work()
        before = read(customer, job).json()
        Job.objects.update(ended_at=timezone.now() - timedelta(days=7))
        tasks.prune()
        assert (Job.objects.count(), read(customer, job).json()) == (0, before)


class TestCancelling:
    """DELETE /v1/bulk-lookup/{job_id}."""

    def test_ends_what_has_not_begun_and_gives_it_back(self, customer: Customer, register: Register) -> None:
        rows = [*TWO, {"entity_name": "Third Inc", "state": "NY"}]
        job = ask(customer, rows).json()["job_id"]
        first = Job.objects.order_by("position").first()
        assert first is not None
        runner.run(job_id=first.pk, now=timezone.now())
        assert drop(customer, job).json()["status"] == "cancelled"
        body = read(customer, job).json()
        assert [row["status"] for row in body["results"]] == ["found", "cancelled", "cancelled"]
        assert (body["found"], body["failed"], body["completed"]) == (1, 0, 3)
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)
        assert work() == 0
        assert register.asked == 1

    def test_twice_gives_nothing_back_twice(self, customer: Customer) -> None:
        job = ask(customer).json()["job_id"]
        drop(customer, job)
        assert drop(customer, job).status_code == 200
        assert (customer.balance.held, customer.balance.available) == (0, 10 * PRICE)

    def test_of_what_has_ended_changes_nothing(self, customer: Customer) -> None:
        job = ask(customer).json()["job_id"]
        work()
        assert drop(customer, job).json()["status"] == "complete"
        assert customer.balance.spent == 2 * PRICE

    def test_by_an_operator_does_the_same(self, customer: Customer) -> None:
        ask(customer)
        get_user_model().objects.create_superuser("admin", password="a long password")
        staff = Client()
        staff.login(username="admin", password="a long password")
        assert "queued: 0 of 2 rows" in staff.get("/admin/lookups/bulkjob/").content.decode()
        asked = {"action": "cancel", "_selected_action": [str(BulkJob.objects.get().pk)]}
        assert "1 of 1 cancelled" in staff.post("/admin/lookups/bulkjob/", asked, follow=True).content.decode()
        assert customer.balance.held == 0
        assert "0 of 1 cancelled" in staff.post("/admin/lookups/bulkjob/", asked, follow=True).content.decode()
        event = AuditEvent.objects.filter(subject=f"lookups.bulkjob {BulkJob.objects.get().pk}").get()
        assert (event.actor, event.detail) == ("admin", "Change: Cancelled what had not begun.")


class TestTheTurn:
    """Whose question is next."""

    def test_goes_to_the_account_with_the_fewest_running(self, customer: Customer) -> None:
        large = [
            {"entity_name": f"Company {number}", "state": ("NY", "CO", "CT", "OR")[number % 4]} for number in range(8)
        ]
        ask(customer, large)
        other = open_customer(name="Other")
        ask(other, TWO)
        taken: Counter[int] = Counter()
        for _ in range(4):
            found, _ = queue.look(now=timezone.now())
            assert found is not None
            job = lifecycle.claim(found.job_id, now=timezone.now())
            assert job is not None
            taken[job.account_id] += 1
        assert taken[other.account.pk] in (1, 2)  # New York takes two at a time
        assert taken[customer.account.pk] in (2, 3)

    def test_passes_over_a_registry_that_is_busy(self, customer: Customer) -> None:
        ask(customer, [{"entity_name": f"Company {number}", "state": "NY"} for number in range(5)])
        for _ in range(2):
            found, _ = queue.look(now=timezone.now())
            assert found is not None
            assert lifecycle.claim(found.job_id, now=timezone.now())
        assert queue.look(now=timezone.now())[0] is None

    def test_leads_a_thread_back_to_the_registry_it_has_just_left(self, customer: Customer) -> None:
        states = ("NY", "CO", "CT", "OR")
        ask(customer, [{"entity_name": f"Company {number}", "state": states[number % 4]} for number in range(8)])
        for state in states:
            for _ in range(5):  # by chance it would be another one sooner or later
                turn, _waiting = queue.look(now=timezone.now(), left=(state, "live"))
                assert turn is not None
                assert turn.place == (state, "live")

    def test_leaves_that_registry_for_an_account_that_has_less(self, customer: Customer) -> None:
        ask(customer, [{"entity_name": f"Company {number}", "state": "CO"} for number in range(3)])
        found, _ = queue.look(now=timezone.now())
        assert found is not None
        assert lifecycle.claim(found.job_id, now=timezone.now())
        ask(open_customer(name="Other"), [{"entity_name": "Acme Corp", "state": "NY"}])
        turn, _waiting = queue.look(now=timezone.now(), left=("CO", "live"))
        assert turn is not None
        assert turn.place == ("NY", "live")

    def test_is_looked_for_in_two_questions(self, customer: Customer, django_assert_num_queries: Any) -> None:
        ask(customer)
        with django_assert_num_queries(2):
            queue.look(now=timezone.now())

    def test_of_nobody_tells_whether_anything_waits(self, customer: Customer) -> None:
        assert queue.look(now=timezone.now()) == (None, False)
        ask(customer, [{"entity_name": f"Company {number}", "state": "NY"} for number in range(3)])
        for _ in range(2):
            found, _ = queue.look(now=timezone.now())
            assert found is not None
            assert lifecycle.claim(found.job_id, now=timezone.now())
        assert queue.look(now=timezone.now()) == (None, True)

    def test_is_in_the_order_asked(self, customer: Customer) -> None:
        ask(customer, [{"entity_name": f"Company {number}", "state": "NY"} for number in range(3)])
        found, _ = queue.look(now=timezone.now())
        assert found is not None
        assert Job.objects.get(pk=found.job_id).position == 0

    def test_does_not_count_against_a_persons_lookups(self, customer: Customer, settings: Any) -> None:
        settings.CONCURRENT_LOOKUPS = 1
        ask(customer)
        assert customer.lookup().status_code == 200


class TestAFailure:
    """On the way."""

    def test_of_the_registry_is_tried_again_with_the_hold_kept(self, customer: Customer, register: Register) -> None:
        register.status = 500
        job = ask(customer).json()["job_id"]
        work()
        assert read(customer, job).json()["status"] == "processing"
        assert customer.balance.held == 2 * PRICE
        register.status = 200
        Job.objects.update(not_before=None)
        work()
        assert read(customer, job).json()["found"] == 2
        assert (customer.balance.held, customer.balance.spent) == (0, 2 * PRICE)

    def test_of_a_worker_leaves_its_row_to_another(self, customer: Customer) -> None:
        job = ask(customer).json()["job_id"]
        found, _ = queue.look(now=timezone.now())
        assert found is not None
        assert lifecycle.claim(found.job_id, now=timezone.now() - lifecycle.LEASE)
        work()
        assert read(customer, job).json()["found"] == 2
        assert customer.balance.spent == 2 * PRICE

    def test_of_the_broker_is_mended_by_the_sweep(self, customer: Customer, calls: list[str]) -> None:
        ask(customer)
        calls.clear()
        now = timezone.now()
        assert queue.sweep(now=now) == 0
        assert queue.sweep(now=now + queue.QUIET) == 2
        assert calls == ["lookups.tasks.run_bulk"] * 2

    def test_between_the_last_row_and_the_end_is_mended_by_the_sweep(self, customer: Customer) -> None:
        job = ask(customer).json()["job_id"]
        work()
        BulkJob.objects.update(ended_at=None)
        queue.sweep(now=timezone.now())
        assert read(customer, job).json()["completed_at"]

    def test_for_good_ends_the_rest_by_the_deadline_unbilled(self, customer: Customer) -> None:
        job = ask(customer).json()["job_id"]
        assert runner.sweep(now=timezone.now() + bulk_jobs.MAX_WAIT).failed == 2
        assert read(customer, job).json()["failed"] == 2
        assert (customer.balance.held, customer.balance.available) == (0, 10 * PRICE)
        assert bulk_jobs.MAX_WAIT + bulk_jobs.HELD_BEYOND > bulk_jobs.MAX_WAIT + lifecycle.LEASE

    @pytest.mark.parametrize("by_operator", [False, True])
    def test_that_an_operator_has_asked_again_is_mended_in_every_row_that_asks_the_same(
        self, customer: Customer, register: Register, by_operator: bool
    ) -> None:
        rows = [TWO[0], {"entity_name": "ACME CORPORATION", "state": "NY", "ref": "b-2"}]
        bulk = ask(customer, rows).json()["job_id"]
        if by_operator:
            assert operator_actions.end(Job.objects.get(), now=timezone.now())
        else:
            Job.objects.update(deadline=timezone.now())
            tasks.sweep_jobs()
        failed = read(customer, bulk).json()
        assert ([row["status"] for row in failed["results"]], failed["failed"]) == (["failed"] * 2, 2)
        assert operator_actions.do_over(Job.objects.get(), now=timezone.now())
        work()
        mended = read(customer, bulk).json()
        assert [row["status"] for row in mended["results"]] == ["found"] * 2
        assert [(row["ref"], row["cost"]) for row in mended["results"]] == [("a-1", 0.0314), ("b-2", 0)]
        assert (mended["found"], mended["failed"], mended["status"]) == (2, 0, "complete")
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)
        ends = Lookup.objects.order_by("pk").values_list("verdict", "origin", "position")
        assert [one[0] for one in ends[:2]] == ["failed" if by_operator else "unavailable"] * 2  # what came first stays
        assert list(ends[2:]) == [("found", "bulk", 0), ("found", "bulk", 1)]
        assert reconciliation.run(now=timezone.now()).mismatches == []

    def test_of_the_hold_never_delivers_for_nothing(self, customer: Customer) -> None:
        job = ask(customer).json()["job_id"]
        assert ledger.expire_holds(now=timezone.now() + bulk_jobs.MAX_WAIT + bulk_jobs.HELD_BEYOND) == 1
        work()
        assert read(customer, job).json()["found"] == 2
        assert (customer.balance.held, customer.balance.spent) == (0, 2 * PRICE)


@pytest.mark.django_db(transaction=True)
class TestManyThreads:
    """At work on bulk jobs of two accounts."""

    def test_answer_each_row_once(self, switches: None, register: Register, at_once: Callable[..., list[Any]]) -> None:
        register.rows = [company(f"COMPANY {number} INC.", str(200000 + number)) for number in range(5)]
        rows = [{"entity_name": f"Company {number} Inc", "state": "NY"} for number in range(5)]
        one, two = open_customer(), open_customer(name="Other")
        names = [ask(who, rows).json()["job_id"] for who in (one, two)]
        at_once(*[work] * 6)
        for who, job in zip((one, two), names, strict=True):
            body = read(who, job).json()
            assert (body["status"], body["found"], body["cost"]) == ("complete", 5, 0.157)
            assert (who.balance.held, who.balance.spent) == (0, 5 * PRICE)
        assert LedgerEntry.objects.filter(kind="capture").count() == 10
        assert reconciliation.run(now=timezone.now()).mismatches == []

    def test_that_find_every_registry_full_look_once_for_all(
        self, switches: None, customer: Customer, at_once: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each look counts every open row; a thread by itself would look ten times."""
        ask(customer, [{"entity_name": f"Company {number}", "state": "NY"} for number in range(3)])
        for _ in range(2):
            found, _ = queue.look(now=timezone.now())
            assert found is not None
            assert lifecycle.claim(found.job_id, now=timezone.now())
        looks, look = [], queue.look
        monkeypatch.setattr(queue, "look", lambda **how: looks.append(how) or look(**how))
        monkeypatch.setattr(queue, "IDLE_SECONDS", 0.1)
        at_once(*[partial(queue.work, now=timezone.now(), shift_seconds=1.0)] * 6)
        assert 1 <= len(looks) <= 11

    def test_and_a_customer_who_cancels_leave_one_who_closes_it(
        self, on_postgres: None, tester: Customer, at_once: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Neither saw yet what the other one had ended: it stood open until the next sweep."""
        job, note_end = ask(tester).json()["job_id"], queue.note_end
        first = Job.objects.earliest("position")
        bulk_id = BulkJob.objects.get().pk
        running = lifecycle.claim(first.pk, now=timezone.now())
        assert running is not None

        def end() -> None:
            operator_actions.end(running, now=timezone.now())
            note_end(bulk_id, now=timezone.now())

        def note_end_late(*asked: Any, **named: Any) -> bool:
            is_ended = note_end(*asked, **named)
            at_once(end)
            return is_ended

        monkeypatch.setattr(queue, "note_end", note_end_late)
        drop(tester, job)
        assert read(tester, job).json()["status"] == "cancelled"
        assert BulkJob.objects.get().ended_at is not None

    def test_and_a_customer_who_cancels_agree_on_every_row(
        self, switches: None, register: Register, at_once: Callable[..., list[Any]]
    ) -> None:
        register.rows = [company(f"COMPANY {number} INC.", str(200000 + number)) for number in range(8)]
        register.seconds = 0.05
        rows = [{"entity_name": f"Company {number} Inc", "state": "NY"} for number in range(8)]
        customer = open_customer()
        job = ask(customer, rows).json()["job_id"]
        at_once(work, work, lambda: drop(customer, job), lambda: drop(customer, job))
        body = read(customer, job).json()
        seen = Counter(row["status"] for row in body["results"])
        assert seen["found"] + seen["cancelled"] == 8
        assert (customer.balance.held, customer.balance.spent) == (0, seen["found"] * PRICE)
        assert reconciliation.run(now=timezone.now()).mismatches == []
