"""Signing in: tries are counted before they are looked at, and everything that happens stands in the audit log."""

from __future__ import annotations

import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone

from billing.models import AuditEvent
from config.sign_in import throttle
from tests.sign_in.people import PASSWORD, Browser, make_user, new_address


@pytest.fixture
def dana(db: None) -> Any:
    return make_user()


@pytest.fixture(autouse=True)
def _within_one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """No quarter of an hour ends during a test."""
    monkeypatch.setattr(throttle, "WINDOW", 10**6)


def events() -> list[tuple[str, str]]:
    return list(AuditEvent.objects.order_by("pk").values_list("kind", "actor"))


class TestSigningIn:
    def test_leads_to_where_one_wanted_to_go_and_is_logged_with_the_address(self, dana: Any) -> None:
        browser = Browser()
        assert browser.get("/admin/auth/user/")["Location"] == "/admin/login/?next=/admin/auth/user/"
        reply = browser.sign_in(dana.username, next="/admin/auth/user/")
        assert (reply.status_code, reply["Location"]) == (302, "/admin/auth/user/")
        event = AuditEvent.objects.get()
        assert (event.kind, event.actor, event.address) == ("signed_in", dana.username, browser.address)
        assert event.request_id == reply["X-Request-Id"]

    def test_leads_nowhere_outside(self, dana: Any) -> None:
        assert Browser().sign_in(dana.username, next="https://elsewhere.test/")["Location"] == "/admin/"

    def test_out_is_logged(self, dana: Any) -> None:
        browser = Browser()
        browser.sign_in(dana.username)
        assert browser.post("/admin/logout/")["Location"] == "/admin/login/"
        assert events() == [("signed_in", dana.username), ("signed_out", dana.username)]
        assert browser.get("/admin/").status_code == 302

    def test_is_for_staff_alone_and_nobody_else_learns_that_the_password_was_right(self, db: None) -> None:
        get_user_model().objects.create_user("customer", password=PASSWORD)
        right, wrong = (Browser().sign_in("customer", password) for password in (PASSWORD, "x"))
        assert right.status_code == wrong.status_code == 200
        assert "_auth_user_id" not in right.client.session

    def test_ends_when_one_is_no_staff_any_more(self, dana: Any) -> None:
        browser = Browser()
        browser.sign_in(dana.username)
        get_user_model().objects.filter(pk=dana.pk).update(is_staff=False)
        assert browser.get("/admin/").status_code == 302

    @pytest.mark.parametrize("page", ["signup/", "email/", "password/reset/", "login/code/", "password/change/"])
    def test_has_no_page_of_what_staff_do_not_need(self, db: None, page: str) -> None:
        for path in (f"/admin/{page}", f"/accounts/{page}"):
            reply = Browser().get(path)
            assert reply.status_code == 404 or reply["Location"].startswith("/admin/login/"), path


