"""The life of a message that customers are sent: whose turn it is, claimed by one worker, noted, tried again, given up.

Every change of status is one conditional update. A worker that dies between sending and noting leaves a lease that runs
out, and the message is sent again under the same name: at least once, never not at all.
"""

from __future__ import annotations

import random
import threading
import uuid
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, F, Min, Q, QuerySet

from billing import limits, locks
from lookups.jobs import lifecycle
from lookups.models import Delivery, DeliveryAttempt
from lookups.models.places import Place, is_after
from lookups.notifications import outbox

Channel, Status = Delivery.Channel, Delivery.Status

# What lies between two tries, in seconds; after the last one it is given up. Webhooks: three days in all. Mail: one.
_MINUTE, _HOUR = 60, 3600
PAUSES = {
    Channel.WEBHOOK: (
        5,
        5 * _MINUTE,
        30 * _MINUTE,
        2 * _HOUR,
        5 * _HOUR,
        10 * _HOUR,
        14 * _HOUR,
        20 * _HOUR,
        20 * _HOUR,
    ),
    Channel.EMAIL: (_MINUTE, 10 * _MINUTE, _HOUR, 4 * _HOUR, 8 * _HOUR, 11 * _HOUR),
}
JITTER = 0.1  # of a pause: an hour's messages to a server that was down do not all come back in the same second
LONGEST_ASKED = 6 * _HOUR  # a receiver's Retry-After is honoured up to here
LEASE = {Channel.WEBHOOK: timedelta(seconds=30), Channel.EMAIL: timedelta(minutes=10)}
AT_ONCE = 2  # of one account: a receiver that hangs keeps so many threads from the others, and no more
MAILS_AT_ONCE = 2  # a mail server that hangs keeps the webhooks waiting as little
LOOKED_AT = 200  # of the oldest that are due: whose account has its two on their way is not among them
GONE = 410
MOST_REPEATED = 10  # in a minute, as their customer asks
_choosing = threading.Lock()


