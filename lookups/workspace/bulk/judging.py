"""What is known of a draft's rows before anything is paid: which can be asked, what is wrong with others, the price.

A row passes the same checks as a row of the API's, then those that a lookup passes before its registry is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from rest_framework import serializers as drf

from billing import prices
from billing.models import ApiKey
from jurisdictions.codes import PLACES
from lookups import bodies
from lookups.api.requests.serializers import BulkEntity
from lookups.api.views.lookup import to_question
from lookups.bulk import drafts, forecast
from lookups.bulk.bulk_jobs import Wanted
from lookups.bulk.objections import Registries
from lookups.bulk.tables.columns import list_states
from lookups.lookup.outcomes import Refused, Unavailable
from lookups.lookup.questions import Question
from lookups.models import BulkDraft, Lookup
from lookups.pages.dossier.record.words import write_for_people
from lookups.verdicts import Verdict
from lookups.workspace.bulk.results import write_sought
from scrapers.failures import find_failure
from scrapers.refusals import find_refusal

LOST_ZEROS = "Spreadsheets drop zeros at the beginning: look at the original."
ERRORS = ("#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NULL!", "#NUM!")  # what spreadsheets have for a result
NOT_TEXT = {"number": "a number", "date": "a day", "yes_no": "a yes or no"}


@dataclass(frozen=True, slots=True)
class Problem:
    """What is the matter with one field of a row. What is not grave can be asked as it is."""

    field: str
    text: str
    grave: bool = True
    state: str = ""  # which cannot be asked, whatever the row says


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A row of a draft with what it asks, and what stands in its way."""

    row: drafts.Row
    wanted: Wanted | None
    problems: list[Problem] = field(default_factory=list)
    same_as: int | None = None  # the line before it that asks the same

    @property
    def is_askable(self) -> bool:
        """Whether it is asked when the draft is bought."""
        return self.wanted is not None and not self.row.dropped and not any(one.grave for one in self.problems)

    @property
    def sought(self) -> str:
        """Which liens it asks for; empty where it asks for a company."""
        question = self.wanted.question if self.wanted is not None else None
        return write_sought(question.to_json()) if question is not None and question.kind == "ucc" else ""

    @property
    def why_not(self) -> str:
        """Why it is left out."""
        return "Left out by you." if self.row.dropped else " ".join(one.text for one in self.problems if one.grave)


@dataclass(frozen=True)
class Judgement:
    """All rows of a draft, and what they come to."""

    rows: Sequence[JudgedRow]
    stored: int  # of the different questions
    expected: timedelta
    is_free: bool

    @cached_property
    def askable(self) -> list[JudgedRow]:
        """The rows that are asked when it is bought."""
        return [one for one in self.rows if one.is_askable]

    @cached_property
    def questions(self) -> int:
        """How many different questions they are: what is held."""
        return len(_different(self.askable))

    @property
    def price(self) -> int:
        """The most it may cost, in units of 1/10,000 USD."""
        return 0 if self.is_free else self.questions * prices.LOOKUP

    @property
    def price_with_stored(self) -> int:
        """The same, where stored answers are taken as far as they are there."""
        left = (self.questions - self.stored) * prices.LOOKUP + self.stored * prices.STORED
        return 0 if self.is_free else left

    @cached_property
    def with_problems(self) -> list[JudgedRow]:
        """The rows that somebody has to look at."""
        return [one for one in self.rows if not one.row.dropped and (one.problems or one.same_as)]

    @cached_property
    def dropped(self) -> list[JudgedRow]:
        """The rows that somebody has left out."""
        return [one for one in self.rows if one.row.dropped]

    @cached_property
    def stuck(self) -> list[JudgedRow]:
        """The rows that cannot be asked as they are."""
        return [one for one in self.rows if not one.row.dropped and not one.is_askable]

    @cached_property
    def parts(self) -> int:
        """Rows that are one of several, each in a state of its own, of a line that names several."""
        return sum(one.row.is_part for one in self.rows)

    @cached_property
    def repeated(self) -> int:
        """Rows that ask what another asks."""
        return sum(one.same_as is not None and one.is_askable for one in self.rows)

    @cached_property
    def off(self) -> list[tuple[str, int, str]]:
        """The states that cannot be asked: name, number of rows, why."""
        found: Counter[tuple[str, str]] = Counter()
        for one in self.rows:
            if not one.row.dropped:
                found.update((problem.state, problem.text) for problem in one.problems if problem.state)
        return [(PLACES[state].name, number, why) for (state, why), number in found.most_common()]

    @cached_property
    def states(self) -> list[tuple[str, int]]:
        """The states that are asked with their rows, most first."""
        found = Counter(one.wanted.question.state for one in self.askable if one.wanted)
        return [(PLACES[state].name, number) for state, number in found.most_common()]

    def order(self, *, accepts_stored: bool) -> drafts.Order:
        """What is bought."""
        return drafts.Order(
            wanted=[(one.row.index, one.wanted) for one in self.askable if one.wanted],
            left_out=[
                {"index": one.row.index, "line": one.row.line, "fields": one.row.fields, "why": one.why_not}
                for one in self.rows
                if not one.is_askable
            ],
            accepts_stored=accepts_stored,
            max_wait=forecast.choose_max_wait(self.expected),
        )


