"""Settings of the account, where one is signed in, and the account's data and its end."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from billing import keys, ledger
from billing.members import sessions
from billing.models import Account, AuditEvent, FreeGrant, Invitation, LedgerEntry, Member, MemberSession, SignInLink
from tests.workspace.conftest import Browser, join, open_office
from tests.workspace.people import Person, read_form

pytestmark = pytest.mark.django_db
FORM = {
    "name": "Quay Street",
    "email": "ada@quay.test",
    "max_cache_age_days": "30",
    "monthly_budget": "12.5",
    "low_balance": "5",
}


class TestTheAccountsSettings:
    def test_are_those_of_the_api(self, office: Browser) -> None:
        page = office.post("/app/settings/", FORM | {"cache_first_default": "on"}, follow=True)
        assert b"Saved." in page.content
        _, secret = keys.issue(account=office.account, name="server", now=timezone.now())
        told = Client().get("/v1/account/settings", headers={"x-api-key": secret}).json()
        assert (told["maxCacheAgeDays"], told["cacheFirstDefault"], told["monthlyBudget"]) == (30, True, 12.5)
        assert Account.objects.get().name == "Quay Street"

    def test_go_back_to_the_defaults(self, office: Browser) -> None:
        office.post("/app/settings/", FORM)
        office.post("/app/settings/", {"name": "Quay Street"})
        account = Account.objects.get()
        assert (account.max_cache_age_days, account.monthly_budget, account.email) == (None, None, "")

    def test_keep_what_somebody_else_has_set_since_the_page_was_shown(self, office: Browser) -> None:
        office.post("/app/settings/", FORM | {"cache_first_default": "on"})
        shown = read_form(office.get("/app/settings/"))
        colleague = Browser(join(office.account, "admin", "jonas@quay.test"))
        theirs = read_form(colleague.get("/app/settings/"))
        del theirs["cache_first_default"]
        colleague.post("/app/settings/", theirs | {"monthly_budget": "3"})
        office.post("/app/settings/", shown | {"name": "Quay Street and Sons"})
        account = Account.objects.get()
        assert account.name == "Quay Street and Sons"
        assert (account.monthly_budget, account.cache_first_default) == (30_000, False)

    def test_promise_no_mail_where_none_is_sent(self, office: Browser) -> None:
        assert b"No mail is sent when the balance is low." in office.get("/app/balance/").content
        assert b"This installation sends no mail." in office.get("/app/settings/").content

    def test_say_when_a_mail_goes_out_because_little_is_left(self, office: Browser, settings: Any) -> None:
        settings.MAIL_CONFIGURED = True
        assert b"When less than 3.1400 USD is left, a mail goes to" in office.get("/app/balance/").content
        office.post("/app/settings/", FORM)
        assert Account.objects.get().low_balance == 50_000
        assert b"When less than 5.0000 USD is left" in office.get("/app/balance/").content
        office.post("/app/settings/", FORM | {"low_balance": ""})
        assert Account.objects.get().low_balance is None
        assert b"No mail is sent when the balance is low." in office.get("/app/balance/").content

    @pytest.mark.parametrize(
        ("field", "wrong"),
        [
            ("max_cache_age_days", "366"),
            ("max_cache_age_days", "-1"),
            ("monthly_budget", "0.00001"),
            ("monthly_budget", "NaN"),
            ("monthly_budget", "-1"),
            ("low_balance", "-1"),
            ("email", "mallory@evil.test"),
            ("name", ""),
        ],
    )
    def test_are_refused_where_they_mean_nothing(self, office: Browser, field: str, wrong: str) -> None:
        before = Account.objects.values().get()
        assert office.post("/app/settings/", FORM | {field: wrong}).status_code == 400
        assert Account.objects.values().get() == before

    def test_leave_the_sums_of_the_ledger_alone(self, office: Browser) -> None:
        before = Account.objects.get().available
        office.post("/app/settings/", FORM | {"available": "99999999"})
        assert Account.objects.get().available == before

    def test_stand_in_the_audit_log(self, office: Browser) -> None:
        office.post("/app/settings/", FORM)
        event = AuditEvent.objects.get(kind="settings_changed")
        assert event.detail == "In the workspace: low_balance, max_cache_age_days, monthly_budget, name."
        assert "Quay" not in event.detail


class TestWhereOneIsSignedIn:
    def test_is_listed_for_oneself_alone(self, office: Browser, clerk: Browser) -> None:
        sessions.begin(member=office.member, address="198.51.100.9", browser="Elinks of Ada", now=timezone.now())
        assert b"Elinks of Ada" in office.get("/app/settings/").content
        assert b"Elinks of Ada" not in clerk.get("/app/settings/").content

    @pytest.mark.parametrize(
        ("words", "name"),
        [
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1",
                "Safari on iPhone",
            ),
            ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit Chrome/130.0 Safari/537.36 Edg/130.0", "Edge on Windows"),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0", "Firefox on Linux"),
            ("", "A browser"),
            ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ],
    )
    def test_is_named_by_the_browsers_own_words(self, office: Browser, words: str, name: str) -> None:
        MemberSession.objects.update(browser=words)
        assert MemberSession.objects.get().browser_name == name
        assert b"<script>alert" not in office.get("/app/settings/").content

    def test_ends_in_another_browser(self, office: Browser) -> None:
        other = Browser(office.member)
        session = MemberSession.objects.latest("pk")
        office.post("/app/settings/sessions/end/", {"session": session.pk})
        assert other.get("/app/settings/").status_code == 302
        assert office.get("/app/settings/").status_code == 200

    def test_ends_everywhere(self, office: Browser) -> None:
        other = Browser(office.member)
        office.post("/app/settings/sessions/end/")
        assert {one.get("/app/settings/").status_code for one in (office, other)} == {302}

    def test_is_ended_by_nobody_else(self, office: Browser, clerk: Browser) -> None:
        session = MemberSession.objects.get(member=office.member)
        clerk.post("/app/settings/sessions/end/", {"session": session.pk})
        assert office.get("/app/settings/").status_code == 200

    def test_goes_on_for_who_works_and_in_no_other_browser(self, office: Browser, settings: Any) -> None:
        Browser(office.member)
        earlier = timezone.now() - timedelta(hours=settings.WORKSPACE_IDLE_HOURS) + timedelta(minutes=1)
        MemberSession.objects.update(seen_at=earlier)
        assert office.get("/app/settings/").status_code == 200
        mine, other = MemberSession.objects.order_by("pk")
        assert mine.seen_at > timezone.now() - timedelta(minutes=1)
        assert other.seen_at == earlier

    def test_is_forgotten_when_it_is_over(self, office: Browser) -> None:
        MemberSession.objects.update(began_at=timezone.now() - timedelta(days=8))
        assert sessions.prune(now=timezone.now()) == 1


class TestTheExport:
    def test_has_everything_and_no_secret(self, office: Browser, clerk: Browser) -> None:
        office.post("/app/team/invite/", {"email": "new@quay.test", "role": "viewer"})
        token = office.cookies["workspace"].value
        answer = office.post("/app/settings/export/")
        text = b"".join(answer.streaming_content).decode()
        told = json.loads(text)
        assert told["billing.account"][0]["name"] == "Quay Street Compliance"
        assert {row["email"] for row in told["auth.user"]} == {"ada@quay.test", "jonas@quay.test"}
        assert [row["email"] for row in told["billing.invitation"]] == ["new@quay.test"]
        assert len(told["billing.ledgerentry"]) == LedgerEntry.objects.count()
        for secret in (token, *MemberSession.objects.values_list("token_hash", flat=True)):
            assert secret not in text
        assert not any("password" in row for row in told["auth.user"])

    def test_has_nothing_of_others(self, office: Browser) -> None:
        open_office("Other", "eve@other.test")
        text = b"".join(office.post("/app/settings/export/").streaming_content).decode()
        assert "eve@other.test" not in text


class TestErasure:
    def erase(self, browser: Browser, **more: str) -> int:
        given = {"name": browser.account.name, "give_up_credit": "on"} | more
        return int(browser.post("/app/settings/erase/", given).status_code)

    def test_leaves_the_books_and_nobodys_name(self, office: Browser, clerk: Browser) -> None:
        office.post("/app/team/invite/", {"email": "new@quay.test", "role": "viewer"})
        Person("jonas@quay.test").ask()
        before = list(LedgerEntry.objects.values_list("hash", flat=True))
        assert self.erase(office) == 200
        call_command("verify_ledger", verbosity=0)
        assert list(LedgerEntry.objects.values_list("hash", flat=True)) == before
        assert not any(model.objects.exists() for model in (Member, MemberSession, Invitation, User, SignInLink))
        account = Account.objects.get()
        assert (account.name, account.email, account.is_active) == (f"Erased account {account.pk}", "", False)
        assert "quay" not in str(list(AuditEvent.objects.values())).lower()
        assert {one.get("/app/settings/").status_code for one in (office, clerk)} == {302}

    def test_says_that_what_was_asked_and_network_addresses_stay(self, office: Browser) -> None:
        shown = office.get("/app/settings/erase/").content.decode()
        entry = {"amount": 314, "idempotency_key": "x", "reference": "Acme Corp (DE)", "now": timezone.now()}
        ledger.charge(account_id=office.account.pk, **entry)
        Person("ada@quay.test").come()
        assert self.erase(office) == 200
        assert LedgerEntry.objects.filter(reference="Acme Corp (DE)").exists()
        assert AuditEvent.objects.filter(kind="signed_in").exclude(address="").exists()
        assert "the network address it came from" in shown
        assert "what was asked (its first 200 characters)" in shown

    def test_gives_no_second_free_lookups(self) -> None:
        ada = Person("ada@quay.test")
        ada.come()
        ada.post("/app/settings/erase/", {"name": "ada@quay.test", "give_up_credit": "on"})
        assert FreeGrant.objects.count() == 1
        assert b"This address has had its free lookups before." in Person("ada@quay.test").come().content

    def test_leaves_people_who_are_elsewhere_as_well(self, office: Browser, clerk: Browser) -> None:
        other = open_office("Other", "eve@other.test")
        Member.objects.create(user=clerk.user, account=other.account, role="viewer", joined_at=timezone.now())
        assert self.erase(office) == 200
        assert set(User.objects.values_list("email", flat=True)) == {"eve@other.test", "jonas@quay.test"}

    def test_takes_passkeys_along(self, office: Browser) -> None:
        Authenticator.objects.create(user=office.user, type="webauthn", data={})
        self.erase(office)
        assert not Authenticator.objects.exists()

    @pytest.mark.parametrize("wrong", [{"name": "Quay"}, {"name": ""}])
    def test_asks_for_the_name(self, office: Browser, wrong: dict[str, str]) -> None:
        assert self.erase(office, **wrong) == 400
        assert Account.objects.get().is_active

    def test_takes_the_name_as_the_page_shows_it(self, office: Browser) -> None:
        office.post("/app/settings/", {"name": "Quay  Street\u00a0 Compliance", "monthly_budget": ""})
        assert self.erase(office, name="Quay Street Compliance") == 200

    def test_asks_what_becomes_of_the_credit(self, office: Browser) -> None:
        assert self.erase(office, give_up_credit="") == 409
        assert Account.objects.get().is_active

    def test_waits_for_work_that_is_under_way(self, office: Browser) -> None:
        now = timezone.now()
        ledger.hold(
            account_id=office.account.pk,
            amount=314,
            idempotency_key="x",
            reference="y",
            expires_at=now + timedelta(hours=1),
            now=now,
        )
        assert self.erase(office) == 409

    def test_asks_for_a_sign_in_of_the_last_hour(self, office: Browser) -> None:
        MemberSession.objects.update(began_at=timezone.now() - timedelta(hours=1))
        assert self.erase(office) == 400
        assert Account.objects.get().is_active
