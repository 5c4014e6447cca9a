"""What a look means beside all that was seen before: no clock, no table, so that a simulated year can be judged by it.

A change is told once, and only where both sides were read in full. What a source did not show stays as it was known and
is named; an outage, a wall, a cut list or an ambiguous name says nothing; and what a new reader puts in other words is
no change, since the old pages are read by it first, or nothing is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from lookups.history.changes import Change, is_of_whole, list_changes
from lookups.watches import readings
from lookups.watches.readings import LIENS, PART_OF, PARTS, Facts, Reading
from lookups.watches.taxonomy import CODES

APART = timedelta(days=1)  # two readings that miss a company, before it is said to have disappeared
Reread = Callable[[int], Facts | None]
"""The facts of a lookup as today's reader has them, by its number; None where its pages cannot be read again."""


class Result(StrEnum):
    """What came of a check; see `WatchCheck.Result`."""

    BASELINE = "baseline"
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    READER_CHANGED = "reader_changed"
    ABSENT = "absent"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Absence:
    """A complete reading that missed the company: when, by which reader, by which lookup."""

    at: datetime
    reader: str
    lookup: int


@dataclass(frozen=True, slots=True)
class Memory:
    """All that is known of one question of a watch; `facts` is None until it was found.

    `carried`: a part that the last reading did not show -> the lookup that showed it last.
    """

    facts: Facts | None = None
    known: frozenset[str] = frozenset()
    carried: dict[str, int] = field(default_factory=dict)
    lookup: int | None = None
    reader: str = ""
    at: datetime | None = None
    absence: Absence | None = None
    is_gone: bool = False

    @property
    def lookups(self) -> set[int]:
        """Those that showed what is known."""
        showed = {self.carried.get(key, self.lookup) for key in self.known}
        return {lookup for lookup in showed if lookup is not None}

    def is_later_than(self, at: datetime) -> bool:
        """Whether it was found, or missed, after that moment: of a copy from before that there is no news."""
        seen = [self.at, self.absence.at if self.absence else None]
        return any(one is not None and at < one for one in seen)

    def is_by_another(self, reader: str) -> bool:
        """Whether another reader worded it. "": no lien at all was found, which is nobody's wording."""
        return self.reader not in ("", reader)


@dataclass(frozen=True, slots=True)
class Finding:
    """One event to be told: its code, the changes, and the lookups that say so."""

    code: str
    changes: list[Change]
    before: int | None
    after: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of a look: what is known from now on, what is to be told, and what could not be seen."""

    memory: Memory
    result: Result
    findings: list[Finding] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)


def judge(
    memory: Memory,
    reading: Reading,
    *,
    categories: Collection[str],
    reread: Reread,
    apart: timedelta = APART,
) -> Judgement:
    """Judge a reading. `categories`: what is told, and makes a look `CHANGED`."""
    wanted = frozenset(key for key, part in PARTS.items() if part.category in categories and _is_of(key, reading.kind))
    if reading.verdict == "unclear" or memory.is_later_than(reading.at):
        return Judgement(memory, Result.UNCLEAR, not_checked=sorted(wanted))
    if reading.verdict == "absent":
        judgement = _judge_absence(memory, reading, apart)
    else:
        judgement = _judge_found(memory, reading, reread)
    findings = [one for one in judgement.findings if CODES[one.code].category in categories]
    return replace(
        judgement,
        result=Result.CHANGED if findings else judgement.result,
        findings=findings,
        not_checked=sorted(wanted - reading.shown) if reading.verdict == "found" else [],
    )


def _is_of(part: str, kind: str) -> bool:
    return (part == LIENS) == (kind == "ucc")


def _judge_absence(memory: Memory, reading: Reading, apart: timedelta) -> Judgement:
    """Not found, by a complete reading: believed at the second one by the same reader, no sooner than a day later."""
    if memory.facts is None and reading.kind == "ucc":
        return Judgement(_remember(memory, _without_liens(reading)), Result.BASELINE)
    if memory.facts is None or memory.is_gone:
        return Judgement(memory, Result.ABSENT)
    if reading.kind == "ucc" and not memory.facts["data"]["filings"]:
        return Judgement(memory, Result.UNCHANGED)
    first = memory.absence
    if first is None or first.reader != reading.reader:
        missed = Absence(reading.at, reading.reader, reading.lookup)
        return Judgement(replace(memory, absence=missed), Result.ABSENT)
    if reading.at - first.at < apart:
        return Judgement(memory, Result.ABSENT)
    if reading.kind == "ucc":
        none = _without_liens(reading)
        findings = _find(memory, none)
        return Judgement(_remember(memory, none), Result.UNCHANGED, findings)
    gone = Finding("disappeared", [Change("found", True, False)], memory.lookup, reading.lookup)
    return Judgement(replace(memory, is_gone=True), Result.ABSENT, [gone])


def _judge_found(memory: Memory, reading: Reading, reread: Reread) -> Judgement:
    findings = []
    if memory.is_gone:
        missed = memory.absence.lookup if memory.absence else memory.lookup
        findings.append(Finding("reappeared", [Change("found", False, True)], missed, reading.lookup))
    if memory.facts is None:
        return Judgement(_remember(memory, reading), Result.BASELINE)
    if memory.is_by_another(reading.reader):
        memory = _read_anew(memory, reread)
        if memory.facts is None:
            return Judgement(_remember(memory, reading), Result.READER_CHANGED, findings)
    findings += _find(memory, reading)
    return Judgement(_remember(memory, reading), Result.UNCHANGED, findings)


def _read_anew(memory: Memory, reread: Reread) -> Memory:
    """What is known, in another reader's words: each part from the pages that showed it, as far as they are kept."""
    facts: Facts = {}
    known: set[str] = set()
    read: dict[int | None, Facts | None] = {lookup: reread(lookup) for lookup in memory.lookups}
    for key in memory.known:
        again = read.get(memory.carried.get(key, memory.lookup))
        if again is not None:
            facts = readings.merge(facts, readings.pick(again, {key}))
            known.add(key)
    return replace(memory, facts=facts if known else None, known=frozenset(known))


