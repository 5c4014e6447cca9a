"""How a lookup ends: what is stored, what is paid and what is noted, together in one short transaction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.db import transaction

from billing import ledger
from billing.models import Hold
from lookups import cache
from lookups.models import Job, Lookup, StoredAnswer
from lookups.outcomes import Delivered, NothingFound, Outcome, OutOfFunds, Refused, Unavailable
from lookups.services import flights, paying, storing
from lookups.services.asks import Ask, Watch
from scrapers.errors import PortalError, QueryRefused
from scrapers.pipeline import Reply
from scrapers.records import NotFound

CRASHED: flights.Landing = {"kind": "crashed"}


def is_ours(ask: Ask) -> bool:
    """Whether this ask may still be settled by its caller; locks its job until the caller's transaction ends.

    A job that was ended (its state switched off, its deadline, an operator) or that another worker has taken over is
    not settled here any more: its money went back, or is that worker's to take.
    """
    if ask.key is None:
        return True
    job = Job.objects.select_for_update().filter(ask_id=ask.ask_id).values_list("status", "claim").first()
    return job is None or job == (Job.Status.PROCESSING, ask.claim or ask.ask_id)


def _lost(ask: Ask) -> Unavailable:
    """What a caller gets whose ask is not its own any more; nobody is told, the job has its own end."""
    return Unavailable(ask.question.state, "timeout")


def settle_reply(ask: Ask, hold: Hold | None, ticket: flights.Ticket, reply: Reply, *, watch: Watch) -> Outcome:
    """The registry answered: store and sell what it has, or give the money back."""
    if isinstance(reply.answer, NotFound):
        landing = {"kind": "not_found", **storing.absence_fields(reply.answer, note=reply.note)}
        with transaction.atomic():
            flights.land(ticket, landing=landing, now=watch.now)
            return conclude(ask, hold, read(ask, landing), watch=watch, attempt_id=reply.attempt_id)
    with transaction.atomic():
        answer = storing.store(question=ask.question, reply=reply, sandbox=ask.sandbox)
        flights.land(ticket, landing={"kind": "answer", "id": answer.pk}, now=watch.now)
        return _sell_live(ask, hold, answer, watch=watch, attempt_id=reply.attempt_id)


TryAgain = Callable[[Unavailable], bool]
"""Asked before a failure ends a lookup; True: it stays open, with its hold, and whoever says so tries it again."""


def never(failure: Unavailable) -> bool:
    """Every failure is final."""
    return False


def settle_failure(
    ask: Ask,
    hold: Hold | None,
    ticket: flights.Ticket,
    error: PortalError,
    *,
    watch: Watch,
    try_again: TryAgain = never,
) -> Outcome:
    """The registry did not answer: nothing is known, nothing is owed, and those who share the fetch are told."""
    if isinstance(error, QueryRefused):
        landing: flights.Landing = {"kind": "refused", "text": error.detail}
    else:
        landing = {
            "kind": "unavailable", "reason": error.reason, "retryable": error.retryable,
            "retry_after": error.retry_after,
        }  # fmt: skip
    with transaction.atomic():
        flights.land(ticket, landing=landing, now=watch.now)
        outcome = read(ask, landing)
        if isinstance(outcome, Unavailable) and try_again(outcome):
            return outcome
        return conclude(ask, hold, outcome, watch=watch, attempt_id=ticket.attempt_id)


def share(
    ask: Ask, hold: Hold | None, landing: flights.Landing | None, *, watch: Watch, try_again: TryAgain = never
) -> Outcome:
    """Somebody else's fetch of the same question landed, or took longer than this caller can wait (None)."""
    attempt_id = landing.get("attempt_id") if landing is not None else None
    if landing is not None and landing["kind"] == "answer":
        answer = StoredAnswer.objects.select_related("entity").get(pk=landing["id"])
        with transaction.atomic():
            return _sell_live(ask, hold, answer, watch=watch, shared=True, attempt_id=attempt_id)
    outcome = read(ask, landing) if landing is not None else Unavailable(ask.question.state, "timeout")
    if isinstance(outcome, Unavailable) and try_again(outcome):
        return outcome
    return conclude(ask, hold, outcome, watch=watch, shared=True, attempt_id=attempt_id)


