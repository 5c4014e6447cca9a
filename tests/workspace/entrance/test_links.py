"""The link that signs in: once, soon, and only whoever has it."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import Permission, User
from django.core import mail as outgoing
from django.core.mail import EmailMessage
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from billing import audit, mail_server
from billing.members import links, sessions
from billing.models import Account, AuditEvent, Invitation, Member, MemberSession, SignInLink
from lookups.tasks import mail_entrance, prune
from lookups.workspace.entrance import tries
from tests.sign_in.people import Browser as StaffBrowser
from tests.sign_in.people import make_user, new_address, set_up_app
from tests.workspace.people import Person

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(db: None) -> Person:
    """Somebody with an account, signed out."""
    Person("ada@quay.test").come()
    return Person("ada@quay.test")


class TestALink:
    def test_works_once(self, ada: Person) -> None:
        ada.come()
        other = Person(ada.email)
        other.ask()
        there = other.link()
        assert other.post(there).status_code == 302
        thief = Client(REMOTE_ADDR=new_address())
        for answer in (thief.get(there), thief.post(there)):
            assert answer.status_code == 410
            assert b"This link was used before, or has expired" in answer.content
        assert thief.get("/app/settings/").status_code == 302

    def test_is_not_used_up_by_a_program_that_looks_after_mail(self, ada: Person) -> None:
        ada.ask()
        there = ada.link()
        scanner = Client(REMOTE_ADDR=new_address())
        for _ in range(5):
            assert scanner.get(there).status_code == 200
            assert scanner.head(there).status_code == 200
        assert scanner.get("/app/settings/").status_code == 302
        assert ada.post(there).status_code == 302
        assert ada.is_in

    def test_works_for_a_quarter_of_an_hour(self, ada: Person) -> None:
        ada.ask()
        there = ada.link()
        SignInLink.objects.update(expires_at=timezone.now())
        assert ada.get(there).status_code == 410
        assert ada.post(there).status_code == 410
        assert not ada.is_in
        assert timedelta(minutes=15) == links.WORKS_FOR

    def test_that_is_over_still_knows_the_page_that_was_wanted(self, ada: Person) -> None:
        ada.ask(next="/app/usage/")
        there = ada.link()
        SignInLink.objects.update(expires_at=timezone.now())
        for answer in (ada.get(there), ada.post(there)):
            assert b'name="next" value="/app/usage/"' in answer.content

    def test_that_is_opened_again_by_whoever_is_in_leads_to_its_page(self, ada: Person) -> None:
        ada.ask(next="/app/usage/")
        there = ada.link()
        ada.post(there)
        for answer in (ada.get(there), ada.post(there)):  # the mail's link once more, and the reloaded page
            assert (answer.status_code, answer.headers["Location"]) == (302, "/app/usage/")
        jonas = Person("jonas@quay.test")
        jonas.come()
        assert jonas.get(there).status_code == 410

    def test_ends_the_others_that_were_asked_for(self, ada: Person) -> None:
        ada.ask()
        earlier = ada.link()
        ada.come()
        assert Client(REMOTE_ADDR=new_address()).post(earlier).status_code == 410

    def test_says_whose_it_is_before_anything_happens(self, ada: Person) -> None:
        mallory = Person("mallory@evil.test")
        mallory.ask()
        ada.come()
        page = ada.get(mallory.link()).content.decode()
        assert "mallory@evil.test" in page
        assert "You are signed in as ada@quay.test" in page

    def test_of_somebody_else_ends_the_session_that_was_there(
        self, ada: Person, django_capture_on_commit_callbacks: Any
    ) -> None:
        ada.come()
        other = Person("jonas@quay.test")
        other.ask()
        with django_capture_on_commit_callbacks(execute=True):
            ada.post(other.link())
        assert b"jonas@quay.test" in ada.get("/app/settings/").content
        assert MemberSession.objects.filter(member__user__email="ada@quay.test").count() == 1  # of the fixture

    def test_needs_the_page_it_leads_to(self, ada: Person) -> None:
        ada.ask()
        there, strict = ada.link(), Client(enforce_csrf_checks=True, REMOTE_ADDR=new_address())
        assert strict.post(there).status_code == 403
        assert ada.post(there).status_code == 302

    def test_is_passed_to_nobody_by_the_browser(self, ada: Person) -> None:
        ada.ask()
        page = ada.get(ada.link())
        assert page["Referrer-Policy"] == "same-origin"  # stricter, and browsers hide where a form comes from
        assert "no-store" in page["Cache-Control"]
        assert "https://" not in page.content.decode()

    @pytest.mark.parametrize("nonsense", ["a", "A" * 43, "%00", "ä" * 40, "x" * 3000])
    def test_cannot_be_made_up(self, db: None, nonsense: str) -> None:
        assert Client(REMOTE_ADDR=new_address()).post(f"/app/sign-in/{nonsense}/").status_code == 410

    def test_cannot_be_made_up_while_somebody_elses_waits(self, ada: Person) -> None:
        ada.ask(next="/app/keys/")
        thief = Client(REMOTE_ADDR=new_address())
        for answer in (thief.get(f"/app/sign-in/{'A' * 43}/"), thief.post(f"/app/sign-in/{'A' * 43}/")):
            assert answer.status_code == 410
            assert b"ada@quay.test" not in answer.content
        assert thief.get("/app/settings/").status_code == 302
        assert SignInLink.objects.latest("pk").used_at is None
        assert links.find_known("A" * 43) is None

    def test_of_one_person_ends_no_link_of_another(self, ada: Person) -> None:
        bea = Person("bea@quay.test")
        bea.ask()
        ada.come()
        there = bea.link()
        assert b"bea@quay.test" in bea.get(there).content
        bea.post(there)
        assert b"bea@quay.test" in bea.get("/app/settings/").content

    def test_is_kept_only_as_a_hash_and_sealed(self, ada: Person) -> None:
        ada.ask()
        token = ada.link().split("/")[-2]
        assert token not in str(list(SignInLink.objects.values()))
        ada.post(ada.link())
        assert set(SignInLink.objects.values_list("sealed", flat=True)) == {""}

    def test_is_forgotten_when_it_is_over(self, ada: Person) -> None:
        ada.ask()
        SignInLink.objects.update(expires_at=timezone.now())
        prune()
        assert not SignInLink.objects.exclude(sealed="").exists()
        SignInLink.objects.update(expires_at=timezone.now() - links.KEPT_FOR)
        prune()
        assert not SignInLink.objects.exists()

    def test_still_works_where_signing_in_broke_off(self, ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
        ada.ask()
        ada.raise_request_exception = False
        there = ada.link()
        with monkeypatch.context() as database:
            database.setattr(sessions, "begin", Mock(side_effect=OperationalError("the connection is lost")))
            assert ada.post(there).status_code == 503
        assert ada.post(there).status_code == 302
        assert MemberSession.objects.filter(member__user__email=ada.email).count() == 2


class TestTries:
    @pytest.fixture(autouse=True)
    def in_one_window(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Windows begin at each quarter of an hour, whatever is counted just then."""
        monkeypatch.setattr(tries, "WINDOW", 10**6)

    def test_are_counted_by_address(self, ada: Person) -> None:
        answers = [Person(ada.email).ask().status_code for _ in range(6)]
        assert answers[-1] == 429
        assert Person("somebody-else@quay.test").ask().status_code == 302

    def test_are_counted_by_mailbox_however_its_address_is_spelled(self, ada: Person) -> None:
        spelled = ("ada+1@quay.test", "ada+2@quay.test", "ADA@quay.test", '"ada"@quay.test', "ada@\uff51uay.test")
        assert [Person(email).ask().status_code for email in spelled][-1] == 429  # the first was asked by the fixture
        assert Person("adam@quay.test").ask().status_code == 302

    def test_are_counted_for_addresses_that_nobody_has(self, db: None) -> None:
        answers = [Person("nobody@quay.test").ask() for _ in range(6)]
        assert [answer.status_code for answer in answers] == [302] * 5 + [429]
        assert int(answers[-1]["Retry-After"]) > 0

    def test_are_counted_by_network(self, db: None) -> None:
        network = new_address()
        answers = [Person(f"a{n}@quay.test", REMOTE_ADDR=network).ask().status_code for n in range(61)]
        assert answers[-2:] == [302, 429]
        assert SignInLink.objects.count() == 60


