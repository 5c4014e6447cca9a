"""How a lookup ends: what is stored, what is paid and what is noted, together in one short transaction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import transaction

from billing import ledger
from billing.models import Hold
from lookups.lookup import payers, single_flight, storage, stored_answers
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Delivered, Judged, NothingFound, Outcome, OutOfFunds, Refused, Unavailable
from lookups.models import Job, Lookup, StoredAnswer
from lookups.names import check as names
from scrapers.failures import Failure, PortalError
from scrapers.gateway import NameReply, Reply
from scrapers.records import NotFound
from scrapers.refusals import QueryRefused

CRASHED: single_flight.Result = {"kind": "crashed"}


def is_ours(ask: Ask) -> bool:
    """Whether this ask may still be settled by its caller; locks its job until the caller's transaction ends.

    A job that was ended (its state switched off, its deadline, an operator) or that another worker has taken over is
    not settled here any more: its money went back, or is that worker's to take.
    """
    if not ask.may_wait:
        return True
    job = Job.objects.select_for_update().filter(ask_id=ask.ask_id).values_list("status", "claim").first()
    return job is None or job == (Job.Status.PROCESSING, ask.claim or ask.ask_id)


def _lost(ask: Ask) -> Unavailable:
    """What a caller gets whose ask is not its own any more; it reaches nobody, for the job has its own end."""
    return Unavailable(ask.question.state, Failure.TIMEOUT)


def settle_reply(
    ask: Ask, hold: Hold | None, ticket: single_flight.Ticket, reply: Reply | NameReply, *, stopwatch: Stopwatch
) -> Outcome:
    """The registry answered: store and sell what it has, or release the money. A verdict is sold and not stored."""
    if isinstance(reply, NameReply):
        verdict = names.verdict_fields(ask.question, reply, sandbox=ask.sandbox)
        with transaction.atomic():
            single_flight.finish(ticket, result={"kind": "verdict", "verdict": verdict}, now=stopwatch.now)
            return _sell_live(ask, hold, verdict, stopwatch=stopwatch, attempt_id=reply.attempt_id)
    if isinstance(reply.answer, NotFound):
        result = {"kind": "not_found", **storage.absence_fields(reply.answer, note=reply.note)}
        with transaction.atomic():
            single_flight.finish(ticket, result=result, now=stopwatch.now)
            return end(ask, hold, read(ask, result), stopwatch=stopwatch, attempt_id=reply.attempt_id)
    with transaction.atomic():
        answer = storage.store(question=ask.question, reply=reply, sandbox=ask.sandbox)
        single_flight.finish(ticket, result={"kind": "answer", "id": answer.pk}, now=stopwatch.now)
        return _sell_live(ask, hold, answer, stopwatch=stopwatch, attempt_id=reply.attempt_id)


TryAgain = Callable[[Unavailable], bool]
"""Asked before a failure ends a lookup; True: it stays open, with its hold, and whoever says so tries it again."""


def never(failure: Unavailable) -> bool:
    """Every failure is final."""
    return False


def settle_failure(
    ask: Ask,
    hold: Hold | None,
    ticket: single_flight.Ticket,
    error: PortalError,
    *,
    stopwatch: Stopwatch,
    try_again: TryAgain = never,
) -> Outcome:
    """The registry did not answer: nothing is known, nothing is owed, and those who share the fetch learn it too."""
    hint = names.find_hint(ask.question, sandbox=ask.sandbox)
    if isinstance(error, QueryRefused):
        result: single_flight.Result = {"kind": "refused", "text": " ".join(filter(None, (error.sentence, hint)))}
    else:
        result = {
            "kind": "unavailable",
            "reason": error.reason.value,
            "retryable": error.retryable,
            "retry_after": error.retry_after,
            "note": hint,
        }
    with transaction.atomic():
        single_flight.finish(ticket, result=result, now=stopwatch.now)
        outcome = read(ask, result)
        if isinstance(outcome, Unavailable) and try_again(outcome):
            return outcome
        return end(ask, hold, outcome, stopwatch=stopwatch, attempt_id=ticket.attempt_id)


def share(
    ask: Ask,
    hold: Hold | None,
    result: single_flight.Result | None,
    *,
    stopwatch: Stopwatch,
    try_again: TryAgain = never,
) -> Outcome:
    """Somebody else's fetch of the same question ended, or took longer than this caller can wait (None)."""
    attempt_id = result.get("attempt_id") if result is not None else None
    if result is not None and result["kind"] == "answer":
        answer = StoredAnswer.objects.select_related("entity").get(pk=result["id"])
        with transaction.atomic():
            return _sell_live(ask, hold, answer, stopwatch=stopwatch, shared=True, attempt_id=attempt_id)
    if result is not None and result["kind"] == "verdict":
        with transaction.atomic():
            return _sell_live(ask, hold, result["verdict"], stopwatch=stopwatch, shared=True, attempt_id=attempt_id)
    outcome = read(ask, result) if result is not None else _timed_out(ask)
    if isinstance(outcome, Unavailable) and try_again(outcome):
        return outcome
    return end(ask, hold, outcome, stopwatch=stopwatch, shared=True, attempt_id=attempt_id)


