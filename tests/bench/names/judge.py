"""Judges an answer: right, missed, suggested, or a wrong company; and the table of them by habit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from scrapers.portal import Choice, Portal
from scrapers.records import Candidate, EntityRecord, Query, ResultList
from scrapers.states.connecticut import Connecticut
from tests.bench.names.companies import Company, Registry
from tests.bench.names.questions import Question

THRESHOLD = 0.92
SUGGESTED, SUGGESTIONS = 0.6, 5  # as the pipeline suggests: from this score, so many


class Real(Portal):
    """The registry the companies are from, with its own words for a status; it is asked nothing."""

    code = "CT"
    statuses = Connecticut.statuses


@dataclass(slots=True)
class Tally:
    """What came of some questions: of those that have a company, and of those where nobody is right."""

    asked: int = 0
    right: int = 0
    suggested: int = 0
    wrong: int = 0
    nobody: int = 0  # of `asked`, the questions where nobody is right

    @property
    def findable(self) -> int:
        """The questions that have a company."""
        return self.asked - self.nobody

    @property
    def recall(self) -> float:
        """The share of companies that were found."""
        return self.right / self.findable if self.findable else 1.0

    @property
    def precision(self) -> float:
        """The share of answers that were the company asked for."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    def add(self, question: Question, answer: str | None, near: Iterable[str], number: str | None) -> None:
        """Count one answer, given the number of the right company."""
        self.asked += 1
        self.nobody += number is None
        self.wrong += answer is not None and answer != number
        self.right += answer is not None and answer == number
        self.suggested += answer is None and number is not None and number in near


@lru_cache(maxsize=300_000)
def row(company: Company) -> Candidate:
    """The company as a row of a result list, which already is the whole record."""
    return Candidate.of(EntityRecord(company.name, company.number, company.status))


def number_of(registry: Registry, question: Question) -> str | None:
    """The number of the company that is right."""
    return None if question.target is None else registry.companies[question.target].number


def listed(registry: Registry, question: Question) -> list[int]:
    """The list a registry would give: the right company, its sisters, and others that share words with the name."""
    whole = list(question.beside) + ([] if question.target is None else [question.target])
    places = sorted({*registry.listed_for(question.asked), *whole} - question.hidden)
    return sorted(places, key=lambda at: registry.companies[at].name.upper())


def choose(registry: Registry, question: Question) -> Choice:
    """What the matcher of today takes from that list."""
    rows = tuple(row(registry.companies[at]) for at in listed(registry, question))
    asked = Query("CT", question.asked).name or ""
    return Real().choose(asked, ResultList(rows), threshold=THRESHOLD)


def judge(registry: Registry, questions: Iterable[Question], choose: Callable = choose) -> dict[str, Tally]:
    """What came of the questions, by habit, in the order of the set."""
    found: dict[str, Tally] = defaultdict(Tally)
    for question in questions:
        choice = choose(registry, question)
        answer = choice.candidate.entity_id if choice.candidate else None
        near = [e.candidate.entity_id for e in choice.ranked if e.score >= SUGGESTED][:SUGGESTIONS]
        found[question.habit].add(question, answer, near, number_of(registry, question))
    return dict(found)


def total(tallies: Iterable[Tally]) -> Tally:
    """All of them together."""
    every = list(tallies)
    return Tally(*(sum(getattr(one, name) for one in every) for name in Tally.__slots__))


def table(tallies: dict[str, Tally]) -> str:
    """A line for each habit, in Markdown, and the sum."""
    lines = [
        "| | questions | found | recall | found or suggested | precision | wrong company |",
        "|---|---|---|---|---|---|---|",
    ]
    for habit, one in {**tallies, "**all**": total(tallies.values())}.items():
        shares = (one.recall, (one.right + one.suggested) / one.findable, one.precision) if one.findable else ()
        kept = " | ".join((str(one.right), *(f"{share:.1%}" for share in shares))) if shares else "| | |"
        lines.append(f"| {habit.replace('_', ' ')} | {one.asked} | {kept} | {one.wrong} |")
    return "\n".join(lines) + "\n"
