"""A registry's search by name over all its companies: what the terms of today would list there, cap and all.

The road is the product's own: the pipeline asks for its terms in its order and number, stops where it stops, asks the
narrow search where a list was cut, and chooses. Only the registry is ours.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from itertools import islice
from types import SimpleNamespace
from typing import Literal

from scrapers.normalize import names
from scrapers.portal import Portal
from scrapers.records import Candidate, EntityRecord, Found, NotFound, Query, ResultList
from scrapers.refusals import QueryRefused
from scrapers.search import pipeline, signs
from scrapers.search.terms import NameSearch, SearchPlan
from scrapers.states.connecticut import Connecticut
from scrapers.transport import conditions
from scrapers.transport.session import PortalSession, Trace
from tests.bench.names import judge
from tests.bench.names.companies import Registry
from tests.bench.names.questions import Question

Kind = Literal["starts_with", "contains", "word_pattern"]
KINDS: tuple[Kind, ...] = ("starts_with", "contains", "word_pattern")
CAPS = (25, 100, 500)
MOST = max(CAPS) + 200  # rows that are kept of a list: some may be hidden from a question
# The narrow search that most states of a kind have beside it.
NARROW = {"starts_with": "", "contains": "starts_with", "word_pattern": "spellings"}
_LINE = "\n"
_NOW = datetime(2026, 11, 22, tzinfo=UTC)


class Index:
    """The registry's names in capitals, in the order of the alphabet, as its own search reads them."""

    def __init__(self, registry: Registry) -> None:
        companies, self._count = registry.companies, registry.count
        self.places = sorted(range(len(companies)), key=lambda at: (companies[at].name.upper(), at))
        self.texts = [companies[at].name.upper().replace(_LINE, " ") for at in self.places]
        self.lines = {at: line for line, at in enumerate(self.places)}
        self._starts: list[int] = []
        length = 0
        for text in self.texts:
            self._starts.append(length)
            length += len(text) + 1
        self.starts_with = lru_cache(maxsize=20_000)(self._starts_with)
        self.contains = lru_cache(maxsize=20_000)(self._contains)
        self.fits = lru_cache(maxsize=20_000)(self._fits)
        self.equals = lru_cache(maxsize=20_000)(self._equals)

    @cached_property
    def _whole(self) -> str:
        return _LINE.join(self.texts)

    def _starts_with(self, text: str) -> list[int]:
        first = bisect_left(self.texts, text)
        last = bisect_left(self.texts, text + chr(0x10FFFF))
        return self.places[first : min(last, first + MOST)]

    def _contains(self, text: str) -> list[int]:
        return [self.places[line] for line in islice(self._lines_with(text), MOST)]

    def _fits(self, body: str) -> list[int]:
        """Names that fit a pattern of an SQL `like`."""
        pieces = [piece for piece in re.split(r"[%_]", body) if piece]
        pattern = re.compile("".join({"%": ".*", "_": "."}.get(sign, re.escape(sign)) for sign in body), re.DOTALL)
        rarest = min(pieces, key=lambda piece: (len(piece) < 3, self._count(piece.lower()), -len(piece)))
        fitting = (line for line in self._lines_with(rarest) if pattern.fullmatch(self.texts[line]))
        return [self.places[line] for line in islice(fitting, MOST)]

    def _equals(self, text: str) -> list[int]:
        first = bisect_left(self.texts, text)
        return self.places[first : bisect_left(self.texts, text + "\0")]

    def _lines_with(self, text: str) -> Iterator[int]:
        at = self._whole.find(text)
        while at >= 0:
            line = bisect_left(self._starts, at + 1) - 1
            yield line
            if line + 1 == len(self._starts):
                return
            at = self._whole.find(text, self._starts[line + 1])


