"""The stored record behind an entity page, and the admin's view of it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lookups import selectors
from lookups.lookup import settlement
from lookups.lookup.questions import Question
from lookups.lookup.storage import page_slug
from lookups.models import Entity, FormerSlug, Lookup, RecordVersion, StoredAnswer
from lookups.tasks import prune
from scrapers.models import Reading
from tests.lookups.conftest import NOW, PRICE, Customer, anew
from tests.lookups.registry_server import Register, company

pytestmark = pytest.mark.django_db


class TestWhatARegistrySaid:
    """A version of a record, for somebody with a hand on the database."""

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE {table} SET data = '{{}}'",
            "UPDATE {table} SET id = 1000000",
            "UPDATE {table} SET reason = 'read_anew'",
            "REPLACE INTO {table} ({columns}) SELECT {columns} FROM {table} LIMIT 1",
            "INSERT OR REPLACE INTO {table} ({columns}) SELECT {other_id} FROM {table} LIMIT 1",
            "UPDATE OR REPLACE {table} SET id = (SELECT MIN(id) FROM {table}) WHERE number = 2",
        ],
    )
    def test_is_never_changed(self, customer: Customer, register: Register, statement: str) -> None:
        if connection.vendor != "sqlite" and "REPLACE" in statement:
            pytest.skip("a statement of SQLite's")
        customer.lookup()
        register.rows[0]["current_entity_name"] = "ACME & SONS CORP."
        customer.post("/v1/lookup", {"entity_id": "100001", "state": "NY"})
        kept = list(RecordVersion.objects.order_by("pk").values())
        assert len(kept) == 2
        columns = [str(field.column) for field in RecordVersion._meta.concrete_fields]
        other_id = ["1000000" if name == "id" else name for name in columns]
        named = {"table": RecordVersion._meta.db_table, "columns": ", ".join(columns), "other_id": ", ".join(other_id)}
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement.format(**named))
        assert list(RecordVersion.objects.order_by("pk").values()) == kept


class TestAReadingThatWasOvertaken:
    """Two ask for one company in different words; who has read it first is the last to write."""

    def test_is_its_callers_answer_and_takes_no_newer_ones_place(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        by_id, settle = {"entity_id": "100001", "state": "NY"}, settlement.settle_reply

        def overtaken(*of: Any, **named: Any) -> Lookup:
            monkeypatch.setattr(settlement, "settle_reply", settle)
            register.rows[0]["current_entity_name"] = "ACME & SONS CORP."
            assert customer.post("/v1/lookup", by_id, **anew()).status_code == 200
            return settle(*of, **named)

        customer.lookup()
        monkeypatch.setattr(settlement, "settle_reply", overtaken)
        late = customer.lookup("Acme Corporation", headers=anew())
        assert (late.json()["data"]["entityName"], customer.balance.spent) == ("ACME CORP.", 3 * PRICE)
        assert [one.data["entityName"] for one in RecordVersion.objects.order_by("number")] == [
            "ACME CORP.",
            "ACME & SONS CORP.",
        ]
        assert Entity.objects.get().name == "ACME & SONS CORP."
        stored = customer.post("/v1/lookup", by_id | {"source": "cache"}, **anew()).json()
        assert (stored["data"]["entityName"], stored["source"]) == ("ACME & SONS CORP.", "cache")

    def test_is_not_sold_from_then_on_in_place_of_the_newer_one(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Written last, it was the stored answer for days, of what the service itself had read otherwise since."""
        settle = settlement.settle_reply

        def overtaken(*of: Any, **named: Any) -> Lookup:
            monkeypatch.setattr(settlement, "settle_reply", settle)
            register.rows = [company("ACME CORP.", "100001", entity_type="FOREIGN BUSINESS CORPORATION")]
            assert customer.lookup("The Acme Corp").status_code == 200
            return settle(*of, **named)

        monkeypatch.setattr(settlement, "settle_reply", overtaken)
        late = customer.lookup().json()
        stored = customer.lookup(source="cache", headers=anew()).json()
        read = [reply["data"]["entityType"] for reply in (late, stored)]
        assert read == ["DOMESTIC BUSINESS CORPORATION", "FOREIGN BUSINESS CORPORATION"]
        assert (late["source"], stored["source"]) == ("live", "cache")

    def test_of_a_clock_that_ran_ahead_is_replaced_all_the_same(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        StoredAnswer.objects.update(retrieved_at=timezone.now() + timedelta(days=365))
        register.rows = [company("ACME CORP.", "100001", entity_type="FOREIGN BUSINESS CORPORATION")]
        customer.lookup(headers=anew())
        stored = customer.lookup(source="cache", headers=anew()).json()
        assert stored["data"]["entityType"] == "FOREIGN BUSINESS CORPORATION"

    def test_of_a_company_that_nobody_had_read_is_on_no_page_in_place_of_the_newer_one(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settle = settlement.settle_reply

        def overtaken(*of: Any, **named: Any) -> Lookup:
            monkeypatch.setattr(settlement, "settle_reply", settle)
            register.rows[0]["current_entity_name"] = "ACME & SONS CORP."
            assert customer.post("/v1/lookup", {"entity_id": "100001", "state": "NY"}, **anew()).status_code == 200
            return settle(*of, **named)

        monkeypatch.setattr(settlement, "settle_reply", overtaken)
        assert customer.lookup().json()["data"]["entityName"] == "ACME CORP."
        page = Client().get(Entity.objects.get().page_url).content.decode()
        assert re.findall(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL) == ["<bdi>ACME &amp; SONS CORP.</bdi>"]
        history = customer.get("/v1/entities/NY/100001").json()
        assert (history["data"]["entityName"], history["versions"][0]["number"]) == ("ACME & SONS CORP.", 1)
        [renamed] = [one for one in history["changes"] if one["path"] == "data.entityName"]
        assert (renamed["before"], renamed["after"]) == ("ACME CORP.", "ACME & SONS CORP.")
        assert renamed["lastSeenBefore"] < renamed["firstSeenAfter"]
        first = customer.get("/v1/entities/NY/100001?limit=1").json()
        second = customer.get(f"/v1/entities/NY/100001?limit=1&cursor={first['nextCursor']}").json()
        assert {one["versions"][0]["number"] for one in (first, second)} == {1, 2}

    def test_of_what_the_newer_one_says_as_well_is_that(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settle = settlement.settle_reply

        def overtaken(*of: Any, **named: Any) -> Lookup:
            monkeypatch.setattr(settlement, "settle_reply", settle)
            assert customer.post("/v1/lookup", {"entity_id": "100001", "state": "NY"}, **anew()).status_code == 200
            return settle(*of, **named)

        monkeypatch.setattr(settlement, "settle_reply", overtaken)
        assert customer.lookup().status_code == 200
        version, entity = RecordVersion.objects.get(), Entity.objects.get()
        assert version.last_read_at == entity.last_read_at == max(one.read_at for one in Reading.objects.all())


class TestAnEntityPagesAddress:
    """`/entity/{state}/{name}-{code}-{id}/`."""

    def test_is_the_one_that_answers(self, customer: Customer, register: Register) -> None:
        address = customer.lookup().json()["data"]["entityPageUrl"]
        assert address == "/entity/new-york/acme-corp-ny-100001/"
        assert Client().get(address).status_code == 200

    def test_leads_from_every_name_before_to_the_present_one(self, customer: Customer, register: Register) -> None:
        before = [customer.lookup().json()["data"]["entityPageUrl"]]
        for name in ("ACME & SONS CORP.", "SONS OF ACME CORP."):
            register.rows[0]["current_entity_name"] = name
            customer.post("/v1/lookup", {"entity_id": "100001", "state": "NY"}, **anew())
            before.append(Entity.objects.get().page_url)
        assert Client().get(before[-1]).status_code == 200
        for old in before[:-1]:
            reply: Any = Client().get(old)
            assert (reply.status_code, reply["Location"]) == (301, before[-1])

    def test_answers_again_when_a_company_takes_its_old_name_back(self, customer: Customer, register: Register) -> None:
        first = customer.lookup().json()["data"]["entityPageUrl"]
        for name in ("ACME & SONS CORP.", "ACME CORP."):
            register.rows[0]["current_entity_name"] = name
            customer.post("/v1/lookup", {"entity_id": "100001", "state": "NY"}, **anew())
        moved: Any = Client().get("/entity/new-york/acme-sons-corp-ny-100001/")
        assert (Client().get(first).status_code, moved.status_code, moved["Location"]) == (200, 301, first)

    @pytest.mark.parametrize(
        "slug",
        ["acme-corp-ny-1000010", "x-ny-100001", "ny-100001", "acme-ny-100001", "ACME-CORP-NY-100001", "acme-corp-ny"],
    )
    def test_is_not_to_be_guessed_from_the_identifier(
        self, customer: Customer, register: Register, slug: str, django_assert_num_queries: Any
    ) -> None:
        customer.lookup()
        assert Client().get(f"/entity/new-york/{slug}/").status_code == 404
        with django_assert_num_queries(2):  # the same two, whether the identifier is anybody's or nobody's
            assert selectors.find_entity_by_slug(state="NY", slug=slug) is None

    def test_is_looked_for_in_an_index(self, db: None) -> None:
        many = [
            Entity(state="NY", entity_id=f"{n}", slug=f"c{n}-ny-{n}", name=f"C{n}", name_key=f"c{n}", last_read_at=NOW)
            for n in range(3000)
        ]
        before = [FormerSlug(entity=one, state="NY", slug=f"b{one.slug}") for one in Entity.objects.bulk_create(many)]
        FormerSlug.objects.bulk_create(before)
        explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
            with CaptureQueriesContext(connection) as asked:
                assert selectors.find_entity_by_slug(state="NY", slug="x-ny-100001") is None
            indexes = ("entity_by_page (state=? AND slug=?)", "lookups_formerslug_1 (state=? AND slug=?)")
            if connection.vendor == "postgresql":
                indexes = ("entity_by_page", "former_slug_once")
            for query, index in zip(list(asked.captured_queries), indexes, strict=True):
                cursor.execute(f"{explain} {query['sql']}")
                plan = " ".join(str(part) for row in cursor.fetchall() for part in row)
                assert index in plan, plan
                assert "Seq Scan" not in plan, plan
                assert not re.search(r"\bSCAN\b", plan), plan

    @pytest.mark.parametrize(
        ("name", "entity_id", "slug"),
        [
            ("ACME & SONS, INC.", "C0123-45", "acme-sons-inc-ny-c0123-45"),
            ("Café Ümlaut LLC", "1", "cafe-umlaut-llc-ny-1"),
            ("株式会社", "12", "ny-12"),
            ("A" * 300, "7", "a" * 100 + "-ny-7"),
        ],
    )
    def test_is_made_of_plain_letters(self, name: str, entity_id: str, slug: str) -> None:
        assert page_slug(name=name, state="NY", entity_id=entity_id) == slug


class TestAQuestion:
    """Two spellings of one question are one question; anything that may mean another company is another."""

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Acme, L.L.C.", "ACME LLC"),
            ("The Acme Company", "acme co"),
            ("A & B Corp", "a and b corporation"),
            ("Gaming, P.C.", "GAMING P.C."),
            ("Acme-Mills, Inc.", "ACME MILLS INC"),
        ],
    )
    def test_is_the_same_in_another_spelling(self, one: str, other: str) -> None:
        assert Question("NY", one).digest == Question("NY", other).digest

    @pytest.mark.parametrize(
        ("state", "one", "other"),
        [("TX", "804695111", "0804695111"), ("CA", "C0806592", "806592"), ("FL", "p02416", " P02416 ")],
    )
    def test_for_a_number_is_the_same_with_its_zeros_and_without(self, state: str, one: str, other: str) -> None:
        assert Question(state, entity_id=one).digest == Question(state, entity_id=other).digest
        assert Question(state, "Acme", entity_id=one).digest == Question(state, "Acme", entity_id=other).digest

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (Question("NY", "Acme Inc"), Question("NY", "Acme LLC")),
            (Question("TX", entity_id="804695111"), Question("TX", entity_id="80469511")),
            (Question("NY", "Acme Holdings I"), Question("NY", "Acme Holdings II")),
            (Question("NY", "Acme Inc of Delaware"), Question("NY", "Acme Inc of Nevada")),
            (Question("NY", "Acme Inc, Delaware"), Question("NY", "Acme Inc of Delaware")),
            (Question("NY", "Acme Inc Delaware"), Question("NY", "Acme Inc of Delaware")),
            (Question("NY", "Acme Ltd, a Texas corporation"), Question("NY", "Acme Ltd, a Texas limited partnership")),
            (Question("NY", "Acme Ltd a Texas corporation"), Question("NY", "Acme Ltd a Texas limited partnership")),
            (Question("NY", "Acme LLC, Albany"), Question("NY", "Acme LLC Albany")),
            (Question("NY", "Acme LLC (Albany)"), Question("NY", "Acme LLC Albany")),
            (Question("NY", "Acme LLC - Albany"), Question("NY", "Acme LLC Albany")),
            (Question("NY", "Gaming, P.C."), Question("NY", "Gaming PC")),
            (Question("NY", "Hansen, Erik LLC"), Question("NY", "Hansen Erik LLC")),
            (Question("NY", "Hansen, Erik", kind="ucc"), Question("NY", "Hansen Erik", kind="ucc")),
            (Question("NY", "Acme LLC d/b/a Best"), Question("NY", "Acme LLC d/b/a Worst")),
            (Question("NY", "!!"), Question("NY", "??")),
            (Question("NY", "12"), Question("NY", entity_id="12")),
            (Question("NY", "Acme LLC", entity_id="12"), Question("NY", "Zebra LLC", entity_id="12")),
            (Question("NY", "Acme LLC", entity_id="12"), Question("NY", entity_id="12")),
            (Question("NY", "Acme", kind="ucc"), Question("NY", "Acme")),
            (Question("NY", "Acme", kind="ucc"), Question("NY", "Acme", kind="ucc", search_by="secured_party")),
        ],
    )
    def test_is_another_where_it_may_mean_another_company(self, one: Question, other: Question) -> None:
        assert one.digest != other.digest

    def test_shares_a_fetch_with_its_very_words_alone(self) -> None:
        """By them one of two whose names are alike is chosen."""
        asked = Question("NY", "Foxes LLC")
        for same in ("FOXES, L.L.C.", "Foxes Limited Liability Company"):
            assert asked.spelled == Question("NY", same).spelled
        for other in ("The Foxes LLC", "Fox\u00e9s LLC", "Foxes' LLC"):
            assert asked.digest == Question("NY", other).digest
            assert asked.spelled != Question("NY", other).spelled
        assert Question("NY", "Foxes' LLC").spelled == Question("NY", "Foxes\u2019 LLC").spelled  # as a phone writes it


