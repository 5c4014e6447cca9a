"""Nobody changes anybody above their own rights, by any form or by what is sent past the form."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.utils import timezone

from billing import accounts
from billing.models import AuditEvent, OutageRefund, WaitingGrant
from config import roles
from tests.sign_in.people import Browser, find_permission, make_user, set_up_app
from tests.workspace.people import Person

User = get_user_model()
STAFF = (
    "auth.view_user",
    "auth.add_user",
    "auth.change_user",
    "auth.view_group",
    "auth.add_group",
    "auth.change_group",
)
NEW_PASSWORD = "a wholly different horse"


@pytest.fixture
def editor(db: None) -> Any:
    """May change users and see accounts; may not move money."""
    return make_user("", *STAFF, "auth.delete_group", "billing.view_account")


@pytest.fixture
def browser(editor: Any) -> Browser:
    browser = Browser()
    browser.sign_in(editor.username)
    return browser


def page(user: Any, more: str = "change/") -> str:
    return f"/admin/auth/user/{user.pk}/{more}"


def form(user: Any, **changed: Any) -> dict[str, Any]:
    """The user's form as a browser would send it, with something changed."""
    data: dict[str, Any] = {
        "username": user.username,
        "email": user.email,
        "first_name": "",
        "last_name": "",
        "user_permissions": list(user.user_permissions.values_list("pk", flat=True)),
        "groups": list(user.groups.values_list("pk", flat=True)),
        **({"is_active": "on"} if user.is_active else {}),
        **({"is_staff": "on"} if user.is_staff else {}),
        **({"is_superuser": "on"} if user.is_superuser else {}),
    }
    return {name: value for name, value in {**data, **changed}.items() if value is not None}


def rights(user: Any) -> set[str]:
    """What somebody may do, read anew."""
    fresh = User.objects.get(pk=user.pk)
    fresh.is_active = True
    return set(fresh.get_all_permissions())


class TestSomebodyWithMoreRights:
    @pytest.fixture(params=["by right", "by role", "switched off", "superuser", "superuser switched off"])
    def above(self, request: pytest.FixtureRequest, db: None) -> Any:
        named = {"is_superuser": "superuser" in request.param, "is_active": "off" not in request.param}
        above = make_user("", *([] if request.param == "by role" else ["billing.move_money"]), **named)
        if request.param == "by role":
            above.groups.add(Group.objects.get(name="finance"))
        return above

    def test_is_not_edited_or_switched_on_or_off(self, browser: Browser, above: Any) -> None:
        before = User.objects.filter(pk=above.pk).values().get()
        for change in ({"email": "mine@evil.test"}, {"is_active": "on"}, {"is_active": None}, {"groups": []}):
            assert browser.post(page(above), form(above, **change)).status_code == 403
        assert User.objects.filter(pk=above.pk).values().get() == before

    def test_gets_no_other_password(self, browser: Browser, above: Any) -> None:
        sent = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "set-password": "1", "usable_password": "true"}
        assert browser.get(page(above, "password/")).status_code == 403
        assert browser.post(page(above, "password/"), sent).status_code == 403
        assert not User.objects.get(pk=above.pk).check_password(NEW_PASSWORD)

    def test_keeps_the_second_factor(self, browser: Browser, above: Any) -> None:
        Authenticator.objects.create(user=above, type="totp", data={"secret": "x"})
        assert page(above, "reset-factors/") not in browser.get(page(above)).content.decode()
        for reply in (browser.get(page(above, "reset-factors/")), browser.post(page(above, "reset-factors/"))):
            assert reply.status_code == 403
        assert Authenticator.objects.exists()

    def test_is_not_deleted(self, browser: Browser, above: Any, editor: Any) -> None:
        editor.user_permissions.add(find_permission("auth.delete_user"))
        assert browser.post(page(above, "delete/"), {"post": "yes"}).status_code == 403
        many = {"action": "delete_selected", "_selected_action": [above.pk], "post": "yes"}
        browser.post("/admin/auth/user/", many)
        assert User.objects.filter(pk=above.pk).exists()


