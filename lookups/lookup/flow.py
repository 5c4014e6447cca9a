"""THE STORY: one question from the request to its outcome, whoever pays and whether a record or a verdict is asked for.

A stored answer is sold at once. Otherwise the question is accepted: its row is written and its price held. The portal
is asked (by us, or by somebody who is asking the same thing right now) with no transaction open, and one short
transaction stores the record, captures the price and ends the row, or releases the price when there was nothing to
deliver. A crash at any point leaves at worst a hold that expires and a row that the sweep ends; where a payment that
came with the request may have moved money, the row stays open, and the same payment finds it again.
A registry known to be slow is asked by a worker: the question is accepted here, and the story goes on in `jobs.runner`.
What turns out to take longer than the caller waits goes on in its own thread (`handover`); so does, at once, what is
asked while half of the web threads wait for registries.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection

from billing.challenge import PaymentProblem
from billing.ledger_errors import InsufficientFunds
from lookups.identities import attaching
from lookups.jobs import lifecycle
from lookups.lookup import checks, handover, payers, rows, settlement, single_flight
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Accepted, Ended, Failed, NobodyAtWork, Result, TooManyAtOnce
from lookups.models import Job, Lookup
from lookups.operations import heartbeats, tracing
from lookups.verdicts import Breakdown
from scrapers import gateway
from scrapers.failures import PortalError
from scrapers.operations.readiness import Readiness

log = logging.getLogger(__name__)
STILL_OWED = "This is paid, and could not be delivered yet: send the same payment with the same body again."


def perform(*, ask: Ask, now: datetime) -> Result:
    """Answer one question and charge for it; whatever a portal or a balance may do is a result, not an exception.

    A fetch that outlives the synchronous budget becomes a job, where the ask may wait; elsewhere it is a time-out.
    Raises billing.challenge.PaymentProblem when a payment that came with the request is not good, or failed in the end.
    """
    stopwatch, payer = Stopwatch(now), ask.payer
    payer.claim(now=now)
    try:
        result = _perform(ask, stopwatch)
    except BaseException as error:
        payer.abandon(reason="internal_error", now=stopwatch.now)
        if payer.is_owed and isinstance(error, Exception) and not isinstance(error, PaymentProblem):
            log.exception("A lookup that is paid for could not be delivered; its payer can claim it.")
            raise PaymentProblem("internal-payment-error", STILL_OWED) from error
        raise
    if not isinstance(result, Ended):
        payer.unclaim()
        return result
    payer.abandon(reason=result.lookup.verdict or "", now=stopwatch.now)
    attaching.attach(result.lookup, now=stopwatch.now)
    return replace(result, receipt=payer.receipt) if result.lookup.charged else result


def _perform(ask: Ask, stopwatch: Stopwatch) -> Result:
    if ask.payer.is_owed:
        owed = Lookup.objects.whole().filter(payment=ask.payer.payment).first()
        if owed is not None:
            return _deliver_owed(replace(ask, ask_id=owed.ask_id), owed, stopwatch)
    if ask.resumed:
        earlier = _find_earlier(ask)
        if isinstance(earlier, Ended | Accepted):
            return earlier
        lookup = earlier
        if lookup is not None:
            ask = replace(ask, price=lookup.price)  # as it was accepted
    else:
        lookup = None
    try:
        return _answer(ask, lookup, stopwatch)
    except InsufficientFunds as short:
        return settlement.out_of_funds(short)
    except rows.AskedBefore as before:
        return _repeat(ask, before.lookup, stopwatch)


def _repeat(ask: Ask, earlier: Lookup, stopwatch: Stopwatch) -> Result:
    """The same was asked a moment ago: told again, or waited for where it is still being answered."""
    same = replace(ask, ask_id=earlier.ask_id, price=earlier.price, accepts_stored=False)
    with ask.payer.place(now=stopwatch.now) as is_free, handover.seat() as may_stay:
        if not is_free:
            return TooManyAtOnce(limit=ask.payer.limit)
        if not may_stay and earlier.verdict is None:
            return TooManyAtOnce(limit=0)
        found = _wait_for(same, stopwatch)
    return _answer(same, found, stopwatch) if isinstance(found, Lookup) else found


def _wait_for(ask: Ask, stopwatch: Stopwatch) -> Ended | Accepted | Lookup:
    """What somebody else's request under this ask's id comes to; its open row, where nobody answers it any more."""
    for _ in single_flight.looks(budget_seconds=settings.SYNC_BUDGET_SECONDS - stopwatch.seconds):
        lookup = Lookup.objects.whole().get(ask_id=ask.ask_id)
        if lookup.verdict is not None:
            return Ended(lookup, repeated=True)
        job = lifecycle.repeat(ask)
        if job is not None:
            return Accepted(job, repeated=True)
    return lookup


def _deliver_owed(ask: Ask, lookup: Lookup, stopwatch: Stopwatch) -> Ended:
    """What an earlier request with the same payment has paid for: its answer, or the one that it did not get.

    A registry that cannot be asked now ends nothing: the answer is owed until it is there.
    """
    ask.payer.collect(ask.bill, now=stopwatch.now)  # moved before: this is its receipt
    if lookup.verdict is None and checks.find_objection(ask, now=stopwatch.now) is None:
        budget = settings.SYNC_BUDGET_SECONDS
        lookup = answer(ask, lookup, stopwatch, try_again=lambda _: True, budget_seconds=budget)
    if lookup.verdict is None:
        raise PaymentProblem("internal-payment-error", STILL_OWED)
    return Ended(lookup)


def _find_earlier(ask: Ask) -> Ended | Accepted | Lookup | None:
    """What an earlier try of this ask came to: its answer, its job, or its row that is still open; None: nothing."""
    job = Job.objects.filter(ask_id=ask.ask_id).first()
    if job is not None:
        return Accepted(job)
    lookup = rows.find(ask)
    if lookup is None or lookup.verdict is None:
        return lookup
    return Ended(lookup)


def _answer(ask: Ask, lookup: Lookup | None, stopwatch: Stopwatch) -> Result:
    now = stopwatch.begun
    row = lookup or rows.draft(ask, now=now)
    stored = settlement.find_stored(ask, stopwatch=stopwatch)
    if stored is not None:
        return Ended(settlement.sell_stored(ask, row, stored, stopwatch=stopwatch))
    known = gateway.look_at(ask.question.state, sandbox=ask.sandbox)
    objection = checks.find_objection(ask, now=now, known=known)
    if objection is not None:
        return Ended(settlement.end(ask, row, objection, stopwatch=stopwatch))
    wait = checks.find_wait(ask, now=now) if ask.may_wait else None
    if wait is not None:
        return _leave_to_worker(ask, row, wait, stopwatch)
    with ask.payer.place(now=now) as is_free, handover.seat() as may_stay:
        if not is_free:
            return TooManyAtOnce(limit=ask.payer.limit)
        return _ask_registry(ask, row, stopwatch, known=known, patience=_count_patience(ask) if may_stay else 0.0)


def _count_patience(ask: Ask) -> float:
    """Seconds that the caller waits for an answer before it becomes a job."""
    budget = settings.SYNC_BUDGET_SECONDS
    return budget if ask.patience is None else min(budget, ask.patience.total_seconds())


def _leave_to_worker(ask: Ask, row: Lookup, wait: int, stopwatch: Stopwatch) -> Result:
    """Accept it as a job, if somebody lives who would do it."""
    if heartbeats.is_at_work(heartbeats.Role.WORKER):
        return lifecycle.accept(ask, row, estimated_seconds=wait, now=stopwatch.begun)
    if row.pk is not None:  # taken up again after a crash: it ends here, and its price goes back
        settlement.end(ask, row, Failed(Breakdown.BROKEN), stopwatch=stopwatch)
    return NobodyAtWork()


def _ask_registry(
    ask: Ask, lookup: Lookup, stopwatch: Stopwatch, *, known: Readiness | None, patience: float
) -> Result:
    # A thread could not see what its caller's open transaction has written.
    patient = ask.may_wait and not connection.in_atomic_block
    if not patience and not patient:
        return TooManyAtOnce(limit=0)  # nobody may wait in this thread, and it cannot be answered later
    if patient and patience < settings.SYNC_BUDGET_SECONDS and not lifecycle.has_room(ask):
        return TooManyAtOnce(limit=ask.payer.limit)
    hold_for = lifecycle.hold_for(ask) if patient else payers.HOLD_FOR
    rows.accept(ask, lookup, now=stopwatch.now, hold_for=hold_for)
    try:
        if not patient:
            return Ended(answer(ask, lookup, stopwatch, budget_seconds=settings.SYNC_BUDGET_SECONDS, known=known))
        work = partial(answer, ask, lookup, stopwatch, budget_seconds=lifecycle.BUDGET_SECONDS, known=known)
        return handover.answer_in_time(ask, lookup, stopwatch, work=work, patience=patience)
    except BaseException as error:
        if not ask.payer.is_owed:
            why = Breakdown.OUT_OF_FUNDS if isinstance(error, PaymentProblem) else Breakdown.BROKEN
            settlement.end(ask, lookup, Failed(why), stopwatch=stopwatch)
        raise


def answer(
    ask: Ask,
    lookup: Lookup,
    stopwatch: Stopwatch,
    try_again: settlement.TryAgain = settlement.never,
    *,
    budget_seconds: float,
    known: Readiness | None = None,
) -> Lookup:
    """Ask the registry, or wait for whoever is asking it the same thing, and settle by what comes of it.

    The lookup comes back ended, or open where `try_again` has kept it so. When this raises it is still open, and the
    caller's to end.
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
        try:
            return settlement.share(ask, lookup, result, stopwatch=stopwatch, try_again=try_again)
        except single_flight.AnswerReplaced:
            return answer(ask, lookup, stopwatch, try_again, budget_seconds=budget_seconds, known=known)
    left = max(1.0, budget_seconds - stopwatch.seconds)
    try:
        fetch = partial(_fetch, ask, stopwatch, left, known)
        return _fetch_and_settle(ask, lookup, ticket, stopwatch, fetch, try_again)
    except PaymentProblem:  # nothing was kept: whoever waits for it asks the registry itself
        single_flight.leave(ticket, now=stopwatch.now)
        raise
    except BaseException:
        single_flight.finish(ticket, result=settlement.CRASHED, now=stopwatch.now)
        raise


