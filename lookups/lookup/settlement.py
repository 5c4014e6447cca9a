"""How a lookup ends: what is stored, what is paid and what is written down, together in one short transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from billing.ledger_errors import BudgetExceeded, InsufficientFunds
from billing.models import Hold
from jurisdictions import selectors as jurisdictions
from jurisdictions.prepared import Blank, Prepared
from lookups.lookup import rows, single_flight, storage
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Cancelled, Failed, Found, Judged, NothingFound, OutOfFunds, Refused, Unavailable
from lookups.lookup.payers import Bill, KeyPayer
from lookups.lookup.rows import Making
from lookups.models import Job, Lookup, StoredAnswer
from lookups.names import check as names
from lookups.verdicts import Breakdown
from scrapers import gateway
from scrapers.failures import Failure, PortalDisabled, PortalError
from scrapers.gateway import NameReply, Reply
from scrapers.records import NotFound
from scrapers.refusals import QueryRefused

log = logging.getLogger(__name__)
Row = TypeVar("Row", Job, Lookup)
CRASHED: single_flight.Result = {"kind": "crashed"}


def _same(*of: str) -> QuerySet[Lookup]:
    off = Exists(jurisdictions.list_off().filter(pk=OuterRef("state")))
    same = Lookup.objects.filter(id=Blank("id"))
    if "hold" in of:
        same = same.select_related("hold__account").filter(hold__created_at__isnull=False)  # locked: no outer join
    same = same.select_for_update(no_key=True, of=of)
    return same.annotate(job_status=F("job__status"), job_claim=F("job__claim"), is_off=off)


_LOCKED = Prepared(lambda: _same("self"))
_LOCKED_WITH_HOLD = Prepared(lambda: _same("self", "hold__account", "hold"))
_STORED = Prepared(
    lambda: StoredAnswer.objects.whole().filter(
        question=Blank("question"),
        state=Blank("state"),
        kind=Blank("kind"),
        sandbox=Blank("sandbox"),
        retrieved_at__gt=Blank("retrieved_at"),
    )
)
Empty = NothingFound | Unavailable | Refused | Failed | Cancelled
"""What delivers nothing: the money goes back."""


@dataclass(frozen=True, slots=True)
class Locked:
    """A lookup's row under its lock, with its hold and the hold's account under theirs.

    `is_ours`: whether it may still be ended by its caller. A lookup that was ended (its state switched off, its
    deadline, an operator), or whose job another worker has taken over, is not settled here any more: its money went
    back, or is that worker's to take. `is_off`: whether its state is switched off by now.
    """

    is_ours: bool
    held: Hold | None = None
    is_off: bool = False


def lock(ask: Ask, lookup: Lookup) -> Locked:
    """Lock a lookup until the caller's transaction ends, then its account, then its hold, all in one statement.

    PostgreSQL locks in the order that is named, and reads what it has locked as it is then.
    """
    if lookup.pk is None:
        return Locked(is_ours=True)  # what is not written yet has no hold either
    found: Any = (_LOCKED if lookup.hold_id is None else _LOCKED_WITH_HOLD).first(id=lookup.pk)
    if found is None:
        return Locked(is_ours=False)
    held_by = found.job_status, found.job_claim
    mine = held_by[0] is None or held_by == (Job.Status.PROCESSING, ask.claim or ask.ask_id)
    return Locked(found.verdict is None and mine, found.hold, found.is_off)


def settle_reply(
    ask: Ask, lookup: Lookup, ticket: single_flight.Ticket, reply: Reply | NameReply, *, stopwatch: Stopwatch
) -> Lookup:
    """The registry answered: store and sell what it has, or release the money. A verdict is sold and not stored.

    What is paid outside our ledger is paid first: of an answer that is not paid nothing is kept. Raises PortalDisabled
    when the state was switched off meanwhile: its answer is not sold, and nothing of it is kept. That is asked before
    money moves: outside our ledger here, within it under the lookup's lock.
    """
    if ask.payer.payment is not None:
        gateway.get_portal(ask.question.state, sandbox=ask.sandbox)
    making = Making(reply.reading.attempt_id, reply.reading.pk, reading=reply.reading)
    if isinstance(reply, NameReply):
        result: single_flight.Result = {
            "kind": "check",
            "check": names.verdict_fields(ask.question, reply, sandbox=ask.sandbox),
        }
        ask.payer.collect(ask.bill, now=stopwatch.now)
    elif isinstance(reply.answer, NotFound):
        result = {"kind": "not_found", **storage.absence_fields(reply.answer, reply.reading, note=reply.note)}
    else:
        ask.payer.collect(ask.bill, now=stopwatch.now)
        with transaction.atomic():
            answer = storage.store(question=ask.question, reply=reply, sandbox=ask.sandbox)
            result = {"kind": "answer", "id": answer.pk, "reading_id": reply.reading.pk}
            single_flight.finish(ticket, result=result, now=stopwatch.now)
            return _settle(ask, lookup, Found(answer), making, stopwatch=stopwatch, is_fresh=True)
    with transaction.atomic():
        single_flight.finish(ticket, result=result, now=stopwatch.now)
        return _settle(ask, lookup, read(ask, result), making, stopwatch=stopwatch, is_fresh=True)


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
    outcome = read(ask, result)
    # Before anything is locked: who says so may wait for another thread that writes.
    stays_open = isinstance(outcome, Unavailable) and try_again(outcome)
    with transaction.atomic():
        single_flight.finish(ticket, result=result, now=stopwatch.now)
        if stays_open:
            return lookup
        return _settle(ask, lookup, outcome, Making(ticket.attempt_id, ticket.reading_id), stopwatch=stopwatch)


def share(
    ask: Ask,
    lookup: Lookup,
    result: single_flight.Result | None,
    *,
    stopwatch: Stopwatch,
    try_again: TryAgain = never,
) -> Lookup:
    """Somebody else's fetch of the same question ended, or took longer than this caller can wait (None)."""
    known = result or {}
    making = Making(known.get("attempt_id"), known.get("reading_id"), shared=True)
    outcome = read(ask, result) if result is not None else _timed_out(ask)
    if isinstance(outcome, Unavailable) and try_again(outcome):
        return lookup
    if isinstance(outcome, Found | Judged):
        ask.payer.collect(ask.bill, now=stopwatch.now)
    with transaction.atomic():
        return _settle(ask, lookup, outcome, making, stopwatch=stopwatch)


