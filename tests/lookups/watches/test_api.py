"""Watches over the API: one, many, as a table, of a bulk job; changed, paused, deleted; who may."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from billing import keys
from lookups import idempotency
from lookups.bulk import queue
from lookups.models import Delivery, IdempotencyRecord, Lookup, Watch, WatchBaseline, WatchCheck, WatchEvent
from lookups.notifications import deliveries
from lookups.privacy import account_data, erasure, suppression
from lookups.watches import taxonomy, watching
from lookups.watches.watching import Wanted
from scrapers.sandbox import changing
from scrapers.sandbox.changing import CHANGING
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.messages import body_of, deliver, listen_at
from tests.lookups.registry_server import Register
from tests.lookups.test_hostile_bodies import assert_error
from tests.lookups.test_left_out import leave_out
from tests.lookups.watches.looks import codes, look, look_again, read, read_events, remove, watch
from tests.lookups.webhook_receiver import receiving, says

pytestmark = pytest.mark.django_db
FOUND = {"state": "DE", "entity_id": "SB-DE-900001"}


class TestPostingAWatch:
    """POST /v1/watches."""

    def test_makes_one_with_the_defaults(self, tester: Customer) -> None:
        reply = tester.post("/v1/watches", FOUND)
        assert reply.status_code == 201
        made = reply.json()["watch"]
        assert reply["Location"] == f"/v1/watches/{made['id']}"
        assert (made["every"], made["status"], made["livemode"]) == ("day", "active", False)
        assert made["on"] == list(taxonomy.BY_DEFAULT)
        assert "lien" not in made["on"]

    def test_says_what_a_check_costs_and_that_a_test_keys_costs_nothing(
        self, tester: Customer, customer: Customer
    ) -> None:
        names = ("pricePerCheck", "pricePerUnchangedCheck", "pricePerCheckFromCopy")
        told = [
            customer.post("/v1/watches", {"state": "NY", "entity_name": "Acme Corp"}),
            tester.post("/v1/watches", FOUND),
        ]
        quoted = [[reply.json()["watch"][name] for name in names] for reply in told]
        assert quoted == [[0.0314, 0.0314, 0], [0, 0, 0]]

    def test_again_makes_no_second_one(self, tester: Customer) -> None:
        first = watch(tester, **FOUND)
        again = tester.post("/v1/watches", FOUND)
        assert (again.status_code, again.json()["watch"]["id"]) == (200, first["id"])
        assert watch(tester, **FOUND, every="week")["id"] != first["id"]

    def test_with_a_key_of_its_own_is_found_again_however_it_was_changed(self, tester: Customer) -> None:
        first = tester.post("/v1/watches", FOUND, idempotency_key="k").json()["watch"]
        tester.patch(f"/v1/watches/{first['id']}", {"every": "month"})
        again = tester.post("/v1/watches", FOUND, idempotency_key="k")
        assert (again.json()["watch"]["id"], again["Idempotency-Replayed"]) == (first["id"], "true")
        assert Watch.objects.count() == 1

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"state": "DE"}, "entity_id"),
            ({**FOUND, "every": "hour"}, "every"),
            ({**FOUND, "on": []}, "on"),
            ({**FOUND, "on": ["moon"]}, "on"),
            ({**FOUND, "webhook": "http://127.0.0.1/"}, "webhook"),
            ({**FOUND, "webhook": " "}, "webhook"),
            ({**FOUND, "max_per_month": 0}, "max_per_month"),
            ({**FOUND, "tell_unchanged": "yes"}, "tell_unchanged"),
            ({**FOUND, "email_digest": True}, "email_digest"),
            ({"state": "DE", "entity_id": "no number"}, "entity_id"),
        ],
    )
    def test_that_does_not_fit_is_refused_by_its_field(
        self, tester: Customer, settings: Any, body: Any, field: str
    ) -> None:
        settings.MAIL_CONFIGURED = False
        reply = tester.post("/v1/watches", body)
        assert_error(reply, 400, "invalid_request", "Invalid request body")
        assert list(reply.json()["details"]) == [field]
        assert Watch.objects.count() == 0

    def test_of_no_jurisdiction_is_an_unsupported_state(self, tester: Customer) -> None:
        assert_error(tester.post("/v1/watches", {**FOUND, "state": "ZZ"}), 400, "unsupported_state", None)

    @pytest.mark.parametrize(
        "company",
        [
            {"entity_name": "Acme Corp", "on": ["lien"]},
            {"entity_id": "100001", "on": ["lien"]},
            {"entity_id": "100001", "on": ["status", "lien"]},
        ],
    )
    def test_of_liens_where_no_program_may_ask_for_them_is_refused(self, customer: Customer, company: Any) -> None:
        reply = customer.post("/v1/watches", {"state": "NY", **company})
        assert reply.status_code == 400
        assert list(reply.json()["details"]) == ["on"]

    def test_of_liens_whose_list_is_never_known_to_be_whole_is_refused(self, customer: Customer) -> None:
        company = {"state": "ID", "entity_name": "Acme Corp"}
        for on in (["lien"], ["status", "lien"]):
            reply = customer.post("/v1/watches", {**company, "on": on})
            assert_error(reply, 400, "unsupported_state", "Invalid request body")
            assert list(reply.json()["details"]) == ["on"]
        made = watch(customer, **company, on=["status"])
        assert customer.patch(f"/v1/watches/{made['id']}", {"on": ["lien"]}).status_code == 400

    def test_in_the_sandbox_is_refused_for_nothing_that_only_the_real_registry_lacks(self, tester: Customer) -> None:
        watch(tester, state="ID", entity_name="Magic Found LLC", on=["lien"])
        watch(tester, state="NM", entity_id="SB-NM-000123")
        assert look() == 2

    def test_of_the_liens_alone_of_a_number_is_refused_for_they_are_kept_by_name(self, tester: Customer) -> None:
        number = {"state": "DE", "entity_id": "SB-DE-000123"}
        reply = tester.post("/v1/watches", {**number, "on": ["lien"]})
        assert_error(reply, 400, "invalid_request", "Invalid request body")
        assert list(reply.json()["details"]) == ["on"]
        made = watch(tester, **number, on=["status"])
        address = f"/v1/watches/{made['id']}"
        assert tester.patch(address, {"on": ["lien"]}).status_code == 400
        look()  # which finds its name
        assert tester.patch(address, {"on": ["lien"]}).status_code == 200

    def test_that_would_never_look_is_refused(self, tester: Customer) -> None:
        """A company and its liens are two checks: with one a month it waited for the next one, month after month."""
        both = {"on": ["status", "lien"], "max_per_month": 1}
        for path, body in (
            ("/v1/watches", FOUND | both),
            ("/v1/watches/batch", {"watches": [FOUND], **both}),
        ):
            reply = tester.post(path, body)
            assert_error(reply, 400, "invalid_request", "Invalid request body")
            assert "max_per_month" in str(reply.json()["details"])
        made = watch(tester, **FOUND, on=["status", "lien"], max_per_month=2)
        assert tester.patch(f"/v1/watches/{made['id']}", {"max_per_month": 1}).status_code == 400
        assert tester.patch(f"/v1/watches/{made['id']}", {"max_per_month": 1, "on": ["status"]}).status_code == 200
        assert tester.patch(f"/v1/watches/{made['id']}", {"on": ["status", "lien"]}).status_code == 400

    def test_by_a_number_where_the_registry_takes_none_is_refused(self, customer: Customer) -> None:
        reply = customer.post("/v1/watches", {"state": "NM", "entity_id": "1234567"})
        assert_error(reply, 400, "unsupported_state", "Invalid request body")
        assert list(reply.json()["details"]) == ["entity_id"]
        watch(customer, state="NM", entity_id="1234567", entity_name="Acme Corp")

    def test_beyond_a_hundred_in_test_mode_is_a_conflict(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(watching, "MOST_IN_TEST", 1)
        watch(tester, **FOUND)
        reply = tester.post("/v1/watches", {**FOUND, "every": "week"})
        assert (reply.status_code, reply.json()["code"]) == (409, "too_many_watches")
        assert Watch.objects.count() == 1


class TestPostingMany:
    """POST /v1/watches/batch."""

    def test_takes_rows_with_settings_of_their_own(self, tester: Customer) -> None:
        rows = [FOUND, {"state": "NV", "entity_name": "Magic Found LLC", "every": "month"}]
        reply = tester.post("/v1/watches/batch", {"every": "week", "ref": "all", "watches": rows})
        assert (reply.status_code, reply.json()["created"]) == (201, 2)
        assert [(one["every"], one["ref"]) for one in reply.json()["watches"]] == [("week", "all"), ("month", "all")]

    def test_takes_a_table(self, tester: Customer) -> None:
        table = "State;Entity Id;Name;On;Max per month\nDE;SB-DE-900001;;status name;3\nNV;;Magic Found LLC;;\n"
        reply = tester.post("/v1/watches/batch?every=week", table.encode(), content_type="text/csv")
        assert reply.status_code == 201, reply.content
        first, second = reply.json()["watches"]
        assert (first["every"], first["on"], first["max_per_month"]) == ("week", ["status", "name"], 3)
        assert (second["entity_name"], second["on"]) == ("Magic Found LLC", list(taxonomy.BY_DEFAULT))

    @pytest.mark.parametrize("flag", ["email_digest", "tell_unchanged"])
    def test_takes_from_each_row_whether_it_tells_by_mail_or_of_what_is_unchanged(
        self, tester: Customer, settings: Any, flag: str
    ) -> None:
        """Passed over in silence, whoever asked for the daily mail row by row would never hear of a change."""
        settings.MAIL_CONFIGURED = True
        table = f"state,entity_id,{flag}\nDE,SB-DE-900001,true\nDE,SB-DE-900002,FALSE\nDE,SB-DE-000123,\n"
        reply = tester.post(f"/v1/watches/batch?{flag}=true", table.encode(), content_type="text/csv")
        assert reply.status_code == 201, reply.content
        assert [one[flag] for one in reply.json()["watches"]] == [True, False, True]
        reply = tester.post("/v1/watches/batch", table.replace("true", "maybe").encode(), content_type="text/csv")
        assert [(one["line"], one["error"].partition(":")[0]) for one in reply.json()["details"]] == [(2, flag)]

    def test_watches_each_of_two_companies_of_one_name(self, tester: Customer) -> None:
        table = (
            "state,entity_id,entity_name\nNY,SB-NY-900021,Magic Ambiguous LLC\nNY,SB-NY-900022,Magic Ambiguous LLC\n"
        )
        for made in (2, 0):
            reply = tester.post("/v1/watches/batch", table.encode(), content_type="text/csv")
            assert reply.json()["created"] == made, reply.content
        assert set(Watch.objects.values_list("entity_id", flat=True)) == {"SB-NY-900021", "SB-NY-900022"}

    def test_watches_no_company_a_second_time_because_its_name_stands_beside(self, tester: Customer) -> None:
        for table in (
            "state,entity_id\nDE,SB-DE-000123\n",
            "state,entity_id,entity_name\nDE,SB-DE-000123,Blue Heron\n",
        ):
            tester.post("/v1/watches/batch", table.encode(), content_type="text/csv")
        assert Watch.objects.count() == 1

    def test_as_json_has_its_settings_in_the_body_alone(self, tester: Customer) -> None:
        reply = tester.post("/v1/watches/batch?every=week", {"watches": [FOUND]})
        assert reply.status_code == 400
        assert reply.json()["details"][0]["error"].startswith("every: ")
        assert Watch.objects.count() == 0

    def test_repeated_with_its_key_makes_nothing_again_whatever_became_of_what_it_made(self, tester: Customer) -> None:
        rows = {"watches": [FOUND, {**FOUND, "ref": "second"}, {**FOUND, "ref": "third"}]}
        first = tester.post("/v1/watches/batch", rows, idempotency_key="import-7")
        made = [one["id"] for one in first.json()["watches"]]
        assert remove(tester, made[0]).status_code == 200
        assert tester.patch(f"/v1/watches/{made[1]}", {"every": "month"}).status_code == 200
        again = tester.post("/v1/watches/batch", rows, idempotency_key="import-7")
        assert (again.status_code, again.headers["Idempotency-Replayed"]) == (first.status_code, "true")
        assert (again.json()["created"], [one["id"] for one in again.json()["watches"]]) == (3, made)
        assert {one["id"] for one in tester.get("/v1/watches").json()["watches"]} == {made[1], made[2]}

    def test_names_each_row_that_does_not_fit_and_makes_none(self, tester: Customer) -> None:
        table = "state,entity_id,every\nDE,SB-DE-900001,week\nZZ,1,week\nDE,SB-DE-900001,hour\n"
        reply = tester.post("/v1/watches/batch", table.encode(), content_type="text/csv")
        assert reply.status_code == 400
        assert [(one["index"], one["line"]) for one in reply.json()["details"]] == [(1, 3), (2, 4)]
        assert reply.json()["details"][1]["error"].startswith("every: ")
        assert Watch.objects.count() == 0

    @pytest.mark.parametrize(
        "body", [{}, {"watches": []}, {"watches": [FOUND], "bulk_job": "x"}, {"watches": [FOUND] * 1001}]
    )
    def test_of_none_or_too_many_is_refused(self, tester: Customer, body: Any) -> None:
        assert tester.post("/v1/watches/batch", body).status_code == 400

    def test_watches_every_company_that_a_bulk_job_found_from_the_reading_it_has(self, tester: Customer) -> None:
        rows = [
            {"entity_name": CHANGING["changes_name"], "state": "DE", "ref": "a"},
            {"entity_name": "Magic Not Found LLC", "state": "DE"},
            {"entity_name": CHANGING["changes_name"], "state": "DE"},
        ]
        job = tester.post("/v1/bulk-lookup", {"entities": rows}).json()["job_id"]
        early = tester.post("/v1/watches/batch", {"bulk_job": job})
        assert early.json()["details"] == {"bulk_job": ["It has found no company, or none yet."]}
        queue.work(now=timezone.now())
        reply = tester.post("/v1/watches/batch", {"bulk_job": job, "on": ["name"]})
        [made] = reply.json()["watches"]
        assert (made["name"], made["ref"]) == ("MAGIC CHANGES NAME LLC", "a")
        assert look() == 0  # it was read already
        look_again()
        [event] = read_events(tester)
        assert event["code"] == "name.changed"
        bulk_row = Lookup.objects.filter(origin="bulk", verdict="found").order_by("pk").first()
        assert bulk_row is not None
        assert event["evidence"]["before"]["lookupId"] == bulk_row.public_id

    @pytest.mark.parametrize(("days", "first"), [(0, "2026-12-25"), (10, "2026-12-25"), (200, "2026-11-25")])
    def test_looks_as_soon_as_its_reading_is_half_a_period_old(self, tester: Customer, days: int, first: str) -> None:
        """A bulk job of last spring says little of today: nobody waits six weeks for the first look of a month's."""
        now = datetime(2026, 11, 21, 12, tzinfo=UTC)
        tester.lookup("Magic Found LLC", "DE")
        Lookup.objects.update(data_as_of=now - timedelta(days=days))
        seen = Lookup.objects.whole().get()
        assert seen.version is not None
        number = seen.version.entity.entity_id
        wanted = Wanted(state="DE", entity_id=number, every="month", categories=["status"], seen=seen)
        on_the_25th = uuid.UUID(int=24 * 86_400)  # its own time follows from its name
        [watch] = watching.create(wanted=[wanted], key=tester.key, now=now, request_id="", named=on_the_25th).watches
        assert f"{watch.next_at:%Y-%m-%d}" == first

    @pytest.mark.parametrize(("on", "looks"), [(["status", "lien"], 2), (["lien"], 1)])
    def test_of_liens_looks_for_them_at_once_and_for_nothing_that_was_read(
        self, tester: Customer, on: list[str], looks: int
    ) -> None:
        """The reading of the company says nothing of its liens: one of the weeks until then would never be told."""
        row = {"entity_name": CHANGING["changes_lien"], "state": "DE"}
        job = tester.post("/v1/bulk-lookup", {"entities": [row]}).json()["job_id"]
        queue.work(now=timezone.now())
        [made] = tester.post("/v1/watches/batch", {"bulk_job": job, "every": "month", "on": on}).json()["watches"]
        assert look() == 1
        assert [check.kind for check in WatchCheck.objects.all()] == ["ucc"]
        assert read(tester, made["id"])["nextCheckAt"] > made["createdAt"]
        look_again()
        assert WatchCheck.objects.count() == 1 + looks
        assert codes(tester) == ["lien.added"]

    def test_of_a_bulk_job_names_each_row_whose_liens_no_program_may_ask_for(
        self, customer: Customer, register: Register
    ) -> None:
        rows = [{"entity_name": "Nobody Here LLC", "state": "NY"}, {"entity_name": "Acme Corp", "state": "NY"}]
        job = customer.post("/v1/bulk-lookup", {"entities": rows}).json()["job_id"]
        queue.work(now=timezone.now())
        reply = customer.post("/v1/watches/batch", {"bulk_job": job, "on": ["status", "lien"]})
        assert_error(reply, 400, "invalid_request", "Invalid request body")
        assert [(one["index"], one["error"][:4]) for one in reply.json()["details"]] == [(1, "on: ")]
        assert Watch.objects.count() == 0

    def test_of_another_customers_bulk_job_finds_none(self, tester: Customer, customer: Customer) -> None:
        job = tester.post("/v1/bulk-lookup", {"entities": [{"entity_name": "Magic Found LLC", "state": "DE"}]}).json()
        assert customer.post("/v1/watches/batch", {"bulk_job": job["job_id"]}).status_code == 404


