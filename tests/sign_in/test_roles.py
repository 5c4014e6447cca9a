"""The ready-made roles: what each may see and do, page by page, and no more."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command

from config import roles
from tests.admin_lists import list_admins
from tests.sign_in.pages import list_addresses
from tests.sign_in.people import Browser, make_user
from tests.sign_in.populated import populate, populate_ended

RUNBOOK = Path(__file__).resolve().parents[2] / "docs" / "runbook.md"
# Which right opens a page that is more than the list and the rows of its table.
OPENS = {
    "billing_account_grant_credit": "billing.move_money",
    "billing_account_adjust_balance": "billing.move_money",
    "billing_account_statement": "billing.view_ledgerentry",
    "billing_account_issue_key": "billing.add_apikey",
    "billing_ledgerentry_finance_page": "billing.view_ledgerentry",
    "billing_ledgerentry_refund": "billing.move_money",
    "billing_ledgerentry_receipt": "billing.view_ledgerentry",
    "billing_monthclose_close_last": "billing.move_money",
    "billing_monthclose_journal": "billing.view_ledgerentry",
    "billing_waitinggrant_approve": "billing.move_money",
    "billing_waitinggrant_reject": "billing.move_money",
    "billing_outagerefund_approve": "billing.move_money",
    "billing_outagerefund_reject": "billing.move_money",
    "lookups_lookup_refund": "billing.move_money",
    "lookups_lookup_refund_outage": "billing.move_money",
    "lookups_lookup_evidence_file": "scrapers.view_scrapeattempt",
    "lookups_job_ask_outage_again": "lookups.change_job",
    "billing_apikey_rotate": "billing.change_apikey",
    "billing_apikey_revoke": "billing.change_apikey",
    "billing_payment_ask_again": "billing.move_money",
    "billing_payment_give_back": "billing.move_money",
    "billing_payment_take_back": "billing.move_money",
    "billing_topup_refund_card": "billing.move_money",
    "billing_topup_take_back": "billing.move_money",
    "billing_reconciliation_reconcile_now": "billing.view_reconciliation",
    "billing_signinlink_show_link": "billing.show_signinlink",
    "lookups_webhookaddress_send_test": "lookups.change_webhookaddress",
    "lookups_suppression_lift": "lookups.change_suppression",
    "lookups_job_queue_page": "lookups.view_job",
    "jurisdictions_jurisdiction_registries_page": "jurisdictions.view_jurisdiction",
    "jurisdictions_jurisdiction_turn_switch": "jurisdictions.change_jurisdiction",
    "scrapers_attempt_page": "scrapers.view_scrapeattempt",
    "billing_apikey_add": "nobody's",  # keys are issued from their account's page
    "auth_group_delete": "nobody's",  # of a ready-made role
    "auth_user_reset_factors": "auth.change_user",
    "auth_user_password_change": "auth.change_user",
}
PLAIN = re.compile(r"([a-z]+)_([a-z]+)_(changelist|change|add|delete|history)")


def right_of(name: str) -> str | None:
    """The right that opens a page."""
    if name in OPENS:
        return OPENS[name]
    found = PLAIN.fullmatch(name)
    if found is None:
        return None
    verb = {"add": "add", "delete": "delete"}.get(found[3], "view")
    return f"{found[1]}.{verb}_{found[2]}"


def enter(role: str) -> Browser:
    user, browser = make_user(), Browser()
    user.groups.add(Group.objects.get(name=role))
    browser.sign_in(user.username)
    return browser


class TestEachRole:
    @pytest.mark.parametrize("role", roles.ROLES)
    def test_opens_exactly_the_pages_of_its_rights_and_is_led_to_no_other(self, switches: None, role: str) -> None:
        populate()
        browser, rights = enter(role), roles.ROLES[role]
        wrong, statuses, led = {}, dict[str, int](), dict[str, str]()
        for name, address in list_addresses():
            right = right_of(name.removeprefix("admin:"))
            if right is None or not name.startswith("admin:"):
                continue
            page = browser.get(address)
            status = statuses[address] = page.status_code
            assert status in (200, 302, 403, 404)
            if (status < 400) != (right in rights):
                wrong[name] = (right, status)
            if status == 200 and name.endswith(("_changelist", "_change")):
                for link in re.findall(r'href="(/admin/\w+/\w+/[^"/?]+/change/)', page.content.decode()):
                    led.setdefault(link, name)
        assert wrong == {}
        assert len(statuses) > 140
        assert led
        statuses |= {link: browser.get(link).status_code for link in led if link not in statuses}
        assert {(name, link) for link, name in led.items() if statuses[link] == 403} == set()

    def test_every_page_with_a_right_of_its_own_is_known_here(self, switches: None) -> None:
        populate()
        names = {name.removeprefix("admin:") for name, _ in list_addresses() if name.startswith("admin:")}
        general = {"", "index", "login", "logout", "jsi18n", "autocomplete", "search", "view_on_site", "app_list"}
        general |= {"password_change", "password_change_done", "lookups_job_act"}
        assert {name for name in names if right_of(name) is None} - general == set()

    @pytest.mark.parametrize(
        ("role", "does"),
        [
            ("viewer", set()),
            (
                "support",
                {
                    "lookups.change_delivery",
                    "lookups.change_removalrequest",
                    "lookups.add_suppression",
                    "lookups.change_suppression",
                },
            ),
            ("finance", {"billing.move_money", "billing.change_difference"}),
            (
                "operator",
                {
                    "jurisdictions.change_jurisdiction",
                    "lookups.change_job",
                    "lookups.change_delivery",
                    "lookups.change_webhookaddress",
                    "billing.add_account",
                    "billing.change_account",
                    "billing.add_apikey",
                    "billing.change_apikey",
                },
            ),
        ],
    )
    def test_does_what_its_job_is_and_only_looks_at_the_rest(self, db: None, role: str, does: set[str]) -> None:
        group = Group.objects.get(name=role)
        has = {".".join(pair) for pair in group.permissions.values_list("content_type__app_label", "codename")}
        assert has == roles.ROLES[role]
        assert {right for right in has if ".view_" not in right} == does

    def test_names_only_rights_that_there_are(self, db: None) -> None:
        there = {".".join(pair) for pair in Permission.objects.values_list("content_type__app_label", "codename")}
        assert set().union(*roles.ROLES.values()) <= there

    def test_keeps_money_and_keys_apart(self) -> None:
        """Who moves money issues no keys; only the owner does both."""
        both = {"billing.move_money", "billing.add_apikey"}
        assert [name for name, rights in roles.ROLES.items() if both <= rights] == ["owner"]


class TestEveryButton:
    """Of rows that wait for something, and of those with which nothing can be done any more."""

    ROW = re.compile(r'href="(/admin/\w+/\w+/[^"/?]+/([\w-]+)/?)"')

    def test_leads_to_a_page_that_does_it_and_not_to_a_refusal(self, switches: None) -> None:
        populate()
        populate_ended()
        browser, refused, led = enter("owner"), set(), set()
        for model in list_admins():
            for row in model._default_manager.all():  # type: ignore[attr-defined]
                address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/{row.pk}/change/"
                page = browser.get(address)
                found = self.ROW.findall(page.content.decode()) if page.status_code == 200 else []
                for link, verb in found:
                    if verb not in ("change", "history", "delete") and address.startswith(link.rsplit("/", 2)[0]):
                        led.add(verb)
                        if browser.get(link).status_code != 200:
                            refused.add((link, str(row)))
        assert refused == set()
        assert {"refund-card", "revoke", "rotate", "lift", "receipt", "taken-back", "given-back"} <= led


class TestEveryPageOfMoneyKeysAndUsers:
    """Also one that is added later: who it is for, its right tells."""

    RIGHTS = ("billing.move_money", "billing.add_apikey", "billing.change_apikey")
    MORE = ("auth_user_reset_factors",)

    def test_asks_again_who_it_is(self, switches: None) -> None:
        populate()
        browser = Browser()
        browser.sign_in(make_user(is_superuser=True).username)
        session = browser.session
        session["proof"] = {**session["proof"], "at": 0}
        session.save()
        asked = 0
        for named, address in list_addresses():
            name = named.removeprefix("admin:")
            if name in self.MORE or OPENS.get(name) in self.RIGHTS:
                for reply in (browser.get(address), browser.post(address, {})):
                    assert reply.status_code == 302, name
                    assert reply["Location"].startswith("/admin/confirm/password/"), name
                asked += 1
        assert asked >= 15


class TestTheOwner:
    def test_sees_every_list_and_is_no_superuser(self, db: None) -> None:
        views = {f"{m._meta.app_label}.view_{m._meta.model_name}" for m in list_admins()}
        assert views <= roles.ROLES["owner"]
        assert not get_user_model().objects.filter(groups__name="owner", is_superuser=True).exists()

    def test_gives_every_role_and_no_more(self, db: None) -> None:
        browser, newcomer = enter("owner"), make_user()
        address = f"/admin/auth/user/{newcomer.pk}/change/"
        everything = list(Group.objects.values_list("pk", flat=True))
        sent = {"username": newcomer.username, "is_staff": "on", "is_active": "on", "groups": everything}
        assert browser.post(address, sent).status_code == 302
        assert newcomer.groups.count() == len(roles.ROLES)
        more = Permission.objects.get(codename="delete_user")
        assert browser.post(address, {**sent, "user_permissions": [more.pk]}).status_code == 200
        assert not newcomer.user_permissions.exists()

    def test_reads_the_audit_log_which_nobody_changes(self, db: None) -> None:
        browser = enter("owner")
        page = browser.get("/admin/billing/auditevent/").content.decode()
        assert re.search(r"field-kind[^>]*>\s*signed in\s*<", page)
        for page in ("add/", "1/delete/"):
            assert browser.post(f"/admin/billing/auditevent/{page}", {"post": "yes"}).status_code == 403


class TestAMigration:
    def test_brings_a_role_back_to_what_it_is(self, db: None) -> None:
        group = Group.objects.get(name="viewer")
        group.permissions.set(Permission.objects.filter(codename="move_money"))
        Group.objects.get(name="support").delete()
        call_command("migrate", verbosity=0)
        assert group.permissions.count() == len(roles.VIEWER)
        assert Group.objects.get(name="support").permissions.count() == len(roles.SUPPORT)


class TestTheRunbook:
    def test_has_the_rights_of_each_role(self) -> None:
        rows = re.findall(r"^\| `([a-z]+\.[a-z_]+)` \| (.*) \|$", RUNBOOK.read_text(), re.MULTILINE)
        told: dict[str, Any] = {right: [cell.strip() == "x" for cell in cells.split("|")] for right, cells in rows}
        assert set(told) == set().union(*roles.ROLES.values())
        for right, cells in told.items():
            assert cells == [right in rights for rights in roles.ROLES.values()], right