def _timed_out(ask: Ask) -> Unavailable:
    hint = names.find_hint(ask.question, sandbox=ask.sandbox)
    return Unavailable(ask.question.state, Failure.TIMEOUT, note=hint)


def read(ask: Ask, result: single_flight.Result) -> NothingFound | Refused | Unavailable:
    """The outcome behind a result that brought no record; FetchLost when it broke down."""
    kind = result["kind"]
    if kind == "not_found":
        return NothingFound(result["suggestions"], result["ambiguous"], result["note"], result["evidence"])
    if kind == "refused":
        return Refused("entity_id" if ask.question.entity_id else "entity_name", result["text"])
    if kind == "unavailable":
        return Unavailable(
            ask.question.state, result["reason"], result["retryable"], result["retry_after"], result.get("note")
        )
    raise single_flight.FetchLost


def sell_stored(ask: Ask, answer: StoredAnswer, *, stopwatch: Stopwatch, hold: Hold | None = None) -> Outcome:
    """Charge for a stored answer, from `hold` if there is one; it costs what a live one does."""
    try:
        with transaction.atomic():
            if ask.claim is not None and not is_ours(ask):
                return _lost(ask)
            paid = _capture(ask, hold, stopwatch) if hold else ask.payer.charge(ask.bill, now=stopwatch.now)
            _note(ask, hold, Lookup.Outcome.FOUND, stopwatch, is_copy=True, answer=answer, cost=paid.cost)
    except ledger.InsufficientFunds as short:
        return out_of_funds(short)
    except ledger.HoldEnded:
        return _lost(ask)
    expires_at = answer.retrieved_at + stored_answers.max_age(ask.account)
    return Delivered(answer, live=False, cost=paid.cost, balance=paid.balance, expires_at=expires_at)


def end(
    ask: Ask,
    hold: Hold | None,
    outcome: NothingFound | Refused | Unavailable,
    *,
    stopwatch: Stopwatch,
    shared: bool = False,
    attempt_id: int | None = None,
    locked: bool = False,
) -> Outcome:
    """End a lookup that delivers nothing: the money is released, and the row says why.

    Only while the ask is ours; `locked`: the caller holds the lock of its job and has seen to that.
    """
    match outcome:
        case NothingFound(ambiguous=ambiguous):
            word, reason = Lookup.Outcome.NOT_FOUND, "ambiguous" if ambiguous else ""
        case Unavailable(reason=reason):
            word = Lookup.Outcome.UNAVAILABLE
        case Refused():
            word, reason = Lookup.Outcome.REFUSED, "unsupported" if outcome.unsupported else ""
    with transaction.atomic():
        if not locked and not is_ours(ask):
            return _lost(ask)
        ask.payer.release(ask.bill, hold, reason=word.value, now=stopwatch.now)
        _note(ask, hold, word, stopwatch, reason=reason, shared=shared, attempt_id=attempt_id)
    return outcome


def out_of_funds(short: ledger.InsufficientFunds) -> OutOfFunds:
    """The ledger's refusal as an outcome."""
    return OutOfFunds(short.available, short.needed, by_budget=isinstance(short, ledger.BudgetExceeded))


