"""How a lookup ends: what is stored, what is paid and what is written down, together in one short transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from billing.ledger_errors import BudgetExceeded, InsufficientFunds
from lookups.lookup import rows, single_flight, storage
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Cancelled, Failed, Found, Judged, NothingFound, OutOfFunds, Refused, Unavailable
from lookups.lookup.payers import Bill, KeyPayer
from lookups.lookup.rows import Making
from lookups.models import Job, Lookup, StoredAnswer
from lookups.names import check as names
from lookups.verdicts import Breakdown
from scrapers.failures import Failure, PortalDisabled, PortalError
from scrapers.gateway import NameReply, Reply
from scrapers.records import NotFound
from scrapers.refusals import QueryRefused

CRASHED: single_flight.Result = {"kind": "crashed"}
Empty = NothingFound | Unavailable | Refused | Failed | Cancelled
"""What delivers nothing: the money goes back."""


def is_ours(ask: Ask, lookup: Lookup) -> bool:
    """Whether this lookup may still be ended by its caller; locks it until the caller's transaction ends.

    A lookup that was ended (its state switched off, its deadline, an operator), or whose job another worker has taken
    over, is not settled here any more: its money went back, or is that worker's to take.
    """
    if lookup.pk is None:
        return True
    same = Lookup.objects.select_for_update(of=("self",)).filter(pk=lookup.pk)
    found = same.values_list("verdict", "job__status", "job__claim").first()
    if found is None or found[0] is not None:
        return False
    return found[1] is None or found[1:] == (Job.Status.PROCESSING, ask.claim or ask.ask_id)


def settle_reply(
    ask: Ask, lookup: Lookup, ticket: single_flight.Ticket, reply: Reply | NameReply, *, stopwatch: Stopwatch
) -> Lookup:
    """The registry answered: store and sell what it has, or release the money. A verdict is sold and not stored.

    What is paid outside our ledger is paid first: of an answer that is not paid nothing is kept.
    """
    making = Making(reply.attempt_id)
    if isinstance(reply, NameReply):
        result: single_flight.Result = {
            "kind": "check",
            "check": names.verdict_fields(ask.question, reply, sandbox=ask.sandbox),
        }
    elif isinstance(reply.answer, NotFound):
        result = {"kind": "not_found", **storage.absence_fields(reply.answer, note=reply.note)}
    else:
        ask.payer.collect(ask.bill, now=stopwatch.now)
        with transaction.atomic():
            answer = storage.store(question=ask.question, reply=reply, sandbox=ask.sandbox)
            single_flight.finish(ticket, result={"kind": "answer", "id": answer.pk}, now=stopwatch.now)
            return _settle(ask, lookup, Found(answer), making, stopwatch=stopwatch)
    if result["kind"] == "check":
        ask.payer.collect(ask.bill, now=stopwatch.now)
    with transaction.atomic():
        single_flight.finish(ticket, result=result, now=stopwatch.now)
        return _settle(ask, lookup, read(ask, result), making, stopwatch=stopwatch)


TryAgain = Callable[[Unavailable], bool]
"""Asked before a failure ends a lookup; True: it stays open, with its hold, and whoever says so tries it again."""


def never(failure: Unavailable) -> bool:
    """Every failure is final."""
    return False


def settle_failure(
    ask: Ask,
    lookup: Lookup,
    ticket: single_flight.Ticket,
    error: PortalError,
    *,
    stopwatch: Stopwatch,
    try_again: TryAgain = never,
) -> Lookup:
    """The registry did not answer: nothing is known, nothing is owed, and those who share the fetch learn it too."""
    hint = names.find_hint(ask.question, sandbox=ask.sandbox)
    if isinstance(error, QueryRefused):
        result: single_flight.Result = {
            "kind": "refused",
            "refusal": error.refusal.value,
            "values": error.values,
            "note": hint,
        }
    else:
        result = {
            "kind": "unavailable",
            "reason": error.reason.value,
            "retryable": error.retryable,
            "retry_after": error.retry_after,
            "note": error.detail if isinstance(error, PortalDisabled) else hint,
        }
    with transaction.atomic():
        single_flight.finish(ticket, result=result, now=stopwatch.now)
        outcome = read(ask, result)
        if isinstance(outcome, Unavailable) and try_again(outcome):
            return lookup
        return _settle(ask, lookup, outcome, Making(ticket.attempt_id), stopwatch=stopwatch)


def share(
    ask: Ask,
    lookup: Lookup,
    result: single_flight.Result | None,
    *,
    stopwatch: Stopwatch,
    try_again: TryAgain = never,
) -> Lookup:
    """Somebody else's fetch of the same question ended, or took longer than this caller can wait (None)."""
    making = Making(result.get("attempt_id") if result is not None else None, shared=True)
    outcome = read(ask, result) if result is not None else _timed_out(ask)
    if isinstance(outcome, Unavailable) and try_again(outcome):
        return lookup
    if isinstance(outcome, Found | Judged):
        ask.payer.collect(ask.bill, now=stopwatch.now)
    with transaction.atomic():
        return _settle(ask, lookup, outcome, making, stopwatch=stopwatch)


