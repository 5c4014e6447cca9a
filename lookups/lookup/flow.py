"""THE STORY: one question from the request to its outcome, whoever pays and whether a record or a verdict is asked for.

A stored answer is sold at once. Otherwise the price is held, the portal is asked (by us, or by somebody who is asking
the same thing right now) with no transaction open, and one short transaction stores the record and captures the price,
or releases it when there was nothing to deliver. A crash at any point leaves at worst a hold that expires.
A registry known to be slow is asked by a worker: the price is held here, and the story goes on in `jobs.runner`.
What turns out to take longer than the caller waits goes on in its own thread (`handover`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import connection

from billing import ledger
from billing.models import Hold
from lookups.jobs import lifecycle
from lookups.lookup import checks, handover, payers, settlement, single_flight, stored_answers
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Delivered, Outcome, TooManyAtOnce
from lookups.models import StoredAnswer
from scrapers import gateway
from scrapers.failures import PortalError


def perform(*, ask: Ask, now: datetime, render: lifecycle.Render | None = None) -> Outcome:
    """Answer one question and charge for it; whatever a portal or a balance may do is an outcome, not an exception.

    With `render` a fetch that outlives the synchronous budget becomes a job, whose reply it makes; without, a time-out.
    Raises billing.challenge.PaymentProblem when a payment that came with the request is not good, or failed in the end.
    """
    stopwatch, payer = Stopwatch(now), ask.payer
    payer.claim(now=now)
    try:
        outcome = _perform(ask, stopwatch, render if ask.may_wait else None)
    except BaseException:
        payer.abandon(reason="internal_error", now=stopwatch.now)
        raise
    return payer.settle(outcome, now=stopwatch.now)


def _perform(ask: Ask, stopwatch: Stopwatch, render: lifecycle.Render | None) -> Outcome:
    now = stopwatch.begun
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
    objection = checks.find_objection(ask, now=now)
    if objection is not None:
        return settlement.end(ask, None, objection, stopwatch=stopwatch)
    wait = checks.find_wait(ask, now=now) if ask.may_wait else None
    if wait is not None:
        return lifecycle.accept(ask, estimated_seconds=wait, now=now)
    with ask.payer.place(now=now) as is_free:
        if not is_free:
            return TooManyAtOnce(limit=ask.payer.limit)
        return _ask_registry(ask, stopwatch, render=render)


def _ask_registry(ask: Ask, stopwatch: Stopwatch, *, render: lifecycle.Render | None) -> Outcome:
    if connection.in_atomic_block:
        render = None  # another thread could not see what a caller's open transaction has written
    hold_for = lifecycle.HOLD_FOR if render else payers.HOLD_FOR
    try:
        hold = None if ask.paid else ask.payer.hold(ask.bill, now=stopwatch.now, hold_for=hold_for)
    except ledger.InsufficientFunds as short:
        return settlement.out_of_funds(short)
    try:
        if render is None:
            return answer(ask, hold, stopwatch, budget_seconds=settings.SYNC_BUDGET_SECONDS)
        work = partial(_answer_patiently, ask, hold, stopwatch)
        return handover.answer_in_time(ask, hold, stopwatch, work=work, render=render)
    except BaseException:
        ask.payer.release(ask.bill, hold, reason="internal_error", now=stopwatch.now)
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

    When this raises, the hold is still open: it is the caller's to release.
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
    try:
        reply = _fetch(ask, stopwatch, left)
        ticket = replace(ticket, attempt_id=reply.attempt_id)
        gateway.get_portal(ask.question.state, sandbox=ask.sandbox)  # switched off meanwhile: its answer is not sold
    except PortalError as error:
        ticket = replace(ticket, attempt_id=error.attempt_id or ticket.attempt_id)
        return settlement.settle_failure(ask, hold, ticket, error, stopwatch=stopwatch, try_again=try_again)
    return settlement.settle_reply(ask, hold, ticket, reply, stopwatch=stopwatch)


def _fetch(ask: Ask, stopwatch: Stopwatch, left: float) -> gateway.Reply | gateway.NameReply:
    query = ask.question.to_query()
    how: dict[str, Any] = {"budget_seconds": left, "sandbox": ask.sandbox, "asked_by": ask.ask_id}
    if ask.question.is_name_check:
        return gateway.fetch_name(query, now=stopwatch.now, from_copy=ask.question.from_copy, **how)
    return gateway.fetch(query, now=stopwatch.now, **how)


def find_stored(ask: Ask, *, now: datetime) -> StoredAnswer | None:
    """The stored answer that will do for this ask; None when the registry has to be asked."""
    if not ask.accepts_stored:
        return None
    since = now - stored_answers.max_age(ask.account)
    return stored_answers.find_answer(ask.question, sandbox=ask.sandbox, since=since)


def _pick_up(ask: Ask) -> tuple[Ask, Delivered | None]:
    """Find what a try that broke off had settled: what was sold is delivered again, the rest starts anew."""
    settled = settlement.find_settled(ask)
    if settled is None:
        return ask, None
    paid = settlement.find_paid_verdict(ask, settled)
    if paid is not None:
        return replace(ask, paid=paid), None
    delivered = settlement.redeliver(ask, settled)
    return (ask, delivered) if delivered else (replace(ask, ask_id=uuid4()), None)
