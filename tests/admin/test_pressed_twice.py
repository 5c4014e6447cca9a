"""A button of the admin that is pressed again while its answer is on its way, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from billing import accounts, keys
from billing.models import Account, ApiKey
from jurisdictions.models import SwitchChange
from lookups.models import Job
from tests.browser import chromium

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(browser: Any, live_server: Any) -> Iterator[Any]:
    """A tab of somebody who may do everything."""
    context = chromium.person(browser)
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("root"))
    cookie = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    yield context.new_page()
    context.close()


def press(page: Any, address: str, button: str) -> list[Any]:
    """Press a button of this page, and twice more while the first is on its way there; what was sent."""
    box = page.get_by_role("button", name=button, exact=True).bounding_box()
    place, sent = (box["x"] + 10, box["y"] + 10), list[Any]()

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

    page.route(address, arrive_late)
    page.mouse.click(*place)
    return sent


class TestAKey:
    def test_rotated_by_two_clicks_is_shown_and_not_lost(self, page: Any, live_server: Any) -> None:
        account = accounts.open_account(name="Acme", email="", now=timezone.now())
        old, _ = keys.issue(account=account, name="server", now=timezone.now())
        page.goto(f"{live_server.url}/admin/billing/apikey/{old.pk}/rotate/")
        sent = press(page, "**/rotate/", "Continue")
        secret = page.locator("#secret").inner_text()
        assert ApiKey.objects.get(replaces=old).prefix == secret[: len(old.prefix)]
        assert len(sent) == 1


class TestAnAccount:
    def test_opened_by_two_clicks_is_one(self, page: Any, live_server: Any) -> None:
        page.goto(f"{live_server.url}/admin/billing/account/add/")
        page.get_by_label("Name").fill("Acme")
        sent = press(page, "**/add/", "Save")
        page.get_by_text("was added successfully").wait_for()
        assert (Account.objects.count(), len(sent)) == (1, 1)


class TestASwitch:
    def test_turned_by_two_clicks_is_shown_as_turned(self, page: Any, live_server: Any) -> None:
        call_command("sync_jurisdictions", verbosity=0)
        page.goto(f"{live_server.url}/admin/jurisdictions/jurisdiction/NY/switch/")
        page.get_by_label("What customers read").fill("They move this week.")
        sent = press(page, "**/switch/", "Switch off")
        page.get_by_text("New York is switched off.").wait_for()
        assert (SwitchChange.objects.count(), len(sent)) == (1, 1)


class TestAJob:
    def test_ended_by_two_clicks_is_shown_as_ended(self, page: Any, live_server: Any, failed_job: Job) -> None:
        Job.objects.update(status="pending", ended_at=None)
        page.goto(f"{live_server.url}/admin/lookups/job/{failed_job.pk}/change/")
        sent = press(page, "**/act/", "Try now")
        page.get_by_text("1 of 1 to be tried now.").wait_for()
        assert len(sent) == 1
