"""Usage, keys, webhooks and balance as a browser shows them: judged by axe and html-validate, hostile texts on each."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from billing import keys, ledger
from billing.models import TopUp
from lookups.models import Delivery, DeliveryAttempt, Lookup
from lookups.workspace.balance import paying
from tests.browser import chromium
from tests.lookups.test_top_up import cards_of_a_provider, notified  # noqa: F401  (a fixture)
from tests.workspace.conftest import Browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not chromium.VALIDATOR.exists(), reason="needs npm"),
]
HOSTILE = "<script>alert(1)</script>\u202e" + "W" * 60 + "\U0001f600"
LARGEST = 100_000  # bytes of a page
TABLES = ("usage/", "keys/", "webhooks/", "balance/")  # what has to fit beside the rail of a tablet


@pytest.fixture
def busy(office: Browser) -> Browser:
    """An account with something of everything, named by somebody who means no good."""
    now, account = timezone.now(), office.account
    key, _ = keys.issue(account=account, name=HOSTILE[:100], now=now, allowed_networks=["192.0.2.0/24"])
    keys.rotate(key=key, grace=timedelta(days=1), now=now)
    keys.set_budget(key=key, monthly_budget=10_000, now=now)
    for number in range(12):
        at = now - timedelta(days=number % 3)
        verdict = ("found", "not_found", "unavailable")[number % 3]
        Lookup.objects.create(
            account=account, key=key, state="NY", kind="entity", asked="Acme", created_at=at, ended_at=at,
            verdict=verdict, cost=314 if verdict == "found" else 0, price=314,
        )  # fmt: skip
        ledger.charge(
            account_id=account.pk, amount=314, idempotency_key=f"{number}", reference=f"NY {HOSTILE}", now=now, key=key
        )
    row = Delivery.objects.create(
        account=account, livemode=True, channel="webhook", event="watch.digest", status="given_up", attempts=3,
        address=f"https://hooks.example.com/{'a' * 200}", last_answer=HOSTILE, created_at=now,
        body=json.dumps({"name": HOSTILE, "officers": ["ADA MERRILL"] * 400}),
    )  # fmt: skip
    DeliveryAttempt.objects.create(delivery=row, at=now, status_code=500, error=HOSTILE, duration_ms=5, excerpt=HOSTILE)
    return office


def test_pages_keep_nobody_out_and_run_nothing(busy: Browser, live_server: Any, browser: Any, tmp_path: Path) -> None:
    key, row = keys.ApiKey.objects.of_programs().latest("pk"), Delivery.objects.get()
    paths = [
        *("usage/", "keys/", "keys/new/", f"keys/{key.public_id}/", f"keys/{key.public_id}/rotate/"),
        *(f"keys/{key.public_id}/revoke/", "webhooks/", f"webhooks/{row.message_id}/", "webhooks/secret/"),
        *("balance/", "balance/statement/", "balance/receipts/"),
    ]
    cookie = {"name": settings.WORKSPACE_COOKIE_NAME, "value": busy.cookies[settings.WORKSPACE_COOKIE_NAME].value}
    documents, found = {}, []
    for width, color in ((390, "dark"), (768, "light")):
        context = chromium.person(browser, width=width, color=color)
        context.add_cookies([cookie | {"url": live_server.url}])
        page = context.new_page()
        complaints = chromium.listen(page)
        for path in paths if width == 390 else TABLES:
            reply = page.goto(f"{live_server.url}/app/{path}")
            assert reply is not None
            assert reply.status == 200, path
            documents[path.replace("/", "-")] = reply.text()
            wrong = complaints + chromium.list_overflow(page) + (chromium.judge(page) if width == 390 else [])
            found += [f"{path} {width}: {one}" for one in wrong]
            complaints.clear()
        context.close()
    assert found == []
    assert {name: len(text.encode()) for name, text in documents.items() if len(text.encode()) > LARGEST} == {}
    assert chromium.validate(documents, tmp_path) == []


def test_a_key_is_made_and_copied_without_a_mouse(office: Browser, live_server: Any, browser: Any) -> None:
    context = chromium.person(browser)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live_server.url)
    value = office.cookies[settings.WORKSPACE_COOKIE_NAME].value
    context.add_cookies([{"name": settings.WORKSPACE_COOKIE_NAME, "value": value, "url": live_server.url}])
    page = context.new_page()
    page.goto(f"{live_server.url}/app/keys/")
    page.get_by_role("link", name="New key").press("Enter")
    page.get_by_role("textbox", name="Name").fill("nightly import")
    page.get_by_label("bulk: bulk jobs").press("Space")
    page.get_by_role("button", name="Make the key").press("Enter")
    page.get_by_role("heading", name="Copy the secret now").wait_for()
    page.get_by_role("button", name="Copy Secret").press("Enter")
    page.get_by_text("Copied.").wait_for()
    secret = page.evaluate("navigator.clipboard.readText()")
    made = keys.verify(secret=secret, now=timezone.now())
    assert (made.name, made.scopes) == ("nightly import", ["bulk"])
    context.close()


def test_a_payment_that_is_awaited_comes_without_a_word_lost_of_what_is_typed_meanwhile(
    office: Browser, live_server: Any, browser: Any, cards: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paying, "PAUSE", 1)
    office.post("/app/balance/topup/", {"amount": "31.40"})
    paid = TopUp.objects.get()
    page = chromium.enter(browser, office, live_server.url)
    page.goto(f"{live_server.url}/app/balance/")
    page.goto(f"{live_server.url}/app/balance/topup/done/?topup={paid.pk}")
    page.get_by_text("this page looks again by itself").wait_for()
    page.get_by_label("Monthly budget in USD").fill("250")
    with page.expect_response("**/done/?*look=2"):
        pass
    notified("evt_1", str(paid.session_id), cents=3140)
    page.get_by_role("status").get_by_text("31.4000 USD have been added").wait_for()
    page.locator(".figures").get_by_text("131.7140").wait_for()
    page.get_by_role("table").get_by_text("pi_1").wait_for()
    assert page.get_by_label("Monthly budget in USD").input_value() == "250"
    page.go_back()
    assert page.url == f"{live_server.url}/app/balance/"
    page.context.close()
