"""Variations of what stands on a page: wrappers, values split over two elements, labels, pairs, dates."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from lxml.html import HtmlElement

from tests.variations.places import (
    UNSEEN,
    copied,
    element,
    fill,
    is_label,
    list_pairs,
    list_tables,
    list_texts,
    list_values,
    shown,
    wrap,
)
from tests.variations.tables import Variation

DATE = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")


def wrapped_values(tag: str) -> Variation:
    """What is in a cell, a definition or a box of text stands in one more element."""

    def vary(tree: HtmlElement) -> bool:
        values = list(list_values(tree))
        for value in values:
            if value.tag not in ("a", "span", "p") or tag == "span":
                fill(value, tag)
        return bool(values)

    return vary


def wrapped_labels(tree: HtmlElement) -> bool:
    """Labels stand in one more element."""
    found = [node for node in tree.iter() if isinstance(node.tag, str) and is_label(node) and not len(node)]
    for node in found:
        fill(node, "span")
    return bool(found)


def wrapped_tables(tree: HtmlElement) -> bool:
    """Every table stands in one more box, as pages for small screens have it."""
    tables = list_tables(tree)
    for table in tables:
        wrap(table, "div", class_="table-responsive")
    return bool(tables)


def wrapped_pairs(tree: HtmlElement) -> bool:
    """Every pair stands in one more box; those of a definition list in one within it."""
    pairs = [pair for pair in list_pairs(tree) if pair.tag == "div"]
    for pair in pairs:
        wrap(pair, "div")
    terms = tree.xpath("//dl/dt")
    for term in terms:
        values = []
        for value in term.itersiblings():
            if value.tag != "dd":
                break
            values.append(value)
        wrap(term, "div").extend(values)
    return bool(pairs or terms)


def wrapped_links(tree: HtmlElement) -> bool:
    """Every link in a cell or box is printed bold."""
    links = list(tree.xpath("//td//a | //div//a | //dd//a | //li//a"))
    for link in links:
        wrap(link, "b")
    return bool(links)


def wrapped_page(tree: HtmlElement) -> bool:
    """All of the page stands in two more boxes."""
    body = tree.find("body") if tree.tag == "html" else None
    if body is None:
        return False
    fill(body, "main")
    fill(body, "div")
    return True


def split_inline(word: Callable[[str], int]) -> Variation:
    """A value is marked in part: `ACME <b>LLC</b>`; `word` says where the marked part begins (0: not here)."""

    def vary(tree: HtmlElement) -> bool:
        values = [(value, value.text or "") for value in list_values(tree)]
        cut = [(value, text, at) for value, text in values if (at := word(text))]
        for value, text, at in cut:
            value.text = text[:at]
            value.append(element("b", text[at:]))
        return bool(cut)

    return vary


def _last_word(text: str) -> int:
    return text.rstrip().rfind(" ") + 1 if " " in text.strip() else 0


def _within(text: str) -> int:
    kept = text.rstrip()
    return len(kept) - 2 if len(kept.strip()) > 3 else 0


def split_by(make: Callable[[HtmlElement, str, str], None], tags: tuple[str, ...], part: int) -> Variation:
    """A value of one line stands in two lines: every third one, from the first, second or third on.

    The last line of an address ends with its place, and a list has one item a line: broken, they are other facts.
    """

    def vary(tree: HtmlElement) -> bool:
        values = [one for one in list_values(tree) if one.tag in tags and _last_word(one.text or "")]
        values = [one for one in values if not _PLACE.search(shown(one)) and not _SEVERAL.search(_named(one))]
        chosen = [value for index, value in enumerate(values) if index % 3 == part]
        for value in chosen:
            text = (value.text or "").strip()
            at = text.index(" ")
            value.text = ""
            make(value, text[:at], text[at + 1 :])
        return bool(chosen)

    return vary


def _two_boxes(value: HtmlElement, first: str, second: str) -> None:
    value.extend([element("div", first), element("div", second)])


def _two_lines(value: HtmlElement, first: str, second: str) -> None:
    value.text = first
    value.append(element("br"))
    value[-1].tail = second


def second_definition(tree: HtmlElement) -> bool:
    """The lines below the first one of a definition stand in a definition of their own, as an address does."""
    found = [value for value in tree.iter("dd") if value.xpath("./br")]
    for value in found:
        rest = element("dd")
        after = list(value)
        rest.text = after[0].tail or ""
        for node in after:
            value.remove(node)
        rest.extend(after[1:])
        value.addnext(rest)
    return bool(found)


def extra_pair(tree: HtmlElement) -> bool:
    """One more label with its value behind the last one of each group."""
    changed = False
    for pair in list_pairs(tree):
        following = pair.getnext()
        if following is None or following.tag != pair.tag or (following.get("class") != pair.get("class")):
            more = copied(pair)
            for part, text in zip(more, ("Remarks:", "See file"), strict=True):
                part.text = text
                for node in list(part):
                    part.remove(node)
            pair.addnext(more)
            changed = True
    for group in tree.iter("dl"):
        group.extend([element("dt", "Remarks:"), element("dd", "See file")])
        changed = True
    return changed


def extra_value(tree: HtmlElement) -> bool:
    """An empty element behind the value of each pair, of the value's own kind."""
    pairs = [pair for pair in list_pairs(tree) if pair.tag != "tr"]
    for pair in pairs:
        more = copied(pair[1])
        more.text = ""
        for node in list(more):
            more.remove(node)
        pair[1].addnext(more)
    definitions = list(tree.iter("dd"))
    for one in definitions:
        one.addnext(element("dd"))
    return bool(pairs or definitions)


