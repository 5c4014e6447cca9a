"""The stored record behind an entity page, and the admin's view of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client

from lookups import selectors
from lookups.lookup.questions import Question
from lookups.lookup.storage import page_slug
from lookups.models import Entity, RecordVersion
from lookups.tasks import prune
from tests.lookups.conftest import Customer, anew
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db


class TestWhatARegistrySaid:
    """A version of a record, for somebody with a hand on the database."""

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE {table} SET data = '{{}}'",
            "UPDATE {table} SET id = 1000000",
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


class TestAnEntityPagesAddress:
    """`/entity/{state}/{name}-{code}-{id}/`."""

    def test_finds_the_record(self, customer: Customer, register: Register) -> None:
        address = customer.lookup().json()["data"]["entityPageUrl"]
        assert address == "/entity/new-york/acme-corp-ny-100001/"
        found = selectors.find_record_by_slug(state="NY", slug="acme-corp-ny-100001")
        assert found is not None
        assert found.entity.entity_id == "100001"

    def test_still_finds_it_after_a_change_of_name(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        register.rows[0]["current_entity_name"] = "ACME & SONS CORP."
        customer.post("/v1/lookup", {"entity_id": "100001", "state": "NY"})
        assert Entity.objects.get().slug == "acme-sons-corp-ny-100001"
        found = selectors.find_record_by_slug(state="NY", slug="acme-corp-ny-100001")
        assert found is not None
        assert (found.entity, found.number) == (Entity.objects.get(), 2)

    @pytest.mark.parametrize(
        "slug", ["acme-corp-ny-1000010", "acme-corp-ny-", "ny-100001x", "", "acme-corp-ca-100001", "%"]
    )
    def test_finds_nothing_else(self, customer: Customer, register: Register, slug: str) -> None:
        customer.lookup()
        assert selectors.find_record_by_slug(state="NY", slug=slug) is None

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
        [("Acme, L.L.C.", "ACME LLC"), ("The Acme Company", "acme co"), ("A & B Corp", "a and b corporation")],
    )
    def test_is_the_same_in_another_spelling(self, one: str, other: str) -> None:
        assert Question("NY", one).digest == Question("NY", other).digest

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (Question("NY", "Acme Inc"), Question("NY", "Acme LLC")),
            (Question("NY", "Acme Holdings I"), Question("NY", "Acme Holdings II")),
            (Question("NY", "Acme Inc of Delaware"), Question("NY", "Acme Inc of Nevada")),
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


class TestTheAdmin:
    """Operators read; nobody writes."""

    def test_shows_lookups_and_records_and_changes_nothing(
        self, customer: Customer, register: Register, admin_client: Client
    ) -> None:
        customer.lookup()
        stored = Entity.objects.get()
        for path in ("lookup", "entity"):
            page = admin_client.get(f"/admin/lookups/{path}/")
            assert page.status_code == 200
            assert b"Acme" in page.content or b"ACME" in page.content
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
