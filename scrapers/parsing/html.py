"""Small, strict readings of HTML: text without layout, one element or an error, forms with all hidden inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import cast

from lxml import etree
from lxml.cssselect import CSSSelector
from lxml.html import HtmlElement

from scrapers.failures import PageChanged, PortalBlocked
from scrapers.parsing.fields import fold
from scrapers.transport.challenge import is_captcha_form
from scrapers.transport.page import Page


def text_of(element: HtmlElement) -> str:
    """All text of an element on one line, white space (no-break spaces too) folded to single blanks.

    What stands in two lines, boxes or cells is two words: `ACME<br>LLC` is no "ACMELLC".
    """
    if len(element):
        return " ".join(lines_of(element))
    return " ".join((element.text or "").split())


def lines_of(element: HtmlElement) -> list[str]:
    """The text of an element as the lines a person sees: `<br>` ends one, blocks (`div`, `p`, `li`, ...) are lines."""
    rows: list[list[str]] = [[]]
    _write_lines(element, rows)
    cleaned = (" ".join("".join(row).split()) for row in rows)
    return [row for row in cleaned if row]


def _write_lines(element: HtmlElement, rows: list[list[str]]) -> None:
    rows[-1].append(element.text or "")
    for child in element:
        block = child.tag in _BLOCKS
        if block:
            rows.append([])
        elif child.tag in _CELLS:
            rows[-1].append(" ")
        if isinstance(child.tag, str) and child.tag not in _UNSEEN:  # nor does anybody see a comment's text
            _write_lines(child, rows)
        if block and child.tag != "br":
            rows.append([])
        rows[-1].append(child.tail or "")


_UNSEEN = frozenset({"script", "style", "noscript", "template"})
_CELLS = frozenset({"td", "th"})
_BLOCKS = frozenset(
    {"br", "div", "p", "li", "tr", "ul", "ol", "dl", "dt", "dd", "table", "caption", "address", "section", "h1", "h2"}
    | {"h3", "h4", "h5", "h6"}
)


def visible_text(root: HtmlElement) -> str:
    """The text a person sees, white space folded: no scripts, no hidden elements.

    For marks such as "No records found": pages carry that line in scripts and hidden boxes even when there are some.
    """
    hidden, texts = set(cast("list[HtmlElement]", _HIDDEN(root))), list[str]()
    if not any(element in hidden for element in (root, *root.iterancestors())):
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walker:
            if event == "start" and element in hidden:
                walker.skip_subtree()
            elif event == "start":
                texts.append(element.text or "")
            elif element is not root:
                texts.append(element.tail or "")
    return " ".join(" ".join(texts).split())


def _classes(names: str) -> str:
    return " or ".join(f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')" for name in names.split())


# The classes by which the usual style sheets hide a box, and those that show it: in a wide window, or by now.
_HIDING = _classes("d-none hidden hide ng-hide invisible modal")
_SHOWING = " or ".join([_classes("show in"), *(f"contains(@class, '{part}')" for part in (":", " d-md-", " d-lg-"))])
_STYLED = " or ".join(f"contains(translate(., ' ', ''), '{how}')" for how in ("display:none", "visibility:hidden"))
# A piece of each class that hides: asked first, as most have none, and it takes less.
_LIKE = " or ".join(f"contains(., '{part}')" for part in ("none", "hid", "invisible", "modal"))
# Each element is judged once, however many texts are in it: its class may be as long as a page.
_HIDDEN = etree.XPath(
    f"(ancestor::* | descendant-or-self::*)[@*][@hidden or @style[{_STYLED}] "
    f"or @class[{_LIKE}] and ({_HIDING}) and not({_SHOWING})] "
    "| ancestor-or-self::*[self::script or self::style or self::noscript or self::template] "
    "| .//script | .//style | .//noscript | .//template"
)


def offers_next(root: HtmlElement) -> bool:
    """Whether a page of results has a working way to a next one: a list without it is whole.

    For portals whose pager nobody has described; a word like "Next" in a link, button or input is what they share.
    """
    for control in root.xpath(".//a[@href or @onclick] | .//button | .//input[@type='submit' or @type='button']"):
        words = (text_of(control) or control.get("value") or control.get("aria-label") or "").casefold()
        closed = control.get("disabled") is not None or "disabled" in (control.get("class") or "").split()
        around = control.getparent()
        closed = closed or (around is not None and "disabled" in (around.get("class") or "").split())
        if not closed and words.strip(" .") in _NEXT:
            return True
    return False


_NEXT = frozenset(
    {"next", "next page", "next >", "next >>", "next \u00bb", ">", ">>", "\u203a", "\u00bb", "more results"}
)


def select(root: HtmlElement, css: str, *, least: int = 0, most: int | None = None) -> list[HtmlElement]:
    """All elements that fit, or PageChanged when their number is outside what the page must have."""
    found = _selector(css)(root)
    if len(found) < least or (most is not None and len(found) > most):
        raise PageChanged(
            f"{css!r} fits {len(found)} elements, expected {least}..{most if most is not None else 'any'}"
        )
    return found


@cache  # the readers' own: to translate one takes longer than to use it
def _selector(css: str) -> Callable[[HtmlElement], list[HtmlElement]]:
    return cast("Callable[[HtmlElement], list[HtmlElement]]", CSSSelector(css, translator="html"))


def one(root: HtmlElement, css: str) -> HtmlElement:
    """The one element that fits; PageChanged when there is none, or more."""
    return select(root, css, least=1, most=1)[0]


def maybe(root: HtmlElement, css: str) -> HtmlElement | None:
    """The one element that fits, or None; PageChanged when there are more."""
    found = select(root, css, most=1)
    return found[0] if found else None


def table_rows(
    table: HtmlElement, headers: Iterable[str], *, optional: Iterable[str] = ()
) -> list[dict[str, HtmlElement]]:
    """Rows of a table as {header: cell}, read by header text (capitals count alike), never by position.

    Every header in `headers` must be there once (PageChanged otherwise), an `optional` one at most once; further
    columns are kept as they are named. Rows without any text are dropped, and the headings where they are repeated;
    a row with another number of cells than the header is a changed page, unless it is one wide cell (pagers and notes).
    """
    heads, further = headed_rows(table)
    needed = list(headers)
    names = [*needed, *optional]
    folded = [fold(head) for head in heads]
    wrong = [name for name in names if folded.count(fold(name)) > 1 or (name in needed and fold(name) not in folded)]
    if wrong:
        raise PageChanged(f"columns {wrong} are not among {heads}, each of them once")
    wanted = {fold(name): name for name in names}
    keys = [wanted.get(fold(head), head) for head in heads]
    rows = []
    for cells in further:
        pairs = zip(cells, folded, strict=False)  # most rows are told from the headings by their first cell
        repeats = len(cells) == len(folded) and all(fold(text_of(cell)) == head for cell, head in pairs)
        if repeats or not any(map(text_of, cells)):
            continue
        if len(cells) == 1 < len(heads):
            continue
        if len(cells) != len(heads):
            raise PageChanged(f"a row has {len(cells)} cells where the header has {len(heads)}")
        rows.append(dict(zip(keys, cells, strict=True)))
    return rows


def worded_rows(table: HtmlElement, *words: str) -> list[dict[str, HtmlElement]]:
    """Rows as {word: cell}, for headings that are known in part: each word stands in that of just one column.

    The other columns are kept as they are named.
    """
    heads, _ = headed_rows(table)
    named = {word: [head for head in heads if word in fold(head)] for word in words}
    unclear = [word for word, found in named.items() if len(found) != 1]
    if unclear:
        raise PageChanged(f"no column, or more than one, is named {unclear} among {heads}")
    rows = table_rows(table, [found[0] for found in named.values()])
    return [row | {word: row[found[0]] for word, found in named.items()} for row in rows]


def headed_rows(table: HtmlElement) -> tuple[list[str], list[list[HtmlElement]]]:
    """The texts of a table's headings, and the cells of each row below; not those of tables within it: pagers.

    The headings are its first row, or the second below one wide cell with a title.
    """
    rows = [cells for row in table.xpath("./tr | ./*/tr") if (cells := row.xpath("./th | ./td"))]
    if len(rows) > 1 and len(rows[0]) == 1 < len(rows[1]):
        del rows[0]
    if not rows:
        raise PageChanged("the table has no row, not even a header")
    return [text_of(cell) for cell in rows[0]], rows[1:]


def striped_rows(table: HtmlElement, css: str, heads: Sequence[str]) -> list[HtmlElement]:
    """The rows of a table that are known by their classes; PageChanged where another one has as many cells.

    The classes alternate: were one named otherwise, every second row would be missing. `heads` are the headings.
    """
    rows, heading = select(table, css), [fold(head) for head in heads]
    known = set(rows)
    for row in table.xpath("./tr | ./tbody/tr"):
        if row in known:
            continue
        cells = [text_of(cell) for cell in row.xpath("./th | ./td")]
        if len(cells) == len(heading) and any(cells) and [fold(cell) for cell in cells] != heading:
            raise PageChanged(f"a row of the class {row.get('class')!r} is none of {css!r}: {cells[:3]}")
    return rows


def body_rows(table: HtmlElement) -> list[HtmlElement]:
    """Every row with cells; PageChanged when a row has neither cell nor header."""
    rows = table.xpath(".//tr")
    if any(not row.xpath("./td | ./th") for row in rows):
        raise PageChanged("a row of the table has no cell")
    return [row for row in rows if row.xpath("./td")]


def hidden_inputs(form: HtmlElement) -> dict[str, str]:
    """Every hidden input of a form by name: view state, tokens and whatever else the server wants back."""
    return {field.get("name"): field.get("value") or "" for field in form.xpath(".//input[@type='hidden'][@name]")}


def missing_result(page: Page, what: str) -> PageChanged | PortalBlocked:
    """The error for a page without its result: a wall when it carries a captcha, a changed page otherwise."""
    if is_captcha_form(page.text):
        return PortalBlocked(f"{page.url}: a captcha stands where {what} should be")
    return PageChanged(f"{page.url}: no {what} on the page")


_NAME = "__RequestVerificationToken"


def form_token(page: Page) -> dict[str, str]:
    """The field with the token, from the first form that has one; an error of the page when none has."""
    for form in select(page.html(), "form"):
        token = hidden_inputs(form).get(_NAME)
        if token:
            return {_NAME: token}
    raise missing_result(page, "the search form's token")
