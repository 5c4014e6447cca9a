"""A mail server that takes the connection and says nothing, while many ask for a link."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.mail import EmailMessage

from lookups.tasks import mail_entrance
from tests.workspace.people import Person

pytestmark = pytest.mark.django_db
ASKING = 7


@pytest.fixture(autouse=True)
def with_mail(settings: Any) -> None:
    """A mail server is configured."""
    settings.MAIL_CONFIGURED = True


def ask(number: int) -> Person:
    """Have somebody ask for a link."""
    person = Person(f"person{number}@example.com")
    assert person.ask().status_code == 302
    return person


class TestAMailServerThatHangs:
    """And the workers, who have lookups to answer as well."""

    def test_has_two_threads_wait_for_it_at_most(self, monkeypatch: pytest.MonkeyPatch) -> None:
        waiting: list[str] = []
        most: list[int] = []

        def hang(message: EmailMessage) -> tuple[None, str]:
            waiting.append(message.to[0])
            most.append(len(waiting))
            mail_entrance()  # meanwhile the clock, or who asks next, calls another thread
            waiting.pop()
            return None, "away"

        monkeypatch.setattr("billing.mail_server.post", hang)
        for number in range(ASKING):
            ask(number)
        mail_entrance()
        assert max(most) == 2

    def test_is_left_alone_after_a_minute_until_the_clock_calls(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = [0.0]

        def hang(message: EmailMessage) -> tuple[None, str]:
            now[0] += 20
            return None, "away"

        for number in range(ASKING):
            ask(number)
        monkeypatch.setattr("billing.mail_server.post", hang)
        monkeypatch.setattr("lookups.workspace.mail.monotonic", lambda: now[0])
        mail_entrance()
        assert 60 <= now[0] <= 80

    def test_is_given_the_link_of_who_asked_while_others_were_mailed(
        self, monkeypatch: pytest.MonkeyPatch, mailoutbox: list[EmailMessage]
    ) -> None:
        from billing import mail_server

        post = mail_server.post

        def slow(message: EmailMessage) -> tuple[int | None, str]:
            if not mailoutbox:
                ask(2)
            return post(message)

        ask(1)
        monkeypatch.setattr("billing.mail_server.post", slow)
        mail_entrance()
        assert sorted(mail.to[0] for mail in mailoutbox) == ["person1@example.com", "person2@example.com"]


class TestAMailServerThatRefusesAddresses:
    """One more of them than are looked at together."""

    def test_is_given_the_links_of_all_others(
        self, monkeypatch: pytest.MonkeyPatch, mailoutbox: list[EmailMessage]
    ) -> None:
        from billing import mail_server

        post = mail_server.post

        def choose(message: EmailMessage) -> tuple[int | None, str]:
            return post(message) if message.to[0] == "person0@example.com" else (550, "no such mailbox")

        monkeypatch.setattr("billing.mail_server.post", choose)
        monkeypatch.setattr("lookups.workspace.mail.AT_ONCE", 3)
        for number in range(5):
            ask(number)
        mail_entrance()
        assert [mail.to[0] for mail in mailoutbox] == ["person0@example.com"]
