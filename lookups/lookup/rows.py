"""The row of a lookup: written when the question is accepted, ended once with what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from billing import locks
from billing.models import Account
from jurisdictions.prepared import Blank, Change, Insertion, Prepared
from lookups.evidence import manifests
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import (
    Cancelled,
    Failed,
    Found,
    Judged,
    NothingFound,
    Outcome,
    Refused,
    Unavailable,
)
from lookups.lookup.payers import FREE, Paid
from lookups.models import Job, Lookup, StoredAnswer
from lookups.verdicts import BILLED, Verdict
from scrapers.models import Reading

LONGEST_MS = 2**31 - 1  # 24 days, PostgreSQL's largest integer
ASKED_AGAIN = timedelta(minutes=5)  # after an answer: who asks the same again may not have got it


def _paid() -> QuerySet[Lookup]:
    paid = Lookup.objects.whole().filter(Q(verdict__isnull=True) | Q(verdict__in=BILLED), price__gt=0, sandbox=False)
    same = {name: Blank(name) for name in ("account", "state", "kind", "asked")}
    alone = (Lookup.Origin.API, Lookup.Origin.PAGE)
    return paid.filter(origin__in=alone, created_at__gt=Blank("created_at"), **same)


_PAID = Prepared(lambda: _paid().filter(ref__isnull=True))
_PAID_WITH_REF = Prepared(lambda: _paid().filter(ref=Blank("ref")))
_WRITTEN = Insertion(Lookup)
_ENDING = (
    *("verdict", "reason", "refusal", "version_id", "filing_set_id", "match", "related", "candidates", "name_check"),
    *("total", "note", "evidence", "reading_id", "source", "data_as_of", "expires_at", "reader_version"),
    *("reader_built_at", "retry_at", "shared", "price", "cost", "balance_after", "attempt_id"),
    *("duration_ms", "ended_at"),
)
"""All that may be new at the end of a lookup."""
_ENDED = Change(lambda: Lookup.objects.open().filter(id=Blank("id")), _ENDING)
_REPEATED = Change(lambda: Lookup.objects.open().filter(repeats=Blank("repeats")), _ENDING)


class AskedBefore(Exception):
    """The same account has asked the same a moment ago; `lookup` is paid for, or will be."""

    def __init__(self, lookup: Lookup) -> None:
        super().__init__(lookup.public_id)
        self.lookup = lookup


class EndedBefore(Exception):
    """Somebody else has ended this lookup meanwhile."""


@dataclass(frozen=True, slots=True)
class Making:
    """How an outcome came about: the attempt that answered, what was kept of it, and whether it was somebody else's."""

    attempt_id: int | None = None
    reading_id: int | None = None
    shared: bool = False
    reading: Reading | None = None  # where it is at hand


def max_age(account: Account | None) -> timedelta:
    """How old a stored answer may be for this account: its own choice, or the service's default."""
    days = account.max_cache_age_days if account else None
    return timedelta(days=settings.CACHE_MAX_AGE_DAYS if days is None else days)


def find(ask: Ask) -> Lookup | None:
    """The lookup that was accepted under this ask's id before, with all that a reply tells of it."""
    return Lookup.objects.whole().filter(ask_id=ask.ask_id).first()


def accept(ask: Ask, lookup: Lookup, *, now: datetime, hold_for: timedelta) -> None:
    """Accept a question: hold its price and write its row, or do neither.

    Raises InsufficientFunds, and AskedBefore instead of holding the price of the same thing twice.
    """
    if ask.sandbox and lookup.pk is None:  # nothing is held: one statement, which needs no transaction around it
        _WRITTEN.write(lookup)
        return
    with transaction.atomic():
        if lookup.pk is not None:  # written before, perhaps by a try that broke off
            mine = Lookup.objects.open().filter(pk=lookup.pk)
            if mine.select_for_update(no_key=True).first() is None:  # before its account, as whoever settles it does
                raise AskedBefore(lookup)  # that try has come to its end after all: nothing is held for another
            lookup.hold = ask.payer.hold(ask.bill, now=now, hold_for=hold_for)
            mine.update(hold=lookup.hold)
            return
        locked = refuse_repetition(ask, now=now)
        lookup.hold = ask.payer.hold(ask.bill, now=now, hold_for=hold_for, locked=locked, row=lookup)
        if lookup.pk is None:
            _WRITTEN.write(lookup)


