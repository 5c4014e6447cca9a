"""GLEIF beside New York's register, at a pace that no other test has used up."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from lookups.identities import asking
from scrapers.identities.gleif import Gleif
from scrapers.transport.pace import Pace
from tests.lookups.conftest import Customer, anew
from tests.lookups.gleif_server import PlayedGleif, record
from tests.lookups.registry_server import Register


@pytest.fixture
def gleif(register: Register, settings: Any, monkeypatch: pytest.MonkeyPatch) -> PlayedGleif:
    """It has Acme's LEI, issued for its number in New York. Its pace is no part of most stories."""
    monkeypatch.setattr(Gleif, "pace", Pace(0.0, 4))
    monkeypatch.setattr(asking, "BUDGET_SECONDS", 5.0)  # on a busy machine a good answer may take its time
    if settings.REDIS_URL:
        redis.Redis.from_url(settings.REDIS_URL).delete("pace:turn:GLEIF", "pace:slots:GLEIF")
    register.gleif.records = [record("Acme Corp.")]
    return register.gleif


def include(customer: Customer, name: str = "Acme Corp", state: str = "NY", **more: Any) -> Any:
    """The reply to a lookup that wants identifiers, asked as nobody has asked before."""
    return customer.lookup(name, state, headers=anew(), include=["identifiers"], **more)