def _without_liens(reading: Reading) -> Reading:
    """The reading that found no lien at all, as a list of none, which is nobody's wording."""
    return replace(reading, reader="", facts=readings.of_liens([]), shown=frozenset({LIENS}))


def _remember(memory: Memory, reading: Reading) -> Memory:
    """What is known after a reading that found it: what it did not show stays as it was, unless it is withheld."""
    kept = memory.known - reading.shown - reading.withheld
    older = readings.pick(memory.facts, kept) if memory.facts is not None else {}
    earlier = {key: memory.carried.get(key, memory.lookup) for key in kept}
    return Memory(
        facts=readings.merge(older, readings.pick(reading.facts, reading.shown)),
        known=kept | reading.shown,
        carried={key: number for key, number in earlier.items() if number is not None},
        lookup=reading.lookup,
        reader=reading.reader,
        at=reading.at,
    )


def _find(memory: Memory, reading: Reading) -> list[Finding]:
    """What the reading says otherwise than what is known, as far as it shows it: one finding for each code."""
    both = memory.known & reading.shown
    changes = _pass_over_withheld(
        list_changes(readings.pick(memory.facts or {}, both), readings.pick(reading.facts, both))
    )
    if reading.kind == "ucc":
        coded = [(_code_of_list("lien", change), LIENS, change) for change in changes]
    else:
        coded = [_code(change, changes) for change in changes]
    found: dict[str, Finding] = {}
    for code, part, change in coded:
        before_lookup = memory.carried.get(part, memory.lookup)
        found.setdefault(code, Finding(code, [], before_lookup, reading.lookup)).changes.append(change)
    return list(found.values())


def _pass_over_withheld(changes: list[Change]) -> list[Change]:
    """Without filings of which the title alone was left out since, or is shown again: that of the same day is it."""
    filed = [one for one in changes if one.path.startswith("normalized.filings[")]
    added, passed = [one for one in filed if one.before is None], []
    for gone in [one for one in filed if one.after is None]:
        came = next((one for one in added if _differs_in_a_withheld_title(gone.before, one.after)), None)
        if came is not None:
            added.remove(came)
            passed += [gone, came]
    return [one for one in changes if all(one is not other for other in passed)]


def _differs_in_a_withheld_title(before: Any, after: Any) -> bool:
    return before["date"] == after["date"] and readings.WITHHELD in (before["title"], after["title"])


def _code(change: Change, changes: list[Change]) -> tuple[str, str, Change]:
    """The code of a change of a record, and its part. A code of the taxonomy for each part that there is."""
    part = PART_OF[".".join(change.path.partition("[")[0].split(".")[:2])]
    match part:
        case "status":
            code = _code_of_status(changes)
        case "entityName":
            code = "name.changed"
        case "formerNames" | "assumedNames":
            code = "name.other"
        case "registeredAgentName":
            code = "agent.changed" if change.after else "agent.removed"
        case "serviceOfProcess":
            code = "agent.changed"
        case "registeredAgentAddress":
            code = "agent.address"
        case "officers":
            code = _code_of_list("officer", change)
        case "filings":
            code = _code_of_list("filing", change)
        case "principalAddress" | "mailingAddress":
            code = f"address.{part.removesuffix('Address')}"
        case _:
            code = "name.particulars"
    return code, part, change


def _code_of_status(changes: list[Change]) -> str:
    """All that says something of the status is one event: the word, what it means and why."""
    of_class = next((change for change in changes if change.path == "normalized.statusClass"), None)
    if of_class is not None:
        return f"status.{of_class.after or 'neutral'}"
    reasons = ("normalized.statusReason", "normalized.standing")
    return "status.reason" if any(change.path in reasons for change in changes) else "status.wording"


def _code_of_list(what: str, change: Change) -> str:
    """Added and removed is what is itself in the list; a lien has lists of its own, of parties and what followed it."""
    if (change.before is None) == (change.after is None) or not is_of_whole(change):
        return f"{what}.changed"
    return f"{what}.added" if change.before is None else f"{what}.removed"
