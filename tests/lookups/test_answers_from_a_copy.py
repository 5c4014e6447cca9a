"""A state that answers from a copy of its bulk data says so: the customer sees a copy and its day."""

from __future__ import annotations

import csv
import time
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from jurisdictions import services
from lookups import bodies
from lookups.api.wire.shape import to_plain
from lookups.evidence import manifests
from lookups.models import Lookup
from scrapers import discovery, gateway
from scrapers.bulk_data import refresh
from scrapers.failures import PortalUnavailable
from scrapers.models import ScrapeAttempt
from scrapers.operations import breaker
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register, company
from tests.scrapers import virginia_register

pytestmark = pytest.mark.django_db
DAY = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def virginia(customer: Customer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Customer:
    """A customer, Virginia switched on, and a small copy of its bulk data loaded."""
    portal = discovery.find_portal("VA")
    assert portal is not None
    published = refresh.get_bulk_data(portal)
    file = virginia_register.archive(tmp_path / "be.zip")
    monkeypatch.setattr(type(portal), "bulk_data", replace(published, least_rows=1))
    refresh.load(portal=portal, file=file, as_of=DAY, now=DAY)
    services.enable(code="VA")
    return customer


class TestALookup:
    """In a state whose bulk data is loaded."""

    def test_is_answered_as_a_copy_with_its_day(self, virginia: Customer) -> None:
        body = virginia.lookup("Blue Heron Logistics", "VA").json()
        assert body["data"]["entityId"] == "11004293"
        assert (body["source"], body["cached"], body["data"]["cached"]) == ("cache", True, True)
        assert body["dataAsOf"] == "2026-11-01T00:00:00.000Z"
        assert body["data"]["evidence"]["fromRegister"] is True
        assert virginia.balance.spent == PRICE

    def test_by_a_number_that_two_companies_have_names_neither(self, virginia: Customer, tmp_path: Path) -> None:
        """Whoever was found by name before: the number may mean the other one."""
        other = {**virginia_register.CORPORATION, "EntityID": "11004293", "Name": "Quiet Peak Corp", "Status": "ACTIVE"}
        file = virginia_register.archive(
            tmp_path / "two.zip", {"Corp.csv": [other], "LLC.csv": [virginia_register.LLC]}
        )
        portal = discovery.find_portal("VA")
        assert portal is not None
        refresh.load(portal=portal, file=file, as_of=DAY, now=DAY + timedelta(days=1))
        by_number = {"entity_id": "11004293", "state": "VA", "source": "cache"}
        for name in ("Blue Heron Logistics LLC", "Quiet Peak Corp"):
            assert virginia.lookup(name, "VA").status_code == 200
            reply = virginia.post("/v1/lookup", by_number)
            assert (reply.status_code, reply.json().get("code"), reply.json()["cost"]) == (404, "ambiguous_name", 0)

    def test_of_two_companies_of_one_number_sells_and_shows_neither_ones_history(
        self, virginia: Customer, tmp_path: Path
    ) -> None:
        """Whoever had bought one's record was shown the other's for nothing, each as the other's change."""
        other = {**virginia_register.CORPORATION, "EntityID": "11004293", "Name": "Quiet Peak Corp", "Status": "ACTIVE"}
        two = {"Corp.csv": [other], "LLC.csv": [virginia_register.LLC]}
        portal = discovery.find_portal("VA")
        assert portal is not None
        assert virginia.lookup("Blue Heron Logistics LLC", "VA").status_code == 200
        assert virginia.get("/v1/entities/VA/11004293").status_code == 200
        file = virginia_register.archive(tmp_path / "two.zip", two)
        refresh.load(portal=portal, file=file, as_of=DAY, now=DAY + timedelta(days=1))
        page = Client().get(virginia.lookup("Quiet Peak Corp", "VA").json()["data"]["entityPageUrl"])
        assert "Quiet Peak Corp" in page.content.decode()
        assert "BLUE HERON" not in page.content.decode().upper()
        reply = virginia.get("/v1/entities/VA/11004293")
        assert (reply.status_code, reply.json()["code"], reply.json()["cost"]) == (404, "ambiguous_name", 0)

    def test_by_a_name_that_two_of_one_number_have_names_neither(self, virginia: Customer, tmp_path: Path) -> None:
        """As where a company and what it became have one federal number."""
        other = {**virginia_register.CORPORATION, "EntityID": "11004293", "Status": "ACTIVE"}
        two = {"Corp.csv": [{**other, "Name": "Blue Heron Logistics Inc"}], "LLC.csv": [virginia_register.LLC]}
        portal = discovery.find_portal("VA")
        assert portal is not None
        file = virginia_register.archive(tmp_path / "two.zip", two)
        refresh.load(portal=portal, file=file, as_of=DAY, now=DAY + timedelta(days=1))
        reply = virginia.lookup("Blue Heron Logistics", "VA")
        assert (reply.status_code, reply.json().get("code"), reply.json()["cost"]) == (404, "ambiguous_name", 0)
        assert virginia.lookup("Blue Heron Logistics LLC", "VA").json()["data"]["entityName"] == (
            "Blue Heron Logistics, LLC"
        )

    def test_that_finds_nothing_costs_nothing(self, virginia: Customer) -> None:
        assert virginia.lookup("Quasar Umbrella Repair", "VA").status_code == 404
        assert virginia.balance.available == 10 * PRICE

    def test_that_finds_nothing_says_in_what_and_of_which_day(self, virginia: Customer) -> None:
        evidence = virginia.lookup("Quasar Umbrella Repair", "VA").json()["evidence"]
        assert evidence["fromRegister"] is True
        assert evidence["dataAsOf"] == "2026-11-01T00:00:00.000Z"
        lookup = Lookup.objects.get()
        assert (lookup.source, lookup.data_as_of) == ("copy", DAY)
        assert manifests.content_of(lookup, reading=lookup.reading)["source"] == "copy"

    def test_in_a_bulk_row_has_its_day_too(self, virginia: Customer) -> None:
        virginia.lookup("Blue Heron Logistics", "VA")
        row = bodies.of_row(Lookup.objects.get(), now=timezone.now())
        assert to_plain(row)["evidence"]["dataAsOf"] == "2026-11-01T00:00:00.000Z"


def fail(state: str, *, times: int) -> None:
    """The state's portal is down, as who asked it live has found out."""
    now = timezone.now()
    for number in range(times):
        permit = breaker.enter(state=state, budget_seconds=20, now=now)
        breaker.note_failure(permit, PortalUnavailable("down"), question=f"Company {number}", patience=20, now=now)


class TestAPortalThatFails:
    """Beside a copy that answers in its place."""

    def test_keeps_no_lookup_from_its_answer_while_it_is_left_alone(self, virginia: Customer) -> None:
        fail("VA", times=breaker.FAILURES)
        assert breaker.find_rest(state="VA", now=timezone.now()) is not None
        for asked in ({"entity_name": "Blue Heron Logistics"}, {"entity_id": "11004293"}):
            reply = virginia.post("/v1/lookup", {"state": "VA", **asked})
            assert (reply.status_code, reply.json()["source"]) == (200, "cache")

    def test_is_not_well_because_the_copy_has_answered(self, virginia: Customer) -> None:
        fail("VA", times=breaker.FAILURES - 1)
        virginia.lookup("Blue Heron Logistics", "VA")
        fail("VA", times=1)
        assert breaker.find_rest(state="VA", now=timezone.now()) is not None

    def test_keeps_liens_and_live_name_checks_from_being_asked(
        self, virginia: Customer, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of which the copy tells nothing: as in Florida, whose search is not walled."""
        settings.PORTALS_URL = "http://127.0.0.1:9"
        portal = discovery.find_portal("VA")
        assert portal is not None
        monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), walled=False))
        monkeypatch.setattr(type(portal), "capabilities", replace(portal.capabilities, ucc=True))
        assert check(virginia, "Quasar Umbrella").json()["reason"] == "down"
        fail("VA", times=breaker.FAILURES - 1)  # and that was one
        lien = virginia.lookup("Blue Heron Logistics", "VA", searchType="ucc")
        for reply in (lien, check(virginia, "Blue Heron Logistics")):
            assert (reply.status_code, reply.json()["reason"]) == (503, "down")
        assert ScrapeAttempt.objects.count() == 1


class TestAPortalThatIsBusy:
    """With as many live questions as it may be asked at once, each of which takes its time."""

    def test_keeps_no_lookup_from_the_copys_answer(self, virginia: Customer, settings: Any) -> None:
        settings.SYNC_BUDGET_SECONDS = 2.0
        portal = discovery.find_portal("VA")
        assert portal is not None
        with ExitStack() as live:
            for _ in range(portal.pace.concurrency):
                place = gateway.get_pacer(portal).slot("VA", portal.pace, deadline=time.monotonic() + 30)
                live.enter_context(place)
            assert virginia.lookup("Blue Heron Logistics", "VA").status_code == 200
            assert check(virginia, "Blue Heron Logistics", source="cache").status_code == 200


def check(who: Customer, name: str, state: str = "VA", **more: str) -> Any:
    return who.post("/v1/name-availability", {"entity_name": name, "state": state, **more})


class TestANameCheck:
    """In a state whose own search turns programs away, and whose bulk data is loaded."""

    def test_is_not_made_from_the_copy_unasked(self, virginia: Customer) -> None:
        reply = check(virginia, "Blue Heron Logistics")
        assert (reply.status_code, reply.json()["code"], reply.json()["cost"]) == (400, "unsupported_state", 0)
        (told,) = reply.json()["details"]["source"]
        portal = discovery.find_portal("VA")
        assert portal is not None
        assert f" and name checks are live. {portal.off_reason} " in told
        assert '"source": "cache"' in told
        assert Lookup.objects.get().refusal == {}, "what the state's file says is not kept"
        assert virginia.balance.available == 10 * PRICE
        assert not ScrapeAttempt.objects.exists(), "a known wall is not asked"

    def test_is_made_from_the_copy_when_asked_for(self, virginia: Customer) -> None:
        body = check(virginia, "Blue Heron Logistics", source="cache").json()
        assert (body["available"], body["data_source"], body["cost"]) == (False, "cache", 0.0314)
        assert body["evidence"]["fromRegister"] is True
        assert body["dataAsOf"] == "2026-11-01T00:00:00.000Z"
        assert virginia.balance.spent == PRICE
        assert Lookup.objects.get().source == "copy"

    def test_finds_a_name_free_in_the_copy(self, virginia: Customer) -> None:
        assert check(virginia, "Quasar Umbrella Repair", source="cache").json()["available"] is True

    def test_from_the_copy_works_while_the_portal_is_left_alone(self, virginia: Customer) -> None:
        now = timezone.now()
        for _ in range(20):
            permit = breaker.enter(state="VA", budget_seconds=20, now=now)
            breaker.note_failure(permit, PortalUnavailable("down"), question="x", patience=20, now=now)
            if breaker.find_rest(state="VA", now=now):
                break
        assert breaker.find_rest(state="VA", now=now) is not None
        assert check(virginia, "Blue Heron Logistics", source="cache").status_code == 200

    def test_is_listed_among_the_states(self, virginia: Customer, client: Any) -> None:
        told = {row["state"]: row for row in client.get("/v1/states").json()}
        assert (told["VA"]["nameAvailabilityAvailable"], told["VA"]["nameAvailabilityFromCache"]) == (False, True)
        assert (told["NY"]["nameAvailabilityAvailable"], told["NY"]["nameAvailabilityFromCache"]) == (True, False)

    def test_from_a_copy_that_nobody_loaded_is_refused(self, customer: Customer) -> None:
        for state in ("NY", "DC"):
            reply = check(customer, "Blue Heron Logistics", state, source="cache")
            assert (reply.status_code, reply.json()["code"]) == (400, "unsupported_state")
            assert "source" in reply.json()["details"]
        assert customer.balance.available == 10 * PRICE


class TestANameTooCommon:
    """For a live list, in a state whose open data is also held whole."""

    @pytest.fixture
    def new_york(
        self, customer: Customer, register: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Customer:
        portal = discovery.find_portal("NY")
        assert portal is not None
        monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
        rows = [company(f"COMMON WORD {number:03} INC.", str(200000 + number)) for number in range(600)]
        file = tmp_path / "ny.csv"
        with file.open("w", newline="") as out:
            writer = csv.DictWriter(out, fieldnames=sorted({name for row in rows for name in row}))
            writer.writeheader()
            writer.writerows(rows)
        refresh.load(portal=portal, file=file, as_of=DAY, now=DAY)
        register.rows = rows
        return customer

    def test_is_asked_live_and_refused_with_the_way_out(self, new_york: Customer, register: Register) -> None:
        reply = check(new_york, "Common Word Inc", "NY")
        assert (reply.status_code, reply.json()["code"]) == (400, "invalid_request")
        assert '"source": "cache"' in reply.json()["details"]["entity_name"][0]
        assert register.asked >= 1
        assert new_york.balance.available == 10 * PRICE

    def test_is_referred_to_the_copy_when_the_registry_is_down(self, new_york: Customer, register: Register) -> None:
        register.status = 500
        reply = check(new_york, "Common Word Inc", "NY")
        assert (reply.status_code, reply.json()["reason"]) == (503, "down")
        assert '"source": "cache"' in reply.json()["note"]

    def test_is_judged_from_the_copy_when_asked_for(self, new_york: Customer, register: Register) -> None:
        body = check(new_york, "Common Word Inc", "NY", source="cache").json()
        assert (body["available"], body["data_source"]) == (True, "cache")
        assert "active entities only" in body["statusNote"]  # which is not so where the portal is asked
        assert "may stand in the way" in body["statusNote"]  # "COMMONWORD INC" is not looked for
        assert register.asked == 0

    def test_that_is_not_too_common_is_live(self, new_york: Customer, register: Register) -> None:
        body = check(new_york, "Common Word 007", "NY").json()
        assert (body["available"], body["data_source"], body["dataAsOf"]) == (False, "live", None)
        assert body["evidence"]["fromRegister"] is False
        assert register.asked >= 1
