"""GLEIF asked by its API: within two seconds, at its pace, and left alone while it fails."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from lookups.lookup.single_flight import release_connection
from lookups.lookup.storage import wire_time
from scrapers import gateway
from scrapers.evidence import bodies
from scrapers.failures import PageChanged, PortalDisabled, PortalError
from scrapers.identities import gleif
from scrapers.identities.gleif import GLEIF, LeiRecord
from scrapers.operations import breaker
from scrapers.transport.exchanges import Exchange, to_kept
from scrapers.transport.session import PortalSession, Trace

log = logging.getLogger(__name__)
BUDGET_SECONDS = 2.0  # all that a lookup may be made to wait for it


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found, and the records of what was exchanged for it."""

    records: list[LeiRecord]
    exchanges: list[dict[str, Any]] = field(default_factory=list)


def ask(*, authority: str, numbers: Sequence[str], now: datetime) -> Answer:
    """Ask for the records of a number, in the first of its spellings that has any, and keep what was answered.

    Raises PortalError, within the budget.
    """
    if not settings.ASK_GLEIF:
        raise PortalDisabled("GLEIF is asked nothing here.")
    began, trace = time.monotonic(), Trace()
    permit = breaker.enter(state=GLEIF.code, budget_seconds=BUDGET_SECONDS, now=now)
    pace, deadline = permit.slow_down(GLEIF.pace), began + BUDGET_SECONDS
    try:
        with closing(gateway.open_session(GLEIF, deadline=deadline, trace=trace, pace=pace)) as session:
            release_connection()
            tries = (_ask(session, authority=authority, number=number) for number in numbers)
            found = next(filter(None, tries), [])
    except PortalError as error:
        # Two seconds are all it is ever given: who does not answer in them is left alone like one who is down
        end = now + timedelta(seconds=time.monotonic() - began)
        breaker.note_failure(permit, error, question=numbers[0], patience=breaker.PATIENCE, now=end)
        raise
    breaker.note_answer(permit, now=now)
    return Answer(found, _keep(trace.exchanges, began=began, now=now))


def _ask(session: PortalSession, *, authority: str, number: str) -> list[LeiRecord]:
    try:
        return gleif.ask(session, authority=authority, number=number)
    except PortalError:
        raise
    except Exception as error:
        log.exception("What GLEIF answered could not be read.")
        raise PageChanged(f"{type(error).__name__}: {error}") from error


def _keep(heard: Sequence[Exchange], *, began: float, now: datetime) -> list[dict[str, Any]]:
    kept = [to_kept(one, (), at=wire_time(now + timedelta(seconds=max(0.0, one.at - began)))) for one in heard]
    until = now + timedelta(days=settings.EVIDENCE_DAYS)
    bodies.keep((one.body for one in kept if one.record["status"] is not None), until=until)
    return [one.record for one in kept]