class TestTheAdmin:
    """Operators read; nobody writes."""

    def test_shows_lookups_and_records_and_changes_nothing(
        self, customer: Customer, register: Register, admin_client: Client
    ) -> None:
        customer.lookup()
        stored = Entity.objects.get()
        for path, name in (("lookup", "Acme Corp"), ("entity", "ACME CORP.")):
            page = admin_client.get(f"/admin/lookups/{path}/")
            assert page.status_code == 200
            assert name in page.content.decode()
            assert admin_client.get(f"/admin/lookups/{path}/add/").status_code == 403
        register.rows[0]["county"] = register.rows[0]["dos_process_city"] = "ALBANY"
        customer.lookup(fresh=True, headers=anew())
        page = admin_client.get(f"/admin/lookups/entity/{stored.pk}/change/").content.decode()
        assert "BROOKLYN" in page
        assert page.index("ALBANY") < page.index("BROOKLYN")  # what the registry says now comes first
        gone: Any = admin_client.post(f"/admin/lookups/entity/{stored.pk}/delete/", {"post": "yes"})
        assert gone.status_code == 403


class TestUpkeep:
    """By the clock."""

    def test_runs_and_leaves_what_is_needed(self, customer: Customer, register: Register) -> None:
        customer.lookup(headers={"idempotency_key": "k"})
        assert prune() == 0
