"""Compares the sums on the accounts with the entries and holds they came from. It alerts; it never edits.

Both numbers are read in one statement, hence from one snapshot: running lookups cannot make a false alarm.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, F, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from billing.models import Account, Hold, LedgerEntry, Reconciliation

log = logging.getLogger(__name__)

SUMS = ("available", "held", "spent")


def run(*, now: datetime) -> Reconciliation:
    """Compare every account, keep the result as a row, and log an error when something does not add up."""
    mismatches = [_describe(row) for row in _list_mismatches()]
    result = Reconciliation.objects.create(ran_at=now, accounts=Account.objects.count(), mismatches=mismatches)
    for mismatch in mismatches:
        log.error("ledger mismatch: account %s %s", mismatch["account"], mismatch["differences"])
    if not mismatches:
        log.info("ledger reconciled: %s accounts agree", result.accounts)
    return result


def _list_mismatches() -> QuerySet[Account, dict[str, Any]]:
    entries = LedgerEntry.objects.filter(account=OuterRef("pk")).order_by().values("account")
    last = LedgerEntry.objects.filter(account=OuterRef("pk")).order_by("-id")
    open_holds = Hold.objects.filter(account=OuterRef("pk"), state=Hold.State.OPEN, is_free=False)
    holds = open_holds.order_by().values("account")
    accounts = Account.objects.annotate(open_holds=_or_zero(holds.annotate(total=Sum("remaining")).values("total")))
    wrong = ~Q(open_holds=F("held"))
    columns = ["pk", "name", "open_holds", *SUMS]
    for name in SUMS:
        accounts = accounts.annotate(
            **{
                f"{name}_summed": _or_zero(entries.annotate(total=Sum(f"{name}_change")).values("total")),
                f"{name}_last": _or_zero(last.values(f"{name}_after")[:1]),
            }
        )
        wrong |= ~Q(**{f"{name}_summed": F(name)}) | ~Q(**{f"{name}_last": F(name)})
        columns += [f"{name}_summed", f"{name}_last"]
    found: QuerySet[Account, dict[str, Any]] = accounts.filter(wrong).order_by("pk").values(*columns)
    return found


def _or_zero(query: QuerySet[Any, Any]) -> Coalesce:
    return Coalesce(Subquery(query, output_field=BigIntegerField()), Value(0))


def _describe(row: dict[str, Any]) -> dict[str, Any]:
    """Return one mismatch as it is stored and shown: what the account says, what the entries say."""
    differences = {}
    for name in SUMS:
        if not row[name] == row[f"{name}_summed"] == row[f"{name}_last"]:
            differences[name] = {
                "account": row[name],
                "entries": row[f"{name}_summed"],
                "last_entry": row[f"{name}_last"],
            }
    if row["open_holds"] != row["held"]:
        differences["open_holds"] = {"account": row["held"], "holds": row["open_holds"]}
    return {"account": row["pk"], "name": row["name"], "differences": differences}
