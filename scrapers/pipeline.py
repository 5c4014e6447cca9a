"""The door other apps use: one question in, one answer or one of the four errors out, every attempt noted.

This is the Django edge of the scraping core: settings, pace shared by all processes, the operator's switch, and
the attempt's row. No transaction is open and no database connection is held while a portal is asked.
"""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection

from jurisdictions import selectors as jurisdictions
from jurisdictions.codes import PLACES
from scrapers import registry
from scrapers.asking import ask
from scrapers.copies import DatabaseRegister
from scrapers.errors import PortalDisabled, PortalError
from scrapers.models import ScrapeAttempt
from scrapers.normalise.record import normalised
from scrapers.portal import Portal
from scrapers.records import Answer, Found, Query
from scrapers.register import RegisterPortal
from scrapers.transport.pace import FilePacer, NoPacer, Pacer, RedisPacer
from scrapers.transport.session import PortalSession, Trace, TransportSettings

ACTIVE_ONLY = "Only active entities can be searched in this source: absence does not mean that none ever existed."


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with what the caller is told of its making. `normalized` is None unless an entity was found."""

    answer: Answer
    normalized: dict[str, Any] | None
    version: str
    built_at: str
    note: str | None
    attempt_id: int
    from_copy: bool = False  # a loaded register answered, not the portal: told as `source: cache`


def fetch(query: Query, *, now: datetime, budget_seconds: float, sandbox: bool = False) -> Reply:
    """Ask the state's portal. `budget_seconds` is the total time allowed; raises PortalError, never "not found".

    With `sandbox` the fictional registry answers, for every jurisdiction, and no network is touched.
    """
    portal = get_portal(query.state, sandbox=sandbox)
    trace = Trace()
    started = time.monotonic()
    session = open_session(portal, deadline=started + budget_seconds, trace=trace)
    if not connection.in_atomic_block:
        connection.close()  # a slow portal must not hold a database connection
    try:
        with get_pacer(portal).slot(query.state, portal.pace, deadline=started + budget_seconds):
            answer = ask(portal, session, query, now=now, threshold=settings.MATCH_THRESHOLD)
    except PortalError as error:
        _note(portal, query, trace, started, now, outcome=error.reason, detail=error.detail)
        raise
    except Exception as error:
        _note(portal, query, trace, started, now, outcome="layout_changed", detail=f"{type(error).__name__}: {error}")
        raise
    finally:
        session.close()
    outcome = "not_found" if type(answer).__name__ == "NotFound" else "found"
    attempt = _note(portal, query, trace, started, now, outcome=outcome, detail="")
    return Reply(
        answer=answer,
        normalized=_normalised(answer, portal, query),
        version=portal.version,
        built_at=portal.built_at,
        note=ACTIVE_ONLY if portal.coverage == "active_only" else None,
        attempt_id=attempt.pk,
        from_copy=isinstance(portal, RegisterPortal) and portal.answers_from_copy(session),
    )


def get_portal(state: str, *, sandbox: bool = False) -> Portal:
    """The portal that answers for a state; PortalDisabled when none does, or the operator switched it off."""
    if sandbox:
        return registry.get_sandbox(state)
    portal = registry.find_portal(state)
    if portal is None or portal.verification == "unsupported":
        raise PortalDisabled(
            portal.off_reason if portal else "no search of this registry is known that a program may use"
        )
    switch = jurisdictions.get_jurisdiction(state)
    if not switch.enabled:
        raise PortalDisabled(switch.reason or portal.off_reason or "switched off by the operator")
    return portal


def open_session(portal: Portal, *, deadline: float, trace: Trace) -> PortalSession:
    """A conversation with the portal under the service's identity and pace."""
    return PortalSession(
        portal=portal.code or "sandbox",
        hosts=portal.hosts,
        settings=transport_settings(),
        pace=portal.pace,
        pacer=get_pacer(portal),
        deadline=deadline,
        trace=trace,
        adapter=portal.adapter(),
        register=DatabaseRegister(),
    )


def transport_settings() -> TransportSettings:
    """Identity and patience from the settings. The User-Agent is honest and says whom to write to."""
    contact = settings.CONTACT or settings.PUBLIC_URL
    return TransportSettings(
        user_agent=f"SOS-Lookup/1.3 (+{settings.PUBLIC_URL}; {contact})",
        portals_url=settings.PORTALS_URL,
        keys={"socrata": settings.SOCRATA_APP_TOKEN, "calico": settings.CALICO_KEY},
    )


@functools.lru_cache(maxsize=4)
def _shared_pacer(redis_url: str, folder: str) -> Pacer:
    if not redis_url:
        from pathlib import Path

        return FilePacer(Path(folder))
    import redis

    return RedisPacer(redis.Redis.from_url(redis_url, socket_timeout=5, socket_connect_timeout=5))


def get_pacer(portal: Portal) -> Pacer:
    """The pace all processes share; nobody's for the sandbox registry."""
    if portal.sandbox:
        return NoPacer()
    return _shared_pacer(settings.REDIS_URL, str(settings.VAR_DIR / "pace"))


def _normalised(answer: Answer, portal: Portal, query: Query) -> dict[str, Any] | None:
    if not isinstance(answer, Found):
        return None
    return normalised(answer.record, portal=portal, state=query.state, match=answer.match)


def _note(
    portal: Portal, query: Query, trace: Trace, started: float, now: datetime, *, outcome: str, detail: str
) -> ScrapeAttempt:
    assert query.state in PLACES
    return ScrapeAttempt.objects.create(
        state=query.state,
        kind=query.kind,
        question=(query.entity_id or query.name or "")[:200],
        sandbox=portal.sandbox,
        outcome=outcome,
        detail=detail[:2000],
        stages=[{"name": stage.name, "ms": stage.ms, "detail": stage.detail[:500]} for stage in trace.stages],
        unread_labels=sum(1 for stage in trace.stages if stage.name == "unread_labels"),
        duration_ms=round((time.monotonic() - started) * 1000),
        version=portal.version,
        started_at=now,
    )
