"""The only module that moves money.

Every verb does the same dance in one short transaction (or in the caller's): lock the account's row, look the
idempotency key up *before* the balance (a repeated request must get its first answer even when the credit is
gone by now), check, write one entry, write the sums. Only a hold looks its key up no sooner than the key or the
balance refuses it. The account's row guards its holds and entries too, and is all that a verb waits for:
transactions that each touch one account cannot deadlock, however many verbs they join.

Amounts are whole units of 1/10,000 USD. Work done for an account of kind internal writes entries of zero units.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Model

from billing import budgets, money, posting
from billing.ledger_errors import BudgetExceeded, HoldEnded, IdempotencyConflict, InsufficientFunds, RefundTooLarge
from billing.locks import lock_account, lock_hold
from billing.models import Account, ApiKey, Hold, LedgerEntry
from jurisdictions.prepared import Blank, Prepared

Kind = LedgerEntry.Kind
FREE_GRANT = "free_grant"
_BY_KEY = Prepared(
    lambda: LedgerEntry.objects.select_related("hold").filter(
        account=Blank("account"), idempotency_key=Blank("idempotency_key")
    )
)


@dataclass(frozen=True, slots=True)
class _Request:
    """What a verb was asked for, and when: the same request again is the same key with the same fingerprint."""

    kind: str
    key: str
    fingerprint: str
    now: datetime
    request_id: str  # names the HTTP request, for whoever asks why money moved; a repetition may come with another


def deposit(
    *,
    account_id: int,
    amount: int,
    idempotency_key: str,
    source: str,
    now: datetime,
    reference: str = "",
    operator: str = "",
    reason: str = "",
    note: str = "",
    request_id: str = "",
) -> LedgerEntry:
    """Add `amount` units to what is available; `source` says where they came from ("card", "staff", "free_grant")."""
    if money.units(amount) == 0:
        raise ValueError("A deposit of nothing is a mistake.")
    kind = Kind.FREE_GRANT if source == FREE_GRANT else Kind.DEPOSIT
    request = _request(kind, idempotency_key, now, request_id, amount, source, reference)
    with transaction.atomic():
        account = lock_account(account_id)
        if entry := _find_same(account_id, request):
            return entry
        by: dict[str, Any] = {"operator": operator, "reason": reason, "note": note}
        return _write(account, request, amount, available=amount, source=source, reference=reference, **by)


def hold(
    *,
    account_id: int,
    amount: int,
    idempotency_key: str,
    reference: str,
    expires_at: datetime,
    now: datetime,
    key: ApiKey | None = None,
    request_id: str = "",
    locked: Account | None = None,
    row: Model | None = None,
) -> Hold:
    """Set `amount` units aside until they are captured, released or `expires_at` has passed.

    `key` is the API key the work was asked with; its monthly budget counts. The same request again returns the
    first hold, whatever became of it. Raises InsufficientFunds, BudgetExceeded or IdempotencyConflict.
    `locked`: the account as `lock` gave it. `row`: the caller's new row; where it has no id then, it is not written.
    """
    request = _request(Kind.HOLD, idempotency_key, now, request_id, money.units(amount), reference)
    terms: dict[str, Any] = {"key": key, "amount": amount, "remaining": amount, "reference": reference}
    terms |= {"created_at": now, "expires_at": expires_at}
    try:
        with transaction.atomic():
            return _hold(locked or lock_account(account_id), request, row, Hold(**terms))
    except (IntegrityError, InsufficientFunds):  # perhaps of a request that was made before: its key says so
        with transaction.atomic():
            account = lock_account(account_id)
            if (entry := _find_same(account_id, request)) and entry.hold:
                return entry.hold
            return _hold(account, request, row, Hold(**terms))


def capture(
    *,
    hold_id: int,
    now: datetime,
    amount: int | None = None,
    idempotency_key: str = "",
    reference: str = "",
    request_id: str = "",
    locked: Hold | None = None,
) -> LedgerEntry:
    """Spend what a hold set aside: all that remains, or `amount` units of it (then with a key of its own).

    A hold past its expiry can still be captured as long as the sweep has not given it back: the money is there.
    The same request again returns the first entry. Raises HoldEnded when the hold has less left.
    `locked`: the hold, where the caller has locked first its account and then it.
    """
    request = _request(Kind.CAPTURE, idempotency_key or f"hold:{hold_id}:capture", now, request_id, hold_id, amount)
    with transaction.atomic():
        held = locked or lock_hold(hold_id)
        entry, part = _settle_part(held, request, amount)
        if entry:
            return entry
        charged = 0 if held.is_free else part
        by: dict[str, Any] = {"reference": reference or held.reference, "hold": held}
        return _write(held.account, request, charged, held=-charged, spent=charged, **by)


def release(
    *,
    hold_id: int,
    now: datetime,
    reason: str,
    amount: int | None = None,
    idempotency_key: str = "",
    request_id: str = "",
    locked: Hold | None = None,
) -> LedgerEntry:
    """Give back what a hold set aside: all that remains, or `amount` units of it (then with a key of its own).

    `reason` says why ("not_found", "source_unavailable", "expired"). The same request again returns the first
    entry. Raises HoldEnded when the hold was captured. `locked`: see `capture`.
    """
    request = _request(Kind.RELEASE, idempotency_key or f"hold:{hold_id}:release", now, request_id, hold_id, amount)
    with transaction.atomic():
        held = locked or lock_hold(hold_id)
        entry, part = _settle_part(held, request, amount, reason=reason)
        if entry:
            return entry
        charged = 0 if held.is_free else part
        budgets.give_back(account=held.account, key_id=held.key_id, amount=charged, taken_at=held.created_at)
        by: dict[str, Any] = {"reference": held.reference, "reason": reason, "hold": held}
        return _write(held.account, request, charged, available=charged, held=-charged, **by)


def charge(
    *,
    account_id: int,
    amount: int,
    idempotency_key: str,
    reference: str,
    now: datetime,
    key: ApiKey | None = None,
    request_id: str = "",
) -> LedgerEntry:
    """Spend `amount` units at once. Raises InsufficientFunds, BudgetExceeded or IdempotencyConflict."""
    request = _request(Kind.CHARGE, idempotency_key, now, request_id, money.units(amount), reference)
    with transaction.atomic():
        account = lock_account(account_id)
        if entry := _find_same(account_id, request):
            return entry
        charged = _take(account, amount, key, now)
        return _write(account, request, charged, available=-charged, spent=charged, reference=reference, key=key)


def refund(
    *,
    entry_id: int,
    idempotency_key: str,
    reason: str,
    now: datetime,
    amount: int | None = None,
    operator: str = "",
    note: str = "",
) -> LedgerEntry:
    """Make spent credit available again: all that is left of a capture or charge, or `amount` units of it.

    Raises RefundTooLarge when more would be given back than was charged, ValueError for an entry of another kind.
    """
    charged = LedgerEntry.objects.get(pk=entry_id)
    if charged.kind not in (Kind.CAPTURE, Kind.CHARGE):
        raise ValueError(f"Only a capture or a charge can be refunded, not a {charged.kind}.")
    request = _request(Kind.REFUND, idempotency_key, now, "", entry_id, amount)
    with transaction.atomic():
        account = lock_account(charged.account_id)
        if entry := _find_same(account.pk, request):
            return entry
        refundable = get_refundable(charged)
        part = refundable if amount is None else money.units(amount)
        if part > refundable or part == 0:
            raise RefundTooLarge(refundable=refundable)
        by: dict[str, Any] = {"operator": operator, "reason": reason, "note": note, "reference": charged.reference}
        return _write(account, request, part, available=part, spent=-part, refunds=charged, **by)


def adjust(
    *,
    account_id: int,
    amount: int,
    idempotency_key: str,
    operator: str,
    reason: str,
    now: datetime,
    note: str = "",
    reference: str = "",
) -> LedgerEntry:
    """Correct what is available by `amount` units, up or down (negative); the operator answers for it.

    Raises InsufficientFunds when less is available than is to be taken.
    """
    size = money.units(abs(amount))
    if not (size and operator and reason):
        raise ValueError("An adjustment needs an amount, an operator and a reason.")
    request = _request(Kind.ADJUST, idempotency_key, now, "", amount, reason, reference)
    with transaction.atomic():
        account = lock_account(account_id)
        if entry := _find_same(account_id, request):
            return entry
        if amount < 0 and account.available < size:
            raise InsufficientFunds(available=max(0, account.available), needed=size)
        by: dict[str, Any] = {"operator": operator, "reason": reason, "note": note, "reference": reference}
        return _write(account, request, amount, available=amount, **by)


def reverse(
    *,
    account_id: int,
    amount: int,
    idempotency_key: str,
    source: str,
    reason: str,
    reference: str,
    now: datetime,
    note: str = "",
    operator: str = "",
) -> LedgerEntry:
    """Take what a payer took back from us out of what is available (negative), or put it back (positive).

    It is taken whole, spent or not: what is not there is owed, and what is released or paid in goes there first.
    """
    if not money.units(abs(amount)):
        raise ValueError("A reversal of nothing is a mistake.")
    request = _request(Kind.REVERSAL, idempotency_key, now, "", amount, source, reference)
    with transaction.atomic():
        account = lock_account(account_id)
        if entry := _find_same(account_id, request):
            return entry
        by: dict[str, Any] = {
            "source": source,
            "operator": operator,
            "reason": reason,
            "note": note,
            "reference": reference,
        }
        return _write(account, request, amount, available=amount, **by)


def get_refundable(charged: LedgerEntry) -> int:
    """Return the units of a capture or charge that were not given back yet."""
    return charged.amount - charged.sum_given_back()


def expire_holds(*, now: datetime, limit: int = 1000) -> int:
    """Give back up to `limit` holds whose time is over; return how many. One short transaction each."""
    due = Hold.objects.filter(state=Hold.State.OPEN, expires_at__lte=now).order_by("expires_at")
    ended = 0
    for hold_id in list(due.values_list("pk", flat=True)[:limit]):
        try:
            # Durable: within a larger transaction the locks of many accounts would pile up and could deadlock.
            with transaction.atomic(durable=True):
                release(hold_id=hold_id, now=now, reason="expired")
            ended += 1
        except HoldEnded:
            continue  # captured while we were on the way: the work was done in time after all
    return ended


def _hold(account: Account, request: _Request, row: Model | None, made: Hold) -> Hold:
    """Write a new hold of a locked account, with the caller's row for it."""
    charged = _take(account, made.amount, made.key, request.now)
    made.account, made.is_free, made.created_at = account, account.is_internal, _date(account, request.now)
    _write(account, request, charged, available=-charged, held=charged, reference=made.reference, hold=made, row=row)
    return made


