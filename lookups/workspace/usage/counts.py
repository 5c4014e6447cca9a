"""What an account asked in a period, what came of it and what it cost: grouped queries, then sums of few rows.

Days of much that are over were added up (`lookups.operations.usage`), the others are counted from their lookups. A
lookup counts on the day it was asked, a refund on the day it was given. Refunds are the ledger's: it knows the state
and the key of what was charged, and not by which door the question came.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Substr, TruncDate

from billing import money
from billing.models import LedgerEntry
from jurisdictions.codes import PLACES
from lookups.models import Lookup, UsageSum
from lookups.operations.usage import ALIKE
from lookups.verdicts import BILLED, find_verdict
from lookups.workspace.periods import Period

WORKSPACE = "workspace"
ORIGINS = {"api": "API", WORKSPACE: "Workspace", "bulk": "Bulk", "watch": "Watches"}
FOUND, NOTHING, UNKNOWN, OPEN = "found", "nothing", "unknown", "open"
OUTCOMES = {FOUND: "Answered", NOTHING: "None or several fit", UNKNOWN: "Not answered", OPEN: "Open"}
CSV_COLUMNS = ("day", "state", "key", "origin", "verdict", "lookups", "spentUsd", "refundedUsd")


class Day(TruncDate):
    """The day of a moment. SQLite keeps moments as text in UTC: cutting it is four times as fast as asking Python."""

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> tuple[str, Any]:
        """The first ten characters."""
        sql, values = compiler.compile(self.lhs)
        return f"SUBSTR({sql}, 1, 10)", values


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Whose lookups of which mode are counted. The last three narrow it; None: all."""

    account_id: int
    livemode: bool
    state: str | None = None
    key_id: int | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """So many lookups of one day that have all of it in common; of refunds the verdict and the origin are empty."""

    day: date
    state: str
    key_id: int | None
    origin: str
    verdict: str | None
    lookups: int
    spent: int
    refunded: int = 0

    @property
    def outcome(self) -> str:
        """Which of the four columns it counts in."""
        verdict = find_verdict(self.verdict)
        if verdict is None:
            return OPEN
        if verdict.value in BILLED:
            return FOUND
        return NOTHING if verdict.facts.answered else UNKNOWN


@dataclass(slots=True)
class Sums:
    """What a line of a table says; amounts are in 1/10,000 USD."""

    label: str = ""
    word: str = ""
    lookups: int = 0
    outcomes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    spent: int = 0
    refunded: int = 0

    @property
    def columns(self) -> list[tuple[str, int]]:
        """How many of each outcome, as a table has them."""
        return [(name, self.outcomes[word]) for word, name in OUTCOMES.items()]

    @property
    def legend(self) -> list[tuple[str, int, str]]:
        """The outcomes that there are."""
        return [(name, self.outcomes[word], word) for word, name in OUTCOMES.items() if self.outcomes[word]]

    def add(self, row: Row) -> None:
        """Count a row in."""
        self.lookups += row.lookups
        if row.lookups:
            self.outcomes[row.outcome] += row.lookups
        self.spent += row.spent
        self.refunded += row.refunded


@dataclass(frozen=True, slots=True)
class Usage:
    """The rows of a period, by day and by what else they have in common, and all that is made of them."""

    period: Period
    days: list[Row]
    kinds: list[Row]

    @property
    def total(self) -> Sums:
        """All of it."""
        return _add_up(self.days, lambda row: "").get("", Sums())

    def by_day(self) -> list[Sums]:
        """Each day of the period in order, also those on which nothing was asked."""
        found = _add_up(self.days, lambda row: f"{row.day}")
        return [_labelled(found.get(f"{day}", Sums()), f"{day}", f"{day}") for day in self.period.list_days()]

    def by_state(self) -> list[Sums]:
        """The most asked first."""
        return _ranked(self.kinds, lambda row: row.state, lambda code: PLACES[code].name if code in PLACES else code)

    def by_origin(self) -> list[Sums]:
        """The doors that were used; refunds are of none."""
        asked = [row for row in self.kinds if row.lookups]
        return _ranked(asked, lambda row: row.origin, lambda origin: ORIGINS.get(origin, origin))

    def by_key(self, names: dict[str, str]) -> list[Sums]:
        """By the key's number, named as `names` has it."""
        return _ranked(self.kinds, lambda row: f"{row.key_id or ''}", lambda number: names.get(number, "No key"))

    def by_verdict(self) -> list[Sums]:
        """How they ended."""
        asked = [row for row in self.kinds if row.lookups]
        return _ranked(asked, lambda row: row.verdict or OPEN, lambda word: word.replace("_", " ").capitalize())


def count(wanted: Wanted, period: Period) -> Usage:
    """Count an account's lookups of a period, and what was refunded in it."""
    kept = _list_kept(wanted, period)
    counted = _count_rest(wanted, period, kept, "day", *ALIKE) + _list_refunds(wanted, period)
    days, kinds = (_read_kept(wanted, period, kept, *by) for by in (("day", "verdict"), ALIKE))
    return Usage(period, days + counted, kinds + counted)


