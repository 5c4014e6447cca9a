"""What staff do by the pages stands in the audit log under its own word, and no page shows a secret again."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.apps import apps

from billing import accounts, keys, ledger
from billing.models import Account, ApiKey, AuditEvent
from tests.billing.conftest import NOW
from tests.billing.tampering import list_differences
from tests.sign_in.pages import list_addresses
from tests.sign_in.people import Browser, make_user
from tests.sign_in.populated import populate


@pytest.fixture
def root(switches: None) -> Browser:
    browser = Browser()
    browser.sign_in(make_user("root", is_superuser=True).username)
    return browser


@pytest.fixture
def account(db: None) -> Account:
    account = accounts.open_account(name="Acme", now=NOW)
    Account.objects.filter(pk=account.pk).update(webhook_url="https://acme.test/hook")
    account.refresh_from_db()
    return account


def last(kind: str) -> str:
    event = AuditEvent.objects.filter(kind=kind).first()
    assert event is not None, list(AuditEvent.objects.values_list("kind", "detail"))
    assert (event.actor, event.address != "", event.request_id != "") == ("root", True, True)
    return f"{event.subject}: {event.detail}"


class TestWhatStaffDo:
    def test_to_a_switch(self, root: Browser) -> None:
        address = "/admin/jurisdictions/jurisdiction/NY/switch/"
        assert root.post(address, {"to": "off", "sentence": "their wish"}).status_code == 302
        said = list(AuditEvent.objects.filter(kind="switched").values_list("subject", "detail"))
        assert ("jurisdictions.jurisdiction NY", "Change: Switched off: their wish.") in said

    def test_to_a_budget(self, root: Browser, account: Account) -> None:
        sent = {"name": "Acme", "email": "", "kind": "user", "is_active": "on", "monthly_budget": "3.14"}
        assert root.post(f"/admin/billing/account/{account.pk}/change/", sent).status_code == 302
        assert last("budget_set") == f"billing.account {account.pk}: Change: The monthly budget is 3.1400 USD."
        assert "Webhook url" in last("settings_changed")

    def test_to_money(self, root: Browser, account: Account) -> None:
        sent = {"lookups": "1", "reason": "trial", "token": "t", "confirm": "1"}
        root.post(f"/admin/billing/account/{account.pk}/grant/", sent)
        assert last("money_moved") == f"billing.account {account.pk}: Change: A grant of 0.0314 USD."
        charge = ledger.charge(
            account_id=account.pk, amount=10, idempotency_key="c", reference="", now=account.created_at
        )
        sent = {"dollars": "", "reason": "goodwill", "token": "u", "confirm": "1"}
        assert root.post(f"/admin/billing/ledgerentry/{charge.pk}/refund/", sent).status_code == 302
        assert f"Refunded 0.0010 USD of entry {charge.pk}" in last("money_moved")

    def test_stands_in_one_chain(self, root: Browser, account: Account) -> None:
        self.test_to_money(root, account)
        self.test_to_a_switch(root)
        assert list_differences() == []


class TestASecret:
    @pytest.fixture
    def shown(self, root: Browser, account: Account) -> list[str]:
        """Two keys, issued and rotated, each in the one moment in which it is shown."""
        issued = root.post(f"/admin/billing/account/{account.pk}/issue-key/", {"name": "k", "mode": "live"})
        address = f"/admin/billing/apikey/{ApiKey.objects.get().pk}/rotate/"
        replies = [issued, root.post(address, {"grace_hours": "1"})]
        assert all("no-store" in reply["Cache-Control"] for reply in replies)
        found = [re.search(keys.LEAKED_KEY_PATTERN, reply.content.decode()) for reply in replies]
        assert all(found)
        return [match[0] for match in found if match]

    def test_is_kept_nowhere(self, root: Browser, shown: list[str]) -> None:
        assert "of account" in last("key_issued")
        assert "its successor is" in last("key_rotated")
        kept = [str(list(model._default_manager.values())) for model in apps.get_models()]
        kept += [str(dict(root.session.items())), str(root.cookies)]
        assert not [secret for secret in shown if secret in "".join(kept)]

    def test_is_on_no_page_again(self, root: Browser, shown: list[str]) -> None:
        populate()
        skipped: list[Any] = []
        for name, address in list_addresses():
            if "logout" in name:
                skipped.append(address)
                continue
            reply = root.get(address)
            text = b"".join(reply) if reply.streaming else reply.content
            assert not [secret for secret in shown if secret.encode() in text], address
        assert len(skipped) <= 2
