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
from lookups.jobs import lifecycle
from lookups.lookup import checks, estimates, handover, payment, settlement, single_flight, stored_answers
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Delivered, Outcome, TooManyAtOnce
from lookups.models import StoredAnswer
from scrapers import gateway
from scrapers.failures import PortalError
from scrapers.portal import Portal


def perform(*, ask: Ask, now: datetime, render: lifecycle.Render | None = None) -> Outcome:
    """Answer one question and charge for it; whatever a portal or a balance may do is an outcome, not an exception.

    With `render` a fetch that outlives the synchronous budget becomes a job, whose reply it makes; without, a time-out.
    """
    stopwatch = Stopwatch(now)
    if ask.resumed:
        accepted = lifecycle.find_accepted(ask)
        if accepted is not None:
            return accepted
        ask, delivered = _pick_up(ask)
        if delivered is not None:
            return delivered
    stored = find_stored(ask, now=now)
    if stored is not None:
        return settlement.sell_stored(ask, stored, stopwatch=stopwatch)
    portal = checks.find_portal(ask, now=now)
    if not isinstance(portal, Portal):
        return settlement.conclude(ask, None, portal, stopwatch=stopwatch)
    if ask.key is None:
        return _ask_registry(ask, stopwatch)
    if checks.is_slow(portal, ask, now=now):
        seconds = estimates.seconds(portal, now=now)
        return lifecycle.accept(ask, key=ask.key, limit=_limit(ask.key), estimated_seconds=seconds, now=now)
    place = limits.acquire(key=ask.key, now=now)
    if place is None:
        return TooManyAtOnce(limit=_limit(ask.key))
    try:
        return _ask_registry(ask, stopwatch, render=render)
    finally:
        limits.release(slot=place)


def _ask_registry(ask: Ask, stopwatch: Stopwatch, *, render: lifecycle.Render | None = None) -> Outcome:
    if connection.in_atomic_block:
        render = None  # another thread could not see what a caller's open transaction has written
    hold_for = lifecycle.HOLD_FOR if render else payment.HOLD_FOR
    try:
        hold = payment.set_aside(ask.bill, now=stopwatch.now, hold_for=hold_for)
    except ledger.InsufficientFunds as short:
        return settlement.out_of_funds(short)
    try:
        if render is None:
            return answer(ask, hold, stopwatch, budget_seconds=settings.SYNC_BUDGET_SECONDS)
        work = partial(_answer_patiently, ask, hold, stopwatch)
        return handover.answer_in_time(ask, hold, stopwatch, work=work, render=render)
    except BaseException:
        payment.give_back(hold, reason="internal_error", now=stopwatch.now)
        raise


def _answer_patiently(ask: Ask, hold: Hold | None, stopwatch: Stopwatch, try_again: settlement.TryAgain) -> Outcome:
    return answer(ask, hold, stopwatch, budget_seconds=lifecycle.BUDGET_SECONDS, try_again=try_again)


def answer(
    ask: Ask,
    hold: Hold | None,
    stopwatch: Stopwatch,
    *,
    budget_seconds: float,
    try_again: settlement.TryAgain = settlement.never,
) -> Outcome:
    """Ask the registry, or wait for whoever is asking it the same thing, and settle `hold` by what comes of it.

    When this raises, the hold is still open: it is the caller's to give back.
    """
    ticket = single_flight.join(
        question=ask.question, sandbox=ask.sandbox, budget_seconds=budget_seconds, now=stopwatch.now
    )
    result: single_flight.Result | None = None
    if not ticket.is_leader:
        ticket, result = single_flight.wait(
            ticket, budget_seconds=budget_seconds - stopwatch.seconds, now=stopwatch.now
        )
    if not ticket.is_leader:
        return settlement.share(ask, hold, result, stopwatch=stopwatch, try_again=try_again)
    left = max(1.0, budget_seconds - stopwatch.seconds)
    try:
        return _fetch_and_settle(ask, hold, ticket, stopwatch, left, try_again)
    except BaseException:
        single_flight.finish(ticket, result=settlement.CRASHED, now=stopwatch.now)
        raise


def _fetch_and_settle(
    ask: Ask,
    hold: Hold | None,
    ticket: single_flight.Ticket,
    stopwatch: Stopwatch,
    left: float,
    try_again: settlement.TryAgain,
) -> Outcome:
    query = ask.question.to_query()
    try:
        reply = gateway.fetch(query, now=stopwatch.now, budget_seconds=left, sandbox=ask.sandbox, asked_by=ask.ask_id)
        ticket = replace(ticket, attempt_id=reply.attempt_id)
        gateway.get_portal(query.state, sandbox=ask.sandbox)  # switched off meanwhile: its answer is not sold
    except PortalError as error:
        ticket = replace(ticket, attempt_id=error.attempt_id or ticket.attempt_id)
        return settlement.settle_failure(ask, hold, ticket, error, stopwatch=stopwatch, try_again=try_again)
    return settlement.settle_reply(ask, hold, ticket, reply, stopwatch=stopwatch)


def find_stored(ask: Ask, *, now: datetime) -> StoredAnswer | None:
    """The stored answer that will do for this ask; None when the registry has to be asked."""
    if not ask.accepts_stored:
        return None
    since = now - stored_answers.max_age(ask.account)
    return stored_answers.find_answer(ask.question, sandbox=ask.sandbox, since=since)


def _pick_up(ask: Ask) -> tuple[Ask, Delivered | None]:
    """Find what a try that broke off had settled: sold answers are delivered again, the rest starts anew."""
    settled = settlement.find_settled(ask)
    if settled is None:
        return ask, None
    delivered = settlement.redeliver(ask, settled)
    return (ask, delivered) if delivered else (replace(ask, ask_id=uuid4()), None)


def _limit(key: ApiKey) -> int:
    own = key.concurrent_lookups
    return settings.CONCURRENT_LOOKUPS if own is None else own
