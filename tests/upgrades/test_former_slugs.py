"""An installation whose companies have changed their names: the old addresses of their pages lead to the new ones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BEFORE = [("billing", "0014_given_back"), ("lookups", "0016_heartbeats")]

pytestmark = pytest.mark.django_db(transaction=True)


def keep(before: Any, *names: str, entity_id: str) -> None:
    """A company of New York as it was read under each of these names, the last one its present."""
    slug = f"{names[-1].lower().replace(' ', '-')}-ny-{entity_id}"
    entity = before.get_model("lookups", "Entity").objects.create(
        state="NY", entity_id=entity_id, slug=slug, name=names[-1], name_key=names[-1], last_read_at=NOW
    )
    for number, name in enumerate(names, start=1):
        before.get_model("lookups", "RecordVersion").objects.create(
            entity=entity,
            number=number,
            data={"entityName": name, "entityId": entity_id},
            normalized={},
            facts=name,
            evidence={},
            first_read_at=NOW,
            last_read_at=NOW,
            reader_version="1",
            reader_built_at="1",
        )


def fill(before: Any) -> None:
    """A company that was renamed, and one that never was."""
    keep(before, "ACME CORP", "ACME SONS", entity_id="1")
    keep(before, "ZEBRA INC", entity_id="2")


@pytest.mark.usefixtures("upgraded")
class TestAnInstallationWithRenamedCompanies:
    """Its pages, after the upgrade."""

    def test_are_found_under_their_old_addresses_and_no_other(self) -> None:
        from lookups.models import FormerSlug

        assert [(one.state, one.slug) for one in FormerSlug.objects.all()] == [("NY", "acme-corp-ny-1")]
        moved: Any = Client().get("/entity/new-york/acme-corp-ny-1/")
        assert (moved.status_code, moved["Location"]) == (301, "/entity/new-york/acme-sons-ny-1/")
        assert Client().get("/entity/new-york/acme-ny-1/").status_code == 404
