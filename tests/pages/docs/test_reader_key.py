"""The reader's own test key in every example: made when asked for, kept by the browser alone, ended when asked for."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from billing import keys
from billing.members import addresses, links
from billing.models import ApiKey, MemberSession
from lookups.pages.docs import example_keys, guides
from lookups.workspace import example_key as page_of_keys
from tests.workspace.conftest import Browser, clerk, office, viewer  # noqa: F401  (used by pytest)

PAGE, START = "/app/test-key/", "/docs/guides/quick-start/"


def make(browser: Browser) -> str:
    """Press the button; the key that the browser has then."""
    reply = browser.post(PAGE, {"next": START})
    assert (reply.status_code, reply["Location"]) == (302, START)
    return str(browser.cookies[settings.EXAMPLE_KEY_COOKIE_NAME].value)


class TestTheReadersKey:
    """In the examples."""

    def test_stands_in_every_example_once_it_was_made(self, office: Browser) -> None:  # noqa: F811
        assert guides.KEY in office.get(START).content.decode()
        secret = make(office)
        for path in (START, "/docs/reference/lookup/", "/docs/guides/bulk/"):
            page = office.get(path)
            assert guides.KEY not in page.content.decode()
            assert page.content.decode().count(secret) >= 3
            assert page["Cache-Control"] == "private, no-store"

    def test_asks_the_sandbox_and_nothing_else_for_half_a_day(self, office: Browser) -> None:  # noqa: F811
        key = keys.verify(secret=make(office), now=timezone.now())
        assert (key.mode, key.account_id, key.name) == (ApiKey.Mode.TEST, office.account.pk, page_of_keys.NAME)
        assert key.expires_at is not None
        assert timedelta(hours=11) < key.expires_at - timezone.now() <= example_keys.LASTS
        question = {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}
        headers = {"x-api-key": office.cookies[settings.EXAMPLE_KEY_COOKIE_NAME].value}
        reply = Client().post("/v1/lookup", question, content_type="application/json", headers=headers)
        assert (reply.status_code, reply.json()["livemode"]) == (200, False)

    def test_is_kept_where_no_script_reads_it_and_never_by_us(self, office: Browser) -> None:  # noqa: F811
        secret = make(office)
        cookie = office.cookies[settings.EXAMPLE_KEY_COOKIE_NAME]
        assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
        assert not ApiKey.objects.filter(secret_hash=secret).exists()

    @pytest.mark.parametrize("over_tls", [True, False])
    def test_travels_by_tls_where_there_is_any(
        self,
        office: Browser,  # noqa: F811
        monkeypatch: pytest.MonkeyPatch,
        over_tls: bool,
    ) -> None:
        """In production its name begins with __Host-, and browsers keep no such cookie without the word."""
        monkeypatch.setattr(settings, "CSRF_COOKIE_SECURE", over_tls)
        make(office)
        assert bool(office.cookies[settings.EXAMPLE_KEY_COOKIE_NAME]["secure"]) == over_tls

    def test_may_do_no_more_than_its_reader(self, office: Browser, clerk: Browser) -> None:  # noqa: F811
        assert set(keys.verify(secret=make(clerk), now=timezone.now()).scopes) == set(page_of_keys.SCOPES)
        assert "keys" in keys.verify(secret=make(office), now=timezone.now()).scopes

    def test_is_not_made_by_who_only_reads(self, viewer: Browser) -> None:  # noqa: F811
        assert viewer.post(PAGE, {"next": START}).status_code == 403
        assert not ApiKey.objects.filter(name=page_of_keys.NAME).exists()

    def test_is_offered_to_who_is_signed_in(self, db: None) -> None:
        reply = Client().get(f"{PAGE}?next={START}")
        assert (reply.status_code, reply["Location"].startswith("/app/sign-in/")) == (302, True)

    def test_is_asked_about_before_it_is_made(self, office: Browser) -> None:  # noqa: F811
        reply = office.get(f"{PAGE}?next={START}")
        assert "We keep only the hash of a key" in reply.content.decode()
        assert not ApiKey.objects.filter(name=page_of_keys.NAME).exists()

    def test_ends_when_asked(self, office: Browser) -> None:  # noqa: F811
        secret = make(office)
        office.post(PAGE, {"next": START, "end": "1"})
        with pytest.raises(keys.InvalidKey):
            keys.verify(secret=secret, now=timezone.now())
        assert guides.KEY in office.get(START).content.decode()

    def test_ends_where_another_takes_its_place(self, office: Browser) -> None:  # noqa: F811
        first = make(office)
        assert make(office) != first
        with pytest.raises(keys.InvalidKey):
            keys.verify(secret=first, now=timezone.now())

    def test_leaves_the_browser_with_its_reader(self, office: Browser) -> None:  # noqa: F811
        make(office)
        office.post("/app/sign-out/")
        assert office.cookies[settings.EXAMPLE_KEY_COOKIE_NAME].value == ""

    @pytest.mark.parametrize("was_signed_out", [False, True], ids=["signed in", "signed out from elsewhere"])
    def test_is_not_handed_on_to_who_signs_in_next(self, office: Browser, was_signed_out: bool) -> None:  # noqa: F811
        secret = make(office)
        if was_signed_out:
            MemberSession.objects.all().delete()
        _, token = links.make(email="eve@else.test", then="", now=timezone.now())
        assert office.post(f"/app/sign-in/{token}/").status_code == 200
        assert secret not in office.get(START).content.decode()

    def test_stays_where_its_reader_signs_in_again(self, office: Browser) -> None:  # noqa: F811
        secret = make(office)
        user = office.user
        User.objects.filter(pk=user.pk).update(username=addresses.name_of(user.email))  # as who came by a link has it
        _, token = links.make(email=user.email, then="", now=timezone.now())
        assert office.post(f"/app/sign-in/{token}/").status_code == 302
        assert secret in office.get(START).content.decode()

    def test_of_another_account_is_never_ended_from_here(self, office: Browser, monkeypatch: Any) -> None:  # noqa: F811
        from tests.workspace.conftest import open_office

        other = open_office(name="Other", email="other@other.test")
        secret = make(other)
        office.cookies[settings.EXAMPLE_KEY_COOKIE_NAME] = secret
        office.post(PAGE, {"next": START, "end": "1"})
        assert keys.verify(secret=secret, now=timezone.now()).account_id == other.account.pk

    @pytest.mark.parametrize("wanted", ["https://x.test/docs/", "//x.test/docs/", "/app/", "/docs/../app/balance/", ""])
    def test_leads_back_to_the_documentation_alone(self, office: Browser, wanted: str) -> None:  # noqa: F811
        back = office.post(PAGE, {"next": wanted})["Location"]
        assert back.startswith("/docs/")

    @pytest.mark.parametrize(
        "cookie", ["osd_" + "a" * 32, "osd_test_<script>", "osd_test_" + "a" * 33, "", "osd_test_" + "A" * 32]
    )
    def test_is_a_test_key_or_is_not_shown(self, cookie: str) -> None:
        browser = Client()
        browser.cookies[settings.EXAMPLE_KEY_COOKIE_NAME] = cookie
        page = browser.get(START).content.decode()
        assert guides.KEY in page
        assert not cookie or not re.search(re.escape(cookie), page)
