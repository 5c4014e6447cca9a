"""Keeps a conversation with a registry: what was asked and answered, before anybody is told what it means.

An answer is returned once its bytes are kept, and not where they cannot be. What a failed attempt heard is kept for a
person to look at: little of it, not for long, for an outage fails a thousand attempts in the same way.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from datetime import UTC, date, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Q

from jurisdictions.prepared import Insertion
from scrapers.evidence import bodies
from scrapers.evidence.revision import find_revision
from scrapers.models import ANSWERED, Reading, ScrapeAttempt
from scrapers.portal import Portal
from scrapers.records import Query
from scrapers.transport.exchanges import MOST_READ, Exchange, digest, to_kept
from scrapers.transport.page import Page

log = logging.getLogger(__name__)
_WRITTEN = Insertion(Reading)

# Failed attempts whose pages are kept: of a state and a kind of failure in an hour, of a state in a day.
AN_HOUR, A_DAY = 3, 20
SHOWN = 60_000  # characters of a page in the admin; the download has all that is kept


def keep(
    attempt: ScrapeAttempt,
    heard: Sequence[Exchange],
    *,
    portal: Portal,
    query: Query,
    kind: str,
    secrets: Iterable[str],
    began: float,
) -> Reading | None:
    """Keep what was heard in this attempt, which is saved; `began`: when the conversation did (time.monotonic()).

    `kind` is the question's, "name_check" where a verdict on a name was asked for.

    Of an answer it raises whatever prevents it. Of a failure never, for that must reach its caller as what it is; None
    where no registry answered, and once enough of a state's failures are kept.
    """
    secrets = [one for one in secrets if one]
    how: dict[str, Any] = {"portal": portal, "query": query, "kind": kind, "secrets": secrets, "began": began}
    if attempt.outcome in ANSWERED:
        return _keep(attempt, heard, **how)
    try:
        if not any(one.status for one in heard) or _is_enough(attempt):
            return None
        # In a caller's transaction one of its own: what fails here leaves that as it was. Else none, for the row of
        # bytes is to be there before they are.
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            return _keep(attempt, heard, **how, most=MOST_READ)
    except Exception:
        log.exception("What %s answered could not be kept.", attempt.state)
        return None


def to_query(reading: Reading) -> Query:
    """The question that was put to the registry."""
    asked = reading.question
    days = {name: date.fromisoformat(asked[name]) if asked[name] else None for name in ("date_after", "date_before")}
    return Query(**{**asked, **days})


def to_plain(query: Query) -> dict[str, Any]:
    """The question, JSON-ready; `to_query` reads it."""
    return {name: one.isoformat() if isinstance(one, date) else one for name, one in asdict(query).items()}


def find_body(record: Mapping[str, Any]) -> bytes | None:
    """An exchange's body as it came; None where it is not kept, or is damaged."""
    try:
        return bodies.read(record["body"]["sha256"])
    except bodies.DamagedBody:
        log.exception("What is kept of %s is damaged.", record["url"])
        return None


def find_text(record: Mapping[str, Any]) -> str | None:
    """The same as text, at most `SHOWN` characters. Hostile: to be escaped."""
    body = find_body(record)
    return None if body is None else to_text(record, body)[:SHOWN]


def to_text(record: Mapping[str, Any], body: bytes) -> str:
    """An exchange's body as its registry means it: in the charset that the answer or the page itself declares."""
    return Page(record["url"], 0, record["headers"], body).text


def _keep(
    attempt: ScrapeAttempt,
    heard: Sequence[Exchange],
    *,
    portal: Portal,
    query: Query,
    kind: str,
    secrets: Sequence[str],
    began: float,
    most: int | None = None,
) -> Reading:
    kept = [to_kept(one, secrets, at=_wire_time(attempt, one, began), most=most) for one in heard]
    until = attempt.started_at + _kept_for(attempt)
    bodies.keep((one.body for one in kept if one.record["status"] is not None), until=until)
    records = [one.record for one in kept]
    reading = Reading(
        attempt_id=attempt.pk,
        state=attempt.state,
        sandbox=attempt.sandbox,
        kind=kind,
        outcome=attempt.outcome,
        question=to_plain(query),
        reader_version=portal.version,
        reader_built_at=portal.built_at,
        reader_revision=find_revision(portal),
        read_at=attempt.started_at,
        exchanges=records,
        sha256=digest(records),
        keep_until=until,
    )
    _WRITTEN.write(reading)
    return reading


def _kept_for(attempt: ScrapeAttempt) -> timedelta:
    """A year for what customers were told of real registries; a week for failures, played and operators' questions."""
    is_told = attempt.outcome in ANSWERED and not attempt.sandbox and attempt.asked_by is not None
    return timedelta(days=settings.EVIDENCE_DAYS if is_told else settings.EVIDENCE_SHORT_DAYS)


def _is_enough(attempt: ScrapeAttempt) -> bool:
    """Whether so much was kept of this state's failures lately that another page tells nothing new."""
    day, hour = attempt.started_at - timedelta(days=1), attempt.started_at - timedelta(hours=1)
    failed = Reading.objects.failed().filter(state=attempt.state, sandbox=attempt.sandbox, read_at__gt=day)
    kept = failed.aggregate(day=Count("pk"), hour=Count("pk", filter=Q(outcome=attempt.outcome, read_at__gt=hour)))
    return bool(kept["day"] >= A_DAY or kept["hour"] >= AN_HOUR)


def _wire_time(attempt: ScrapeAttempt, heard: Exchange, began: float) -> str:
    """When it was sent, as the wire writes a moment."""
    at = attempt.started_at + timedelta(seconds=max(0.0, heard.at - began))
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
