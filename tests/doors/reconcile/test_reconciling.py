"""A person with a spreadsheet finds out which companies its names are, and adds what the registries say of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import OperationalError
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from billing import keys
from billing.models import Account, LedgerEntry
from lookups.bulk import queue
from lookups.models import BulkJob, Delivery, Heartbeat, Lookup
from lookups.reconcile import asking, records
from scrapers.evidence.bodies import StoreAway
from tests.doors.reconcile.program import Program, judge
from tests.lookups.conftest import PRICE, Customer, anew, open_customer
from tests.lookups.registry_server import Register, company
from tests.lookups.test_left_out import leave_out

pytestmark = pytest.mark.django_db
FOUND, NOBODY = "Magic Found LLC", "Magic Not Found LLC"


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the program waits, the bulk worker lives and does its work, however long the test takes."""

    def work(_: float) -> None:
        Heartbeat.objects.update(beat_at=Now())
        queue.work(now=timezone.now())

    monkeypatch.setattr(asking.time, "sleep", work)


@pytest.fixture
def program(tester: Customer, worked: None) -> Program:
    _, secret = keys.issue(
        account=tester.key.account, name="sheet", mode="test", scopes=["reconcile"], now=timezone.now()
    )
    return Program(secret)


def row(name: str, state: str | None = "DE", **more: Any) -> dict[str, Any]:
    given = {"query": name, **more}
    return given | ({"properties": [{"pid": "state", "v": state}]} if state else {})


class TestTheManifest:
    """What a program reads first, from a page of its own."""

    def test_is_as_the_specification_has_it(self, program: Program) -> None:
        manifest = program.read()
        judge(manifest, "manifest")
        assert manifest["versions"] == ["0.2"]
        assert program.client.options(f"{program.root}/")["Access-Control-Allow-Origin"] == "*"

    def test_leads_to_addresses_that_answer(self, program: Program) -> None:
        manifest = program.read()
        for what in ("entity", "property", "type"):
            service = manifest["suggest"][what]
            path = (service["service_url"] + service["service_path"]).partition(program.root)[2]
            judge(
                program.read(path, prefix="s"),
                {"entity": "suggest-entities-response"}.get(
                    what, f"suggest-{'properties' if what == 'property' else 'types'}-response"
                ),
            )
        proposing = manifest["extend"]["propose_properties"]
        path = (proposing["service_url"] + proposing["service_path"]).partition(program.root)[2]
        judge(program.read(path, type="DE"), "data-extension-property-proposal")

    def test_is_the_same_for_an_address_that_was_given_without_its_last_slash(self, program: Program) -> None:
        manifest = program.client.get(program.root).json()
        assert manifest == program.read()
        for what in ("view", "preview"):
            assert manifest[what]["url"].endswith(f"{program.root}/{what}/{{{{id}}}}")


