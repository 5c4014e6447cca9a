"""The admin's own pages in a browser: nothing that keeps people out, nothing that scrolls sideways on a phone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from billing import accounts, keys, ledger
from lookups.models import Lookup
from tests.admin.conftest import ask, fail
from tests.browser import chromium

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not chromium.AXE.exists(), reason="needs npm")]
HOSTILE = "<script>alert(1)</script> \u202egnp.exe " + "Q" * 150  # what a name may be that somebody asks for


@pytest.fixture
def addresses(transactional_db: None) -> list[str]:
    """A day with something on every page."""
    call_command("sync_jurisdictions", verbosity=0)
    now = timezone.now()
    account = accounts.open_account(name=HOSTILE, email="ops@acme.test", now=now)
    keys.issue(account=account, name="server", now=now)
    ledger.hold(
        account_id=account.pk,
        amount=10,
        idempotency_key="h",
        reference="",
        now=now,
        expires_at=now + timedelta(minutes=5),
    )
    for day in range(3):
        ask(account, HOSTILE[:200], "found", created_at=now - timedelta(days=day))
    ask(account, "Bluebird", "unavailable", reason="blocked")
    fail("NY", "blocked", detail=HOSTILE)
    sold = Lookup.objects.filter(cost__gt=0)[0]
    return [
        "/admin/",
        f"/admin/billing/account/{account.pk}/change/",
        f"/admin/billing/account/{account.pk}/grant/",
        f"/admin/lookups/lookup/{sold.pk}/change/",
        f"/admin/lookups/lookup/{sold.pk}/refund/",
        "/admin/lookups/lookup/refund-outage/?state=NY",
        "/admin/lookups/lookup/",
        "/admin/lookups/job/",
        "/admin/billing/account/",
        "/admin/jurisdictions/jurisdiction/NY/switch/",
        "/admin/jurisdictions/jurisdiction/health/",
        "/admin/billing/ledgerentry/finance/",
    ]


class TestTheAdmin:
    @pytest.mark.parametrize(("width", "color"), [(390, "dark"), (1440, "light")])
    def test_keeps_nobody_out(
        self, addresses: list[str], browser: Any, live_server: Any, width: int, color: str
    ) -> None:
        user, client = get_user_model().objects.create_superuser("root"), Client()
        client.force_login(user)
        context = chromium.person(browser, width=width, color=color)
        cookie = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        wrong = []
        for address in addresses:
            page = context.new_page()
            page.goto(live_server.url + address, wait_until="networkidle")
            found = [*chromium.judge(page), *(f"overflow: {one}" for one in chromium.list_overflow(page))]
            wrong += [f"{address}: {one}" for one in found]
            page.close()
        context.close()
        assert not wrong, "\n".join(wrong)
