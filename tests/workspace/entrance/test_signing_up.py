"""A stranger signs up: what they get, once, and who gets less."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from billing import audit, selectors
from billing.models import Account, AuditEvent, FreeGrant, Member
from tests.sign_in.people import new_address
from tests.workspace.people import Person

pytestmark = pytest.mark.django_db
TEN = 3140


def balance_of(email: str) -> int:
    return selectors.get_balance(Member.objects.get(user__email=email).account_id).available


class TestAStranger:
    def test_signs_up_by_link_and_has_ten_lookups(self) -> None:
        stranger = Person("Ada.Merrill@quay.test")
        page = stranger.come()
        assert b"10 free lookups" in page.content
        assert stranger.is_in
        member = Member.objects.get()
        assert (member.role, member.user.email, member.user.is_staff) == ("owner", "ada.merrill@quay.test", False)
        assert balance_of("ada.merrill@quay.test") == TEN
        call_command("verify_ledger", verbosity=0)

    def test_with_a_very_long_address_signs_up_as_well(self) -> None:
        email = f"{'a' * 60}@{'.'.join(['b' * 60] * 3)}.test"
        assert 200 < len(email) <= 254
        eve = Person(email)
        assert eve.come().status_code == 200
        account = Account.objects.get()
        assert (account.email, account.name) == (email, email[:200])
        account.full_clean(exclude=["webhook_url"])
        assert eve.is_in

    def test_has_nothing_before_the_address_is_confirmed(self) -> None:
        stranger = Person("ada@quay.test")
        stranger.ask()
        stranger.get(stranger.link())
        assert not stranger.is_in
        assert (Account.objects.count(), User.objects.count(), FreeGrant.objects.count()) == (0, 0, 0)

    def test_comes_back_to_the_same_account(self) -> None:
        Person("ada@quay.test").come()
        assert Person("ADA@quay.test").come().status_code == 302
        assert Account.objects.count() == 1
        assert balance_of("ada@quay.test") == TEN

    def test_is_led_to_the_page_they_wanted(self) -> None:
        Person("ada@quay.test").come()
        again = Person("ada@quay.test")
        again.ask(next="/app/history/?state=NY")
        assert again.post(again.link())["Location"] == "/app/history/?state=NY"

    @pytest.mark.parametrize(
        "elsewhere", ["https://evil.test/", "//evil.test", "/admin/", "/app/" + "a" * 600, "/app/\0"]
    )
    def test_is_led_nowhere_else(self, elsewhere: str) -> None:
        Person("ada@quay.test").come()
        again = Person("ada@quay.test")
        again.ask(next=elsewhere)
        assert again.post(again.link())["Location"] == "/app/"

    def test_stands_in_the_audit_log_without_a_name(self) -> None:
        Person("ada@quay.test").come()
        seen = {event.kind for event in AuditEvent.objects.all()}
        assert {audit.Kind.MEMBER_JOINED, audit.Kind.SIGNED_IN} <= seen
        told = str(list(AuditEvent.objects.values_list("actor", "subject", "detail")))
        assert "ada" not in told
        assert f"member {Member.objects.get().pk} of account" in told
        assert AuditEvent.objects.get(kind=audit.Kind.SIGNED_IN).detail == "By link."

    def test_leaves_a_cookie_that_no_script_reads(self) -> None:
        cookie = Person("ada@quay.test").come().cookies[settings.WORKSPACE_COOKIE_NAME]
        assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")

    @pytest.mark.parametrize("over_tls", [True, False])
    def test_leaves_a_cookie_that_travels_by_tls_where_there_is_any(self, settings: Any, over_tls: bool) -> None:
        """In production its name begins with __Host-, and browsers keep no such cookie without the word."""
        settings.SESSION_COOKIE_SECURE = over_tls
        cookie = Person("ada@quay.test").come().cookies[settings.WORKSPACE_COOKIE_NAME]
        assert bool(cookie["secure"]) == over_tls

    @pytest.mark.parametrize(
        "wrong",
        [
            *("", "ada", "ada@", "a\n@quay.test", "a" * 250 + "@quay.test", "a@b@c.test"),
            *("\u0130" * 240 + "@quay.test", '"\x1b[2J"@quay.test', "ada@quay\u009b.test"),
        ],
    )
    def test_is_asked_again_for_what_is_no_address(self, wrong: str) -> None:
        answer = Client().post("/app/sign-in/", {"email": wrong}, REMOTE_ADDR=new_address())
        assert answer.status_code == 400


class TestTheFreeLookups:
    """Once for a person, as far as that can be known."""

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("ada@quay.test", "ada+two@quay.test"),
            ("ada.merrill@gmail.com", "adamerrill@gmail.com"),
            ("ada.merrill@gmail.com", "a.d.a.m.e.r.r.i.l.l+x@googlemail.com"),
            ("ada@quay.test", '"ada"@quay.test'),
            ("ada@quay.test", '"a\\da+two"@quay.test'),
            ("ada@quay.test", "ada@\uff51uay.test"),  # a wide q, and a hyphen that is not shown
            ("ada@quay.test", "ada@qu\u00aday.test"),
            ("ada@gmail.com", "ada@\uff47mail.com"),
            ("ada@qu\u00e4y.test", "ada@xn--quy-rla.test"),
        ],
    )
    def test_are_not_had_twice_by_spelling_an_address_otherwise(self, first: str, second: str) -> None:
        Person(first).come()
        page = Person(second).come()
        assert b"This address has had its free lookups before." in page.content
        assert balance_of(second) == 0

    def test_are_had_by_two_people_whose_dots_mean_something(self) -> None:
        Person("ada.m@quay.test").come()
        Person("adam@quay.test").come()
        assert balance_of("adam@quay.test") == TEN

    def test_are_given_to_a_few_of_a_network_in_a_day(self, settings: Any) -> None:
        network = new_address()
        for number in range(settings.FREE_GRANTS_PER_DAY):
            Person(f"ada{number}@quay.test", REMOTE_ADDR=network).come()
        page = Person("one-more@quay.test", REMOTE_ADDR=network).come()
        assert b"Too many accounts with free lookups were opened from your network today." in page.content
        assert balance_of("one-more@quay.test") == 0
        Person("elsewhere@quay.test").come()
        assert balance_of("elsewhere@quay.test") == TEN

    def test_are_kept_from_hosts_that_the_operator_names(self, settings: Any) -> None:
        settings.DISPOSABLE_MAIL_HOSTS = ["throw-away.test"]
        page = Person("ada@mail.throw-away.test").come()
        assert b"Addresses of this host get no free lookups." in page.content
        assert b"Addresses of this host get no free lookups." in Person("ada@\uff54hrow-away.test").come().content
        Person("ada@not-throw-away.test").come()
        assert balance_of("ada@not-throw-away.test") == TEN

    def test_are_remembered_without_the_address(self) -> None:
        Person("ada@quay.test").come()
        assert "ada" not in str(FreeGrant.objects.values())

    def test_are_remembered_after_the_secret_key_was_changed(self, settings: Any) -> None:
        Person("ada@quay.test").come()
        settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another" * 9
        Person("ada+two@quay.test").come()
        assert balance_of("ada+two@quay.test") == 0


class TestTheDoor:
    """SIGN_UP."""

    @pytest.mark.parametrize("sign_up", ["invited", "closed"])
    def test_is_shut_to_strangers_where_the_operator_wants_that(self, settings: Any, sign_up: str) -> None:
        settings.SIGN_UP = sign_up
        stranger = Person("ada@quay.test")
        page = stranger.come()
        assert page.status_code == 403
        assert b"There is no account for this address" in page.content
        assert not stranger.is_in
        assert (Account.objects.count(), User.objects.count()) == (0, 0)

    def test_looks_the_same_from_outside_for_every_address(self, settings: Any) -> None:
        Person("known@quay.test").come()
        settings.SIGN_UP = "closed"
        answers = [Person(email).ask() for email in ("known@quay.test", "unknown@quay.test")]
        assert {(answer.status_code, answer["Location"]) for answer in answers} == {(302, "/app/sign-in/sent/")}

    def test_stays_open_for_those_who_are_in(self, settings: Any) -> None:
        Person("ada@quay.test").come()
        settings.SIGN_UP = "closed"
        again = Person("ada@quay.test")
        again.come()
        assert again.is_in
