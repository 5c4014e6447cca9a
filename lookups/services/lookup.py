"""THE STORY: one lookup from question to outcome.

A stored answer is sold at once. Otherwise the price is set aside, the portal is asked (by us, or by somebody who is
asking the same thing right now) with no transaction open, and one short transaction stores the record and takes the
money, or gives it back when there was nothing to deliver. A crash at any point leaves at worst a hold that expires.
A registry known to be slow is asked by a worker: the price is set aside here, and the story goes on in `job_runner`.
What turns out to take longer than the caller waits goes on in its own thread (`handover`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import uuid4

from django.conf import settings
from django.db import connection

from billing import ledger, limits
from billing.models import ApiKey, Hold
from lookups import cache
from lookups.models import StoredAnswer
from lookups.outcomes import Delivered, Outcome, TooManyAtOnce
from lookups.services import checks, estimates, flights, handover, jobs, paying, settling
from lookups.services.asks import Ask, Watch
from scrapers import pipeline
from scrapers.errors import PortalError
from scrapers.portal import Portal


def perform(*, ask: Ask, now: datetime, render: jobs.Render | None = None) -> Outcome:
    """Answer one question and charge for it; whatever a portal or a balance may do is an outcome, not an exception.

    With `render` a fetch that outlives the synchronous budget becomes a job, whose reply it makes; without, a time-out.
    """
    watch = Watch(now)
    if ask.resumed:
        accepted = jobs.find_accepted(ask)
        if accepted is not None:
            return accepted
        ask, delivered = _pick_up(ask)
        if delivered is not None:
            return delivered
    stored = find_stored(ask, now=now)
    if stored is not None:
        return settling.sell_stored(ask, stored, watch=watch)
    portal = checks.find_portal(ask, now=now)
    if not isinstance(portal, Portal):
        return settling.conclude(ask, None, portal, watch=watch)
    if ask.key is None:
        return _ask_registry(ask, watch)
    if checks.is_slow(portal, ask, now=now):
        seconds = estimates.seconds(portal, now=now)
        return jobs.accept(ask, key=ask.key, limit=_limit(ask.key), estimated_seconds=seconds, now=now)
    place = limits.acquire(key=ask.key, now=now)
    if place is None:
        return TooManyAtOnce(limit=_limit(ask.key))
    try:
        return _ask_registry(ask, watch, render=render)
    finally:
        limits.release(slot=place)


def _ask_registry(ask: Ask, watch: Watch, *, render: jobs.Render | None = None) -> Outcome:
    if connection.in_atomic_block:
        render = None  # another thread could not see what a caller's open transaction has written
    hold_for = jobs.HOLD_FOR if render else paying.HOLD_FOR
    try:
        hold = paying.set_aside(ask.bill, now=watch.now, hold_for=hold_for)
    except ledger.InsufficientFunds as short:
        return settling.out_of_funds(short)
    try:
        if render is None:
            return answer(ask, hold, watch, budget_seconds=settings.SYNC_BUDGET_SECONDS)
        work = partial(_answer_patiently, ask, hold, watch)
        return handover.answer_in_time(ask, hold, watch, work=work, render=render)
    except BaseException:
        paying.give_back(hold, reason="internal_error", now=watch.now)
        raise


def _answer_patiently(ask: Ask, hold: Hold | None, watch: Watch, try_again: settling.TryAgain) -> Outcome:
    return answer(ask, hold, watch, budget_seconds=jobs.BUDGET_SECONDS, try_again=try_again)


def answer(
    ask: Ask,
    hold: Hold | None,
    watch: Watch,
    *,
    budget_seconds: float,
    try_again: settling.TryAgain = settling.never,
) -> Outcome:
    """Ask the registry, or wait for whoever is asking it the same thing, and settle `hold` by what comes of it.

    When this raises, the hold is still open: it is the caller's to give back.
    """
    ticket = flights.board(question=ask.question, sandbox=ask.sandbox, budget_seconds=budget_seconds, now=watch.now)
    landing: flights.Landing | None = None
    if not ticket.is_pilot:
        ticket, landing = flights.wait(ticket, budget_seconds=budget_seconds - watch.seconds, now=watch.now)
    if not ticket.is_pilot:
        return settling.share(ask, hold, landing, watch=watch, try_again=try_again)
    left = max(1.0, budget_seconds - watch.seconds)
    try:
        return _fetch_and_settle(ask, hold, ticket, watch, left, try_again)
    except BaseException:
        flights.land(ticket, landing=settling.CRASHED, now=watch.now)
        raise


def _fetch_and_settle(
    ask: Ask, hold: Hold | None, ticket: flights.Ticket, watch: Watch, left: float, try_again: settling.TryAgain
) -> Outcome:
    query = ask.question.to_query()
    try:
        reply = pipeline.fetch(query, now=watch.now, budget_seconds=left, sandbox=ask.sandbox, asked_by=ask.ask_id)
        ticket = replace(ticket, attempt_id=reply.attempt_id)
        pipeline.get_portal(query.state, sandbox=ask.sandbox)  # switched off meanwhile: its answer is not sold
    except PortalError as error:
        ticket = replace(ticket, attempt_id=error.attempt_id or ticket.attempt_id)
        return settling.settle_failure(ask, hold, ticket, error, watch=watch, try_again=try_again)
    return settling.settle_reply(ask, hold, ticket, reply, watch=watch)


def find_stored(ask: Ask, *, now: datetime) -> StoredAnswer | None:
    """The stored answer that will do for this ask; None when the registry has to be asked."""
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
