"""The rows of a bulk job as a page shows them: what was asked, what came of it, and what can be done about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from lookups import bodies
from lookups.bulk import bulk_jobs, row_answers
from lookups.bulk.forecast import StateProgress
from lookups.models import BulkJob, Lookup
from lookups.pages.differences import mark
from lookups.pages.dossier.record.headline import find_kind
from lookups.pages.dossier.record.liens import write_asked
from lookups.pages.dossier.record.words import clip, write_for_people
from lookups.verdicts import BILLED, Verdict
from lookups.workspace.ask.answers import TAGS, write_failed, write_mismatch, write_waiting
from scrapers.failures import find_failure

ROWS_A_PAGE, CANDIDATES_A_ROW = 20, 3
LONGEST_NAME = 90  # characters shown; the whole stands on the page of the lookup
SHOWN = {
    "": "All",
    "found": "Found",
    "ambiguous": "Did you mean",
    "not_found": "Not found",
    "failed": "Not answered",
    "open": "Not ended",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one lookup: `word` and `kind` of its tag, and the company or the reason."""

    public_id: str
    word: str
    kind: str
    is_found: bool = False
    name: str = ""
    entity_id: str = ""
    status: str = ""  # the state's own word, or ours where it has none
    status_kind: str = "neutral"
    liens: int | None = None
    why: str = ""
    cost: int = 0
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One row with its outcome, and with what it was asked again."""

    position: int
    ref: str
    asked: str
    state: str
    is_ucc: bool
    outcome: Outcome
    sought: str = ""
    answers: list[Outcome] = field(default_factory=list)
    candidates: list[dict[str, Any]] = field(default_factory=list)
    more_candidates: int = 0
    repeats: int | None = None
    name: str = ""
    entity_id: str = ""
    may_ask: bool = False
    is_unanswered: bool = False

    @property
    def is_asking(self) -> bool:
        """Whether it is being asked again just now."""
        return any(one.is_open for one in self.answers)


def list_shown(bulk: BulkJob, *, show: str, state: str) -> QuerySet[Lookup]:
    """The rows that a filter leaves, in the order asked."""
    rows = bulk_jobs.list_rows(bulk)
    if state:
        rows = rows.filter(state=state)
    match show:
        case "found":
            return rows.filter(verdict__in=BILLED)
        case "ambiguous" | "not_found":
            return rows.filter(verdict=show)
        case "open":
            return rows.filter(verdict__isnull=True)
        case "failed":
            known = (*BILLED, Verdict.AMBIGUOUS.value, Verdict.NOT_FOUND.value)
            return rows.filter(~Q(verdict__in=known), verdict__isnull=False)
    return rows


def count_shown(states: Sequence[StateProgress]) -> dict[str, int]:
    """How many rows each filter leaves, of these states."""
    return {
        "": sum(one.total for one in states),
        "found": sum(one.found for one in states),
        "ambiguous": sum(one.ambiguous for one in states),
        "not_found": sum(one.not_found for one in states),
        "failed": sum(one.failed for one in states),
        "open": sum(one.total - one.ended for one in states),
    }


def read_rows(rows: Sequence[Lookup], *, now: datetime) -> list[ResultRow]:
    """These rows as the page shows them, in two queries more."""
    answers = row_answers.list_answers(rows)
    return [_read(row, [read_outcome(one, now=now) for one in answers.get(row.pk, [])], now=now) for row in rows]


def read_outcome(lookup: Lookup, *, now: datetime) -> Outcome:
    """What came of a lookup, as its bulk row tells it."""
    verdict = lookup.outcome
    if verdict is None:
        job = bodies.find_job(lookup)
        word = "Asking" if job and job.status == "processing" else "Waiting"
        return Outcome(lookup.public_id, word, "neutral", why=write_waiting(lookup, now=now), is_open=True)
    word, kind = TAGS[verdict]
    if verdict is not Verdict.FOUND:
        return Outcome(lookup.public_id, word, kind, why=_why(lookup))
    row = bodies.of_row(lookup, now=now)
    if lookup.kind == "ucc":
        why, cost = row.note or "", lookup.cost
        return Outcome(lookup.public_id, word, kind, is_found=True, liens=lookup.total, why=why, cost=cost)
    data = row.data
    if data is None:  # it was not kept
        return Outcome(lookup.public_id, word, kind, is_found=True, why=row.note or "", cost=lookup.cost)
    return Outcome(
        lookup.public_id,
        word,
        kind,
        is_found=True,
        name=data.entityName,
        entity_id=data.entityId or "",
        status=data.status or str(data.normalized.statusClass).capitalize(),
        status_kind=find_kind(lookup.version.normalized) if lookup.version is not None else "neutral",
        why=" ".join(filter(None, (write_mismatch(lookup), row.note))),
        cost=lookup.cost,
    )


def _read(row: Lookup, answers: list[Outcome], *, now: datetime) -> ResultRow:
    outcome = read_outcome(row, now=now)
    ended = row.outcome is not None and not outcome.is_found
    candidates = [one for one in row.candidates if one.get("entityId")] if row.kind != "ucc" else []
    return ResultRow(
        position=row.position or 0,
        ref=row.ref or "",
        asked=row.asked,
        state=row.state,
        is_ucc=row.kind == "ucc",
        sought=write_sought(row.question) if row.kind == "ucc" else "",
        outcome=outcome,
        answers=answers,
        candidates=[_mark(row, one) for one in candidates[:CANDIDATES_A_ROW]],
        more_candidates=max(0, len(candidates) - CANDIDATES_A_ROW),
        repeats=None if row.repeats is None else row.repeats.position,
        name=row.question.get("name") or "",
        entity_id=row.question.get("entity_id") or "",
        is_unanswered=row.outcome is Verdict.UNAVAILABLE,
        may_ask=ended and not any(one.is_found or one.is_open for one in answers),
    )


def write_sought(question: Mapping[str, Any]) -> str:
    """Which liens are searched for, behind their state; `question` is as a lookup keeps it."""
    role = "as the secured party" if question.get("search_by") == "secured_party" else ""
    return ", ".join(filter(None, ("UCC", role, write_asked(question)[1])))


def _why(lookup: Lookup) -> str:
    """Why there is nothing, in a sentence."""
    match lookup.outcome:
        case Verdict.REFUSED:
            return write_for_people(" ".join(next(iter(bodies.refusal_details(lookup).values()))))
        case Verdict.UNAVAILABLE:
            failure = find_failure(lookup.reason)
            return lookup.note or (failure.facts.customer if failure else "")
        case Verdict.NOT_FOUND | Verdict.AMBIGUOUS:
            return lookup.note
        case Verdict.FAILED:
            return ". ".join(write_failed(lookup))
    return lookup.outcome.facts.customer if lookup.outcome else ""


def _mark(row: Lookup, candidate: dict[str, Any]) -> dict[str, Any]:
    """A company that may be asked for by its identifier, with what tells its name from the one that was asked."""
    return {**candidate, "pieces": mark(row.asked, clip(str(candidate["entityName"]), LONGEST_NAME) or "")}
