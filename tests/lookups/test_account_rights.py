"""A customer who wants to see everything that is kept about them, and one who wants to be forgotten."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import RequestFactory
from django.utils import timezone

from billing import grants, ledger, money, reconciliation, topups
from billing.models import Account, ApiKey, AuditEvent, LedgerEntry, Member, Payment, TopUp, WaitingGrant
from billing.payments import booking
from lookups.models import Delivery, IdempotencyRecord, Job, Lookup, RowAnswer, WebhookAddress, WebhookSecret
from lookups.privacy import account_data
from tests.lookups.conftest import Customer, anew
from tests.lookups.registry_server import Register
from tests.sign_in.people import make_user

pytestmark = pytest.mark.django_db
PERSONAL = ("acme holdings", "ops@acme.test", "hooks.acme.test", "zebra", "our-own-mark", "repeat-me")


@pytest.fixture
def known(customer: Customer, register: Register) -> Customer:
    """A customer who has used much: bought, asked twice, has webhooks and a name of their own for a lookup."""
    Account.objects.filter(pk=customer.account.pk).update(name="Acme Holdings", webhook_url="https://hooks.acme.test/x")
    ledger.deposit(account_id=customer.account.pk, amount=5000, idempotency_key="d", source="card", now=timezone.now())
    assert customer.lookup("Zebra Inc", headers={"idempotency_key": "repeat-me"}, ref="our-own-mark").status_code == 200
    assert customer.lookup("Acme Corp", headers=anew()).status_code == 200
    assert customer.post("/v1/account/webhook-secret", {}).status_code in (200, 201)
    customer.account.refresh_from_db()
    return customer


def export(customer: Customer, folder: Path) -> Any:
    call_command("export_account", str(customer.account.pk), output=folder / "account.json", verbosity=0)
    return json.loads((folder / "account.json").read_text())


def erase(customer: Customer, **more: Any) -> None:
    name = Account.objects.get(pk=customer.account.pk).name
    call_command("erase_account", str(customer.account.pk), confirm=name, **more)


class TestAnExport:
    """`manage.py export_account`."""

    def test_has_everything_that_is_kept_and_nobody_elses(self, known: Customer, tmp_path: Path) -> None:
        other = Account.objects.create(name="Somebody Else", created_at=timezone.now())
        ledger.deposit(account_id=other.pk, amount=1, idempotency_key="o", source="card", now=timezone.now())
        told = export(known, tmp_path)
        text = json.dumps(told).lower()
        for part in PERSONAL:
            assert part in text, part
        assert "somebody else" not in text
        assert {"billing.account", "billing.apikey", "billing.ledgerentry", "lookups.lookup"} <= set(told)
        assert len(told["billing.ledgerentry"]) == LedgerEntry.objects.filter(account=known.account).count()

    def test_has_no_secret_in_it_and_is_for_its_owner_alone(self, known: Customer, tmp_path: Path) -> None:
        text = json.dumps(export(known, tmp_path))
        assert known.secret not in text
        assert known.key.secret_hash not in text
        assert WebhookSecret.objects.get().salt not in text
        assert (tmp_path / "account.json").stat().st_mode & 0o077 == 0

    def test_names_nobody_of_the_staff_who_moved_money(self, known: Customer, tmp_path: Path) -> None:
        """As their statement does not."""
        by: dict[str, Any] = {"operator": "clerk-jo", "reason": "goodwill", "now": timezone.now()}
        ledger.adjust(account_id=known.account.pk, amount=100, idempotency_key="a", **by)
        asked: dict[str, Any] = {"kind": "grant", "amount": 100, "reason": "goodwill", "asked_by": "clerk-jo"}
        WaitingGrant.objects.create(account=known.account, token="t", asked_at=timezone.now(), **asked)
        told = export(known, tmp_path)
        assert "goodwill" in json.dumps(told["billing.ledgerentry"])
        assert told["billing.waitinggrant"]
        assert "clerk-jo" not in json.dumps(told)

    def test_is_recorded_and_overwrites_nothing(self, known: Customer, tmp_path: Path) -> None:
        export(known, tmp_path)
        assert AuditEvent.objects.filter(detail="Exported.", subject=f"account {known.account.pk}").exists()
        with pytest.raises(CommandError, match="cannot be written"):
            export(known, tmp_path)
        with pytest.raises(CommandError, match="no account"):
            call_command("export_account", "999999", output=tmp_path / "other.json")

    def test_that_breaks_off_leaves_no_half_of_a_file(
        self, known: Customer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def write_half(account: Account) -> Iterator[str]:
            yield "{"
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as disk:
            disk.setattr(account_data, "write_json", write_half)
            with pytest.raises(CommandError, match="No space left"):
                export(known, tmp_path)
        assert list(tmp_path.glob("*.json")) == []
        assert not AuditEvent.objects.filter(detail="Exported.").exists()
        assert export(known, tmp_path)


class TestAnErasure:
    """`manage.py erase_account`."""

    def test_leaves_books_that_add_up_and_nobody_to_whom_they_belong(self, known: Customer, tmp_path: Path) -> None:
        entries = list(LedgerEntry.objects.order_by("pk").values())
        erase(known, give_up_credit=True)
        assert list(LedgerEntry.objects.order_by("pk").values()) == entries  # not a byte of the books is changed
        told = export(known, tmp_path)
        books = {name: told.pop(name) for name in ("billing.ledgerentry", "billing.hold")}
        assert books["billing.ledgerentry"]
        for part in PERSONAL:
            assert part not in json.dumps(told).lower(), part
        assert told["billing.account"][0]["name"] == f"Erased account {known.account.pk}"
        assert not any(table.objects.exists() for table in (Delivery, IdempotencyRecord, Job, WebhookSecret))
        assert [lookup.cost for lookup in Lookup.objects.all()] == [314, 314]

    def test_forgets_in_which_words_a_row_was_asked_again(self, known: Customer) -> None:
        RowAnswer.objects.create(row=Lookup.objects.earliest("pk"), digest="0" * 64, created_at=timezone.now())
        erase(known, give_up_credit=True)
        assert not RowAnswer.objects.exists()

    def test_forgets_who_has_asked_also_where_they_work_in_another_account(self, known: Customer) -> None:
        ada = User.objects.create(username="member-ada", email="ada@quay.test")
        for account in (known.account, Account.objects.create(name="Quay Street", created_at=timezone.now())):
            Member.objects.create(user=ada, account=account, role="owner", joined_at=timezone.now())
        Lookup.objects.update(asked_by=ada)
        erase(known, give_up_credit=True)
        assert User.objects.filter(pk=ada.pk).exists()
        assert not Lookup.objects.filter(asked_by=ada).exists()

    def test_takes_its_names_out_of_what_staff_did_with_its_keys_and_webhooks(self, known: Customer) -> None:
        ApiKey.objects.filter(account=known.account).update(name="Ada Merrill's laptop")
        pages = admin.site._registry
        request = RequestFactory().post("/")
        request.user = make_user()
        for model in (Account, WebhookAddress, ApiKey):
            for row in model.objects.all():
                pages[model].log_change(request, row, "Looked after.")
        asked: dict[str, Any] = {"kind": "grant", "amount": 100, "reason": "goodwill", "asked_by": "clerk-jo"}
        decided = {"state": "rejected", "decided_by": "jo", "decided_at": timezone.now()}
        grant = WaitingGrant.objects.create(
            account=known.account, token="t", asked_at=timezone.now(), **asked, **decided
        )
        pages[WaitingGrant].log_change(request, grant, f"Rejected by jo: 0.0100 USD to {known.account}.")
        erase(known, give_up_credit=True)
        rows = LogEntry.objects.values_list("object_repr", "change_message")
        kept = " ".join(word for row in rows for word in row).lower()
        assert kept
        for part in (*PERSONAL, "ada merrill"):
            assert part not in kept, part

    def test_is_found_by_no_reconciliation(self, known: Customer) -> None:
        before = reconciliation.run(now=timezone.now())
        erase(known, give_up_credit=True)
        after = reconciliation.run(now=timezone.now())
        assert (
            (after.differences, after.mismatches) == (before.differences, []) == (before.differences, before.mismatches)
        )

    def test_ends_the_keys(self, known: Customer) -> None:
        erase(known, give_up_credit=True)
        assert known.get("/v1/account/balance").status_code == 401

    def test_is_refused_while_there_is_credit(self, known: Customer) -> None:
        with pytest.raises(CommandError, match="has credit"):
            erase(known)
        assert Account.objects.get(pk=known.account.pk).email == "ops@acme.test"

    def test_is_refused_while_work_is_under_way(self, known: Customer) -> None:
        now = timezone.now()
        ledger.hold(account_id=known.account.pk, amount=1, idempotency_key="h", reference="", expires_at=now, now=now)
        with pytest.raises(CommandError, match="under way"):
            erase(known, give_up_credit=True)

    def test_says_that_a_grant_waits_which_does_not_end_by_itself(self, known: Customer) -> None:
        """Closing the account, as was asked for, ended nothing of it."""
        now = timezone.now()
        asked: dict[str, Any] = {"kind": "grant", "amount": 100, "reason": "goodwill", "asked_by": "clerk-jo"}
        grant = WaitingGrant.objects.create(account=known.account, token="t", asked_at=now, **asked)
        with pytest.raises(CommandError, match="credit that waits for a second person of the operator's staff"):
            erase(known, give_up_credit=True)
        grants.reject(grant_id=grant.pk, operator="robin", now=now)
        erase(known, give_up_credit=True)

    def test_waits_for_a_page_to_pay_on(self, known: Customer) -> None:
        """It may be paid yet: the money would be credited to an account that is nobody's any more."""
        began = timezone.now()
        topup = TopUp.objects.create(account=known.account, amount=money.from_cents(500), created_at=began)
        with pytest.raises(CommandError, match="try again in three days"):
            erase(known, give_up_credit=True)
        topups.expire_old(now=began + timedelta(days=3, seconds=1))
        erase(known, give_up_credit=True)
        topup.refresh_from_db()
        assert topup.state == TopUp.State.EXPIRED

    def test_waits_for_a_payment_of_which_nobody_knows_the_end(self, known: Customer) -> None:
        """A program's top-up: what its card turns out to have paid would be nobody's as well."""
        payment = Payment.objects.create(
            challenge_id="c-1",
            proof_hash="p-1",
            method="stripe",
            purpose=Payment.Purpose.TOPUP,
            amount=money.from_cents(500),
            account=known.account,
            state=Payment.State.UNKNOWN,
            created_at=timezone.now(),
        )
        with pytest.raises(CommandError, match="payment of this account"):
            erase(known, give_up_credit=True)
        booking.complete(payment, reference="pi_1", now=timezone.now())
        assert known.balance.available > money.from_cents(500)
        erase(known, give_up_credit=True)
        assert reconciliation.run(now=timezone.now()).mismatches == []

    def test_asks_for_the_name_as_well(self, known: Customer) -> None:
        with pytest.raises(CommandError, match="of this name"):
            call_command("erase_account", str(known.account.pk), confirm="Acme", give_up_credit=True)

    def test_may_be_done_again_and_is_recorded(self, known: Customer) -> None:
        for _ in range(2):
            erase(known, give_up_credit=True)
        assert AuditEvent.objects.filter(detail="Erased.").count() == 2
