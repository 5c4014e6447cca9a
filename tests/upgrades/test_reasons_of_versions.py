"""An installation with records of before: each says afterwards that it was read, and none can be changed, as before."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from tests.upgrades.long_way import migrate

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BEFORE = [("lookups", "0019_readings")]
TABLE = "lookups_recordversion"

pytestmark = pytest.mark.django_db(transaction=True)


def refuses(statement: str) -> bool:
    """Whether the database itself stops somebody with a hand on it."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except DatabaseError as refused:
        return "never changed" in str(refused)
    return False


def is_guarded() -> bool:
    columns = "data = '{}'", "number = 7", "first_read_at = last_read_at", "id = 1000000", "facts = ''"
    replaced = f"REPLACE INTO {TABLE} SELECT * FROM {TABLE}"
    return all(refuses(f"UPDATE {TABLE} SET {change}") for change in columns) and (
        connection.vendor != "sqlite" or refuses(replaced)
    )


def fill(before: Any) -> tuple[int, list[bool]]:
    """A company's only version, and whether it is guarded: now, with its reason, and after the way back from there."""
    entity = before.get_model("lookups", "Entity").objects.create(
        state="NY", entity_id="7", slug="acme-ny-7", name="ACME", name_key="acme", last_read_at=NOW
    )
    known = {"data": {"entityId": "7"}, "normalized": {}, "facts": "1", "evidence": {}, "reader_version": "1"}
    when = {"first_read_at": NOW, "last_read_at": NOW, "reader_built_at": "1"}
    kept = before.get_model("lookups", "RecordVersion").objects.create(entity=entity, number=1, **known, **when)
    guarded = [is_guarded()]
    for migrations in ([("lookups", "0022_reasons_of_versions")], BEFORE):
        migrate(migrations)
        guarded.append(is_guarded())
    return kept.pk, guarded


class TestAnInstallationWithRecords:
    """Its versions, after the upgrade and after the way back."""

    def test_has_them_with_their_reason_and_as_well_guarded(self, upgraded: tuple[int, list[bool]]) -> None:
        pk, guarded = upgraded
        assert guarded == [True, True, True]
        from lookups.models import RecordVersion

        kept = RecordVersion.objects.get(pk=pk)
        assert (kept.reason, kept.data, kept.first_read_at) == ("read", {"entityId": "7"}, NOW)
        assert is_guarded()
        assert refuses(f"UPDATE {TABLE} SET reason = 'read_anew'")
        RecordVersion.objects.update(last_read_at=NOW)  # a further reading is no change

    def test_takes_a_version_that_the_release_before_writes_meanwhile(self) -> None:
        """Both run for a moment: one of them knows no reason."""
        from lookups.models import Entity, RecordVersion

        entity = Entity.objects.create(
            state="NY", entity_id="2", slug="acme-ny-2", name="ACME", name_key="acme", last_read_at=NOW
        )
        columns = "entity_id, number, data, normalized, facts, evidence, first_read_at, last_read_at, reader_version"
        values = f"{entity.pk}, 1, '{{}}', '{{}}', '1', '{{}}', '{NOW}', '{NOW}', '1'"
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO {TABLE} ({columns}, reader_built_at) VALUES ({values}, '1')")
        assert RecordVersion.objects.get().reason == "read"
