"""One name check from question to verdict: live unless a copy is asked for, and charged per verdict, whichever it is.

The price is set aside, the registry is asked with no transaction open, and one short transaction notes the verdict and
takes the money; a registry that cannot be asked, or that refuses, costs nothing.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from billing import ledger, limits
from billing.models import ApiKey, Hold
from lookups.lookup import payment, settlement, storage
from lookups.lookup.asks import Stopwatch
from lookups.lookup.outcomes import OutOfFunds, Refused, TooManyAtOnce, Unavailable
from lookups.models import Lookup, StoredEntity
from scrapers import gateway
from scrapers.failures import PortalDisabled, PortalError, QueryRefused
from scrapers.gateway import NameReply
from scrapers.records import Conflict, NameVerdict, Query

KIND = "name_check"
WALLED = "This registry's own search cannot be asked by a program, and name checks are live."
COPY_KEPT = 'A copy of its register is loaded here: send "source": "cache" for a verdict from it.'
NO_COPY = 'No copy of this state\'s register is loaded here; leave "source" out, or send "live".'


@dataclass(frozen=True, slots=True)
class NameAsk:
    """Whether `name` is free in `state`, for one key. The same `ask_id` is never charged twice."""

    name: str
    state: str
    key: ApiKey
    ask_id: uuid.UUID = field(default_factory=uuid.uuid4)
    request_id: str = ""
    resumed: bool = False
    from_copy: bool = False  # read the loaded copy of the state's register, because the caller said so

    @property
    def bill(self) -> payment.Bill:
        """Who pays, and the words in the statement."""
        return payment.Bill(self.key, self.ask_id, f"{self.state} name check {self.name}"[:200])


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, sold. `pages`: addresses of the conflicting entities' pages, by identifier, where they are stored."""

    verdict: NameVerdict
    evidence: dict[str, Any]
    cost: int
    balance: int | None
    pages: dict[str, str]
    as_of: datetime | None = None  # the day of the copy that was read; None for a live verdict


NameOutcome = Judged | Unavailable | Refused | OutOfFunds | TooManyAtOnce


def perform(*, ask: NameAsk, now: datetime) -> NameOutcome:
    """Say whether the name is free and charge for it; whatever a portal or a balance may do is an outcome."""
    stopwatch = Stopwatch(now)
    objection = _objection(ask)
    if objection is not None:
        return objection
    place = limits.acquire(key=ask.key, now=now)
    if place is None:
        own = ask.key.concurrent_lookups
        return TooManyAtOnce(limit=settings.CONCURRENT_LOOKUPS if own is None else own)
    try:
        return _ask_registry(ask, stopwatch)
    finally:
        limits.release(slot=place)


def _objection(ask: NameAsk) -> Refused | None:
    """Why the question need not be asked: a verdict from a copy that is not there, or live from behind a wall."""
    try:
        portal = gateway.get_portal(ask.state, sandbox=ask.key.is_test)
    except PortalDisabled:
        return None  # told as an answer that could not be had
    kept = gateway.find_copy(ask.state, sandbox=ask.key.is_test)
    if ask.from_copy:
        return None if kept else Refused("source", NO_COPY, unsupported=True)
    if portal.walled:
        return Refused(
            "source", " ".join(filter(None, (WALLED, portal.off_reason, COPY_KEPT if kept else ""))), unsupported=True
        )
    return None


def _ask_registry(ask: NameAsk, stopwatch: Stopwatch) -> NameOutcome:
    settled = Lookup.objects.filter(ask_id=ask.ask_id).first() if ask.resumed else None
    try:
        hold = None if settled else payment.set_aside(ask.bill, now=stopwatch.now)
    except ledger.InsufficientFunds as short:
        return settlement.out_of_funds(short)
    query = Query(state=ask.state, name=ask.name)
    try:
        reply = gateway.fetch_name(
            query,
            now=stopwatch.now,
            budget_seconds=settings.SYNC_BUDGET_SECONDS,
            sandbox=ask.key.is_test,
            asked_by=ask.ask_id,
            from_copy=ask.from_copy,
        )
    except PortalError as error:
        return _fail(ask, hold, error, stopwatch=stopwatch, settled=settled)
    except BaseException:
        payment.give_back(hold, reason="internal_error", now=stopwatch.now)
        raise
    if settled:  # charged before the reply was lost: the verdict is made anew, the money is not
        return _judged(ask, reply, payment.Paid(settled.cost, ask.key.account.available))
    return _sell(ask, hold, reply, stopwatch=stopwatch)


def _sell(ask: NameAsk, hold: Hold | None, reply: NameReply, *, stopwatch: Stopwatch) -> NameOutcome:
    try:
        with transaction.atomic():
            paid = payment.take(ask.bill, hold, now=stopwatch.now)
            _note(ask, hold, Lookup.Outcome.FOUND, stopwatch, cost=paid.cost, attempt_id=reply.attempt_id)
    except ledger.InsufficientFunds as short:
        return settlement.out_of_funds(short)
    return _judged(ask, reply, paid)


def _judged(ask: NameAsk, reply: NameReply, paid: payment.Paid) -> Judged:
    told = storage.evidence_fields(reply.evidence)
    return Judged(reply.verdict, told, paid.cost, paid.balance, _pages(ask, reply.verdict.conflicts), reply.as_of)


def _pages(ask: NameAsk, conflicts: tuple[Conflict, ...]) -> dict[str, str]:
    ids = [one.candidate.entity_id for one in conflicts if one.candidate.entity_id]
    if not ids:
        return {}
    stored = StoredEntity.objects.filter(state=ask.state, sandbox=ask.key.is_test, entity_id__in=ids)
    return {row.entity_id: row.page_url for row in stored.only("entity_id", "slug", "state")}


def _fail(
    ask: NameAsk, hold: Hold | None, error: PortalError, *, stopwatch: Stopwatch, settled: Lookup | None
) -> Refused | Unavailable:
    refused = isinstance(error, QueryRefused)
    if settled is None:
        word = Lookup.Outcome.REFUSED if refused else Lookup.Outcome.UNAVAILABLE
        with transaction.atomic():
            payment.give_back(hold, reason=word.value, now=stopwatch.now)
            _note(ask, hold, word, stopwatch, reason="" if refused else error.reason, attempt_id=error.attempt_id)
    hint = COPY_KEPT if not ask.from_copy and gateway.find_copy(ask.state, sandbox=ask.key.is_test) else None
    if refused:
        return Refused("entity_name", ". ".join(filter(None, (error.detail, hint))))
    return Unavailable(ask.state, error.reason, error.retryable, error.retry_after, hint)


def _note(ask: NameAsk, hold: Hold | None, outcome: Lookup.Outcome, stopwatch: Stopwatch, **more: Any) -> None:
    Lookup.objects.create(
        ask_id=ask.ask_id,
        account_id=ask.key.account_id,
        key=ask.key,
        hold=hold,
        state=ask.state,
        kind=KIND,
        asked=ask.name,
        sandbox=ask.key.is_test,
        source=Lookup.Source.CACHE if ask.from_copy else Lookup.Source.LIVE,
        outcome=outcome,
        duration_ms=round(stopwatch.seconds * 1000),
        request_id=ask.request_id,
        created_at=stopwatch.begun,
        **more,
    )
