"""A state that answers from its published register says so: the customer sees a copy and its day."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from jurisdictions import services
from scrapers import refreshing, registry
from tests.lookups.conftest import PRICE, Customer
from tests.scrapers.test_published_registers import TestVirginia, zipped

pytestmark = pytest.mark.django_db
DAY = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def virginia(customer: Customer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Customer:
    """A customer, Virginia switched on, and a small register of it loaded."""
    portal = registry.find_portal("VA")
    assert portal is not None
    head = TestVirginia.HEAD
    tables = {"Corp__csv": head + TestVirginia.CORP, "LLC__csv": head + TestVirginia.LLC, "LP__csv": head}
    file = zipped(tmp_path / "be.zip", **tables)
    small = portal.register_source.__class__(**{
        **{name: getattr(portal.register_source, name) for name in portal.register_source.__slots__}, "least_rows": 1,
    })  # fmt: skip
    monkeypatch.setattr(type(portal), "register_source", small)
    refreshing.load(portal=portal, file=file, as_of=DAY, now=DAY)
    services.enable(code="VA")
    return customer


class TestALookup:
    """In a state whose register is loaded."""

    def test_is_answered_as_a_copy_with_its_day(self, virginia: Customer) -> None:
        body = virginia.lookup("Blue Heron Logistics", "VA").json()
        assert body["data"]["entityId"] == "11004293"
        assert (body["source"], body["cached"], body["data"]["cached"]) == ("cache", True, True)
        assert body["dataAsOf"] == "2026-11-01T00:00:00.000Z"
        assert body["data"]["evidence"]["fromRegister"] is True
        assert virginia.balance.spent == PRICE

    def test_that_finds_nothing_costs_nothing(self, virginia: Customer) -> None:
        assert virginia.lookup("Quasar Umbrella Repair", "VA").status_code == 404
        assert virginia.balance.available == 10 * PRICE

    def test_of_a_name_says_that_a_copy_was_read(self, virginia: Customer) -> None:
        reply = virginia.post("/v1/name-availability", {"entity_name": "Blue Heron Logistics", "state": "VA"})
        assert (reply.json()["available"], reply.json()["data_source"]) == (False, "cache")
