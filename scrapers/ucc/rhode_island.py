"""Rhode Island's liens: a question by address, one row for each document and party, a history for each lien.

Evidence: a public client of October 2026 (documented: the question's parameters, asked for secured parties; eight
cells in rows of the classes GridRow and GridAltRow; the history's sections) and readers of Massachusetts' search, the
same program (the eight headings, "Number of records", the roles looked for, the sentence of an empty answer, the
headings of a history). Guessed: that "D" asks for debtors as "S" does for secured parties. Assignees are named, and
not asked for. Asked is the present database, which keeps a lien a year past its lapse. No status and no day of lapse
are shown: "Terminated" is ours, where a termination is on file. How a person's name is written is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses, names
from scrapers.normalize.liens import is_termination
from scrapers.parsing.fields import fold, listed
from scrapers.parsing.html import lines_of, missing_result, offers_next, select, striped_rows, text_of, visible_text
from scrapers.parsing.lists import find_count
from scrapers.platforms.corpweb.portal import COUNT, NONE
from scrapers.records import Query, UccAmendment, UccFiling, UccParty
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import parties

URL = "https://business.sos.ri.gov/CorpWeb/UCCSearch/UCCSearch.aspx"
_RESULTS = "https://business.sos.ri.gov/CorpWeb/UCCSearch/UCCSearchResults.aspx"
_COLUMNS = listed(
    "Name | Name Type | City | State | Filing Type | Filing Number | Original Filing Number | Filing Date"
)
_ROLES = {"debtor": "debtor", "secured_party": "secured"}  # what a row's name type begins with
_BLANK = listed("txtLast | txtFirst | txtMiddle | txtSuffix | txtICity | txtIState | txtOCity | txtOState")
_SECTIONS = {"debtor(s)": "debtor", "secured parties": "secured_party"}
_ASSIGNED = {"assignee": "secured_party", "assignees": "secured_party"}  # whom the secured party gave the lien to
_MOST, _OPENED = 10_000, 5  # rows asked for; the newest liens whose history is opened


def ask(session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
    """Liens of organizations whose name begins with the one asked for; the newest with their parties."""
    liens: dict[str, list[dict[str, HtmlElement]]] = {}
    complete = True
    for text in parties.texts(query):
        page = session.get(_RESULTS, params=_question(query, text))
        _check_role(page, query)
        rows, whole = _rows(page)
        complete = complete and whole
        for row in rows:
            if _role(row) == query.search_by and parties.fits(parties.listed_party(text_of(row["Name"])), query):
                liens.setdefault(text_of(row["Original Filing Number"]), []).append(row)
    found = parties.newest_first((_filing(number, of_it, query, page) for number, of_it in liens.items()), query)
    complete = parties.is_whole(found, complete, query, state="Rhode Island")
    opened = tuple(_opened(session, filing, page) for filing in found[:_OPENED])
    return parties.newest_first(opened + found[_OPENED:], query), complete  # some have their day in the history alone


def _question(query: Query, text: str) -> dict[str, str]:
    debtor = query.search_by == "debtor"
    return {
        "SearchLapsed": "False",
        "rdoSearch": "O",
        **dict.fromkeys(_BLANK, ""),
        "txtName": text,
        "txtFilingNumber": "",
        "txtStartDate": "",
        "UCCSearchMethod": "B",
        "chkDebtor": "D" if debtor else "",
        "chkSecuredParty": "" if debtor else "S",
        "chkAssignee": "",
        "lstDisplay": str(_MOST),
    }


def _check_role(page: Page, query: Query) -> None:
    """PageChanged where the page says that it looked for another role: what asks for debtors is a guess."""
    for shown in page.html().xpath("//*[@id='MainContent_lblInclude']"):
        if _ROLES[query.search_by] not in text_of(shown).casefold():
            raise PageChanged(f"{page.url}: the registry looked for {text_of(shown)!r}, not for a {query.search_by}")


def _rows(page: Page) -> tuple[list[dict[str, HtmlElement]], bool]:
    """The rows by heading, and whether they are all."""
    tree = page.html()
    lines = select(tree, "tr.GridRow, tr.GridAltRow")
    if not lines:
        if NONE.search(visible_text(tree)):
            return [], True
        raise missing_result(page, "the list of liens, or the line that there are none")
    heads = [text_of(cell) for cell in lines[0].getparent().xpath("(./tr[th or td])[1]/*")]
    if tuple(heads) != _COLUMNS:
        raise PageChanged(f"{page.url}: the list of liens has the columns {heads}")
    lines = striped_rows(lines[0].xpath("ancestor::table[1]")[0], "tr.GridRow, tr.GridAltRow", heads)
    rows = []
    for line in lines:
        cells = line.xpath("./td | ./th")
        if len(cells) != len(heads) or not text_of(cells[0]) or not text_of(cells[6]):
            raise PageChanged(f"{page.url}: a lien in {len(cells)} cells, or without name or number")
        rows.append(dict(zip(heads, cells, strict=True)))
    count = find_count(COUNT, visible_text(tree))
    return rows, len(rows) < _MOST and not offers_next(tree) and count in (None, len(rows))


def _role(row: dict[str, HtmlElement]) -> str | None:
    """The role of the name in a row; None for an assignee, PageChanged for a word that is no role."""
    shown = text_of(row["Name Type"]).casefold()
    for role, word in _ROLES.items():
        if shown.startswith(word):
            return role
    if not shown.startswith("assign"):
        raise PageChanged(f"the name type {shown!r} of a lien is unknown")
    return None


def _filing(number: str, rows: list[dict[str, HtmlElement]], query: Query, page: Page) -> UccFiling:
    """One lien: its first document has the lien's own number, the others came later."""
    documents = {text_of(row["Filing Number"]): row for row in rows}
    first = documents.pop(number, None)
    bearers = tuple(dict.fromkeys(parties.listed_party(text_of(row["Name"])) for row in rows))
    later = tuple(
        UccAmendment(key, text_of(row["Filing Date"]) or None, text_of(row["Filing Type"]))
        for key, row in documents.items()
    )
    links = [str(link) for row in rows for link in row["Filing Number"].xpath(".//a/@href")]
    if not links:
        raise PageChanged(f"{number} has no link to its history")
    return UccFiling(
        file_number=number,
        filed=text_of(first["Filing Date"]) if first is not None else None,
        debtors=bearers if query.search_by == "debtor" else (),
        secured_parties=bearers if query.search_by == "secured_party" else (),
        status="Terminated" if any(is_termination(one.filing_type) for one in later) else None,
        filing_type=text_of(first["Filing Type"]) if first is not None else None,
        amendments=later,
        sos_url=page.link(links[0]),
    )


