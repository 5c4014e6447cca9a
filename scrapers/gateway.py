"""The door other apps use: one question in, one answer or one of the four errors out, every attempt noted.

This is the Django edge of the scraping core: settings, pace shared by all processes, the operator's switch, and
the attempt's row. No transaction is open and no database connection is held while a portal is asked.
"""

from __future__ import annotations

import functools
import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection

from jurisdictions import selectors as jurisdictions
from jurisdictions.codes import PLACES
from jurisdictions.prepared import Insertion
from scrapers import discovery
from scrapers.bulk_data import copies
from scrapers.bulk_data.copies import CurrentCopy
from scrapers.evidence import readings
from scrapers.failures import Failure, PageChanged, PortalDisabled, PortalError
from scrapers.models import Reading, ScrapeAttempt
from scrapers.normalize.record import normalized
from scrapers.operations import breaker, readiness
from scrapers.operations.readiness import Readiness
from scrapers.portal import Portal
from scrapers.records import Answer, Evidence, Found, NameVerdict, NotFound, Query
from scrapers.refusals import QueryRefused, Refusal
from scrapers.sandbox.copy import find_copy as find_played_copy
from scrapers.search.pipeline import ask, ask_copy_for_name, ask_name
from scrapers.search.sources import Copy, answers_alone
from scrapers.transport.exchanges import hide
from scrapers.transport.pace import FilePacer, NoPacer, Pace, Pacer, RedisPacer
from scrapers.transport.session import PortalSession, Trace, TransportSettings

log = logging.getLogger(__name__)
_NOTED = Insertion(ScrapeAttempt)
ALL_OFF = "Every search is switched off for the time being."
SWITCHED_OFF = "The operator has switched this state off."
UNKNOWN_SEARCH = "No search of it is known."
ACTIVE_ONLY = "Only active entities can be searched in this source: absence does not mean that none ever existed."


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with what the caller is told of its making. `normalized` is None unless an entity was found."""

    answer: Answer
    normalized: dict[str, Any] | None
    version: str
    built_at: str
    note: str | None
    reading: Reading


@dataclass(frozen=True, slots=True)
class NameReply:
    """What is known of a name, with what the caller is told of its making."""

    verdict: NameVerdict
    evidence: Evidence
    reading: Reading
    as_of: datetime | None = None  # the day of the copy that was read, where one was


def fetch(
    query: Query,
    *,
    now: datetime,
    budget_seconds: float,
    sandbox: bool = False,
    asked_by: uuid.UUID | None = None,
    known: Readiness | None = None,
) -> Reply:
    """Ask the state's portal. `budget_seconds` is the total time allowed; raises PortalError, never "not found".

    With `sandbox` the fictional registry answers, for every jurisdiction, and no network is touched. The attempt is
    found again by `asked_by`, or by the id that the reply and the error carry. `known`: what was read of the state a
    moment ago; it is read anew where that is too long ago.
    """
    with _attempt(
        query, now=now, budget_seconds=budget_seconds, sandbox=sandbox, asked_by=asked_by, known=known
    ) as attempt:
        portal = attempt.portal
        threshold = settings.MATCH_THRESHOLD
        answer = ask(portal, attempt.session, query, now=now, threshold=threshold, copy=attempt.copy)
        attempt.outcome = "not_found" if isinstance(answer, NotFound) else "found"
    return to_reply(answer, portal, query, attempt.kept)


def fetch_name(
    query: Query,
    *,
    now: datetime,
    budget_seconds: float,
    sandbox: bool = False,
    asked_by: uuid.UUID | None = None,
    known: Readiness | None = None,
    from_copy: bool = False,
) -> NameReply:
    """Ask the state's portal whether the query's name is free; raises PortalError as `fetch` does.

    The portal itself is asked, whether or not a copy of its bulk data is loaded; `from_copy` reads the copy instead.
    """
    with _attempt(
        query,
        now=now,
        budget_seconds=budget_seconds,
        sandbox=sandbox,
        asked_by=asked_by,
        known=known,
        from_copy=from_copy,
        kind="name_check",
    ) as attempt:
        portal, session, copy = attempt.portal, attempt.session, attempt.copy
        if from_copy:
            verdict, evidence = ask_copy_for_name(portal, session, query, now=now, copy=copy)
        else:
            verdict, evidence = ask_name(portal, session, query, now=now)
        attempt.outcome = "found"
    as_of = copy.as_of if from_copy and copy is not None else None
    return NameReply(verdict, evidence, attempt.kept, as_of)


def to_reply(answer: Answer, portal: Portal, query: Query, reading: Reading) -> Reply:
    """The answer with what the caller is told of its making, whether it was read now or from what was kept."""
    return Reply(
        answer=answer,
        normalized=_in_one_form(answer, portal, query),
        version=portal.version,
        built_at=portal.built_at,
        note=ACTIVE_ONLY if _lacks_the_ended(portal, from_copy=answer.evidence.from_copy) else None,
        reading=reading,
    )


def _lacks_the_ended(portal: Portal, *, from_copy: bool) -> bool:
    """Whether what was read holds no entity that has ended: the portal itself, or the copy that answered for it."""
    copied = from_copy and portal.bulk_data is not None and portal.bulk_data.active_only
    return copied or portal.coverage == "active_only"


def look_at(state: str, *, sandbox: bool) -> Readiness | None:
    """What is known of a state now, for the calls of this module that take it as `known`; None of the sandbox."""
    return None if sandbox else readiness.read(state)


def find_copy(state: str, *, sandbox: bool = False, known: Readiness | None = None) -> CurrentCopy | None:
    """The loaded copy of the state's bulk data; None where there is none."""
    portal = None if sandbox else discovery.find_portal(state)
    if portal is None or portal.bulk_data is None:
        return None
    if known is None:
        return copies.find_current(state)
    if known.copy_as_of is None or known.copy_id is None:
        return None
    return CurrentCopy(state, known.copy_as_of, known.copy_sha256, known.copy_id)


