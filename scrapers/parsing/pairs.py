"""Pairs of label and value: each as the lines a person sees."""

from __future__ import annotations

from collections.abc import Iterable

from lxml.html import HtmlElement

from scrapers.parsing.html import lines_of, maybe, select, text_of

Pair = tuple[str, list[str]]


def pairs(rows: Iterable[HtmlElement], label: str, value: str, *, empty: frozenset[str] = frozenset()) -> list[Pair]:
    """Label and lines of every row that holds both, by their selectors; `empty` are lines that stand for nothing."""
    found = []
    for row in rows:
        labels, box = select(row, label), maybe(row, value)
        if labels and box is not None:
            found.append((text_of(labels[0]).rstrip(" :"), stated_lines(lines_of(box), empty)))
    return found


def stated_lines(lines: list[str], empty: frozenset[str]) -> list[str]:
    """The lines without those that stand for nothing, which may break as others do: "Not / Provided"."""
    if " ".join(lines).casefold() in empty:
        return []
    return [line for line in lines if line.casefold() not in empty]


def joined(lines: list[str] | None) -> str | None:
    """A value of several lines in one; None where there is none."""
    return " ".join(lines or ()) or None
