"""An account's statement: what it had, what happened, what it has, for a customer, an auditor and a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from django.db.models import Count, F, Min, QuerySet, Sum

from billing import money
from billing.models import LedgerEntry
from billing.selectors import Balance

COLUMNS = (
    "entry",
    "time",
    "kind",
    "amount_usd",
    "available_change_usd",
    "available_usd",
    "held_usd",
    "spent_usd",
    "reference",
    "source",
    "operator",
    "reason",
    "note",
)
DISORDER = timedelta(days=7)  # those of 1.3 that are older than one written before them are so by seconds
# What spreadsheets run, or pass over on the way to it; the wide signs are what those of East Asia take for the others.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@dataclass(frozen=True, slots=True)
class Statement:
    """Entries of `since <= time < until`, oldest first, between the sums before and after them."""

    opening: Balance
    closing: Balance
    entries: QuerySet[LedgerEntry]


def list_entries(
    *, account_id: int, since: datetime | None = None, until: datetime | None = None
) -> QuerySet[LedgerEntry]:
    """Return an account's entries of `since <= time < until` (either may be None), newest first.

    The ledger's own order is cut where a time is reached first, so two periods that meet share no entry and leave out
    none, also among entries of before 1.4, some of which are a moment older than the one before them.
    """
    own = LedgerEntry.objects.filter(account_id=account_id).order_by("-id")
    entries = own
    if since is not None:
        first = _find_first(own, since)
        entries = entries.none() if first is None else entries.filter(pk__gte=first)
    if until is not None:
        end = _find_first(own, until)
        entries = entries if end is None else entries.filter(pk__lt=end)
    return entries


def _find_first(own: QuerySet[LedgerEntry], moment: datetime) -> int | None:
    """Where the ledger reaches this moment: the lowest number of what came then or within the disorder after it."""
    later = own.filter(created_at__gte=moment)
    reached = later.order_by("created_at").values_list("created_at", flat=True).first()
    if reached is None:
        return None
    # A sum, so that PostgreSQL does not walk through everybody's entries in the order of their numbers
    first: int = later.filter(created_at__lte=reached + DISORDER).aggregate(first=Min(F("pk") + 0))["first"]
    return first


def make(*, account_id: int, since: datetime | None = None, until: datetime | None = None) -> Statement:
    """Return the statement of an account; every sum comes from the entries' own balances, nothing is added up."""
    entries = list_entries(account_id=account_id, since=since, until=until)
    before = None if since is None else list_entries(account_id=account_id, until=since).first()
    opening = _after(before)
    last = entries.first()
    if last is None:
        return Statement(opening, opening, entries.none())
    # What is written while somebody reads the statement is not in its closing sums either
    entries = entries.filter(pk__lte=last.pk).order_by("id")
    return Statement(opening, _after(last), entries)


def sum_up(statement: Statement) -> list[tuple[str, int, int]]:
    """Return what happened by kind: its word, how often, and by how much it changed what is available and held."""
    kinds = statement.entries.order_by().values("kind")
    change = Sum(F("available_change") + F("held_change"), default=0)
    sums = {row["kind"]: (row["number"], row["change"]) for row in kinds.annotate(number=Count("pk"), change=change)}
    return [(kind.label, *sums[kind.value]) for kind in LedgerEntry.Kind if kind.value in sums]


def write_csv(statement: Statement, *, for_staff: bool = True) -> Iterator[str]:
    """Return the statement line by line as CSV, amounts in dollars with four decimals; safe to open in a spreadsheet.

    Customers get it without the names of the people who moved money.
    """
    shown = [number for number, name in enumerate(COLUMNS) if for_staff or name != "operator"]
    entries = statement.entries.iterator(chunk_size=1000)
    rows = chain([COLUMNS], (_cells(entry, for_staff=for_staff) for entry in entries))
    return to_csv([row[number] for number in shown] for row in rows)


def to_csv(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield each row as its line."""
    writer = csv.writer(_Line())
    for row in rows:
        yield str(writer.writerow(row))


def quote_formula(text: str) -> str:
    """Return a text as it may stand in a cell: one that a spreadsheet would run as a formula is quoted."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


class _Line:
    """A file that hands each line back instead of keeping it."""

    def write(self, text: str) -> str:
        return text


def _after(entry: LedgerEntry | None) -> Balance:
    if entry is None:
        return Balance(0, 0, 0, 0)
    return Balance(entry.available_after, entry.held_after, entry.spent_after, entry.deposited_after)


def _cells(entry: LedgerEntry, *, for_staff: bool) -> list[str]:
    amounts = (entry.amount, entry.available_change, entry.available_after, entry.held_after, entry.spent_after)
    reference = entry.reference if for_staff else entry.customer_reference
    note = entry.note if for_staff else entry.customer_note
    texts = (reference, entry.source, entry.operator, entry.reason, note)
    return [
        str(entry.pk),
        entry.created_at.isoformat(),
        entry.kind,
        *map(money.to_decimal_string, amounts),
        *map(quote_formula, texts),
    ]
