"""Maine: Secretary of State, Bureau of Corporations, ICRS: a servlet whose pages are tables without ids.

Evidence: public clients of the portal, gathered 2026-11, which opened summaries by number until 2023 (documented: the
name field, four-cell rows, the headings over the values; no recorded page at hand). A summary is a GET by charter
number; the list shows no status. Guessed: the form's other fields (they are read from the page), the line that there
is nothing, the place of the addresses, and most status words.
"""

from __future__ import annotations

import re
from itertools import dropwhile, islice, pairwise, takewhile

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.parsing.cells import address_in, must_show, paired, shown
from scrapers.parsing.fields import Labels, listed
from scrapers.parsing.html import hidden_inputs, lines_of, missing_result, select, table_rows, text_of, visible_text
from scrapers.parsing.lists import result_list
from scrapers.parsing.people import agent_in
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, NameKind, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.pace import Pace
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_ICRS = "https://apps3.web.maine.gov/nei-sos-icrs/ICRS"
_FIELD = "WAISqueryString"
_NUMBER = re.compile(r"CorpSumm=(\d{8})[+ ]?([A-Z]{1,2})")
_NONE = re.compile(r"(?<!if )\b(no (records?|match(es)?|corporations?) ((was|were) )?|nothing )found\b", re.IGNORECASE)
_OTHER = re.compile(r"^(.+?)\s*\(?\b([AF])\)?$")
_KINDS = "B|D|I|L|M|N|F|R|CP|DC|DP|LP|LN|ND|RC|RD|RI|RN|RP|RR|CR|FC|FP|LF|LR|NF|NR|PR"


class Maine(Portal):
    """Secretary of State, Bureau of Corporations."""

    code = "ME"
    hosts = ("apps3.web.maine.gov",)
    sources = (f"{_ICRS}?MainPage=x",)
    id_pattern = rf"\d{{8}}\s?({_KINDS})"
    capabilities = Capabilities(agent=True, addresses=True, former_names=True, assumed_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | jurisdiction"
        )
    )
    statuses = meanings(
        "Good Standing | Not in Good Standing | Administratively Dissolved | Dissolved | Cancelled | Revoked | "
        "Withdrawn | Merged | Converted | Suspended | Terminated | Reserved | Expired"
    )
    pace, estimated_seconds = Pace(seconds=5.0, concurrency=1), 15
    terms = Terms("forbidden", note="The portal warns that automated tools may be suspended.")
    verification, on_by_default = "documented", False
    off_reason = "The portal warns against automated tools and asks for a captcha before a search."
    would_change = "The office's permission, or the paid bulk files with their layout."
    name_search = NameSearch(
        mode="unknown",
        evidence="Public clients: the form's field; how it compares and how long a list gets is not told.",
    )

    def check_id(self, entity_id: str) -> str:
        """Charter numbers are written with and without a blank before their letters: "20207298DC", "19992000 D"."""
        found = re.fullmatch(r"(\d{8})\s*([A-Z]{1,2})", super().check_id(entity_id))
        return f"{found[1]}{found[2]}" if found else entity_id

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that fit the term; the form's own hidden fields are sent back with it."""
        page = session.get(_ICRS, params={"MainPage": "x"})
        forms = [form for form in select(page.html(), "form") if form.xpath(f".//input[@name='{_FIELD}']")]
        if len(forms) != 1:
            raise missing_result(page, "the search form")
        answer = session.post(
            page.link(forms[0].get("action") or _ICRS),
            form={**hidden_inputs(forms[0]), _FIELD: term},
            headers={"Referer": page.url},
        )
        tables = answer.html().xpath("//table[not(.//table)][.//a[contains(@href, 'CorpSumm=')]]")
        rows = [row for table in tables for row in table_rows(table, ("Name", "Name Type"))]
        return result_list(answer, [_candidate(row) for row in rows], facts=self.name_search, nothing=_NONE)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The summary of this charter number; without one the page says so."""
        page = session.get(_summary_url(entity_id))
        if _under(_lowest_rows(page), "Legal Name") is None and _NONE.search(visible_text(page.html())):
            return ResultList(())
        return ResultList((Candidate.of(_summary(page)),))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a row's summary."""
        return candidate.record or _summary(session.get(_summary_url(candidate.entity_id)))


