"""The usage of a period as bars: days, or months where there are too many days. The table beside it says the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lookups.workspace.usage.counts import FOUND, NOTHING, OPEN, OUTCOMES, UNKNOWN, Sums, Usage

MOST_DAYS = 62
WIDTH, HEIGHT = 1000, 200
GAP = 0.25  # of a bar's place
_ROUND = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Part:
    """One outcome's part of a bar, as an SVG rectangle has it."""

    kind: str
    x: str
    y: str
    width: str
    height: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A day or a month: what it says when it is pointed at, and its parts from the bottom up."""

    title: str
    parts: list[Part]


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars in a box of `WIDTH` by `HEIGHT`, stretched by the page; `top` is the number at the upper edge."""

    bars: list[Bar]
    top: int
    first: str
    last: str
    unit: str

    @property
    def box(self) -> str:
        """The SVG's own measure."""
        return f"0 0 {WIDTH} {HEIGHT}"


def draw(usage: Usage) -> Chart | None:
    """The bars of a period; None where nothing was asked."""
    lines = usage.by_day()
    by_month = len(lines) > MOST_DAYS
    if by_month:
        lines = _months(lines)
    most = max((line.lookups for line in lines), default=0)
    if not most:
        return None
    top = round_up(most)
    place = WIDTH / len(lines)
    bars = [_bar(line, number * place, place, top) for number, line in enumerate(lines)]
    return Chart(bars, top, lines[0].label, lines[-1].label, "month" if by_month else "day")


def round_up(number: int) -> int:
    """The next number that reads well on an axis: 1, 2, 5, 10, 20, 50 …"""
    power: int = 10 ** (len(f"{number}") - 1)
    return min(step * power for step in _ROUND if step * power >= number)


def _months(days: Iterable[Sums]) -> list[Sums]:
    months: dict[str, Sums] = {}
    for day in days:
        month = months.setdefault(day.label[:7], Sums(label=day.label[:7]))
        month.lookups += day.lookups
        for outcome, number in day.outcomes.items():
            month.outcomes[outcome] += number
    return list(months.values())


def _bar(line: Sums, left: float, place: float, top: int) -> Bar:
    parts, bottom = [], float(HEIGHT)
    for kind in (FOUND, NOTHING, UNKNOWN, OPEN):
        if not line.outcomes[kind]:
            continue
        height = HEIGHT * line.outcomes[kind] / top
        bottom -= height
        parts.append(Part(kind, *(f"{one:.2f}" for one in (left + place * GAP / 2, bottom, place * (1 - GAP), height))))
    said = [f"{OUTCOMES[kind].lower()} {line.outcomes[kind]}" for kind in OUTCOMES if line.outcomes[kind]]
    return Bar(f"{line.label}: {line.lookups} lookups" + (f" ({', '.join(said)})" if said else ""), parts)