class TestChangingAWatch:
    """PATCH and DELETE /v1/watches/{watchId}."""

    def test_pauses_it_and_takes_it_up_again(self, tester: Customer) -> None:
        made = watch(tester, **FOUND)
        paused = tester.patch(f"/v1/watches/{made['id']}", {"status": "paused"}).json()["watch"]
        assert (paused["status"], paused["pauseReason"], paused["nextCheckAt"]) == ("paused", "requested", None)
        assert (look(), codes(tester)) == (0, [])
        again = tester.patch(f"/v1/watches/{made['id']}", {"status": "active"}).json()["watch"]
        assert (again["status"], again["pauseReason"], again["pausedAt"]) == ("active", None, None)
        assert again["nextCheckAt"] is not None

    def test_takes_it_up_without_a_look_at_once_where_its_customer_had_paused_it_or_it_was_never_paused(
        self, tester: Customer
    ) -> None:
        made = watch(tester, **FOUND)
        look()
        for status in ("active", "paused", "active"):
            assert tester.patch(f"/v1/watches/{made['id']}", {"status": status}).status_code == 200
            assert look() == 0

    def test_pauses_it_again_and_it_is_paused_as_it_was(self, tester: Customer) -> None:
        made = watch(tester, state="DE", entity_name="Magic Found LLC")
        replies = [tester.patch(f"/v1/watches/{made['id']}", {"status": "paused"}) for _ in range(2)]
        assert [one.status_code for one in replies] == [200, 200]
        assert replies[0].json()["watch"] == replies[1].json()["watch"]

    def test_sets_what_is_said_and_leaves_the_rest(self, tester: Customer) -> None:
        made = watch(tester, **FOUND, every="week", ref="a", max_per_month=3)
        changed = tester.patch(f"/v1/watches/{made['id']}", {"on": ["status"], "max_per_month": None}).json()["watch"]
        assert (changed["on"], changed["max_per_month"], changed["every"], changed["ref"]) == (
            ["status"],
            None,
            "week",
            "a",
        )

    def test_is_listed_until_it_is_deleted(self, tester: Customer) -> None:
        made = watch(tester, **FOUND)
        assert [one["id"] for one in tester.get("/v1/watches?state=de&status=active").json()["watches"]] == [made["id"]]
        assert tester.get("/v1/watches?status=paused").json()["watches"] == []
        assert tester.get("/v1/watches?status=asleep").status_code == 400
        assert remove(tester, made["id"]).status_code == 200
        assert tester.get("/v1/watches").json()["watches"] == []
        assert remove(tester, made["id"]).status_code == 404

    def test_looks_at_once_when_asked_to(self, tester: Customer) -> None:
        made = watch(tester, **FOUND)
        look()
        assert tester.post(f"/v1/watches/{made['id']}/checks", {}).status_code == 202
        assert look() == 1
        told = tester.get(f"/v1/watches/{made['id']}/checks?limit=1").json()
        assert [check["result"] for check in told["checks"]] == ["unchanged"]
        rest = tester.get(f"/v1/watches/{made['id']}/checks?cursor={told['nextCursor']}").json()
        assert ([check["result"] for check in rest["checks"]], rest["nextCursor"]) == (["baseline"], None)

    def test_looks_once_for_a_request_that_is_sent_again_with_its_key(self, tester: Customer) -> None:
        made, other = watch(tester, **FOUND), watch(tester, **FOUND, ref="other")
        look()
        address = f"/v1/watches/{made['id']}/checks"
        for replayed in (None, "true"):
            reply = tester.post(address, {}, **{"Idempotency-Key": "order-7"})
            assert (reply.status_code, reply.headers.get("Idempotency-Replayed")) == (202, replayed)
            look()
        assert len(tester.get(address).json()["checks"]) == 2, "the first, and the one that was asked for"
        reused = tester.post(f"/v1/watches/{other['id']}/checks", {}, **{"Idempotency-Key": "order-7"})
        assert (reused.status_code, reused.json()["code"]) == (409, "idempotency_conflict")

    def test_looks_once_for_a_request_that_broke_off_and_is_sent_again_with_its_key(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def lose(_: idempotency.Claim) -> None:
            raise OperationalError("the connection is lost")

        made = watch(tester, **FOUND)
        look()
        address = f"/v1/watches/{made['id']}/checks"
        with monkeypatch.context() as database:
            database.setattr(idempotency, "finish", lose)
            assert tester.post(address, {}, **{"Idempotency-Key": "order-8"}).status_code == 503
        IdempotencyRecord.objects.update(lease_until=timezone.now())  # a minute goes by
        look()
        assert tester.post(address, {}, **{"Idempotency-Key": "order-8"}).status_code == 202
        look()
        assert len(tester.get(address).json()["checks"]) == 2, "the first, and the one that was asked for"

    @pytest.mark.parametrize(
        ("before", "then", "kind"), [("status", "lien", "ucc"), ("lien", "status", "business_entity")]
    )
    def test_looks_at_once_for_what_it_has_never_looked_for(
        self, tester: Customer, before: str, then: str, kind: str
    ) -> None:
        """What comes until its own time would be where it begins, and never be told; the rest was read just now."""
        made = watch(tester, state="DE", entity_name=CHANGING["changes_lien"], every="month", on=[before])
        look()
        tester.patch(f"/v1/watches/{made['id']}", {"on": [before, then]})
        assert look() == 1
        assert [check.kind for check in WatchCheck.objects.order_by("pk")][1:] == [kind]
        assert read(tester, made["id"])["nextCheckAt"] > made["createdAt"]
        tester.patch(f"/v1/watches/{made['id']}", {"on": [before]})
        tester.patch(f"/v1/watches/{made['id']}", {"on": [before, then]})
        assert look() == 0
        look_again()
        assert WatchCheck.objects.count() == 4
        assert codes(tester) == ["lien.added"]

    @pytest.mark.parametrize("changes", [[{"every": "month"}], [{"status": "paused"}, {"status": "active"}]])
    def test_before_its_first_look_does_not_put_that_off(self, tester: Customer, changes: list[dict[str, str]]) -> None:
        """What changed within a month was where it began, and never told."""
        made = watch(tester, **FOUND, every="month")
        for one in [{"every": "day"}, *changes]:
            assert tester.patch(f"/v1/watches/{made['id']}", one).status_code == 200
        assert look() == 1

    def test_does_not_put_off_a_look_that_was_asked_for(self, tester: Customer) -> None:
        made = watch(tester, **FOUND)
        look()
        assert tester.post(f"/v1/watches/{made['id']}/checks", {}).status_code == 202
        tester.patch(f"/v1/watches/{made['id']}", {"every": "month"})
        assert look() == 1

    def test_by_number_looks_for_liens_as_soon_as_its_name_is_known(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_id="SB-DE-920008", every="month", on=["status", "lien"])
        assert [look() for _ in range(3)] == [1, 1, 0]
        assert [check.kind for check in WatchCheck.objects.order_by("pk")] == ["business_entity", "ucc"]


class TestTheEvents:
    """GET /v1/events."""

    def test_are_read_on_from_a_cursor_without_a_gap(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name=CHANGING["changes"])
        look()
        look_again()
        seen, cursor = [], "0"
        while True:
            page = tester.get(f"/v1/events?limit=2&cursor={cursor}").json()
            seen += [event["id"] for event in page["events"]]
            cursor = page["nextCursor"]
            if not page["more"]:
                break
        assert seen == [event["id"] for event in read_events(tester)]
        assert tester.get(f"/v1/events?cursor={cursor}").json()["nextCursor"] == cursor
        look_again()
        assert {event["id"] for event in read_events(tester, f"?cursor={cursor}")}.isdisjoint(seen)

    def test_are_filtered(self, tester: Customer) -> None:
        made = watch(tester, state="DE", entity_name=CHANGING["changes"])
        watch(tester, state="NV", entity_name=CHANGING["changes_name"])
        look()
        look_again()
        assert {event["category"] for event in read_events(tester, "?category=agent")} == {"agent"}
        assert {event["watchId"] for event in read_events(tester, f"?watch={made['id']}")} == {made["id"]}
        assert [event["code"] for event in read_events(tester, "?state=nv")] == ["name.changed"]
        assert tester.get("/v1/events?category=moon").status_code == 400

    def test_have_a_table_that_anybody_may_read(self, db: None) -> None:
        reply = Client().get("/v1/events/taxonomy")
        assert reply.status_code == 200
        told = {one["code"]: one for one in reply.json()["codes"]}
        assert set(told) == set(taxonomy.CODES)
        assert {one["category"] for one in told.values()} == {*taxonomy.Category, *taxonomy.Notice}

    def test_show_nothing_that_somebody_asked_to_be_left_out(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name=CHANGING["changes_officer"])
        look()
        look_again()
        assert "IVY THISTLEWOOD" in str(read_events(tester))
        leave_out(kind="person", person="Ivy Thistlewood")
        told = read_events(tester)
        assert "IVY THISTLEWOOD" not in str(told)
        assert any(change["withheld"] for event in told for change in event["changes"])

    def test_are_sent_again_without_who_was_left_out_since(self, tester: Customer, settings: Any) -> None:
        settings.WEBHOOKS_TO_LOOPBACK = True
        with receiving(says(204)) as receiver:
            listen_at(tester, receiver)
            watch(tester, state="DE", entity_name=CHANGING["changes_officer"])
            look()
            look_again()
            deliver()
            assert "IVY THISTLEWOOD" in str(receiver.requests)
            before = len(receiver.requests)
            leave_out(kind="person", person="Ivy Thistlewood")
            for row in Delivery.objects.all():
                assert deliveries.send_again(row, now=timezone.now())
            deliver()
            again = receiver.requests[before:]
        assert len(again) == before
        assert "IVY THISTLEWOOD" not in str(again)
        assert any(change["withheld"] for one in again for change in body_of(one)["data"]["changes"])

    def test_show_no_address_of_an_agent_who_asked_to_be_left_out(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def move(outcome: str, turn: int) -> dict[str, Any]:
            agent = {"name": "NELL SANDERLING", "address": [f"{turn + 1} HARBOR LANE", "DOVER, DE 19901"]}
            return {"name": CHANGING[outcome].upper(), "agent": agent}

        monkeypatch.setattr(changing, "facts", move)
        watch(tester, state="DE", entity_name=CHANGING["changes_agent"])
        look()
        look_again()
        assert "1 HARBOR LANE" in str(read_events(tester))
        leave_out(kind="person", person="Nell Sanderling")
        [told] = read_events(tester)
        assert told["code"] == "agent.address"
        assert told["changes"] == [
            {"path": "data.registeredAgentAddress", "before": None, "after": None, "withheld": True}
        ]

    @pytest.mark.parametrize("side", ["debtors", "securedParties"])
    def test_of_liens_show_no_address_of_a_party_who_asked_to_be_left_out(self, tester: Customer, side: str) -> None:
        watch(tester, state="DE", entity_name=CHANGING["changes_lien"], on=["lien"])
        look()
        look_again()
        party = {"name": "DOE, JANE", "kind": "person", "address": "1 ELM ST", "city": "X", "state": "NY", "zip": "1"}
        path = f"data.filings[2026 1].{side}[DOE, JANE]"
        moved = {"path": f"{path}.address", "before": "1 ELM ST", "after": "2 ELM ST"}
        came = {"path": path, "before": None, "after": party}
        retyped = {"path": f"{path}.kind", "before": "person", "after": "unclear"}
        WatchEvent.objects.update(changes=[moved, came, retyped])
        assert str(read_events(tester)).count("ELM ST") == 3
        leave_out(kind="person", person="Jane Doe")
        [event] = read_events(tester)
        assert "ELM ST" not in str(event)
        assert [one["withheld"] for one in event["changes"]] == [True, True, False]
        assert event["changes"][1]["after"]["name"] == "DOE, JANE"
        assert event["changes"][2]["after"] == "unclear"

    def test_tell_of_no_change_where_the_address_of_a_party_was_left_out(self, tester: Customer) -> None:
        made = watch(tester, state="DE", entity_name="Magic Found LLC", on=["lien"])
        look()
        party = WatchBaseline.objects.get(kind="ucc").facts["data"]["filings"][0]["debtors"][0]
        assert party["address"]
        leave_out(kind="person", person=party["name"])
        look_again()
        [check] = read(tester, made["id"])["lastChecks"]
        assert (check["result"], read_events(tester)) == ("unchanged", [])

    def test_tell_of_no_change_where_the_address_of_a_party_is_left_out_no_more(self, tester: Customer) -> None:
        made = watch(tester, state="DE", entity_name="Magic Found LLC", on=["lien"])
        look()
        party = WatchBaseline.objects.get(kind="ucc").facts["data"]["filings"][0]["debtors"][0]
        for looks_between in (1, 0):
            left_out = leave_out(kind="person", person=party["name"])
            look_again(looks_between)
            assert suppression.lift(left_out, operator=None, now=timezone.now())
            for _ in range(2):
                look_again()
                [check] = read(tester, made["id"])["lastChecks"]
                assert (check["result"], read_events(tester)) == ("unchanged", [])
        kept = WatchBaseline.objects.get(kind="ucc").facts["data"]["filings"][0]["debtors"][0]
        assert kept == party, "a move of the party is a change from now on"

    def test_tell_of_no_change_where_a_city_without_a_street_was_left_out(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def only_city(outcome: str, turn: int) -> dict[str, Any]:
            return {"name": CHANGING[outcome].upper(), "principal": ["DOVER, DE 19901"]}

        monkeypatch.setattr(changing, "facts", only_city)
        made = watch(tester, state="DE", entity_name=CHANGING["changes_address"])
        look()
        facts = WatchBaseline.objects.get().facts["data"]
        assert (facts["principalAddress"], facts["principalCity"]) == (None, "DOVER")
        leave_out(kind="company", state="DE", entity_id=read(tester, made["id"])["entity_id"])
        look_again()
        [check] = read(tester, made["id"])["lastChecks"]
        assert (check["result"], read_events(tester)) == ("unchanged", [])

    def test_tell_of_new_filings_while_somebody_whom_an_older_one_names_is_left_out(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        filed = [["03/01/2024", "Agent Change: SAMPLE, JORDAN"], ["03/01/2024", "Annual Report"]]

        def file(outcome: str, turn: int) -> dict[str, Any]:
            return {"name": CHANGING[outcome].upper(), "filings": list(filed)}

        def look_and_read() -> tuple[str, list[str], list[Any]]:
            before = len(read_events(tester))
            look_again()
            [check] = read(tester, made["id"])["lastChecks"]
            events = read_events(tester)[before:]
            told = [change["after"] for event in events for change in event["changes"]]
            return check["result"], check["notChecked"], told

        monkeypatch.setattr(changing, "facts", file)
        made = watch(tester, state="DE", entity_name=CHANGING["changes_filing"], on=["filing"])
        look()
        left_out = leave_out(kind="person", person="Jordan Sample")
        nothing_told = ("unchanged", [], [])
        assert look_and_read() == nothing_told
        filed.append(["03/01/2025", "Articles of Dissolution"])
        dissolved = {"date": "2025-03-01", "title": "Articles of Dissolution"}
        assert look_and_read() == ("changed", [], [dissolved])
        filed.append(["04/01/2025", "Resignation of Jordan Sample"])
        assert look_and_read() == ("changed", [], [{"date": "2025-04-01", "title": "withheld"}])
        filed[0] = ["03/02/2024", "Agent Change: SAMPLE, JORDAN"]
        assert look_and_read() == ("changed", [], [None, {"date": "2024-03-02", "title": "withheld"}])
        assert suppression.lift(left_out, operator=None, now=timezone.now())
        assert look_and_read() == nothing_told, "what is shown again is nothing new"
        filed[1] = ["03/01/2024", "Statement of Change"]
        assert look_and_read() == ("changed", [], [None, {"date": "2024-03-01", "title": "Statement of Change"}])

    @pytest.mark.parametrize("left_out", [{"kind": "person", "person": "Jordan Sample"}, {"kind": "company"}])
    @pytest.mark.parametrize(
        "change",
        [
            {"path": "normalized.serviceOfProcess.name", "before": "JORDAN SAMPLE", "after": "QUAY LLC"},
            {
                "path": "normalized.serviceOfProcess",
                "before": {"name": "JORDAN SAMPLE", "kind": "person"},
                "after": None,
            },
        ],
    )
    def test_name_nobody_who_got_legal_papers_and_asked_to_be_left_out(
        self, tester: Customer, change: dict[str, Any], left_out: dict[str, str]
    ) -> None:
        made = watch(tester, state="DE", entity_name=CHANGING["changes_agent"])
        look()
        look_again()
        WatchEvent.objects.update(changes=[change])
        assert "JORDAN SAMPLE" in str(read_events(tester))
        number = read(tester, made["id"])["entity_id"]
        leave_out(**left_out, **({"state": "DE", "entity_id": number} if left_out["kind"] == "company" else {}))
        [told] = read_events(tester)
        assert "JORDAN SAMPLE" not in str(told)
        assert [one["withheld"] for one in told["changes"]] == [True]

    def test_name_nobody_whom_a_filing_names_and_who_asked_to_be_left_out(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name=CHANGING["changes_agent"])
        look()
        look_again()
        named, other = (
            {
                "path": f"normalized.filings[2024-03-14 {title}]",
                "before": None,
                "after": {"date": "2024-03-14", "title": title},
            }
            for title in ("Agent Change: SAMPLE, JORDAN", "Annual Report")
        )
        WatchEvent.objects.update(changes=[named])
        leave_out(kind="person", person="Jordan Sample")
        [told] = read_events(tester)
        assert told["changes"] == [{"path": "normalized.filings", "before": None, "after": None, "withheld": True}]
        WatchEvent.objects.update(changes=[other])
        assert read_events(tester)[0]["changes"] == [other | {"withheld": False}]


class TestAKey:
    """What it may do."""

    @pytest.mark.parametrize(("scopes", "allowed"), [(["watches"], True), (["lookup", "bulk", "account"], False)])
    def test_needs_the_scope(self, tester: Customer, scopes: list[str], allowed: bool) -> None:
        made = watch(tester, **FOUND)
        key, secret = keys.issue(account=tester.account, name="x", mode="test", now=timezone.now(), scopes=scopes)
        other = Customer(tester.account, key, secret)
        replies = [
            other.get("/v1/watches"),
            other.get(f"/v1/watches/{made['id']}"),
            other.get("/v1/events"),
            other.post("/v1/watches", FOUND),
            other.post("/v1/watches/batch", {"watches": [FOUND]}),
            other.patch(f"/v1/watches/{made['id']}", {"every": "day"}),
            remove(other, made["id"]),
        ]
        assert {reply.status_code == 403 for reply in replies} == {not allowed}

    def test_for_watches_alone_reads_the_lookups_that_its_watches_tell_of_and_no_others(self, tester: Customer) -> None:
        """The address stands in the event and in the check: whoever followed it was refused."""
        row = {"entity_name": CHANGING["changes_agent"], "state": "DE"}
        job = tester.post("/v1/bulk-lookup", {"entities": [row]}).json()
        queue.work(now=timezone.now())
        tester.post("/v1/watches/batch", {"bulk_job": job["job_id"]})
        look_again()
        unwatched = tester.lookup("Magic Found LLC", "DE").json()["lookupId"]
        key, secret = keys.issue(account=tester.account, name="x", mode="test", now=timezone.now(), scopes=["watches"])
        other = Customer(tester.account, key, secret)
        [event] = read_events(other)
        before, after = event["evidence"]["before"]["url"], event["evidence"]["after"]["url"]
        assert before != after, "the first one is a row of the bulk job"
        for address in (before, after):
            for what in ("", "/evidence", "/evidence.wacz"):
                assert other.get(f"{address}{what}").status_code == 200
        assert other.get(f"/v1/lookups/{unwatched}").status_code == 403
        assert other.get(f"/v1/lookups/lk_{uuid.uuid4().hex}").status_code == 403
        narrow, secret = keys.issue(account=tester.account, name="y", mode="test", now=timezone.now(), scopes=["bulk"])
        assert Customer(tester.account, narrow, secret).get(after).status_code == 403
        stranger = open_customer(mode="test")
        assert stranger.get(after).status_code == 404

    def test_without_one_is_refused(self, switches: None) -> None:
        assert Client().get("/v1/watches").status_code == 401
        assert Client().get("/v1/events").status_code == 401


class TestEraseAndExport:
    """What is kept of a customer's watches."""

    def test_leaves_out_what_somebody_asked_for(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name=CHANGING["changes_officer"])
        look()
        look_again()
        assert "IVY THISTLEWOOD" in "".join(account_data.write_json(tester.account))
        leave_out(kind="person", person="Ivy Thistlewood")
        exported = json.loads("".join(account_data.write_json(tester.account)))
        assert "IVY THISTLEWOOD" not in str(exported)
        [baseline] = exported["lookups.watchbaseline"]
        assert baseline["facts"]["data"]["entityName"] == CHANGING["changes_officer"].upper()
        assert baseline["facts"]["normalized"]["fieldAvailability"]["officers"] == "withheld"
        assert any(change["withheld"] for event in exported["lookups.watchevent"] for change in event["changes"])

    def test_leaves_out_the_addresses_of_parties_of_liens(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name="Magic Found LLC", on=["lien"])
        look()
        kept = WatchBaseline.objects.get(kind="ucc").facts["data"]["filings"][0]["debtors"][0]
        assert kept["address"] in "".join(account_data.write_json(tester.account))
        leave_out(kind="person", person=kept["name"])
        [baseline] = json.loads("".join(account_data.write_json(tester.account)))["lookups.watchbaseline"]
        told = baseline["facts"]["data"]["filings"][0]["debtors"][0]
        assert (told["name"], told["address"], told["city"]) == (kept["name"], None, None)

    def test_goes_with_the_account(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name=CHANGING["changes_name"])
        look()
        look_again()
        exported = json.loads("".join(account_data.write_json(tester.account)))
        for table in ("watch", "watchbaseline", "watchcheck", "watchevent"):
            assert exported[f"lookups.{table}"], table
        changed = erasure.erase(account=tester.account, give_up_credit=True, now=timezone.now())
        assert changed["watches"] > 0
        assert not any(model.objects.exists() for model in (Watch, WatchBaseline, WatchCheck, WatchEvent))


class TestAWatchInTheList:
    """What it shows of itself."""

    def test_has_its_last_checks(self, tester: Customer) -> None:
        made = watch(tester, state="DE", entity_name="Magic Found LLC", on=["status", "lien"])
        look()
        look_again()
        told = read(tester, made["id"])["lastChecks"]
        assert [(check["searchType"], check["result"]) for check in told] == [
            ("business_entity", "unchanged"),
            ("ucc", "unchanged"),
        ]
