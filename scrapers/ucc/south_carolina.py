"""South Carolina UCC Online (WebForms): enter without account, name, tick the parties meant, then a Telerik grid.

Source: a public client that walked these pages in a browser in July 2026 (control names, the four columns, no
captcha); the choice of the role from the twin platform of Maryland. Names are searched as "begins with". The grid
names no party: a debtor is shown only where one name was ticked. How a person's name is written is not known. It
shows no status and no later documents, so no lien is called active.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.parsing.cells import paired
from scrapers.parsing.fields import listed
from scrapers.parsing.html import missing_result, offers_next, select, striped_rows, text_of, visible_text
from scrapers.parsing.webforms import WebForm, post_backs
from scrapers.records import Query, UccFiling
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import parties

URL = "https://ucconline.sc.gov/UCCFiling/MainMenu.aspx"
_COLUMNS = listed("Filing Number | Filing Type | Filing Date | Lapse Date")
_NONE = re.compile(
    r"(?<!if )\bno (matching )?(records?|results?|names?|parties|filings?) ((was|were) )?found\b", re.IGNORECASE
)
_PAGES = re.compile(r"\bitems? in (\d+) pages?\b", re.IGNORECASE)


def ask(session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
    """Filings of parties whose name begins with the one asked for, newest first."""
    found: dict[str, UccFiling] = {}
    complete = True
    for text in parties.texts(query):
        filings, whole = _listed(session, query, text)
        complete = complete and whole
        found = {filing.file_number: filing for filing in filings} | found
    newest = parties.dated_newest_first(found.values(), query)
    return newest, parties.is_whole(newest, complete, query, state="South Carolina")


def _listed(session: PortalSession, query: Query, text: str) -> tuple[list[UccFiling], bool]:
    """The filings of the parties meant among those whose name begins with a text, and whether they are all."""
    page = _name_search(session, WebForm(session.get(URL), what="the menu"))
    form = WebForm(page, what="the name search")
    roles = form.tree.xpath("//input[@type='radio'][@value='DebtorPartyRadioButton']/@name")
    if not roles:  # the list would be of debtors and of lenders, who owe nothing
        raise missing_result(page, "the choice of debtors")
    values = {"PartyNameTextBox": text, **{str(name): "DebtorPartyRadioButton" for name in roles}}
    page = form.press(session, "ContinueButton", values, headers={"Referer": page.url})
    boxes, whole = _boxes(page), _is_whole(page)
    ticked = {name: party for name, party in boxes.items() if parties.fits(parties.listed_party(party), query)}
    if not ticked:
        return [], whole
    chosen = WebForm(page, what="the list of names").press(
        session, "UCCSearchResultsByPartyNameControl1$ContinueButton", dict.fromkeys(ticked, "on")
    )
    debtor = next(iter(ticked.values())) if len(set(ticked.values())) == 1 else None
    return [_filing(row, debtor) for row in _rows(chosen)], whole and _is_whole(chosen)


def _name_search(session: PortalSession, menu: WebForm) -> Page:
    """Enter without an account and follow "Name Search", a link or a post-back."""
    inside = menu.press(session, "NonSubscriberButton")
    links = [link for link in select(inside.html(), "a") if text_of(link) == "Name Search"]
    if len(links) != 1:
        raise missing_result(inside, "the link to the name search")
    script = post_backs(links[0])
    if script:
        return WebForm(inside, what="the menu").post_back(session, *script[0])
    return session.get(inside.link(links[0].get("href") or ""))


def _boxes(page: Page) -> dict[str, str]:
    """The party names to tick, by the name of their box; empty only where the page says that there are none."""
    tree = page.html()
    boxes = select(tree, "input[type=checkbox][name*='PartyNameCheckBox']")
    if not boxes and not _NONE.search(visible_text(tree)):
        raise missing_result(page, "the list of names, or the line that there is none")
    return {box.get("name"): _beside(box) for box in boxes}


def _beside(box: HtmlElement) -> str:
    """The name stands in the box's label, or in its row."""
    labels = box.xpath("following-sibling::label[1] | parent::label")
    around = labels[:1] or box.xpath("(ancestor::tr[1]/*)") or [box.getparent()]
    shown = [text for part in around if (text := text_of(part))]
    if len(shown) != 1:
        raise PageChanged(f"{box.get('name')}: a box beside {shown}, where one name is expected")
    return shown[0]


def _is_whole(page: Page) -> bool:
    """Whether a list ends on its first page, which is the only one that is read."""
    tree = page.html()
    pages = _PAGES.search(visible_text(tree))
    return (pages is None or pages[1] == "1") and not offers_next(tree)


def _rows(page: Page) -> list[dict[str, str]]:
    """Rows by the grid's own headers."""
    tree = page.html()
    grids = select(tree, "table.rgMasterTable")
    if len(grids) != 1:
        raise missing_result(page, "the grid of filings")
    heads = grids[0].xpath("(./thead/tr[th])[last()]/th")
    missing = set(_COLUMNS) - {text_of(head) for head in heads}
    if missing:
        raise PageChanged(f"the grid of filings lacks the columns {sorted(missing)}")
    below = striped_rows(grids[0], "tr.rgRow, tr.rgAltRow", [text_of(head) for head in heads])
    if not below:
        raise PageChanged("the grid of filings has no row")
    lines = [paired(heads, row.xpath("./td")) for row in below]
    rows = [{head: text_of(cell) for head, cell in line} for line in lines]
    if not all(row["Filing Number"] for row in rows):
        raise PageChanged("a filing has no number")
    return rows


def _filing(row: dict[str, str], debtor: str | None) -> UccFiling:
    return UccFiling(
        file_number=row["Filing Number"],
        filed=row["Filing Date"],
        debtors=(parties.listed_party(debtor),) if debtor else (),
        lapse_date=row["Lapse Date"] or None,
        filing_type=row["Filing Type"] or None,
        status_omits="termination",
        sos_url=URL,
    )
