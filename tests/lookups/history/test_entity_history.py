"""GET /v1/entities/{state}/{entityId}: a company as it was read, time after time, and who may see that for what."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import connection
from django.test import Client
from django.utils import timezone

from billing import ledger, prices, reconciliation, selectors
from billing.models import LedgerEntry
from lookups.lookup import storage
from lookups.lookup.questions import Question
from lookups.models import Entity, Lookup, RecordVersion, Suppression
from lookups.privacy import suppression
from scrapers import discovery
from scrapers.gateway import Reply
from scrapers.models import Reading
from scrapers.normalize.record import normalized
from scrapers.records import EntityRecord, Evidence, Filing, Found, Match, Officer
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db
HERON = "/v1/entities/DE/77001"
JANUARY, MARCH, JUNE = (datetime(2026, month, 10, 9, 30, tzinfo=UTC) for month in (1, 3, 6))
STORED = 100


@pytest.fixture(autouse=True)
def price(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stored record is not free here."""
    monkeypatch.setattr(prices, "STORED", STORED)


@pytest.fixture(autouse=True)
def nobody_is_asked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history asks no registry, whatever happens; the tests that buy a lookup first have one that answers."""
    if "register" in request.fixturenames or "tester" in request.fixturenames:
        return

    def asked(*_: Any, **__: Any) -> None:
        raise AssertionError("a registry was asked for a history")

    monkeypatch.setattr("scrapers.gateway.fetch", asked)


def read(
    at: datetime, *, state: str = "DE", from_copy: bool = False, as_of: datetime | None = None, **changed: Any
) -> RecordVersion:
    """A reading of Heron at that moment, in which these fields were otherwise than at first."""
    known: dict[str, Any] = {
        "entity_name": "HERON SALT CO",
        "entity_id": "77001",
        "status": "Good Standing",
        "officers": (Officer("ADA MERRILL", "President"),),
        "former_names": ("HERON BRINE CO",),
        "filings": (Filing("03/14/2011", "Certificate of Incorporation"),),
    }
    record = EntityRecord(**{**known, **changed})
    match = Match(1.0, "exact")
    reading = normalized(record, portal=discovery.get_sandbox(state), state=state, match=match)
    evidence = Evidence(f"https://registry.example/{at:%m}", at, from_copy)
    asked = {"state": state, "kind": "business_entity", "outcome": "found", "question": {}, "attempt_id": 1}
    by = {
        "reader_version": "1.0",
        "reader_built_at": "2026-01-01",
        "reader_revision": "5f0c1e7a92d4b386",
        "exchanges": [],
    }
    kept = Reading.objects.create(**asked, **by, read_at=at, keep_until=at, sha256=f"{at.month:064x}")
    reply = Reply(Found(record, match, (), evidence, as_of), reading, "1.0", "2026-01-01", None, kept)
    version = storage.store(question=Question(state, "Heron Salt"), reply=reply, sandbox=False).version
    assert version is not None
    return version


@pytest.fixture
def heron() -> Entity:
    """A company that was read three times, and had another president the last time."""
    read(JANUARY)
    read(MARCH)
    return read(
        JUNE,
        status="Dissolved",
        officers=(Officer("Cleo Poe", "President"),),
        filings=(Filing("03/14/2011", "Certificate of Incorporation"), Filing("05/30/2026", "Dissolution")),
    ).entity


class TestAHistory:
    """Of a company that has changed."""

    def test_has_the_latest_record_and_both_versions_with_their_proof(self, customer: Customer, heron: Entity) -> None:
        told = customer.get(HERON).json()
        assert (told["data"]["entityName"], told["data"]["status"]) == ("HERON SALT CO", "Dissolved")
        assert told["data"]["evidence"] == told["versions"][0]["evidence"]
        assert [(one["number"], one["reason"], one["firstReadAt"], one["lastReadAt"]) for one in told["versions"]] == [
            (2, "read", "2026-06-10T09:30:00.000Z", "2026-06-10T09:30:00.000Z"),
            (1, "read", "2026-01-10T09:30:00.000Z", "2026-03-10T09:30:00.000Z"),
        ]
        proof = {"sourceUrl": "https://registry.example/03", "retrievedAt": "2026-03-10T09:30:00.000Z"}
        assert told["versions"][1]["evidence"].items() >= {**proof, "sha256": f"{3:064x}"}.items()
        readers = {(one["readerVersion"], one["readerBuiltAt"], one["readerRevision"]) for one in told["versions"]}
        assert readers == {("1.0", "2026-01-01", "5f0c1e7a92d4b386")}
        assert (told["asOf"], told["note"], told["nextCursor"]) == (None, None, None)

    def test_tells_what_was_seen_to_change_in_the_states_words_and_in_ours(
        self, customer: Customer, heron: Entity
    ) -> None:
        told = customer.get(HERON).json()["changes"]
        assert {one["path"]: (one["before"], one["after"]) for one in told} == {
            "data.status": ("Good Standing", "Dissolved"),
            "data.officers[ADA MERRILL]": ({"name": "ADA MERRILL", "title": "President", "address": None}, None),
            "data.officers[Cleo Poe]": (None, {"name": "Cleo Poe", "title": "President", "address": None}),
            "normalized.statusClass": ("active", "inactive"),
            "normalized.statusReason": (None, "dissolved"),
            "normalized.officers[Ada Merrill]": (
                {"givenName": "Ada", "familyName": "Merrill", "kind": "person"},
                None,
            ),
            "normalized.officers[Cleo Poe]": (None, {"givenName": "Cleo", "familyName": "Poe", "kind": "person"}),
            "normalized.filings[2026-05-30 Dissolution]": (None, {"date": "2026-05-30", "title": "Dissolution"}),
        }
        assert {(one["version"], one["lastSeenBefore"], one["firstSeenAfter"], one["reason"]) for one in told} == {
            (2, "2026-03-10T09:30:00.000Z", "2026-06-10T09:30:00.000Z", "read")
        }

    def test_keeps_the_registrys_own_apart(self, customer: Customer, heron: Entity) -> None:
        """A former name that the registry has always shown is its history, and nothing that we saw change."""
        told = customer.get(HERON).json()
        assert told["registryHistory"] == {
            "formerNames": ["HERON BRINE CO"],
            "filings": [
                {"date": "2011-03-14", "title": "Certificate of Incorporation"},
                {"date": "2026-05-30", "title": "Dissolution"},
            ],
        }
        assert not any("formerNames" in one["path"] for one in told["changes"])

    def test_says_where_our_reading_has_changed_and_not_the_registry(self, customer: Customer, heron: Entity) -> None:
        """A correction by a better reader is a version of its own, with its reason."""
        last = heron.versions.order_by("-number")[0]
        RecordVersion.objects.create(
            entity=heron,
            number=3,
            reason=RecordVersion.Reason.READ_ANEW,
            data=last.data | {"status": "Dissolved (voluntary)"},
            normalized=last.normalized,
            facts="3",
            evidence=last.evidence,
            first_read_at=last.first_read_at,
            last_read_at=last.last_read_at,
            reader_version="1.1",
            reader_built_at="2026-11-01",
            reading=last.reading,
        )
        told = customer.get(HERON).json()
        assert [one["reason"] for one in told["versions"]] == ["read_anew", "read", "read"]
        assert [bool(one["readerRevision"]) for one in told["versions"]] == [False, True, True]
        [ours] = [one for one in told["changes"] if one["version"] == 3]
        assert (ours["reason"], ours["before"], ours["after"]) == ("read_anew", "Dissolved", "Dissolved (voluntary)")

    def test_shows_another_spelling_to_who_asks_for_it_alone(self, customer: Customer) -> None:
        read(JANUARY)
        read(MARCH, entity_name="Heron Salt Co.", officers=(Officer("Merrill, Ada", "PRESIDENT"),))
        told = customer.get(HERON).json()
        assert ([one["number"] for one in told["versions"]], told["changes"]) == ([2, 1], [])
        spelled = customer.get(f"{HERON}?noise=true").json()["changes"]
        assert ("data.entityName", "HERON SALT CO", "Heron Salt Co.") in [
            (one["path"], one["before"], one["after"]) for one in spelled
        ]

    def test_takes_no_lack_of_a_copy_for_a_change(self, customer: Customer) -> None:
        """A published file without officers and filings is read once, between two readings of the portal."""
        read(JANUARY)
        read(MARCH, from_copy=True, officers=(), filings=(), former_names=(), status="Dissolved")
        read(JUNE, status="Dissolved")
        told = customer.get(HERON).json()
        assert [one["evidence"]["fromRegister"] for one in told["versions"]] == [False, True, False]
        assert [one["path"] for one in told["changes"]] == [
            "data.status",
            "normalized.statusClass",
            "normalized.statusReason",
        ]

    def test_of_many_versions_is_read_page_by_page(self, customer: Customer) -> None:
        for place in range(5):
            read(JANUARY + timedelta(days=place), status=f"Status {place}")
        pages = [customer.get(f"{HERON}?limit=2").json()]
        while cursor := pages[-1]["nextCursor"]:
            pages.append(customer.get(f"{HERON}?limit=2&cursor={cursor}").json())
        assert [[one["number"] for one in page["versions"]] for page in pages] == [[5, 4], [3, 2], [1]]
        seen = [
            (one["version"], one["before"], one["lastSeenBefore"][:10], one["firstSeenAfter"][:10])
            for page in pages
            for one in page["changes"]
            if one["path"] == "data.status"
        ]
        days = [f"{JANUARY + timedelta(days=place):%Y-%m-%d}" for place in range(5)]
        assert seen == [(place + 1, f"Status {place - 1}", days[place - 1], days[place]) for place in (4, 3, 2, 1)]
        assert customer.balance.spent == STORED

    def test_is_found_under_letters_as_people_type_them(self, customer: Customer) -> None:
        read(JANUARY, entity_id="C0900100")
        assert customer.get("/v1/entities/de/c0900100").json()["entityId"] == "C0900100"
        assert LedgerEntry.objects.get(kind="charge").reference == "DE C0900100", (
            "in the books as its registry writes it"
        )

    def test_tells_as_much_as_an_older_reader_knew(self, customer: Customer, heron: Entity) -> None:
        """Versions of before have no field that a later release brought."""
        last = heron.versions.order_by("-number")[0]
        normalized = {"statusClass": "active", "fieldAvailability": {}}
        known = {"facts": "0", "evidence": last.evidence, "reader_version": "0.9", "reader_built_at": "2025"}
        when = {"first_read_at": JUNE, "last_read_at": JUNE}
        RecordVersion.objects.create(entity=heron, number=3, data=last.data, normalized=normalized, **known, **when)
        told = customer.get(HERON).json()
        assert told["registryHistory"] == {"formerNames": [], "filings": []}
        assert (told["versions"][0]["number"], told["versions"][0]["readerRevision"]) == (3, None)
        assert [one["path"] for one in told["changes"] if one["version"] == 3] == ["normalized.statusClass"]


class TestADay:
    """`as_of`: what had been read by its end."""

    @pytest.mark.parametrize(
        ("day", "status", "numbers"),
        [
            ("2026-01-10", "Good Standing", [1]),
            ("2026-02-20", "Good Standing", [1]),
            ("2026-06-09", "Good Standing", [1]),
            ("2026-06-10", "Dissolved", [2, 1]),
            ("2026-11-22", "Dissolved", [2, 1]),
        ],
    )
    def test_has_the_version_that_was_read_last(
        self, customer: Customer, heron: Entity, day: str, status: str, numbers: list[int]
    ) -> None:
        told = customer.get(f"{HERON}?as_of={day}").json()
        assert (told["asOf"], told["data"]["status"]) == (day, status)
        assert [one["number"] for one in told["versions"]] == numbers
        assert bool(told["changes"]) == (len(numbers) > 1)

    def test_before_the_first_reading_has_nothing_and_costs_nothing(self, customer: Customer, heron: Entity) -> None:
        reply = customer.get(f"{HERON}?as_of=2026-01-09")
        assert (reply.status_code, reply.json()["code"], reply.json()["cost"]) == (404, "not_read_by_then", 0)
        assert (customer.balance.spent, Lookup.objects.count()) == (0, 0)

    def test_to_come_is_refused_for_nobody_knows_what_will_be_read_by_then(
        self, customer: Customer, heron: Entity
    ) -> None:
        today = timezone.now().date()
        assert customer.get(f"{HERON}?as_of={today}").status_code == 200
        spent = customer.balance.spent
        reply = customer.get(f"{HERON}?as_of={today + timedelta(days=1)}")
        assert (reply.status_code, reply.json()["details"]) == (400, {"as_of": ["Lies in the future."]})
        assert customer.balance.spent == spent

    @pytest.mark.parametrize("query", ["as_of=yesterday", "as_of=2026-13-01", "noise=perhaps", "limit=0", "cursor=x"])
    def test_or_another_word_that_is_none_is_refused(self, customer: Customer, heron: Entity, query: str) -> None:
        reply = customer.get(f"{HERON}?{query}")
        assert (reply.status_code, list(reply.json()["details"])) == (400, [query.split("=")[0]])
        assert customer.balance.spent == 0


class TestThePrice:
    """Nothing for who has bought a reading, that of a stored lookup for others, once."""

    def test_is_nothing_for_who_has_looked_the_company_up(self, customer: Customer, register: Register) -> None:
        found = customer.lookup().json()
        told = customer.get("/v1/entities/NY/100001").json()
        assert (told["cost"], told["lookupId"], customer.balance.spent) == (0, found["lookupId"], PRICE)
        assert told["data"]["entityName"] == "ACME CORP."

    def test_is_nothing_by_the_number_as_it_was_looked_up_with(self, customer: Customer, register: Register) -> None:
        found = customer.post("/v1/lookup", {"state": "NY", "entity_id": "0100001"}).json()
        assert found["data"]["entityId"] == "100001"
        told = customer.get("/v1/entities/NY/0100001")
        assert (told.status_code, told.json()["cost"]) == (200, 0)
        assert told.json()["data"]["entityId"] == "100001"

    def test_stays_nothing_when_others_have_read_it_since(self, customer: Customer, register: Register) -> None:
        """Who has paid for one reading sees what became of the company."""
        customer.lookup()
        register.rows[0]["jurisdiction"] = "DELAWARE"
        open_customer(name="Other").lookup()
        told = customer.get("/v1/entities/NY/100001").json()
        assert ("data.jurisdiction", "DELAWARE") in [(one["path"], one["after"]) for one in told["changes"]]
        assert customer.balance.spent == PRICE

    def test_of_the_first_look_is_that_of_a_stored_lookup_and_of_the_next_nothing(
        self, customer: Customer, heron: Entity
    ) -> None:
        first, second = customer.get(HERON).json(), customer.get(f"{HERON}?as_of=2026-02-01").json()
        assert (first["cost"], second["cost"], customer.balance.spent) == (0.01, 0, STORED)
        assert first["lookupId"] == second["lookupId"]
        told = customer.get(f"/v1/lookups/{first['lookupId']}").json()
        assert (told["verdict"], told["cost"], told["data"]["status"]) == ("found", 0.01, "Dissolved")
        assert told["data"]["normalized"]["match"]["kind"] == "entity_id"
        assert Lookup.objects.get().reading == heron.versions.get(number=2).reading

    def test_of_another_accounts_look_helps_nobody_else(self, customer: Customer, heron: Entity) -> None:
        customer.get(HERON)
        other = open_customer(name="Other")
        assert (other.get(HERON).json()["cost"], other.balance.spent) == (0.01, STORED)

    def test_of_another_company_is_paid_for_by_itself(self, customer: Customer, register: Register) -> None:
        read(JANUARY)
        found = customer.lookup().json()
        told = customer.get(HERON).json()
        assert (told["cost"], customer.balance.spent) == (0.01, PRICE + STORED)
        assert told["lookupId"] != found["lookupId"]

    def test_is_in_the_books_as_a_lookups(self, customer: Customer, heron: Entity) -> None:
        customer.get(HERON)
        [entry] = LedgerEntry.objects.filter(account=customer.account, kind="charge")
        lookup = Lookup.objects.get()
        assert (entry.amount, entry.idempotency_key) == (STORED, f"lookup:{lookup.ask_id}:charge")
        assert (entry.reference, lookup.source, lookup.cost) == ("DE 77001", "stored", STORED)
        reconciliation.run(now=timezone.now(), whole=True)
        assert not selectors.list_differences().exists()

    def test_buys_a_lookup_that_says_from_when_and_by_whom_its_record_is(self, customer: Customer) -> None:
        """Of a file it is the file's day, which may be long before it was read."""
        read(JANUARY)
        read(MARCH)
        number = customer.get(f"{HERON}?as_of=2026-04-01").json()["lookupId"]
        bought = customer.get(f"/v1/lookups/{number}").json()
        assert (bought["dataAsOf"], bought["state_scraper_version"]) == ("2026-03-10T09:30:00.000Z", "1.0")
        read(JUNE, from_copy=True, as_of=MARCH, status="Dissolved")
        other = open_customer(name="Another")
        number = other.get(HERON).json()["lookupId"]
        assert other.get(f"/v1/lookups/{number}").json()["dataAsOf"] == "2026-03-10T09:30:00.000Z"

    def test_is_that_of_a_stored_lookup_also_while_the_company_is_looked_up(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The history is there already, and the price of the lookup that may take hours stays held for it."""
        monkeypatch.setattr(NewYork, "slow", True)
        monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
        read(JANUARY, state="NY", entity_id="100001")
        assert customer.post("/v1/lookup", {"state": "NY", "entity_id": "100001"}).status_code == 202
        told = customer.get("/v1/entities/NY/100001")
        assert (told.status_code, told.json()["cost"]) == (200, 0.01)
        assert (customer.balance.spent, customer.balance.held) == (STORED, PRICE)

    def test_buys_no_answer_to_who_asks_for_the_record_next(self, customer: Customer, register: Register) -> None:
        """What a history shows may be years old; a stored answer may not, told again within minutes or not."""
        read(timezone.now() - timedelta(days=800), state="NY", entity_id="100001")
        assert customer.get("/v1/entities/NY/100001").json()["cost"] == 0.01
        question = {"state": "NY", "entity_id": "100001", "source": "cache"}
        told = customer.post("/v1/lookup", question).json()["data"]
        assert (told["entityName"], told["cached"]) == ("ACME CORP.", False)

    def test_of_a_day_brings_the_record_as_it_is_now(self, customer: Customer) -> None:
        """As a lookup of its own, which is told again to who asks for the stored record a moment later."""
        day, now = timedelta(days=1), timezone.now()
        read(now - 4 * day)
        read(now - 1 * day, status="Dissolved")
        told = customer.get(f"{HERON}?as_of={now - 2 * day:%Y-%m-%d}").json()
        assert told["data"]["status"] == "Good Standing"
        assert customer.get(f"/v1/lookups/{told['lookupId']}").json()["data"]["status"] == "Dissolved"
        question = {"state": "DE", "entity_id": "77001", "source": "cache"}
        assert customer.post("/v1/lookup", question).json()["data"]["status"] == "Dissolved"
        assert customer.balance.spent == STORED

    def test_is_needed_in_full(self, customer: Customer, heron: Entity) -> None:
        ledger.adjust(
            account_id=customer.account.pk,
            amount=STORED - 1 - customer.balance.available,
            idempotency_key="poor",
            operator="t",
            reason="t",
            now=timezone.now(),
        )
        reply = customer.get(HERON)
        assert (reply.status_code, reply.json()["code"]) == (402, "insufficient_balance")
        assert reply["Content-Type"] == "application/problem+json"
        assert (Lookup.objects.count(), customer.balance.available) == (0, STORED - 1)
        assert "Dissolved" not in reply.content.decode()

    def test_does_not_buy_a_registry_that_is_switched_off_or_broken(
        self, customer: Customer, heron: Entity, settings: Any
    ) -> None:
        """What is kept is told as a stored record would be."""
        settings.ASK_PORTALS = False
        assert customer.get(HERON).status_code == 200

    def test_is_asked_of_nobody_for_a_head(self, customer: Customer, heron: Entity) -> None:
        """A HEAD brings nothing that could be paid for."""
        reply = Client().head(HERON, headers={"x-api-key": customer.secret})
        assert (reply.status_code, customer.balance.spent) == (405, 0)

    def test_with_an_idempotency_key_is_answered_again(self, customer: Customer, heron: Entity) -> None:
        replies = [customer.get(HERON, **{"Idempotency-Key": "h-1"}) for _ in range(2)]
        assert replies[0].json() == replies[1].json()
        assert (replies[0].json()["cost"], replies[1]["Idempotency-Replayed"]) == (0.01, "true")
        assert customer.balance.spent == STORED
        [later] = Lookup.objects.all()
        later.pk, later.ask_id = None, uuid.uuid4()
        later.save()  # the company was looked up since
        assert customer.get(HERON, **{"Idempotency-Key": "h-1"}).json() == replies[0].json()
        assert customer.get(HERON).json()["cost"] == 0
        other = customer.get(f"{HERON}?as_of=2026-02-01", **{"Idempotency-Key": "h-1"})
        assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")

    def test_is_taken_once_when_the_reply_was_lost_in_a_crash(
        self, customer: Customer, heron: Entity, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        word = {"Idempotency-Key": "h-2"}
        with monkeypatch.context() as broken:
            broken.setattr("lookups.api.history.bodies.of_history", lambda *_, **__: 1 / 0)
            assert customer.get(HERON, **word).status_code == 500
        assert customer.balance.spent == STORED
        assert (customer.get(HERON, **word).json()["cost"], customer.balance.spent) == (0.01, STORED)

    @pytest.mark.postgres
    @pytest.mark.django_db(transaction=True)
    def test_is_taken_once_of_many_who_ask_at_once(
        self, on_postgres: None, customer: Customer, heron: Entity, at_once: Callable[..., list[Any]]
    ) -> None:
        together = threading.Barrier(6)

        def look() -> Any:
            together.wait(20)
            return customer.get(HERON).json()

        told = at_once(*[look] * 6)
        assert sorted(one["cost"] for one in told) == [0, 0, 0, 0, 0, 0.01]
        assert len({one["lookupId"] for one in told}) == 1
        assert (customer.balance.spent, Lookup.objects.count()) == (STORED, 1)


class TestWhatIsNotKept:
    """No registry is asked for it, and nothing is charged."""

    @pytest.mark.parametrize(
        "path", ["DE/99999", "OH/77001", "ZZ/77001", "%00/77001", "DE/770%0001", "DE/77001%0a", "DE/%F0%9F"]
    )
    def test_is_not_found(self, customer: Customer, heron: Entity, path: str) -> None:
        reply = customer.get(f"/v1/entities/{path}")
        assert (reply.status_code, reply.json()["code"], reply.json()["cost"]) == (404, "entity_not_found", 0)
        assert (customer.balance.spent, Lookup.objects.count()) == (0, 0)

    def test_is_found_once_it_has_been_read(self, customer: Customer) -> None:
        """A 404 under an Idempotency-Key is no answer for a day: nothing was accepted."""
        word = {"Idempotency-Key": "h-3"}
        assert customer.get(HERON, **word).status_code == 404
        read(JANUARY)
        assert customer.get(HERON, **word).status_code == 200

    def test_of_two_whose_numbers_differ_in_a_letters_size_is_that_of_the_one_asked_for(
        self, customer: Customer
    ) -> None:
        for number, name in (("ab1", "SMALL SALT CO"), ("AB1", "LARGE SALT CO")):
            read(JANUARY, entity_id=number, entity_name=name)
        for number, name in (("ab1", "SMALL SALT CO"), ("AB1", "LARGE SALT CO"), ("Ab1", "LARGE SALT CO")):
            assert customer.get(f"/v1/entities/DE/{number}").json()["data"]["entityName"] == name

    def test_needs_a_key_to_be_known_of(self, heron: Entity) -> None:
        assert Client().get(HERON).status_code == 401


class TestATestKey:
    """Sees the sandbox registry's companies alone, and pays nothing."""

    def test_does_not_see_a_real_company(self, tester: Customer, heron: Entity) -> None:
        assert tester.get(HERON).status_code == 404

    def test_sees_the_sandboxs_for_nothing(self, tester: Customer) -> None:
        number = tester.lookup("Blue Heron Logistics LLC", "DE").json()["data"]["entityId"]
        told = tester.get(f"/v1/entities/DE/{number}").json()
        assert (told["livemode"], told["cost"], told["data"]["entityId"]) == (False, 0, number)
        assert open_customer(name="Live").get(f"/v1/entities/DE/{number}").status_code == 404

    def test_may_look_at_what_others_asked_the_sandbox(self, tester: Customer) -> None:
        number = tester.lookup("Blue Heron Logistics LLC", "DE").json()["data"]["entityId"]
        other = open_customer(mode="test", name="Other")
        told = other.get(f"/v1/entities/DE/{number}").json()
        assert (told["cost"], Lookup.objects.filter(account=other.account, sandbox=True).count()) == (0, 1)


class TestWhatPeopleAskToBeLeftOut:
    """Is in no version, however old, and in no change."""

    def leave_out(self, **what: str) -> None:
        suppression.add(Suppression(reason="Asked by mail.", **what), operator=None, now=timezone.now())

    def test_is_a_person_by_name(self, customer: Customer, heron: Entity) -> None:
        self.leave_out(kind="person", person="Merrill, Ada")
        for query in ("", "?noise=true", "?as_of=2026-02-01", "?limit=1", "?limit=1&cursor=2"):
            told = customer.get(HERON + query)
            assert told.status_code == 200
            assert "MERRILL" not in told.content.decode().upper()
        changed = {one["path"]: one["after"] for one in customer.get(HERON).json()["changes"]}
        assert changed["normalized.fieldAvailability.officers"] == "provided"
        assert "data.status" in changed
        assert customer.get(f"{HERON}?as_of=2026-02-01").json()["note"].endswith("officers.")

    def test_is_everything_about_people_in_a_company(self, customer: Customer, heron: Entity) -> None:
        self.leave_out(kind="company", state="DE", entity_id="77001")
        told = customer.get(HERON)
        assert not any(name in told.content.decode().upper() for name in ("MERRILL", "CLEO"))
        assert "data.status" in [one["path"] for one in told.json()["changes"]]


@pytest.fixture
def statements() -> Iterator[Callable[[], int]]:
    """How many statements reached the database."""
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as seen:
        yield lambda: len(seen)


class TestItsCost:
    """For the database."""

    def test_does_not_grow_with_the_versions(self, customer: Customer, statements: Callable[[], int]) -> None:
        for place in range(3):
            read(JANUARY + timedelta(days=place), status=f"Status {place}")
        customer.get(HERON)
        before = statements()
        customer.get(HERON)
        few = statements() - before
        for place in range(3, 30):
            read(JANUARY + timedelta(days=place), status=f"Status {place}")
        before = statements()
        assert len(customer.get(HERON).json()["versions"]) == 30
        assert statements() - before == few