def refuse_repetition(ask: Ask, *, now: datetime) -> Account | None:
    """Raise AskedBefore where the account has asked the same within five minutes; joins the caller's transaction.

    Whether a reply has arrived cannot be known, so everything that is asked again is taken for a reply that was lost.
    The account's lock lets one of several equal requests be the first; the locked account is returned. What costs
    nothing is asked anew, and nothing is locked for it.
    """
    account = ask.account
    if ask.apart or account is None or account.is_internal or ask.sandbox:
        return None
    locked = locks.lock_account(account.pk)
    question = ask.question
    since = now - ASKED_AGAIN - timedelta(seconds=settings.SYNC_BUDGET_SECONDS)  # an answer may take so long
    same = {"account": account.pk, "created_at": since, "state": question.state, "kind": question.kind}
    same |= {"asked": question.words} if ask.ref is None else {"asked": question.words, "ref": ask.ref}
    for lookup in (_PAID if ask.ref is None else _PAID_WITH_REF).all(**same):
        if lookup.question != question.to_json():
            continue
        if lookup.source == Lookup.Source.STORED and not (ask.accepts_stored and _is_young(lookup)):
            continue
        if lookup.verdict is None and Job.objects.barred(now).filter(lookup=lookup).exists():
            continue  # its key has ended: it will be cancelled
        raise AskedBefore(lookup)
    return locked


def _is_young(stored: Lookup) -> bool:
    """Whether it served as a stored answer when it was sold: a history is sold however old it is."""
    return stored.expires_at is None or stored.expires_at >= stored.created_at


def draft(ask: Ask, *, now: datetime, **more: Any) -> Lookup:
    """The row of a question, not written yet."""
    question = ask.question
    known: dict[str, Any] = {
        "ask_id": ask.ask_id,
        "account": ask.account,
        "key": ask.payer.key,
        "payment": ask.payer.payment,
        "state": question.state,
        "kind": question.kind,
        "asked": question.words,
        "question": question.to_json(),
        "sandbox": ask.sandbox,
        "price": ask.price,
        "ref": ask.ref,
        "asked_by_id": ask.asked_by_id,
        "origin": Lookup.Origin.API if ask.asked_by_id is None else Lookup.Origin.PAGE,
        "request_id": ask.request_id,
        "created_at": now,
    }
    return Lookup(**{**known, **more})


def end(
    lookup: Lookup, outcome: Outcome, *, stopwatch: Stopwatch, paid: Paid = FREE, making: Making = Making()
) -> Lookup:
    """End a lookup, with the rows that repeat it and its manifest; joins the caller's transaction. Raises EndedBefore.

    A lookup that was not written yet (its answer was at hand) is written now.
    """
    now = stopwatch.now
    ending = {
        **(_of_no_end() if lookup.ended_at is not None else {}),
        **to_columns(outcome, lookup, now=now),
        "price": lookup.price,
        "cost": paid.cost,
        "balance_after": paid.balance,
        "shared": making.shared,
        "attempt_id": making.attempt_id,
        "reading_id": outcome.answer.reading_id if isinstance(outcome, Found) else making.reading_id,
        "duration_ms": _took(lookup, now),
        "ended_at": now,
    }
    for name, value in ending.items():
        setattr(lookup, name, value)
    if (at_hand := outcome.answer.reading if isinstance(outcome, Found) else making.reading) is not None:
        lookup.reading = at_hand
    manifest = manifests.seal(lookup, reading=lookup.reading, now=now)
    if lookup.pk is None:
        manifests.keep_with(manifest, lookup, _WRITTEN)
        return lookup
    ended = {name: getattr(lookup, name) for name in _ENDING}
    if not _ENDED.run(ended, id=lookup.pk):
        raise EndedBefore
    manifests.keep(manifest, lookup)
    if lookup.bulk_id is not None:
        _REPEATED.run({**ended, "price": 0, "cost": 0}, repeats=lookup.pk)
    return lookup


