"""What a watch tells: an event for everybody who reads them in order, and a message to the address that was named.

Both are written in the transaction that ends the check, under the lock of the account: an event has its number when it
can be seen, and what was told is not told again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from lookups.models import Delivery, Watch, WatchCheck, WatchEvent
from lookups.notifications import outbox, webhook_events
from lookups.watches import bodies, taxonomy
from lookups.watches.comparing import Finding
from lookups.watches.taxonomy import Notice


def tell(watch: Watch, check: WatchCheck, findings: Iterable[Finding], *, now: datetime) -> None:
    """Write an event for each finding of a check, and its message; joins the caller's transaction."""
    for one in findings:
        changes = [{"path": change.path, "before": change.before, "after": change.after} for change in one.changes]
        seen = {"changes": changes, "before_id": one.before, "after_id": one.after, "watch_check": check}
        _write(watch, one.code, now=now, **seen)


def notice(
    watch: Watch,
    what: Notice,
    *,
    now: datetime,
    check: WatchCheck | None = None,
    before: int | None = None,
    reason: str = "",
) -> WatchEvent:
    """Write what a watch tells of itself, and its message. `before`: the last reading. Joins the transaction."""
    after = check.lookup_id if check is not None else None
    return _write(watch, what.value, now=now, watch_check=check, before_id=before, after_id=after, reason=reason)


def _write(watch: Watch, code: str, *, now: datetime, **more: Any) -> WatchEvent:
    assert transaction.get_connection().in_atomic_block, "An event is written with what it tells of."
    known = taxonomy.get(code)
    own = WatchEvent.objects.filter(account_id=watch.account_id, sandbox=watch.sandbox)
    event = WatchEvent.objects.create(
        account_id=watch.account_id,
        watch=watch,
        sandbox=watch.sandbox,
        number=(own.aggregate(last=Max("number"))["last"] or 0) + 1,
        category=known.category.value,
        code=code,
        severity=known.severity.value,
        created_at=now,
        **more,
    )
    _send(watch, event)
    return event


def _send(watch: Watch, event: WatchEvent) -> None:
    """Its webhook, to the watch's own address or the account's; none where neither is known."""
    address = watch.webhook_url or watch.account.webhook_address(livemode=watch.livemode)
    if not address:
        return
    row = Delivery(
        account_id=watch.account_id,
        watch_event=event,
        livemode=watch.livemode,
        channel=Delivery.Channel.WEBHOOK,
        event=taxonomy.of_wire(event.code),
        address=address,
        next_at=event.created_at,
        created_at=event.created_at,
    )
    row.body = webhook_events.write_for(row, bodies.of_event(event))
    outbox.write(row)