def _request(kind: str, idempotency_key: str, now: datetime, request_id: str, *parts: object) -> _Request:
    if not idempotency_key:
        raise ValueError("Every movement of money needs an idempotency key.")
    fingerprint = hashlib.sha256("\x1f".join(map(str, (kind, *parts))).encode()).hexdigest()
    return _Request(kind, idempotency_key, fingerprint, now, request_id)


def _find_same(account_id: int, request: _Request) -> LedgerEntry | None:
    """Return the entry of an earlier, equal request; refuse a different one under the same key."""
    entry = _BY_KEY.first(account=account_id, idempotency_key=request.key)
    if entry is not None and entry.fingerprint != request.fingerprint:
        raise IdempotencyConflict(f"The idempotency key of entry {entry.pk} was used for another request.")
    return entry


def _take(account: Account, amount: int, key: ApiKey | None, now: datetime) -> int:
    """Check credit and budgets for `amount` units; return what to charge: nothing for an internal account."""
    if account.is_internal:
        return 0
    if account.available < amount:
        raise InsufficientFunds(available=max(0, account.available), needed=amount)
    left = budgets.take(account=account, key=key, amount=amount, now=_date(account, now))
    if left is not None:
        raise BudgetExceeded(available=left, needed=amount)
    return amount


def _settle_part(held: Hold, request: _Request, amount: int | None, reason: str = "") -> tuple[LedgerEntry | None, int]:
    """Take `amount` units (None: all) out of a locked hold; return an equal earlier entry, or None and the units.

    The hold is changed as an object; it is written together with the entry.
    """
    if amount is not None and request.key.endswith((":capture", ":release")):
        raise ValueError("A part of a hold needs an idempotency key of its own.")
    # An open hold whose whole is settled was never settled whole: the look-up is saved on the hot path.
    if amount is not None or held.state != Hold.State.OPEN:
        entry = _find_same(held.account_id, request)
        if entry:
            return entry, 0
    part = held.remaining if amount is None else money.units(amount)
    if held.state != Hold.State.OPEN or part > held.remaining:
        raise HoldEnded(state=held.state, remaining=held.remaining)
    untouched = held.remaining == held.amount
    held.remaining -= part
    if held.remaining == 0:
        held.state = _end_state(held, request.kind, reason, untouched=untouched)
        held.ended_at = request.now
    return None, part


