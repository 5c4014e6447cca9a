"""What a portal is: the facts a state declares, and the three moves of a lookup: search, choose, detail.

A platform inherits from `Portal` and speaks one vendor's protocol; a state inherits from its platform and states its
differences. Neither can reach headers of identity, retries or TLS.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Literal, Self

from requests.adapters import BaseAdapter

from scrapers.bulk_data.published import BulkData
from scrapers.failures import PortalDisabled, PortalError
from scrapers.name_rules.forms import split
from scrapers.name_rules.rules import RULES
from scrapers.name_rules.same_names import same_names
from scrapers.normalize import types
from scrapers.records import Candidate, EntityRecord, NameCheck, Query, ResultList, UccFiling
from scrapers.refusals import QueryRefused, Refusal
from scrapers.search import matching, signs, terms, widening
from scrapers.search.terms import NameSearch, SearchPlan
from scrapers.statuses import FACTS, StatusMeaning, find_meaning, folded
from scrapers.transport.pace import Pace
from scrapers.transport.session import PortalSession

Verification = Literal["recorded", "documented", "unsupported"]
# Searches that find a piece of a word: others list "Blue Heron" and not "BLUEHERON"; of some that is not known.
_LISTS_PIECES = frozenset({"starts_with", "contains", "word_pattern"})


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a source can answer. `addresses` etc. say what its records show, not whether one record has it."""

    search: bool = True
    by_id: bool = True
    status: bool = True
    agent: bool = False
    officers: bool = False
    addresses: bool = False
    filings: bool = False
    former_names: bool = False
    assumed_names: bool = False
    ucc: bool = False
    ucc_secured_party: bool = False
    ucc_date_filter: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """What the portal's owner says of programs: `automated` from its terms, `robots` as its robots.txt has it."""

    automated: Literal["allowed", "unstated", "forbidden"] = "unstated"
    robots: str = "not known"
    note: str = ""


