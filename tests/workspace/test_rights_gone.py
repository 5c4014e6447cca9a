"""A form was opened, and when it is sent its person may not do that any more: nothing is done, and it says so."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from billing import keys
from billing.members import sessions, team
from billing.models import Account, ApiKey, AuditEvent, Invitation, LedgerEntry, Member, MemberSession, TopUp
from lookups.models import BulkDraft, Delivery, Lookup, Watch, WebhookSecret
from tests.workspace.conftest import Browser, join, open_office
from tests.workspace.people import read_form

pytestmark = pytest.mark.django_db

NAMED = str(uuid.uuid4())
FORMS: dict[str, dict[str, str]] = {
    "/app/": {"name": "Acme Corp", "state": "NY", "kind": "company"},
    "/app/anywhere/": {"name": "Acme Corp", "state": "everywhere", "kind": "company"},
    "/app/keys/new/": {"name": "server", "mode": "live", "named": NAMED},
    "/app/team/invite/": {"email": "vera@quay.test", "role": "member"},
    "/app/webhooks/": {"address": "https://acme.test/hook"},
    "/app/webhooks/secret/": {"named": NAMED},
    "/app/webhooks/test/": {},
    "/app/watches/new/": {"state": "NY", "entity_id": "1234", "every": "day", "categories": "status"},
    "/app/balance/budget/": {"monthly_budget": "5"},
    "/app/balance/topup/": {"amount": "5"},
    "/app/settings/": {"name": "Renamed", "monthly_budget": "5"},
    "/app/bulk/": {"pasted": "Company,State\nAcme Corp,NY\n"},
}
Lose = Callable[[Browser, Browser], Any]
WAYS: dict[str, Lose] = {
    "the role": lambda office, eve: Member.objects.filter(pk=eve.member.pk).update(role="viewer"),
    "the team": lambda office, eve: team.remove(by=office.member, member_id=eve.member.pk, now=timezone.now()),
    "the account": lambda office, eve: Account.objects.update(is_active=False),
    "the sign-in": lambda office, eve: MemberSession.objects.filter(member=eve.member).delete(),
}


@pytest.fixture
def eve(office: Browser) -> Browser:
    """An admin of the account."""
    return Browser(join(office.account, "admin", "eve@quay.test"))


def look() -> list[Any]:
    """Everything that a form of the workspace could have changed."""
    tables = (ApiKey, Invitation, Watch, BulkDraft, Lookup, LedgerEntry, TopUp, Delivery, WebhookSecret)
    account = Account.objects.values("name", "email", "monthly_budget", "webhook_url", "available", "held").get()
    return [account, *(table.objects.count() for table in tables)]


class TestAForm:
    @pytest.mark.parametrize("lose", WAYS.values(), ids=WAYS)
    @pytest.mark.parametrize("path", FORMS)
    def test_does_nothing_and_says_so(self, office: Browser, eve: Browser, path: str, lose: Lose) -> None:
        office.get("/app/")
        Account.objects.update(webhook_url="https://acme.test/before")
        lose(office, eve)
        before = look()
        reply = eve.post(path, FORMS[path], follow=True)
        text = reply.content.decode()
        assert look() == before
        assert reply.status_code == (200 if "What you just sent was not accepted: sign in" in text else 403)
        told = ("was not accepted", "nothing was saved", "Your role can only read", "has not been accepted yet")
        assert any(words in text for words in told), text


class TestAButtonThatSignsOut:
    """Pressed twice: the browser shows what the second press is answered, and the first has done it."""

    def press_twice(self, browser: Browser, path: str, form: dict[str, str]) -> str:
        cookies = browser.cookies.copy()
        browser.post(path, form)
        browser.cookies = cookies  # both were sent before either was answered
        return str(browser.post(path, form, follow=True).content.decode())

    def test_by_leaving_is_not_called_undone(self, office: Browser, eve: Browser) -> None:
        page = self.press_twice(eve, f"/app/team/{eve.member.pk}/remove/", {})
        assert "it is done: you have left" in page
        assert "You have been signed out" not in page

    def test_by_erasing_the_account_is_not_called_undone(self, office: Browser) -> None:
        form = {"name": office.account.name, "give_up_credit": "on"}
        page = self.press_twice(office, "/app/settings/erase/", form)
        assert "it is done" in page
        assert "You have been signed out" not in page
        assert not Member.objects.exists()

    def test_everywhere_is_not_called_undone(self, office: Browser) -> None:
        page = self.press_twice(office, "/app/settings/sessions/end/", {})
        assert "it is done" in page
        assert not MemberSession.objects.exists()


class TestASessionThatEndsElsewhere:
    def test_is_led_to_sign_in_and_to_no_error_by_what_was_pressed_meanwhile(
        self, office: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        there = join(open_office("Harbor", "harbor@quay.test").account, "viewer", "two@quay.test")
        Member.objects.filter(pk=there.pk).update(user=office.user)
        find = sessions.find

        def find_and_end(token: str, *, now: datetime) -> MemberSession | None:
            """As this request has found the session, another one signs out of all browsers."""
            found = find(token, now=now)
            MemberSession.objects.all().delete()
            return found

        for path, form in (("mode", {"mode": "sandbox"}), ("account", {"member": str(there.pk)})):
            office.cookies["workspace"] = sessions.begin(
                member=office.member, address="", browser="", now=timezone.now()
            )
            with monkeypatch.context() as meanwhile:
                meanwhile.setattr(sessions, "find", find_and_end)
                assert office.post(f"/app/{path}/", form).status_code == 302
            assert office.get("/app/")["Location"].startswith("/app/sign-in/")


class TestATableThatWasPasted:
    def test_stands_there_for_who_may_ask(self, office: Browser, viewer: Browser) -> None:
        reply = viewer.post("/app/bulk/", {"pasted": "Blue Heron,DE\n</textarea><script>"})
        page = reply.content.decode()
        assert (reply.status_code, "Your role can only read" in page) == (403, True)
        assert "readonly>Blue Heron,DE\n&lt;/textarea&gt;&lt;script&gt;</textarea>" in page


class TestSettings:
    def test_of_who_only_reads_by_now_are_not_saved_and_it_says_so(self, office: Browser, eve: Browser) -> None:
        form = read_form(eve.get("/app/settings/"))
        team.change_role(by=office.member, member_id=eve.member.pk, role="viewer", now=timezone.now())
        reply = eve.post("/app/settings/", form | {"name": "Renamed"})
        assert reply.status_code == 403
        assert "Your role can only read: nothing was saved." in reply.content.decode()
        assert Account.objects.get().name == "Quay Street Compliance"

    def test_are_saved_though_whoever_had_the_mail_has_left_meanwhile(self, office: Browser, eve: Browser) -> None:
        Account.objects.update(email="eve@quay.test")
        form = read_form(office.get("/app/settings/"))
        assert form["email"] == "eve@quay.test"
        team.remove(by=office.member, member_id=eve.member.pk, now=timezone.now())
        assert office.post("/app/settings/", form | {"name": "Renamed"}).status_code == 302
        account = Account.objects.get()
        assert (account.name, account.email) == ("Renamed", "ada@quay.test")
        assert office.post("/app/settings/", form | {"email": "eve@quay.test", "initial-email": ""}).status_code == 400


class TestAKey:
    def test_that_somebody_else_has_revoked_is_not_changed_and_says_why(self, office: Browser, eve: Browser) -> None:
        key, _ = keys.issue(account=office.account, name="server", now=timezone.now())
        path = f"/app/keys/{key.public_id}/"
        form = read_form(eve.get(path))
        office.post(f"{path}revoke/")
        reply = eve.post(path, form | {"name": "the new server", "monthly_budget": "5"})
        assert reply.status_code == 400
        assert "This key was already rotated or revoked, or has expired." in reply.content.decode()
        key.refresh_from_db()
        assert (key.name, key.monthly_budget) == ("server", None)


class TestErasing:
    def test_takes_no_other_account_of_the_same_name(self, office: Browser) -> None:
        """Its owner has one of each year, or one to try things out, and went to that in another tab."""
        other = open_office("Quay Street Compliance", "bea@quay.test").account
        theirs = Member.objects.create(user=office.user, account=other, role="owner", joined_at=timezone.now())
        form = read_form(office.get("/app/settings/erase/")) | {"name": other.name, "give_up_credit": "on"}
        office.post("/app/account/", {"member": str(theirs.pk)})
        assert office.post("/app/settings/erase/", form).status_code == 409
        assert set(Account.objects.filter(name="Quay Street Compliance")) == {office.account, other}
        office.post("/app/account/", {"member": str(office.member.pk)})
        assert office.post("/app/settings/erase/", form).status_code == 200
        assert list(Account.objects.filter(name="Quay Street Compliance")) == [other]


class TestAnotherAccount:
    def test_that_somebody_is_not_in_any_more_is_not_gone_to_and_it_says_so(self, office: Browser) -> None:
        """Else they would go on in this one as if it were that one."""
        jonas = open_office("Harbor Street", "jonas@harbor.test")
        place = Member.objects.create(user=jonas.user, account=office.account, role="member", joined_at=timezone.now())
        assert "Go to Quay Street Compliance" in jonas.get("/app/").content.decode()
        team.remove(by=office.member, member_id=place.pk, now=timezone.now())
        reply = jonas.post("/app/account/", {"member": str(place.pk)}, follow=True)
        assert "You are no longer in that account. This is Harbor Street." in reply.content.decode()
        assert not AuditEvent.objects.filter(actor__contains="jonas", kind="settings_changed").exists()