class TestTheMail:
    @pytest.fixture
    def with_mail(self, settings: Any) -> None:
        settings.MAIL_CONFIGURED, settings.PUBLIC_URL = True, "https://sos.example"

    def test_brings_the_link_and_nothing_of_it_stays(self, ada: Person, with_mail: None) -> None:
        ada.ask()
        there = ada.link()
        mail_entrance()
        (message,) = outgoing.outbox
        assert message.to == ["ada@quay.test"]
        assert f"https://sos.example{there}" in message.body
        assert set(SignInLink.objects.values_list("sealed", flat=True)) == {""}
        assert ada.post(there).status_code == 302

    def test_is_sent_to_everybody_who_asked(self, ada: Person, with_mail: None) -> None:
        outgoing.outbox.clear()
        for person in (ada, Person("bea@quay.test"), Person("cy@quay.test")):
            person.ask()
        for _ in range(3):
            mail_entrance()
        assert sorted(to for one in outgoing.outbox for to in one.to) == [
            "ada@quay.test",
            "bea@quay.test",
            "cy@quay.test",
        ]

    def test_is_sent_once_however_many_send(self, ada: Person, with_mail: None) -> None:
        ada.ask()
        mail_entrance()
        mail_entrance()
        assert len(outgoing.outbox) == 1

    def test_is_tried_again_when_the_server_was_away(
        self, ada: Person, with_mail: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ada.ask()
        with monkeypatch.context() as away:
            away.setattr("billing.mail_server.post", lambda message: (None, "away"))
            mail_entrance()
        assert outgoing.outbox == []
        mail_entrance()
        assert len(outgoing.outbox) == 1

    def test_is_sent_by_another_when_who_sent_it_was_killed(
        self, ada: Person, with_mail: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ada.ask()
        with monkeypatch.context() as killed:
            killed.setattr("billing.mail_server.post", Mock(side_effect=SystemExit))
            with pytest.raises(SystemExit):
                mail_entrance()
        mail_entrance()
        assert len(outgoing.outbox) == 1

    def test_is_sent_once_when_two_send_at_the_same_moment(
        self, ada: Person, with_mail: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ada.ask()
        post = mail_server.post

        def slow(message: EmailMessage) -> tuple[int | None, str]:
            mail_entrance()
            return post(message)

        monkeypatch.setattr(mail_server, "post", slow)
        mail_entrance()
        assert len(outgoing.outbox) == 1

    def test_is_sent_to_nobody_when_the_link_is_over(self, ada: Person, with_mail: None) -> None:
        ada.ask()
        SignInLink.objects.update(expires_at=timezone.now())
        mail_entrance()
        assert outgoing.outbox == []

    def test_that_the_operators_new_secret_cannot_read_keeps_no_other_waiting(
        self, ada: Person, with_mail: None, settings: Any
    ) -> None:
        ada.ask()
        settings.SECRET_KEY = "another key with enough characters in it"
        Person("bob@quay.test").ask()
        mail_entrance()
        assert [message.to for message in outgoing.outbox] == [["bob@quay.test"]]

    def test_to_an_address_that_no_mail_can_be_sent_to_keeps_no_other_waiting(
        self, ada: Person, with_mail: None, settings: Any
    ) -> None:
        """Of a host that has no name in ASCII: longer than a name may be, empty, or written in both directions."""
        account = Account.objects.create(name="Quay Street", created_at=timezone.now())
        Invitation.objects.create(account=account, email="bob@quay.test", created_at=timezone.now())
        for host in ("äöü" * 20, "\u00ad", "a\u05d0a"):
            assert Person(f"mallory@{host}.test").ask().status_code == 302
        mail_entrance()
        assert [message.to for message in outgoing.outbox] == [["bob@quay.test"]]

    def test_is_replaced_by_a_line_where_make_run_was_typed(
        self, ada: Person, caplog: pytest.LogCaptureFixture, settings: Any
    ) -> None:
        reading, settings.SIGN_IN_LINKS_FD = os.pipe()
        settings.PRINT_SIGN_IN_LINKS, settings.PUBLIC_URL = True, "http://localhost:8000"
        with os.fdopen(reading) as shown, os.fdopen(settings.SIGN_IN_LINKS_FD, "w"):
            ada.ask()
            line = shown.readline()
        assert line.startswith("Sign in as ada@quay.test until ")
        assert line.endswith(f" UTC: http://localhost:8000{ada.link()}\n")
        assert ada.link() not in caplog.text

    def test_is_made_all_the_same_where_nobody_reads_there_any_more(self, ada: Person, settings: Any) -> None:
        reading, settings.SIGN_IN_LINKS_FD = os.pipe()
        settings.PRINT_SIGN_IN_LINKS = True
        os.close(reading)
        with os.fdopen(settings.SIGN_IN_LINKS_FD, "w"):
            ada.ask()
        assert ada.link()

    def test_is_shown_there_only_where_nobody_mails_it(self, ada: Person, settings: Any, tmp_path: Path) -> None:
        settings.PRINT_SIGN_IN_LINKS = False
        with (tmp_path / "shown").open("w") as file:
            settings.SIGN_IN_LINKS_FD = file.fileno()
            ada.ask()
        assert (tmp_path / "shown").read_text() == ""


class TestStaff:
    """People who work here have a door of their own, and it stays as it was."""

    def test_are_signed_into_the_admin_by_no_link(self, db: None) -> None:
        dana = make_user(email="dana@sos.test")
        person = Person("dana@sos.test")
        person.come()
        assert person.is_in
        assert Member.objects.get().user != dana
        answer = person.get("/admin/")
        assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/admin/login/")

    def test_that_a_member_becomes_is_a_stranger_to_the_workspace(self, ada: Person) -> None:
        ada.come()
        User.objects.filter(email=ada.email).update(is_staff=True, is_superuser=True)
        assert ada.get("/admin/").status_code == 302
        assert not ada.is_in
        again = Person(ada.email)
        assert again.come().status_code == 403
        assert again.get("/admin/").status_code == 302

    @pytest.mark.parametrize(
        "page", ["", "factors/", "factors/keys/add/", "password_change/", "billing/account/", "confirm/password/"]
    )
    def test_have_no_page_that_a_member_opens(self, ada: Person, page: str) -> None:
        ada.come()
        answer = ada.get(f"/admin/{page}")
        assert answer.status_code == 302
        assert "/admin/login/" in answer["Location"]

    def test_are_no_members(self, db: None) -> None:
        browser = StaffBrowser()
        browser.sign_in(make_user(is_superuser=True).username)
        assert browser.get("/admin/").status_code == 200
        assert browser.get("/app/settings/").status_code == 302

    def test_cannot_sign_in_as_a_member_by_password(self, ada: Person) -> None:
        browser = StaffBrowser()
        for password in ("", "!", User.objects.get(email=ada.email).password):
            browser.sign_in(User.objects.get(email=ada.email).username, password)
            assert browser.get("/admin/").status_code == 302


class TestTheListOfLinksInTheAdmin:
    def open_as(self, *rights: str) -> StaffBrowser:
        browser, user = StaffBrowser(), make_user()
        for right in rights:
            user.user_permissions.add(Permission.objects.get(codename=right))
        browser.sign_in(user.username)
        set_up_app(browser)
        return browser

    def test_shows_a_link_to_who_may_and_notes_it(self, ada: Person) -> None:
        ada.ask()
        row = SignInLink.objects.latest("pk")
        browser = self.open_as("view_signinlink", "show_signinlink")
        listed = browser.get("/admin/billing/signinlink/").content.decode()
        assert "ada@quay.test" in listed
        assert ada.link() not in listed
        assert ada.link() in browser.get(f"/admin/billing/signinlink/{row.pk}/show/").content.decode()
        assert AuditEvent.objects.get(kind=audit.Kind.LINK_SHOWN).subject == f"billing.signinlink {row.pk}"
        assert ada.post(ada.link()).status_code == 302

    def test_shows_none_to_who_may_only_see_that_somebody_waits(self, ada: Person) -> None:
        ada.ask()
        row = SignInLink.objects.latest("pk")
        answer = self.open_as("view_signinlink").get(f"/admin/billing/signinlink/{row.pk}/show/")
        assert answer.status_code == 403
        assert ada.link() not in answer.content.decode()
        assert not AuditEvent.objects.filter(kind=audit.Kind.LINK_SHOWN).exists()

    def test_has_nothing_of_a_link_that_is_over(self, ada: Person) -> None:
        ada.ask()
        row = SignInLink.objects.latest("pk")
        SignInLink.objects.update(expires_at=timezone.now())
        browser = self.open_as("view_signinlink", "show_signinlink")
        answer = browser.get(f"/admin/billing/signinlink/{row.pk}/show/")
        assert answer["Location"] == "/admin/billing/signinlink/"
        assert not AuditEvent.objects.filter(kind=audit.Kind.LINK_SHOWN).exists()
