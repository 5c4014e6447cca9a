"""Requests of people to leave something out or put it right: taken in by a form, answered in the admin in time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

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
    same = RemovalRequest.objects.open().filter(kind=kind, about=about, name=name, email=email, text=text)
    if known := same.first():
        return known
    return RemovalRequest.objects.create(
        kind=RemovalRequest.Kind(kind),
        about=about,
        entity=_find_entity(about),
        name=name,
        email=email,
        text=text,
        received_at=now,
        due_at=now + DUE_AFTER,
    )


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
    """Delete what was answered long ago; return how many."""
    deleted, _ = RemovalRequest.objects.filter(handled_at__lt=now - KEPT_FOR).delete()
    return deleted


def _find_entity(about: str) -> Entity | None:
    named = _PAGE.search(about)
    place = find_by_slug(named[1]) if named else None
    return selectors.find_entity_by_slug(state=place.code, slug=named[2]) if named and place else None
