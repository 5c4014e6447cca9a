"""The admin's own pages in a browser: nothing that keeps people out, nothing that scrolls sideways on a phone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from billing import accounts, grants, keys, ledger
from billing.models import Account
from jurisdictions import services
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
    def test_keeps_nobody_out(self, addresses: list[str], browser: Any, live_server: Any) -> None:
        """Every other page on a phone in the dark, the others on a desktop; how wide they are is seen below."""
        wrong = []
        for first, (width, color) in enumerate([(390, "dark"), (1440, "light")]):
            context = sign_in(browser, live_server, width=width, color=color)
            page = context.new_page()
            for address in addresses[first::2]:
                page.goto(live_server.url + address, wait_until="networkidle")
                found = [*chromium.judge(page), *(f"overflow: {one}" for one in chromium.list_overflow(page))]
                wrong += [f"{address}: {one}" for one in found]
            context.close()
        assert not wrong, "\n".join(wrong)

    def test_moves_nothing_sideways_on_a_phone_in_letters_of_twice_their_size(
        self, addresses: list[str], browser: Any, live_server: Any
    ) -> None:
        with chromium.with_large_letters(browser) as large:
            page, wrong = sign_in(large, live_server, width=390).new_page(), []
            for address in addresses:
                page.goto(live_server.url + address, wait_until="networkidle")
                wrong += [f"{address}: {one}" for one in chromium.list_overflow(page)]
            page.context.close()
        assert not wrong, "\n".join(wrong)

    def test_shows_a_mark_on_a_phone_beside_the_menu_and_the_way_back(
        self, addresses: list[str], browser: Any, live_server: Any, settings: Any
    ) -> None:
        """It lay on both where a page has buttons, and left nothing of the page's name."""
        settings.GRANT_CEILING = 1
        account = Account.objects.get(name=HOSTILE)
        named: dict[str, Any] = {"kind": "grant", "reason": "trial", "note": "", "operator": "dana", "token": "t"}
        grants.give(account_id=account.pk, amount=50_000, now=timezone.now(), **named)
        page = sign_in(browser, live_server, width=390).new_page()
        page.goto(f"{live_server.url}/admin/billing/account/{account.pk}/change/", wait_until="networkidle")
        mark = page.get_by_text("1 grant waits for a second person").bounding_box()
        back = page.get_by_title("Go back").bounding_box()
        name = page.locator("#header-inner h1 a").last.bounding_box()
        assert mark is not None
        assert back is not None
        assert name is not None
        assert back["x"] + back["width"] < mark["x"]
        assert name["width"] > 30
        assert name["x"] + name["width"] < mark["x"]
        page.context.close()

    def test_tells_rows_beneath_another_apart_on_a_phone_and_names_their_columns_whole(
        self, addresses: list[str], browser: Any, live_server: Any
    ) -> None:
        """They have no title each; a column's name was broken within its word beside a long sentence."""
        named = {"sentence": "A wall since Monday, seen by three people in a row.", "operator": "dana", "why": "wall"}
        for enabled in (False, True):
            services.turn_switch(code="NY", enabled=enabled, terms="forbidden. " * 9, now=timezone.now(), **named)
        page = sign_in(browser, live_server, width=390).new_page()
        page.goto(f"{live_server.url}/admin/jurisdictions/jurisdiction/NY/change/", wait_until="networkidle")
        cells = page.locator("tbody td.field-tabular")
        assert cells.count() == 12
        names = cells.evaluate_all("all => all.map(one => parseFloat(getComputedStyle(one, '::before').height))")
        assert max(names) < 30
        first = page.locator("tbody + tbody td.field-at")
        assert first.evaluate("one => parseFloat(getComputedStyle(one).borderTopWidth)") > 2
        page.context.close()


def sign_in(browser: Any, live_server: Any, *, width: int, color: str = "light") -> Any:
    """A window of a superuser's."""
    client = Client()
    client.force_login(get_user_model().objects.create_superuser(f"root at {width}"))
    context = chromium.person(browser, width=width, color=color)
    cookie = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    return context