def find_settled(ask: Ask) -> Lookup | None:
    """The lookup that was settled under this ask's id before, with its answer."""
    return Lookup.objects.select_related("answer__entity").filter(ask_id=ask.ask_id).first()


def find_outcome(ask: Ask) -> Delivered | NothingFound | Refused | Unavailable | None:
    """How this ask had ended before a crash, as far as its row remembers; None when it had not."""
    settled = find_settled(ask)
    if settled is None:
        return None
    match settled.outcome:
        case Lookup.Outcome.FOUND:
            return redeliver(ask, settled)
        case Lookup.Outcome.NOT_FOUND:
            return NothingFound(ambiguous=settled.reason == "ambiguous")
        case Lookup.Outcome.UNAVAILABLE:
            return Unavailable(ask.question.state, settled.reason)
    return Refused("entity_id" if ask.question.entity_id else "entity_name", "The registry refused this question.")


def find_paid_verdict(ask: Ask, settled: Lookup) -> payers.Paid | None:
    """What was paid for a verdict whose reply was lost; None for all else. It is not stored, so it is made anew."""
    if not ask.question.is_name_check or settled.outcome != Lookup.Outcome.FOUND:
        return None
    return payers.Paid(settled.cost, ask.account.available if ask.account else None)


def redeliver(ask: Ask, settled: Lookup) -> Delivered | None:
    """What was sold before and may not have reached the customer; None when nothing was."""
    if settled.outcome != Lookup.Outcome.FOUND or settled.answer is None:
        return None
    live = settled.source == Lookup.Source.LIVE
    expires_at = None if live else settled.answer.retrieved_at + stored_answers.max_age(ask.account)
    return Delivered(settled.answer, live, settled.cost, ask.account.available if ask.account else None, expires_at)


def _sell_live(
    ask: Ask,
    hold: Hold | None,
    answer: StoredAnswer | dict[str, Any],
    *,
    stopwatch: Stopwatch,
    shared: bool = False,
    attempt_id: int | None = None,
) -> Outcome:
    try:
        if not is_ours(ask):
            return _lost(ask)
        paid = _capture(ask, hold, stopwatch)
    except ledger.InsufficientFunds as short:
        return out_of_funds(short)  # the hold had expired and the credit is gone: the record is kept, not delivered
    except ledger.HoldEnded:
        return _lost(ask)
    stored = answer if isinstance(answer, StoredAnswer) else None
    _note(
        ask, hold, Lookup.Outcome.FOUND, stopwatch, answer=stored, cost=paid.cost, shared=shared, attempt_id=attempt_id
    )
    if not isinstance(answer, StoredAnswer):
        return Judged(answer, cost=paid.cost, balance=paid.balance)
    return Delivered(answer, live=True, cost=paid.cost, balance=paid.balance)


def _capture(ask: Ask, hold: Hold | None, stopwatch: Stopwatch) -> payers.Paid:
    """Take the money; a hold that has ended is charged anew only while the ask is ours."""
    if ask.paid is not None:
        return ask.paid
    return ask.payer.capture(ask.bill, hold, now=stopwatch.now, may_charge_anew=partial(is_ours, ask))


def _note(
    ask: Ask,
    hold: Hold | None,
    outcome: Lookup.Outcome,
    stopwatch: Stopwatch,
    *,
    is_copy: bool = False,
    reason: str = "",
    answer: StoredAnswer | None = None,
    cost: int = 0,
    shared: bool = False,
    attempt_id: int | None = None,
) -> None:
    if ask.paid is not None:
        return  # the row was written when it was paid
    Lookup.objects.create(
        ask_id=ask.ask_id,
        account=ask.account,
        key=ask.payer.key,
        payment=ask.payer.payment,
        hold=hold,
        answer=answer,
        state=ask.question.state,
        kind=ask.question.kind,
        asked=ask.question.words,
        sandbox=ask.sandbox,
        source=Lookup.Source.CACHE if is_copy or ask.question.from_copy else Lookup.Source.LIVE,
        outcome=outcome,
        reason=reason,
        shared=shared,
        cost=cost,
        attempt_id=attempt_id,
        duration_ms=round(stopwatch.seconds * 1000),
        request_id=ask.request_id,
        created_at=stopwatch.begun,
    )