def read(ask: Ask, result: single_flight.Result) -> Found | Judged | NothingFound | Refused | Unavailable:
    """The outcome behind the result of a fetch; FetchLost when it broke down."""
    match result["kind"]:
        case "answer":
            return Found(StoredAnswer.objects.whole().get(pk=result["id"]))
        case "check":
            return Judged(result["check"])
        case "not_found":
            return NothingFound(result["suggestions"], result["ambiguous"], result["note"], result["evidence"])
        case "refused":
            return Refused(result["refusal"], result["values"], result["note"])
        case "unavailable":
            return Unavailable(
                ask.question.state, result["reason"], result["retryable"], result["retry_after"], result.get("note")
            )
    raise single_flight.FetchLost


def find_stored(ask: Ask, *, stopwatch: Stopwatch) -> StoredAnswer | None:
    """The stored answer that will do for this ask; None when the registry has to be asked."""
    if not ask.accepts_stored:
        return None
    since = stopwatch.now - rows.max_age(ask.account)
    question = ask.question
    return (
        StoredAnswer.objects.whole()
        .filter(
            question=question.digest,
            state=question.state,
            kind=question.kind,
            sandbox=ask.sandbox,
            retrieved_at__gt=since,
        )
        .first()
    )


def sell_stored(ask: Ask, lookup: Lookup, answer: StoredAnswer, *, stopwatch: Stopwatch) -> Lookup:
    """Sell a stored answer at its own price; what was held for a live one goes back.

    For a question that was not accepted yet: raises InsufficientFunds when the balance is too low, and
    rows.AskedBefore.
    """
    try:
        return _sell_stored(ask, lookup, answer, stopwatch=stopwatch)
    except InsufficientFunds:
        if lookup.pk is None:
            raise
    return end(ask, lookup, Failed(Breakdown.OUT_OF_FUNDS), stopwatch=stopwatch)


def _sell_stored(ask: Ask, lookup: Lookup, answer: StoredAnswer, *, stopwatch: Stopwatch) -> Lookup:
    ask_stored = replace(ask, price=ask.stored_price)
    ask.payer.collect(ask_stored.bill, now=stopwatch.now)
    with transaction.atomic():
        if not is_ours(ask, lookup):
            return _now(lookup)
        if lookup.pk is None and ask_stored.price:
            rows.refuse_repetition(ask, now=stopwatch.now)
        if lookup.hold is not None:
            ask.payer.release(ask.bill, lookup.hold, reason="stored", now=stopwatch.now)
        paid = ask.payer.charge(ask_stored.bill, now=stopwatch.now)
        lookup.price = ask_stored.price
        return rows.end(lookup, Found(answer, stored=True), stopwatch=stopwatch, paid=paid)