def read(ask: Ask, result: single_flight.Result) -> Found | Judged | NothingFound | Refused | Unavailable:
    """The outcome behind the result of a fetch; FetchLost when it broke down, AnswerReplaced when it is gone by now."""
    match result["kind"]:
        case "answer":
            found = StoredAnswer.objects.whole().filter(pk=result["id"], reading=result.get("reading_id")).first()
            if found is None:
                raise single_flight.AnswerReplaced
            return Found(found)
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
    if not ask.accepts_stored or not ask.payer.can_pay(ask.stored_price):
        return None
    question = ask.question
    found = _STORED.first(
        question=question.digest,
        state=question.state,
        kind=question.kind,
        sandbox=ask.sandbox,
        retrieved_at=stopwatch.now - rows.max_age(ask.account),
    )
    return found if found is not None and storage.serves(found, question, today=stopwatch.now.date()) else None


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
    is_all = lookup.pk is None and not ask_stored.price  # its row is all there is to write: nothing has to go with it
    with nullcontext() if is_all else transaction.atomic():
        if not (locked := lock(ask, lookup)).is_ours:
            return _now(lookup)
        if lookup.pk is None and ask_stored.price:
            rows.refuse_repetition(ask, now=stopwatch.now)
        if locked.held is not None:
            ask.payer.release(ask.bill, locked.held, reason="stored", now=stopwatch.now, is_locked=True)
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
    lost = Lookup.objects.unattended(before, now).filter(bulk__isnull=True).only("pk")
    return end_each(lost[:limit], lambda lookup: _end_lost(lookup.pk, before=before, now=now))


def end_each(open_rows: Iterable[Row], end: Callable[[Row], bool]) -> int:
    """End each by itself; returns how many that ended.

    What fails on one keeps no other waiting, and is tried again by the next sweep. A database that is away is away for
    all of them.
    """
    ended = 0
    for row in open_rows:
        try:
            ended += end(row)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            log.exception("%s %s could not be ended.", type(row).__name__, row.pk)
    return ended


def _end_lost(number: int, *, before: datetime, now: datetime) -> bool:
    """End one of them; False when it has ended meanwhile, or become a job."""
    with transaction.atomic():
        mine = Lookup.objects.unattended(before, now).select_for_update(of=("self",))
        lookup = mine.select_related("key__account", "hold").filter(pk=number).first()
        if lookup is None:
            return False
        if lookup.key is not None:
            bill = Bill(lookup.ask_id, lookup.price, lookup.asked, lookup.request_id)
            KeyPayer(lookup.key).release(bill, lookup.hold, reason=Breakdown.BROKEN.value, now=now)
        rows.end(lookup, Failed(Breakdown.BROKEN), stopwatch=Stopwatch(now))
    return True


def out_of_funds(short: InsufficientFunds) -> OutOfFunds:
    """The ledger's refusal as a result."""
    return OutOfFunds(short.available, short.needed, by_budget=isinstance(short, BudgetExceeded))


def _settle(
    ask: Ask,
    lookup: Lookup,
    outcome: Found | Judged | Empty,
    making: Making,
    *,
    stopwatch: Stopwatch,
    is_fresh: bool = False,
) -> Lookup:
    """Take or release the money and end the row; joins the caller's transaction, and changes nothing that is not ours.

    What somebody else's ask has stored or shared stands in any case. `is_fresh`: the registry has just said so; raises
    PortalDisabled where it was switched off meanwhile, unless it is paid by now.
    """
    locked = lock(ask, lookup)
    if is_fresh and locked.is_off and ask.payer.payment is None:
        gateway.get_portal(ask.question.state, sandbox=ask.sandbox)
    if not locked.is_ours:
        return _now(lookup)
    if not isinstance(outcome, Found | Judged):
        ask.payer.release(ask.bill, locked.held, reason=_word(outcome), now=stopwatch.now, is_locked=True)
        return rows.end(lookup, outcome, stopwatch=stopwatch, making=making)
    try:
        # The lookup is ours and locked: a hold that has ended meanwhile is charged anew.
        paid = ask.payer.capture(_bill(ask, outcome), locked.held, now=stopwatch.now, is_locked=True)
    except InsufficientFunds:
        # The hold had expired and the credit is gone: the record is kept, not delivered.
        return rows.end(lookup, Failed(Breakdown.OUT_OF_FUNDS), stopwatch=stopwatch, making=making)
    return rows.end(lookup, outcome, stopwatch=stopwatch, paid=paid, making=making)


def _bill(ask: Ask, outcome: Found | Judged) -> Bill:
    """What the answer costs: the price quoted, or less where it decides on that."""
    if ask.find_price is None or not isinstance(outcome, Found):
        return ask.bill
    return replace(ask.bill, price=min(ask.price, ask.find_price(outcome, ask.price)))


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
