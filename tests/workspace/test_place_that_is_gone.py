"""A jurisdiction that this version does not know, after an update or a way back: what was kept of it is still read."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import keys
from jurisdictions.models import Jurisdiction
from lookups.models import Lookup, Watch
from tests.admin.conftest import sign_in
from tests.workspace.conftest import Browser

pytestmark = pytest.mark.django_db
GONE = "ZZ"


@pytest.fixture
def kept(office: Browser) -> dict[str, str]:
    """What there is of it: the staff's switch, a lookup, and a watch of this account."""
    now = timezone.now()
    key, _ = keys.issue(account=office.account, name="server", now=now)
    Jurisdiction.objects.create(code=GONE, enabled=True, status="active")
    own: dict[str, Any] = {"account": office.account, "key": key, "state": GONE, "created_at": now}
    question = {"state": GONE, "name": "Acme", "kind": "business_entity"}
    ended = {"verdict": "not_found", "ended_at": now, "price": 314, "cost": 0, "origin": "api"}
    lookup = Lookup.objects.create(**own, **ended, kind="business_entity", asked="Acme Corp", question=question)
    watch = Watch.objects.create(**own, entity_name="Acme Corp", name="ACME CORP", every="day", categories=["status"])
    return {"lookup": f"lookups/{lookup.public_id}/", "watch": f"watches/{watch.public_id}/"}


class TestAMember:
    @pytest.mark.parametrize("page", ["", "history/", "usage/", "watches/", "lookup", "watch"])
    def test_reads_what_was_kept(self, office: Browser, kept: dict[str, str], page: str) -> None:
        reply = office.get(f"/app/{kept.get(page, page)}")
        assert reply.status_code == 200
        assert GONE in reply.content.decode()

    def test_asks_nothing_of_it_any_more(self, office: Browser, kept: dict[str, str]) -> None:
        form = {"name": "Acme Corp", "state": GONE, "kind": "company"}
        reply = office.post("/app/", form)
        assert reply.status_code == 400
        assert "Acme Corp" in reply.content.decode()
        assert Lookup.objects.count() == 1


class TestStaff:
    LIST = "/admin/jurisdictions/jurisdiction/"

    @pytest.fixture
    def owner(self, kept: dict[str, str]) -> Client:
        return sign_in("owner")

    @pytest.mark.parametrize("page", ["", f"{GONE}/change/", f"{GONE}/switch/", "health/"])
    def test_sees_it(self, owner: Client, page: str) -> None:
        reply = owner.get(f"{self.LIST}{page}")
        assert reply.status_code == 200
        assert GONE in reply.content.decode()

    def test_switches_it_off(self, owner: Client) -> None:
        form = {"to": "off", "sentence": "It is no place of this service any more.", "why": ""}
        assert (
            f"{GONE} is switched off." in owner.post(f"{self.LIST}{GONE}/switch/", form, follow=True).content.decode()
        )
        assert not Jurisdiction.objects.get(pk=GONE).enabled