class CanaryKind(StrEnum):
    """The known name: of an `active` or `inactive` company, a `person`'s, an `absent` one, a `lien` debtor's."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    PERSON = "person"
    ABSENT = "absent"
    LIEN = "lien"


class ContactResult(StrEnum):
    """How it went: `read` as expected, read and it `differs`, `not_read`, `walled` off, `no_answer`, `not_asked`."""

    READ = "read"
    DIFFERS = "differs"
    NOT_READ = "not_read"
    WALLED = "walled"
    NO_ANSWER = "no_answer"
    NOT_ASKED = "not_asked"


@dataclass(frozen=True, slots=True)
class Canaries:
    """What first contact asks of a registry, each by a name; empty: not asked.

    The usual ones are chains that registered in nearly every state, one of them gone since 2009, a name as people
    have it, one that nobody has, and a debtor of whom most states have liens. They are to be confirmed state by state.
    """

    active: str = "Walmart Inc."
    inactive: str = "Circuit City Stores, Inc."
    person: str = "John Smith"
    absent: str = "Quzvexil Thornwick Ombrage LLC"
    lien: str = "Smith Construction LLC"


@dataclass(frozen=True, slots=True)
class Choice:
    """What `Portal.choose` decided about a result list."""

    candidate: Candidate | None
    ranked: tuple[matching.Ranked, ...]
    ambiguous: bool = False


class Portal:
    """Base of every registry's reader. Class attributes are the facts."""

    code: ClassVar[str] = ""
    hosts: ClassVar[tuple[str, ...]] = ()
    sources: ClassVar[tuple[str, ...]] = ()  # the addresses a person can check
    capabilities: ClassVar[Capabilities] = Capabilities()
    published: ClassVar[frozenset[str]] = frozenset()  # EntityRecord fields this source shows at all
    paywalled: ClassVar[frozenset[str]] = frozenset()
    id_pattern: ClassVar[str] = r".{1,40}"
    statuses: ClassVar[Mapping[str, StatusMeaning]] = {}
    status_prefixes: ClassVar[tuple[tuple[str, StatusMeaning], ...]] = ()
    implied_status: ClassVar[StatusMeaning | None] = None  # a register of active entities shows no status word
    bad_standings: ClassVar[frozenset[str]] = frozenset()  # of this state alone: words that qualify "active", folded
    coverage: ClassVar[Literal["all", "active_only"]] = "all"
    pace: ClassVar[Pace] = Pace()
    terms: ClassVar[Terms] = Terms()
    verification: ClassVar[Verification] = "documented"
    on_by_default: ClassVar[bool] = False
    off_reason: ClassVar[str] = ""  # customers read it
    would_change: ClassVar[str] = ""  # for operators: what would let it be on, or be read, as far as anybody can tell
    lists_all_liens: ClassVar[bool] = True  # False: no list of its liens that has any is ever known to be whole
    slow: ClassVar[bool] = False
    estimated_seconds: ClassVar[int] = 3
    name_search: ClassVar[NameSearch] = NameSearch()  # how its search takes a term
    narrow_proves: ClassVar[bool] = False  # whether a whole list of the narrow search holds every spelling of the name
    bulk_data: ClassVar[BulkData | None] = None  # the files its registry publishes, of which a copy may be loaded
    own_name_check: ClassVar[str] = ""  # the registry's own availability search, where it has one and it is asked
    canaries: ClassVar[Canaries] = Canaries()
    version: ClassVar[str] = "1.0"
    built_at: ClassVar[str] = "2026-11-21"
    sandbox: ClassVar[bool] = False

    @classmethod
    def for_state(cls, state: str) -> Self:
        """The reader to ask about a state; only the sandbox registry has one for each."""
        return cls()

    # The three moves, for a platform or a state to fill in

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Ask for entities whose name fits `term`; all rows, and whether the list is complete."""
        raise PortalDisabled(self._not_loaded or self.off_reason or "No search of this registry is known.")

    def narrow(self, session: PortalSession, name: str) -> ResultList | None:
        """Ask once more for just this name, when the list was cut before it; None where a portal has no such search."""
        return None

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """Ask for the entity with this state identifier; an empty list when there is none."""
        if self._not_loaded:
            raise PortalDisabled(self._not_loaded)
        raise QueryRefused(Refusal.NOT_BY_IDENTIFIER)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open one row; a portal whose list holds everything sets `Candidate.record` instead."""
        if candidate.record is None:
            raise NotImplementedError(f"{type(self).__name__} lists rows without records and has no detail")
        return candidate.record

    def names_taken(self, session: PortalSession, name: str) -> ResultList:
        """All names on the register that could be the same name; a portal with a name check of its own uses that.

        A cut list is followed by the narrow search; unless that is whole too, the result stays incomplete: it can show
        that a name is taken, never that it is free.
        """
        found: tuple[Candidate, ...] = ()
        complete, narrow = True, None
        name, _ = split(name)  # "Blue Heron, P.S." is taken by BLUE HERON LLC, which a list of its own name lacks
        plan = self.search_plan(session, name)
        every = self._terms_of_the_rule(name, plan)
        for term in every[: self.name_search.most_terms + 1]:
            started = time.monotonic()
            session.trace.searches += 1
            results = self.search(session, term)
            session.trace.add("search", started, f"{term!r}: {len(results.candidates)} rows")
            found += results.candidates
            if not results.complete:
                narrow = narrow or self.ask_narrowly(session, name)
                found += narrow.candidates if narrow is not None else ()
                complete = complete and narrow is not None and narrow.complete and self.narrow_proves
        complete = complete and plan.proves
        wider = self._list_wider(session, plan) if complete else ResultList(())  # else no name is said to be free
        asked = not plan.is_cut and len(every) <= self.name_search.most_terms + 1
        return ResultList(found + wider.candidates, complete=complete, all_spellings=asked and wider.all_spellings)

    def has_left_name(self, row: Candidate) -> bool:
        """Whether the register shows a name that its owner, whatever its status, has no more."""
        return row.name_kind == "former"

    def _terms_of_the_rule(self, name: str, plan: SearchPlan) -> list[str]:
        """The plan's terms, and those more that the state's rule calls the same name, where they can be sent."""
        facts = self.name_search
        same = same_names(name, RULES[self.code]) if self.code in RULES else ()
        more = [text for one in same if facts.is_sendable(text := facts.fitted(one))]
        return list(dict.fromkeys((*plan.terms, *more)))

    def _list_wider(self, session: PortalSession, plan: SearchPlan) -> ResultList:
        """What one wider term lists, where the state's rule looks past more than a search for the name does.

        It is asked for what stands in the way alone: a list that was cut, or failed, is told and is no failure.
        """
        rule, mode, started = RULES.get(self.code), self.name_search.mode, time.monotonic()
        if rule is None or not rule.is_wider_than_text:
            return ResultList(())
        name, terms = plan.terms[0].casefold(), (plan.wider.term, plan.wider.looser)
        pieces = [text for text in terms if text and (mode == "word_pattern" or text.casefold() in name)]
        if " " not in name or not pieces:  # one word is a piece itself
            return ResultList((), all_spellings=" " not in name and self._lists_all(name))
        piece = next((text for text in pieces if not signs.may_hold(text)), pieces[0])
        session.trace.searches += 1
        try:
            results = self.search(session, piece)
        except PortalError as error:
            session.trace.add("search", started, f"{piece!r}: {error.reason}")
            return ResultList((), all_spellings=False)
        session.trace.add("search", started, f"{piece!r}: {len(results.candidates)} rows")
        return replace(results, all_spellings=results.complete and self._lists_all(piece))

    def list_lacking(self, *, from_copy: bool) -> frozenset[str]:
        """Fields of a record that the portal shows, and a loaded copy of its published files does not hold."""
        return self.bulk_data.lacks if from_copy and self.bulk_data else frozenset()

    def _lists_all(self, piece: str) -> bool:
        """Whether a whole list for a piece of a name holds it with all signs that may stand in it, "REID'S" too."""
        facts = self.name_search
        return facts.mode in _LISTS_PIECES and (facts.ignores_signs or not signs.may_hold(piece))

    def with_own_check(self, usual: ResultList, rows: Iterable[Candidate], check: NameCheck) -> ResultList:
        """The names the usual search listed and those only the registry's own name check did, with what it said."""
        known = {row.name.casefold() for row in usual.candidates}
        more = tuple(row for row in rows if row.name.casefold() not in known)
        return replace(usual, candidates=usual.candidates + more, check=check)

    def ask_narrowly(
        self, session: PortalSession, name: str, search: Callable[[str], ResultList] | None = None
    ) -> ResultList | None:
        """The narrow search, noted as a stage of the attempt; None also where the name cannot be asked for so.

        `search` is asked in its place, where there is a better one.
        """
        asked = self.name_search.narrowed(name)
        if asked is None:
            return None
        started = time.monotonic()
        narrow = self.narrow(session, asked) if search is None else search(asked)
        if narrow is not None:
            session.trace.searches += 1
            session.trace.add("narrow", started, f"{len(narrow.candidates)} rows")
        return narrow

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """UCC filings for a debtor or secured party, and whether the list is complete."""
        raise QueryRefused(Refusal.NO_UCC)

    def data_as_of(self, session: PortalSession) -> datetime | None:
        """The day the source's data is from, for sources that are copies; None for live ones."""
        return None

    def adapter(self) -> BaseAdapter | None:
        """A stand-in for the network; only the sandbox registry has one."""
        return None

    # What follows from the declared facts

    @property
    def most_searches(self) -> int:
        """The most searches one lookup costs: its terms, the narrow one where a list was cut, and the wider ones."""
        return self.name_search.most_terms + bool(self.name_search.narrow) + widening.MOST

    @property
    def most_for_a_check(self) -> int:
        """The most a name check costs: two more for what the state's rule calls the same name, and nothing wider."""
        return self.most_searches - widening.MOST + 2

    def search_plan(self, session: PortalSession, name: str) -> SearchPlan:
        """The terms to try for a name, in order and at most `name_search.most_terms`; QueryRefused when it has none."""
        return terms.plan(name, self.name_search)

    @property
    def walled(self) -> bool:
        """Whether its own search is known to turn programs away, so that only a copy of its bulk data answers."""
        return self.bulk_data is not None and self.bulk_data.walled

    @property
    def _not_loaded(self) -> str:
        """Why nobody answers for a registry that has published files and no search."""
        if self.bulk_data is None:
            return ""
        return "No copy of this state's bulk data is loaded here yet."

    def answers_later(self, name: str | None) -> bool:
        """Whether this question is known to take longer than anybody waits; the sandbox registry tells by the name."""
        return self.slow

    def status_meaning(self, raw: str | None) -> StatusMeaning:
        """Look the state's own word up in its closed table; an unknown word is never guessed at."""
        if raw is None or not raw.strip():
            return self.implied_status or StatusMeaning("neutral", "status_not_published")
        word = folded(raw)
        if word in self.statuses:
            return self.statuses[word]
        for prefix, meaning in self.status_prefixes:
            if word.startswith(folded(prefix)):
                exact = find_meaning(raw)  # "Inactive - Merged": the vocabulary knows more than the prefix
                return exact if exact is not None and exact.status_class == meaning.status_class else meaning
        return StatusMeaning("neutral", "unrecognised_status")

    def record_meaning(self, record: EntityRecord) -> StatusMeaning:
        """The meaning of a whole record: a bad standing beside an active status is a warning."""
        meaning = self.status_meaning(record.status)
        if meaning.status_class == "active" and meaning.reason is None and self._is_bad(record.standing):
            return FACTS["not_in_good_standing"].meaning
        return meaning

    def worst_standing(self, words: Sequence[str]) -> str | None:
        """Of several standings beside one status (tax, agent) the first bad one, or the first."""
        return next(filter(self._is_bad, words), next(iter(words), None))

    def _is_bad(self, standing: str | None) -> bool:
        """Whether the word beside the status says that it owes something."""
        word = standing or ""
        return folded(word) in self.bad_standings or find_meaning(word) == FACTS["not_in_good_standing"].meaning

    def contradictions(self, row: Candidate, record: EntityRecord) -> list[str]:
        """What a record says that the row it was opened from denies: for pages that do not say whose they are."""
        kinds, words = (row.entity_type, record.entity_type), (row.status, record.status)
        pairs = (
            {self.status_meaning(word).status_class for word in words if word} - {"neutral"},
            {types.to_class(kind) for kind in kinds} - {None, "other"},
            {types.is_domestic(kind, jurisdiction=None, state=self.code) for kind in kinds} - {None},
        )
        return [f"{words} and {kinds}" for pair in pairs if len(pair) > 1]

    def ids_of(self, row: Candidate) -> tuple[str, ...]:
        """Every identifier the row may be asked for by; a registry with two kinds names both."""
        return (self.check_id(row.entity_id),)

    def check_id(self, entity_id: str) -> str:
        """Return the identifier in the portal's own form; QueryRefused when it cannot be one of this state.

        Letters are capitals in every registry, and digits are our own: those of other scripts are no registry's.
        """
        cleaned = unicodedata.normalize("NFKC", entity_id).strip()
        if not re.fullmatch(self.id_pattern, cleaned, flags=re.IGNORECASE | re.ASCII):
            raise QueryRefused(Refusal.NOT_AN_IDENTIFIER, entity_id=cleaned)
        return cleaned.upper()

    def check_ucc(self, query: Query) -> None:
        """QueryRefused when UCC filings of this state cannot be asked for so."""
        can = self.capabilities
        if not can.ucc:
            raise QueryRefused(Refusal.NO_UCC)
        if query.search_by == "secured_party" and not can.ucc_secured_party:
            raise QueryRefused(Refusal.NO_SECURED_PARTY)
        if (query.date_after or query.date_before) and not can.ucc_date_filter:
            raise QueryRefused(Refusal.NO_DATE_AFTER if query.date_after else Refusal.NO_DATE_BEFORE)

    def choose(self, name: str, results: ResultList, *, threshold: float, last: bool = True) -> Choice:
        """Pick the company that was asked for, or nobody: a wrong company is the worst answer there is.

        `last`: whether no other list follows. Only then, and only in a whole list, is a name taken that differs in
        something doubtful and stands alone.
        """
        rows = results.candidates
        ranked = matching.rank(name, rows, status_of=lambda row: self.status_meaning(row.status), state=self.code)
        best, ambiguous = matching.best(ranked, threshold=threshold)
        if best is None and not ambiguous and last and results.complete:
            best = matching.alone(ranked, rows, threshold=threshold)
            ranked = tuple(best if best and entry.candidate is best.candidate else entry for entry in ranked)
        return Choice(candidate=best.candidate if best else None, ranked=ranked, ambiguous=ambiguous)
