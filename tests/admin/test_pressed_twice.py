"""A button of the admin that is pressed again while its answer is on its way, in a browser."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from billing import accounts, keys
from billing.models import ApiKey
from tests.browser import chromium

pytestmark = pytest.mark.slow


class TestAKey:
    def test_rotated_by_two_clicks_is_shown_and_not_lost(
        self, transactional_db: None, browser: Any, live_server: Any
    ) -> None:
        account = accounts.open_account(name="Acme", email="", now=timezone.now())
        old, _ = keys.issue(account=account, name="server", now=timezone.now())
        context = chromium.person(browser)
        client = Client()
        client.force_login(get_user_model().objects.create_superuser("root"))
        cookie = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        page: Any = context.new_page()
        sent: list[Any] = []

        def arrive_late(route: Any) -> None:
            """The first is on its way until the button was pressed again."""
            if route.request.method != "POST":
                route.continue_()
                return
            sent.append(route)
            if len(sent) == 1:
                page.mouse.click(*place)
                page.mouse.click(*place)
            route.continue_()

        page.route("**/rotate/", arrive_late)
        page.goto(f"{live_server.url}/admin/billing/apikey/{old.pk}/rotate/")
        box = page.get_by_role("button", name="Continue").bounding_box()
        place = (box["x"] + 10, box["y"] + 10)
        page.mouse.click(*place)
        secret = page.locator("#secret").inner_text()
        assert ApiKey.objects.get(replaces=old).prefix == secret[: len(old.prefix)]
        assert len(sent) == 1
        context.close()
