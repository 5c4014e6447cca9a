"""A year of watched companies, judged by the very function that judges real ones: what it misses, and what it invents.

`python -m tests.lookups.watches.year` plays all of it (1,000 companies, 365 days) and prints its figures; a test plays
a small one. What happens to a company is scripted: its facts change on certain days, it is taken from the register and
put back, liens come and end. Around it is what makes monitors lie: outages, cut lists, a registry that misses it once,
pages without some of their parts, other spellings and orders, and two new readers with words of their own, of which
the second cannot read the pages of before.

What has to be told is known without reading a word: a part that a look shows, and that is not what it was when a look
showed it last. Everything else that is told is false.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from lookups.watches import comparing, readings, schedule, taxonomy
from lookups.watches.comparing import Judgement, Memory, Result
from lookups.watches.readings import LIENS, PART_OF, Facts, Reading

BEGIN, DAY = datetime(2027, 1, 1, tzinfo=UTC), timedelta(days=1)
STATUSES = (("Active", "active"), ("Good Standing", "active"), ("Dissolved", "inactive"), ("Delinquent", "neutral"))
PEOPLE = ("Maud Quillfeather", "Otis Brambledown", "Ivy Thistlewood", "Hugo Marlpit", "Nell Sanderling")
CHANGES = (
    "status", "entityName", "registeredAgentName", "registeredAgentAddress", "principalAddress", "mailingAddress",
    "officers", "filings",
)  # fmt: skip
HIDEABLE = (
    "registeredAgentName",
    "registeredAgentAddress",
    "principalAddress",
    "mailingAddress",
    "officers",
    "filings",
)
OUTAGE, CUT, MISSED_ONCE, HIDDEN, RESPELLED = 0.04, 0.02, 0.01, 0.1, 0.5  # of all looks
EVERY_DAYS = 40  # on average, between two changes of a company
SECOND_READER, THIRD_READER = 120, 250  # from these days on; the third cannot read the pages of before
Truth = dict[str, Any]


@dataclass
class Company:
    """What the registry has of it: a number for each part, which grows whenever it changes."""

    number: int
    parts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CHANGES, 0))
    liens: list[str] = field(default_factory=list)
    is_listed: bool = True

    def change(self, what: str) -> None:
        """One thing happens to it."""
        match what:
            case "leaves" | "returns":
                self.is_listed = what == "returns"
            case "lien":
                self.liens.append("Active")
            case "termination":
                self.liens[:1] = ["Terminated"] if self.liens else []
            case _:
                self.parts[what] += 1

    def truth(self, kind: str) -> Truth:
        """What is so today, part by part."""
        if kind == "ucc":
            return {LIENS: tuple(self.liens)}
        return {**self.parts, "status": self.parts["status"] % len(STATUSES)}


@dataclass
class Figures:
    """What came of it."""

    looks: Counter[str] = field(default_factory=Counter)
    scripted: int = 0
    told: int = 0
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)  # a part that was not shown, and not named either
    between_readers: int = 0  # changes that no look can tell from another reader's words

    def add(self, other: Figures) -> None:
        """Those of another company as well."""
        self.looks += other.looks
        self.scripted, self.told = self.scripted + other.scripted, self.told + other.told
        self.missed, self.false = self.missed + other.missed, self.false + other.false
        self.unnamed += other.unnamed
        self.between_readers += other.between_readers


def play(*, companies: int, days: int, seed: int = 16) -> Figures:
    """Play so many companies for so many days."""
    together = Figures()
    for number in range(companies):
        for kind in ("business_entity", "ucc"):
            chance = random.Random(f"{seed}-{number}-{kind}")
            together.add(_Story(number, kind, days, chance).play())
    return together


class _Story:
    """One company or the liens on it, looked at by one watch."""

    def __init__(self, number: int, kind: str, days: int, chance: random.Random) -> None:
        self.company, self.kind, self.days, self.chance = Company(number), kind, days, chance
        self.every = ("day", "day", "week", "month")[number % 4]
        self.id = uuid.UUID(int=chance.getrandbits(128))
        self.memory, self.figures = Memory(), Figures()
        self.kept: dict[int, Truth] = {}  # what each look showed
        self.shown: Truth = {}  # each part as it was shown last
        self.missed_at: datetime | None = None
        self.missed_by = ""
        self.is_gone = False
        self.reader = 0
        self.was_missed = False

    def play(self) -> Figures:
        """Every day something may happen; at its time the watch looks."""
        script, next_at = self._write_script(), schedule.find_next(self.id, self.every, after=BEGIN)
        for day in range(self.days):
            for what in script.get(day, []):
                self.company.change(what)
                self.figures.scripted += 1
            while next_at < BEGIN + (day + 1) * DAY:
                judgement = self._look(next_at, day)
                next_at = self._find_next(next_at, judgement)
        return self.figures

    def _write_script(self) -> dict[int, list[str]]:
        script: dict[int, list[str]] = {}
        what = CHANGES if self.kind != "ucc" else ("lien", "lien", "termination")
        for day in range(1, self.days):
            if self.chance.random() < 1 / EVERY_DAYS:
                script.setdefault(day, []).append(self.chance.choice(what))
        if self.kind != "ucc" and self.company.number % 5 == 0:
            leaves = self.chance.randrange(20, max(21, self.days - 60))
            script.setdefault(leaves, []).append("leaves")
            script.setdefault(leaves + self.chance.randrange(1, 90), []).append("returns")
        return script

    def _look(self, at: datetime, day: int) -> Judgement:
        number, reader = len(self.kept) + 1, 1 + (day >= SECOND_READER) + (day >= THIRD_READER)
        reading = self._read(number, reader, at)
        self.kept[number] = self.company.truth(self.kind)
        judgement = comparing.judge(
            self.memory,
            reading,
            categories=taxonomy.EVERY_CATEGORY,
            reread=lambda lookup: None if reader == 3 else self._word(self.kept[lookup], reader, respelled=False),
        )
        self._compare(reading, reader, judgement)
        self.figures.looks[judgement.result.value] += 1
        self.memory = judgement.memory
        return judgement

    def _read(self, number: int, reader: int, at: datetime) -> Reading:
        """What this look brings: nothing, an absence, or a record with or without some of its parts."""
        lot = self.chance.random()
        empty = Reading(kind=self.kind, verdict="unclear", at=at, lookup=number)
        if lot < OUTAGE + CUT:
            return empty
        once = lot < OUTAGE + CUT + MISSED_ONCE and not self.was_missed
        self.was_missed = once
        none = not self.company.is_listed or (self.kind == "ucc" and not self.company.liens)
        if once or none:
            return Reading(kind=self.kind, verdict="absent", at=at, lookup=number, reader=f"{reader}.0")
        parts = {LIENS} if self.kind == "ucc" else set(CHANGES)
        if self.kind != "ucc" and self.chance.random() < HIDDEN:
            parts -= set(self.chance.sample(HIDEABLE, self.chance.randint(1, 3)))
        facts = self._word(self.company.truth(self.kind), reader, respelled=self.chance.random() < RESPELLED)
        known = {"reader": f"{reader}.0", "facts": facts, "shown": frozenset(parts)}
        return Reading(kind=self.kind, verdict="found", at=at, lookup=number, **known)  # type: ignore[arg-type]

    def _compare(self, reading: Reading, reader: int, judgement: Judgement) -> None:
        """Hold what was told against what had to be."""
        had_to = self._list_expected(reading, reader)
        told = [_part_of(change.path) for one in judgement.findings for change in one.changes]
        where = f"{self.company.number} {self.kind} {reading.at:%j}"
        self.figures.told += len(judgement.findings)
        self.figures.missed += [f"{where} {part}" for part in had_to - set(told)]
        self.figures.false += [f"{where} {part}" for part in set(told) - had_to]
        if reading.verdict == "found" and self.kind != "ucc":
            unnamed = set(CHANGES) - reading.shown - set(judgement.not_checked)
            self.figures.unnamed += [f"{where} {part}" for part in unnamed]

    def _list_expected(self, reading: Reading, reader: int) -> set[str]:
        truth = self.company.truth(self.kind)
        if reading.verdict == "unclear":
            return set()
        if self.kind == "ucc":
            return self._expect_liens(reading, truth, reader)
        if reading.verdict == "absent":
            return self._expect_absence(reading)
        had_to = {"found"} if self.is_gone else set()
        self.missed_at, self.is_gone = None, False
        return had_to | self._expect_parts(reading, truth, reader)

    def _expect_absence(self, reading: Reading) -> set[str]:
        if not self.shown or self.is_gone:
            return set()
        if self._is_missed_anew(reading):
            return set()
        assert self.missed_at is not None
        self.is_gone = reading.at - self.missed_at >= DAY
        return {"found"} if self.is_gone else set()

    def _is_missed_anew(self, reading: Reading) -> bool:
        """Whether it is the first look by this reader that misses it; then it is noted."""
        is_anew = self.missed_at is None or self.missed_by != reading.reader
        if is_anew:
            self.missed_at, self.missed_by = reading.at, reading.reader
        return is_anew

    def _expect_liens(self, reading: Reading, truth: Truth, reader: int) -> set[str]:
        """No lien at all is believed at the second look, as a missing company is."""
        if reading.verdict == "found":
            self.missed_at = None
            return self._expect_parts(reading, truth, reader)
        if not self.shown:
            self.shown, self.reader = {LIENS: ()}, 0
            return set()
        if not self.shown[LIENS]:
            return set()
        if self._is_missed_anew(reading) or reading.at - (self.missed_at or reading.at) < DAY:
            return set()
        self.shown, self.missed_at = {LIENS: ()}, None
        return {LIENS}

    def _expect_parts(self, reading: Reading, truth: Truth, reader: int) -> set[str]:
        changed = {part for part in reading.shown if part in self.shown and self.shown[part] != truth[part]}
        if self.shown and self.reader not in (0, reader) and reader == 3:
            self.figures.between_readers += len(changed)
            self.shown, changed = {}, set()
        self.reader = reader
        self.shown |= {part: truth[part] for part in reading.shown}
        return changed

    def _find_next(self, at: datetime, judgement: Judgement) -> datetime:
        """As a watch does: at its own time, sooner where nothing was known or the company was missed."""
        usual = schedule.find_next(self.id, self.every, after=at + schedule.half_of(self.every))
        absence = judgement.memory.absence
        if absence is not None and not judgement.memory.is_gone:
            return at + DAY
        return min(usual, at + DAY) if judgement.result is Result.UNCLEAR else usual

    def _word(self, truth: Truth, reader: int, *, respelled: bool) -> Facts:
        """These facts as a reader puts them, and as the registry spells them today."""
        spell = _respell if respelled else str
        own = "" if reader == 1 else f" as of reader {reader}"
        if self.kind == "ucc":
            liens = [
                {"fileNumber": f"L{place}", "status": f"{status}{own}", "debtors": [{"name": spell("Blue Heron LLC")}]}
                for place, status in enumerate(truth[LIENS])
            ]
            return readings.of_liens(liens[::-1] if respelled else liens)
        word, meaning = STATUSES[truth["status"]]
        chosen = [name for place, name in enumerate(PEOPLE) if (truth["officers"] + 1) >> place & 1 or place == 4]
        officers = [{"name": spell(name), "title": f"Manager{own}", "address": None} for name in chosen]
        papers = [{"date": f"20{10 + n}-03-01", "title": f"Report {n}{own}"} for n in range(truth["filings"] + 1)]
        return {
            "data": {
                "entityName": spell(f"Company {self.company.number} of year {truth['entityName']}, LLC"),
                "status": f"{spell(word)}{own}",
                "registeredAgentName": spell(f"Harbor Agents {truth['registeredAgentName']}, Inc."),
                **_address("registeredAgent", truth["registeredAgentAddress"], respelled=respelled),
                **_address("principal", truth["principalAddress"], respelled=respelled),
                **_address("mailing", truth["mailingAddress"], respelled=respelled),
                "officers": officers[::-1] if respelled else officers,
            },
            "normalized": {"statusClass": meaning, "statusReason": None, "filings": papers},
        }


def _respell(text: str) -> str:
    return text.upper().replace(",", "").replace(".", "")


def _address(prefix: str, number: int, *, respelled: bool) -> dict[str, str | None]:
    street, city, state, zip_ = f"{number + 1} Quay Street", "Dover", "DE", "19901"
    if respelled:
        street, city, state, zip_ = f"{number + 1} QUAY ST., DOVER, DE 19901", None, None, None  # type: ignore[assignment]
    return {f"{prefix}Address": street, f"{prefix}City": city, f"{prefix}State": state, f"{prefix}Zip": zip_}


def _part_of(path: str) -> str:
    if path.startswith("data.filings") or path == "found":
        return LIENS if path != "found" else path
    return PART_OF[".".join(path.partition("[")[0].split(".")[:2])]


def main() -> None:
    """Play the year and print what came of it."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--companies", type=int, default=1000)
    asked.add_argument("--days", type=int, default=365)
    wanted = asked.parse_args()
    started = time.monotonic()
    found = play(companies=wanted.companies, days=wanted.days)
    seconds = time.monotonic() - started
    lines = [
        f"companies {wanted.companies}, days {wanted.days}, looks {sum(found.looks.values())}, {seconds:.0f} s",
        f"looks by result {dict(sorted(found.looks.items()))}",
        f"scripted changes {found.scripted}, events told {found.told}, between readers {found.between_readers}",
        f"missed {len(found.missed)}, false {len(found.false)}, parts not named {len(found.unnamed)}",
        *found.missed[:5],
        *found.false[:5],
        *found.unnamed[:5],
    ]
    sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