def _fetch_and_settle(
    ask: Ask,
    lookup: Lookup,
    ticket: single_flight.Ticket,
    stopwatch: Stopwatch,
    fetch: Callable[[], gateway.Reply | gateway.NameReply],
    try_again: settlement.TryAgain,
) -> Lookup:
    try:
        reply = fetch()
        ticket = replace(ticket, attempt_id=reply.reading.attempt_id, reading_id=reply.reading.pk)
        return settlement.settle_reply(ask, lookup, ticket, reply, stopwatch=stopwatch)
    except PortalError as error:
        ticket = replace(ticket, attempt_id=error.attempt_id or ticket.attempt_id, reading_id=error.reading_id)
        return settlement.settle_failure(ask, lookup, ticket, error, stopwatch=stopwatch, try_again=try_again)


def _fetch(ask: Ask, stopwatch: Stopwatch, left: float, known: Readiness | None) -> gateway.Reply | gateway.NameReply:
    query = ask.question.to_query()
    how: dict[str, Any] = {"budget_seconds": left, "sandbox": ask.sandbox, "asked_by": ask.ask_id, "known": known}
    with tracing.span("portal", state=query.state, kind=query.kind):
        if ask.question.is_name_check:
            return gateway.fetch_name(query, now=stopwatch.now, from_copy=ask.question.from_copy, **how)
        return gateway.fetch(query, now=stopwatch.now, **how)
