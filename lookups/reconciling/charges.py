"""Every lookup that costs something has one charge of that amount in the ledger, and every charge has its lookup.

A lookup ends in the transaction that charges it, and neither is ever undone. So lookups are read before their charges,
and charges before their lookups: one that is settled in between is no difference.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.db.models import Q

from billing.accounting.reconciling.findings import Finding, in_batches
from billing.accounts import PAY_PER_REQUEST
from billing.models import Difference, LedgerEntry, Payment
from lookups.models import Lookup
from lookups.verdicts import BILLED

Name, Kind = Difference.Name, LedgerEntry.Kind
NAMES = (
    Name.LOOKUP_NOT_CHARGED,
    Name.LOOKUP_CHARGED_TWICE,
    Name.LOOKUP_CHARGE_DIFFERS,
    Name.CHARGE_WITHOUT_LOOKUP,
    Name.PAYMENT_WITHOUT_LOOKUP,
)
BY_ASK = re.compile(r"lookup:([0-9a-f]{8}-[0-9a-f-]{27}):")
LONGEST = timedelta(days=3)  # from accepting to ending; the index is by the first of them
Key = tuple[int | None, str]  # account, idempotency key


def compare(since: datetime | None) -> Iterator[Finding]:
    """Find what differs among the lookups that ended and the charges that were made since then; None: among all."""
    ended = Lookup.objects.filter(cost__gt=0)
    if since is not None:
        ended = ended.filter(created_at__gte=since - LONGEST, ended_at__gte=since)
    for lookups in in_batches(ended.order_by("pk").iterator()):
        yield from _compare_lookups(lookups)
    taken = LedgerEntry.objects.filter(kind__in=[Kind.CAPTURE, Kind.CHARGE], amount__gt=0)
    if since is not None:
        taken = taken.filter(created_at__gte=since)
    for entries in in_batches(taken.select_related("account").order_by("pk").iterator()):
        yield from _compare_charges(entries)
    yield from _list_undelivered(since)


def list_charges(lookups: Iterable[Lookup]) -> Iterator[LedgerEntry]:
    """The charges by which these lookups were paid from a balance, however many lookups there are."""
    for some in in_batches(iter(lookups)):
        keys = {key for lookup in some for key in _keys_of(lookup)}
        found = LedgerEntry.objects.filter(
            kind__in=[Kind.CAPTURE, Kind.CHARGE],
            amount__gt=0,
            account__in={account for account, _ in keys},
            idempotency_key__in={word for _, word in keys},
        )
        yield from (entry for entry in found.order_by("pk") if (entry.account_id, entry.idempotency_key) in keys)


def _compare_lookups(lookups: Iterable[Lookup]) -> Iterator[Finding]:
    """Lookups that were read before their charges are."""
    keys = {lookup.pk: _keys_of(lookup) for lookup in lookups}
    wanted = [key for several in keys.values() for key in several]
    found = LedgerEntry.objects.filter(
        account__in={account for account, _ in wanted}, idempotency_key__in={word for _, word in wanted}
    )
    charges: dict[Key, int] = {
        (entry.account_id, entry.idempotency_key): entry.amount
        for entry in found.filter(kind__in=[Kind.CAPTURE, Kind.CHARGE])
    }
    for lookup in lookups:
        amounts = [charges[key] for key in keys[lookup.pk] if charges.get(key)]
        if amounts == [lookup.cost]:
            continue
        name = Name.LOOKUP_CHARGE_DIFFERS if amounts else Name.LOOKUP_NOT_CHARGED
        if len(amounts) > 1:
            name = Name.LOOKUP_CHARGED_TWICE
        numbers = {"lookup": lookup.cost, "ledger": sum(amounts), "charges": len(amounts)}
        yield Finding(name, f"{lookup.public_id} (lookup {lookup.pk})", numbers, lookup.ended_at)


def _keys_of(lookup: Lookup) -> list[Key]:
    """By which charges a lookup can have been paid: its whole hold, its part of a larger one, or at once."""
    words = [f"lookup:{lookup.ask_id}:taken", f"lookup:{lookup.ask_id}:charge"]
    if lookup.hold_id is not None:
        words.append(f"hold:{lookup.hold_id}:capture")
    return [(lookup.account_id, word) for word in words]


def _compare_charges(entries: list[LedgerEntry]) -> Iterator[Finding]:
    """Charges that were read before their lookups are; the lookups' other charges are read last."""
    asks = {entry.pk: uuid.UUID(found[1]) for entry in entries if (found := BY_ASK.match(entry.idempotency_key))}
    holds = {entry.hold_id for entry in entries if entry.hold_id is not None}
    known = list(Lookup.objects.filter(Q(ask_id__in=asks.values()) | Q(hold__in=holds, bulk=None), cost__gt=0))
    # A job that is done over has a hold of its own, also that of a bulk request
    whole = {f"hold:{hold}:capture" for hold in holds}
    captured = {entry.hold_id for entry in entries if entry.idempotency_key in whole}
    known += Lookup.objects.filter(hold__in=captured, cost__gt=0).exclude(pk__in=[lookup.pk for lookup in known])
    by_ask = {lookup.ask_id: lookup for lookup in known}
    by_hold: dict[int | None, Lookup] = {lookup.hold_id: lookup for lookup in known if lookup.hold_id is not None}
    for entry in entries:
        if entry.account.role == PAY_PER_REQUEST:
            yield from _judge_sale(entry)
            continue
        lookup = by_ask.get(asks[entry.pk]) if entry.pk in asks else by_hold.get(entry.hold_id)
        if lookup is None or lookup.account_id != entry.account_id:
            yield _of_charge(Name.CHARGE_WITHOUT_LOOKUP, entry, 0)
        elif (entry.account_id, entry.idempotency_key) not in _keys_of(lookup):
            yield _of_charge(Name.LOOKUP_CHARGED_TWICE, entry, lookup.cost)
    yield from _compare_lookups(known)


def _judge_sale(entry: LedgerEntry) -> Iterator[Finding]:
    """A charge of what was paid with its request: its payment is delivered."""
    found = re.fullmatch(r"payment:(\d{1,18}):lookup", entry.idempotency_key)
    delivered = Payment.objects.filter(state=Payment.State.PAID, delivered_at__isnull=False, is_sandbox=False)
    if not found or not delivered.filter(pk=int(found[1])).exists():
        yield _of_charge(Name.CHARGE_WITHOUT_LOOKUP, entry, 0)


def _list_undelivered(since: datetime | None) -> Iterator[Finding]:
    """Payments that count as delivered, before their lookups are read."""
    delivered = Payment.objects.filter(purpose=Payment.Purpose.LOOKUP, is_sandbox=False, delivered_at__isnull=False)
    if since is not None:
        delivered = delivered.filter(delivered_at__gte=since)
    for payments in in_batches(delivered.order_by("pk").iterator()):
        answered = Lookup.objects.filter(payment__in=payments, verdict__in=BILLED).values_list("payment", flat=True)
        missing = {payment.pk for payment in payments} - set(answered)
        for payment in payments:
            if payment.pk in missing:
                numbers = {"payment": payment.amount, "lookup": 0}
                yield Finding(Name.PAYMENT_WITHOUT_LOOKUP, f"payment {payment.pk}", numbers, payment.delivered_at)


def _of_charge(name: Difference.Name, entry: LedgerEntry, cost: int) -> Finding:
    numbers = {"ledger": entry.amount, "lookup": cost, "account": entry.account_id}
    return Finding(name, f"entry {entry.pk} ({entry.reference})", numbers, entry.created_at)