def _of_no_end() -> dict[str, Any]:
    """What an open row has there: an end that the database did not take is still in the object, and is not this one."""
    of_lookups: Any = Lookup._meta
    return {field.attname: field.get_default() for field in map(of_lookups.get_field, _ENDING)}


def to_columns(outcome: Outcome, lookup: Lookup, *, now: datetime) -> dict[str, Any]:
    """What the row keeps of an outcome."""
    match outcome:
        case Found():
            return _of_answer(outcome.answer, lookup, stored=outcome.stored)
        case Judged(check=check):
            from_copy = bool(check["evidence"]["fromRegister"])
            return {
                "verdict": check["verdict"],
                "name_check": check,
                "evidence": check["evidence"],
                "source": Lookup.Source.COPY if from_copy else Lookup.Source.LIVE,
            }
        case NothingFound():
            return _of_absence(outcome)
        case Unavailable():
            after = outcome.retry_after if outcome.retryable else None
            return {
                "verdict": Verdict.UNAVAILABLE.value,
                "reason": str(outcome.reason),
                "retry_at": None if after is None else now + timedelta(seconds=after),
                "note": outcome.note or "",
            }
        case Refused():
            return {
                "verdict": Verdict.REFUSED.value,
                "reason": str(outcome.refusal),
                "refusal": dict(outcome.values),
                "note": outcome.note or "",
            }
        case Failed(reason=why):
            return {"verdict": Verdict.FAILED.value, "reason": why.value}
        case Cancelled():
            return {"verdict": Verdict.CANCELLED.value}


def cancel(lookups: list[Lookup], *, now: datetime) -> None:
    """End open lookups of one bulk request at once, with the rows that repeat them; joins the caller's transaction."""
    if not lookups:
        return
    first, numbers = lookups[0], [lookup.pk for lookup in lookups]
    ending = {
        **to_columns(Cancelled(), first, now=now),
        "duration_ms": _took(first, now),  # all were accepted at the same moment
        "ended_at": now,
    }
    Lookup.objects.open().filter(Q(pk__in=numbers) | Q(repeats__in=numbers)).update(**ending)


def _took(lookup: Lookup, now: datetime) -> int:
    """Milliseconds from accepting to ending, as far as its column goes: what was open in a backup ends all the same."""
    return min(LONGEST_MS, max(0, round((now - lookup.created_at).total_seconds() * 1000)))


def _of_absence(outcome: NothingFound) -> dict[str, Any]:
    evidence = outcome.evidence or {}
    day = evidence.get("dataAsOf")
    return {
        "verdict": (Verdict.AMBIGUOUS if outcome.ambiguous else Verdict.NOT_FOUND).value,
        "candidates": outcome.candidates,
        "note": outcome.note or "",
        "evidence": outcome.evidence,
        "source": Lookup.Source.COPY if evidence.get("fromRegister") else Lookup.Source.LIVE,
        "data_as_of": datetime.fromisoformat(day) if day else None,
    }


def _of_answer(answer: StoredAnswer, lookup: Lookup, *, stored: bool) -> dict[str, Any]:
    from_copy = bool(answer.evidence.get("fromRegister"))
    live = Lookup.Source.COPY if from_copy else Lookup.Source.LIVE
    return {
        "verdict": Verdict.FOUND.value,
        "version": answer.version,
        "filing_set": answer.filing_set,
        "match": answer.match,
        "related": answer.related,
        "total": answer.total,
        "note": answer.note,
        "evidence": answer.evidence,
        "source": Lookup.Source.STORED if stored else live,
        "data_as_of": answer.as_of or answer.retrieved_at,
        "expires_at": answer.retrieved_at + max_age(lookup.account) if stored else None,
        "reader_version": answer.reader_version,
        "reader_built_at": answer.reader_built_at,
    }
