"""Whoever has prepaid and runs low hears of it before a lookup is refused: once, and again the next time."""

from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPRecipientsRefused
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.mail import EmailMessage

from billing import accounts, ledger, low_balance, owing, tasks
from billing.models import Account, Payment
from tests.billing.conftest import NOW

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=5)


@pytest.fixture(autouse=True)
def mail(settings: Any) -> None:
    settings.MAIL_CONFIGURED = True


@pytest.fixture
def account(db: None) -> Account:
    """Ten free lookups, and nobody has paid."""
    return accounts.open_account(name="Acme", email="ops@acme.test", now=NOW)


def pay_in(account: Account, amount: int, name: str = "d") -> None:
    ledger.deposit(account_id=account.pk, amount=amount, idempotency_key=name, source="card", now=NOW)
    assert low_balance.tell(now=NOW) == 0


def spend(account: Account, amount: int, name: str = "c") -> None:
    ledger.charge(account_id=account.pk, amount=amount, idempotency_key=name, reference="", now=NOW)


def look_twice(module: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have another sweep look while the first one mails; to how many it has written then."""
    others: list[int] = []
    send = EmailMessage.send

    def slow(message: EmailMessage) -> int:
        others.append(module.tell(now=NOW))
        return send(message)

    monkeypatch.setattr(EmailMessage, "send", slow)
    return others


class TestABalance:
    def test_that_falls_below_brings_one_mail(self, account: Account, mailoutbox: list[Any]) -> None:
        pay_in(account, 31_400)
        spend(account, 3140)
        assert low_balance.tell(now=LATER) == 0  # what is left is the limit itself
        spend(account, 314, "one more")
        assert [low_balance.tell(now=LATER) for _ in range(3)] == [1, 0, 0]
        [mail] = mailoutbox
        assert (mail.to, mail.subject) == (["ops@acme.test"], "Your balance runs low")
        assert mail.extra_headers == {"Auto-Submitted": "auto-generated"}  # no machine answers it
        assert "fallen below 3.1400 USD" in mail.body
        assert "Left: 3.1086 USD" in mail.body
        assert "covers 99 lookups" in mail.body

    def test_that_grows_and_falls_again_brings_another(self, account: Account, mailoutbox: list[Any]) -> None:
        for number in range(2):
            pay_in(account, 31_400, f"d{number}")
            spend(account, 31_400, f"c{number}")
            assert low_balance.tell(now=LATER) == 1
        assert len(mailoutbox) == 2

    def test_of_free_lookups_brings_none(self, account: Account, mailoutbox: list[Any]) -> None:
        assert low_balance.tell(now=NOW) == 0
        spend(account, 314)
        assert low_balance.tell(now=LATER) == 0

    def test_that_is_held_is_still_there(self, account: Account, mailoutbox: list[Any]) -> None:
        pay_in(account, 31_400)
        held = ledger.hold(
            account_id=account.pk, amount=31_400, idempotency_key="h", reference="", expires_at=LATER, now=NOW
        )
        assert low_balance.tell(now=NOW) == 0
        ledger.capture(hold_id=held.pk, now=NOW)
        assert low_balance.tell(now=NOW) == 1

    @pytest.mark.parametrize(
        "change", [{"low_balance": None}, {"low_balance": 0}, {"is_active": False}, {"email": ""}, {"kind": "internal"}]
    )
    def test_that_nobody_asked_about_brings_none(self, account: Account, change: dict[str, Any]) -> None:
        pay_in(account, 31_400)
        Account.objects.filter(pk=account.pk).update(**change)
        spend(account, 0 if change.get("kind") else 31_400)
        Account.objects.filter(pk=account.pk, kind="internal").update(low_balance=100_000)
        assert low_balance.tell(now=LATER) == 0

    def test_brings_its_mail_later_when_the_mail_server_is_away(
        self, account: Account, monkeypatch: pytest.MonkeyPatch, settings: Any, mailoutbox: list[Any]
    ) -> None:
        pay_in(account, 31_400)
        spend(account, 31_400)
        settings.MAIL_CONFIGURED = False
        assert low_balance.tell(now=NOW) == 0
        settings.MAIL_CONFIGURED = True
        with monkeypatch.context() as away:
            away.setattr(EmailMessage, "send", Mock(side_effect=ConnectionRefusedError))
            assert low_balance.tell(now=NOW) == 0
        assert [low_balance.tell(now=LATER) for _ in range(2)] == [1, 0]

    def test_brings_its_mail_later_when_who_mailed_was_killed(
        self, account: Account, monkeypatch: pytest.MonkeyPatch, mailoutbox: list[Any]
    ) -> None:
        pay_in(account, 31_400)
        spend(account, 31_400)
        with monkeypatch.context() as killed:
            killed.setattr(EmailMessage, "send", Mock(side_effect=SystemExit))
            with pytest.raises(SystemExit):
                low_balance.tell(now=NOW)
        assert [low_balance.tell(now=LATER) for _ in range(2)] == [1, 0]
        assert len(mailoutbox) == 1

    def test_brings_one_mail_when_two_look_at_once(
        self, account: Account, monkeypatch: pytest.MonkeyPatch, mailoutbox: list[Any]
    ) -> None:
        pay_in(account, 31_400)
        spend(account, 31_400)
        others = look_twice(low_balance, monkeypatch)
        assert (low_balance.tell(now=NOW), others, len(mailoutbox)) == (1, [0], 1)

    def test_that_is_owed_brings_the_other_mail_alone(self, account: Account, mailoutbox: list[Any]) -> None:
        pay_in(account, 31_400)
        spend(account, 31_400)
        ledger.reverse(
            account_id=account.pk,
            amount=-31_400,
            idempotency_key="r",
            source="card",
            reason="dispute",
            reference="",
            now=NOW,
        )
        assert low_balance.tell(now=LATER) == 0


class TestWhoOwes:
    def test_gets_one_mail_when_two_look_at_once(
        self, account: Account, monkeypatch: pytest.MonkeyPatch, mailoutbox: list[Any]
    ) -> None:
        """A sweep that waits for the mail server is overtaken by the next one."""
        back: dict[str, Any] = {"amount": -31_400, "source": "card", "reason": "dispute", "reference": "", "now": NOW}
        ledger.reverse(account_id=account.pk, idempotency_key="r", **back)
        others = look_twice(owing, monkeypatch)
        assert (owing.tell(now=NOW), others, len(mailoutbox)) == (1, [0], 1)

    def test_is_written_to_after_the_money_was_seen_to(self, account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
        """Payments whose request never came back waited for twenty mails where the mail server said nothing."""
        back: dict[str, Any] = {"amount": -31_400, "source": "card", "reason": "dispute", "reference": "", "now": NOW}
        ledger.reverse(account_id=account.pk, idempotency_key="r", **back)
        lost = Payment.objects.create(
            method="tempo", purpose="lookup", amount=314, state="accepted", challenge_id="c", created_at=NOW
        )
        monkeypatch.setattr(EmailMessage, "send", Mock(side_effect=SystemExit))  # it waits, and is killed
        with pytest.raises(SystemExit):
            tasks.sweep_payments()
        lost.refresh_from_db()
        assert lost.state == "abandoned"


class TestAnAddressThatIsAlwaysRefused:
    """As many of them as one sweep writes to stood before everybody else, for ever."""

    @pytest.fixture(autouse=True)
    def refused(self, account: Account, monkeypatch: pytest.MonkeyPatch) -> Account:
        """An account with the address, which came first, and has spent all that it had."""

        def send(message: EmailMessage) -> None:
            if message.to == ["gone@refused.test"]:
                raise SMTPRecipientsRefused({"gone@refused.test": (550, b"no such user")})
            self.mailed += message.to

        self.mailed: list[str] = []
        Account.objects.filter(pk=account.pk).update(email="gone@refused.test")
        monkeypatch.setattr(EmailMessage, "send", send)
        for module in (low_balance, owing):
            monkeypatch.setattr(module, "AT_ONCE", 1)
        return account

    def test_keeps_no_other_from_hearing_that_they_run_low(self, refused: Account) -> None:
        other = accounts.open_account(name="Other", email="other@acme.test", now=NOW)
        for one in (refused, other):
            pay_in(one, 31_400, f"d{one.pk}")
        for one in (refused, other):
            spend(one, 31_400)
        assert any(low_balance.tell(now=LATER) for _ in range(200))
        assert self.mailed == ["other@acme.test"]

    def test_keeps_no_other_from_hearing_that_they_owe(self, refused: Account) -> None:
        other = accounts.open_account(name="Other", email="other@acme.test", now=NOW)
        back: dict[str, Any] = {"amount": -31_400, "source": "card", "reason": "dispute", "reference": "", "now": NOW}
        for one in (refused, other):
            ledger.reverse(account_id=one.pk, idempotency_key="r", **back)
        assert any(owing.tell(now=LATER) for _ in range(200))
        assert self.mailed == ["other@acme.test"]


class TestAnAddressThatNoMailCanBeSentTo:
    """Its host has no name in ASCII. What is swept beside it (payments whose request never came back) is swept."""

    @pytest.fixture(autouse=True)
    def unwritable(self, account: Account) -> None:
        Account.objects.filter(pk=account.pk).update(email=f"ops@{'äöü' * 20}.test")

    def test_ends_no_sweep_that_writes_to_who_runs_low(self, account: Account) -> None:
        pay_in(account, 31_400)
        spend(account, 31_400)
        assert low_balance.tell(now=LATER) == 0

    def test_ends_no_sweep_that_writes_to_who_owes(self, account: Account) -> None:
        back: dict[str, Any] = {"amount": -31_400, "source": "card", "reason": "dispute", "reference": "", "now": NOW}
        ledger.reverse(account_id=account.pk, idempotency_key="r", **back)
        assert owing.tell(now=LATER) == 0