def _end_state(held: Hold, kind: str, reason: str, *, untouched: bool) -> str:
    """Return what a hold became: captured as soon as any part of it was."""
    if kind == Kind.CAPTURE or (not untouched and held.entries.filter(kind=Kind.CAPTURE).exists()):
        return Hold.State.CAPTURED
    return Hold.State.EXPIRED if reason == "expired" else Hold.State.RELEASED


def _date(account: Account, now: datetime) -> datetime:
    """Of a locked account's next entry: the lock decides their order; the caller's clock was read before it."""
    return max(now, account.last_entry_at or now)


def _write(
    account: Account,
    request: _Request,
    amount: int,
    *,
    available: int = 0,
    held: int = 0,
    spent: int = 0,
    hold: Hold | None = None,
    row: Model | None = None,
    **details: object,
) -> LedgerEntry:
    """Write one entry, the sums it leaves behind and its hold; the account's row is locked by the caller."""
    if hold is not None:
        details["key_id"] = hold.key_id
    account.available += available
    account.held += held
    account.spent += spent
    account.deposited += available + held + spent
    account.last_entry_at = _date(account, request.now)
    entry = LedgerEntry(
        account=account,
        kind=request.kind,
        amount=amount,
        idempotency_key=request.key,
        fingerprint=request.fingerprint,
        request_id=request.request_id,
        created_at=account.last_entry_at,
        available_change=available,
        held_change=held,
        spent_change=spent,
        available_after=account.available,
        held_after=account.held,
        spent_after=account.spent,
        **details,
    )
    posting.post(account=account, entry=entry, hold=hold, row=row)
    return entry
