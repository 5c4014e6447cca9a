"""The ledger beside the chain: the transfers to our address against the payments that name them.

The chain is read forward, from the block where the last comparison ended (some hours before it, as a payment is booked
after its transfer was mined) up to where no block is undone any more. Not checked against a live node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from billing.accounting.reconciling.findings import Finding, in_batches
from billing.models import Difference, Payment
from billing.payments.booking import OPEN
from billing.payments.tempo import TOKEN_UNITS, Tempo

Name, State = Difference.Name, Payment.State
NAMES = (Name.TRANSFER_WITHOUT_PAYMENT, Name.TRANSFER_DIFFERS, Name.PAYMENT_WITHOUT_TRANSFER)
CONFIRMATIONS = 20
BLOCKS_AT_ONCE, MOST_CALLS = 2_000, 500  # a long way is gone in several runs
OVERLAP_BLOCKS = 20_000
FIRST_PAYMENTS = 20
BOOKED_WITHIN = timedelta(minutes=10)  # what is younger may not be confirmed yet
SETTLED_WITHIN = timedelta(hours=1)  # what is open for longer is not settled by itself
HASH = re.compile(r"0x[0-9a-f]{64}")


def compare(
    method: Tempo, *, reached: int | None, since: datetime | None, earlier: Iterable[str], now: datetime
) -> tuple[list[Finding], int]:
    """Return what differs, and the last block that was compared; raise OutcomeUnknown when the node gives no answer.

    `reached` is the last block of the comparison before, None at the first; payments that were booked since then are
    looked for on the chain (None: all), and what differed `earlier` is looked at again, by its name on the chain.
    """
    last = max(0, method.node.block_number() - CONFIRMATIONS)
    first = _find_first(method, last) if reached is None else max(0, reached + 1 - OVERLAP_BLOCKS)
    last = min(last, first + BLOCKS_AT_ONCE * MOST_CALLS - 1)
    received: dict[str, int] = {}
    for start in range(first, last + 1, BLOCKS_AT_ONCE):
        received.update(method.list_received(first=start, last=min(start + BLOCKS_AT_ONCE - 1, last)))
    again = {"", *earlier}
    recent = Payment.objects.filter(state=State.PAID, method=Tempo.name, ended_at__lt=now - BOOKED_WITHIN)
    if since is not None:
        recent = recent.filter(ended_at__gte=since)
    again.update(recent.values_list("reference", flat=True))
    for name in again - received.keys():
        if HASH.fullmatch(name) and (found := method.find_received(name)) is not None:
            received[name] = found[1]
    return [*_compare_transfers(received, now), *_list_missing(again - received.keys())], max(last, reached or 0)


def _compare_transfers(received: dict[str, int], now: datetime) -> Iterator[Finding]:
    """Each transfer beside its payment; one that is being settled right now is compared when it is paid."""
    for names in in_batches(iter(received)):
        rows = list(Payment.objects.filter(method=Tempo.name, reference__in=names, state__in=[State.PAID, *OPEN]))
        for name in names:
            mine = [row for row in rows if row.reference == name]
            paid = sum(row.amount for row in mine if row.state == State.PAID)
            numbers = {"chain": received[name] // TOKEN_UNITS, "payment": paid, "token_units": received[name]}
            if paid and received[name] != paid * TOKEN_UNITS:
                yield Finding(Name.TRANSFER_DIFFERS, name, numbers)
            if not paid and not any((row.settling_at or row.created_at) > now - SETTLED_WITHIN for row in mine):
                yield Finding(Name.TRANSFER_WITHOUT_PAYMENT, name, numbers)


def _list_missing(names: set[str]) -> Iterator[Finding]:
    """The paid payments among these names, which are not on the chain."""
    for payment in Payment.objects.filter(method=Tempo.name, state=State.PAID, reference__in=names).order_by("pk"):
        subject = payment.reference or f"payment {payment.pk}"
        yield Finding(Name.PAYMENT_WITHOUT_TRANSFER, subject, {"chain": 0, "payment": payment.amount})


def _find_first(method: Tempo, last: int) -> int:
    """The block of the first payment that can be found on the chain, else the last one: there is nothing before."""
    paid = Payment.objects.filter(method=Tempo.name, state=State.PAID, reference__startswith="0x").order_by("ended_at")
    for name in paid.values_list("reference", flat=True)[:FIRST_PAYMENTS]:
        if HASH.fullmatch(name) and (found := method.find_received(name)) is not None:
            return min(found[0], last)
    return last
