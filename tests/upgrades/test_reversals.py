"""An installation that noted shortfalls instead of debts: after the upgrade what was taken back is owed, once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BEFORE = [("billing", "0007_request_ids")]

pytestmark = pytest.mark.django_db(transaction=True)


class Then:
    """An account of the version before with 0.31 available, and what was written for it."""

    def __init__(self, before: Any) -> None:
        self.model = lambda name: before.get_model("billing", name)
        sums = {"available": 3100, "spent": 0, "deposited": 3100}
        self.account = self.model("Account").objects.create(name="Acme", created_at=NOW, **sums)
        self.entry("deposit", 3100, 3100)

    def entry(self, kind: str, amount: int, after: int, **more: Any) -> None:
        number = self.model("LedgerEntry").objects.count()
        self.model("LedgerEntry").objects.create(
            account=self.account, kind=kind, amount=amount, available_change=amount, available_after=after,
            held_after=0, spent_after=0, fingerprint="f", idempotency_key=f"k{number}",
            created_at=NOW - timedelta(seconds=number), **more,
        )  # fmt: skip

    def topup(self, payment: str | None, taken_back: int, shortfall: int, state: str = "paid") -> Any:
        return self.model("TopUp").objects.create(
            account=self.account, amount=10_000, state=state, payment_intent=payment, taken_back=taken_back,
            shortfall=shortfall, created_at=NOW, paid_at=NOW if state == "paid" else None,
        )  # fmt: skip

    def waiting(self, kind: str, payment: str, **about: Any) -> None:
        number = self.model("ProviderEvent").objects.count()
        content = {"type": kind, "data": {"object": {"payment_intent": payment, **about}}}
        known = {"event_id": f"evt_{number}", "kind": kind, "outcome": "waits for its top-up", "received_at": NOW}
        self.model("ProviderEvent").objects.create(waits_for=payment, content=content, **known)


def upgrade() -> Any:
    call_command("migrate", verbosity=0)
    from billing import reversals

    reversals.settle_late(now=NOW)
    return reversals


class TestAShortfall:
    """Taken back by the provider, spent before."""

    def test_is_owed_after_the_upgrade_and_once(self, before: Any) -> None:
        then = Then(before)
        then.topup("pi_1", taken_back=10_000, shortfall=4000)
        reversals = upgrade()
        from billing.models import Account, TopUp

        for _ in range(2):
            reversals.settle_late(now=NOW)
            account = Account.objects.get(pk=then.account.pk)
            assert (account.available, account.owed, TopUp.objects.get().taken_back) == (-900, 900, 10_000)

    def test_of_a_dispute_comes_back_when_that_is_won(self, before: Any) -> None:
        then = Then(before)
        then.topup("pi_1", taken_back=10_000, shortfall=4000)
        then.entry("adjust", -2000, 1100, reason="card_refund", reference="pi_1")
        then.entry("adjust", 2000, 3100, reason="dispute", reference="pi_1")  # what it had taken does not matter here
        reversals = upgrade()
        from billing.models import Account, Reversal

        won = reversals.Heard("pi_1", Reversal.Kind.DISPUTE, "dp_1", 8000, reinstated=True)
        assert reversals.hear(won, now=NOW) == "given back"
        refund = reversals.Heard("pi_1", Reversal.Kind.REFUND, "pi_1", 2000)
        assert reversals.hear(refund, now=NOW) == "changes nothing"
        assert Account.objects.get(pk=then.account.pk).available == 3100 - 4000 + 8000


class TestAMessageThatWaited:
    """For a top-up that was not known."""

    def test_is_kept_as_what_it_says(self, before: Any) -> None:
        then = Then(before)
        then.topup("pi_1", taken_back=0, shortfall=0, state="created")
        then.waiting("charge.refunded", "pi_2", amount_refunded=10)
        then.waiting("charge.refunded", "pi_2", amount_refunded=7)
        then.waiting("charge.dispute.created", "pi_2", id="dp_1", amount=5)
        then.waiting("charge.dispute.closed", "pi_2", id="dp_1", amount=5, status="won")
        then.waiting("charge.dispute.created", "pi_2", id="dp_2", amount=3)
        then.waiting("charge.refunded", "pi_2", amount_refunded="odd")
        upgrade()
        from billing.models import Reversal

        rows = {row.name: (row.amount, row.gone, row.is_settled) for row in Reversal.objects.all()}
        assert rows == {"pi_2": (1000, 1000, False), "dp_1": (500, 0, False), "dp_2": (300, 300, False)}


class TestTheLedger:
    """Of an installation whose clock went back between two entries."""

    def test_goes_on_in_its_own_order_and_stays_guarded(self, before: Any) -> None:
        then = Then(before)
        then.entry("deposit", 1, 3101)  # a second before the one that came before it
        then.account.available = then.account.deposited = 3101
        then.account.save()
        upgrade()
        from billing import ledger, statements
        from billing.models import LedgerEntry

        moved = {"account_id": then.account.pk, "source": "staff"}
        new = ledger.deposit(amount=5, idempotency_key="new", now=NOW - timedelta(hours=1), **moved)
        assert new.created_at == NOW
        for cut in (NOW - timedelta(seconds=1), NOW - timedelta(milliseconds=1), NOW):
            parts = [
                statements.make(account_id=then.account.pk, until=cut),
                statements.make(account_id=then.account.pk, since=cut),
            ]
            for part in parts:
                moves = sum(part.entries.values_list("available_change", flat=True))
                assert part.opening.available + moves == part.closing.available
            assert parts[0].closing == parts[1].opening
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            LedgerEntry.objects.update(note="x")
        assert "taken_back" in {column.name for column in describe("billing_payment")}


def describe(table: str) -> list[Any]:
    with connection.cursor() as cursor:
        return connection.introspection.get_table_description(cursor, table)
