"""What staff can do: move money with a name and a reason, and nothing behind the ledger's back."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import Any
from unittest.mock import Mock

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError

from billing import accounts, keys, ledger, reconciliation, selectors, tasks, topups
from billing.accounting import chart
from billing.ledger_errors import InsufficientFunds
from billing.models import Account, ApiKey, AuditEvent, Invitation, LedgerEntry, Payment, TopUp
from billing.payments import booking
from lookups.jobs import broker
from tests.billing import stubs
from tests.billing.conftest import NOW
from tests.billing.test_topups import cards, event, receive
from tests.lookups.conftest import at_once

__all__ = ["at_once", "cards"]  # fixtures

VIEWS = [
    "view_account",
    "view_ledgerentry",
    "view_hold",
    "view_apikey",
    "view_reconciliation",
    "view_difference",
    "view_payment",
    "view_topup",
    "view_providerevent",
    "view_reversal",
]


def staff(name: str, *permissions: str) -> Client:
    user = get_user_model().objects.create_user(name, password=None, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="billing", codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def dana(db: None) -> Client:
    """Staff who may move money and manage keys."""
    return staff("dana", *VIEWS, "move_money", "add_account", "change_account", "add_apikey", "change_apikey")


@pytest.fixture
def sam(db: None) -> Client:
    """Staff who may only look."""
    return staff("sam", *VIEWS)


def url(name: str, *args: Any) -> str:
    return reverse(f"admin:billing_{name}", args=args)


def token_in(page: Any) -> str:
    found = re.search(r'name="token" value="(\w+)"', page.content.decode())
    assert found
    return found[1]


def move(client: Client, address: str, **data: Any) -> Any:
    """Fill in, read the confirmation, confirm; return the confirmation page."""
    data["token"] = token_in(client.get(address))
    page = client.post(address, data)
    assert page.status_code == 200
    done = client.post(address, {**data, "confirm": "1"})
    assert done.status_code == 302, done.content.decode()[-3000:]
    return page


def moved() -> list[str]:
    """What the audit log has of money."""
    events = AuditEvent.objects.filter(kind="money_moved").order_by("pk")
    return [event.detail.removeprefix("Change: ") for event in events]


class TestSigningIn:
    def test_without_a_place_to_go_leads_to_the_admin(self, db: None) -> None:
        get_user_model().objects.create_superuser("root", password="correct horse battery")
        reply = Client().post("/admin/login/", {"login": "root", "password": "correct horse battery"})
        assert (reply.status_code, reply["Location"]) == (302, "/admin/")


class TestStaffWithoutAnyPermission:
    def test_reach_nothing_of_billing(self, db: None, account: Account) -> None:
        stranger = staff("stranger")
        for name in ("account_grant_credit", "account_adjust_balance", "account_statement", "account_change"):
            assert stranger.get(url(name, account.pk)).status_code == 403, name
        entry = account.entries.get()
        assert stranger.post(url("ledgerentry_refund", entry.pk), {"confirm": "1"}).status_code == 403
        assert account.entries.count() == 1


class TestGrantingCredit:
    @pytest.fixture
    def address(self, account: Account) -> str:
        return url("account_grant_credit", account.pk)

    def test_in_lookups_names_the_operator_and_the_reason(self, dana: Client, account: Account, address: str) -> None:
        page = move(dana, address, lookups="100", reason="goodwill", note="sorry for Monday")
        assert "3.4540 USD" in page.content.decode()
        entry = account.entries.first()
        assert entry is not None
        assert (entry.kind, entry.amount, entry.operator) == ("deposit", 31_400, "dana")
        assert (entry.source, entry.reason, entry.note) == ("staff", "goodwill", "sorry for Monday")

    def test_in_dollars_is_exact(self, dana: Client, account: Account, address: str) -> None:
        move(dana, address, dollars="3.1401", reason="trial")
        assert selectors.get_balance(account.pk).available == 3140 + 31_401

    def test_confirmed_twice_happens_once(self, dana: Client, account: Account, address: str) -> None:
        data = {"lookups": "1", "reason": "trial", "token": "abc", "confirm": "1"}
        assert [dana.post(address, data).status_code for _ in range(2)] == [302, 302]
        assert account.entries.count() == 2
        assert moved() == ["A grant of 0.0314 USD."]

    def test_that_waits_for_a_second_person_is_asked_for_once(
        self, dana: Client, account: Account, address: str, settings: Any
    ) -> None:
        settings.GRANT_CEILING = 0
        data = {"lookups": "1", "reason": "trial", "token": "abc", "confirm": "1"}
        assert [dana.post(address, data).status_code for _ in range(2)] == [302, 302]
        assert moved() == ["A grant of 0.0314 USD waits for a second person."]

    def test_is_not_done_before_it_is_confirmed(self, dana: Client, account: Account, address: str) -> None:
        dana.post(address, {"lookups": "1", "reason": "trial", "token": "abc"})
        assert account.entries.count() == 1

    @pytest.mark.parametrize("data", [{}, {"dollars": "1", "lookups": "1"}, {"dollars": "0.00001"}, {"dollars": "-1"}])
    def test_of_an_unclear_amount_is_asked_again(
        self, dana: Client, account: Account, address: str, data: dict[str, str]
    ) -> None:
        page = dana.post(address, {**data, "reason": "trial", "confirm": "1"})
        assert page.status_code == 200
        assert account.entries.count() == 1

    def test_is_refused_to_staff_without_the_permission(self, sam: Client, account: Account, address: str) -> None:
        assert sam.get(address).status_code == 403
        assert sam.post(address, {"lookups": "1", "reason": "trial", "confirm": "1"}).status_code == 403
        assert account.entries.count() == 1
        assert "Grant credit" not in sam.get(url("account_change", account.pk)).content.decode()


class TestAdjusting:
    def test_downwards_is_confirmed_and_named(self, dana: Client, account: Account) -> None:
        move(dana, url("account_adjust_balance", account.pk), dollars="-0.1", reason="correction")
        entry = account.entries.first()
        assert entry is not None
        assert (entry.kind, entry.amount, entry.operator) == ("adjust", -1000, "dana")

    def test_below_zero_is_explained(self, dana: Client, account: Account) -> None:
        data = {"dollars": "-1", "reason": "correction", "token": "t"}
        for confirmed in ({}, {"confirm": "1"}):
            page = dana.post(url("account_adjust_balance", account.pk), data | confirmed).content.decode()
            assert "1.0000 USD are needed and 0.3140 USD are available" in page
            assert "This is what will happen" not in page

    def test_is_refused_to_staff_without_the_permission(self, sam: Client, account: Account) -> None:
        assert sam.post(url("account_adjust_balance", account.pk), {"confirm": "1"}).status_code == 403


class TestRefunding:
    def test_a_charge_gives_all_of_it_back(self, dana: Client, account: Account) -> None:
        entry = ledger.charge(account_id=account.pk, amount=314, idempotency_key="c", reference="lookup 7", now=NOW)
        page = move(dana, url("ledgerentry_refund", entry.pk), reason="wrong_answer")
        assert "lookup 7" in page.content.decode()
        assert selectors.get_balance(account.pk).spent == 0

    def test_a_charge_confirmed_twice_is_done_and_kept_once(self, dana: Client, account: Account) -> None:
        entry = ledger.charge(account_id=account.pk, amount=314, idempotency_key="c", reference="", now=NOW)
        data = {"reason": "goodwill", "token": "t", "confirm": "1"}
        for _ in range(2):
            assert dana.post(url("ledgerentry_refund", entry.pk), data).status_code == 302
        assert moved() == [f"Refunded 0.0314 USD of entry {entry.pk}."]

    def test_more_than_was_charged_is_explained(self, dana: Client, account: Account) -> None:
        entry = ledger.charge(account_id=account.pk, amount=314, idempotency_key="c", reference="", now=NOW)
        data = {"dollars": "1", "reason": "goodwill", "token": "t", "confirm": "1"}
        assert "Only 0.0314 USD" in dana.post(url("ledgerentry_refund", entry.pk), data).content.decode()

    def test_of_nothing_is_not_one_of_all(self, dana: Client, account: Account) -> None:
        entry = ledger.charge(account_id=account.pk, amount=314, idempotency_key="c", reference="", now=NOW)
        data = {"dollars": "0", "reason": "goodwill", "token": "t", "confirm": "1"}
        page = dana.post(url("ledgerentry_refund", entry.pk), data)
        assert (page.status_code, "errorlist" in page.content.decode()) == (200, True)
        assert not LedgerEntry.objects.filter(kind="refund").exists()

    def test_that_cannot_happen_is_not_shown_as_what_will(self, dana: Client, account: Account) -> None:
        entry = ledger.charge(account_id=account.pk, amount=314, idempotency_key="c", reference="", now=NOW)
        address, data = url("ledgerentry_refund", entry.pk), {"reason": "goodwill", "token": "t"}
        page = dana.post(address, {**data, "dollars": "1"}).content.decode()
        assert "Only 0.0314 USD" in page
        assert "This is what will happen" not in page
        other_tab = {**data, "token": "u"}
        assert "0.0314 USD" in dana.post(address, other_tab).content.decode()
        assert dana.post(address, {**data, "confirm": "1"}).status_code == 302
        page = dana.post(address, other_tab).content.decode()
        assert "Only 0.0000 USD" in page
        assert "This is what will happen" not in page

    def test_what_was_paid_with_its_request_is_not_offered(self, dana: Client, account: Account) -> None:
        Account.objects.filter(pk=account.pk).update(role="pay_per_request")
        entry = ledger.charge(account_id=account.pk, amount=314, idempotency_key="c", reference="", now=NOW)
        data = {"reason": "goodwill", "token": "t", "confirm": "1"}
        for ask in (dana.get, dana.post):
            page = ask(url("ledgerentry_refund", entry.pk), data, follow=True)
            assert "where it was paid" in page.content.decode()
        assert not LedgerEntry.objects.filter(kind="refund").exists()

    def test_a_deposit_is_not_offered(self, dana: Client, account: Account) -> None:
        assert dana.get(url("ledgerentry_refund", account.entries.get().pk)).status_code == 302


class TestAnAccount:
    def test_opened_by_staff_starts_with_its_free_lookups(self, dana: Client) -> None:
        dana.post(url("account_add"), {"name": "New", "email": "n@example.test", "kind": "user"})
        assert selectors.get_balance(Account.objects.get(name="New").pk).available == 3140

    def test_edited_meanwhile_keeps_what_the_ledger_wrote(self, dana: Client, account: Account) -> None:
        data = {"name": "Renamed", "email": "", "kind": "user", "is_active": "on"}
        dana.post(url("account_change", account.pk), {**data, "available": "999999"})
        account.refresh_from_db()
        assert (account.name, account.available) == ("Renamed", 3140)

    def test_has_its_monthly_budget_in_dollars(self, dana: Client, sam: Client, account: Account) -> None:
        data = {"name": "Acme", "email": "", "kind": "user", "is_active": "on", "monthly_budget": "3.14"}
        dana.post(url("account_change", account.pk), data)
        account.refresh_from_db()
        assert account.monthly_budget == 31_400
        for client in (dana, sam):
            assert "3.1400" in client.get(url("account_change", account.pk)).content.decode()

    def test_is_not_set_to_an_age_that_no_date_has(self, dana: Client, account: Account) -> None:
        """Its lookups from stored records were all an error 500."""
        data = {"name": "Acme", "email": "", "kind": "user", "is_active": "on"}
        page = dana.post(url("account_change", account.pk), {**data, "max_cache_age_days": "2000000000"})
        assert "less than or equal to 365" in page.content.decode()
        assert dana.post(url("account_change", account.pk), {**data, "max_cache_age_days": "365"}).status_code == 302
        account.refresh_from_db()
        assert account.max_cache_age_days == 365

    def test_shows_its_statement_and_gives_it_as_csv(self, sam: Client, account: Account) -> None:
        address = url("account_statement", account.pk)
        assert "0.3140" in sam.get(address).content.decode()
        all_days = {"since": "0001-01-01", "until": "9999-12-31"}
        assert "0.3140" in sam.get(address, all_days).content.decode()
        sheet = sam.get(address, {"csv": "1"})
        assert b"free_grant" in b"".join(sheet.streaming_content)  # type: ignore[attr-defined]

    def test_says_in_its_statement_why_money_went_back_in_words(self, sam: Client, account: Account) -> None:
        back = {"source": "card", "reason": "dispute_won", "now": timezone.now()}
        ledger.reverse(account_id=account.pk, amount=5, idempotency_key="back", reference="pi_1", note="dp_1", **back)
        assert "dispute won" in sam.get(url("account_statement", account.pk)).content.decode()


class TestFreeService:
    """The kind "internal": nothing is charged, so giving it moves money."""

    DATA = {"name": "Acme", "email": "", "is_active": "on"}

    @pytest.fixture
    def clerk(self, db: None) -> Client:
        """Staff who may change accounts and move no money."""
        return staff("clerk", *VIEWS, "add_account", "change_account")

    def test_is_not_given_by_a_clerk(self, clerk: Client, account: Account) -> None:
        page = clerk.get(url("account_change", account.pk)).content.decode()
        assert 'name="kind"' not in page
        clerk.post(url("account_change", account.pk), {**self.DATA, "name": "Renamed", "kind": "internal"})
        account.refresh_from_db()
        assert (account.name, account.kind) == ("Renamed", "user")

    def test_is_not_given_by_a_clerk_who_opens_an_account(self, clerk: Client) -> None:
        clerk.post(url("account_add"), {"name": "New", "email": "", "kind": "internal"})
        assert Account.objects.get(name="New").kind == "user"

    def test_is_not_taken_by_a_clerk(self, clerk: Client, internal: Account) -> None:
        clerk.post(url("account_change", internal.pk), {**self.DATA, "kind": "user"})
        internal.refresh_from_db()
        assert internal.kind == "internal"

    def test_is_given_with_the_right_to_move_money_and_stands_in_the_history(
        self, dana: Client, account: Account
    ) -> None:
        dana.post(url("account_change", account.pk), {**self.DATA, "kind": "internal"})
        account.refresh_from_db()
        assert account.kind == "internal"
        assert "The kind is internal; it was user." in dana.get(url("account_history", account.pk)).content.decode()
        dana.post(url("account_add"), {"name": "New", "email": "", "kind": "internal"})
        new = Account.objects.get(name="New")
        assert "The kind is internal" in dana.get(url("account_history", new.pk)).content.decode()


class TestAnAccountOfTheServiceItself:
    """What is paid with its request is booked on one, what people try on the first page on another; nobody has them."""

    @pytest.fixture(params=[accounts.pay_per_request_account, accounts.demo_account])
    def kept(self, db: None, request: pytest.FixtureRequest) -> Account:
        kept: Account = request.param(now=NOW)
        return kept

    def test_gets_no_key_which_would_ask_for_nothing_or_in_vain(self, dana: Client, kept: Account) -> None:
        data = {"name": "mine", "mode": "live"}
        assert dana.post(url("account_issue_key", kept.pk), data).status_code == 404
        assert not kept.keys.exists()

    def test_gets_no_credit_that_nobody_could_spend(self, dana: Client, kept: Account) -> None:
        data = {"dollars": "5", "reason": "goodwill", "token": "t", "confirm": "1"}
        assert dana.post(url("account_grant_credit", kept.pk), data).status_code == 404
        page = dana.get(url("account_change", kept.pk)).content.decode()
        assert "Grant credit" not in page
        assert "Issue a key" not in page
        assert "Adjust balance" in page

    def test_is_not_closed(self, dana: Client, kept: Account) -> None:
        data = {"name": kept.name, "email": "", "kind": kept.kind}
        assert dana.post(url("account_change", kept.pk), data).status_code == 403
        kept.refresh_from_db()
        assert kept.is_active

    def test_takes_nobody_in(self, kept: Account) -> None:
        sent = {"account": kept.pk, "email": "ada@quay.test", "role": "owner"}
        page = staff("root", "add_invitation", "view_account").post(url("invitation_add"), sent)
        assert "The service keeps this account itself: nobody works in it." in page.content.decode()
        assert not Invitation.objects.exists()


class TestAKey:
    def issue(self, client: Client, account: Account, **data: Any) -> Any:
        return client.post(url("account_issue_key", account.pk), {"name": "server", "mode": "live", **data})

    def name_of_form(self, client: Client, account: Account) -> str:
        """What the form says that the key is to be called by."""
        return str(client.get(url("account_issue_key", account.pk)).context["form"]["named"].value())

    def test_shows_its_secret_once_on_a_page_nothing_stores(self, dana: Client, account: Account) -> None:
        assert "may do everything but reconcile" in dana.get(url("account_issue_key", account.pk)).content.decode()
        page = self.issue(dana, account, scopes=["lookup"])
        found = re.search(keys.LEAKED_KEY_PATTERN, page.content.decode())
        assert found
        assert "no-store" in page["Cache-Control"]
        key = keys.verify(secret=found[0], now=NOW + timedelta(days=1))
        assert (key.account, key.scopes) == (account, ["lookup"])
        shown = dana.get(url("apikey_change", key.pk)).content.decode()
        assert found[0] not in shown

    def test_is_one_where_its_page_is_loaded_again(self, dana: Client, account: Account) -> None:
        named, other = (self.name_of_form(dana, account) for _ in "ab")
        assert re.search(keys.LEAKED_KEY_PATTERN, self.issue(dana, account, named=named).content.decode())
        again = self.issue(dana, account, named=named)
        key = ApiKey.objects.of_programs().get()
        assert again["Location"] == url("apikey_change", key.pk)
        assert "made one key" in dana.get(again["Location"]).content.decode()
        self.issue(dana, account, named=other)
        assert ApiKey.objects.of_programs().count() == 2

    def test_is_revoked_after_a_question(self, dana: Client, key: ApiKey) -> None:
        address = url("apikey_revoke", key.pk)
        assert "refused from that moment" in dana.get(address).content.decode()
        dana.post(address)
        key.refresh_from_db()
        assert key.revoked_at is not None
        for ask in (dana.get, dana.post):
            assert "was revoked before" in ask(address, follow=True).content.decode()
        kept = AuditEvent.objects.filter(subject=f"billing.apikey {key.pk}", detail="Change: Revoked.")
        assert kept.count() == 1

    def test_that_would_open_nothing_is_not_handed_out(self, dana: Client, account: Account, key: ApiKey) -> None:
        today = timezone.now().date()
        for day in ("0001-01-01", today.isoformat()):
            assert "still to come" in self.issue(dana, account, expires=day).content.decode()
        later = today + timedelta(days=2)  # it may be midnight before the form is read
        assert re.search(keys.LEAKED_KEY_PATTERN, self.issue(dana, account, expires=f"{later}").content.decode())
        Account.objects.filter(pk=account.pk).update(is_active=False)
        number = ApiKey.objects.count()
        for address in (url("account_issue_key", account.pk), url("apikey_rotate", key.pk)):
            for ask in (dana.get, dana.post):
                page = ask(address, {"name": "server", "mode": "live", "grace_hours": "24"}, follow=True)
                assert "The account is closed" in page.content.decode()
        assert ApiKey.objects.count() == number

    def test_for_a_spreadsheet_is_for_nothing_else_but_to_make_such_keys(self, dana: Client, account: Account) -> None:
        refused = self.issue(dana, account, scopes=["lookup", "reconcile"]).content.decode()
        assert "Choose reconcile alone" in refused
        assert not ApiKey.objects.of_programs().exists()
        for scopes in (["reconcile"], ["keys", "reconcile"]):
            page = self.issue(dana, account, scopes=scopes).content.decode()
            assert re.search(keys.LEAKED_KEY_PATTERN, page)

    def test_for_a_spreadsheet_is_not_made_one_that_its_address_refuses(self, dana: Client, key: ApiKey) -> None:
        page, sent = url("apikey_change", key.pk), {"name": "sheet", "scopes": ["lookup", "reconcile"]}
        assert "Choose reconcile alone" in dana.post(page, sent).content.decode()
        key.refresh_from_db()
        assert "reconcile" not in key.scopes
        dana.post(page, {**sent, "scopes": ["reconcile"]})
        key.refresh_from_db()
        assert key.scopes == ["reconcile"]

    def test_is_rotated_with_a_grace_time(self, dana: Client, key: ApiKey) -> None:
        page = dana.post(url("apikey_rotate", key.pk), {"grace_hours": "24"})
        assert re.search(keys.LEAKED_KEY_PATTERN, page.content.decode())
        assert ApiKey.objects.get(replaces=key).account == key.account

    def test_rotated_by_a_form_that_is_sent_twice_leads_to_the_successor(self, dana: Client, key: ApiKey) -> None:
        """Who presses twice sees the second answer alone: it said nothing of the key whose secret was lost with it."""
        page = url("apikey_rotate", key.pk)
        named = str(dana.get(page).context["form"]["named"].value())
        dana.post(page, {"grace_hours": "24", "named": named})
        again = dana.post(page, {"grace_hours": "24", "named": named})
        made = ApiKey.objects.get(replaces=key)
        assert (again["Location"], str(made.uuid)) == (url("apikey_change", made.pk), named)
        assert "Its secret was shown the first time" in dana.get(again["Location"]).content.decode()
        other = dana.post(page, {"grace_hours": "24"}, follow=True).content.decode()
        assert "was rotated before" in other

    def test_renamed_keeps_what_was_counted_meanwhile(self, key: ApiKey, rf: RequestFactory) -> None:
        keys.set_budget(key=key, monthly_budget=3140, now=timezone.now())
        opened = ApiKey.objects.get(pk=key.pk)
        ApiKey.objects.filter(pk=key.pk).update(budget_used=314)
        opened.name = "renamed"
        form = Mock(changed_data=["name"])
        admin.site.get_model_admin(ApiKey).save_model(rf.post("/"), opened, form, change=True)
        key.refresh_from_db()
        assert (key.name, key.budget_used) == ("renamed", 314)

    def test_is_never_deleted(self, key: ApiKey) -> None:
        root = staff("root", "view_apikey", "change_apikey", "delete_apikey")
        assert root.post(url("apikey_delete", key.pk), {"post": "yes"}).status_code == 403
        root.post(url("apikey_changelist"), {"action": "delete_selected", "_selected_action": [key.pk], "post": "yes"})
        assert ApiKey.objects.filter(pk=key.pk).exists()

    def test_given_a_budget_counts_from_then_on(self, dana: Client, key: ApiKey) -> None:
        dana.post(url("apikey_change", key.pk), {"name": "server", "monthly_budget": "0.07"})
        key.refresh_from_db()
        assert (key.monthly_budget, key.budget_used) == (700, 0)
        key.budget_used = 5
        key.save()
        assert 'value="0.0700"' in dana.get(url("apikey_change", key.pk)).content.decode()
        dana.post(url("apikey_change", key.pk), {"name": "renamed", "monthly_budget": "0.0700"})
        key.refresh_from_db()
        assert (key.name, key.monthly_budget, key.budget_used) == ("renamed", 700, 5)  # the budget was not set anew

    def test_is_bound_to_networks_when_it_is_issued_and_later(self, dana: Client, account: Account) -> None:
        self.issue(dana, account, allowed_networks="192.0.2.7\n 2001:db8::/32")
        key = ApiKey.objects.get()
        assert key.allowed_networks == ["192.0.2.7/32", "2001:db8::/32"]
        address = url("apikey_change", key.pk)
        assert "192.0.2.7/32\n2001:db8::/32" in dana.get(address).content.decode()
        page = dana.post(address, {"name": "server", "allowed_networks": "office"}).content.decode()
        assert "Send networks such as 192.0.2.0/24" in page
        page = dana.post(address, {"name": "server", "allowed_networks": "::1\n" * 21}).content.decode()
        assert "At most 20 networks." in page
        dana.post(address, {"name": "server", "allowed_networks": "198.51.100.0/24"})
        key.refresh_from_db()
        assert key.allowed_networks == ["198.51.100.0/24"]
        dana.post(address, {"name": "server", "allowed_networks": ""})
        key.refresh_from_db()
        assert key.allowed_networks == []

    def test_is_out_of_reach_for_staff_who_may_only_look(self, sam: Client, account: Account, key: ApiKey) -> None:
        assert self.issue(sam, account).status_code == 403
        for name in ("apikey_revoke", "apikey_rotate"):
            assert sam.post(url(name, key.pk), {"grace_hours": "1"}).status_code == 403


class TestTheLedger:
    def test_can_be_read_and_not_typed_into(self, dana: Client, account: Account) -> None:
        entry = account.entries.get()
        assert dana.get(url("ledgerentry_changelist")).status_code == 200
        page = dana.get(url("ledgerentry_change", entry.pk)).content.decode()
        assert page.count("0.3140") >= 3  # amount, change and what was left: in dollars
        assert "3140<" not in page.replace("0.3140", "")
        assert dana.post(url("ledgerentry_change", entry.pk), {"amount": "1"}).status_code == 403
        assert dana.get(url("ledgerentry_add")).status_code == 403
        assert dana.post(url("ledgerentry_delete", entry.pk)).status_code == 403

    def test_shows_open_holds(self, sam: Client, hold: Any) -> None:
        hold(314)
        assert "0.0314" in sam.get(url("hold_changelist")).content.decode()

    def test_has_a_finance_page_with_a_chart(self, sam: Client, account: Account) -> None:
        page = sam.get(url("ledgerentry_finance_page")).content.decode()
        assert "Outstanding credit" in page
        assert "<canvas" in page

    def test_that_does_not_add_up_is_told_on_top(self, sam: Client, account: Account) -> None:
        Account.objects.filter(pk=account.pk).update(available=1, deposited=1)
        reconciliation.run(now=NOW)
        assert "The books do not agree: 1 difference " in sam.get(url("ledgerentry_finance_page")).content.decode()
        page = sam.get(url("reconciliation_changelist")).content.decode()
        assert "MISMATCH" in page
        assert "Ledger mismatch" in page

    def test_that_does_not_add_up_leads_nobody_to_what_they_may_not_see(self, sam: Client, account: Account) -> None:
        Account.objects.filter(pk=account.pk).update(available=1, deposited=1)
        reconciliation.run(now=NOW)
        address, page = reverse("admin:billing_difference_changelist"), url("ledgerentry_finance_page")
        assert f"{address}?gone_at" in sam.get(page).content.decode()
        supporter = staff("pat", "view_ledgerentry").get(page).content.decode()
        assert "The books do not agree" in supporter
        assert address not in supporter

    def test_can_be_compared_now_by_a_worker(self, sam: Client, account: Account) -> None:
        address, waiting = url("reconciliation_reconcile_now"), broker.list_depths()
        assert "Compare everything now?" in sam.get(address).content.decode()
        assert broker.list_depths() == waiting
        page = sam.post(address, follow=True).content.decode()
        assert "the result will be the first row of this list" in page
        assert waiting is not None
        assert broker.list_depths() == {**waiting, "upkeep": waiting["upkeep"] + 1}
        tasks.reconcile_whole()
        assert "agrees" in sam.get(url("reconciliation_changelist")).content.decode()

    def test_says_when_no_worker_can_be_called(self, sam: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: Any, **__: Any) -> None:
            raise OperationalError("connection refused")

        monkeypatch.setattr(tasks.reconcile_whole, "apply_async", refuse)
        page = sam.post(url("reconciliation_reconcile_now"), follow=True).content.decode()
        assert "The queue does not answer: nothing was started." in page

    def test_names_what_differs_and_takes_a_note(self, sam: Client, account: Account) -> None:
        Account.objects.filter(pk=account.pk).update(available=1, deposited=1)
        reconciliation.run(now=NOW)
        row = selectors.list_differences().get()
        listed = sam.get(url("difference_changelist")).content.decode()
        assert f"account {account.pk}" in listed
        assert "available (account: 0.0001, entries: 0.3140, last_entry: 0.3140)" in listed
        assert "The sums of an account" in sam.get(url("difference_change", row.pk)).content.decode()
        clerk = staff("clerk", *VIEWS, "change_difference")
        clerk.post(url("difference_change", row.pk), {"note": "asked the bank", "subject": "nothing", "gone_at": "x"})
        row.refresh_from_db()
        assert (row.note, row.subject, row.gone_at) == ("asked the bank", f"account {account.pk}", None)


class TestAPayment:
    @pytest.fixture
    def payment(self, db: None, settings: Any) -> Payment:
        settings.SANDBOX_PAYMENTS = True
        return Payment.objects.create(
            challenge_id="c",
            proof_hash="p",
            method="sandbox",
            purpose="lookup",
            amount=314,
            state="unknown",
            is_sandbox=True,
            created_at=NOW,
            proof={"token": "sandbox_paid", "challenge": "c"},
        )

    def test_of_unknown_outcome_is_asked_about_again(self, dana: Client, payment: Payment) -> None:
        address = url("payment_ask_again", payment.pk)
        assert "nothing is taken twice" in dana.get(address).content.decode()
        payment.refresh_from_db()
        assert payment.state == "unknown"  # a question alone does nothing
        assert "was unknown and is paid" in dana.post(address, follow=True).content.decode()
        assert "was paid and is paid" in dana.post(address, follow=True).content.decode()

    def test_is_seen_but_not_moved_by_staff_who_may_only_look(self, sam: Client, payment: Payment) -> None:
        address = url("payment_ask_again", payment.pk)
        assert sam.get(url("payment_change", payment.pk)).status_code == 200
        assert [sam.get(address).status_code, sam.post(address).status_code] == [403, 403]
        payment.refresh_from_db()
        assert payment.state == "unknown"

    def test_of_unknown_outcome_for_long_is_shown_on_every_page(self, sam: Client, payment: Payment) -> None:
        text = "1 payments of unknown outcome"
        assert text not in sam.get(reverse("admin:index")).content.decode()  # it is pretended
        Payment.objects.update(is_sandbox=False, settling_at=timezone.now())
        assert text not in sam.get(reverse("admin:index")).content.decode()  # anybody can bring about a new one
        Payment.objects.update(settling_at=timezone.now() - timedelta(hours=2))
        assert text in sam.get(reverse("admin:index")).content.decode()

    def test_of_the_version_before_counts_as_delivered_unless_it_was_found_later(self, payment: Payment) -> None:
        known = {"method": "tempo", "purpose": "lookup", "amount": 314, "state": "paid", "created_at": NOW}
        for name, detail in (("at once", ""), ("late", "found later; nothing was delivered for it")):
            named = {"challenge_id": name, "proof_hash": name, "detail": detail, "ended_at": NOW}
            Payment.objects.create(**named, **known)
        import_module("billing.migrations.0010_payments_taken_up_again").note_deliveries(apps, None)
        assert [one.challenge_id for one in selectors.list_undelivered_payments(NOW + timedelta(hours=1))] == ["late"]

    @pytest.fixture
    def owed(self, payment: Payment) -> Payment:
        """Paid by a transfer an hour ago, booked, and never delivered."""
        hour_ago = timezone.now() - timedelta(hours=1)
        Payment.objects.update(method="tempo", is_sandbox=False, payer="0xpayer", request_hash="r", created_at=hour_ago)
        payment.refresh_from_db()
        booking.complete(payment, reference="0x" + "a" * 64, now=hour_ago)
        return payment

    def test_that_is_not_delivered_is_given_back_by_a_named_transfer(self, dana: Client, owed: Payment) -> None:
        assert list(selectors.list_undelivered_payments(timezone.now())) == [owed]
        address, named = url("payment_give_back", owed.pk), "0x" + "b" * 64
        assert "0xpayer" in move(dana, address, reference=named).content.decode()
        assert list(selectors.list_undelivered_payments(timezone.now())) == []
        owed.refresh_from_db()
        entry = LedgerEntry.objects.get(kind="reversal")
        assert (owed.taken_back, entry.amount, entry.available_after) == (314, -314, 0)
        assert (entry.operator, entry.reason, entry.reference) == ("dana", "given_back", owed.reference)
        assert entry.note == f"given back: {named}"
        assert named in str(LogEntry.objects.get(object_id=str(owed.pk)))
        assert named in dana.get(url("reversal_changelist")).content.decode()
        books = chart.total(chart.list_entries())
        assert (books[chart.BookAccount.PAYER_REFUNDS].credit, books[chart.BookAccount.CASH].debit) == (314, 314)
        assert reconciliation.run(now=timezone.now()).differences == 0
        with pytest.raises(InsufficientFunds):  # to a claim that was under way meanwhile
            booking.deliver(owed, now=timezone.now())

    def test_is_not_given_back_by_what_is_no_transfer_or_was_another_ones(self, dana: Client, owed: Payment) -> None:
        address, named = url("payment_give_back", owed.pk), "0x" + "b" * 64
        for wrong in ("", "0xabc", "by hand", named.upper()):
            assert "errorlist" in dana.post(address, {"reference": wrong, "token": "t"}).content.decode(), wrong
        Payment.objects.create(
            challenge_id="d", proof_hash="q", method="tempo", purpose="lookup", amount=314, created_at=NOW
        )
        other = Payment.objects.get(challenge_id="d")
        booking.complete(other, reference="0x" + "c" * 64, now=NOW)
        move(dana, url("payment_give_back", other.pk), reference=named)
        page = dana.post(address, {"reference": named, "token": "t", "confirm": "1"})
        assert "was entered for another payment" in page.content.decode()
        assert list(selectors.list_undelivered_payments(timezone.now())) == [owed]

    def test_that_was_delivered_meanwhile_is_not_given_back(self, dana: Client, owed: Payment) -> None:
        address = url("payment_give_back", owed.pk)
        data = {"reference": "0x" + "b" * 64, "token": token_in(dana.get(address))}
        assert dana.post(address, data).status_code == 200
        booking.deliver(owed, now=timezone.now())
        page = dana.post(address, {**data, "confirm": "1"}, follow=True)
        assert "is given back, once" in page.content.decode()
        assert not LedgerEntry.objects.filter(kind="reversal").exists()

    def test_is_not_given_back_by_staff_without_the_permission(self, sam: Client, owed: Payment) -> None:
        address = url("payment_give_back", owed.pk)
        assert [sam.get(address).status_code, sam.post(address).status_code] == [403, 403]

    def test_and_top_ups_are_listed(self, sam: Client, payment: Payment, account: Account) -> None:
        TopUp.objects.create(account=account, amount=31_400, created_at=NOW, taken_back=100)
        assert "0.0314" not in sam.get(url("payment_changelist")).content.decode()  # it is pretended
        assert "0.0314" in sam.get(url("payment_changelist"), {"mode": "sandbox"}).content.decode()
        assert "3.1400" in sam.get(url("topup_changelist")).content.decode()
        assert sam.get(url("providerevent_changelist")).status_code == 200
        assert sam.post(url("payment_change", payment.pk), {"state": "paid"}).status_code == 403


class TestAPaymentThatGoesBack:
    """To the card by the provider, or gone by what staff has heard."""

    @pytest.fixture
    def topup(self, account: Account, cards: stubs.CardProvider) -> TopUp:
        ledger.deposit(account_id=account.pk, amount=31_400, idempotency_key="t", source="card", now=NOW)
        return TopUp.objects.create(
            account=account, amount=31_400, state="paid", payment_intent="pi_1", created_at=NOW, paid_at=NOW
        )

    def test_to_its_card_is_asked_of_the_provider_once_and_booked_when_that_says_so(
        self, dana: Client, account: Account, topup: TopUp, cards: stubs.CardProvider
    ) -> None:
        address = url("topup_refund_card", topup.pk)
        page = move(dana, address, dollars="1")
        assert "3.1400 USD" in page.content.decode()
        [asked] = cards.refunds
        assert (asked["payment_intent"], asked["amount"]) == ("pi_1", "100")
        assert selectors.get_balance(account.pk).available == 3140 + 31_400
        data = {"dollars": "2", "token": "abc", "confirm": "1"}
        assert [dana.post(address, data).status_code for _ in range(2)] == [302, 302]
        assert len(cards.refunds) == 2
        asked_of = "Asked the card provider to give back"
        assert moved() == [f"{asked_of} 1.0000 USD (re_1).", f"{asked_of} 2.0000 USD (re_2)."]
        receive(event("charge.refunded", payment_intent="pi_1", amount_refunded=300))
        assert selectors.get_balance(account.pk).available == 3140 + 1400

    @pytest.mark.parametrize(("dollars", "said"), [("3.15", "At most"), ("0.001", "0.01"), ("1.001", "whole cents")])
    def test_to_its_card_is_never_more_than_was_paid(
        self, dana: Client, topup: TopUp, cards: stubs.CardProvider, dollars: str, said: str
    ) -> None:
        page = dana.post(url("topup_refund_card", topup.pk), {"dollars": dollars, "token": "t", "confirm": "1"})
        assert said in page.content.decode()
        assert cards.refunds == []

    def test_to_its_card_that_the_provider_refuses_is_explained(
        self, dana: Client, topup: TopUp, cards: stubs.CardProvider
    ) -> None:
        TopUp.objects.update(payment_intent="pi_refunded")
        data = {"dollars": "1", "token": "t", "confirm": "1"}
        assert "Refunded before." in dana.post(url("topup_refund_card", topup.pk), data).content.decode()

    def test_while_the_provider_is_away_may_be_confirmed_again(
        self, dana: Client, topup: TopUp, cards: stubs.CardProvider
    ) -> None:
        cards.mood = "down"
        data = {"dollars": "1", "token": "t", "confirm": "1"}
        assert "same refund" in dana.post(url("topup_refund_card", topup.pk), data).content.decode()

    def test_to_its_card_that_was_done_although_its_answer_was_lost_is_kept(
        self, dana: Client, topup: TopUp, cards: stubs.CardProvider
    ) -> None:
        address, data = url("topup_refund_card", topup.pk), {"dollars": "1", "token": "t", "confirm": "1"}
        topups.refund(topup, amount=10_000, token="admin:t")  # of which the admin has heard nothing
        assert dana.post(address, data).status_code == 302
        assert len(cards.refunds) == len(moved()) == 1

    def test_to_its_card_of_another_sum_in_a_form_that_was_confirmed_is_begun_anew(
        self, dana: Client, topup: TopUp, cards: stubs.CardProvider
    ) -> None:
        address, data = url("topup_refund_card", topup.pk), {"token": "t", "confirm": "1"}
        TopUp.objects.update(payment_intent="pi_refunded")
        assert "Refunded before." in dana.post(address, {**data, "dollars": "2"}).content.decode()
        page = dana.post(address, {**data, "dollars": "1"}).content.decode()
        assert "another sum before" in page
        assert "does not answer" not in page

    def test_to_its_card_says_that_cards_are_configured_no_more(
        self, dana: Client, topup: TopUp, cards: stubs.CardProvider, settings: Any
    ) -> None:
        settings.STRIPE_SECRET_KEY = ""
        data = {"dollars": "1", "token": "t", "confirm": "1"}
        assert "Cards are not configured." in dana.post(url("topup_refund_card", topup.pk), data).content.decode()
        assert cards.refunds == []

    def test_by_what_staff_has_heard_is_taken_once(self, dana: Client, account: Account, topup: TopUp) -> None:
        for _ in range(2):
            move(dana, url("topup_take_back", topup.pk), dollars="3.14", note="letter of the bank, 7 May")
        assert selectors.get_balance(account.pk).available == 3140
        assert "letter of the bank" in dana.get(url("reversal_changelist")).content.decode()
        assert moved() == ["Taken back: 3.1400 USD, letter of the bank, 7 May."]

    def test_by_what_staff_has_heard_is_shown_as_it_moved(self, dana: Client, account: Account, topup: TopUp) -> None:
        address = url("topup_take_back", topup.pk)
        for confirmed in ({}, {"confirm": "1"}):
            page = dana.post(
                address, {"dollars": "31.4", "note": "a letter", "token": "t"} | confirmed
            ).content.decode()
            assert "Only 3.1400 USD were paid in." in page
            assert "This is what will happen" not in page
        assert selectors.get_balance(account.pk).available == 3140 + 31_400
        move(dana, address, dollars="2", note="a letter")
        move(dana, address, dollars="2", note="another letter")
        assert moved() == ["Taken back: 2.0000 USD, a letter.", "Taken back: 1.1400 USD, another letter."]
        again = {"dollars": "2", "note": "a letter", "token": "u", "confirm": "1"}
        assert "Nothing more is taken back" in dana.post(address, again, follow=True).content.decode()

    @pytest.mark.postgres
    @pytest.mark.django_db(transaction=True)
    def test_by_what_several_have_heard_at_once_says_of_each_what_it_moved(
        self, on_postgres: None, at_once: Any, account: Account, topup: TopUp
    ) -> None:
        people = [staff(f"staff {number}", *VIEWS, "move_money") for number in range(4)]

        def enter(person: Client) -> Any:
            data = {"dollars": "1", "note": f"letter {id(person)}", "token": f"t{id(person)}", "confirm": "1"}
            return person.post(url("topup_take_back", topup.pk), data)

        at_once(*[partial(enter, person) for person in people])
        topup.refresh_from_db()
        said = sorted(re.findall(r"Taken back: ([0-9.]+) USD", " ".join(moved())))
        assert (topup.taken_back, said) == (31_400, ["0.1400", "1.0000", "1.0000", "1.0000"])

    def test_is_no_button_for_staff_who_may_only_look(self, sam: Client, topup: TopUp) -> None:
        for name in ("topup_refund_card", "topup_take_back"):
            assert [sam.get(url(name, topup.pk)).status_code, sam.post(url(name, topup.pk)).status_code] == [403, 403]

    def test_that_was_never_paid_cannot_go_back(self, dana: Client, topup: TopUp) -> None:
        TopUp.objects.update(state="expired")
        assert "Only what was paid" in dana.get(url("topup_take_back", topup.pk), follow=True).content.decode()
