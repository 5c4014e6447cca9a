"""The daily mail of what was seen at watched companies: one for all watches of an account that ask for it.

Nothing a registry or a customer wrote gets into a header; what stands in the text was written by us or by a registry.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from billing import locks
from billing.models import Account
from lookups.models import Delivery, WatchEvent
from lookups.notifications import outbox
from lookups.notifications.result_mail import FICTIONAL
from lookups.watches import bodies

AT = time(6)  # UTC: it is there when people in America begin to work
OLDEST = timedelta(days=7)  # what was seen before is no news to who asks for mails only now
MOST = 500  # events in one mail; the rest is counted, and to be had at /v1/events


def write_due(*, now: datetime) -> int:
    """Write the mails for what was seen in the week before this morning's hour, each event once; returns how many."""
    until = datetime.combine(now.date(), AT, tzinfo=now.tzinfo)
    until = until if until <= now else until - timedelta(days=1)
    whose = _list_waiting(until).order_by().values_list("account", "sandbox").distinct()
    return sum(_write(account, sandbox, until, now=now) for account, sandbox in list(whose))


def make(delivery: Delivery) -> EmailMessage:
    """The mail for `delivery`, to its address."""
    events = list(list_mailed(delivery))
    number = f"{len(events)} event{'' if len(events) == 1 else 's'}"
    return EmailMessage(
        subject=f"Watched companies: {number}",
        body=_text(events[:MOST], len(events), livemode=delivery.livemode),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[delivery.address],
        headers={
            "Message-ID": f"<{delivery.message_id}@{urlsplit(settings.PUBLIC_URL).hostname}>",
            "Auto-Submitted": "auto-generated",
        },
    )


def list_mailed(delivery: Delivery) -> list[WatchEvent]:
    """What a mail tells, in the order it was seen."""
    return list(delivery.mailed_events.select_related("watch", "before__version", "after__version").order_by("number"))


def _list_waiting(until: datetime) -> QuerySet[WatchEvent]:
    """What was seen in the week before, and is to be mailed."""
    seen = {"created_at__gte": until - OLDEST, "created_at__lt": until}
    return WatchEvent.objects.filter(mailed_at__isnull=True, watch__email_digest=True, **seen)


def _write(account_id: int, sandbox: bool, until: datetime, *, now: datetime) -> int:
    with transaction.atomic():
        locks.lock_account(account_id)  # no event of theirs is written meanwhile, and nobody else writes this mail
        account = Account.objects.get(pk=account_id)
        waiting = _list_waiting(until).filter(account=account, sandbox=sandbox)
        if not waiting.exists():
            return 0
        mail = Delivery(
            account=account,
            livemode=not sandbox,
            channel=Delivery.Channel.EMAIL,
            event=Delivery.Event.WATCH_DIGEST,
            address=account.email,
            next_at=now,
            created_at=now,
        )
        outbox.write(mail)
        waiting.update(mailed_at=now, mail=mail)
    return 1


def _text(events: list[WatchEvent], number: int, *, livemode: bool) -> str:
    lines = ["What was seen at the companies that you watch, in the order it was seen:", ""]
    if not livemode:
        lines = [FICTIONAL, "", *lines]
    for event in events:
        told = bodies.of_event(event)
        company = _plain(f"{told.state} {told.entityName or told.entityId} ({told.entityId or 'no number yet'})")
        lines += [f"{told.createdAt}  {company}", f"  {told.code} ({told.severity}): {told.meaning}"]
        for change in told.changes:
            values = (
                "left out at a person's request"
                if change.withheld
                else f"{_value(change.before)} -> {_value(change.after)}"
            )
            lines.append(f"  {_plain(change.path)}: {values}")
        if told.reason:
            lines.append(f"  reason: {told.reason}")
        lines.append("")
    if number > len(events):
        lines += [f"… and {number - len(events)} more.", ""]
    lines += [
        "All of them, with the evidence of both readings:",
        "",
        f"  {settings.PUBLIC_URL}{reverse('workspace:events')}",
        f'  curl -H "x-api-key: $KEY" {settings.PUBLIC_URL}/v1/events',
        "",
        "You get this mail because a watch of your account asks for it (email_digest).",
        "",
    ]
    return "\n".join(lines)


def _value(value: object) -> str:
    if isinstance(value, dict):
        return _plain(", ".join(str(one) for one in value.values() if isinstance(one, str) and one)) or "(nothing)"
    return "(nothing)" if value in (None, "") else _plain(str(value))


def _plain(text: str) -> str:
    return " ".join(text.split())[:300]
