"""An installation whose entries carry no hash: afterwards they are chained, and the ledger goes on from there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from billing import ledger
from billing.models import Account, LedgerEntry
from billing.verification import Verification

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BEFORE = [("billing", "0007_request_ids")]

pytestmark = pytest.mark.django_db(transaction=True)


def fill(before: Any) -> list[dict[str, Any]]:
    """Four deposits each of two accounts, one after the other's; a third account has none."""
    account, entry = before.get_model("billing", "Account"), before.get_model("billing", "LedgerEntry")
    accounts = [account.objects.create(name="Acme", created_at=NOW) for _ in range(3)]
    kept = []
    for number in range(1, 5):
        for owner in accounts[:2]:
            moved = {"account_id": owner.pk, "amount": 5, "available_change": 5, "available_after": 5 * number}
            moved |= {"kind": "deposit", "idempotency_key": f"é{number}", "created_at": NOW, "note": "kept"}
            entry.objects.create(**moved, held_after=0, spent_after=0, fingerprint="f")
            account.objects.filter(pk=owner.pk).update(available=5 * number, deposited=5 * number)
            kept.append(moved)
    return kept


class TestAnInstallationWithoutAChain:
    """Its entries, after the upgrade."""

    def test_has_every_entry_chained_and_guarded(self, upgraded: list[dict[str, Any]]) -> None:
        kept, owners = upgraded, {row["account_id"] for row in upgraded}
        rows = LedgerEntry.objects.filter(account__in=owners).order_by("pk").values_list(*kept[0])
        assert list(rows) == [tuple(row.values()) for row in kept]
        verification = Verification()
        assert list(verification.list_differences()) == []
        assert (verification.entries, verification.accounts) == (LedgerEntry.objects.count(), Account.objects.count())
        spender = Account.objects.get(pk=min(owners))
        ledger.charge(account_id=spender.pk, amount=1, idempotency_key="new", reference="", now=NOW)
        assert list(Verification().list_differences()) == []
        for change in (lambda rows: rows.update(amount=2), lambda rows: rows.delete()):
            with pytest.raises(DatabaseError, match="never changed or removed"), transaction.atomic():
                change(LedgerEntry.objects.filter(account=spender))
