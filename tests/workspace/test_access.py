"""Who gets into the workspace, as whom, and with which key."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone
from lxml import html

from billing import customer_keys, keys, ledger
from billing.models import Account, ApiKey, Invitation, Member, MemberSession
from lookups.models import BulkDraft, Delivery, Lookup, Watch
from lookups.workspace.access import workspace
from tests.sign_in.people import Browser as StaffBrowser
from tests.sign_in.people import make_user, set_up_app
from tests.workspace.conftest import Browser, join, open_office

pytestmark = pytest.mark.django_db


def ask(browser: Any, role: str = "viewer") -> Any:
    """A page of that role, opened by that browser; the request as the view saw it, or what was answered instead."""
    request = RequestFactory().get("/app/anything/?a=1")
    request.COOKIES = {name: morsel.value for name, morsel in browser.cookies.items()}
    seen = []
    answer = workspace(role=role)(lambda request: seen.append(request) or HttpResponse("in"))(request)
    return seen[0] if seen else answer


class TestAPageOfTheWorkspace:
    def test_sends_a_stranger_to_sign_in_and_back(self) -> None:
        answer = ask(Client())
        assert answer.status_code == 302
        assert answer["Location"] == "/app/sign-in/?next=%2Fapp%2Fanything%2F%3Fa%3D1"

    @pytest.mark.parametrize(
        ("sender", "wanted"),
        [
            ("http://testserver/app/balance/?look=1#top", "/app/balance/?look=1"),
            ("http://elsewhere.test/app/keys/", "/app/balance/topup/"),
            ("http://testserver/docs/", "/app/balance/topup/"),
            ("http://[", "/app/balance/topup/"),
            ("", "/app/balance/topup/"),
        ],
    )
    def test_leads_back_to_the_form_that_was_sent_after_the_session_had_ended(self, sender: str, wanted: str) -> None:
        answer = Client().post("/app/balance/topup/", {"amount": "10"}, HTTP_REFERER=sender)
        assert parse_qs(urlsplit(answer["Location"]).query) == {"next": [wanted], "unsent": ["1"]}

    def test_leads_back_to_the_page_of_a_file_that_was_wanted_after_the_session_had_ended(self) -> None:
        answer = Client().get(
            "/app/history/export.csv?state=NY", HTTP_REFERER="http://testserver/app/history/?state=NY"
        )
        assert parse_qs(urlsplit(answer["Location"]).query) == {"next": ["/app/history/?state=NY"]}

    @pytest.mark.parametrize(
        ("form", "page"),
        [
            ("/app/webhooks/test/", "/app/webhooks/"),
            ("/app/team/7/role/", "/app/team/"),
            ("/app/settings/passkeys/7/remove/", "/app/settings/"),
            ("/app/sign-out/", "/app/"),
        ],
    )
    def test_is_opened_by_the_address_of_its_form_too(self, office: Browser, form: str, page: str) -> None:
        """As the way back from signing in has it, of a form that had been refused once and was sent again."""
        reply = office.get(form, follow=True)
        assert reply.status_code == 200
        assert reply.request["PATH_INFO"] == page

    def test_knows_its_member_and_a_key_of_the_account(self, office: Browser) -> None:
        request = ask(office, "owner")
        assert request.member == office.member
        assert request.livemode is True
        assert (request.workspace_key.account, request.workspace_key.mode) == (office.account, "live")

    @pytest.mark.parametrize("role", ["viewer", "member", "admin", "owner"])
    def test_opens_to_its_role_and_those_above(
        self, office: Browser, clerk: Browser, viewer: Browser, role: str
    ) -> None:
        may = [ask(one, role).__class__.__name__ == "WSGIRequest" for one in (viewer, clerk, office)]
        assert (
            may
            == {
                "viewer": [True, True, True],
                "member": [False, True, True],
                "admin": [False, False, True],
                "owner": [False, False, True],
            }[role]
        )

    def test_is_kept_by_no_cache(self, office: Browser) -> None:
        assert office.post("/app/mode/")["Cache-Control"] == "private, no-store"

    def test_of_a_closed_account_leads_its_owner_to_the_data_and_the_end(self, office: Browser, clerk: Browser) -> None:
        """Both are open to an owner there, and no page led to them."""
        Account.objects.update(is_active=False)
        paths = ("/app/settings/export/", "/app/settings/erase/")
        page, other = (browser.get("/app/settings/").content.decode() for browser in (office, clerk))
        assert [path in page for path in paths] == [True, True]
        assert [path in other for path in paths] == [False, False]
        assert office.post(paths[0]).status_code == 200
        assert office.get(paths[1]).status_code == 200

    def test_of_a_closed_account_lets_its_people_leave_and_forget_their_passkeys(
        self, office: Browser, clerk: Browser, viewer: Browser
    ) -> None:
        """Both are about the person, and no page led there; leaving was refused."""
        passkey = Authenticator.objects.create(user=clerk.user, type="webauthn", data={"name": "Laptop"})
        Account.objects.update(is_active=False)
        page = html.fromstring(clerk.get("/app/settings/").content)
        (form,) = (one for one in page.cssselect("main form") if "passkeys" in one.get("action"))
        assert "Laptop" in page.text_content()
        after = clerk.post(form.get("action"), follow=True).content.decode()
        assert "The passkey has been removed" in after
        assert "Laptop" not in after
        assert not Authenticator.objects.filter(pk=passkey.pk).exists()
        (leave,) = (one.get("href") for one in page.cssselect("main a") if "Leave" in one.text_content())
        assert "Leave <bdi>Quay Street Compliance</bdi>?" in clerk.get(leave).content.decode()
        assert "You have left" in clerk.post(leave).content.decode()
        assert not Member.objects.filter(pk=clerk.member.pk).exists()
        for reply in (office.get, office.post):
            assert reply(f"/app/team/{viewer.member.pk}/remove/").status_code == 403
        assert Member.objects.filter(pk=viewer.member.pk).exists()
        last = office.post(f"/app/team/{office.member.pk}/remove/", follow=True).content.decode()
        assert "An account has an owner" in last

    def test_is_closed_with_the_account(self, office: Browser) -> None:
        office.account.is_active = False
        office.account.save(update_fields=["is_active"])
        answer = ask(office)
        assert answer.status_code == 403
        assert b"<h1>This account is closed</h1>" in answer.content
        assert b"Not for your role" not in answer.content

    def test_ends_when_nobody_was_there(self, office: Browser) -> None:
        MemberSession.objects.update(seen_at=timezone.now() - timedelta(hours=settings.WORKSPACE_IDLE_HOURS))
        assert ask(office).status_code == 302

    def test_ends_after_its_days_however_busy(self, office: Browser) -> None:
        MemberSession.objects.update(began_at=timezone.now() - timedelta(days=settings.WORKSPACE_SESSION_DAYS))
        assert ask(office).status_code == 302

    def test_ends_with_sign_out(self, office: Browser) -> None:
        before = office.cookies.copy()
        office.post("/app/sign-out/")
        office.cookies = before
        assert ask(office).status_code == 302


def open_neighbor() -> Account:
    """Another account with something on every page of the workspace, in both modes; all of it is called bolt."""
    bea, now = open_office("Bolt Works", "bea@bolt.test"), timezone.now()
    account = bea.account
    join(account, "member", "cy@bolt.test")
    bea.post("/app/team/invite/", {"email": "dan@bolt.test", "role": "member"})
    hooks = {"webhook_url": "https://bolt.test/a", "test_webhook_url": "https://bolt.test/b"}
    Account.objects.filter(pk=account.pk).update(**hooks)
    paid: dict[str, Any] = {"amount": 50_000, "source": "card", "reference": "pi_bolt", "now": now}
    ledger.deposit(account_id=account.pk, idempotency_key="bolt", **paid)
    for mode in ("live", "test"):
        key, _ = keys.issue(account=account, name=f"bolt {mode}", mode=mode, now=now)
        is_test = {"account": account, "sandbox": mode == "test"}
        BulkDraft.objects.create(**is_test, name="bolt.csv", table={}, mapping={}, created_at=now, changed_at=now)
        sent = {"channel": "webhook", "event": "webhook.test", "address": "https://bolt.test/c", "body": "{}"}
        waits = {"account": account, "livemode": mode == "live", "next_at": now, "created_at": now}
        Delivery.objects.create(**waits, **sent)
        asked = {"asked": "Bolt Secret LLC", "ref": "bolt-7", "origin": "api", "verdict": "not_found", "ended_at": now}
        about: dict[str, Any] = {"kind": "business_entity", "state": "DE", "created_at": now, "cost": 0}
        Lookup.objects.create(**is_test, **asked, **about, key=key)
        watched: dict[str, Any] = {"entity_name": "Bolt Secret LLC", "every": "day", "categories": ["status"]}
        Watch.objects.create(**is_test, **watched, key=key, state="DE", name="BOLT SECRET LLC", created_at=now)
    return account


class TestAnotherAccount:
    """Is on no page of this one's, and in no file of it."""

    PAGES = (
        "", "team/", "settings/", "usage/", "usage/usage.csv", "keys/", "webhooks/", "balance/", "balance/statement/",
        "balance/statement/statement.csv", "balance/receipts/", "bulk/", "history/", "history/export.csv", "watches/",
        "events/",
    )  # fmt: skip

    @pytest.mark.parametrize("mode", ["live", "sandbox"])
    def test_is_nowhere_to_be_seen(self, office: Browser, mode: str) -> None:
        neighbor = open_neighbor()
        office.work_in(mode)
        bea = Browser(Member.objects.get(account=neighbor, user__email="bea@bolt.test")).work_in(mode)
        seen = {page: (read(office, page), read(bea, page)) for page in self.PAGES}
        assert [page for page, (ours, _) in seen.items() if "bolt" in ours.lower()] == []
        assert [page for page, (_, theirs) in seen.items() if "bolt" in theirs.lower()]
        lists = ("team/", "keys/", "webhooks/", "bulk/", "history/", "history/export.csv", "watches/")
        assert all("bolt" in seen[page][1].lower().replace("bolt works", "") for page in lists)
        assert seen["balance/receipts/"][0] != seen["balance/receipts/"][1]


