"""A company of the sandbox registry as it was read, and what its registry says of it later."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from lookups.models import Entity
from tests.lookups.conftest import Customer, tester  # noqa: F401  (tester is a fixture)


@pytest.fixture
def heron(tester: Customer) -> Entity:  # noqa: F811
    """A stored company of the sandbox."""
    assert tester.lookup("Blue Heron Logistics LLC", "DE").status_code == 200
    return Entity.objects.get()


def rewrite(heron: Entity, *, normalized: Any = (), **data: Any) -> None:
    """The registry says something else of it: a new version, since what it said before is never changed."""
    last = heron.versions.order_by("-number")[0]
    last.pk, last.number = None, last.number + 1
    last.data, last.normalized = {**last.data, **data}, {**last.normalized, **dict(normalized)}
    last.save(force_insert=True)


def read(url: str) -> Any:
    """Open a page as somebody who is not signed in."""
    return Client().get(url)