class Simulated(Portal):
    """A registry with a search of one kind that ends its lists at a cap and is open about nothing else."""

    code, id_pattern = "CT", r".+"
    statuses = Connecticut.statuses

    def __init__(self, registry: Registry, index: Index, kind: Kind, cap: int) -> None:
        self.registry, self.index, self.kind, self.cap = registry, index, kind, cap
        self.hidden: frozenset[int] = frozenset()
        self.target: int | None = None
        self.was_cut = self.was_listed = False
        self.name_search = NameSearch(  # type: ignore[misc]
            mode=kind, narrow=NARROW[kind], cap=cap, shortest=2, ignores_signs=kind == "word_pattern"
        )

    def search_plan(self, session: PortalSession, name: str) -> SearchPlan:
        """As states with such a search plan: open data has a term for the signs that callers leave out."""
        return signs.plan(name, self.name_search) if self.kind == "word_pattern" else super().search_plan(session, name)

    def search(self, session: PortalSession, term: str) -> ResultList:
        """The list for the term, cut at the cap."""
        if self.kind == "word_pattern":
            return self._listed(at for body in _patterns(term) for at in self.index.fits(body))
        return self._listed(getattr(self.index, self.kind)(term.upper()))

    def narrow(self, session: PortalSession, name: str) -> ResultList | None:
        """The list of the narrow search, where the kind has one."""
        if self.kind == "word_pattern":
            found = self._listed(at for spelling in names.spellings(name) for at in self.index.equals(spelling))
            return ResultList(found.candidates, complete=False)
        return self._listed(self.index.starts_with(names.without_suffix(name).upper()))

    def _listed(self, places: Iterable[int]) -> ResultList:
        found = sorted(set(places) - self.hidden, key=self.index.lines.__getitem__)
        whole = self.name_search.whole(len(found[: self.cap]))
        self.was_cut |= not whole
        self.was_listed |= self.target in found[: self.cap]
        return ResultList(tuple(judge.row(self.registry.companies[at]) for at in found[: self.cap]), complete=whole)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The record the row already is."""
        assert candidate.record is not None
        return candidate.record


@lru_cache(maxsize=20_000)
def _patterns(term: str) -> tuple[str, ...]:
    """The patterns of the condition that is sent for the term."""
    return tuple(re.findall(r"like '([^']*)'", conditions.name_fits("name", term)))


@dataclass(slots=True)
class Outcome:
    """What came of all questions at one kind of search and one cap."""

    habits: dict[str, judge.Tally] = field(default_factory=dict)
    listed: int = 0  # questions whose company stood in a list
    cut: int = 0  # questions that met the cap
    refused: int = 0  # questions that got "give more of the name"
    searches: int = 0
    seconds: float = 0.0

    @property
    def tally(self) -> judge.Tally:
        """All questions together."""
        return judge.total(self.habits.values())


def simulate(registry: Registry, index: Index, questions: Iterable[Question], kind: Kind, cap: int) -> Outcome:
    """Ask a registry with such a search all questions."""
    portal, outcome, started = Simulated(registry, index, kind, cap), Outcome(), time.monotonic()
    for question in questions:
        portal.hidden, portal.target = question.hidden, question.target
        portal.was_cut = portal.was_listed = False
        session = SimpleNamespace(trace=Trace(), pages=[])
        answer, near = _ask(portal, session, question, outcome)
        tally = outcome.habits.setdefault(question.habit, judge.Tally())
        tally.add(question, answer, near, judge.number_of(registry, question))
        outcome.searches += session.trace.searches
        outcome.cut += portal.was_cut
        outcome.listed += portal.was_listed
    outcome.seconds = time.monotonic() - started
    return outcome


def _ask(
    portal: Simulated, session: SimpleNamespace, question: Question, outcome: Outcome
) -> tuple[str | None, list[str]]:
    query = Query("CT", question.asked)
    try:
        told = pipeline.ask(portal, session, query, now=_NOW, threshold=judge.THRESHOLD)  # type: ignore[arg-type]
    except QueryRefused:
        outcome.refused += 1
        return None, []
    if isinstance(told, Found):
        return told.record.entity_id, []
    assert isinstance(told, NotFound)
    return None, [one.entity_id for one in told.suggestions]