def _summary(page: Page) -> EntityRecord:
    rows = _lowest_rows(page)
    facts = _under(rows, "Legal Name")
    if facts is None:
        raise missing_result(page, "the summary")
    filed = _under(rows, "Filing Date")
    if filed is None:
        raise PageChanged(f"{page.url}: no day of filing")
    principal, mailing = _block(rows, "Principal Home Office Address")
    agent_name, agent_address = agent_in(_agent(rows))
    return EntityRecord(
        entity_name=must_show(facts, "Legal Name"),
        entity_id=must_show(facts, "Charter Number").replace(" ", ""),
        status=must_show(facts, "Status"),
        entity_type=shown(facts.one("Filing Type")),
        formation_date=shown(filed.one("Filing Date")),
        jurisdiction=shown(filed.one("Jurisdiction")),
        agent_name=agent_name,
        agent_address=agent_address,
        principal_address=address_in(principal),
        mailing_address=address_in(mailing),
        former_names=_others(rows, "F"),
        assumed_names=_others(rows, "A"),
        sos_url=page.url,
    )


def _summary_url(number: str) -> str:
    """One letter is set off by a blank, two are not: that is how the portal's own links are written."""
    digits, letters = number[:8], number[8:].strip()
    return f"{_ICRS}?CorpSumm={digits}{'+' if len(letters) == 1 else ''}{letters}"


def _candidate(row: dict[str, HtmlElement]) -> Candidate:
    """Number, name, kind of name, link. A former or assumed name says so in the third."""
    found = _NUMBER.search(" ".join(link for cell in row.values() for link in cell.xpath(".//a/@href")))
    if not found:
        raise PageChanged("a row without a link to its summary")
    number, kind = f"{found[1]}{found[2]}", text_of(row["Name Type"]).casefold()
    words: dict[str, NameKind] = {"former": "former", "assumed": "assumed", "reserved": "reserved"}
    name_kind: NameKind = next((words[word] for word in words if word in kind), "legal")
    url = _summary_url(number)
    return Candidate(name=text_of(row["Name"]), entity_id=number, name_kind=name_kind, sos_url=url)


def _lowest_rows(page: Page) -> list[HtmlElement]:
    """Rows that hold text and no further table."""
    return [row for row in page.html().xpath("//tr[td or th][not(.//table)]") if text_of(row)]


def _under(rows: list[HtmlElement], head: str) -> Labels | None:
    """The row of values under the row of headings that begins with `head`."""
    for row, below in pairwise(rows):
        heads = row.xpath("./td | ./th")
        if text_of(heads[0]) == head:
            return Labels(paired(heads, below.xpath("./td | ./th")))
    return None


def _block(rows: list[HtmlElement], head: str) -> tuple[list[str], list[str]]:
    """The lines of the first two cells below a heading, skipping a row of headings only; PageChanged without it."""
    for index, row in enumerate(rows):
        if text_of(row).startswith(head):
            for below in rows[index + 1 : index + 3]:
                cells = [lines_of(cell) for cell in below.xpath("./td | ./th")]
                if any(len(lines) > 1 for lines in cells):
                    return cells[0], cells[1] if len(cells) > 1 else []
            return [], []
    raise PageChanged(f"no heading {head!r} on the summary")


def _agent(rows: list[HtmlElement]) -> list[str]:
    """The agent's lines; none where the first one says that there is no agent, and a contact's name follows."""
    lines = _block(rows, "Clerk/Registered Agent")[0]
    return [] if lines and lines[0].casefold().startswith("no clerk/registered agent on file") else lines


def _others(rows: list[HtmlElement], letter: str) -> tuple[str, ...]:
    """The names of this letter under "Other Names (A=Assumed ; F=Former)"; NONE when there are none."""
    after = list(dropwhile(lambda row: not text_of(row).startswith("Other Names"), rows))
    if len(after) < 2 or (text_of(after[1]) != "NONE" and not _OTHER.match(text_of(after[1]))):
        raise PageChanged("the summary has no other names, and does not say so")
    named = takewhile(bool, (_OTHER.match(text_of(row)) for row in islice(after, 1, None)))
    return tuple(found[1] for found in named if found and found[2] == letter)