def read(ask: Ask, landing: flights.Landing) -> NothingFound | Refused | Unavailable:
    """The outcome behind a landing that brought no record; FlightLost when it broke down."""
    kind = landing["kind"]
    if kind == "not_found":
        return NothingFound(landing["suggestions"], landing["ambiguous"], landing["note"], landing["evidence"])
    if kind == "refused":
        return Refused("entity_id" if ask.question.entity_id else "entity_name", landing["text"])
    if kind == "unavailable":
        return Unavailable(ask.question.state, landing["reason"], landing["retryable"], landing["retry_after"])
    raise flights.FlightLost


def sell_stored(ask: Ask, answer: StoredAnswer, *, watch: Watch, hold: Hold | None = None) -> Outcome:
    """Charge for a stored answer, from `hold` if there is one; it costs what a live one does."""
    try:
        with transaction.atomic():
            if ask.claim is not None and not is_ours(ask):
                return _lost(ask)
            paid = _take(ask, hold, watch) if hold else paying.charge(ask.bill, now=watch.now)
            _note(ask, hold, Lookup.Outcome.FOUND, watch, source=Lookup.Source.CACHE, answer=answer, cost=paid.cost)
    except ledger.InsufficientFunds as short:
        return out_of_funds(short)
    except ledger.HoldEnded:
        return _lost(ask)
    expires_at = answer.retrieved_at + cache.max_age(ask.account)
    return Delivered(answer, live=False, cost=paid.cost, balance=paid.balance, expires_at=expires_at)


def conclude(
    ask: Ask,
    hold: Hold | None,
    outcome: NothingFound | Refused | Unavailable,
    *,
    watch: Watch,
    shared: bool = False,
    attempt_id: int | None = None,
    locked: bool = False,
) -> Outcome:
    """End a lookup that delivers nothing: the money goes back, and the row says why.

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
        share_of = ask.ask_id if ask.shares_hold else None
        paying.give_back(hold, reason=word.value, now=watch.now, share_of=share_of)
        _note(ask, hold, word, watch, reason=reason, shared=shared, attempt_id=attempt_id)
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


def redeliver(ask: Ask, settled: Lookup) -> Delivered | None:
    """What was sold before and may not have reached the customer; None when nothing was."""
    if settled.outcome != Lookup.Outcome.FOUND or settled.answer is None:
        return None
    live = settled.source == Lookup.Source.LIVE
    expires_at = None if live else settled.answer.retrieved_at + cache.max_age(ask.account)
    return Delivered(settled.answer, live, settled.cost, ask.account.available if ask.account else None, expires_at)


def _sell_live(
    ask: Ask,
    hold: Hold | None,
    answer: StoredAnswer,
    *,
    watch: Watch,
    shared: bool = False,
    attempt_id: int | None = None,
) -> Outcome:
    try:
        if not is_ours(ask):
            return _lost(ask)
        paid = _take(ask, hold, watch)
    except ledger.InsufficientFunds as short:
        return out_of_funds(short)  # the hold had expired and the credit is gone: the record is kept, not delivered
    except ledger.HoldEnded:
        return _lost(ask)
    _note(ask, hold, Lookup.Outcome.FOUND, watch, answer=answer, cost=paid.cost, shared=shared, attempt_id=attempt_id)
    return Delivered(answer, live=True, cost=paid.cost, balance=paid.balance)


def _take(ask: Ask, hold: Hold | None, watch: Watch) -> paying.Paid:
    """Take the money; a hold that has ended is charged anew only while the ask is ours."""
    return paying.take(ask.bill, hold, now=watch.now, may_charge_anew=partial(is_ours, ask))


def _note(
    ask: Ask,
    hold: Hold | None,
    outcome: Lookup.Outcome,
    watch: Watch,
    *,
    source: Lookup.Source = Lookup.Source.LIVE,
    reason: str = "",
    answer: StoredAnswer | None = None,
    cost: int = 0,
    shared: bool = False,
    attempt_id: int | None = None,
) -> None:
    Lookup.objects.create(
        ask_id=ask.ask_id, account=ask.account, key=ask.key, payment=ask.payment, hold=hold, answer=answer,
        state=ask.question.state, kind=ask.question.kind, asked=ask.question.words, sandbox=ask.sandbox,
        source=source, outcome=outcome, reason=reason, shared=shared, cost=cost, attempt_id=attempt_id,
        duration_ms=round(watch.seconds * 1000), request_id=ask.request_id, created_at=watch.begun,
    )  # fmt: skip