def is_from_copy(query: Query, *, known: Readiness | None = None) -> bool:
    """Whether the loaded copy of a state's bulk data answers this query for its portal, of which nothing is asked."""
    portal = discovery.find_portal(query.state)
    return portal is not None and _is_copied(query, portal, find_copy(query.state, known=known))


def _is_copied(query: Query, portal: Portal, copy: Copy | None) -> bool:
    return query.kind != "ucc" and answers_alone(portal, copy)  # no copy holds liens


@dataclass(slots=True)
class _Attempt:
    """A conversation under way, and the row that tells of it once it has ended."""

    portal: Portal
    session: PortalSession
    query: Query
    kind: str
    row: ScrapeAttempt
    copy: Copy | None
    permit: breaker.Permit | None
    budget: float  # seconds for all of it
    outcome: str = Failure.DOWN
    patience: float = 0.0  # seconds it had once it was its turn
    reading: Reading | None = None

    @property
    def kept(self) -> Reading:
        """What was kept of it: of an answer something always is."""
        assert self.reading is not None
        return self.reading


@contextmanager
def _attempt(
    query: Query,
    *,
    now: datetime,
    budget_seconds: float,
    sandbox: bool,
    asked_by: uuid.UUID | None,
    known: Readiness | None = None,
    from_copy: bool = False,
    kind: str = "",
) -> Iterator[_Attempt]:
    """Hold a conversation with the state's portal and note how it ended, whichever way.

    Whatever a reader trips over on a page ends as PageChanged: what it would have said cannot be trusted.
    """
    if known is None or not known.is_fresh:
        known = look_at(query.state, sandbox=sandbox)
    portal, trace = get_portal(query.state, sandbox=sandbox, known=known), Trace()
    copy = find_played_copy(query) if sandbox else find_copy(query.state, known=known)
    permit = None
    is_copied = from_copy or (not kind and _is_copied(query, portal, copy))  # how the portal does is nothing to it
    if known is not None and not is_copied:
        is_well = known.is_well
        permit = breaker.enter(state=query.state, budget_seconds=budget_seconds, now=now, is_well=is_well)
    pace = permit.slow_down(portal.pace) if permit else portal.pace
    started = time.monotonic()
    deadline = started + budget_seconds
    session = open_session(portal, deadline=deadline, trace=trace, pace=pace)
    row = _row(query, portal, now, asked_by)
    attempt = _Attempt(portal, session, query, kind or query.kind, row, copy, permit, budget_seconds)
    if not connection.in_atomic_block:
        connection.close()  # a slow portal must not hold a database connection
    failure: PortalError | None = None
    try:
        with (NoPacer() if is_copied else get_pacer(portal)).slot(query.state, pace, deadline=deadline):
            attempt.patience = deadline - time.monotonic()
            yield attempt
    except PortalError as error:
        failure = error
        raise
    except Exception as error:
        log.exception("the reader of %s failed on a page", query.state)
        failure = PageChanged(f"{type(error).__name__}: {error}")
        raise failure from error
    finally:
        session.close()
        _note(attempt, trace, failure, began=started)


def get_portal(state: str, *, sandbox: bool = False, known: Readiness | None = None) -> Portal:
    """The portal that answers for a state; QueryRefused when no reader does, PortalDisabled when it is switched off."""
    if sandbox:
        return discovery.get_sandbox(state)
    portal = discovery.find_portal(state)
    if portal is None or portal.verification == "unsupported":
        raise QueryRefused(Refusal.NO_READER, state=PLACES[state].name)
    refuse_when_off(portal)
    switch = known or jurisdictions.get_jurisdiction(state)
    if not switch.enabled:
        raise PortalDisabled(switch.reason or portal.off_reason or SWITCHED_OFF)
    return portal


def explain_off(state: str) -> str:
    """Why no program asks the state's own search, in the words of its file as they are today; empty when one may."""
    portal = discovery.find_portal(state)
    return portal.off_reason if portal else UNKNOWN_SEARCH


