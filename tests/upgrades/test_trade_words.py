"""An installation of version 1.3.0 upgrades, and nothing of what it holds is lost or changed."""

from __future__ import annotations

import time
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from scrapers.bulk_data import copies
from scrapers.bulk_data.published import BulkData
from scrapers.bulk_data.stored_form import to_plain
from scrapers.portal import Portal
from scrapers.records import Answer, EntityRecord, Found, NotFound, Query
from scrapers.search.pipeline import ask
from scrapers.statuses import meanings
from scrapers.transport.session import PortalSession, TransportSettings
from tests.upgrades.version_1_3 import VERSION_1_3

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BEFORE = VERSION_1_3

pytestmark = pytest.mark.django_db(transaction=True)


class Northland(Portal):
    """A fictional state whose search is walled, and whose file is searched instead."""

    code = "ZZ"
    hosts = ("files.example.test",)
    bulk_data = BulkData("https://files.example.test/all.csv", "csv", least_rows=1, record=lambda _: None, walled=True)
    statuses = meanings(active="Good Standing")


def find(name: str) -> Answer:
    """What the copy says of it."""
    settings = TransportSettings(user_agent="test")
    session = PortalSession(portal="ZZ", hosts=Northland.hosts, settings=settings, deadline=time.monotonic() + 60)
    copy = copies.find_current("ZZ")
    return ask(Northland(), session, Query("ZZ", name=name), now=NOW, threshold=0.92, copy=copy)


def fill(before: Any) -> Any:
    """Fetches, a secret and a loaded register, under the names that they had; the leader and the customer."""
    flight, one = before.get_model("lookups", "Flight"), uuid.uuid4()
    asks = {"state": "NY", "kind": "business_entity", "started_at": NOW, "lease_until": NOW, "pilot": one}
    flight.objects.create(question="open", **asks)
    flight.objects.create(question="ended", landed_at=NOW, landing={"kind": "not_found"}, **asks)
    account = before.get_model("billing", "Account").objects.create(name="Acme", created_at=NOW)
    before.get_model("lookups", "HookSecret").objects.create(account_id=account.pk, salt="salt", made_at=NOW)
    copy = before.get_model("scrapers", "RegisterCopy").objects.create(
        state="ZZ", url="https://x", file="x", as_of=NOW, started_at=NOW, status="current", entities=1
    )
    company = EntityRecord("Zebra Crossing Ltd", "3", status="Good Standing", former_names=("Pony Crossing",))
    before.get_model("scrapers", "RegisteredEntity").objects.create(
        copy=copy, entity_id="3", name_key="zebra crossing", record=to_plain(company)
    )
    return one, account.pk


class TestAnInstallationOfTheLastVersion:
    """Its rows, after the upgrade."""

    def test_keeps_the_fetches_that_were_under_way_and_those_that_ended(self, upgraded: Any) -> None:
        from lookups.models import SharedFetch

        rows = SharedFetch.objects.order_by("question").values_list("question", "leader", "ended_at", "result")
        one, _ = upgraded
        assert list(rows) == [("ended", one, NOW, {"kind": "not_found"}), ("open", one, None, None)]

    def test_still_signs_with_the_secret_its_customer_has(self, upgraded: Any) -> None:
        from lookups.notifications import webhook_secrets

        _, account = upgraded
        assert webhook_secrets.list_secrets(account_id=account, livemode=True, now=NOW) == [
            webhook_secrets._secret(key, account, "salt", True) for key in webhook_secrets._keys()
        ]

    def test_answers_from_its_register_as_it_did(self, upgraded: Any) -> None:
        """It was loaded while other names were not searched, and none is before the next file is loaded."""
        answer = find("Zebra Crossing")
        assert isinstance(answer, Found)
        assert (answer.record.entity_id, answer.as_of) == ("3", NOW)
        assert isinstance(find("Pony Crossing"), NotFound)
