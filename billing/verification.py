"""Reads the books and says what was changed behind the ledger's back, also by somebody with power over the triggers.

An account is read in one statement, hence from one snapshot: movements under way make no false alarm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, Max, Min, OuterRef, Q, Subquery

from billing import anchors, chain
from billing.models import Account, AuditEvent, AuditHead, LedgerAnchor, LedgerEntry

SUMS = ("available", "held", "spent")


@dataclass
class Verification:
    """One reading of the books: of one account or all, of everything or what was written since a moment."""

    account_id: int | None = None
    since: datetime | None = None
    entries: int = 0
    accounts: int = 0
    anchors: int = 0
    events: int = 0

    def list_differences(self, witnessed: Iterable[tuple[int, str]] = ()) -> Iterator[str]:
        """Yield a sentence for everything that is not as it was written; counts what it reads.

        `witnessed` are (number, hash) of anchors that were kept where the database's owner cannot write.
        """
        first = self._find_first_entry()
        accounts = (
            Account.objects.order_by("pk") if self.account_id is None else Account.objects.filter(pk=self.account_id)
        )
        for account_id in list(accounts.values_list("pk", flat=True)):
            self.accounts += 1
            yield from self._read_account(account_id, first)
        if self.account_id is None:
            lost = LedgerEntry.objects.filter(~Exists(Account.objects.filter(pk=OuterRef("account_id"))))
            for account_id in lost.order_by("account_id").values_list("account_id", flat=True).distinct():
                yield f"account {account_id}: was removed, and its entries are there"
            yield from self._read_audit()
        yield from self._read_anchors(_by_number(witnessed))

    def _find_first_entry(self) -> int:
        """Return the number of the first entry since the moment; 0 when all are to be read."""
        if self.since is None:
            return 0
        bounds = LedgerEntry.objects.aggregate(first=Min("pk", filter=Q(created_at__gte=self.since)), last=Max("pk"))
        return bounds["first"] or (bounds["last"] or 0) + 1

    def _read_account(self, account_id: int, first: int) -> Iterator[str]:
        """Follow one chain, from the entry before `first` on, to the head and the sums that the account has."""
        mine = LedgerEntry.objects.filter(account_id=account_id).order_by("pk")
        # The entry before is where the reading starts: what it leaves behind is taken as it stands.
        start = mine.filter(pk__lt=first).aggregate(last=Max("pk"))["last"]
        before: LedgerEntry | None = None
        for entry in mine.filter(pk__gte=start or 0).select_related("account").iterator(chunk_size=2000):
            self.entries += 1
            yield from _compare(entry, before, is_start=entry.pk == start)
            before = entry
        # Without an entry: in one statement too, lest the account's first one comes in between.
        account = before.account if before else Account.objects.filter(pk=account_id, entries=None).first()
        if account is None:
            return
        if account.ledger_head != (before.hash if before else ""):
            last = f"its last entry is {before.pk}" if before else "it has no entry"
            yield f"account {account_id}: {last}, which is not the head that it had: entries were removed or added"
        for name in SUMS:
            left = getattr(before, f"{name}_after") if before else 0
            if getattr(account, name) != left:
                yield f"account {account_id}: {name} is {getattr(account, name)}, and {left} by its entries"

    def _read_audit(self) -> Iterator[str]:
        """Follow the audit log, always all of it, to the head that it has; both ends in one statement."""
        latest = Subquery(AuditEvent.objects.order_by("-id").values("id")[:1])
        head, last = AuditHead.objects.values_list("hash", latest).first() or ("", None)
        events = AuditEvent.objects.order_by("pk")
        before: AuditEvent | None = None
        for event in (events.filter(pk__lte=last) if last else events).iterator(chunk_size=2000):
            self.events += 1
            name = f"audit event {event.pk}"
            yield from _compare_hash(name, event)
            yield from _compare_link(name, event, before, f"event {before.pk}" if before else "the log's beginning")
            before = event
        if head != (before.hash if before else ""):
            yield "the audit log: its last event is not the head that it had: events were removed or added"

    def _read_anchors(self, witnessed: dict[int, set[str]]) -> Iterator[str]:
        previous = ""
        for anchor in LedgerAnchor.objects.order_by("pk").iterator(chunk_size=200):
            self.anchors += 1
            if anchors.hash_of(anchor) != anchor.hash:
                yield f"anchor {anchor.pk}: was changed, its hash is not that of what it says"
            if anchor.previous_hash != previous:
                yield f"anchor {anchor.pk}: does not follow the one before it"
            if witnessed.pop(anchor.pk, {anchor.hash}) != {anchor.hash}:
                yield f"anchor {anchor.pk}: is not the one that was logged: the books were written anew"
            previous = anchor.hash
            if anchor.audit and not AuditEvent.objects.filter(pk=anchor.audit[0], hash=anchor.audit[1]).exists():
                yield (
                    f"audit event {anchor.audit[0]} is not what anchor {anchor.pk} of"
                    f" {chain.as_text(anchor.made_at)} saw: it was removed, or the log was written anew"
                )
            if self.since is None or anchor.made_at >= self.since:
                yield from self._compare_heads(anchor)
        for number in sorted(witnessed):
            yield f"anchor {number}: was logged and is missing"

    def _compare_heads(self, anchor: LedgerAnchor) -> Iterator[str]:
        heads = [head for head in anchor.heads if self.account_id in (None, head[0])]
        found = LedgerEntry.objects.filter(pk__in=[number for _, number, _ in heads])
        there = set(found.values_list("account_id", "pk", "hash"))
        for account_id, number, hashed in heads:
            if (account_id, number, hashed) not in there:
                yield (
                    f"account {account_id}: entry {number} is not what anchor {anchor.pk} of"
                    f" {chain.as_text(anchor.made_at)} saw: it was removed, or the chain was written anew"
                )


def _by_number(witnessed: Iterable[tuple[int, str]]) -> dict[int, set[str]]:
    """Return the hashes that were logged for each anchor: more than one is a difference of its own."""
    found: dict[int, set[str]] = {}
    for number, hashed in witnessed:
        found.setdefault(number, set()).add(hashed)
    return found


def _compare(entry: LedgerEntry, before: LedgerEntry | None, *, is_start: bool) -> Iterator[str]:
    """Yield what is wrong with one entry: in itself, and beside the one before it."""
    name = f"account {entry.account_id}: entry {entry.pk}"
    yield from _compare_hash(name, entry)
    if is_start:
        return
    yield from _compare_link(name, entry, before, f"entry {before.pk}" if before else "the account's beginning")
    for column in SUMS:
        left = (getattr(before, f"{column}_after") if before else 0) + getattr(entry, f"{column}_change")
        if getattr(entry, f"{column}_after") != left:
            yield f"{name} leaves {column} at {getattr(entry, f'{column}_after')} instead of {left}"


def _compare_hash(name: str, row: LedgerEntry | AuditEvent) -> Iterator[str]:
    if chain.hash_of(row) != row.hash:
        yield f"{name} was changed, its hash is not that of what it says"


def _compare_link(
    name: str, row: LedgerEntry | AuditEvent, before: LedgerEntry | AuditEvent | None, follows: str
) -> Iterator[str]:
    if row.previous_hash != (before.hash if before else ""):
        yield f"{name} does not follow {follows}: one was removed, added or changed"
