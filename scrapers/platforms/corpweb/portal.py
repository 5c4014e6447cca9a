"""CorpWeb: a form with view state, a list with a post-back pager, a summary page of labelled spans.

Source: field and element names as public clients of both states use them (documented; no recorded page at hand).
The summary prints no status word: an inactive date, with a label that says why, is all there is. "Active" and
"Inactive: ..." in a record are therefore ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import ClassVar

from lxml.html import HtmlElement

from scrapers.failures import PageChanged, PortalBlocked
from scrapers.normalize import addresses, dates
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import listed, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, one, select, text_of, visible_text, worded_rows
from scrapers.parsing.lists import find_count, hold_to
from scrapers.parsing.people import refuse_unread
from scrapers.parsing.webforms import WebForm, spans
from scrapers.platforms.corpweb import history
from scrapers.portal import Capabilities, Portal
from scrapers.records import Address, Candidate, EntityRecord, Filing, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings, prefixes
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_GRID = "MainContent_SearchControl_grdSearchResultsEntity"
NONE = re.compile(r"no records? found; try a new search", re.IGNORECASE)
_NONE_IN_MESSAGE = re.compile(  # a whole message about what was asked for: a service may be "not found", too
    r"\W*(no records? (were |was )?found\b"
    r"|((the|this) )?(record|entity|corporation|business|identification number)( \W*\d+\W*)?"
    r" (was |is )?(not found|does not exist)\b)",
    re.IGNORECASE,
)
COUNT = re.compile(r"Number of records:\s*([\d,]+)", re.IGNORECASE)
_RENAMED = re.compile(r"name was changed from:\s*(.+?)\s+on\s+[\d/-]+", re.IGNORECASE)
_FICTITIOUS = re.compile(r"fictitious name of:\s*(.+?)\s+was filed on\s+[\d/-]+", re.IGNORECASE)
_RESIGNED = re.compile(r"(?!.*\b(?:no|not|n|false)\b).*\bresigned\b", re.IGNORECASE)  # beside an agent who was one
_PAGES = 3
_PEOPLE = ("grdOfficers", "grdManagers", "grdPersons", "grdPartners")
_IGNORED = frozenset(
    listed(
        "EntityNameHeader | OldIDNumber | EffectiveDate | RevivalDate | CertainDate | FiscalDateCurrent | "
        "Message | NumberOfRecords"
    )
)


class CorpWebPortal(Portal):
    """One state's CorpWeb; a state names its address."""

    capabilities = Capabilities(agent=True, officers=True, addresses=True, former_names=True, assumed_names=True)
    name_search = NameSearch(
        mode="starts_with",
        mode_basis="documented",
        narrow="exact",
        says_total=True,
        page_rows=100,
        pages=3,
        evidence=(
            "Public clients and the form's own help: begins with, exact, full text, soundex; the list counts "
            "its records."
        ),
    )
    home: ClassVar[str] = ""  # ends in /CorpWeb/CorpSearch/
    summary_key: ClassVar[str | None] = None  # the query word of a summary that can be asked by number
    asks_history: ClassVar[bool] = False  # where a revocation shows among the filings only
    searches: ClassVar[Mapping[str, str]] = {}  # what a form wants for EntityStatus, and the status each finds
    statuses = meanings("Active")
    status_prefixes = prefixes(  # the label of the day says how it ended, before anything that follows
        involuntarily_dissolved="Inactive: Involuntary Dissolution",
        dissolved="Inactive: Voluntary Dissolution",
        revoked="Inactive: Revocation | Inactive: Revoked",
        canceled="Inactive: Cancel",
        withdrawn="Inactive: Withdrawal",
        merged="Inactive: Merger",
        inactive="Inactive",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that begin with the term, up to three pages of the largest size the form offers."""
        return self._by_name(session, term, mode="begin")

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Just this name, for names too common to list."""
        return replace(self._by_name(session, name, mode="exact"), complete=False)

    def _by_name(self, session: PortalSession, term: str, *, mode: str) -> ResultList:
        """One search, or one for each status where the form wants a choice: whichever may be the one meant."""
        form = self._form(session)
        values = {
            "CorpSearch": "rdoByEntityName",
            "txtEntityName": term,
            "ddBeginsWithEntityName": _option(form.tree, "ddBeginsWithEntityName", mode),
            "ddRecordsPerPage": _largest(form.tree, "ddRecordsPerPage"),
        }
        if not self.searches:
            return self._list(session, form.press(session, "btnSearch", values))
        lists = [
            self._list(session, form.press(session, "btnSearch", values | {"EntityStatus": choice}), status=status)
            for choice, status in self.searches.items()
        ]
        return ResultList(tuple(row for found in lists for row in found.candidates), all(one.complete for one in lists))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The summary by its number: by address where the state has one, else through the form."""
        if self.summary_key:
            page = session.get(f"{self.home}CorpSummary.aspx", params={self.summary_key: entity_id})
        else:
            form = self._form(session)
            values = {"CorpSearch": "rdoByIdentification", "txtIdentificationNumber": entity_id}
            page = form.press(session, "btnSearch", values)
        return self._list(session, page)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the summary of a row."""
        if candidate.record is not None:
            return candidate.record
        page = session.get(candidate.handle["url"])
        if not _is_summary(page.html()):
            raise missing_result(page, "the summary")
        return _as_listed(self._summary(page, session), candidate.status)

    def _form(self, session: PortalSession) -> WebForm:
        page = session.get(f"{self.home}CorpSearch.aspx")
        if not page.body.strip():
            raise PortalBlocked(f"{page.url}: an empty page, which is how this platform's wall answers programs")
        return WebForm(page)

    def _list(self, session: PortalSession, page: Page, *, status: str | None = None) -> ResultList:
        """One hit opens its summary at once; several make a list; a message stands for none."""
        tree = page.html()
        if _is_summary(tree):
            record = _as_listed(self._summary(page, session), "Inactive" if status == "Inactive" else None)
            return ResultList((Candidate.of(record),))
        if maybe(tree, f"#{_GRID}") is None:
            message = maybe(tree, "#MainContent_lblMessage")
            said = visible_text(message) if message is not None else ""
            if NONE.search(visible_text(tree)) or _NONE_IN_MESSAGE.match(said):
                return ResultList(())
            raise missing_result(page, "the list of results")
        rows = self.rows(page, status)
        total = find_count(COUNT, visible_text(tree))
        more: tuple[str, str] | None = None
        for number in range(2, _PAGES + 2):
            form = WebForm(page, what="the list's form")
            hold_to(form, number - 1, "grdSearchResultsEntity")
            more = form.next_page(number, "grdSearchResultsEntity")
            if more is None or number > _PAGES:
                break
            page = form.post_back(session, *more)
            rows += self.rows(page, status)
        return ResultList(
            tuple(rows),
            complete=more is None and (self.name_search.whole(len(rows)) if total is None else len(rows) == total),
        )

    def rows(self, page: Page, status: str | None) -> list[Candidate]:
        """Rows hold the name as a link, then number, old number and address: neither status nor type.

        Those of a search by status hold name, number, trade, a word or day that qualifies the status, and address.
        """
        found = []
        lines = one(page.html(), f"#{_GRID}").xpath("(./tr | ./*/tr)[count(th | td) > 1]")  # the pager is one cell
        shown = [row for row in lines if text_of(row)]
        for row in shown:
            cells = [text_of(cell) for cell in row.xpath("./th | ./td")]
            link = next((a for a in select(row, "a") if "CorpSummary.aspx" in (a.get("href") or "")), None)
            if link is None and text_of(row) == text_of(shown[0]):
                continue  # the header
            if link is None or cells[0] != text_of(link) or not re.fullmatch(self.id_pattern, cells[1]):
                raise PageChanged(f"{cells} is listed: no name that leads to the summary, then its number")
            if status is not None and len(cells) != 5:
                raise PageChanged(f"{cells[0]!r} is listed in {len(cells)} cells instead of five")
            url = page.link(link.get("href") or "")
            word = _qualified(status, cells[3]) if status is not None else None
            found.append(Candidate(cells[0], cells[1], word, handle={"url": url}, sos_url=url))
        if not found:
            raise PageChanged(f"{page.url}: a list of results without a row")
        return found

    def _summary(self, page: Page, session: PortalSession) -> EntityRecord:
        tree = page.html()
        shown = spans(tree, "MainContent_lbl")
        used: set[str] = set()

        def text(name: str) -> str | None:
            used.add(name)
            return shown.get(name, "").strip(" ,") or None

        number = re.sub(r"^Identification Number:\s*", "", text("IDNumber") or "")
        name = text("EntityName") or text("EntityNameHeader")
        if not number or not name:
            raise PageChanged(f"{page.url}: a summary without name or number")
        gone, why = text("InactiveDate"), text("InactiveDateLabel")
        if why and not gone:
            raise PageChanged(f"{page.url}: {why!r} without its day")
        filings = history.ask(session, page) if self.asks_history else ()
        agent, place = text("ResidentAgentName"), _address(text, "Resident")
        if _RESIGNED.match(shown.get("ResidentAgentFlag", "")):
            used.add("ResidentAgentFlag")
            agent, place = None, Address()
        record = EntityRecord(
            entity_name=name,
            entity_id=number,
            status=f"Inactive: {_reason(why)}" if gone else _without_end(filings),
            entity_type=text("EntityType"),
            formation_date=text("OrganisationDate") or text("OrganizationDate"),
            agent_name=agent,
            agent_address=place,
            principal_address=_address(text, "Principle") or _address(text, "Office"),
            officers=tuple(_people(tree)),
            former_names=tuple(_sentences(tree, _RENAMED, "tblNameChange")),
            assumed_names=tuple(_sentences(tree, _FICTITIOUS, "tblFictitiousName")),
            filings=filings or (),
            sos_url=page.url,
        )
        left = {key for key, value in shown.items() if value and key not in used and key not in _IGNORED}
        note_unread((key for key in left if not key.endswith("Label")), session)
        return record


def _is_summary(tree: HtmlElement) -> bool:
    return bool(tree.xpath("//*[@id='MainContent_lblEntityName' or @id='MainContent_lblEntityNameHeader']"))


def _as_listed(record: EntityRecord, status: str | None) -> EntityRecord:
    """The record with the status of its list, which may tell an end, or a notice of one, that the summary does not."""
    return replace(record, status=status) if status and record.status in (None, "Active") else record


def _without_end(filings: tuple[Filing, ...] | None) -> str | None:
    """The status of an entity without an inactive date; None where its filings do not tell."""
    if filings is None or not history.is_clear(filings):
        return None
    revoked = history.revocation(filings)
    return f"Inactive: {revoked}" if revoked else "Active"


def _reason(label: str | None) -> str:
    """ "Date of Involuntary Dissolution:" as "Involuntary Dissolution"."""
    return re.sub(r"^(the )?date of ", "", (label or "").strip(" :"), flags=re.IGNORECASE) or "date given"


def _qualified(status: str, shown: str) -> str:
    """The status of a row: "Active" or the word in its place, "Inactive" with the word or day beside it."""
    dated = any(sign.isdigit() for sign in shown)
    if dated and dates.to_date(shown) is None:
        raise PageChanged(f"{shown!r} stands where a word or a day qualifies the status")
    if status == "Active" and not dated:
        return shown or status
    return f"Inactive: {shown}" if shown else "Inactive"


def _options(tree: HtmlElement, ending: str) -> list[HtmlElement]:
    return [
        option for option in select(tree, "select option") if (option.getparent().get("name") or "").endswith(ending)
    ]


def _option(tree: HtmlElement, ending: str, word: str) -> str:
    """The code of the option whose text begins with a word: the letters differ between states."""
    codes = [option.get("value") for option in _options(tree, ending) if text_of(option).casefold().startswith(word)]
    if len(codes) != 1 or codes[0] is None:
        raise PageChanged(f"{len(codes)} options of {ending} begin with {word!r}")
    return str(codes[0])


def _largest(tree: HtmlElement, ending: str) -> str:
    sizes = [int(value) for option in _options(tree, ending) if (value := option.get("value") or "").isdigit()]
    if not sizes:
        raise PageChanged(f"{ending} offers no page size")
    return str(max(sizes))


def _address(text: Callable[[str], str | None], prefix: str) -> Address:
    return addresses.from_parts(
        text(f"{prefix}Street"),
        city=text(f"{prefix}City"),
        state=text(f"{prefix}State"),
        zip=text(f"{prefix}Zip"),
        country=text(f"{prefix}Country"),
    )


def _people(tree: HtmlElement) -> Iterable[Officer]:
    lists = {f"MainContent_{name}" for name in _PEOPLE}
    refuse_unread(
        (table for table in select(tree, "table") if table.get("id") not in lists), "title", "name", "address"
    )
    for name in _PEOPLE:
        for table in select(tree, f"table#MainContent_{name}", most=1):
            for row in (
                worded_rows(table, "title", "name", "address") if table.xpath(".//tr[count(th | td) > 1]") else ()
            ):
                title, who = text_of(row["title"]), text_of(row["name"])
                if who:
                    yield Officer(who, title or None, one_line(addresses.from_lines(lines_of(row["address"]))))


def _sentences(tree: HtmlElement, sentence: re.Pattern[str], name: str) -> Iterable[str]:
    """Names in sentences wherever they stand; PageChanged where their table has others alone."""
    named = [found[1] for line in lines_of(tree) if (found := sentence.search(line))]
    table = maybe(tree, f"#MainContent_{name}")
    if table is not None and text_of(table) and not named:
        raise PageChanged(f"{text_of(table)[:80]!r} tells no name")
    return named
