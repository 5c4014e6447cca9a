"""Pairs of label and value: each as the lines a person sees."""

from __future__ import annotations

from collections.abc import Iterable

from lxml.html import HtmlElement

from scrapers.parsing.html import lines_of, maybe, text_of

Pair = tuple[str, list[str]]


def pairs(rows: Iterable[HtmlElement], label: str, value: str, *, empty: frozenset[str] = frozenset()) -> list[Pair]:
    """Label and lines of every row that holds both, by their selectors; `empty` are lines that stand for nothing."""
    found = []
    for row in rows:
        labels, box = row.cssselect(label), maybe(row, value)
        if labels and box is not None:
            found.append((text_of(labels[0]), [line for line in lines_of(box) if line.casefold() not in empty]))
    return found


def joined(lines: list[str] | None) -> str | None:
    """A value of several lines in one; None where there is none."""
    return " ".join(lines or ()) or None