class TooOften(Exception):
    """The customer has had enough messages sent again in this minute; the next after `retry_after` seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"At most {MOST_REPEATED} messages are sent again in a minute")
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Answer:
    """How one try went; `error` is empty exactly when it arrived. `for_good`: another try makes no sense."""

    status: int | None
    error: str
    duration_ms: int
    excerpt: str = ""
    retry_after: float | None = None
    for_good: bool = False


def take_next(*, now: datetime) -> Delivery | None:
    """Claim the message whose turn it is; None when none is.

    One thread of a process after the other: together they would all see an account that has nothing on its way.
    """
    with _choosing:
        while found := find_next(now=now):
            delivery = claim(found, now=now)
            if delivery is not None:
                return delivery
    return None


def find_next(*, now: datetime) -> uuid.UUID | None:
    """The message to send next: of the account with the fewest on their way, new ones before repeated ones."""
    running: Counter[int] = Counter()
    mails = 0
    for account, channel in Delivery.objects.on_their_way(now).order_by().values_list("account", "channel"):
        running[account] += 1
        mails += channel == Channel.EMAIL
    due = Delivery.objects.due(now).exclude(account__in=[one for one in running if running[one] >= AT_ONCE])
    if mails >= MAILS_AT_ONCE:
        due = due.exclude(channel=Channel.EMAIL)
    for tries in (Q(attempts=0), Q(attempts__gt=0)):
        oldest = due.filter(tries).order_by("next_at").values_list("account", "pk")[:LOOKED_AT]
        turn = min(oldest, key=lambda one: running[one[0]], default=None)
        if turn is not None:
            return turn[1]
    return None


def count_due(*, now: datetime) -> int:
    """How many messages could be sent now."""
    return Delivery.objects.due(now).count()


def claim(delivery_id: uuid.UUID, *, now: datetime) -> Delivery | None:
    """Take a message whose time has come, or whose worker was lost; None when somebody else has it."""
    channel = Delivery.objects.filter(pk=delivery_id).values_list("channel", flat=True).first()
    if channel is None:
        return None
    lease_until = now + LEASE[Channel(channel)]
    taken = (
        Delivery.objects.due(now)
        .filter(pk=delivery_id)
        .update(claim=uuid.uuid4(), lease_until=lease_until, attempts=F("attempts") + 1)
    )
    return (
        Delivery.objects.select_related("account", "job", "bulk__hold", "watch_event__watch").get(pk=delivery_id)
        if taken
        else None
    )


def note(delivery: Delivery, answer: Answer, *, now: datetime) -> bool:
    """Write down how a try went and what follows from it; False when another worker has taken the message over."""
    with transaction.atomic():
        _log(delivery, answer, now=now)
        mine = Delivery.objects.claimed_like(delivery)
        common = {"claim": None, "lease_until": None, "last_answer": _word(answer), "address": delivery.address}
        if not answer.error:
            return bool(mine.update(status=Status.DELIVERED, next_at=None, delivered_at=now, **common))
        pause = find_pause(delivery, answer)
        if pause is None:
            return bool(mine.update(status=Status.GIVEN_UP, next_at=None, **common))
        return bool(mine.update(next_at=now + pause, **common))


def find_pause(delivery: Delivery, answer: Answer) -> timedelta | None:
    """How long to wait after a try that failed; None when it was the last one."""
    pauses = PAUSES[Channel(delivery.channel)]
    if answer.for_good or delivery.attempts > len(pauses):
        return None
    seconds = pauses[delivery.attempts - 1] * (1 + JITTER * random.random())  # noqa: S311 - jitter, no secret
    return timedelta(seconds=max(seconds, min(answer.retry_after or 0, LONGEST_ASKED)))


def send_again(delivery: Delivery, *, now: datetime) -> bool:
    """Send a message once more, at once and under the same name, whatever became of it; False while it is sent."""
    with transaction.atomic():
        idle = Delivery.objects.idle(now).filter(pk=delivery.pk)
        fresh = {"attempts": 0, "next_at": now, "claim": None, "lease_until": None, "delivered_at": None}
        if not idle.update(status=Status.PENDING, **fresh):
            return False
        transaction.on_commit(outbox.wake)
    return True


def repeat(delivery: Delivery, *, now: datetime) -> bool:
    """Send a message once more because its customer asks for it; False while it is sent, and for a test.

    Raises TooOften: they are counted for the account, for whoever stands behind the address did not ask for a flood.
    """
    rate = limits.count(subject=f"hook-again:{delivery.account_id}", limit=MOST_REPEATED, now=now)
    if not rate.allowed:
        raise TooOften(rate.retry_after)
    return delivery.event != Delivery.Event.TEST and send_again(delivery, now=now)


def keep_test(
    *, account_id: int, livemode: bool, message_id: str, address: str, body: bytes, answer: Answer, now: datetime
) -> None:
    """Write a test that somebody watched into the log: it has ended, arrived or not, and is not tried again."""
    arrived_at = None if answer.error else now
    with transaction.atomic():
        row = Delivery.objects.create(
            id=uuid.UUID(message_id.removeprefix("msg_")),
            account_id=account_id,
            livemode=livemode,
            channel=Channel.WEBHOOK,
            event=Delivery.Event.TEST,
            address=address,
            body=body.decode(),
            attempts=1,
            last_answer=_word(answer),
            status=Status.DELIVERED if arrived_at else Status.GIVEN_UP,
            created_at=now,
            delivered_at=arrived_at,
        )
        _log(row, answer, now=now)


def prune(*, now: datetime) -> int:
    """Forget what is seven days old, with its log; messages of single jobs go with those. Returns how many."""
    old = Delivery.objects.filter(job__isnull=True, created_at__lte=now - lifecycle.KEPT_FOR)
    with transaction.atomic():
        locks.lock_rows(old)
        number = old.count()
        old.delete()
    return number


def list_own(
    *, account_id: int, livemode: bool, status: str | None = None, after: Place | None = None
) -> QuerySet[Delivery]:
    """The messages of an account in one mode, the newest first: from the one `after` on, all or those of a status."""
    own = Delivery.objects.filter(account_id=account_id, livemode=livemode).order_by("-created_at", "-id")
    if status is not None:
        own = own.filter(status=status)
    if after is not None:
        own = own.filter(is_after(after))
    return own.defer("body")


def find_own(message_id: str, *, account_id: int, livemode: bool) -> Delivery | None:
    """The message of that name, with its body; None where it is not this account's, of this mode."""
    name = lifecycle.read_id(message_id, "msg")
    return Delivery.objects.filter(account_id=account_id, livemode=livemode, pk=name).first() if name else None


def list_gauges(*, now: datetime) -> dict[str, tuple[str, int]]:
    """What a monitoring system watches: name -> what it counts, and its value now."""
    waiting = Delivery.objects.pending().aggregate(number=Count("pk"), oldest=Min("created_at"))
    oldest = waiting["oldest"]
    age = int((now - oldest).total_seconds()) if oldest else 0
    return {
        "deliveries_pending": ("Webhooks and mails that have not arrived yet.", waiting["number"]),
        "deliveries_oldest_pending_seconds": ("How long the oldest of them has been waiting.", age),
    }


def _log(delivery: Delivery, answer: Answer, *, now: datetime) -> None:
    DeliveryAttempt.objects.create(
        delivery=delivery,
        at=now,
        status_code=answer.status,
        error=answer.error[:300],
        duration_ms=answer.duration_ms,
        excerpt=answer.excerpt[:500],
    )


def _word(answer: Answer) -> str:
    return (answer.error or f"answered {answer.status}")[:300]