def total(wanted: Wanted, period: Period) -> Sums:
    """The sums of a period alone."""
    sums, kept = Sums(), _list_kept(wanted, period)
    for read in (_read_kept, _count_rest):
        for row in read(wanted, period, kept, "verdict"):
            sums.add(row)
    for refund in _list_refunds(wanted, period):
        sums.add(refund)
    return sums


def list_rows(wanted: Wanted, period: Period) -> list[Row]:
    """A row for each day, state, key, origin and verdict, and for what was refunded."""
    by, kept = ("day", *ALIKE), _list_kept(wanted, period)
    asked = _read_kept(wanted, period, kept, *by) + _count_rest(wanted, period, kept, *by)
    return asked + _list_refunds(wanted, period)


def write_rows(rows: list[Row], names: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The rows as a table has them: amounts in dollars with four decimals."""
    for row in sorted(rows, key=lambda one: (one.day, one.state, one.origin, one.key_id or 0)):
        yield {
            "day": f"{row.day}",
            "state": row.state,
            "key": names.get(f"{row.key_id or ''}", ""),
            "origin": row.origin,
            "verdict": row.verdict or (OPEN if row.lookups else ""),
            "lookups": row.lookups,
            "spentUsd": money.to_dollars(row.spent),
            "refundedUsd": money.to_dollars(row.refunded),
        }


def _list_kept(wanted: Wanted, period: Period) -> set[date]:
    """The days that were added up. Read once: one that is added up meanwhile would count twice, or not at all."""
    kept = UsageSum.objects.filter(
        account_id=wanted.account_id, sandbox=not wanted.livemode, day__gte=period.first, day__lte=period.last
    )
    return set(kept.values_list("day", flat=True).distinct())


def _read_kept(wanted: Wanted, period: Period, kept: set[date], *by: str) -> list[Row]:
    """Those days, grouped by these columns."""
    sums = _narrow(UsageSum.objects.filter(day__in=kept), wanted)
    return _make_rows(sums.values(*by).annotate(number=Sum("lookups"), amount=Sum("spent")), period)


def _count_rest(wanted: Wanted, period: Period, kept: set[date], *by: str) -> list[Row]:
    """The lookups of the other days, by the index of an account's lookups by time."""
    spans = Q(pk__in=())
    for one in period.without(kept):
        spans |= Q(created_at__gte=one.since, created_at__lt=one.until)
    asked = _narrow(Lookup.objects.filter(spans), wanted).order_by().annotate(day=Day("created_at"))
    return _make_rows(asked.values(*by).annotate(number=Count("*"), amount=Sum("cost")), period)


def _narrow(rows: QuerySet[Any], wanted: Wanted) -> QuerySet[Any]:
    own = rows.filter(account_id=wanted.account_id, sandbox=not wanted.livemode)
    if wanted.state is not None:
        own = own.filter(state=wanted.state)
    if wanted.key_id is not None:
        own = own.filter(key_id=wanted.key_id)
    kept = Lookup.Origin.PAGE if wanted.origin == WORKSPACE else wanted.origin
    return own if kept is None else own.filter(origin=kept)


def _make_rows(found: Iterable[dict[str, Any]], period: Period) -> list[Row]:
    return [
        Row(
            one.get("day", period.first),
            one.get("state", ""),
            one.get("key_id"),
            WORKSPACE if one.get("origin") == Lookup.Origin.PAGE else one.get("origin", ""),
            one["verdict"],
            one["number"],
            int(one["amount"]),  # PostgreSQL adds large integers up to a decimal
        )
        for one in found
    ]


def _list_refunds(wanted: Wanted, period: Period) -> list[Row]:
    """What was given back, by the state and the key of what had been charged: a charge's reference begins with it."""
    if not wanted.livemode or wanted.origin is not None:
        return []
    given = LedgerEntry.objects.filter(
        account_id=wanted.account_id,
        kind=LedgerEntry.Kind.REFUND,
        created_at__gte=period.since,
        created_at__lt=period.until,
    ).annotate(day=Day("created_at"), state=Substr("refunds__reference", 1, 2), by=F("refunds__key_id"))
    if wanted.state is not None:
        given = given.filter(state=wanted.state)
    if wanted.key_id is not None:
        given = given.filter(by=wanted.key_id)
    sums = given.order_by().values("day", "state", "by").annotate(refunded=Sum("amount"))
    return [Row(row["day"], row["state"], row["by"], "", None, 0, 0, row["refunded"]) for row in sums]


def _add_up(rows: Iterable[Row], by: Callable[[Row], str]) -> dict[str, Sums]:
    found: dict[str, Sums] = defaultdict(Sums)
    for row in rows:
        found[by(row)].add(row)
    return dict(found)


def _ranked(rows: Iterable[Row], by: Callable[[Row], str], name: Callable[[str], str]) -> list[Sums]:
    sums = [_labelled(one, name(word), word) for word, one in _add_up(rows, by).items()]
    return sorted(sums, key=lambda one: (-one.lookups, -one.refunded, one.label))


def _labelled(sums: Sums, label: str, word: str) -> Sums:
    sums.label, sums.word = label, word
    return sums
