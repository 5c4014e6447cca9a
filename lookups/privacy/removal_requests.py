"""Requests of people to leave something out or put it right: taken in by a form, answered in the admin in time."""

from __future__ import annotations

import json
import re
import uuid
from datetime import datetime, timedelta

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.utils.crypto import salted_hmac

from jurisdictions.codes import find_by_slug
from lookups import selectors
from lookups.models import Entity, RemovalRequest

DUE_AFTER = timedelta(days=30)  # the shorter of two: European law gives a month, Californian law 45 days
KEPT_FOR = timedelta(days=3 * 365)  # after its answer: as long as somebody may ask what was done, and why
_PAGE = re.compile(r"/entity/([-\w]{1,60})/([-\w]{1,240})/?")


class AlreadyAnswered(Exception):
    """A request is answered once."""


def receive(*, kind: str, about: str, name: str, email: str, text: str, now: datetime) -> RemovalRequest:
    """Keep what somebody asks, with the company it is about where the address of a page names it.

    The same again, before it is answered, is that one: who sends a form twice waits for one answer.
    """
    same = RemovalRequest.objects.filter(kind=kind, about=about, name=name, email=email, text=text)
    if known := same.open().first():
        return known
    kept, _ = RemovalRequest.objects.get_or_create(
        pk=_name([kind, about, name, email, text], after=same.exclude(handled_at=None).order_by("handled_at").last()),
        defaults={
            "kind": RemovalRequest.Kind(kind),
            "about": about,
            "entity": _find_entity(about),
            "name": name,
            "email": email,
            "text": text,
            "received_at": now,
            "due_at": now + DUE_AFTER,
        },
    )
    return kept


def close(*, request: RemovalRequest, state: str, answer: str, operator: str, now: datetime) -> None:
    """Answer a request, once: done or refused, with what was done or why not. Raises AlreadyAnswered."""
    ended = {
        "state": RemovalRequest.State(state),
        "answer": answer,
        "handled_by": operator,
        "handled_at": now,
    }
    if not RemovalRequest.objects.open().filter(pk=request.pk).update(**ended):
        raise AlreadyAnswered
    request.refresh_from_db()


def prune(*, now: datetime) -> int:
    """Delete what was answered long ago, also where the admin's history names it; return how many."""
    old = RemovalRequest.objects.filter(handled_at__lt=now - KEPT_FOR)
    numbers = [str(number) for number in old.values_list("pk", flat=True)]
    kind = ContentType.objects.get_for_model(RemovalRequest)
    LogEntry.objects.filter(content_type=kind, object_id__in=numbers).update(object_repr="")
    return old.delete()[0]


def _name(words: list[str], *, after: RemovalRequest | None) -> uuid.UUID:
    """One for the same request, so that it is kept once also where it comes twice at one moment; nobody's to guess."""
    sent = json.dumps([*words, str(after.pk if after else "")])
    return uuid.UUID(bytes=salted_hmac("removal request", sent, algorithm="sha256").digest()[:16])


def _find_entity(about: str) -> Entity | None:
    named = _PAGE.search(about)
    place = find_by_slug(named[1]) if named else None
    return selectors.find_entity_by_slug(state=place.code, slug=named[2]) if named and place else None
