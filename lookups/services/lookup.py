"""THE STORY: one lookup from question to outcome.

A stored answer is sold at once. Otherwise the price is set aside, the portal is asked (by us, or by somebody who is
asking the same thing right now) with no transaction open, and one short transaction stores the record and takes the
money, or gives it back when there was nothing to deliver. A crash at any point leaves at worst a hold that expires.
A registry known to be slow is asked by a worker: the price is set aside here, and the story goes on in `job_runner`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import uuid4

from django.conf import settings

from billing import ledger, limits
from billing.models import ApiKey, Hold
from lookups import cache
from lookups.models import StoredAnswer
from lookups.outcomes import Delivered, Outcome, TooManyAtOnce
from lookups.services import checks, flights, jobs, paying, settling
from lookups.services.asks import Ask, Watch
from scrapers import pipeline
from scrapers.errors import PortalError
from scrapers.portal import Portal


def perform(*, ask: Ask, now: datetime) -> Outcome:
    """Answer one question and charge for it; whatever a portal or a balance may do is an outcome, not an exception."""
    watch = Watch(now)
    if ask.resumed:
        ask, delivered = _pick_up(ask)
        if delivered is not None:
            return delivered
    stored = _find_stored(ask, now)
    if stored is not None:
        return settling.sell_stored(ask, stored, watch=watch)
    portal = checks.find_portal(ask, now=now)
    if not isinstance(portal, Portal):
        return settling.conclude(ask, None, portal, watch=watch)
    if ask.key is None:
        return _ask_registry(ask, watch)
    if portal.slow:
        seconds = portal.estimated_seconds
        return jobs.accept(ask, key=ask.key, limit=_limit(ask.key), estimated_seconds=seconds, now=now)
    place = limits.acquire(key=ask.key, now=now)
    if place is None:
        return TooManyAtOnce(limit=_limit(ask.key))
    try:
        return _ask_registry(ask, watch)
    finally:
        limits.release(slot=place)


def _ask_registry(ask: Ask, watch: Watch) -> Outcome:
    try:
        hold = paying.set_aside(ask.bill, now=watch.now)
    except ledger.InsufficientFunds as short:
        return settling.out_of_funds(short)
    try:
        return answer(ask, hold, watch, budget_seconds=settings.SYNC_BUDGET_SECONDS)
    except BaseException:
        paying.give_back(hold, reason="internal_error", now=watch.now)
        raise


def answer(ask: Ask, hold: Hold | None, watch: Watch, *, budget_seconds: float) -> Outcome:
    """Ask the registry, or wait for whoever is asking it the same thing, and settle `hold` by what comes of it.

    When this raises, the hold is still open: it is the caller's to give back.
    """
    ticket = flights.board(question=ask.question, sandbox=ask.sandbox, budget_seconds=budget_seconds, now=watch.now)
    landing: flights.Landing | None = None
    if not ticket.is_pilot:
        ticket, landing = flights.wait(ticket, budget_seconds=budget_seconds - watch.seconds, now=watch.now)
    if not ticket.is_pilot:
        return settling.share(ask, hold, landing, watch=watch)
    try:
        return _fetch_and_settle(ask, hold, ticket, watch, budget_seconds)
    except BaseException:
        flights.land(ticket, landing=settling.CRASHED, now=watch.now)
        raise


def _fetch_and_settle(
    ask: Ask, hold: Hold | None, ticket: flights.Ticket, watch: Watch, budget_seconds: float
) -> Outcome:
    left = max(1.0, budget_seconds - watch.seconds)
    try:
        reply = pipeline.fetch(ask.question.to_query(), now=watch.now, budget_seconds=left, sandbox=ask.sandbox)
    except PortalError as error:
        return settling.settle_failure(ask, hold, ticket, error, watch=watch)
    return settling.settle_reply(ask, hold, ticket, reply, watch=watch)


def _find_stored(ask: Ask, now: datetime) -> StoredAnswer | None:
    if not ask.accepts_stored:
        return None
    since = now - cache.max_age(ask.account)
    return cache.find_answer(ask.question, sandbox=ask.sandbox, since=since)


def _pick_up(ask: Ask) -> tuple[Ask, Delivered | None]:
    """Find what a try that broke off had settled: sold answers are delivered again, the rest starts anew."""
    settled = settling.find_settled(ask)
    if settled is None:
        return ask, None
    delivered = settling.redeliver(ask, settled)
    return (ask, delivered) if delivered else (replace(ask, ask_id=uuid4()), None)


def _limit(key: ApiKey) -> int:
    own = key.concurrent_lookups
    return settings.CONCURRENT_LOOKUPS if own is None else own