class TestSomebodyWithFewerRights:
    @pytest.fixture
    def below(self, db: None) -> Any:
        return make_user("", "billing.view_account")

    def test_is_edited_gets_a_password_and_what_the_editor_has(self, browser: Browser, below: Any, editor: Any) -> None:
        more = find_permission("auth.view_user")
        sent = form(below, email="b@acme.test", user_permissions=[more.pk])
        assert browser.post(page(below), sent).status_code == 302
        assert rights(below) == {"auth.view_user"}
        sent = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "set-password": "1", "usable_password": "true"}
        assert browser.post(page(below, "password/"), sent).status_code == 302
        assert User.objects.get(pk=below.pk).check_password(NEW_PASSWORD)
        said = list(
            AuditEvent.objects.filter(kind="user_changed", actor=editor.username).values_list("detail", flat=True)
        )
        assert f"Change: Rights of {below.username}: +auth.view_user, -billing.view_account." in said
        assert NEW_PASSWORD not in str(list(AuditEvent.objects.values()))

    @pytest.mark.parametrize("right", ["billing.move_money", "billing.add_apikey", "auth.delete_user"])
    def test_gets_no_right_that_the_editor_has_not(self, browser: Browser, below: Any, right: str) -> None:
        sent = form(below, user_permissions=[find_permission(right).pk])
        assert browser.post(page(below), sent).status_code == 200  # the form again, with an error
        assert rights(below) == {"billing.view_account"}

    @pytest.mark.parametrize("role", ["finance", "support", "operator", "owner"])
    def test_gets_no_role_that_is_more_than_the_editor(self, browser: Browser, below: Any, role: str) -> None:
        sent = form(below, groups=[Group.objects.get(name=role).pk])
        assert browser.post(page(below), sent).status_code == 200
        assert rights(below) == {"billing.view_account"}

    def test_is_not_made_a_superuser(self, browser: Browser, below: Any) -> None:
        browser.post(page(below), form(below, is_superuser="on"))
        assert not User.objects.get(pk=below.pk).is_superuser

    def test_is_not_offered_what_the_editor_has_not(self, browser: Browser, below: Any) -> None:
        shown = browser.get(page(below)).content.decode()
        assert "Can view account" in shown
        assert "Can move money" not in shown
        assert ">finance<" not in shown

    def test_loses_a_second_factor_by_somebody_who_says_so(self, browser: Browser, below: Any, editor: Any) -> None:
        theirs = Browser()
        theirs.sign_in(below.username)
        set_up_app(theirs)
        assert page(below, "reset-factors/") in browser.get(page(below)).content.decode()
        assert browser.get(page(below, "reset-factors/")).status_code == 200
        assert Authenticator.objects.filter(user=below).exists()
        assert browser.post(page(below, "reset-factors/")).status_code == 302
        assert not Authenticator.objects.filter(user=below).exists()
        removed = AuditEvent.objects.filter(kind="factor_removed")
        assert {event.actor for event in removed} == {editor.username}
        assert Browser().sign_in(below.username)["Location"] == "/admin/"

    def test_is_not_deleted_but_switched_off(self, browser: Browser, below: Any) -> None:
        assert browser.post(page(below, "delete/"), {"post": "yes"}).status_code == 403
        assert browser.post(page(below), form(below, is_active=None)).status_code == 302
        assert not User.objects.get(pk=below.pk).is_active


class TestANewUser:
    def test_begins_without_any_right_whatever_is_sent(self, browser: Browser) -> None:
        sent = {
            "username": "newcomer",
            "password1": NEW_PASSWORD,
            "password2": NEW_PASSWORD,
            "usable_password": "true",
            "is_superuser": "on",
            "is_staff": "on",
            "groups": [Group.objects.get(name="owner").pk],
            "user_permissions": [find_permission("billing.move_money").pk],
        }
        assert browser.post("/admin/auth/user/add/", sent).status_code == 302
        made = User.objects.get(username="newcomer")
        assert (made.is_superuser, made.is_staff, rights(made)) == (False, False, set())


class TestOnesOwnAccount:
    def test_gets_no_more_rights(self, browser: Browser, editor: Any) -> None:
        before = rights(editor)
        more = [find_permission("billing.move_money").pk]
        for change in (
            {"user_permissions": more},
            {"groups": [Group.objects.get(name="owner").pk]},
            {"is_superuser": "on"},
        ):
            browser.post(page(editor), form(editor, **change))
            assert rights(editor) == before
            assert not User.objects.get(pk=editor.pk).is_superuser

    def test_gives_no_rights_away_by_mistake_either(self, browser: Browser, editor: Any) -> None:
        before = rights(editor)
        browser.post(page(editor), form(editor, email="me@acme.test", user_permissions=[], is_active=None))
        fresh = User.objects.get(pk=editor.pk)
        assert (fresh.email, fresh.is_active, rights(editor)) == ("me@acme.test", True, before)

    def test_keeps_the_name_by_which_the_books_know_who_has_asked(self, browser: Browser, editor: Any) -> None:
        """Under another one its person was the second one, who approves, and began the day's sum anew."""
        asked: dict[str, Any] = {"kind": "grant", "amount": 1, "reason": "goodwill", "token": "t"}
        account = accounts.open_account(name="Acme", now=timezone.now())
        grant = WaitingGrant.objects.create(
            account=account, asked_by=editor.username, asked_at=timezone.now(), state="waiting", **asked
        )
        editor.user_permissions.add(find_permission("billing.move_money"), find_permission("billing.view_waitinggrant"))
        browser.post(page(editor), form(editor, username="somebody-else"))
        answer = browser.post(f"/admin/billing/waitinggrant/{grant.pk}/approve/", follow=True)
        assert "Somebody else has to approve it: you asked for it." in answer.content.decode()
        assert User.objects.get(pk=editor.pk).username == editor.username

    def test_keeps_its_second_factor_but_by_its_own_page(self, browser: Browser, editor: Any) -> None:
        assert browser.post(page(editor, "reset-factors/")).status_code == 403


