"""Writes the audit log: what people did in the admin and with keys, in one chain, in the transaction that did it.

Who is doing it is known at the edge: whatever serves a request says so with `acting`, and nobody else has to hand it
on. Without it the service itself is at work: a command, the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import NamedTuple

from django.db import models, transaction

from billing import posting
from billing.models import AuditEvent, AuditHead

Kind = AuditEvent.Kind


class Actor(NamedTuple):
    """Who did it, from which address, in which request."""

    name: str
    address: str = ""
    request_id: str = ""


SERVICE = Actor("service")
_find_actor: ContextVar[Callable[[], Actor]] = ContextVar("audit_actor", default=lambda: SERVICE)


@contextmanager
def acting(find: Callable[[], Actor]) -> Iterator[None]:
    """What is recorded meanwhile was done by whom `find` names; asked only when something is recorded."""
    token = _find_actor.set(find)
    try:
        yield
    finally:
        _find_actor.reset(token)


def record(
    kind: AuditEvent.Kind,
    *,
    now: datetime,
    subject: models.Model | str = "",
    detail: str = "",
    actor: Actor | None = None,
) -> AuditEvent:
    """Append one event; `detail` is a sentence and never holds a secret.

    The chain's lock is held to the end of the transaction: record last.
    """
    who = actor or _find_actor.get()()
    event = AuditEvent(
        at=now,
        kind=kind,
        actor=_fitting(who.name, "actor"),
        address=_fitting(who.address, "address"),
        subject=_fitting(name_of(subject), "subject"),
        detail=_fitting(detail, "detail"),
        request_id=_fitting(who.request_id, "request_id"),
    )
    with transaction.atomic():
        head, _ = AuditHead.objects.select_for_update().get_or_create(pk=1)
        event.previous_hash = head.hash
        posting.append(event)
        head.hash = event.hash
        head.save(update_fields=["hash"])
    return event


def name_of(subject: models.Model | str) -> str:
    """An object as the log names it: table and number, for names of people and companies may have to be forgotten."""
    return subject if isinstance(subject, str) else f"{subject._meta.label_lower} {subject.pk}"


def _fitting(text: str, column: str) -> str:
    field = AuditEvent._meta.get_field(column)
    return text.replace("\x00", "")[: getattr(field, "max_length", None)]
