"""Credit that staff give: each person up to a ceiling, two persons what is above it, and nobody above a maximum.

The ceiling is over 24 hours, so that a large grant is not made of many small ones.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Sum

from billing import ledger, money
from billing.ledger_errors import IdempotencyConflict, LedgerError
from billing.models import LedgerEntry, OutageRefund, WaitingGrant
from billing.models.entries import APPROVED_BY

WORDS = {"grant": "A grant of", "adjust": "An adjustment by"}
COUNTED_OVER = timedelta(hours=24)
_UPWARDS = (LedgerEntry.Kind.DEPOSIT, LedgerEntry.Kind.ADJUST)


class GrantRefused(LedgerError):
    """It cannot be given, or decided, like this; nothing was written."""


def give(
    *, account_id: int, kind: str, amount: int, token: str, operator: str, reason: str, note: str, now: datetime
) -> LedgerEntry | WaitingGrant:
    """Grant credit ("grant") or correct it ("adjust", also downwards); or have it wait for a second person.

    The same `token` again is the same act. Raises GrantRefused above the maximum, LedgerError.
    """
    refuse_above_maximum(amount)
    grant = WaitingGrant(
        account_id=account_id,
        kind=WaitingGrant.Kind(kind),
        amount=amount,
        token=token,
        asked_by=operator,
        asked_at=now,
        reason=reason,
        note=note,
    )
    with transaction.atomic():
        lock_operator(operator)  # two grants of one person at once are counted one after the other
        earlier = WaitingGrant.objects.filter(token=token).first()
        if earlier is not None:
            if (earlier.account_id, earlier.kind, earlier.amount) != (account_id, kind, amount):
                raise IdempotencyConflict("This form was confirmed before, with something else in it.")
            return earlier
        done = LedgerEntry.objects.filter(account_id=account_id, idempotency_key=token).exists()
        if done or may_give_alone(operator=operator, amount=amount, now=now):
            return _book(grant, token=token, now=now)
        grant.save(force_insert=True)
    return grant


def refuse_above_maximum(amount: int) -> None:
    """Raise GrantRefused for more than even two persons give."""
    if amount > money.from_dollars(settings.GRANT_MAXIMUM):
        raise GrantRefused(f"At most {settings.GRANT_MAXIMUM} USD are given at once (GRANT_MAXIMUM).")


def may_give_alone(*, operator: str, amount: int, now: datetime) -> bool:
    """Whether this person may give so much more, after what they gave alone in the last 24 hours.

    Refunds of outages count: what many accounts get at once is as large a gift as what one gets.
    """
    since = now - COUNTED_OVER
    alone = LedgerEntry.objects.filter(operator=operator, kind__in=_UPWARDS, amount__gt=0, waited__isnull=True)
    given = alone.filter(created_at__gt=since).aggregate(total=Sum("amount"))["total"] or 0
    outages = OutageRefund.objects.filter(asked_by=operator, decided_by="", asked_at__gt=since).exclude(
        state=OutageRefund.State.WAITING
    )
    given += outages.aggregate(total=Sum("amount"))["total"] or 0
    return amount <= 0 or given + amount <= money.from_dollars(settings.GRANT_CEILING)


def approve(*, grant_id: int, operator: str, now: datetime) -> WaitingGrant:
    """Give it, as the second person; approved before, it stays as it is. Raises GrantRefused, LedgerError."""
    with transaction.atomic():
        grant = _decide(grant_id, WaitingGrant.State.APPROVED, operator, now)
        if grant.entry_id is None:
            check_second(operator, asked_by=grant.asked_by, asked_at=grant.asked_at)
            grant.entry = _book(grant, token=f"grant:{grant.pk}", now=now)
            grant.save()
    return grant


def check_second(operator: str, *, asked_by: str, asked_at: datetime) -> None:
    """Raise GrantRefused where whoever wants to approve is the one who asked, or may well be.

    A new password, a role or a whole user that the one who asked has given them since the day before is no second
    person's; by the day after, colleagues can have seen it in the audit log.
    """
    if asked_by == operator:
        raise GrantRefused("Somebody else has to approve it: you asked for it.")
    users = get_user_model()
    changes = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(users),
        object_id__in=[str(user.pk) for user in users.objects.filter(**{users.USERNAME_FIELD: operator})],
        action_time__gt=asked_at - COUNTED_OVER,
    )
    if changes.filter(**{f"user__{users.USERNAME_FIELD}": asked_by}).exists():
        why = f"{asked_by} has made or changed your user since the day before they asked"
        raise GrantRefused(f"Somebody else has to approve it: {why}.")


def reject(*, grant_id: int, operator: str, now: datetime) -> WaitingGrant:
    """Give nothing; whoever asked may take it back by this too. Raises GrantRefused when it was approved."""
    with transaction.atomic():
        grant = _decide(grant_id, WaitingGrant.State.REJECTED, operator, now)
        grant.save()
    return grant


def count_waiting() -> int:
    """How many grants, and refunds of outages, wait for a second person."""
    return WaitingGrant.objects.waiting().count() + OutageRefund.objects.waiting().count()


def _decide(grant_id: int, state: WaitingGrant.State, operator: str, now: datetime) -> WaitingGrant:
    """The locked grant as it is decided, not written yet; as it was, where that was decided before."""
    grant = WaitingGrant.objects.select_for_update().get(pk=grant_id)
    if grant.state == state:
        return grant
    if grant.state != WaitingGrant.State.WAITING:
        raise GrantRefused(f"It was {grant.state} by {grant.decided_by}.")
    grant.state, grant.decided_by, grant.decided_at = state, operator, now
    return grant


def _book(grant: WaitingGrant, *, token: str, now: datetime) -> LedgerEntry:
    """Write the entry: in the name of whoever asked, with that of whoever approved."""
    reference = f"{APPROVED_BY}{grant.decided_by}" if grant.decided_by else ""
    how: dict[str, Any] = {
        "account_id": grant.account_id,
        "amount": grant.amount,
        "idempotency_key": token,
        "operator": grant.asked_by,
        "reason": grant.reason,
        "note": grant.note,
        "reference": reference,
        "now": now,
    }
    if grant.kind == WaitingGrant.Kind.ADJUST:
        return ledger.adjust(**how)
    return ledger.deposit(**how, source="staff")


def lock_operator(name: str) -> None:
    """Have what one person gives counted one after the other, until the caller's transaction ends."""
    users = get_user_model().objects.select_for_update(no_key=True)
    users.filter(**{get_user_model().USERNAME_FIELD: name}).first()