def upper_labels(tree: HtmlElement) -> bool:
    """Labels and headings in capitals."""
    changed = False
    for node in tree.iter():
        if not isinstance(node.tag, str) or node.tag in UNSEEN or not is_label(node):
            continue
        for inner in node.iter():
            if not isinstance(inner.tag, str):
                continue
            if inner.text and inner.text != inner.text.upper():
                inner.text, changed = inner.text.upper(), True
            if inner is not node and inner.tail and inner.tail != inner.tail.upper():
                inner.tail, changed = inner.tail.upper(), True
    return changed


def colons(tree: HtmlElement) -> bool:
    """Labels end in a colon where they did not, and in none where they did."""
    found = [
        node
        for node in tree.iter()
        if isinstance(node.tag, str) and node.tag not in UNSEEN and is_label(node) and not len(node) and shown(node)
    ]
    for node in found:
        text = (node.text or "").rstrip()
        node.text = text.rstrip(": ") if text.endswith(":") else f"{text}:"
    return bool(found)


def dates_as(form: str) -> Variation:
    """Dates in another form that means the same day."""

    def written(found: re.Match[str]) -> str:
        try:
            day = date(int(found[3]), int(found[1]), int(found[2]))
        except ValueError:
            return found[0]
        return day.strftime(form).replace(" 0", " ")

    def vary(tree: HtmlElement) -> bool:
        changed = False
        for node, place, text in list(list_texts(tree)):
            new = DATE.sub(written, text)
            if new != text:
                setattr(node, place, new)
                changed = True
        return changed

    return vary


def _named(value: HtmlElement) -> str:
    """The label before a value, as far as it stands in the element before."""
    before = value.getprevious()
    return shown(before) if before is not None else ""


_PLACE = re.compile(r",\s*[A-Z]{2}\b|\b\d{5}\b")
_SEVERAL = re.compile(r"\b(officers|names|managers|members|directors|agents|owners)\W*$", re.IGNORECASE)
_BLOCKS = ("td", "dd", "div", "li")
VALUES: dict[str, Variation] = {
    "wrapper: div in each value": wrapped_values("div"),
    "wrapper: span in each value": wrapped_values("span"),
    "wrapper: span in each label": wrapped_labels,
    "wrapper: around tables": wrapped_tables,
    "wrapper: around pairs": wrapped_pairs,
    "wrapper: around links": wrapped_links,
    "wrapper: around the page": wrapped_page,
    "split value: last word marked": split_inline(_last_word),
    "split value: within a word": split_inline(_within),
    **{f"split value: two boxes ({part + 1} of 3)": split_by(_two_boxes, _BLOCKS, part) for part in range(3)},
    **{
        f"split value: two lines ({part + 1} of 3)": split_by(_two_lines, (*_BLOCKS, "span"), part) for part in range(3)
    },
    "split value: address in a definition of its own": second_definition,
    "footnote: one more label and value": extra_pair,
    "cell: empty, behind each value": extra_value,
    "upper case labels": upper_labels,
    "labels with and without a colon": colons,
    "date form: March 4, 2015": dates_as("%B %d, %Y"),
    "date form: 2015-03-04": dates_as("%Y-%m-%d"),
    "date form: 04-MAR-2015": dates_as("%d-%b-%Y"),
}