def judge(draft: BulkDraft, *, key: ApiKey, now: datetime) -> Judgement:
    """Look at every row; two queries for each state and two more, whatever the number of rows."""
    serializer, registries = BulkEntity(), Registries(key, now)
    firsts: dict[tuple[str, str, str], int] = {}
    judged = []
    for row in drafts.read_rows(draft):
        wanted, problems = _read(serializer, row)
        same_as = None
        if wanted is not None:
            problems += _judge_question(wanted.question, row, registries)
            if not row.dropped:
                same_as = _find_first(firsts, wanted.question, row.line)
        judged.append(JudgedRow(row, wanted, problems, same_as))
    different = _different([one for one in judged if one.is_askable])
    account, sandbox = key.account, key.is_test
    return Judgement(
        rows=judged,
        stored=forecast.count_stored(different, account=account, sandbox=sandbox, now=now) if different else 0,
        expected=forecast.estimate(Counter(one.state for one in different), sandbox=sandbox, now=now),
        is_free=sandbox,
    )


def _judge_question(question: Question, row: drafts.Row, registries: Registries) -> Iterator[Problem]:
    """Why its registry would not take it, or not now."""
    state = question.state
    match registries.find_objection(question):
        case Refused() as refused:
            yield _of_refusal(refused, state, row)
        case Unavailable() as away:
            failure = find_failure(str(away.reason))
            why = away.note or (failure.facts.customer if failure else "")
            if away.retryable:
                yield Problem("state", f"{PLACES[state].name}: {why} It is being tried again.", grave=False)
            else:
                yield Problem("state", why, state=state)


def _read(serializer: BulkEntity, row: drafts.Row) -> tuple[Wanted | None, list[Problem]]:
    problems = [
        Problem("entity_name", f"The workbook has {NOT_TEXT[kind]} here and no text: is it the name?", grave=False)
        for kind in _kinds_of(row, "entity_name")
    ]
    named = (name for name in ("entity_name", "entity_id") if row.fields.get(name) in ERRORS)
    problems += [Problem(name, "The spreadsheet has an error here.") for name in named]
    try:
        asked: dict[str, Any] = serializer.run_validation(dict(row.fields))
    except drf.ValidationError as refused:
        details: Any = refused.detail
        wrong = [Problem(str(name), _say(str(name), str(texts[0]), row)) for name, texts in details.items()]
        return None, [*wrong, *problems]
    return Wanted(to_question(asked), asked.get("ref")), problems


def _kinds_of(row: drafts.Row, name: str) -> Iterator[str]:
    """What the workbook had in the cell of a field, where that was no text and nobody has mended it."""
    text = row.fields.get(name)
    if name not in row.own and text is not None:
        yield from (kind for column, kind in row.kinds.items() if row.cells[column] == text)


def _say(name: str, text: str, row: drafts.Row) -> str:
    """What is wrong, for people."""
    if name == "state":
        given = row.fields.get("state")
        if given and list_states(given):
            return "Name one state here. Several can be named only in the table, which makes a row for each."
        return f"“{given}” is not a state that we know." if given else "It names no state."
    if name == "entity_name" and not row.fields.get("entity_name"):
        return "It names no company."
    return text.replace("Ensure this field has", "It must have")


def _of_refusal(refused: Refused, state: str, row: drafts.Row) -> Problem:
    draft = Lookup(
        state=state,
        verdict=Verdict.REFUSED,
        reason=refused.refusal,
        refusal=dict(refused.values),
        note=refused.note or "",
    )
    ((name, texts),) = bodies.refusal_details(draft).items()
    known = find_refusal(refused.refusal)
    text = write_for_people(texts[0])
    if name == "entity_id" and row.fields.get("entity_id", "").isdigit():
        text = f"{text} {LOST_ZEROS}"
    return Problem(name, text, state=state if known is not None and known.facts.unsupported else "")


def _different(rows: Sequence[JudgedRow]) -> list[Question]:
    found = {one.wanted.question.sameness: one.wanted.question for one in rows if one.wanted}
    return list(found.values())


def _find_first(firsts: dict[tuple[str, str, str], int], question: Question, line: int) -> int | None:
    first = firsts.setdefault(question.sameness, line)
    return None if first == line else first