def read(browser: Browser, page: str) -> str:
    """A page, or a file."""
    reply: Any = browser.get(f"/app/{page}")
    assert reply.status_code == 200, page
    return str((b"".join(reply.streaming_content) if reply.streaming else reply.content).decode())


class TestTheSwitch:
    def test_leads_to_the_sandbox_and_back(self, office: Browser) -> None:
        answer = office.post("/app/mode/", {"mode": "sandbox", "next": "/app/history/?state=NY"})
        assert answer["Location"] == "/app/history/?state=NY"
        request = ask(office)
        assert (request.livemode, request.workspace_key.mode) == (False, "test")
        office.work_in("live")
        assert ask(office).livemode is True

    def test_says_where_a_page_has_gone_that_the_sandbox_has_not(self, office: Browser) -> None:
        key, _ = keys.issue(account=office.account, name="server", now=timezone.now())
        for path, words in ((f"/app/keys/{key.public_id}/", "its own mode"), ("/app/lookups/lk_1/", "the other mode")):
            reply = office.post("/app/mode/", {"mode": "sandbox", "next": path}, follow=True)
            assert (reply.status_code, words in reply.content.decode()) == (404, True), path

    @pytest.mark.parametrize(
        "elsewhere", ["https://evil.test/", "//evil.test/app/", "/admin/", "/app\\evil", "javascript:1"]
    )
    def test_leads_nowhere_else(self, office: Browser, elsewhere: str) -> None:
        assert office.post("/app/mode/", {"mode": "live", "next": elsewhere})["Location"] == "/app/"

    @pytest.mark.parametrize(
        ("form", "fields", "page"),
        [
            ("/app/webhooks/test/", {}, "/app/webhooks/"),
            ("/app/balance/budget/", {"monthly_budget": "much"}, "/app/balance/"),
            ("/app/team/invite/", {"email": "nobody"}, "/app/team/"),
        ],
    )
    def test_leads_from_a_form_that_was_refused_to_its_page(
        self, office: Browser, form: str, fields: dict[str, str], page: str
    ) -> None:
        refused = office.post(form, fields)
        assert refused.status_code == 400
        switch = html.fromstring(refused.content).cssselect("header form")[0]
        reply = office.post("/app/mode/", dict(switch.form_values()) | {"mode": "sandbox"}, follow=True)
        assert reply.status_code == 200
        assert reply.request["PATH_INFO"] == page

    def test_is_one_browser_alone(self, office: Browser, clerk: Browser) -> None:
        office.work_in("sandbox")
        assert ask(clerk).livemode is True


