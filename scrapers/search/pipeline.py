"""The story of one question to one portal: search, choose, open, check, prove. Plain Python, no Django."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from scrapers.failures import PageChanged, PortalError
from scrapers.name_rules import availability
from scrapers.normalize import names
from scrapers.normalize.hidden import leave_out, spell_out
from scrapers.normalize.placeholders import without_placeholders
from scrapers.portal import Choice, Portal
from scrapers.records import (
    Answer,
    Candidate,
    EntityRecord,
    Evidence,
    Found,
    FoundFilings,
    Match,
    NameVerdict,
    NotFound,
    Query,
    ResultList,
    Suggestion,
    Verdict,
    check_words,
)
from scrapers.refusals import QueryRefused, Refusal
from scrapers.search import matching, question, widening
from scrapers.search.question import Question
from scrapers.search.sources import Copy, LivePortal, Source, choose_source, read_copy
from scrapers.search.terms import SearchPlan
from scrapers.transport.session import PortalSession

_RELATED = 10
_SUGGESTIONS, _EQUALS = 5, 25  # the most, and of those that fit equally well: the one that is meant is among these
_SUGGESTION_FLOOR = 0.6
_STRICTNESS: dict[Verdict, int] = {"free": 0, "cannot_say": 1, "taken": 2}


def ask(
    portal: Portal, session: PortalSession, query: Query, *, now: datetime, threshold: float, copy: Copy | None = None
) -> Answer:
    """Answer the query from the portal, or from the copy of its bulk data that is handed in.

    Raises one of the four portal errors, and never turns one into NotFound.
    """
    hidden: set[str] = set()
    answer = leave_out(_ask(portal, session, query, now=now, threshold=threshold, copy=copy), hidden)
    return replace(answer, evidence=_naming(hidden, answer.evidence))


def _ask(
    portal: Portal, session: PortalSession, query: Query, *, now: datetime, threshold: float, copy: Copy | None
) -> Answer:
    if query.kind == "ucc":  # no copy holds liens
        return _filings(LivePortal(portal, session), query, now=now)
    source = choose_source(portal, session, copy)
    if query.entity_id:
        return _by_id(source, query.entity_id, query.name, now=now)
    assert query.name is not None
    return _by_name(source, query.name, now=now, threshold=threshold)


def _by_id(source: Source, entity_id: str, name: str | None, *, now: datetime) -> Answer:
    """The record of the identifier; a name given beside it is compared and chooses nobody."""
    wanted = source.portal.check_id(entity_id)
    results = source.find(wanted)
    rows = [row for row in results.candidates if wanted in _shown_ids(source.portal, row)]
    if results.candidates and not rows:
        raise PageChanged(f"asked for {wanted}, the portal listed {results.candidates[0].entity_id}")
    if not rows:
        if not results.complete:
            raise QueryRefused(Refusal.TOO_MANY_NUMBERS)
        return NotFound((), _evidence(source, now), as_of=source.data_as_of)
    if any(row.record != rows[0].record for row in rows):  # a file may have two companies of one number
        same = tuple(Suggestion(row.name, row.entity_id, row.status, 1.0, row.sos_url) for row in rows[:_EQUALS])
        return NotFound(same, _evidence(source, now), ambiguous=True, as_of=source.data_as_of)
    record = _open(source, rows[0])
    match = Match(1.0, "entity_id")
    if name:
        former, assumed = record.former_names, record.assumed_names
        match = matching.match_by_id(name, record.entity_name, former_names=former, assumed_names=assumed)
    return _found(source, record, match, (), now)


def _by_name(source: Source, name: str, *, now: datetime, threshold: float) -> Answer:
    asked = question.read(name, source.portal.code)
    plan = source.plan(asked.name)
    with _counted(source.session, most=source.portal.most_searches):
        choice, complete, pages = _search(source, asked, plan, threshold=threshold)
    if choice.candidate is None:
        if not complete and not choice.ambiguous:
            # A list that may lack the row proves no absence: saying "not found" here would be a false statement.
            raise _unproven(plan, Refusal.TOO_MANY_COMPANIES)
        evidence = _evidence(source, now, pages=None if choice.ambiguous else pages)
        return NotFound(_suggestions(choice), evidence, ambiguous=choice.ambiguous, as_of=source.data_as_of)
    best = next(entry for entry in choice.ranked if entry.candidate is choice.candidate)
    record = _open(source, choice.candidate)
    match = _checked(asked.written, record, Match(best.score, best.kind, best.features))
    related = tuple(e.candidate for e in choice.ranked if e is not best and e.score >= _SUGGESTION_FLOOR)[:_RELATED]
    return _found(source, record, match, related, now)


def _search(source: Source, asked: Question, plan: SearchPlan, *, threshold: float) -> tuple[Choice, bool, int | None]:
    """Try the plan's terms, the narrow search once if a list was cut, and the wider terms where none was.

    Returns whether the lists were whole, and of how many pages those for the name itself were; None: of all.
    """
    portal, name = source.portal, asked.written
    complete, nearest, narrow, rows = plan.proves, Choice(None, ()), None, list[Candidate]()
    for term in plan.terms[: portal.name_search.most_terms]:
        results = _listed(source, term, source.search)
        choice = portal.choose(name, results, threshold=threshold, last=False)
        whole = seen = results.complete
        if not whole and not _certain(choice):
            narrow = narrow or source.narrow(asked.name)
            if narrow is not None:
                both = ResultList(narrow.candidates + results.candidates, complete=False)
                choice = portal.choose(name, both, threshold=threshold, last=False)
                whole = narrow.complete and source.narrow_proves
                seen = whole or (choice.candidate in narrow.candidates and _shows_namesakes(portal, narrow))
        complete = complete and whole  # another spelling's whole list does not mend one that was cut
        if choice.ambiguous or _certain(choice) or (choice.candidate is not None and seen):
            return choice, complete, None
        choice = replace(choice, candidate=None)  # the very name may be beyond the end of the list
        nearest = max(nearest, choice, key=_nearness)
        rows += results.candidates
    if not complete:
        return nearest, False, None
    pages = len(source.session.pages)
    return _search_wider(source, asked, plan, rows, threshold=threshold), True, pages


def _search_wider(
    source: Source, asked: Question, plan: SearchPlan, rows: list[Candidate], *, threshold: float
) -> Choice:
    """Ask for the company's own words; `rows` are those that were listed for its name, all of them from whole lists.

    A list that was cut finds the very name only, for others like it may be beyond its end; of a company that has ended
    it is ambiguous whose name it is now. A search that fails is noted and is the last: that nobody has the name was
    proved before it.
    """
    portal, known, cut, whole = source.portal, len(rows), list[Candidate](), True
    looked_for = {names.plain(term) for term in plan.terms}
    for number in range(widening.MOST):
        term = _wider_term(portal, asked, plan, number, whole=whole)
        if not term:
            continue
        try:
            results = _listed(source, term, source.search_wider)
        except PortalError as error:
            source.session.trace.add("search", time.monotonic(), f"{term!r}: {error.reason}")
            break
        choice, whole = portal.choose(asked.written, results, threshold=threshold, last=False), results.complete
        if choice.ambiguous or _certain(choice) or (choice.candidate is not None and whole):
            return _noted(choice)
        (rows if whole else cut).extend(results.candidates)
        looked_for |= {names.plain(term)} if whole else set()
    choice = portal.choose(asked.written, ResultList((*rows, *cut)), threshold=threshold)
    if all(row is not choice.candidate for row in rows) or not _was_looked_for(source, choice, looked_for):
        choice = portal.choose(asked.written, ResultList((*rows, *cut)), threshold=threshold, last=False)
        return replace(choice, candidate=None, ambiguous=bool(choice.ranked) and choice.ranked[0].kind == "exact")
    return choice if any(row is choice.candidate for row in rows[:known]) else _noted(choice)


def _wider_term(portal: Portal, asked: Question, plan: SearchPlan, number: int, *, whole: bool) -> str:
    """The term of a wider search; the second is for a trading name that was given: its bearer may be suggested."""
    if not number or not asked.trading:
        return plan.wider.next_term(number, whole=whole)
    term = portal.name_search.fitted(names.without_suffix(asked.trading[0]))
    return term if portal.name_search.is_sendable(term) else ""


def _was_looked_for(source: Source, choice: Choice, words: set[str]) -> bool:
    """Whether a slip is one: the registry was asked for just that word, and nobody has it."""
    best = next(entry for entry in choice.ranked if entry.candidate is choice.candidate)
    return best.doubt is None or not best.doubt.word or (source.finds_words and best.doubt.word in words)


def _noted(choice: Choice) -> Choice:
    """The choice, with the wider search among the features of the company that it found."""
    ranked = tuple(
        replace(entry, features=(*entry.features, "wider_search")) if entry.candidate is choice.candidate else entry
        for entry in choice.ranked
    )
    return replace(choice, ranked=ranked)


def _listed(source: Source, term: str, search: Callable[[str], ResultList]) -> ResultList:
    """The list for a term, noted as a stage of the attempt."""
    trace, started = source.session.trace, time.monotonic()
    trace.searches += 1
    results = search(term)
    trace.add("search", started, f"{term!r}: {len(results.candidates)} rows")
    return results


@contextmanager
def _counted(session: PortalSession, *, most: int) -> Iterator[None]:
    """Note how often the registry was searched for one name, the most it may be, and the requests that it took.

    Also when it failed on the way. One search may be several requests: a form, pages, sets that are read together.
    """
    started, trace = time.monotonic(), session.trace
    try:
        yield
    finally:
        if trace.stages:  # nothing was noted where nobody can be asked
            requests = sum(stage.name == "request" for stage in trace.stages)
            trace.add("searches", started, f"{trace.searches} of at most {most}; requests: {requests}")


def _unproven(plan: SearchPlan, cut: Refusal) -> QueryRefused:
    """Why nothing was proved: by a search that proves nothing, or else because a list was `cut`."""
    return QueryRefused(cut if plan.proves else Refusal.SHORT_NAME_ALONE)


def _nearness(choice: Choice) -> float:
    return choice.ranked[0].score if choice.ranked else 0.0


def _shows_namesakes(portal: Portal, narrow: ResultList) -> bool:
    """Whether nobody who has the name of a row of this list is missing from it."""
    return narrow.complete or portal.name_search.narrow == "spellings"


def _certain(choice: Choice) -> bool:
    """Whether the best row is the very name asked for: nothing beyond a cut list could be better.

    Of a company that has ended one cannot tell: its name may have gone to one that lives.
    """
    best = choice.ranked[0] if choice.ranked else None
    return (
        best is not None and best.kind == "exact" and best.status_class != "inactive" and choice.candidate is not None
    )


def _open(source: Source, row: Candidate) -> EntityRecord:
    portal, started = source.portal, time.monotonic()
    record = without_placeholders(source.open(row))
    check_words(record.status, record.standing, record.entity_type, record.jurisdiction)
    source.session.trace.add("detail", started, f"{record.entity_name} ({record.entity_id})")
    if not record.entity_name or not record.entity_id:
        raise PageChanged(f"opened {row.name!r}, the portal showed {record.entity_name!r} ({record.entity_id!r})")
    if row.entity_id:
        if _shown_id(portal, record.entity_id) != _shown_id(portal, row.entity_id):
            raise PageChanged(f"opened {row.entity_id}, the portal showed {record.entity_id}")
    elif not _carries(record, row.name) and (row.name_kind == "legal" or portal.contradictions(row, record)):
        raise PageChanged(f"opened {row.name!r}, the portal showed {record.entity_name!r}")
    return record


def _shown_id(portal: Portal, entity_id: str) -> str:
    """An identifier the portal shows, in its own form: one that cannot be is the page's fault, not the caller's."""
    try:
        return portal.check_id(entity_id)
    except QueryRefused as refusal:
        raise PageChanged(f"the portal shows an identifier that cannot be one: {refusal}") from refusal


def _shown_ids(portal: Portal, row: Candidate) -> tuple[str, ...]:
    try:
        return portal.ids_of(row)
    except QueryRefused as refusal:
        raise PageChanged(f"the portal shows an identifier that cannot be one: {refusal}") from refusal


def _carries(record: EntityRecord, name: str) -> bool:
    """Whether the record has the name of the row it was opened from: all there is to go by in a list without ids."""
    shown = (record.entity_name, *record.former_names, *record.assumed_names)
    return any(matching.compare(name, other).kind in ("exact", "suffix_variant", "former_name") for other in shown)


def _checked(name: str, record: EntityRecord, match: Match) -> Match:
    """A list may show a former name as if it were the present one; the opened record decides."""
    shown = matching.compare(name, record.entity_name)
    if match.kind in ("exact", "suffix_variant") and shown.kind == "close":
        return Match(min(match.score, 0.98), "former_name", ("listed_under_another_name", *match.features))
    return match


def _found(source: Source, record: EntityRecord, match: Match, related: tuple[Candidate, ...], now: datetime) -> Found:
    return Found(record, match, related, _evidence(source, now), as_of=source.data_as_of)


def _suggestions(choice: Choice) -> tuple[Suggestion, ...]:
    """All that fit equally well, and near misses where there is room for them."""
    equal, near = list[matching.Ranked](), list[matching.Ranked]()
    for entry in choice.ranked:
        if choice.ambiguous and (entry is choice.ranked[0] or matching.is_as_good(entry, choice.ranked[0])):
            equal.append(entry)
        elif choice.ambiguous or entry.score >= _SUGGESTION_FLOOR:
            near.append(entry)
    most = min(max(_SUGGESTIONS, len(equal)), _EQUALS)
    return tuple(
        Suggestion(
            e.candidate.name,
            e.candidate.entity_id,
            e.candidate.status,
            round(e.score, 3),
            e.candidate.sos_url,
            e.features,
        )
        for e in [*equal, *near][:most]
    )


def _evidence(source: Source, now: datetime, *, pages: int | None = None) -> Evidence:
    """The address is that of the last page, or of the last of the first `pages`."""
    read = source.session.pages[:pages]
    address = read[-1].url if read else next(iter(source.portal.sources), "")
    return Evidence(address, now, from_copy=source.from_copy, as_of=source.copy_as_of)


def _naming(hidden: set[str], evidence: Evidence) -> Evidence:
    """The evidence with what was left out of the answer it is for."""
    return replace(evidence, left_out=tuple(spell_out(sign) for sign in sorted(hidden)))


def _filings(source: Source, query: Query, *, now: datetime) -> Answer:
    source.portal.check_ucc(query)
    filings, complete = source.portal.filings(source.session, query)
    evidence = _evidence(source, now)
    if not filings:
        if not complete:
            raise QueryRefused(Refusal.TOO_MANY_FILINGS)
        return NotFound((), evidence, as_of=source.data_as_of)
    return FoundFilings(filings, evidence, total=len(filings), as_of=source.data_as_of, complete=complete)


def ask_name(portal: Portal, session: PortalSession, query: Query, *, now: datetime) -> tuple[NameVerdict, Evidence]:
    """Say whether the query's name is free; QueryRefused when the list was cut and shows nobody surely in the way."""
    return _judged(LivePortal(portal, session), query, now=now)