class TestABatch:
    """Of rows."""

    def test_finds_each_company_that_is_there(self, program: Program) -> None:
        found = program.reconcile(q0=row(FOUND), q1=row(NOBODY), q2=row(FOUND, "Nevada"), q3=row("Magic Ambiguous LLC"))
        (candidate,) = found["q0"]
        assert (candidate["name"], candidate["match"], candidate["score"]) == ("MAGIC FOUND LLC", True, 100.0)
        assert candidate["id"].startswith("DE:")
        assert found["q2"][0]["id"].startswith("NV:")
        assert found["q1"] == []
        assert len(found["q3"]) > 1
        assert not any(one["match"] for one in found["q3"])

    def test_tells_names_that_come_near_from_those_that_fit_equally_well(
        self, customer: Customer, register: Register
    ) -> None:
        names = ["DOVER TIN INC.", "DOVER TIN INC.", "DOVER TIN WORKS INC."]
        register.rows = [company(name, f"{number}") for number, name in enumerate(names, start=300001)]
        assert customer.lookup("Dover Tin Inc").json()["ambiguous"]
        found = records.list_candidates(Lookup.objects.get(), 10)
        assert [one["name"] for one in found] == names
        assert found[0]["score"] == found[1]["score"] > found[2]["score"]

    def test_sends_no_webhook(self, program: Program, tester: Customer) -> None:
        Account.objects.filter(pk=tester.key.account_id).update(test_webhook_url="https://hooks.example.com/sos")
        assert program.reconcile(q0=row(FOUND))["q0"]
        assert BulkJob.objects.get().ended_at is not None
        assert not Delivery.objects.exists()

    def test_takes_the_state_from_the_type_where_no_column_has_it(self, program: Program) -> None:
        assert program.reconcile(q0=row(FOUND, None, type="NV"))["q0"][0]["id"].startswith("NV:")

    def test_asks_no_registry_for_rows_that_name_no_state(self, program: Program) -> None:
        assert program.reconcile(q0=row(FOUND, None), q1=row(FOUND, "Atlantis"), q2=row("")) == {
            "q0": [],
            "q1": [],
            "q2": [],
        }
        assert not Lookup.objects.exists()

    def test_leaves_out_what_is_not_ready_and_has_it_the_next_time_for_one_price(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, secret = keys.issue(account=customer.key.account, name="sheet", scopes=["reconcile"], now=timezone.now())
        program = Program(secret)
        monkeypatch.setattr(asking, "PATIENCE", 0.0)
        assert program.reconcile(q0=row("Acme Corp.", "NY"))["q0"] == []
        queue.work(now=timezone.now())
        (candidate,) = program.reconcile(q0=row("Acme Corp.", "NY"))["q0"]
        assert candidate["id"] == "NY:100001"
        assert BulkJob.objects.count() == 1
        assert LedgerEntry.objects.filter(kind="capture").count() == 1

    def test_is_answered_from_what_was_read_before_at_the_price_for_that(
        self, customer: Customer, register: Register, request: pytest.FixtureRequest
    ) -> None:
        assert customer.lookup("Acme Corp", "NY").status_code == 200
        request.getfixturevalue("worked")  # from here on, for it stops every other wait
        _, secret = keys.issue(account=customer.key.account, name="sheet", scopes=["reconcile"], now=timezone.now())
        (candidate,) = Program(secret).reconcile(q0=row("Acme Corp", "NY"))["q0"]
        assert candidate["id"] == "NY:100001"
        assert list(Lookup.objects.order_by("pk").values_list("source", "cost")) == [("live", PRICE), ("stored", 0)]

    def test_with_a_registry_that_fails_spoils_no_other_row(
        self, program: Program, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(asking, "PATIENCE", 2.0)
        found = program.reconcile(
            q0=row("Magic Fails LLC"), q1=row(FOUND), q2={"query": "x" * 5000}, q3=row(FOUND, "ZZ")
        )
        assert found["q0"] == found["q2"] == found["q3"] == []
        assert len(found["q1"]) == 1

    @pytest.mark.parametrize(
        "text",
        ["{", "[]", "1", '"x"', "[" * 50_000, '{"q0": 1e9999999999999999999}'],
        ids=["cut", "list", "number", "text", "deep", "exponent"],
    )
    def test_that_cannot_be_read_is_refused(self, program: Program, text: str) -> None:
        reply = program.client.post(f"{program.root}/", {"queries": text})
        assert (reply.status_code, reply.json()["code"]) == (400, "invalid_request")

    @pytest.mark.parametrize(
        ("content_type", "body"),
        [
            ("application/x-www-form-urlencoded; charset=utf-7", "queries={}"),
            ("multipart/form-data", "queries={}"),
            ("application/x-www-form-urlencoded", "&".join(f"a{number}=1" for number in range(2000))),
        ],
        ids=["charset", "boundary", "fields"],
    )
    def test_in_a_form_that_cannot_be_read_is_refused(self, program: Program, content_type: str, body: str) -> None:
        reply = program.client.post(f"{program.root}/", body, content_type=content_type)
        assert (reply.status_code, reply.json()["code"]) == (400, "invalid_request")
        assert reply["Access-Control-Allow-Origin"] == "*"

    def test_beyond_all_measure_is_too_large(self, program: Program) -> None:
        reply = program.client.post(f"{program.root}/", {"queries": "x" * 6 * 1024 * 1024})
        assert (reply.status_code, reply.json()["code"]) == (413, "payload_too_large")

    @pytest.mark.parametrize("error", [OperationalError("the connection is lost"), StoreAway("the disk is full")])
    def test_while_a_store_is_away_is_to_come_again(
        self, program: Program, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        def lose(*_: Any, **__: Any) -> None:
            raise error

        monkeypatch.setattr(asking, "ask", lose)
        program.client.raise_request_exception = False
        reply = program.client.post(f"{program.root}/", {"queries": json.dumps({"q0": row(FOUND)})})
        assert (reply.status_code, reply["Content-Type"], reply["Retry-After"]) == (503, "application/json", "15")
        assert (reply.json()["retryable"], reply["Access-Control-Allow-Origin"]) == (True, "*")

    def test_of_nonsense_finds_nothing(self, program: Program) -> None:
        queries = {
            "q0": 1,
            "q1": {"query": {"a": 1}},
            "q2": {"query": "A", "properties": [1, {"pid": "state", "v": [{"name": "DE"}]}], "limit": "x"},
            "q3": {"query": "Acme", "properties": 7},
            "q4": {"query": "Acme", "properties": [{"pid": ["state"], "v": "DE"}, {"pid": "state", "v": "DE"}]},
        }
        reply = program.client.post(f"{program.root}/", {"queries": json.dumps(queries)})
        assert reply.status_code == 200
        assert reply.json().keys() == queries.keys()

    def test_with_a_number_beyond_all_measure_is_answered(self, program: Program) -> None:
        asked = '{"q0": {"query": "Acme", "type": "DE", "properties": [{"pid": "entityId", "v": 1e999999}]}}'
        assert program.client.post(f"{program.root}/", {"queries": asked}).json() == {"q0": {"result": []}}

    def test_looks_in_no_other_state_than_the_one_that_its_column_means(self, program: Program) -> None:
        """A word that names no state was passed over, and the company looked for in that of the type."""
        found = program.reconcile(
            q0=row(FOUND, "NV", type="DE"),
            q1=row(FOUND, "Calif.", type="DE"),
            q2=row(FOUND, " ", type="DE"),
            q3=row(FOUND, None, type="DE"),
        )
        ids = [[one["id"].partition(":")[0] for one in found[name]] for name in ("q0", "q1", "q2", "q3")]
        assert ids == [["NV"], [], ["DE"], ["DE"]]

    def test_takes_an_empty_cell_for_none_and_a_whole_number_for_its_digits(self, program: Program) -> None:
        """The words "None" and "123.0" were sent as identifiers: no registry has such, and the rows stayed empty."""
        asked = {
            "q0": row(FOUND, None, type="DE") | {"properties": [{"pid": "entityId", "v": None}]},
            "q1": row(FOUND, None, type="DE") | {"properties": [{"pid": "state", "v": [None]}]},
            "q2": row(FOUND) | {"properties": [{"pid": "state", "v": "DE"}, {"pid": "entityId", "v": 3284652.0}]},
        }
        found = program.client.post(f"{program.root}/", {"queries": json.dumps(asked)}).json()
        assert [len(found[name]["result"]) for name in ("q0", "q1")] == [1, 1]
        assert Lookup.objects.filter(question__entity_id="3284652").count() == 1

    def test_takes_a_number_with_a_part_for_no_other_number(self, program: Program) -> None:
        asked = {"q0": row(FOUND) | {"properties": [{"pid": "state", "v": "DE"}, {"pid": "entityId", "v": 3284652.5}]}}
        program.client.post(f"{program.root}/", {"queries": json.dumps(asked)})
        assert Lookup.objects.get().question["entity_id"] == "3284652.5"


class TestAColumn:
    """That is added."""

    def test_is_refused_for_more_companies_than_it_would_be_given_for(self, program: Program) -> None:
        """Those beyond the fiftieth were passed over, and read as if nothing were known of them."""
        asked = {"ids": [f"DE:SB-DE-{number:06}" for number in range(51)], "properties": [{"id": "status"}]}
        reply = program.client.post(f"{program.root}/", {"extend": json.dumps(asked)})
        assert (reply.status_code, reply.json()["details"]) == (
            400,
            {"extend": ["At most 50 at a time; the manifest says 10."]},
        )
        assert not Lookup.objects.exists()

    @pytest.mark.parametrize("asked", [{"ids": 7, "properties": 7}, {"ids": {}, "properties": {"a": 1}}, {}])
    def test_of_nonsense_is_none(self, program: Program, asked: dict[str, Any]) -> None:
        reply = program.client.post(f"{program.root}/", {"extend": json.dumps(asked)})
        assert (reply.status_code, reply.json()) == (200, {"meta": [], "rows": {}})

    @pytest.mark.parametrize("columns", [[], ["no such"]])
    def test_that_is_none_is_not_paid_for(self, program: Program, columns: list[str]) -> None:
        """Each company was asked for and charged, and no cell was filled."""
        assert program.extend(["DE:SB-DE-000123"], *columns) == {"DE:SB-DE-000123": {name: [] for name in columns}}
        assert not Lookup.objects.exists()

    def test_has_what_the_registry_says(self, program: Program) -> None:
        """Each column its own, those that are normalized and those of several words among them."""
        values = program.extend(["DE:SB-DE-000123"], *records.PROPERTIES)["DE:SB-DE-000123"]
        assert {name: [text for one in cell for text in one.values()] for name, cell in values.items()} == {
            "status": ["Good Standing"],
            "statusClass": ["active"],
            "entityType": ["Limited Liability Company"],
            "entityId": ["SB-DE-000123"],
            "formationDate": ["2011-03-14T00:00:00Z"],
            "jurisdiction": ["Delaware"],
            "registeredAgentName": ["HARBOR AGENTS INC."],
            "registeredAgentAddress": ["12 QUAY STREET, DOVER, DE 19901"],
            "principalAddress": ["14 QUAY STREET, DOVER, DE 19901"],
            "mailingAddress": ["PO BOX 77, DOVER, DE 19903"],
            "officers": ["ADA MERRILL · Manager", "JONAS PEPPERCOTE · Member"],
            "formerNames": ["HERON & SONS HAULAGE LLC"],
            "assumedNames": ["BLUE HERON FREIGHT"],
        }

    def test_has_a_list_for_every_cell(self, program: Program) -> None:
        found = program.reconcile(q0=row(FOUND))["q0"][0]["id"]
        rows = program.extend([found, "DE:nobody-has-it", "nonsense"], "status", "formationDate", "officers", "no such")
        assert rows[found]["status"] == [{"str": "Good Standing"}]
        assert rows[found]["no such"] == []
        for number in ("DE:nobody-has-it", "nonsense"):
            assert rows[number] == {"status": [], "formationDate": [], "officers": [], "no such": []}

    def test_asks_nothing_for_an_id_that_holds_what_cannot_be_seen(self, program: Program) -> None:
        unseen = ["DE:\0", "DE:SB-DE-\u202e000123", "DE:", "DE: ", "ZZ:1"]
        rows = program.extend(unseen, "status")
        assert rows == {number: {"status": []} for number in unseen}
        assert not Lookup.objects.exists()
        assert program.client.get(f"{program.root}/preview/DE:%00").status_code == 200
        assert program.client.get(f"{program.root}/view/DE:%00").status_code == 404

    def test_shows_the_company_while_somebody_chooses(self, program: Program) -> None:
        found = program.reconcile(q0=row(FOUND))["q0"][0]["id"]
        assert program.read("/suggest/entity", prefix="magic f")["result"] == [{"id": found, "name": "MAGIC FOUND LLC"}]
        page = program.client.get(f"{program.root}/preview/{found}")
        assert "MAGIC FOUND LLC" in page.content.decode()
        assert "frame-ancestors *" in page["Content-Security-Policy"]
        assert "X-Frame-Options" not in page
        assert program.client.get(f"{program.root}/view/{found}").status_code == 302
        assert program.client.get(f"{program.root}/preview/DE:1").status_code == 200
        assert program.client.get(f"{program.root}/view/DE:1").status_code == 404


class TestACompanyThatWasLookedUp:
    """By one account, with one key."""

    def test_is_suggested_and_shown_to_no_other_account_and_in_no_other_mode(
        self, program: Program, tester: Customer
    ) -> None:
        found = program.reconcile(q0=row(FOUND))["q0"][0]["id"]
        for account, mode in ((open_customer(mode="test").account, "test"), (tester.account, "live")):
            _, secret = keys.issue(account=account, name="sheet", mode=mode, scopes=["reconcile"], now=timezone.now())
            stranger = Program(secret)
            assert stranger.read("/suggest/entity", prefix="")["result"] == []
            preview = stranger.client.get(f"{stranger.root}/preview/{found}")
            assert (preview.status_code, "MAGIC FOUND LLC" in preview.content.decode()) == (200, False)
            assert stranger.client.get(f"{stranger.root}/view/{found}").status_code == 404

    def test_is_suggested_once_and_the_last_one_first(self, program: Program) -> None:
        first, second = (program.reconcile(q0=row(FOUND, state))["q0"][0]["id"] for state in ("DE", "NV"))
        for again, expected in ((False, [second, first]), (True, [first, second])):
            if again:
                program.reconcile(q0=row(FOUND, "DE"), q1=row(NOBODY))
            listed = program.read("/suggest/entity", prefix="Magic F")["result"]
            assert [one["id"] for one in listed] == expected

    def test_is_shown_as_it_was_read_last(self, customer: Customer, register: Register) -> None:
        _, secret = keys.issue(account=customer.account, name="sheet", scopes=["reconcile"], now=timezone.now())
        program = Program(secret)
        for kind in ("DOMESTIC BUSINESS CORPORATION", "DOMESTIC PROFESSIONAL CORPORATION"):
            register.rows = [company("ACME CORP.", "100001", entity_type=kind), company("ZEBRA INC.", "100002")]
            for name in ("Acme Corp", "Zebra Inc"):
                assert customer.lookup(name, headers=anew()).status_code == 200
        page = program.client.get(f"{program.root}/preview/NY:100001").content.decode()
        assert ("ACME CORP." in page, "PROFESSIONAL" in page, "ZEBRA" in page) == (True, True, False)

    def test_is_shown_under_the_name_that_this_account_has_read(self, customer: Customer, register: Register) -> None:
        """Beside the record of then stood the name that somebody else's later reading had brought."""
        _, secret = keys.issue(account=customer.account, name="sheet", scopes=["reconcile"], now=timezone.now())
        program = Program(secret)
        assert customer.lookup("Acme Corp").status_code == 200
        register.rows = [company("OTTER HOLDINGS CORP.", "100001")]
        assert open_customer(name="Other").lookup("Otter Holdings Corp").status_code == 200
        page = program.client.get(f"{program.root}/preview/NY:100001").content.decode()
        assert ("ACME CORP." in page, "OTTER" in page, "Fictional" in page) == (True, False, False)

    @pytest.mark.parametrize("pages", ["unlisted", "off"])
    def test_leads_to_what_is_shown_of_it_where_it_has_no_public_page(
        self, program: Program, settings: Any, pages: str
    ) -> None:
        """Somebody had it left out, or the operator shows none: a click on its name in the table led to nothing."""
        settings.ENTITY_PAGES = pages
        found = program.reconcile(q0=row(FOUND))["q0"][0]["id"]
        if pages != "off":
            leave_out(kind="company", state="DE", entity_id=found.removeprefix("DE:"))
        page: Any = program.client.get(f"{program.root}/view/{found}", follow=True)
        assert (page.status_code, "MAGIC FOUND LLC" in page.content.decode()) == (200, True)

    def test_of_the_sandbox_is_said_to_be_fictional(self, program: Program) -> None:
        found = program.reconcile(q0=row(FOUND))["q0"][0]["id"]
        assert "Fictional" in program.client.get(f"{program.root}/preview/{found}").content.decode()


class TestAKey:
    """In an address."""

    def test_that_can_do_anything_else_is_refused(self, tester: Customer) -> None:
        reply = Client().get(f"/reconcile/{tester.secret}/")
        assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")

    def test_that_opens_nothing_is_refused(self, db: None) -> None:
        refused = Client().get("/reconcile/osd_nothing/")
        assert (refused.status_code, refused["WWW-Authenticate"]) == (401, 'Bearer realm="SOS Lookup"')

    def test_that_is_guessed_is_refused_unread_after_a_minutes_worth(self, db: None, settings: Any) -> None:
        settings.KEYLESS_PER_MINUTE = 2
        replies = [Client().get(f"/reconcile/osd_guess{number}/") for number in range(5)]  # a minute may begin between
        refused = next(one for one in replies if one.status_code == 429)
        assert (refused.json()["code"], 1 <= int(refused["Retry-After"]) <= 60) == ("rate_limited", True)

    def test_that_is_bound_to_networks_opens_nothing_from_another(self, tester: Customer) -> None:
        bound: dict[str, Any] = {"scopes": ["reconcile"], "allowed_networks": ["203.0.113.0/24"]}
        _, secret = keys.issue(account=tester.account, name="sheet", mode="test", now=timezone.now(), **bound)
        for address, status in (("203.0.113.7", 200), ("198.51.100.7", 403)):
            reply = Client(REMOTE_ADDR=address).get(f"/reconcile/{secret}/")
            assert (reply.status_code, reply["Access-Control-Allow-Origin"]) == (status, "*")

    def test_does_nothing_else(self, program: Program) -> None:
        secret = program.root.rpartition("/")[2]
        for path in ("/v1/account/balance", "/v1/keys", "/v1/watches"):
            assert Client().get(path, headers={"x-api-key": secret}).status_code == 403

    def test_spends_no_more_than_its_budget(self, customer: Customer, worked: None) -> None:
        key, secret = keys.issue(account=customer.key.account, name="sheet", scopes=["reconcile"], now=timezone.now())
        type(key).objects.filter(pk=key.pk).update(monthly_budget=1)
        reply = Client().post(f"/reconcile/{secret}/", {"queries": json.dumps({"q0": row("Anything LLC", "NY")})})
        assert (reply.status_code, reply.json()["code"]) == (402, "budget_exceeded")
        assert not LedgerEntry.objects.filter(kind="charge").exists()

    def test_is_slowed_down_while_somebody_types(self, program: Program, settings: Any) -> None:
        settings.POLLS_PER_MINUTE = 1
        replies = [program.client.get(f"{program.root}/suggest/entity", {"prefix": "a"}) for _ in range(3)]
        assert 429 in {one.status_code for one in replies}

    def test_is_in_no_log(self, program: Program, caplog: pytest.LogCaptureFixture) -> None:
        program.read()
        assert program.root.rpartition("/")[2] not in caplog.text


class TestAProject:
    """Of two hundred rows, batch by batch, as OpenRefine sends them."""

    @pytest.mark.slow
    def test_is_reconciled_and_extended(self, program: Program) -> None:
        names = [FOUND, NOBODY, "Blue Heron Logistics LLC", "Magic Ambiguous LLC"]
        chosen: list[str] = []
        for start in range(0, 200, 10):
            batch = {
                f"q{number}": row(names[number % 4], ["DE", "NV", "NY"][number % 3])
                for number in range(start, start + 10)
            }
            found = program.reconcile(**batch)
            chosen += [one["id"] for candidates in found.values() for one in candidates if one["match"]]
        assert len(chosen) == 67  # one name of four is everywhere, and one in Delaware alone
        for start in range(0, len(chosen), 10):
            rows = program.extend(list(dict.fromkeys(chosen[start : start + 10])), "status", "registeredAgentName")
            assert all(values["status"] for values in rows.values())