def find_rest(
    state: str, *, now: datetime, sandbox: bool = False, known: Readiness | None = None
) -> PortalError | None:
    """Why this state's portal is left alone at the moment; None when it may be asked."""
    if sandbox or (known is not None and known.is_well):
        return None
    return breaker.find_rest(state=state, now=now)


def refuse_when_off(portal: Portal) -> None:
    """Raise PortalDisabled while the operator lets no registry be asked at all."""
    if not settings.ASK_PORTALS and not portal.sandbox:
        raise PortalDisabled(ALL_OFF)


def open_session(portal: Portal, *, deadline: float, trace: Trace, pace: Pace | None = None) -> PortalSession:
    """A conversation with the portal under the service's identity, at its pace or a slower one.

    Raises PortalDisabled while the operator lets nobody be asked at all.
    """
    refuse_when_off(portal)
    return PortalSession(
        portal=portal.code or "sandbox",
        hosts=portal.hosts,
        settings=transport_settings(),
        pace=pace or portal.pace,
        pacer=get_pacer(portal),
        deadline=deadline,
        trace=trace,
        adapter=portal.adapter(),
    )


def transport_settings() -> TransportSettings:
    """Identity and patience from the settings. The User-Agent is honest and says whom to write to."""
    contact = settings.CONTACT or settings.PUBLIC_URL
    return TransportSettings(
        user_agent=f"SOS-Lookup/1.3 (+{settings.PUBLIC_URL}; {contact})",
        portals_url=settings.PORTALS_URL,
        keys={
            "socrata": settings.SOCRATA_APP_TOKEN,
            "calico": settings.CALICO_KEY,
            "comptroller": settings.COMPTROLLER_KEY,
        },
    )


@functools.lru_cache(maxsize=4)
def _shared_pacer(redis_url: str, folder: str) -> Pacer:
    if not redis_url:
        from pathlib import Path

        return FilePacer(Path(folder))
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    # Once more at once: a connection that breaks is no reason to leave a registry alone, or its place taken.
    again = Retry(NoBackoff(), 1)
    return RedisPacer(redis.Redis.from_url(redis_url, socket_timeout=2, socket_connect_timeout=2, retry=again))


def get_pacer(portal: Portal) -> Pacer:
    """The pace all processes share; nobody's for the sandbox registry."""
    if portal.sandbox:
        return NoPacer()
    return _shared_pacer(settings.REDIS_URL, str(settings.VAR_DIR / "pace"))


def _in_one_form(answer: Answer, portal: Portal, query: Query) -> dict[str, Any] | None:
    if not isinstance(answer, Found):
        return None
    from_copy = answer.evidence.from_copy
    return normalized(answer.record, portal=portal, state=query.state, match=answer.match, from_copy=from_copy)


def _row(query: Query, portal: Portal, now: datetime, asked_by: uuid.UUID | None) -> ScrapeAttempt:
    assert query.state in PLACES
    return ScrapeAttempt(
        asked_by=asked_by,
        state=query.state,
        kind=query.kind,
        question=(query.entity_id or query.name or "")[:200],
        sandbox=portal.sandbox,
        version=portal.version,
        started_at=now,
    )


def _note(attempt: _Attempt, trace: Trace, failure: PortalError | None, *, began: float) -> None:
    row, seconds = attempt.row, time.monotonic() - began
    secrets = [key for key in transport_settings().keys.values() if key]
    if failure is not None:
        attempt.outcome, row.detail = failure.reason, hide(failure.detail, secrets)[:2000]
    row.outcome, row.duration_ms = attempt.outcome, round(seconds * 1000)
    row.stages = [
        {"name": stage.name, "ms": stage.ms, "detail": hide(stage.detail, secrets)[:500]} for stage in trace.stages
    ]
    row.waited_ms = round((attempt.budget - attempt.patience + trace.waited) * 1000)
    row.unread_labels = sum(1 for stage in trace.stages if stage.name == "unread_labels")
    _NOTED.write(row)
    attempt.reading = readings.keep(
        row,
        trace.exchanges,
        portal=attempt.portal,
        query=attempt.query,
        kind=attempt.kind,
        secrets=secrets,
        began=began,
    )
    told = (row.state, row.kind, row.outcome, row.duration_ms, row.waited_ms, len(trace.exchanges))
    log.info("Portal of %s, %s: %s in %d ms, %d of them for its turn, %d exchanges", *told)
    if failure is not None:
        failure.attempt_id = row.pk
        failure.reading_id = attempt.reading.pk if attempt.reading else None
    _tell_breaker(attempt, failure, now=row.started_at + timedelta(seconds=seconds))


def _tell_breaker(attempt: _Attempt, failure: PortalError | None, *, now: datetime) -> None:
    permit, patience = attempt.permit, attempt.patience
    if permit is None:
        return
    if failure is not None:
        breaker.note_failure(permit, failure, question=attempt.row.question, patience=patience, now=now)
    elif attempt.outcome != Failure.DOWN:  # which is where it began: whatever broke it off was not the portal
        breaker.note_answer(permit, now=now)
    else:
        breaker.give_back(permit)
