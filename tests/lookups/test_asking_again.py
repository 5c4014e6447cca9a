"""What was asked before is told again, for free: one lookup by its id, or those that fit a filter."""

from __future__ import annotations

import csv
import io
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing import keys, ledger
from lookups import selectors, tasks
from lookups.api.views import paging
from lookups.bulk import queue
from lookups.models import Job, Lookup
from tests.lookups.conftest import PRICE, Customer, anew, open_customer
from tests.lookups.registry_server import Register
from tests.lookups.test_hostile_bodies import assert_error

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_workers")]


def again(customer: Customer, lookup_id: str) -> Any:
    return customer.get(f"/v1/lookups/{lookup_id}")


def read_table(customer: Customer, query: str = "") -> list[dict[str, str]]:
    reply = customer.get(f"/v1/lookups?format=csv{query}")
    assert (reply.status_code, reply["Content-Type"]) == (200, "text/csv; charset=utf-8")
    return list(csv.DictReader(io.StringIO(reply.getvalue().decode(), newline="")))


class TestOneLookup:
    """GET /v1/lookups/{lookupId}."""

    @pytest.mark.parametrize(
        "question", [{}, {"entity_name": "Nobody Inc"}, {"entity_id": "nine", "entity_name": None}]
    )
    def test_is_answered_as_it_was(self, customer: Customer, register: Register, question: dict[str, Any]) -> None:
        first = customer.post("/v1/lookup", {"entity_name": "Acme Corp", "state": "NY", **question}).json()
        before = customer.balance.spent, register.asked
        reply = again(customer, first["lookupId"])
        assert (reply.status_code, reply.json()) == (200, first)
        assert (customer.balance.spent, register.asked) == before

    def test_may_be_a_name_check(self, customer: Customer, register: Register) -> None:
        first = customer.post("/v1/name-availability", {"entity_name": "Acme", "state": "NY"}).json()
        assert first["lookupId"].startswith("nc_")
        assert first["verdict"] == "taken"
        assert again(customer, first["lookupId"]).json() == first

    def test_is_the_same_reply_although_the_company_has_changed(self, customer: Customer, register: Register) -> None:
        first = customer.lookup().json()
        register.rows[0]["current_entity_name"] = "ACME & SONS CORP."
        second = customer.post("/v1/lookup", {"entity_id": "100001", "state": "NY"}).json()
        assert second["data"]["entityName"] == "ACME & SONS CORP."
        assert again(customer, first["lookupId"]).json()["data"]["entityName"] == first["data"]["entityName"]

    @pytest.mark.parametrize("word", ["lk_", "x", "lk_" + "0" * 32, "job_" + "0" * 32, "nc_%s"])
    def test_that_there_is_not_is_a_404(self, customer: Customer, register: Register, word: str) -> None:
        known = customer.lookup().json()["lookupId"].removeprefix("lk_")
        assert_error(again(customer, word.replace("%s", known)), 404, "lookup_not_found", "Lookup not found")

    def test_of_another_account_is_a_404(self, customer: Customer, register: Register) -> None:
        lookup_id = customer.lookup().json()["lookupId"]
        assert again(open_customer(name="Other"), lookup_id).status_code == 404

    def test_that_is_open_says_where_it_is_answered(self, customer: Customer, tester: Customer) -> None:
        accepted = tester.lookup("Magic Later LLC", "CA").json()
        body = again(tester, accepted["lookupId"]).json()
        assert (body["verdict"], body["statusUrl"]) == (None, accepted["statusUrl"])

    def test_of_a_job_outlives_the_job(self, tester: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
        accepted = tester.lookup("Magic Later LLC", "CA").json()
        lookup = Lookup.objects.get()
        tasks.run_job(job_id=str(lookup.job.pk))
        result = tester.get(accepted["statusUrl"]).json()["result"]
        Job.objects.update(ended_at=timezone.now() - timedelta(days=8))
        tasks.prune()
        assert tester.get(accepted["statusUrl"]).status_code == 404
        assert again(tester, accepted["lookupId"]).json() == result


class TestTheList:
    """GET /v1/lookups."""

    def test_is_of_all_that_was_asked_the_newest_first(self, customer: Customer, register: Register) -> None:
        found = customer.lookup(ref="row 7").json()
        absent = customer.lookup("Nobody Inc").json()
        listed = customer.get("/v1/lookups").json()
        assert [row["lookupId"] for row in listed["lookups"]] == [absent["lookupId"], found["lookupId"]]
        assert [row["verdict"] for row in listed["lookups"]] == ["not_found", "found"]
        assert (listed["lookups"][1]["ref"], listed["lookups"][1]["cost"]) == ("row 7", 0.0314)
        assert (listed["livemode"], listed["nextCursor"]) == (True, None)

    @pytest.mark.parametrize(
        ("asked", "number"),
        [
            ("verdict=found", 1),
            ("verdict=open", 0),
            ("ref=row%207", 1),
            ("ref=7", 0),
            ("state=ny", 2),
            ("state=CO", 0),
            ("day=2001-01-01", 0),
        ],
    )
    def test_is_narrowed(self, customer: Customer, register: Register, asked: str, number: int) -> None:
        customer.lookup(ref="row 7")
        customer.lookup("Nobody Inc")
        assert len(customer.get(f"/v1/lookups?{asked}").json()["lookups"]) == number

    def test_has_the_rows_of_a_bulk_job(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        rows = [{"entity_name": "Acme Corp", "state": "NY"}, {"entity_name": "ACME CORP", "state": "NY"}]
        bulk = customer.post("/v1/bulk-lookup", {"entities": rows}).json()["job_id"]
        queue.work(now=timezone.now())
        listed = customer.get(f"/v1/lookups?bulk={bulk}").json()["lookups"]
        assert [(row["verdict"], row["cost"], row["bulk"]) for row in listed] == [
            ("found", 0, bulk),
            ("found", 0.0314, bulk),
        ]
        assert customer.balance.spent == 2 * PRICE

    def test_goes_on_where_a_page_ended(self, customer: Customer, register: Register) -> None:
        ids = [customer.lookup("Nobody Inc").json()["lookupId"] for _ in range(3)]
        first = customer.get("/v1/lookups?limit=2").json()
        second = customer.get(f"/v1/lookups?limit=2&cursor={first['nextCursor']}").json()
        assert [row["lookupId"] for page in (first, second) for row in page["lookups"]] == ids[::-1]
        assert second["nextCursor"] is None

    @pytest.mark.parametrize(
        "asked",
        [
            "verdict=perhaps",
            "state=XX",
            "bulk=x",
            "day=today",
            "day=2026-1-1",
            "day=2026-W01-1",
            "cursor=x",
            "limit=501",
            "ref=a%00b",
        ],
    )
    def test_asked_wrongly_is_a_400(self, customer: Customer, asked: str) -> None:
        body = assert_error(customer.get(f"/v1/lookups?{asked}"), 400, "invalid_request")
        assert list(body["details"]) == [asked.partition("=")[0]]


class TestTheTable:
    """GET /v1/lookups?format=csv."""

    def test_says_which_liens_were_searched_for(self, tester: Customer) -> None:
        """A search by secured party, or of some days alone, was told as any other."""
        liens = {"searchType": "ucc", "searchBy": "secured_party", "dateAfter": "2024-01-31"}
        tester.lookup("First Puddlestone Bank", "DE", **liens)
        tester.lookup("Magic Found LLC", "DE")
        said = [[line[name] for name in ("searchBy", "dateAfter", "dateBefore")] for line in read_table(tester)]
        assert said == [["", "", ""], ["secured_party", "2024-01-31", ""]]

    def test_tells_what_the_list_tells(self, customer: Customer, register: Register) -> None:
        customer.lookup(ref="=1+1")
        customer.lookup("Nobody Inc")
        listed = customer.get("/v1/lookups").json()["lookups"]
        lines = read_table(customer)
        assert list(lines[0]) == [*listed[0], "nextCursor"]
        for name in ("lookupId", "verdict", "state", "createdAt", "endedAt", "url", "entity_name"):
            assert [line[name] for line in lines] == [row[name] for row in listed]
        assert [(line["ref"], line["cost"]) for line in lines] == [("", "0"), ("'=1+1", "0.0314")]

    @pytest.mark.parametrize(("asked", "number"), [("verdict=found", 1), ("state=CO", 0), ("day=2001-01-01", 0)])
    def test_is_narrowed(self, customer: Customer, register: Register, asked: str, number: int) -> None:
        customer.lookup()
        customer.lookup("Nobody Inc")
        assert len(read_table(customer, f"&{asked}")) == number

    def test_says_in_its_last_line_where_it_was_cut(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ids = [customer.lookup("Nobody Inc").json()["lookupId"] for _ in range(3)][::-1]
        for most in (3, 4):
            monkeypatch.setattr(paging, "LONGEST_TABLE", most)
            assert [(line["lookupId"], line["nextCursor"]) for line in read_table(customer)] == [
                (one, "") for one in ids
            ]
        monkeypatch.setattr(paging, "LONGEST_TABLE", 2)
        for lines in (read_table(customer), read_table(customer, "&limit=2")):
            assert [line["lookupId"] for line in lines] == ids[:2]
            (before, cursor) = [line["nextCursor"] for line in lines]
            assert before == ""
            rest = read_table(customer, f"&cursor={cursor}")
            assert [(line["lookupId"], line["nextCursor"]) for line in rest] == [(ids[2], "")]

    def test_is_had_by_accept_as_well_and_format_goes_before_it(self, customer: Customer, register: Register) -> None:
        table = customer.get("/v1/lookups", accept="text/csv").getvalue()
        assert customer.get("/v1/lookups?format=csv", accept="application/json").getvalue() == table
        assert customer.get("/v1/lookups?format=csv&bom=true").getvalue() == b"\xef\xbb\xbf" + table
        assert customer.get("/v1/lookups?format=json", accept="text/csv").json()["lookups"] == []

    @pytest.mark.parametrize("asked", ["format=xlsx", "format=", "format=csv&bom=1", "format=csv&limit=501"])
    def test_asked_wrongly_is_a_400(self, customer: Customer, asked: str) -> None:
        body = assert_error(customer.get(f"/v1/lookups?{asked}"), 400, "invalid_request")
        assert list(body["details"]) == [asked.rpartition("&")[2].partition("=")[0]]

    def test_is_of_the_keys_account_and_mode(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        assert read_table(open_customer(name="Other")) == []

    def test_is_counted_as_a_request_and_a_page_as_a_look(self, customer: Customer, settings: Any) -> None:
        settings.RATE_LIMIT_PER_MINUTE, settings.POLLS_PER_MINUTE = 7, 700
        limits = [
            customer.get(f"/v1/lookups{query}")["X-RateLimit-Limit"] for query in ("", "?format=json", "?format=csv")
        ]
        assert limits == ["700", "700", "7"]

    def test_is_read_by_a_key_that_can_buy_nothing(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        keys.set_budget(key=customer.key, monthly_budget=0, now=timezone.now())
        assert len(read_table(customer)) == 1
        assert customer.lookup("Zebra Inc", headers=anew()).json()["code"] == "budget_exceeded"


class TestBulkJobs:
    """GET /v1/bulk-lookup."""

    def test_are_listed_the_newest_first(self, customer: Customer, register: Register) -> None:
        row = {"entity_name": "Acme Corp", "state": "NY"}
        ids = [customer.post("/v1/bulk-lookup", {"entities": [row]}, **anew()).json()["job_id"] for _ in range(3)]
        first = customer.get("/v1/bulk-lookup?limit=2").json()
        assert [one["job_id"] for one in first["bulk_jobs"]] == ids[:0:-1]
        second = customer.get(f"/v1/bulk-lookup?limit=2&cursor={first['next_cursor']}").json()
        assert ([one["job_id"] for one in second["bulk_jobs"]], second["next_cursor"]) == (ids[:1], None)
        assert open_customer(name="Other").get("/v1/bulk-lookup").json()["bulk_jobs"] == []

    @pytest.mark.parametrize("asked", ["cursor=3", "cursor=9-x", "limit=0", "limit=501"])
    def test_asked_wrongly_are_a_400(self, customer: Customer, asked: str) -> None:
        body = assert_error(customer.get(f"/v1/bulk-lookup?{asked}"), 400, "invalid_request")
        assert list(body["details"]) == [asked.partition("=")[0]]

    def test_cost_no_more_questions_to_the_database_when_they_are_many(
        self, customer: Customer, register: Register
    ) -> None:
        row = {"entity_name": "Acme Corp", "state": "NY"}
        counts = []
        for made in (1, 4):
            for _ in range(made):
                customer.post("/v1/bulk-lookup", {"entities": [row]}, **anew())
            with CaptureQueriesContext(connection) as asked:
                customer.get("/v1/bulk-lookup")
            counts.append(len(asked))
        assert counts[0] == counts[1]


class TestManyStatesAtOnce:
    """`states` of a row: where is this company registered?"""

    def test_makes_a_row_of_each(self, tester: Customer) -> None:
        rows = [{"entity_name": "Magic Found LLC", "states": ["DE", "CA"], "ref": "m"}]
        bulk = tester.post("/v1/bulk-lookup", {"entities": rows}).json()
        queue.work(now=timezone.now())
        page = tester.get(bulk["poll_url"]).json()
        assert [(row["index"], row["state"], row["ref"], row["status"]) for row in page["results"]] == [
            (0, "DE", "m", "found"),
            (1, "CA", "m", "found"),
        ]

    def test_makes_one_of_a_state_that_is_named_twice_in_another_case(self, tester: Customer) -> None:
        """Two rows of Delaware were two that were found."""
        rows = [{"entity_name": "Magic Found LLC", "states": ["DE", "de", " De ", "CA"]}]
        assert tester.post("/v1/bulk-lookup", {"entities": rows}).json()["total"] == 2

    @pytest.mark.parametrize("states", [["*"], ["DE", "CA"]])
    def test_are_asked_for_no_identifier_which_is_of_one_state(self, tester: Customer, states: list[str]) -> None:
        """It was the number of another company in each of them, found and charged for."""
        row = {"entity_id": "SB-DE-000123", "states": states}
        body = assert_error(tester.post("/v1/bulk-lookup", {"entities": [row]}), 400, "invalid_request")
        assert body["details"][0]["error"].startswith("states: An entity_id is of one state")
        assert tester.post("/v1/bulk-lookup", {"entities": [row | {"states": ["DE"]}]}).json()["total"] == 1

    def test_can_be_all_that_answer(self, tester: Customer, customer: Customer) -> None:
        rows = [{"entity_name": "Magic Found LLC", "states": ["*"]}]
        assert tester.post("/v1/bulk-lookup", {"entities": rows}).json()["total"] == 56
        known = {row["state"] for row in customer.get("/v1/states").json() if row["available"]}
        # More than the free lookups, for which there are too many
        paid = {"amount": 100 * PRICE, "idempotency_key": "c", "source": "card", "now": timezone.now()}
        ledger.deposit(account_id=customer.account.pk, **paid)
        made = customer.post("/v1/bulk-lookup", {"entities": rows})
        assert 10 < made.json()["total"] == len(known) < 56

    @pytest.mark.parametrize(
        ("asked", "ucc"),
        [
            ({"searchType": "UCC"}, True),
            ({"searchType": " ucc "}, True),
            ({"search_type": "ucc"}, True),
            ({"lookup_type": "ucc"}, True),
            ({"query_type": "ucc"}, True),
            ({"entity_type": "ucc"}, True),
            ({"entity_type": "LLC"}, False),
            ({}, False),
        ],
    )
    def test_are_those_that_answer_what_is_asked_however_it_is_spelled(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch, asked: dict[str, str], ucc: bool
    ) -> None:
        lists = {True: ["CA"], False: ["CA", "DE"]}
        monkeypatch.setattr(selectors, "list_everywhere", lambda *, sandbox, ucc, now: lists[ucc])
        rows = [{"entity_name": "Acme Corp", "states": ["*"], **asked}]
        assert tester.post("/v1/bulk-lookup", {"entities": rows}).json()["total"] == len(lists[ucc])

    def test_that_makes_too_many_rows_is_refused_and_reads_the_switches_once(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls: list[bool] = []
        states = ["CA", "DE", "NY"]
        monkeypatch.setattr(selectors, "list_everywhere", lambda *, sandbox, ucc, now: calls.append(ucc) or states)
        rows = [{"entity_name": f"Acme {number}", "states": ["*"]} for number in range(334)]
        body = assert_error(tester.post("/v1/bulk-lookup", {"entities": rows}), 400, "invalid_request")
        assert "1,000" in body["details"][0]["error"]
        assert (calls, Lookup.objects.count()) == ([False], 0)

    @pytest.mark.parametrize(
        "row",
        [{"states": []}, {"states": "NY"}, {"states": ["*", "NY"]}, {"states": ["NY"], "state": "NY"}, {"states": [1]}],
    )
    def test_written_wrongly_is_a_400_that_names_the_row(self, tester: Customer, row: dict[str, Any]) -> None:
        body = {"entities": [{"entity_name": "Acme", **row}]}
        details = assert_error(tester.post("/v1/bulk-lookup", body), 400, "invalid_request")["details"]
        assert (details[0]["index"], details[0]["error"].partition(":")[0]) == (0, "states")
        assert Lookup.objects.count() == 0


class TestATable:
    """A bulk request as text/csv."""

    def send(self, customer: Customer, text: str | bytes, query: str = "") -> Any:
        body = text if isinstance(text, bytes) else text.encode()
        return Client().post(
            f"/v1/bulk-lookup{query}", body, content_type="text/csv", headers={"x-api-key": customer.secret}
        )

    @pytest.mark.parametrize(
        "text",
        [
            "entity_name,state,ref\nMagic Found LLC,DE,a\nMagic Not Found LLC,CA,b\n",
            "Company Name;State;Ref;Notes\r\nMagic Found LLC;DE;a;x\r\n\r\nMagic Not Found LLC;CA;b;\r\n",
            '\ufeffname\tstate\tref\n"Magic Found LLC"\tDE\ta\nMagic Not Found LLC\tCA\tb',
        ],
    )
    def test_is_read_in_every_dialect_of_csv(self, tester: Customer, text: str) -> None:
        made = self.send(tester, text, "?source=live&max_wait_seconds=60")
        assert made.status_code == 202, made.content
        queue.work(now=timezone.now())
        results = tester.get(made.json()["poll_url"]).json()["results"]
        assert [(row["ref"], row["verdict"]) for row in results] == [("a", "found"), ("b", "not_found")]

    def test_may_name_several_states_in_a_cell(self, tester: Customer) -> None:
        assert self.send(tester, "name,states\nMagic Found LLC,DE CA\nMagic Found LLC,*\n").json()["total"] == 58

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("name,state\nAcme,NY\nAcme,Narnia\n", {"index": 1, "line": 3, "column": "state"}),
            ("name,state\nA,NY\n", {"index": 0, "line": 2, "column": "name"}),
            ("name\nAcme\n", {"index": None, "line": 1}),
            ("name,name,state\nA,B,NY\n", {"index": None, "line": 1}),
            ("name,state\nAcme,NY,x\n", {"index": None, "line": 2}),
            ('name,state\n"Acme,NY\n', {"index": None, "line": 2}),
            (b"name,state\n\xff\xfe,NY\n", {"index": None, "line": 1}),
        ],
    )
    def test_with_an_error_says_where(self, tester: Customer, text: str | bytes, problem: dict[str, Any]) -> None:
        details = assert_error(self.send(tester, text), 400, "invalid_request")["details"]
        assert {name: details[0].get(name) for name in problem} == problem
        assert Lookup.objects.count() == 0

    @pytest.mark.parametrize("seconds", ["9" * 5000, "1" * 10, "²", "x", "-1"])
    def test_with_bounds_that_are_none_is_a_400(self, tester: Customer, seconds: str) -> None:
        reply = self.send(tester, "name,state\nAcme,NY\n", f"?max_wait_seconds={seconds}")
        details = assert_error(reply, 400, "invalid_request")["details"]
        assert [one["error"].partition(":")[0] for one in details] == ["max_wait_seconds"]

    def test_alone_has_its_words_in_the_query_string(self, tester: Customer) -> None:
        """Beside JSON they would say nothing, and whoever asked for live answers would get stored ones."""
        rows = [{"entity_name": "Magic Found LLC", "state": "DE"}]
        reply = tester.post("/v1/bulk-lookup?source=live&webhook_url=x", {"entities": rows})
        details = assert_error(reply, 400, "invalid_request")["details"]
        assert [one["error"].partition(":")[0] for one in details] == ["source", "webhook_url"]
        assert Lookup.objects.count() == 0

    def test_whose_column_asks_for_another_source_than_all_rows_have_is_refused(self, tester: Customer) -> None:
        table = "name,state,fresh\nMagic Found LLC,DE,{}\n"
        for word in ("false", "maybe"):
            [problem] = assert_error(self.send(tester, table.format(word)), 400, "invalid_request")["details"]
            assert (problem["error"].partition(":")[0], problem["line"], problem["column"]) == ("fresh", 2, "fresh")
        assert Lookup.objects.count() == 0
        assert self.send(tester, table.format("true")).status_code == 202

    def test_is_for_bulk_requests_alone(self, tester: Customer) -> None:
        headers = {"x-api-key": tester.secret}
        reply = Client().post("/v1/lookup", b"name,state", content_type="text/csv", headers=headers)
        assert_error(reply, 415, "invalid_request")


class TestWaiting:
    """How long it takes is told by what is planned."""

    def test_is_bounded_by_the_caller(self, tester: Customer) -> None:
        tester.lookup("Magic Later LLC", "CA", max_wait_seconds=60)
        job = Lookup.objects.get().job
        assert job.deadline - job.created_at == timedelta(seconds=60)

    def test_is_a_quarter_of_an_hour_where_the_caller_says_nothing(self, tester: Customer) -> None:
        tester.lookup("Magic Later LLC", "CA")
        tester.post("/v1/bulk-lookup", {"entities": [{"entity_name": "Magic Fails LLC", "state": "CA"}]})
        assert [job.deadline - job.created_at for job in Job.objects.all()] == [timedelta(minutes=15)] * 2

    @pytest.mark.parametrize("seconds", ["0", "21601", '"60"', "1.5", "true", "1e999999", "-1e999999", "1e-999999"])
    def test_has_bounds(self, tester: Customer, seconds: str) -> None:
        body = f'{{"entity_name": "Magic Later LLC", "state": "CA", "max_wait_seconds": {seconds}}}'
        reply = tester.post("/v1/lookup", body.encode())
        assert list(assert_error(reply, 400, "invalid_request")["details"]) == ["max_wait_seconds"]

    def test_tells_of_the_next_try(self, tester: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
        accepted = tester.lookup("Magic Later Fails LLC", "CA").json()
        job = Lookup.objects.get().job
        tasks.run_job(job_id=str(job.pk))
        job.refresh_from_db()
        job.not_before = timezone.now() + timedelta(seconds=300)
        job.save()
        reply = tester.get(accepted["statusUrl"])
        body = reply.json()
        assert body["nextTryAt"] == job.not_before.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        assert 299 <= body["estimatedSeconds"] <= 310
        assert (body["pollInterval"], reply["Retry-After"]) == (60_000, "60")

    def test_of_a_bulk_row_too(self, tester: Customer) -> None:
        row = {"entity_name": "Magic Fails LLC", "state": "CA"}
        made = tester.post("/v1/bulk-lookup", {"entities": [row], "max_wait_seconds": 120}).json()
        job = Lookup.objects.get().job
        assert job.deadline - job.created_at == timedelta(seconds=120)
        tasks.run_job(job_id=str(job.pk))
        results = tester.get(made["poll_url"]).json()["results"]
        assert (results[0]["status"], results[0]["next_try_at"] is not None) == ("queued", True)

    def test_is_as_long_as_the_registry_has_said(self, tester: Customer) -> None:
        row = {"entity_name": "Magic Portal Down LLC", "state": "CA"}  # "try again in 300 seconds"
        made = tester.post("/v1/bulk-lookup", {"entities": [row]}).json()
        before = timezone.now()
        queue.work(now=before)
        next_try_at = datetime.fromisoformat(tester.get(made["poll_url"]).json()["results"][0]["next_try_at"])
        assert timedelta(seconds=300) <= next_try_at - before < timedelta(seconds=600)

    def test_for_ten_jobs_at_once_is_within_the_limit_of_polls(self, tester: Customer, settings: Any) -> None:
        settings.CONCURRENT_LOOKUPS = 20
        urls = [tester.lookup("Magic Later LLC", "CA", ref=str(one), **anew()).json() for one in range(10)]
        assert settings.POLLS_PER_MINUTE >= sum(60_000 / one["pollInterval"] for one in urls) == 200

    def test_uses_no_lookups_up(self, tester: Customer, settings: Any) -> None:
        settings.RATE_LIMIT_PER_MINUTE = 3
        status_url = tester.lookup("Magic Later LLC", "CA").json()["statusUrl"]
        assert {tester.get(status_url).status_code for _ in range(10)} == {200}
        assert tester.lookup("Magic Found LLC", "CA").status_code == 200
