"""Compares the ledger with what it was made of and what it stands for. It alerts; it never edits.

Here the sums on the accounts are compared with the entries and holds they came from: both are read in one statement,
hence from one snapshot, and running lookups cannot make a false alarm. What the ledger stands for is compared in
`billing.accounting.reconciling`, and in the checks that other apps have added.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import BigIntegerField, F, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from billing.accounting import closing
from billing.accounting.reconciling import credits, findings, given_back, provider, taken_back, transfers
from billing.accounting.reconciling.findings import Finding
from billing.models import Account, Difference, Hold, LedgerEntry, Reconciliation
from billing.payments import tempo
from billing.payments.method import OutcomeUnknown

log = logging.getLogger(__name__)

SUMS = ("available", "held", "spent")
OVERLAP = timedelta(hours=3)  # longer than any transaction, and than a queue of the clock's tasks
Name = Difference.Name
Open = dict[tuple[str, str], Difference]


def run(*, now: datetime, whole: bool = True) -> Reconciliation:
    """Compare, keep the result as a row and each difference as one, and log an error for what is new.

    Not `whole`: rows that are read one by one are those made since the last comparison, with an overlap, and closed
    months those that ended since. The sums of the accounts are always compared: a forged balance is money at once.
    """
    since = None if whole else _find_start(now)
    earlier = findings.list_open()
    mismatches = [_describe(row) for row in _list_mismatches()]
    found, names = list(_compare_ledger(mismatches, since, now)), _list_names()
    findings.record(found, earlier=earlier, names=names, since=since, now=now)
    provider_until = _compare_provider(earlier, whole=whole, now=now)
    chain_until = _compare_chain(earlier, now=now)
    result = Reconciliation.objects.create(
        ran_at=now,
        accounts=Account.objects.count(),
        mismatches=mismatches,
        differences=len(findings.list_open()),
        since=since,
        provider_until=provider_until,
        chain_until=chain_until,
    )
    log.info("ledger reconciled: %s accounts, %s differences are open", result.accounts, result.differences)
    return result


def _compare_ledger(mismatches: list[dict[str, Any]], since: datetime | None, now: datetime) -> Iterator[Finding]:
    """The ledger in itself, and beside our own rows."""
    for mismatch in mismatches:
        yield Finding(Name.ACCOUNT_SUMS, f"account {mismatch['account']}", mismatch["differences"])
    for closed in closing.list_changed(since):
        yield Finding(
            Name.MONTH_CHANGED, f"month {closed}", {"entries": closed.entries}, closing.bounds(closed.month)[1]
        )
    yield from credits.compare(since)
    yield from taken_back.compare(now)
    for _, check in findings.added:
        yield from check(since)


def _compare_provider(earlier: Open, *, whole: bool, now: datetime) -> datetime | None:
    """Beside the card provider, where there is one; returns until when, None where it was not compared."""
    if not settings.STRIPE_SECRET_KEY:
        return None
    latest = None if whole else Reconciliation.objects.filter(provider_until__isnull=False).order_by("-id").first()
    since = _begin_after(latest.provider_until, now) if latest and latest.provider_until else None
    try:
        found, until = provider.compare(since=since, now=now)
    except OutcomeUnknown as silence:
        log.warning("not compared with the card provider: %s", silence)
        return None
    findings.record(found, earlier=earlier, names=provider.NAMES, since=since, now=now)
    return until


def _compare_chain(earlier: Open, *, now: datetime) -> int | None:
    """Beside the chain, where transfers are taken; returns up to which block, None where it was not compared.

    It is read on from where it was compared last, also when all else is read from the beginning.
    """
    method = tempo.find()
    if method is None:
        return None
    latest = Reconciliation.objects.filter(chain_until__isnull=False).order_by("-id").first()
    reached, since = (latest.chain_until, _begin_after(latest.ran_at, now)) if latest else (None, None)
    known = [row.subject for row in earlier.values() if row.name in transfers.NAMES]
    try:
        found, until = transfers.compare(method, reached=reached, since=since, earlier=known, now=now)
        found += given_back.compare(method, since=since, now=now)
    except OutcomeUnknown as silence:
        log.warning("not compared with the chain: %s", silence)
        return None
    names = (*transfers.NAMES, *given_back.NAMES)
    findings.record(found, earlier=earlier, names=names, since=since, now=now)
    return until


def _list_names() -> list[str]:
    more = [name for names, _ in findings.added for name in names]
    return [Name.ACCOUNT_SUMS, Name.MONTH_CHANGED, *credits.NAMES, *taken_back.NAMES, *more]


def _find_start(now: datetime) -> datetime | None:
    """From when on rows are read one by one: what was written while the last comparison ran is read again."""
    latest = Reconciliation.objects.filter(differences__isnull=False).order_by("-id").first()
    return _begin_after(latest.ran_at, now) if latest else None


def _begin_after(last: datetime, now: datetime) -> datetime:
    """From when on is compared what came since the last time, also where that was by a clock that was ahead."""
    return min(last, now) - OVERLAP


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
