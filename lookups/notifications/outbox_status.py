"""How the messages to customers stand: what waits to be sent, since when, and what did not arrive."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, Q

from lookups.models import Delivery
from lookups.models.deliveries import is_due

OVER = timedelta(hours=24)


@dataclass(slots=True)
class Outgoing:
    """The messages of one channel. `waiting` counts also what is tried again later, `due` what could be sent now.

    `due_since` is when the longest due one could have been sent; `arrived` and `given_up` are of what was written in
    the last 24 hours.
    """

    channel: str
    label: str
    waiting: int = 0
    due: int = 0
    retried: int = 0
    due_since: datetime | None = None
    arrived: int = 0
    given_up: int = 0


def read(*, now: datetime) -> list[Outgoing]:
    """Webhooks and e-mails, in two queries."""
    lines = {channel.value: Outgoing(channel.value, channel.label) for channel in Delivery.Channel}
    due = is_due(now)  # not what a worker has under a lease that has not run out
    for row in (
        Delivery.objects.pending()
        .order_by()
        .values("channel")
        .annotate(
            waiting=Count("pk"),
            due=Count("pk", filter=due),
            since=Min("next_at", filter=due),
            retried=Count("pk", filter=Q(attempts__gt=0)),
        )
    ):
        line = lines[row["channel"]]
        line.waiting, line.due, line.due_since, line.retried = row["waiting"], row["due"], row["since"], row["retried"]
    ended = Delivery.objects.filter(created_at__gt=now - OVER).order_by().values("channel")
    for counted in ended.annotate(
        arrived=Count("pk", filter=Q(status=Delivery.Status.DELIVERED)),
        given_up=Count("pk", filter=Q(status=Delivery.Status.GIVEN_UP)),
    ):
        line = lines[counted["channel"]]
        line.arrived, line.given_up = counted["arrived"], counted["given_up"]
    return list(lines.values())
