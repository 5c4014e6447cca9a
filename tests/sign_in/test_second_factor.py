"""A second factor: set up, asked for at the door and before money, lost and given back."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth import get_user_model
from django.test import Client

from billing import accounts, keys
from billing.models import Account, ApiKey, AuditEvent, LedgerEntry
from tests.billing.conftest import NOW
from tests.sign_in.people import PASSWORD, Browser, SecurityKey, make_user, options_in, set_up_app

RIGHTS = ("billing.view_account", "billing.change_account", "billing.move_money", "billing.add_apikey")


@pytest.fixture
def dana(db: None) -> Any:
    return make_user("", *RIGHTS)


@pytest.fixture
def browser(dana: Any) -> Browser:
    browser = Browser()
    browser.sign_in(dana.username)
    return browser


@pytest.fixture
def account(db: None) -> Account:
    return accounts.open_account(name="Acme", now=NOW)


@pytest.fixture
def required(settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = True


def grant(account: Account) -> str:
    return f"/admin/billing/account/{account.pk}/grant/"


def issue(account: Account) -> str:
    return f"/admin/billing/account/{account.pk}/issue-key/"


DEEP = base64.urlsafe_b64encode(b"\x81" * 9_000).decode().rstrip("=")  # CBOR, a list in a list in a list
UNREADABLE = [
    *("[" * 10**5, "[" * 15_000, "9" * 10_000),
    json.dumps({"id": "", "rawId": "", "type": "public-key", "response": {"attestationObject": DEEP}}),
]
NONSENSE = ["", "{}", "[]", "null", '{"id": 1}', "\x00", '"' + "x" * 10**5 + '"', *UNREADABLE]
GRANT = {"lookups": "1", "reason": "trial", "token": "abc", "confirm": "1"}


def let_pass(browser: Browser, minutes: int) -> None:
    """Make what the session has seen so much older."""
    session = browser.session
    session["proof"] = {**session["proof"], "at": session["proof"]["at"] - minutes * 60}
    for record in (records := session["account_authentication_methods"]):
        record["at"] -= minutes * 60
    session["account_authentication_methods"] = records
    session.save()


def kinds() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("kind", flat=True))


class TestAnAuthenticatorApp:
    def test_is_set_up_with_the_password_and_gives_recovery_codes(self, browser: Browser, dana: Any) -> None:
        assert browser.get("/admin/factors/app/activate/")["Location"].startswith("/admin/confirm/password/?next=")
        set_up_app(browser)
        codes = re.findall(r"^\s*(\d{8})", browser.get("/admin/factors/codes/").content.decode(), re.MULTILINE)
        assert len(set(codes)) >= 9
        assert kinds()[-3:] == ["confirmed", "factor_added", "factor_added"]

    def test_is_kept_sealed(self, browser: Browser, dana: Any) -> None:
        app = set_up_app(browser)
        kept = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
        assert base64.b32encode(app.secret).decode() not in kept

    def test_is_asked_for_at_the_door(self, browser: Browser, dana: Any) -> None:
        app = set_up_app(browser)
        fresh = Browser()
        assert fresh.sign_in(dana.username)["Location"] == "/admin/login/factor/"
        assert fresh.get("/admin/")["Location"].startswith("/admin/login/")
        asked = fresh.post("/admin/login/factor/", {"code": "000000"})
        assert asked.status_code == 200
        assert "security key" not in asked.content.decode(), "there is none to use"
        assert fresh.get("/admin/")["Location"].startswith("/admin/login/")
        assert fresh.post("/admin/login/factor/", {"code": app.code(1)})["Location"] == "/admin/"
        assert fresh.get("/admin/").status_code == 200
        assert kinds()[-2:] == ["sign_in_failed", "signed_in"]
        assert AuditEvent.objects.first().detail == "With a second factor."  # type: ignore[union-attr]

    @pytest.mark.parametrize("more", [{}, {"login": "somebody-else"}], ids=["alone", "under another name"])
    def test_is_not_guessed(
        self, browser: Browser, dana: Any, monkeypatch: pytest.MonkeyPatch, more: dict[str, str]
    ) -> None:
        monkeypatch.setattr("config.sign_in.throttle.WINDOW", 10**6)
        app = set_up_app(browser)
        codes = [app.code(step) for step in (0, 1)]
        answers = []
        fresh = Browser()
        for number in range(12):
            if fresh.get("/admin/login/factor/").status_code != 200:
                fresh.sign_in(dana.username)
            wrong = next(f"{n:06}" for n in range(number * 7, 10**6) if f"{n:06}" not in codes)
            sent = {"code": wrong} | {field: f"{name}-{number}" for field, name in more.items()}
            answers.append(fresh.post("/admin/login/factor/", sent).status_code)
        assert 429 in answers
        assert fresh.post("/admin/login/factor/", {"code": app.code(1)}).status_code == 429
        assert fresh.get("/admin/").status_code == 302

    def test_opens_nothing_after_the_secret_key_was_changed(self, browser: Browser, dana: Any, settings: Any) -> None:
        app, before = set_up_app(browser), settings.SECRET_KEY
        settings.SECRET_KEY = "another key with enough characters in it"
        fresh = Browser()
        fresh.sign_in(dana.username)
        assert fresh.post("/admin/login/factor/", {"code": app.code(1)}).status_code == 200
        assert fresh.get("/admin/").status_code == 302
        settings.SECRET_KEY_FALLBACKS = [before]
        assert fresh.post("/admin/login/factor/", {"code": app.code(1)}).status_code == 302
        assert browser.get("/admin/").status_code == fresh.get("/admin/").status_code == 200

    def test_code_works_once(self, browser: Browser, dana: Any) -> None:
        app = set_up_app(browser)
        code = app.code(1)
        first, second = Browser(), Browser()
        for one in (first, second):
            one.sign_in(dana.username)
        assert first.post("/admin/login/factor/", {"code": code}).status_code == 302
        assert second.post("/admin/login/factor/", {"code": code}).status_code == 200

    def test_that_is_lost_is_replaced_by_a_recovery_code_once(self, browser: Browser, dana: Any) -> None:
        set_up_app(browser)
        page = browser.get("/admin/factors/codes/").content.decode()
        code = re.findall(r"\b(\d{8})\b", page)[0]
        for expected in (302, 200):
            fresh = Browser()
            fresh.sign_in(dana.username)
            assert fresh.post("/admin/login/factor/", {"code": code}).status_code == expected

    def test_that_is_lost_is_not_the_end_and_both_pages_that_ask_for_it_say_so(
        self, browser: Browser, dana: Any
    ) -> None:
        set_up_app(browser)
        fresh = Browser()
        fresh.sign_in(dana.username)
        for page in (fresh.get("/admin/login/factor/"), browser.get("/admin/confirm/code/")):
            assert "Type one of your recovery codes." in page.content.decode()

    def test_is_given_up_by_its_owner_only_with_the_factor(self, browser: Browser, dana: Any) -> None:
        app = set_up_app(browser)
        let_pass(browser, 11)
        asked = browser.post("/admin/factors/app/deactivate/")["Location"]
        assert asked.startswith("/admin/confirm/code/")
        assert browser.post(asked, {"code": app.code(1)}).status_code == 302
        assert not Authenticator.objects.exists()
        assert kinds()[-3:] == ["confirmed", "factor_removed", "factor_removed"]


class TestASecurityKey:
    def browser(self, **named: Any) -> Browser:
        return Browser(headers={"x-forwarded-proto": "https"}, **named)

    def test_is_added_asked_for_at_the_door_and_before_money(
        self, dana: Any, account: Account, required: None, settings: Any
    ) -> None:
        settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
        key, browser = SecurityKey(), self.browser()
        browser.sign_in(dana.username)
        browser.post("/admin/confirm/password/", {"password": PASSWORD})
        options = options_in(browser.get("/admin/factors/keys/add/"))
        made = {"name": "the blue one", "credential": key.create(options)}
        assert browser.post("/admin/factors/keys/add/", made).status_code == 302
        assert "the blue one" in browser.get("/admin/factors/keys/").content.decode()
        fresh = self.browser()
        fresh.sign_in(dana.username)
        asked = fresh.get("/admin/login/factor/")
        assert "Use a security key" in asked.content.decode()
        options = options_in(asked)
        stranger = {"credential": SecurityKey().get(options)}
        assert fresh.post("/admin/login/factor/", stranger).status_code == 200
        options = options_in(fresh.get("/admin/login/factor/"))
        assert fresh.post("/admin/login/factor/", {"credential": key.get(options)})["Location"] == "/admin/"
        assert fresh.get(grant(account)).status_code == 200
        let_pass(fresh, 11)
        asked = fresh.get(grant(account))["Location"]
        assert asked.startswith("/admin/confirm/key/")
        credential = key.get(options_in(fresh.get(asked)))
        assert fresh.post(asked, {"credential": credential})["Location"] == grant(account)
        assert fresh.get(grant(account)).status_code == 200

    def test_of_another_site_is_refused(self, dana: Any, settings: Any) -> None:
        settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
        browser = self.browser()
        browser.sign_in(dana.username)
        browser.post("/admin/confirm/password/", {"password": PASSWORD})
        options = options_in(browser.get("/admin/factors/keys/add/"))
        phished = SecurityKey("elsewhere.test").create(options)
        assert browser.post("/admin/factors/keys/add/", {"name": "x", "credential": phished}).status_code == 200
        assert not Authenticator.objects.exists()

    @pytest.mark.parametrize("more", ["\x00", "\ud800"], ids=["NUL", "half a letter"])
    def test_that_answers_what_no_database_keeps_is_refused(self, browser: Browser, more: str) -> None:
        browser.post("/admin/confirm/password/", {"password": PASSWORD})
        made = json.loads(SecurityKey().create(options_in(browser.get("/admin/factors/keys/add/")))) | {"more": more}
        added = browser.post("/admin/factors/keys/add/", {"name": "x", "credential": json.dumps(made)})
        assert added.status_code == 200
        assert not Authenticator.objects.exists()

    @pytest.mark.parametrize("answer", NONSENSE, ids=range(len(NONSENSE)))
    def test_that_answers_nonsense_is_refused(self, browser: Browser, answer: str) -> None:
        browser.post("/admin/confirm/password/", {"password": PASSWORD})
        browser.get("/admin/factors/keys/add/")
        assert browser.post("/admin/factors/keys/add/", {"credential": answer}).status_code == 200
        assert not Authenticator.objects.exists()

    def test_that_answers_nonsense_opens_no_door(self, dana: Any, account: Account, settings: Any) -> None:
        settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
        key, browser = SecurityKey(), self.browser()
        browser.sign_in(dana.username)
        browser.post("/admin/confirm/password/", {"password": PASSWORD})
        made = {"name": "k", "credential": key.create(options_in(browser.get("/admin/factors/keys/add/")))}
        assert browser.post("/admin/factors/keys/add/", made).status_code == 302
        fresh = self.browser()
        fresh.sign_in(dana.username)
        for answer in UNREADABLE[1:]:  # with the others they are ten tries, and no more are had
            assert fresh.post("/admin/login/factor/", {"credential": answer}).status_code == 200
        options = options_in(fresh.get("/admin/login/factor/"))
        assert fresh.post("/admin/login/factor/", {"credential": key.get(options)})["Location"] == "/admin/"
        let_pass(fresh, 11)
        asked = fresh.get(grant(account))["Location"]
        for answer in UNREADABLE[1:]:
            assert fresh.post(asked, {"credential": answer})["Location"] == "/admin/login/"
        assert fresh.get(grant(account)).status_code == 302


class TestBeforeMoneyAndKeys:
    def test_one_shows_again_who_it_is_and_what_was_sent_goes_on(self, browser: Browser, account: Account) -> None:
        assert browser.get(grant(account)).status_code == 200  # just signed in
        let_pass(browser, 11)
        for page in (grant(account), issue(account)):
            assert browser.get(page)["Location"].startswith("/admin/confirm/password/?next=")
        asked = browser.post(grant(account), GRANT)["Location"]
        assert account.entries.count() == 1
        assert browser.post(asked, {"password": "wrong"}).status_code == 200
        assert account.entries.count() == 1
        assert browser.post(asked, {"password": PASSWORD}).status_code == 302
        assert account.entries.count() == 2
        event = AuditEvent.objects.get(kind="money_moved")
        assert (event.subject, event.detail) == (
            f"billing.account {account.pk}",
            "Change: A grant of 0.0314 USD.",
        )
        assert (event.actor, event.address) == (browser_name(browser), browser.address)

    def test_one_shows_again_who_it_is_to_give_free_service(self, browser: Browser, account: Account) -> None:
        """Of a kind that is never charged: it was given by whoever sat at a browser that had been left open."""
        page, named = f"/admin/billing/account/{account.pk}/change/", {"name": "Acme", "is_active": "on"}
        let_pass(browser, 11)
        assert browser.post(page, {**named, "kind": "user", "name": "Acme Inc"})["Location"] != page
        asked = browser.post(page, {**named, "kind": "internal"})["Location"]
        new = browser.post("/admin/billing/account/add/", {"name": "New", "kind": "internal"})["Location"]
        assert all(one.startswith("/admin/confirm/password/?next=") for one in (asked, new))
        assert set(Account.objects.values_list("name", "kind")) == {("Acme Inc", "user")}
        browser.post(page, {**named, "kind": "internal"})
        assert browser.post(asked, {"password": PASSWORD}).status_code == 302
        assert Account.objects.get().kind == "internal"

    def test_free_service_needs_a_second_factor_where_money_does(
        self, browser: Browser, account: Account, required: None
    ) -> None:
        sent = {"name": "Acme", "is_active": "on", "kind": "internal"}
        assert browser.post(f"/admin/billing/account/{account.pk}/change/", sent)["Location"] == "/admin/factors/"
        assert Account.objects.get().kind == "user"

    @pytest.mark.parametrize("more", [{"scopes": ["lookup", "keys"]}, {"allowed_networks": ""}])
    def test_one_shows_again_who_it_is_to_let_a_key_do_more(self, account: Account, more: dict[str, Any]) -> None:
        """Who has a key that opens little was given one that opens everything, from a browser that was left open."""
        browser, bound = Browser(), {"scopes": ["lookup"], "allowed_networks": ["192.0.2.0/24"]}
        browser.sign_in(make_user("", "billing.view_apikey", "billing.change_apikey").username)
        key, _ = keys.issue(account=account, name="server", now=NOW, **bound)
        page, sent = (
            f"/admin/billing/apikey/{key.pk}/change/",
            {"scopes": ["lookup"], "allowed_networks": "192.0.2.0/24"},
        )
        let_pass(browser, 11)
        assert browser.get(page).status_code == 200
        assert "/confirm/" not in browser.post(page, {**sent, "name": "web server"})["Location"]
        asked = browser.post(page, {**sent, "name": "web server", **more})["Location"]
        assert asked.startswith("/admin/confirm/password/?next=")
        key.refresh_from_db()
        assert (key.name, key.scopes, key.allowed_networks) == ("web server", *bound.values())
        assert browser.post(asked, {"password": PASSWORD}).status_code == 302
        key.refresh_from_db()
        assert [key.scopes, key.allowed_networks] != [*bound.values()]

    def test_one_shows_again_who_it_is_to_ask_an_outage_again(self, db: None) -> None:
        """Customers pay for what is answered then."""
        browser, page = Browser(), "/admin/lookups/job/ask-outage-again/"
        browser.sign_in(make_user("", "lookups.view_job", "lookups.change_job").username)
        assert browser.get(page).status_code == 200
        let_pass(browser, 11)
        for reply in (browser.get(page), browser.post(page, {"confirm": "1"})):
            assert reply["Location"].startswith("/admin/confirm/password/?next=")

    def test_what_somebody_else_confirmed_opens_nothing(self, browser: Browser, account: Account) -> None:
        other = make_user("", *RIGHTS)
        session = browser.session
        session["proof"] = {**session["proof"], "user": other.pk}
        session.save()
        assert browser.get(grant(account)).status_code == 302

    @pytest.mark.django_db(transaction=True)  # what is done on commit stands in the session
    def test_who_has_no_factor_is_led_to_set_one_up(self, browser: Browser, account: Account, required: None) -> None:
        for page in (grant(account), issue(account)):
            for reply in (browser.get(page), browser.post(page, {"name": "k", "mode": "live", **GRANT})):
                assert (reply.status_code, reply["Location"]) == (302, "/admin/factors/")
        assert "need a second factor" in browser.get("/admin/factors/").content.decode()
        assert browser.get(f"/admin/billing/account/{account.pk}/change/").status_code == 200
        assert not ApiKey.objects.exists()
        assert LedgerEntry.objects.count() == 1
        set_up_app(browser)
        assert browser.get(grant(account)).status_code == 200

    def test_a_session_from_before_the_factor_shows_the_factor_first(
        self, browser: Browser, dana: Any, account: Account, required: None
    ) -> None:
        """Who had stolen the password and sits in another session gets no further by the password."""
        thief = Browser()
        thief.sign_in(dana.username)
        app = set_up_app(browser)
        asked = thief.get(grant(account))["Location"]
        assert asked.startswith("/admin/confirm/code/")
        assert thief.post("/admin/confirm/password/", {"password": PASSWORD})["Location"].startswith(
            "/admin/confirm/code/"
        )
        assert thief.get(grant(account)).status_code == 302
        assert thief.post(asked, {"code": app.code(1)})["Location"] == grant(account)
        assert thief.get(grant(account)).status_code == 200

    def test_the_factor_is_no_right(self, db: None, account: Account, required: None) -> None:
        viewer = make_user("", "billing.view_account")
        browser = Browser()
        browser.sign_in(viewer.username)
        set_up_app(browser)
        assert browser.get(grant(account)).status_code == 403


def browser_name(browser: Client) -> str:
    return str(get_user_model().objects.get(pk=browser.session["_auth_user_id"]).username)