def _opened(session: PortalSession, filing: UccFiling, results: Page) -> UccFiling:
    """The lien with all its parties and its collateral."""
    page = session.get(filing.sos_url or "", headers={"Referer": results.url})
    tree = page.html()
    heads = tree.xpath("//*[self::td or self::th][normalize-space()='Debtor(s)']")
    if not heads or filing.file_number not in visible_text(tree):
        raise missing_result(page, f"the history of {filing.file_number}")
    rows = heads[0].xpath("ancestor::table[1]//tr")
    titles = [fold(text_of(row)) for row in rows]
    if len({titles.count(title) for title in _SECTIONS}) > 1:  # below a lost heading stand parties of the one before
        raise PageChanged(f"{page.url}: the documents of {filing.file_number} have not the same sections")
    found = list(_parties(rows))
    debtors, secured = (tuple(dict.fromkeys(who for shown, who in found if shown == role)) for role in _ROLES)
    if not debtors or not secured:
        raise PageChanged(f"{page.url}: {len(debtors)} debtors and {len(secured)} secured parties")
    debtors, secured = (
        (*debtors, *_renamed(filing, filing.debtors, debtors, secured)),
        (*secured, *_renamed(filing, filing.secured_parties, secured, debtors)),
    )
    documents = _documents(rows)
    first = documents.pop(filing.file_number, None)
    later = documents | {one.file_number: one for one in filing.amendments}
    return replace(
        filing,
        filed=filing.filed or (first.filed if first else None),
        debtors=debtors,
        secured_parties=secured,
        status="Terminated" if any(is_termination(one.filing_type) for one in later.values()) else None,
        filing_type=filing.filing_type or (first.filing_type if first else None),
        collateral=_collateral(rows),
        amendments=tuple(later.values()),
    )


def _documents(rows: Iterable[HtmlElement]) -> dict[str, UccAmendment]:
    """What is on file for a lien, by number: the list names those alone in which whoever is asked for stands."""
    found: dict[str, UccAmendment] = {}
    kind: str | None = None
    for row in rows:
        cells = [lines for cell in row.xpath("./td | ./th") if (lines := lines_of(cell))]
        if len(cells) == 1 and cells[0][0].startswith("UCC-"):
            kind = cells[0][0]
        elif kind and len(cells) > 1 and fold(cells[0][0]) == "ucc filing number":
            number, *day = cells[1]
            found[number] = UccAmendment(number, day[0] if day else None, kind)
            kind = None
    return found


def _collateral(rows: Iterable[HtmlElement]) -> str | None:
    """The text of the first document: a later one's may be what it released."""
    documents = 0
    for row in rows:
        documents += fold(text_of(row)).startswith("ucc filing number:")
        for area in select(row, "textarea"):
            return " ".join(area.text_content().split()) or None if documents < 2 else None
    return None


def _renamed(
    filing: UccFiling, shown: Iterable[UccParty], opened: Iterable[UccParty], others: Iterable[UccParty]
) -> tuple[UccParty, ...]:
    """Who is listed for the lien and no party in its history: somebody whom a later document names otherwise.

    `others` are those in the other role, where nobody is expected who is listed in this one alone.
    """
    known, strange = ({names.key(who.name) for who in whose} for whose in (opened, others))
    missing = tuple(who for who in shown if names.key(who.name) not in known)
    if any(names.key(who.name) in strange for who in missing):
        raise PageChanged(f"whoever is listed for {filing.file_number} stands in the other role: {missing[0].name}")
    if missing and not filing.amendments:
        raise PageChanged(f"whoever is listed for {filing.file_number} is not among {sorted(known)}: {missing[0].name}")
    return missing


def _parties(rows: Iterable[HtmlElement]) -> Iterator[tuple[str, UccParty]]:
    """The parties of every document, with their role: name and address in a cell below the section's heading."""
    role: str | None = None
    for row in rows:
        cells = [lines for cell in row.xpath("./td | ./th") if (lines := lines_of(cell))]
        if len(cells) == 1 and len(cells[0]) == 1:
            role = (_SECTIONS | _ASSIGNED).get(fold(cells[0][0]))
        elif cells and _opens_another(cells[0][0]):
            role = None
        elif role:
            for lines in cells:
                if len(lines) == 1:
                    raise PageChanged(f"{lines[0]!r} stands among the parties of a lien, without an address")
                place = [line for line in lines[1:] if not line.casefold().startswith("corp type:")]
                if place and not any(sign.isdigit() for sign in place[-1]):  # a street may be "ONE LANTERN PLAZA"
                    raise PageChanged(f"{lines!r}: the last line of an address is expected to have a number")
                yield role, parties.listed_party(lines[0], addresses.from_lines(place))


def _opens_another(label: str) -> bool:
    """Whether a row is no party's: "UCC Filing Number:", "Action:"."""
    return label.endswith(":")
