"""What a table consists of before anybody knows what its columns mean, and how large it may be."""

from __future__ import annotations

from dataclasses import dataclass, field

from lookups.bulk.input import MOST_ROWS, Unreadable

MOST_COLUMNS = 250  # a file of our results has a hundred, beside somebody's own

__all__ = ["MOST_COLUMNS", "MOST_ROWS", "Line", "Unreadable", "clean", "too_wide"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number in the file, its cells as text, and which of them a workbook had as something else.

    `kinds` is by column: "number", "date" or "yes_no".
    """

    number: int
    cells: list[str]
    kinds: dict[int, str] = field(default_factory=dict)


_CONTROLS = dict.fromkeys(range(32), " ")


def clean(text: str) -> str:
    """A cell in one line, without the signs that no table means (those below the blank)."""
    return " ".join(text.translate(_CONTROLS).split())


def too_wide(number: int) -> Unreadable:
    """The refusal of so many columns."""
    return Unreadable(f"It has {number:,} columns; up to {MOST_COLUMNS} are read. Leave out what is not needed.")
