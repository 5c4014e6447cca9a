"""A page of the admin that was opened before somebody else changed the same row, and sent afterwards."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.utils import timezone
from lxml import html

from billing import keys
from billing.models import Account, ApiKey, AuditEvent
from jurisdictions import services
from jurisdictions.models import Jurisdiction
from tests.sign_in.people import PASSWORD, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(switches: None) -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("root"))
    return client


def open_form(client: Client, address: str) -> dict[str, list[str]]:
    """What a browser would send back of the form of a row."""
    reply = client.get(address)
    assert reply.status_code == 200
    (form,) = (one for one in html.fromstring(reply.content).cssselect("form") if one.get("id", "").endswith("_form"))
    sent: dict[str, list[str]] = {}
    for name, value in form.form_values():
        sent.setdefault(name, []).append(value)
    for field in form.cssselect("input[type=hidden]:not([value])"):  # which a browser sends as well
        sent.setdefault(field.get("name"), [""])
    return sent


def send(client: Client, address: str, form: dict[str, list[str]], **typed: Any) -> Any:
    reply = client.post(address, form | typed)
    assert reply.status_code == 302, reply.context["adminform"].form.errors
    return reply


class TestAnAccount:
    @pytest.fixture
    def page(self, acme: Account) -> str:
        return f"/admin/billing/account/{acme.pk}/change/"

    def test_that_was_closed_meanwhile_stays_closed(self, root: Client, acme: Account, page: str) -> None:
        form = open_form(root, page)
        Account.objects.filter(pk=acme.pk).update(is_active=False, monthly_budget=50_000, kind="internal")
        send(root, page, form, name="Acme Brokers Inc", low_balance="7.5")
        acme.refresh_from_db()
        assert (acme.is_active, acme.monthly_budget, acme.kind) == (False, 50_000, "internal")
        assert (acme.name, acme.low_balance) == ("Acme Brokers Inc", 75_000)
        assert not AuditEvent.objects.filter(detail__contains="budget").exists()

    def test_is_closed_and_limited_by_its_page(self, root: Client, acme: Account, page: str) -> None:
        form = open_form(root, page)
        del form["is_active"]
        send(root, page, form, monthly_budget="5")
        acme.refresh_from_db()
        assert (acme.is_active, acme.monthly_budget, acme.name) == (False, 50_000, "Acme Brokers")


class TestAKey:
    def test_that_was_limited_meanwhile_stays_limited(self, root: Client, acme: Account) -> None:
        key, _ = keys.issue(account=acme, name="server", now=timezone.now())
        page = f"/admin/billing/apikey/{key.pk}/change/"
        form = open_form(root, page)
        limits = {"scopes": ["lookup"], "allowed_networks": ["192.0.2.0/24"], "monthly_budget": 50_000}
        ApiKey.objects.filter(pk=key.pk).update(**limits)
        send(root, page, form, name="the new server")
        assert ApiKey.objects.filter(pk=key.pk).values(*limits).get() == limits
        send(root, page, open_form(root, page), scopes=["lookup", "bulk"], allowed_networks="", monthly_budget="")
        key.refresh_from_db()
        assert (key.name, key.scopes) == ("the new server", ["lookup", "bulk"])
        assert (key.allowed_networks, key.monthly_budget) == ([], None)


class TestAUser:
    @pytest.fixture
    def page(self) -> str:
        dana = make_user("dana", "billing.view_account", "billing.move_money")
        dana.groups.add(Group.objects.get(name="finance"))
        return f"/admin/auth/user/{dana.pk}/change/"

    @pytest.fixture
    def owner(self, root: Client, page: str) -> Client:
        """Whoever changes users shows a password first."""
        client = Client()
        client.post("/admin/login/", {"login": make_user(is_superuser=True).username, "password": PASSWORD})
        return client

    def test_whose_rights_were_taken_meanwhile_does_not_get_them_back(self, owner: Client, page: str) -> None:
        form, dana = open_form(owner, page), User.objects.get(username="dana")
        User.objects.filter(pk=dana.pk).update(is_active=False, is_staff=False)
        dana.groups.set([Group.objects.get(name="viewer")])
        dana.user_permissions.clear()
        send(owner, page, form, email="dana@sos.test")
        dana.refresh_from_db()
        assert (dana.email, dana.is_active, dana.is_staff) == ("dana@sos.test", False, False)
        assert [one.name for one in dana.groups.all()] == ["viewer"]
        assert not dana.user_permissions.exists()

    def test_who_got_a_first_role_meanwhile_keeps_it(self, owner: Client) -> None:
        kim = make_user("kim")
        page = f"/admin/auth/user/{kim.pk}/change/"
        form = open_form(owner, page)
        kim.groups.set([Group.objects.get(name="support")])
        send(owner, page, form, email="kim@sos.test")
        assert [one.name for one in kim.groups.all()] == ["support"]

    def test_is_switched_off_and_given_another_role_by_the_page(self, owner: Client, page: str) -> None:
        form = open_form(owner, page)
        del form["is_active"]
        send(owner, page, form, groups=[str(Group.objects.get(name="support").pk)], user_permissions=[])
        dana = User.objects.get(username="dana")
        assert (dana.is_active, [one.name for one in dana.groups.all()]) == (False, ["support"])
        assert not dana.user_permissions.exists()

    def test_has_no_trace_of_the_password_in_the_page(self, owner: Client, page: str) -> None:
        assert User.objects.get(username="dana").password not in owner.get(page).content.decode()


class TestARole:
    def test_that_lost_a_right_meanwhile_does_not_get_it_back(self, root: Client) -> None:
        made = Group.objects.create(name="clerks")
        rights = Permission.objects.filter(codename__in=["view_account", "move_money"])
        made.permissions.set(rights)
        client = Client()
        client.post("/admin/login/", {"login": make_user(is_superuser=True).username, "password": PASSWORD})
        page = f"/admin/auth/group/{made.pk}/change/"
        form = open_form(client, page)
        made.permissions.remove(Permission.objects.get(codename="move_money"))
        send(client, page, form, name="counter clerks")
        made.refresh_from_db()
        assert (made.name, [one.codename for one in made.permissions.all()]) == ("counter clerks", ["view_account"])


class TestAJurisdiction:
    PAGE = "/admin/jurisdictions/jurisdiction/NY/change/"

    def test_keeps_what_customers_read_by_now(self, root: Client) -> None:
        services.disable(code="NY", reason="They move this week.")
        form = open_form(root, self.PAGE)
        services.disable(code="NY", reason="They moved; we look at it on Monday.")
        send(root, self.PAGE, form, note="Ask them on Monday.")
        row = Jurisdiction.objects.get(pk="NY")
        assert (row.reason, row.note) == ("They moved; we look at it on Monday.", "Ask them on Monday.")

    def test_that_was_switched_off_meanwhile_keeps_why(self, root: Client) -> None:
        services.enable(code="NY")
        form = open_form(root, self.PAGE)
        services.disable(code="NY", reason="They move this week.")
        send(root, self.PAGE, form, note="Ask them on Monday.")
        row = Jurisdiction.objects.get(pk="NY")
        assert (row.reason, row.note) == ("They move this week.", "Ask them on Monday.")