def end(ask: Ask, lookup: Lookup, outcome: Empty, *, stopwatch: Stopwatch) -> Lookup:
    """End a lookup that delivers nothing, while it is ours: the money is released, and the row says why."""
    with transaction.atomic():
        return _settle(ask, lookup, outcome, Making(), stopwatch=stopwatch)


def end_locked(ask: Ask, lookup: Lookup, outcome: Empty, *, stopwatch: Stopwatch) -> Lookup:
    """The same for a caller who takes it from whoever works on it, and holds the lock of its job."""
    ask.payer.release(ask.bill, lookup.hold, reason=_word(outcome), now=stopwatch.now)
    return rows.end(lookup, outcome, stopwatch=stopwatch)


def end_unattended(*, before: datetime, now: datetime, limit: int = 500) -> int:
    """End lookups from before that moment whose process was lost, and give their money back; returns how many.

    Should it be alive after all, it finds its lookup ended and sells nothing.
    """
    ended = 0
    lost = Lookup.objects.unattended(before, now).filter(bulk__isnull=True)
    for number in list(lost.values_list("pk", flat=True)[:limit]):
        with transaction.atomic():
            mine = Lookup.objects.unattended(before, now).select_for_update(of=("self",))
            lookup = mine.select_related("key__account", "hold").filter(pk=number).first()
            if lookup is None:
                continue  # it has ended meanwhile, or become a job
            if lookup.key is not None:
                bill = Bill(lookup.ask_id, lookup.price, lookup.asked, lookup.request_id)
                KeyPayer(lookup.key).release(bill, lookup.hold, reason=Breakdown.BROKEN.value, now=now)
            rows.end(lookup, Failed(Breakdown.BROKEN), stopwatch=Stopwatch(now))
        ended += 1
    return ended


def out_of_funds(short: InsufficientFunds) -> OutOfFunds:
    """The ledger's refusal as a result."""
    return OutOfFunds(short.available, short.needed, by_budget=isinstance(short, BudgetExceeded))


def _settle(
    ask: Ask, lookup: Lookup, outcome: Found | Judged | Empty, making: Making, *, stopwatch: Stopwatch
) -> Lookup:
    """Take or release the money and end the row; joins the caller's transaction, and changes nothing that is not ours.

    What somebody else's ask has stored or shared stands in any case.
    """
    if not is_ours(ask, lookup):
        return _now(lookup)
    if not isinstance(outcome, Found | Judged):
        ask.payer.release(ask.bill, lookup.hold, reason=_word(outcome), now=stopwatch.now)
        return rows.end(lookup, outcome, stopwatch=stopwatch, making=making)
    try:
        # The lookup is ours and locked: a hold that has ended meanwhile is charged anew.
        paid = ask.payer.capture(ask.bill, lookup.hold, now=stopwatch.now)
    except InsufficientFunds:
        # The hold had expired and the credit is gone: the record is kept, not delivered.
        return rows.end(lookup, Failed(Breakdown.OUT_OF_FUNDS), stopwatch=stopwatch, making=making)
    return rows.end(lookup, outcome, stopwatch=stopwatch, paid=paid, making=making)


def _now(lookup: Lookup) -> Lookup:
    """The lookup as somebody else has left it."""
    return Lookup.objects.whole().get(pk=lookup.pk)


def _timed_out(ask: Ask) -> Unavailable:
    hint = names.find_hint(ask.question, sandbox=ask.sandbox)
    return Unavailable(ask.question.state, Failure.TIMEOUT, note=hint)


def _word(outcome: Empty) -> str:
    """Why the money goes back, in the statement."""
    match outcome:
        case NothingFound():
            return "not_found"
        case Unavailable():
            return "source_unavailable"
        case Refused():
            return "refused"
        case Failed(reason=why):
            return why.value
        case Cancelled():
            return "cancelled"