def ask_copy_for_name(
    portal: Portal, session: PortalSession, query: Query, *, now: datetime, copy: Copy | None
) -> tuple[NameVerdict, Evidence]:
    """The same of the loaded copy, which is read instead of asking the registry; QueryRefused where none is kept."""
    return _judged(read_copy(portal, session, copy), query, now=now)


def _judged(source: Source, query: Query, *, now: datetime) -> tuple[NameVerdict, Evidence]:
    assert query.name is not None
    portal, session, started = source.portal, source.session, time.monotonic()
    name = question.read(query.name, query.state).name  # "Acme LLC, Albany" is taken by ACME LLC, and as it is written
    with _counted(session, most=portal.most_for_a_check):
        results = source.names_taken(name)
    session.trace.add("names", started, f"{name!r}: {len(results.candidates)} rows")
    seen = {"active_only": source.active_only, "entities_alone": source.entities_alone}
    verdicts = [
        availability.judge(each, results, portal=portal, state=query.state, **seen) for each in (name, query.name)
    ]
    verdict = max(verdicts, key=lambda one: _STRICTNESS[one.verdict])
    if verdict.verdict != "taken" and not results.complete:  # whoever is not listed may have the name
        raise _unproven(source.plan(name), Refusal.TOO_MANY_NAMES)
    hidden: set[str] = set()
    verdict = leave_out(verdict, hidden)
    return verdict, _naming(hidden, _evidence(source, now))
