"""Details of the Civix platform: labels and values under headings, in three kinds of markup.

The same label ("Name", "Status", "Address") stands in several panels, so a value is only known by its panel too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, fold
from scrapers.parsing.html import maybe, select, table_rows, text_of, visible_text
from scrapers.parsing.people import refuse_unread
from scrapers.records import Address, Officer
from scrapers.statuses import find_meaning

_EMPTY = {"", "n/a", "none", "not available", "not stated", "null", "no records to view.", "-"}
_OVER_PRINCIPALS = re.compile(r"(?:principal|officer)(?:\(s\)|s)? information", re.IGNORECASE)
NO_PRINCIPALS = re.compile(r"\bno (?:principal|officer)(?:\(s\)|s)? listed\b", re.IGNORECASE)
_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Markup:
    """Where a host puts its labels: XPath of the labels, CSS of the panels and of their headings."""

    label: str
    panel: str
    heading: str


# Bootstrap rows (Utah, Nevada), an older grid of divs (Virginia), tables (Georgia, Indiana), QuickStart (NH).
PANELS = Markup("//div[contains(@class, 'label-side')]", "div.panel", ":scope > .panel-heading")
DIVS = Markup("//div[contains(@class, 'text-right')][following-sibling::div]", "div.data_pannel0", ".section-title")
TABLES = Markup("//td[not(.//strong)][following-sibling::td[1]//strong]", "table", "tr:first-child > td:only-child")
QUICKSTART = Markup("//td[contains(@class, 'font_orange')]", "div.data_pannel", ".page_subtitle_12")


@dataclass(frozen=True, slots=True)
class Sections:
    """The labels of a page by what their panel is about."""

    entity: Labels
    agent: Labels
    office: Labels  # "Principal Office Address"
    places: Labels  # "Address Information"
    about: dict[str, Labels] = field(default_factory=dict)

    @property
    def unread(self) -> list[str]:
        """Labels nobody read, with the panel they stand in."""
        return [f"{name}: {label}" for name, labels in self.about.items() for label in labels.unread]


def refuse_renamed(found: Sections, wanted: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """PageChanged where a panel lacks a label of it, or has one of another panel.

    That of the entity itself differs with its kind: there a label is missed where one stands that nobody knows.

    `wanted`: the labels that are read, by the panel they stand in; of several for one value one is enough.
    """
    for topic, labels in found.about.items():
        missing = [names for names in wanted[topic] if labels.maybe(*names) is None]
        strange = labels.unread
        if missing and (strange or (topic in ("agent", "office") and not labels.is_empty)):
            raise PageChanged(f"{missing} are missing, or have been renamed to one of {strange}")
    others = {fold(name) for topic, values in wanted.items() if topic != "entity" for names in values for name in names}
    if astray := [label for label in found.entity.unread if fold(label) in others]:
        raise PageChanged(f"{astray} stand in no panel whose heading is known")


def refuse_missing(found: Sections, always: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """PageChanged where a label is not there that stands on every page, with a word such as "N/A" for nothing."""
    for topic, values in always.items():
        missing = [names for names in values if found.about[topic].maybe(*names) is None]
        if missing:
            raise PageChanged(f"the page shows no {missing}")


def read(tree: HtmlElement, markup: Markup) -> Sections:
    """All labelled values of a page, sorted by the heading of their panel."""
    panels = set(select(tree, markup.panel))
    sorted_pairs: dict[str, list[tuple[str, str]]] = {"entity": [], "agent": [], "office": [], "places": []}
    labels, headed = [label for label in tree.xpath(markup.label) if text_of(label)], False
    for label in labels:
        value = label.getnext()
        if value is not None and value.tag == label.tag:
            if value in labels:
                raise PageChanged(f"{text_of(value)!r} stands where the value of {text_of(label)!r} does")
            heading = _heading(label, panels, markup)
            headed = headed or bool(heading)
            sorted_pairs[_topic(heading)].append((_INVISIBLE.sub("", text_of(label)), text_of(value)))
    if labels and not headed:
        raise PageChanged("no label of the page stands in a panel with a heading")
    about = {topic: Labels(pairs) for topic, pairs in sorted_pairs.items()}
    return Sections(about["entity"], about["agent"], about["office"], about["places"], about)


def is_entity(tree: HtmlElement, markup: Markup, facts: Iterable[Sequence[str]]) -> bool:
    """Whether a page shows each of these facts under one of its labels; beside those of a form there is no text."""
    shown = {
        fold(text_of(label))
        for label in tree.xpath(markup.label)
        if (value := label.getnext()) is not None and text_of(value)
    }
    return all(any(fold(name) in shown for name in names) for names in facts)


def _heading(label: HtmlElement, panels: set[HtmlElement], markup: Markup) -> str:
    for element in label.iterancestors():
        if element in panels:
            found = _first(element, markup.heading)
            if found is not None:
                return text_of(found).casefold()
    return ""


def _first(element: HtmlElement, css: str) -> HtmlElement | None:
    if css.startswith(":scope > ."):
        name = css.removeprefix(":scope > .")
        found = element.xpath("./*[contains(@class, $name)]", name=name)
    else:
        found = select(element, css)
    return found[0] if found else None


def _topic(heading: str) -> str:
    if "agent" in heading:
        return "agent"
    if "principal office" in heading:
        return "office"
    return "places" if "address" in heading else "entity"


def stated(value: str | None) -> str | None:
    """A value, None for the platform's ways to say that there is none."""
    return None if value is None or value.casefold() in _EMPTY else value


def address(value: str | None) -> Address:
    """An address in one line; ZIP codes stand as "23219 - 4100"."""
    return addresses.from_text(re.sub(r"(\d{5})\s+-\s+(\d{4})?", _glued, stated(value) or ""))


def _glued(found: re.Match[str]) -> str:
    return f"{found[1]}-{found[2]}" if found[2] else found[1]


def officers(tree: HtmlElement, columns: Iterable[str] = ("Title", "Name", "Address")) -> tuple[Officer, ...]:
    """The rows of the list of principals; `columns` are the headings of title, name and address.

    A page may have no such panel, or say in it that there are none; PageChanged where the panel shows something else.
    """
    title, name, where = columns
    table = maybe(tree, "#grid_principalList")
    if table is None:
        refuse_unread(select(tree, "table"), title.casefold(), name.casefold(), where.casefold())
        has_panel = any(_OVER_PRINCIPALS.fullmatch(str(text).strip()) for text in tree.xpath("//body//text()"))
        if has_panel and not NO_PRINCIPALS.search(visible_text(tree)):
            raise PageChanged("a panel of principals without their list")
        return ()
    rows = table_rows(table, (title, name, where), optional=("Status",))
    return tuple(
        Officer(text_of(row[name]), stated(text_of(row[title])), stated(text_of(row[where])))
        for row in rows
        if text_of(row[name]) and _serves(row)
    )


def _serves(row: Mapping[str, HtmlElement]) -> bool:
    """Whether somebody is still in office, where a list says it of each (Nevada): it may show earlier ones, too."""
    word = text_of(row["Status"]) if "Status" in row else ""
    meaning = find_meaning(word)
    if word and (meaning is None or meaning.status_class == "neutral"):
        raise PageChanged(f"{word!r} stands where a principal's status does")
    return meaning is None or meaning.status_class == "active"
