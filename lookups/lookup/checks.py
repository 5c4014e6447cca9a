"""What is known before anybody is asked or money is touched: the registry is off, or cannot answer this."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings

from lookups.lookup import estimates
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Refused, Unavailable
from lookups.lookup.questions import Question
from lookups.names import check as names
from scrapers import discovery, gateway
from scrapers.failures import PortalDisabled, PortalError
from scrapers.operations.readiness import Readiness
from scrapers.portal import Portal
from scrapers.refusals import QueryRefused


def find_objection(ask: Ask, *, now: datetime, known: Readiness | None = None) -> Refused | Unavailable | None:
    """Why this question need not be asked at all; None when it may be. `known`: what was read of the state just now."""
    question = ask.question
    try:
        portal = gateway.get_portal(question.state, sandbox=ask.sandbox, known=known)
    except QueryRefused as error:
        return _refused(error)
    except PortalDisabled as off:
        return _unavailable(question.state, off)
    if question.is_name_check:
        objection = names.find_objection(question, portal, sandbox=ask.sandbox, known=known)
    else:
        objection = _find_objection(portal, question)
    if objection is not None or question.from_copy:
        return objection
    resting = gateway.find_rest(question.state, now=now, sandbox=ask.sandbox, known=known)
    if resting is None or (not question.is_name_check and gateway.is_from_copy(question.to_query(), known=known)):
        return None
    return _unavailable(question.state, resting, hint=names.find_hint(question, sandbox=ask.sandbox))


def find_wait(ask: Ask, *, now: datetime) -> int | None:
    """Seconds that the answer will take, where it is known to take longer than its caller waits; else None.

    Known because the portal declares it, or measured over the last day.
    """
    state = ask.question.state
    portal = discovery.find_portal(state, sandbox=ask.sandbox)
    if portal is None or not _is_slow(portal, ask, now):
        return None
    return estimates.seconds(portal, now=now)


def find_off(state: str) -> Refused | Unavailable | None:
    """Why this state's registry is not asked at all any more; None while it is."""
    try:
        gateway.get_portal(state)
    except QueryRefused as error:
        return _refused(error)
    except PortalDisabled as off:
        return _unavailable(state, off)
    return None


def _is_slow(portal: Portal, ask: Ask, now: datetime) -> bool:
    if portal.sandbox or portal.slow:
        return portal.answers_later(ask.question.name)
    return estimates.outlasts(portal.code, settings.SYNC_BUDGET_SECONDS, now=now)


def _unavailable(state: str, error: PortalError, *, hint: str | None = None) -> Unavailable:
    note = error.detail if isinstance(error, PortalDisabled) else hint  # the operator's sentence
    return Unavailable(state, error.reason, error.retryable, error.retry_after, note)


def _find_objection(portal: Portal, question: Question) -> Refused | None:
    try:
        if question.kind == "ucc":
            portal.check_ucc(question.to_query())
        elif question.entity_id:
            portal.check_id(question.entity_id)
    except QueryRefused as error:
        return _refused(error)
    return None


def _refused(error: QueryRefused) -> Refused:
    return Refused(error.refusal, error.values)