class TestAFormInAnotherTab:
    """It was opened in the sandbox, where nothing is charged; then its person went to live mode."""

    @pytest.mark.parametrize("path", ["/app/", "/app/watches/new/", "/app/watches/many/", "/app/webhooks/"])
    def test_is_not_sent_in_a_mode_that_it_did_not_show(self, office: Browser, path: str) -> None:
        page = html.fromstring(office.work_in("sandbox").get(path).content)
        (form,) = (one for one in page.cssselect("main form") if one.get("action") == path)
        fields = dict(form.form_values()) | {"name": "Acme Corp", "state": "NY", "webhook_url": "https://acme.test/"}
        reply = office.work_in("live").post(path, fields)
        assert reply.status_code == 409
        assert "Nothing was asked, changed or charged." in reply.content.decode()
        assert not Lookup.objects.exists()
        office.account.refresh_from_db()
        assert (office.account.webhook_url, office.account.test_webhook_url) == ("", "")
        assert office.work_in("sandbox").post(path, fields).status_code != 409

    def test_is_not_sent_for_another_account(self, office: Browser) -> None:
        page = html.fromstring(office.get("/app/").content)
        shown_in = page.cssselect("main form input[name=shown_in]")[0].get("value")
        other = open_office("Harbor Street", "jonas@harbor.test")
        question = {"name": "Acme Corp", "state": "NY", "kind": "company", "shown_in": shown_in}
        assert other.post("/app/", question).status_code == 409
        assert not Lookup.objects.exists()

    @pytest.mark.parametrize(
        ("page", "action", "fields"),
        [
            ("settings", "settings", {"name": "Quay Street, renamed", "monthly_budget": "5"}),
            ("team", "team/invite", {"email": "vera@quay.test", "role": "admin"}),
            ("balance", "balance/budget", {"monthly_budget": "5"}),
            ("keys/new", "keys/new", {"name": "server", "mode": "live"}),
            ("bulk", "bulk", {"pasted": "Company,State\nAcme Corp,NY\n"}),
        ],
    )
    def test_changes_nothing_of_another_account(
        self, office: Browser, page: str, action: str, fields: dict[str, str]
    ) -> None:
        forms = html.fromstring(office.get(f"/app/{page}/").content).cssselect("main form")
        (form,) = (one for one in forms if one.get("action", f"/app/{page}/") == f"/app/{action}/" or page == "bulk")
        other = open_office("Harbor Street", "jonas@harbor.test")
        reply = other.post(f"/app/{action}/", dict(form.form_values()) | fields)
        assert reply.status_code == 409
        (again,) = (one for one in html.fromstring(reply.content).cssselect("main a.button"))
        assert other.get(again.get("href")).status_code == 200
        other.account.refresh_from_db()
        assert (other.account.name, other.account.monthly_budget) == ("Harbor Street", None)
        assert not ApiKey.objects.filter(is_workspace=False).exists()
        assert not Invitation.objects.exists()
        assert not BulkDraft.objects.exists()

    @pytest.mark.parametrize(("page", "action"), [("settings", "settings"), ("balance", "balance/budget")])
    def test_about_the_account_is_the_same_in_both_modes(self, office: Browser, page: str, action: str) -> None:
        forms = html.fromstring(office.work_in("sandbox").get(f"/app/{page}/").content).cssselect("main form")
        form = next(one for one in forms if one.get("action", f"/app/{page}/") == f"/app/{action}/")
        reply = office.work_in("live").post(f"/app/{action}/", dict(form.form_values()) | {"monthly_budget": "5"})
        assert reply.status_code == 302
        office.account.refresh_from_db()
        assert office.account.monthly_budget == 50_000


