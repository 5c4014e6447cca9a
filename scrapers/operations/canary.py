"""Canaries: one known company a state, asked for real, to learn whether the registry answers as expected."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from jurisdictions import services as jurisdictions
from scrapers import gateway
from scrapers.failures import PortalBlocked, PortalError
from scrapers.portal import Portal
from scrapers.records import Found, Query
from scrapers.search.pipeline import ask
from scrapers.transport.session import Trace

CANARY_SECONDS = 45.0


@dataclass(frozen=True, slots=True)
class CanaryResult:
    """What one canary found. `reached`: a page came; `wall`: it was one; `parsed`: a record was read from it."""

    state: str
    company: str
    reached: bool
    wall: bool
    parsed: bool
    unread_labels: str
    seconds: float
    detail: str


def try_canary(portal: Portal, *, now: datetime) -> CanaryResult:
    """Ask one portal for its known company, whether it is switched on or not, and note what came of it."""
    trace, started = Trace(), time.monotonic()
    session = gateway.open_session(portal, deadline=started + CANARY_SECONDS, trace=trace)
    wall, parsed, detail = False, False, ""
    try:
        query = Query(portal.code, name=portal.canary)
        copy = gateway.find_copy(portal.code)
        answer = ask(portal, session, query, now=now, threshold=settings.MATCH_THRESHOLD, copy=copy)
        parsed = isinstance(answer, Found)
        detail = "" if parsed else f"{portal.canary} not found: is it the right canary?"
    except PortalError as error:
        wall, detail = isinstance(error, PortalBlocked), f"{error.reason}: {error.detail}"
    finally:
        reached = bool(session.pages)
        session.close()
    if parsed:
        jurisdictions.confirm_live(code=portal.code, now=now)
    else:
        jurisdictions.note_trouble(code=portal.code, reason=detail[:300], now=now)
    unread = "; ".join(stage.detail for stage in trace.stages if stage.name == "unread_labels")
    return CanaryResult(
        portal.code, portal.canary, reached, wall, parsed, unread, round(time.monotonic() - started, 1), detail
    )
