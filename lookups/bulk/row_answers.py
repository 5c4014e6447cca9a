"""A row that brought nothing, asked once more: for the candidate that somebody chose, or in better words.

The row stays as it ended, and what it was asked again stands beside it. It goes the way of any single question, and
costs as much; a second click finds what the first has asked.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Sum

from billing.models import ApiKey
from lookups.lookup.asks import Ask
from lookups.lookup.flow import perform
from lookups.lookup.outcomes import Accepted, Ended, Result
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Lookup, RowAnswer
from lookups.verdicts import ANSWERED

LOST_AFTER = timedelta(minutes=2)  # without a lookup: whoever was about to ask has gone


def ask_again(
    *, row: Lookup, question: Question, key: ApiKey, request_id: str, now: datetime, asked_by_id: int | None = None
) -> Result | None:
    """Ask a question for a row; None where just this was asked for it before. What is charged is as of any lookup."""
    first = row.repeats or row
    answer = _claim(first, question, now=now)
    if answer is None:
        return None
    bulk = first.bulk
    include = () if question.kind == "ucc" else tuple(first.question.get("include", ()))
    ask = Ask(
        question=replace(question, include=include),
        payer=KeyPayer(key),
        accepts_stored=bulk is not None and bulk.accepts_stored,
        ref=row.ref,
        request_id=request_id,
        ask_id=answer.ask_id,
        resumed=True,
        asked_by_id=asked_by_id,
    )
    result = perform(ask=ask, now=now)
    match result:
        case Ended(lookup=lookup):
            RowAnswer.objects.filter(pk=answer.pk).update(ask_id=lookup.ask_id)  # another's, where that was equal
        case Accepted(job=job):
            RowAnswer.objects.filter(pk=answer.pk).update(ask_id=job.lookup.ask_id)
        case _:
            RowAnswer.objects.filter(pk=answer.pk).delete()  # nothing was accepted
    return result


def list_answers(rows: Iterable[Lookup]) -> dict[int, list[Lookup]]:
    """What these rows were asked again, by the row's number in the database, in the order of asking."""
    firsts = {row.pk: row.repeats_id or row.pk for row in rows}
    made = list(RowAnswer.objects.filter(row__in=set(firsts.values())).values_list("row", "ask_id"))
    asked = Lookup.objects.whole().select_related("job").filter(ask_id__in=[ask_id for _, ask_id in made])
    by_id = {lookup.ask_id: lookup for lookup in asked}
    answers: dict[int, list[Lookup]] = {}
    for first, ask_id in made:
        if ask_id in by_id:
            answers.setdefault(first, []).append(by_id[ask_id])
    return {pk: answers[first] for pk, first in firsts.items() if first in answers}


def sum_cost(bulk: BulkJob) -> int:
    """What was charged for rows that were asked again."""
    asked = RowAnswer.objects.filter(row__bulk=bulk).values("ask_id")
    charged: int = Lookup.objects.filter(ask_id__in=asked).aggregate(cost=Sum("cost", default=0))["cost"]
    return charged


def _claim(row: Lookup, question: Question, *, now: datetime) -> RowAnswer | None:
    """The right to ask this for the row: for whoever comes first, and again where that came to nothing."""
    digest = hashlib.sha256(f"{question.state} {question.kind} {question.spelled}".encode()).hexdigest()
    with transaction.atomic():
        answer, is_made = RowAnswer.objects.get_or_create(row=row, digest=digest, defaults={"created_at": now})
    if is_made:
        return answer
    asked = Lookup.objects.filter(ask_id=answer.ask_id).first()
    if asked is None and answer.created_at > now - LOST_AFTER:
        return None
    if asked is not None and (asked.verdict is None or asked.verdict in ANSWERED):
        return None
    anew = uuid.uuid4() if asked is not None else answer.ask_id
    mine = RowAnswer.objects.filter(pk=answer.pk, ask_id=answer.ask_id, created_at=answer.created_at)
    if not mine.update(ask_id=anew, created_at=now):
        return None
    answer.ask_id = anew
    return answer
