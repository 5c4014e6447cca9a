"""The chart of accounts, and which two of them an entry of the ledger moves.

Every entry is a debit of one account and a credit of another by the same amount, so the books balance by themselves;
holding and releasing move nothing, for the money stays the customer's. An entry whose amount is negative moves the same
two accounts the other way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Q, QuerySet, Sum

from billing.models import LedgerEntry, Reversal
from billing.reversals import DISPUTE_WON

Kind = LedgerEntry.Kind
INVOICE, STAFF = "invoice", "staff"
_DISPUTED = (Reversal.Kind.DISPUTE, Reversal.Kind.STAFF, DISPUTE_WON)


class BookAccount(StrEnum):
    """An account of the books, by its name in exports."""

    CASH = "cash"  # paid in by card, token or transfer, before anything was given back
    PAYER_REFUNDS = "payer_refunds"  # of it, given back to payers
    CHARGEBACKS = "chargebacks"  # of it, taken back by payers or their banks
    RECEIVABLE = "receivable"  # granted against an invoice
    GIFTS = "gifts"  # free lookups, goodwill: nobody paid for them
    CORRECTIONS = "corrections"
    CUSTOMER_BALANCES = "customer_balances"  # what we owe customers, or they us: available and held
    REVENUE = "revenue"
    CREDIT_REFUNDS = "credit_refunds"  # of revenue, given back as credit


@dataclass(frozen=True, slots=True)
class Posting:
    """`amount` units (1/10,000 USD) in the debit of one account and the credit of another."""

    debit: BookAccount
    credit: BookAccount
    amount: int


@dataclass(frozen=True, slots=True)
class Totals:
    """What an account had in its debit and in its credit."""

    debit: int = 0
    credit: int = 0

    @property
    def balance(self) -> int:
        """Debit less credit."""
        return self.debit - self.credit


def post(kind: str, source: str, reason: str, amount: int) -> Posting | None:
    """What an entry of this kind moves; None where the money stays where it is."""
    moved = _accounts(Kind(kind), source, reason)
    if moved is None or not amount:
        return None
    debit, credit = moved
    return Posting(debit, credit, amount) if amount > 0 else Posting(credit, debit, -amount)


def add_up(postings: Iterable[Posting | None]) -> dict[BookAccount, Totals]:
    """Every account of the chart with what stands in it."""
    debits, credits = dict.fromkeys(BookAccount, 0), dict.fromkeys(BookAccount, 0)
    for posting in postings:
        if posting is not None:
            debits[posting.debit] += posting.amount
            credits[posting.credit] += posting.amount
    return {account: Totals(debits[account], credits[account]) for account in BookAccount}


def list_entries(*, since: datetime | None = None, until: datetime | None = None) -> QuerySet[LedgerEntry]:
    """The entries of `since <= time < until`, of all customers, in the ledger's order."""
    entries = LedgerEntry.objects.order_by("id")
    if since is not None:
        entries = entries.filter(created_at__gte=since)
    return entries if until is None else entries.filter(created_at__lt=until)


def total(entries: QuerySet[LedgerEntry]) -> dict[BookAccount, Totals]:
    """What these entries come to, in one query."""
    return add_up(
        post(row["kind"], row["source"], row["reason"], amount)
        for row in group(entries)
        for amount in (row["up"], row["down"])
    )


def group(entries: QuerySet[LedgerEntry], *more: str) -> QuerySet[LedgerEntry, dict[str, Any]]:
    """The entries' sums by what decides where they are posted (and `more` columns): `up`, and `down` below zero."""
    rows: QuerySet[LedgerEntry, dict[str, Any]] = entries.order_by().values("kind", "source", "reason", *more)
    return rows.annotate(
        up=Sum("amount", filter=Q(amount__gt=0), default=0), down=Sum("amount", filter=Q(amount__lt=0), default=0)
    )


def list_journal(entries: QuerySet[LedgerEntry]) -> Iterator[tuple[LedgerEntry, Posting]]:
    """Each entry that moves money in the books, with what it moves, one by one."""
    for entry in entries.select_related("account").iterator(chunk_size=1000):
        posting = post(entry.kind, entry.source, entry.reason, entry.amount)
        if posting is not None:
            yield entry, posting


def _accounts(kind: LedgerEntry.Kind, source: str, reason: str) -> tuple[BookAccount, BookAccount] | None:
    """The debit and the credit of an entry whose amount is positive."""
    match kind:
        case Kind.DEPOSIT:
            given = BookAccount.RECEIVABLE if reason == INVOICE else BookAccount.GIFTS
            return (given if source == STAFF else BookAccount.CASH), BookAccount.CUSTOMER_BALANCES
        case Kind.FREE_GRANT:
            return BookAccount.GIFTS, BookAccount.CUSTOMER_BALANCES
        case Kind.CAPTURE | Kind.CHARGE:
            return BookAccount.CUSTOMER_BALANCES, BookAccount.REVENUE
        case Kind.REFUND:
            return BookAccount.CREDIT_REFUNDS, BookAccount.CUSTOMER_BALANCES
        case Kind.ADJUST:
            return BookAccount.CORRECTIONS, BookAccount.CUSTOMER_BALANCES
        case Kind.REVERSAL:
            back = BookAccount.CHARGEBACKS if reason in _DISPUTED else BookAccount.PAYER_REFUNDS
            return back, BookAccount.CUSTOMER_BALANCES
        case Kind.HOLD | Kind.RELEASE:
            return None