class TestTheWorkspacesOwnKey:
    def test_is_made_once_for_each_mode(self, office: Browser) -> None:
        first, again = ask(office).workspace_key, ask(office).workspace_key
        assert first == again
        assert ask(office.work_in("sandbox")).workspace_key != first
        assert ApiKey.objects.filter(is_workspace=True).count() == 2

    def test_is_in_no_list_of_keys(self, office: Browser) -> None:
        own = ask(office).workspace_key
        key, secret = keys.issue(account=office.account, name="server", now=timezone.now())
        assert list(customer_keys.list_keys(by=own)) == [key]
        assert customer_keys.find(own.public_id, by=key) is None
        listed = Client().get("/v1/keys", headers={"x-api-key": secret}).json()
        assert [row["name"] for row in listed["keys"]] == ["server"]

    def test_opens_nothing_to_a_program(self, office: Browser) -> None:
        own = ask(office).workspace_key
        for secret in (own.prefix, own.secret_hash, f"osd_{own.secret_hash}", "osd_" + "a" * 32):
            assert Client().get("/v1/account/settings", headers={"x-api-key": secret}).status_code == 401
            with pytest.raises(keys.InvalidKey):
                keys.verify(secret=secret, now=timezone.now())

    def test_is_opened_by_no_secret_even_if_one_were_found(self, office: Browser) -> None:
        own = ask(office).workspace_key
        own.secret_hash = keys.hash_secret("osd_" + "a" * 32)
        own.save()
        with pytest.raises(keys.InvalidKey):
            keys.verify(secret="osd_" + "a" * 32, now=timezone.now())

    def test_gets_no_successor_with_a_secret(self, office: Browser) -> None:
        with pytest.raises(keys.InvalidKey):
            keys.rotate(key=ask(office).workspace_key, grace=timedelta(), now=timezone.now())

    def test_is_known_to_the_staff_and_not_revoked_alone(self, office: Browser) -> None:
        own = ask(office).workspace_key
        staff = StaffBrowser()
        staff.sign_in(make_user(is_superuser=True).username)
        set_up_app(staff)
        listed = staff.get("/admin/billing/apikey/?is_workspace__exact=1").content.decode()
        assert f"/admin/billing/apikey/{own.pk}/change/" in listed
        answer = staff.post(f"/admin/billing/apikey/{own.pk}/revoke/", follow=True)
        assert b"To end that, close the account." in answer.content
        assert ask(office).workspace_key.revoked_at is None

    def test_makes_keys_for_programs(self, office: Browser) -> None:
        made, secret = customer_keys.create(by=ask(office).workspace_key, name="server", now=timezone.now())
        assert secret
        assert keys.verify(secret=secret, now=timezone.now()) == made
