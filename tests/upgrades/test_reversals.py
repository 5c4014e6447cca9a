"""An installation that noted shortfalls instead of debts: after the upgrade what was taken back is owed, once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
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
        number = self.model("LedgerEntry").objects.filter(account=self.account).count()
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


def fill(before: Any) -> dict[str, Any]:
    """Four customers, and what each had happened to him."""
    spent, disputed, waited, late = customers = [Then(before) for _ in range(4)]
    spent.topup("pi_1", taken_back=10_000, shortfall=4000)
    disputed.topup("pi_3", taken_back=10_000, shortfall=4000)
    disputed.entry("adjust", -2000, 1100, reason="card_refund", reference="pi_3")
    disputed.entry("adjust", 2000, 3100, reason="dispute", reference="pi_3")  # what it took does not matter here
    waited.topup("pi_4", taken_back=0, shortfall=0, state="created")
    waited.waiting("charge.refunded", "pi_2", amount_refunded=10)
    waited.waiting("charge.refunded", "pi_2", amount_refunded=7)
    waited.waiting("charge.dispute.created", "pi_2", id="dp_1", amount=5)
    waited.waiting("charge.dispute.closed", "pi_2", id="dp_1", amount=5, status="won")
    waited.waiting("charge.dispute.created", "pi_2", id="dp_2", amount=3)
    waited.waiting("charge.refunded", "pi_2", amount_refunded="odd")
    late.entry("deposit", 1, 3101)  # a second before the one that came before it
    late.account.available = late.account.deposited = 3101
    late.account.save()
    return dict(zip(("spent", "disputed", "waited", "late"), (one.account.pk for one in customers), strict=True))


@pytest.fixture
def customers(upgraded: dict[str, int]) -> dict[str, int]:
    """The accounts after the upgrade and after what the service does then."""
    from billing import reversals

    reversals.settle_late(now=NOW)
    return upgraded


class TestAShortfall:
    """Taken back by the provider, spent before."""

    def test_is_owed_after_the_upgrade_and_once(self, customers: dict[str, int]) -> None:
        from billing import reversals
        from billing.models import Account, TopUp

        for _ in range(2):
            reversals.settle_late(now=NOW)
            account = Account.objects.get(pk=customers["spent"])
            topup = TopUp.objects.get(account=account)
            assert (account.available, account.owed, topup.taken_back) == (-900, 900, 10_000)

    def test_of_a_dispute_comes_back_when_that_is_won(self, customers: dict[str, int]) -> None:
        from billing import reversals
        from billing.models import Account, Reversal

        won = reversals.Heard("pi_3", Reversal.Kind.DISPUTE, "dp_3", 8000, reinstated=True)
        assert reversals.hear(won, now=NOW) == "given back"
        refund = reversals.Heard("pi_3", Reversal.Kind.REFUND, "pi_3", 2000)
        assert reversals.hear(refund, now=NOW) == "changes nothing"
        assert Account.objects.get(pk=customers["disputed"]).available == 3100 - 4000 + 8000


class TestAMessageThatWaited:
    """For a top-up that was not known."""

    def test_is_kept_as_what_it_says(self, customers: dict[str, int]) -> None:
        from billing.models import Reversal

        waiting = Reversal.objects.filter(payment_reference="pi_2")
        rows = {row.name: (row.amount, row.gone, row.is_settled) for row in waiting}
        assert rows == {"pi_2": (1000, 1000, False), "dp_1": (500, 0, False), "dp_2": (300, 300, False)}


class TestTheLedger:
    """Of an installation whose clock went back between two entries."""

    def test_goes_on_in_its_own_order_and_stays_guarded(self, customers: dict[str, int]) -> None:
        from billing import ledger, statements
        from billing.models import LedgerEntry

        account_id = customers["late"]
        new = ledger.deposit(
            amount=5, idempotency_key="new", now=NOW - timedelta(hours=1), account_id=account_id, source="staff"
        )
        assert new.created_at == NOW
        for cut in (NOW - timedelta(seconds=1), NOW - timedelta(milliseconds=1), NOW):
            parts = [
                statements.make(account_id=account_id, until=cut),
                statements.make(account_id=account_id, since=cut),
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