class TestASecondPerson:
    """Whose word a large grant needs."""

    @pytest.fixture
    def editor(self, db: None) -> Any:
        """An owner."""
        owner = make_user()
        owner.groups.add(Group.objects.get(name="owner"))
        return owner

    def make(self, browser: Browser) -> Browser:
        """The owner makes a user, and signs in as them."""
        sent = {"username": "kim", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "usable_password": "true"}
        browser.post("/admin/auth/user/add/", sent)
        kim = User.objects.get(username="kim")
        browser.post(page(kim), form(kim, is_staff="on", groups=[Group.objects.get(name="finance").pk]))
        theirs = Browser()
        theirs.sign_in("kim", NEW_PASSWORD)
        return theirs

    def ask(self, browser: Browser, editor: Any, settings: Any) -> WaitingGrant:
        settings.GRANT_CEILING = 1
        account = accounts.open_account(name="Acme", now=timezone.now())
        sent = {"dollars": "500", "reason": "goodwill", "note": "", "token": "t", "confirm": "1"}
        assert browser.post(f"/admin/billing/account/{account.pk}/grant/", sent).status_code == 302
        return WaitingGrant.objects.get(asked_by=editor.username, state="waiting")

    @pytest.mark.parametrize("is_first", [True, False])
    def test_is_nobody_whom_the_first_has_just_made(
        self, browser: Browser, editor: Any, settings: Any, is_first: bool
    ) -> None:
        theirs = self.make(browser) if is_first else None
        grant = self.ask(browser, editor, settings)
        theirs = theirs or self.make(browser)
        answer = theirs.post(f"/admin/billing/waitinggrant/{grant.pk}/approve/", follow=True)
        assert "has made or changed your user" in answer.content.decode()
        grant.refresh_from_db()
        assert grant.state == "waiting"
        assert theirs.post(f"/admin/billing/waitinggrant/{grant.pk}/reject/").status_code == 302

    def test_may_be_whom_the_first_has_made_long_ago(self, browser: Browser, editor: Any, settings: Any) -> None:
        theirs = self.make(browser)
        LogEntry.objects.update(action_time=timezone.now() - timedelta(hours=25))
        grant = self.ask(browser, editor, settings)
        theirs.post(f"/admin/billing/waitinggrant/{grant.pk}/approve/")
        grant.refresh_from_db()
        assert (grant.state, grant.decided_by) == ("approved", "kim")

    def test_may_be_whom_somebody_else_has_just_made(self, browser: Browser, editor: Any, settings: Any) -> None:
        root = Browser()
        root.sign_in(make_user(is_superuser=True).username)
        theirs = self.make(root)
        grant = self.ask(browser, editor, settings)
        theirs.post(f"/admin/billing/waitinggrant/{grant.pk}/approve/")
        grant.refresh_from_db()
        assert grant.state == "approved"

    def test_of_an_outage_is_nobody_whom_the_first_has_just_made(self, browser: Browser, editor: Any) -> None:
        theirs, asked_by = self.make(browser), editor.username
        asked: dict[str, Any] = {"charges": [], "count": 1, "accounts": 1, "amount": 1, "reason": "outage"}
        row = OutageRefund.objects.create(
            token="t", asked_by=asked_by, asked_at=timezone.now(), state="waiting", **asked
        )
        answer = theirs.post(f"/admin/billing/outagerefund/{row.pk}/approve/", follow=True)
        assert "has made or changed your user" in answer.content.decode()
        row.refresh_from_db()
        assert row.state == "waiting"


