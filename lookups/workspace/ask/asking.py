"""A question of a person, by the road that every lookup takes; its form is its `Idempotency-Key`.

Sent twice at once, or again after a reload, a form is one question and is paid for once. The person does not wait at
the form: what is not there within a moment becomes a job, and its page says how far it is.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from billing import limits, money, prices, selectors
from billing.models import ApiKey
from lookups import idempotency
from lookups.bulk import bulk_jobs
from lookups.bulk.bulk_jobs import Wanted
from lookups.lookup.asks import Ask
from lookups.lookup.flow import perform
from lookups.lookup.outcomes import Accepted, Ended, NobodyAtWork, OutOfFunds, Result
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Lookup
from scrapers.sandbox.magic import find_played

PATIENCE = timedelta(seconds=1.5)
LEASE_BEYOND_BUDGET = timedelta(seconds=30)
NOBODY = "Lookups that take longer cannot be accepted at the moment. Nothing was charged; try again in half a minute."
BUSY = "Too many lookups are waiting for registries at the moment. Nothing was charged; try again in a few seconds."


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks: the workspace's key of the account in this mode, the user, and the request."""

    key: ApiKey
    user_id: int
    request_id: str


@dataclass(frozen=True, slots=True)
class NotTaken:
    """Nothing was accepted and nothing is charged, and why; `status` is that of the API for the same.

    `is_short`: credit would help. `retry_after`: seconds, where more was asked than may be.
    """

    text: str
    status: int = 503
    is_short: bool = False
    retry_after: int = 0


@dataclass(frozen=True, slots=True)
class StillRunning:
    """The same form is being answered right now, under this mark."""

    mark: str


def ask_once(
    *, question: Question, person: Person, mark: str, now: datetime, ref: str | None = None, fresh: bool = False
) -> Lookup | NotTaken | StillRunning:
    """Ask a question, or find what came of it when its form was sent before.

    `fresh`: the registry itself and anew, though the same was asked a moment ago. Otherwise a repetition within five
    minutes is told the earlier answer, as everywhere.
    """
    key = person.key
    refused = _find_limit(person, [question], now=now)
    if refused is not None:
        return refused
    try:
        claim = _claim(mark, key, now=now)
    except idempotency.StillRunning:
        return StillRunning(mark)
    ask = Ask(
        question=question,
        payer=KeyPayer(key),
        accepts_stored=not fresh and key.account.cache_first_default,
        ref=ref,
        asked_by_id=person.user_id,
        patience=PATIENCE,
        ask_id=claim.ask_id,
        request_id=person.request_id,
        resumed=claim.resumed,
        apart=fresh,
    )
    try:
        result = perform(ask=ask, now=now)
    except BaseException:
        idempotency.release(claim, now=now)
        raise
    return _conclude(result, claim, key)


def ask_everywhere(
    *, wanted: list[Wanted], person: Person, mark: str, now: datetime
) -> BulkJob | NotTaken | StillRunning:
    """Ask every state at once; the whole price is held, and what finds nothing gives its share back."""
    key = person.key
    refused = _find_limit(person, [one.question for one in wanted], now=now)
    if refused is not None:
        return refused
    try:
        claim = _claim(mark, key, now=now)
    except idempotency.StillRunning:
        return StillRunning(mark)
    try:
        made = bulk_jobs.accept(
            wanted=wanted,
            key=key,
            accepts_stored=key.account.cache_first_default,
            bulk_id=claim.ask_id,
            apart=False,
            now=now,
            request_id=person.request_id,
            asked_by_id=person.user_id,
        )
    except BaseException:
        idempotency.release(claim, now=now)
        raise
    if isinstance(made, BulkJob):
        idempotency.finish(claim, ask_id=made.pk)
        return made
    idempotency.forget(claim)
    return _not_taken(made, key)


def find_asked(mark: str, *, key: ApiKey) -> Lookup | BulkJob | StillRunning | None:
    """What came of the form under this mark; None where nothing did, or its answer is not kept under it."""
    if not mark.isprintable():
        return None  # no form has such a mark, and not every database would look for it
    ask_id = idempotency.find_ask(account_id=key.account_id, sandbox=key.is_test, key=mark)
    if ask_id is None:
        return None
    lookup = Lookup.objects.filter(account_id=key.account_id, ask_id=ask_id).first()
    return lookup or BulkJob.objects.filter(account_id=key.account_id, pk=ask_id).first() or StillRunning(mark)


def _claim(mark: str, key: ApiKey, *, now: datetime) -> idempotency.Claim:
    lease = timedelta(seconds=settings.SYNC_BUDGET_SECONDS) + LEASE_BEYOND_BUDGET
    body_hash = hashlib.sha256(mark.encode()).hexdigest()  # what stands in the form is in its mark
    return idempotency.claim(
        account_id=key.account_id, sandbox=key.is_test, key=mark, body_hash=body_hash, lease=lease, now=now
    )


def _conclude(result: Result, claim: idempotency.Claim, key: ApiKey) -> Lookup | NotTaken:
    match result:
        case Accepted(job=job):
            idempotency.finish(claim, ask_id=job.ask_id)
            return job.lookup
        case Ended(lookup=lookup):
            if lookup.outcome is not None and lookup.outcome.facts.answered:
                idempotency.finish(claim, ask_id=lookup.ask_id)
            else:
                idempotency.forget(claim)  # it may turn out better the next time
            return lookup
    idempotency.forget(claim)
    return _not_taken(result, key)


def _find_limit(person: Person, questions: list[Question], *, now: datetime) -> NotTaken | None:
    """The minute's limit of the key, and what names of the sandbox have the service play."""
    key = person.key
    played = {find_played(one.name) for one in questions if one.name} if key.is_test else set()
    rate = limits.count_request(key=key, now=now)
    if not rate.allowed or "too_many_requests" in played:
        wait = max(1, rate.reset_epoch - int(now.timestamp()))
        text = f"Your team may ask {rate.limit} times a minute. Nothing was charged; try again in {wait} seconds."
        return NotTaken(text, status=429, retry_after=wait)
    if "no_funds" in played:
        return _not_taken(OutOfFunds(0, len(questions) * prices.LOOKUP), key)
    return None


def _not_taken(result: Result, key: ApiKey) -> NotTaken:
    match result:
        case OutOfFunds(available=available, needed=needed, by_budget=by_budget):
            return _short(available, needed, key, by_budget=by_budget)
        case NobodyAtWork():
            return NotTaken(NOBODY)
    limit = getattr(result, "limit", 0)
    text = f"Your team asks {limit} registries at this moment, as many as it may. Nothing was charged."
    return NotTaken(text, status=429, retry_after=1) if limit else NotTaken(BUSY)


def _short(available: int, needed: int, key: ApiKey, *, by_budget: bool) -> NotTaken:
    costs, left = money.to_decimal_string(needed), money.to_decimal_string(available)
    if by_budget:
        text = f"The month's budget is spent: this may cost {costs} USD, and {left} USD of it is left."
        return NotTaken(text, status=402)
    owed = selectors.get_balance(key.account_id).owed
    more = f" {money.to_decimal_string(owed)} USD are owed for payments that were taken back." if owed else ""
    return NotTaken(f"This may cost {costs} USD, and the balance is {left} USD.{more}", status=402, is_short=True)
