"""Where a page can be varied: its tables with their headings, its pairs of label and value, its values, its dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy

from lxml import etree, html
from lxml.html import HtmlElement

UNSEEN = frozenset({"script", "style", "title", "option", "noscript", "head", "textarea", "template"})
LABELS = frozenset({"th", "dt", "label"})
_NAMED_LABEL = re.compile(r"label|\bbold|semibold|desc\b|head", re.IGNORECASE)


def parse(body: bytes) -> HtmlElement:
    """A page as the readers parse it."""
    return html.fromstring(body, parser=html.HTMLParser(encoding="utf-8", no_network=True))


def write(tree: HtmlElement) -> bytes:
    """The page as bytes again."""
    return bytes(etree.tostring(tree, method="html", encoding="utf-8"))


def element(tag: str, text: str = "", **attributes: str) -> HtmlElement:
    """A new element."""
    made = html.Element(tag, {name.rstrip("_"): value for name, value in attributes.items()})
    made.text = text
    return made


def shown(node: HtmlElement) -> str:
    """Its text, white space folded."""
    return " ".join(node.text_content().replace("\xa0", " ").split())


def wrap(node: HtmlElement, tag: str, **attributes: str) -> HtmlElement:
    """Put a new element around one, with what followed it still behind."""
    around = element(tag, **attributes)
    around.tail, node.tail = node.tail, None
    node.getparent().replace(node, around)
    around.append(node)
    return around


def fill(node: HtmlElement, tag: str) -> HtmlElement:
    """Put a new element around all that is in one."""
    inner = element(tag, node.text or "")
    node.text = None
    inner.extend(list(node))
    node.append(inner)
    return inner


def list_tables(tree: HtmlElement) -> list[HtmlElement]:
    """The tables with data in them: none that only holds other tables in place."""
    found = [table for table in tree.iter("table") if not table.xpath(".//table")]
    return [table for table in found if any(row.xpath("./td") for row in list_rows(table))]


def list_rows(table: HtmlElement) -> list[HtmlElement]:
    """A table's own rows."""
    return list(table.xpath("./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr"))


def list_cells(row: HtmlElement) -> list[HtmlElement]:
    """A row's own cells."""
    return list(row.xpath("./td | ./th"))


def find_headings(table: HtmlElement) -> HtmlElement | None:
    """The row that names the columns: `th`, or words alone above rows of at least three cells."""
    rows = list_rows(table)
    if not rows:
        return None
    cells = list_cells(rows[0])
    if len(cells) < 2 or is_pair(rows[0]):
        return None
    if all(cell.tag == "th" for cell in cells):
        return rows[0]
    words = all(not re.search(r"\d", shown(cell)) and not cell.xpath(".//a | .//input") for cell in cells)
    return rows[0] if words and len(cells) > 2 and len(rows) > 1 and shown(rows[0]) else None


def list_grids(tree: HtmlElement) -> list[tuple[HtmlElement, HtmlElement, list[HtmlElement]]]:
    """Every table with headings: itself, the row of headings, the rows that fit them."""
    found = []
    for table in list_tables(tree):
        heads = find_headings(table)
        if heads is not None:
            width = len(list_cells(heads))
            data = [row for row in list_rows(table) if row is not heads and len(list_cells(row)) == width]
            if data:
                found.append((table, heads, data))
    return found


def is_label(node: HtmlElement) -> bool:
    """Whether an element names a value: by its kind, its class, or the colon at its end."""
    if node.tag in LABELS:
        return node.get("scope") != "row"
    text = shown(node)
    if not text or len(text) > 60:
        return False
    if node.tag in ("td", "b", "strong", "span", "div") and text.endswith(":"):
        return not node.xpath(".//td | .//div | .//p")
    own = node.get("class") or ""
    return bool(_NAMED_LABEL.search(own)) and node.tag in ("td", "span", "div", "b") and not len(node)


def is_pair(row: HtmlElement) -> bool:
    """Whether an element holds just a label and its value."""
    parts = [part for part in row if isinstance(part.tag, str)]
    return len(parts) == 2 and is_label(parts[0]) and not is_label(parts[1])


def list_pairs(tree: HtmlElement) -> list[HtmlElement]:
    """The rows and boxes that hold a label and its value."""
    headed = [heads for _, heads, _ in list_grids(tree)]
    return [row for row in tree.iter("tr", "div", "li") if row not in headed and is_pair(row)]


def list_values(tree: HtmlElement) -> Iterator[HtmlElement]:
    """The elements that hold a value of one line and nothing else."""
    for node in tree.iter("td", "dd", "span", "div", "a", "p", "li"):
        above = {one.tag for one in node.iterancestors()}
        if len(node) or above & UNSEEN or above & LABELS or is_label(node):
            continue
        if (node.text or "").strip():
            yield node


def list_texts(tree: HtmlElement) -> Iterator[tuple[HtmlElement, str, str]]:
    """Every text that a person may see: the element, whether it is its `text` or its `tail`, and the text."""
    for node in tree.iter():
        if isinstance(node.tag, str) and node.tag not in UNSEEN and node.text and node.text.strip():
            yield node, "text", node.text
        parent = node.getparent()
        if node.tail and node.tail.strip() and parent is not None and parent.tag not in UNSEEN:
            yield node, "tail", node.tail


def copied(row: HtmlElement) -> HtmlElement:
    """A copy without what followed it, and without ids: an id stands once on a page."""
    made = deepcopy(row)
    made.tail = None
    for node in made.iter():
        if isinstance(node.tag, str):
            node.attrib.pop("id", None)
    return made