class TestAWrongPassword:
    def test_is_logged_without_what_was_typed(self, dana: Any) -> None:
        browser = Browser()
        browser.sign_in(dana.username, "my other password")
        browser.sign_in("my secret typed too early", "x")
        assert events() == [("sign_in_failed", dana.username), ("sign_in_failed", "unknown user")]
        assert "secret" not in str(list(AuditEvent.objects.values()))
        assert "other password" not in str(list(AuditEvent.objects.values()))

    def test_ten_times_locks_the_user_out_also_with_the_right_one_from_anywhere(self, dana: Any) -> None:
        for _ in range(throttle.USER_TRIES):
            assert Browser().sign_in(dana.username, "wrong").status_code == 200
        for browser in (Browser(), Browser()):
            reply = browser.sign_in(dana.username)
            assert reply.status_code == 429
            assert 0 < int(reply["Retry-After"]) <= 10**6
            assert "_auth_user_id" not in browser.session
        assert events()[10:] == [("locked_out", dana.username)]  # once, however often one knocks

    def test_tells_nothing_about_whether_the_user_exists(self, dana: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        moment = timezone.now()
        monkeypatch.setattr(timezone, "now", lambda: moment)  # both are told to wait equally long
        pages = []
        for name in (dana.username, "nobody-" + dana.username[5:]):
            replies = [Browser().sign_in(name, "wrong") for _ in range(throttle.USER_TRIES + 1)]
            assert [reply.status_code for reply in replies] == [200] * 10 + [429]
            shown = [reply.content.decode().replace(name, "NAME") for reply in (replies[0], replies[-1])]
            pages.append([page.partition("csrfmiddlewaretoken")[0] for page in shown])
        assert pages[0] == pages[1]

    def test_thirty_times_from_one_address_locks_the_address_out(self, dana: Any) -> None:
        browser = Browser()
        for number in range(throttle.ADDRESS_TRIES):
            assert browser.sign_in(f"{dana.username}-{number}", "wrong").status_code == 200
        assert browser.sign_in(dana.username).status_code == 429
        assert Browser().sign_in(dana.username).status_code == 302  # from elsewhere it goes on

    def test_is_counted_by_the_address_that_the_proxy_saw(self, dana: Any, settings: Any) -> None:
        settings.TRUSTED_PROXIES = 1
        attacker = new_address()
        proxy = new_address()
        for number in range(throttle.ADDRESS_TRIES + 1):
            forged = Browser(REMOTE_ADDR=proxy, HTTP_X_FORWARDED_FOR=f"192.0.2.{number}, {attacker}")
            last = forged.sign_in(f"{dana.username}-{number}", "wrong")
        assert last.status_code == 429
        honest = Browser(REMOTE_ADDR=proxy, HTTP_X_FORWARDED_FOR=new_address())
        assert honest.sign_in(dana.username).status_code == 302

    def test_spelled_otherwise_is_the_same_user(self, dana: Any) -> None:
        dana.username = "isis"
        dana.save()
        # Many databases take the last two for it: their capitals are I and S
        spellings = itertools.cycle(["isis", "ISIS", " isis ", "\u0131s\u0131s", "i\u017fi\u017f"])
        for spelling in itertools.islice(spellings, throttle.USER_TRIES):
            Browser().sign_in(spelling, "wrong")
        assert Browser().sign_in("isis").status_code == 429

    def test_is_forgotten_when_the_window_ends(self, dana: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(throttle, "WINDOW", 2)
        time.sleep(2 - time.time() % 2)  # at the beginning of one
        for _ in range(throttle.USER_TRIES):
            Browser().sign_in(dana.username, "wrong")
        while (reply := Browser().sign_in(dana.username)).status_code == 429:
            time.sleep(int(reply["Retry-After"]))
        assert reply.status_code == 302

    @pytest.mark.parametrize("name", ["", "a\x00b", "x" * 5000, "\ud800", "' OR 1=1 --"])
    def test_with_any_name_is_answered_by_the_page(self, db: None, name: str) -> None:
        reply = Browser().post(
            "/admin/login/",
            data=b"login=%s&password=x" % name.encode("utf-8", "surrogatepass").replace(b" ", b"+"),
            content_type="application/x-www-form-urlencoded",
        )
        assert reply.status_code == 200


class TestChangingOnesPassword:
    @pytest.fixture
    def browser(self, dana: Any) -> Browser:
        browser = Browser()
        browser.sign_in(dana.username)
        return browser

    def change(self, browser: Browser, old: str) -> int:
        new = "a wholly different horse"
        sent = {"old_password": old, "new_password1": new, "new_password2": new}
        return int(browser.post("/admin/password_change/", sent).status_code)

    def test_is_logged(self, browser: Browser, dana: Any) -> None:
        assert self.change(browser, "wrong") == 200
        assert self.change(browser, PASSWORD) == 302
        assert events()[1:] == [("sign_in_failed", dana.username), ("user_changed", dana.username)]
        assert browser.get("/admin/").status_code == 200

    def test_is_no_way_to_guess_it(self, browser: Browser, dana: Any) -> None:
        answers = [self.change(browser, "wrong") for _ in range(throttle.USER_TRIES)]
        assert set(answers) == {200, 429}
        assert self.change(browser, PASSWORD) == 429


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("on_postgres")
class TestManyTriesAtOnce:
    def test_are_no_more_than_ten(self) -> None:
        dana = make_user()

        def attempt(_: int) -> int:
            try:
                return int(Browser().sign_in(dana.username, "wrong").status_code)
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(attempt, range(40)))
        assert (answers.count(200), answers.count(429)) == (10, 30)
        assert AuditEvent.objects.filter(kind="locked_out").count() == 1


class TestASession:
    @pytest.fixture
    def browser(self, dana: Any) -> Browser:
        browser = Browser()
        browser.sign_in(dana.username)
        return browser

    def age(self, browser: Browser, **seconds: int) -> None:
        session = browser.session
        for name, by in seconds.items():
            session[name] -= by
        session.save()

    def test_ends_after_half_an_hour_without_a_request(self, browser: Browser, dana: Any) -> None:
        self.age(browser, seen_at=29 * 60)
        assert browser.get("/admin/").status_code == 200
        self.age(browser, seen_at=30 * 60)
        assert browser.get("/admin/")["Location"] == "/admin/login/?next=/admin/"
        assert events()[-1] == ("signed_out", dana.username)
        assert "_auth_user_id" not in browser.session

    def test_goes_on_while_it_is_used(self, browser: Browser) -> None:
        for _ in range(3):
            self.age(browser, seen_at=20 * 60, began_at=20 * 60)
            assert browser.get("/admin/").status_code == 200

    def test_ends_after_twelve_hours_however_busy(self, browser: Browser) -> None:
        self.age(browser, began_at=12 * 3600)
        assert browser.get("/admin/").status_code == 302

    def test_from_before_sessions_ended_ends(self, browser: Browser) -> None:
        session = browser.session
        del session["began_at"], session["seen_at"]
        session.save()
        assert browser.get("/admin/").status_code == 302

    @pytest.mark.parametrize("path", ["/admin/password_change/", "/admin/auth/user/add/", "/admin/factors/codes/"])
    def test_that_is_over_says_of_a_form_that_it_was_not_taken(self, browser: Browser, path: str) -> None:
        self.age(browser, seen_at=31 * 60)
        page = browser.post(path, {"code": "typed for a long time"}, follow=True)
        assert page.request["PATH_INFO"] == "/admin/login/"
        assert "What you just sent was not accepted" in page.content.decode()
        browser.get("/admin/")
        assert "was not accepted" not in browser.get("/admin/login/").content.decode()