class TestARole:
    def group(self, *names: str) -> Group:
        group = Group.objects.create(name="desk")
        group.permissions.set([find_permission(name) for name in names])
        return group

    def test_is_made_of_what_the_editor_has_alone(self, browser: Browser) -> None:
        wrong = {"name": "mine", "permissions": [find_permission("billing.move_money").pk]}
        assert browser.post("/admin/auth/group/add/", wrong).status_code == 200
        assert not Group.objects.filter(name="mine").exists()
        right = {"name": "mine", "permissions": [find_permission("billing.view_account").pk]}
        assert browser.post("/admin/auth/group/add/", right).status_code == 302
        detail = AuditEvent.objects.filter(kind="role_changed").values_list("detail", flat=True)
        assert "Change: The role mine has: billing.view_account." in detail

    def test_that_one_has_oneself_does_not_grow(self, browser: Browser, editor: Any) -> None:
        group = self.group("billing.view_account")
        editor.groups.add(group)
        sent = {"name": "desk", "permissions": [find_permission("billing.move_money").pk]}
        assert browser.post(f"/admin/auth/group/{group.pk}/change/", sent).status_code == 200
        assert "billing.move_money" not in rights(editor)

    def test_with_no_more_rights_is_deleted(self, browser: Browser) -> None:
        group = self.group("billing.view_account")
        assert browser.post(f"/admin/auth/group/{group.pk}/delete/", {"post": "yes"}).status_code == 302
        assert not Group.objects.filter(pk=group.pk).exists()
        assert AuditEvent.objects.filter(kind="role_changed", subject=f"auth.group {group.pk}").exists()

    def test_with_more_rights_is_not_changed_or_deleted(self, browser: Browser) -> None:
        group = self.group("billing.move_money")
        sent = {"name": "desk", "permissions": []}
        assert browser.post(f"/admin/auth/group/{group.pk}/change/", sent).status_code == 403
        assert browser.post(f"/admin/auth/group/{group.pk}/delete/", {"post": "yes"}).status_code == 403
        many = {"action": "delete_selected", "_selected_action": [group.pk], "post": "yes"}
        browser.post("/admin/auth/group/", many)
        assert group.permissions.count() == 1

    @pytest.mark.parametrize("name", roles.ROLES)
    def test_that_is_ready_made_stays_so_also_for_a_superuser(self, db: None, name: str) -> None:
        root = Browser()
        root.sign_in(make_user(is_superuser=True).username)
        group = Group.objects.get(name=name)
        assert root.post(f"/admin/auth/group/{group.pk}/change/", {"name": "x"}).status_code == 403
        assert root.post(f"/admin/auth/group/{group.pk}/delete/", {"post": "yes"}).status_code == 403


class TestASuperuser:
    def test_makes_another_one(self, db: None) -> None:
        root, other = Browser(), make_user()
        root.sign_in(make_user(is_superuser=True).username)
        assert root.post(page(other), form(other, is_superuser="on")).status_code == 302
        assert User.objects.get(pk=other.pk).is_superuser


class TestChangesOfUsers:
    def test_ask_who_it_is_and_keep_no_password_meanwhile(self, browser: Browser) -> None:
        session = browser.session
        session["proof"] = {**session["proof"], "at": 0}
        session.save()
        sent = {"username": "newcomer", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
        reply = browser.post("/admin/auth/user/add/", sent)
        assert reply["Location"] == "/admin/confirm/password/?next=%2Fadmin%2Fauth%2Fuser%2Fadd%2F"
        assert NEW_PASSWORD not in str(dict(browser.session))
        assert not User.objects.filter(username="newcomer").exists()

    def test_of_a_password_ask_who_it_is_and_keep_it_not(self, browser: Browser) -> None:
        session, other = browser.session, make_user()
        session["proof"] = {**session["proof"], "at": 0}
        session.save()
        sent = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "set-password": "1", "usable_password": "true"}
        reply = browser.post(page(other, "password/"), sent)
        assert reply["Location"].startswith("/admin/confirm/password/")
        assert NEW_PASSWORD not in str(dict(browser.session))
        assert not User.objects.get(pk=other.pk).check_password(NEW_PASSWORD)

    def test_need_a_second_factor_where_one_is_required(self, browser: Browser, settings: Any) -> None:
        settings.ADMIN_SECOND_FACTOR = True
        other = make_user()
        assert browser.post(page(other), form(other, email="x@y.test"))["Location"] == "/admin/factors/"


class TestAMemberOfAnAccount:
    def test_keeps_the_address_by_which_they_sign_in(self, browser: Browser) -> None:
        """Another was shown everywhere, while links went on being for the one before."""
        Person("ada@quay.test").come()
        ada = User.objects.get(email="ada@quay.test")
        browser.post(page(ada), form(ada, email="eve@quay.test", username="eve", first_name="Ada"))
        changed = User.objects.get(pk=ada.pk)
        assert (changed.email, changed.username, changed.first_name) == (ada.email, ada.username, "Ada")
        browser.post(page(ada), form(ada, is_active=None))
        assert Person("ada@quay.test").come().status_code == 403

    def test_keeps_no_colleague_of_the_staff_from_another_address(self, browser: Browser) -> None:
        Person("ada@quay.test").come()
        other = make_user()
        browser.post(page(other), form(other, email="kim@acme.test"))
        assert User.objects.get(pk=other.pk).email == "kim@acme.test"
