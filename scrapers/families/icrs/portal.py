"""ICRS: a servlet whose search form, list and summary are tables without ids, read by the words in them.

Source: public clients of the portal (name field, four-cell rows, the headings over the values; documented, no
recorded page at hand). A summary is a GET by charter number; the list shows no status.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.html import hidden_inputs, lines_of, missing_result, offers_next, select, text_of, visible_text
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, NameKind, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOST = "https://apps3.web.maine.gov"
_ICRS = f"{_HOST}/nei-sos-icrs/ICRS"
_FIELD = "WAISqueryString"
_NUMBER = re.compile(r"CorpSumm=(\d{8})[+ ]?([A-Z]{1,2})")
_NONE = re.compile(r"\bno (records?|match(es)?|corporations?)( (was|were))?( found)?\b", re.IGNORECASE)
_OTHER = re.compile(r"^(.+?)\s*\(?\b([AF])\)?$")


class IcrsPortal(Portal):
    """The interactive corporate services of the Secretary of State."""

    name_search = NameSearch(
        mode="unknown",
        evidence="Public clients: the form's field; how it compares and how long a list gets is not told.",
    )

    def check_id(self, entity_id: str) -> str:
        """Charter numbers are written with and without a blank before their letters: "20207298DC", "19992000 D"."""
        found = re.fullmatch(r"(\d{8})\s*([A-Za-z]{1,2})", super().check_id(entity_id))
        return f"{found[1]}{found[2].upper()}" if found else entity_id

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
        rows = [row for row in answer.html().xpath("//tr[count(td) = 4]") if _NUMBER.search(_href(row))]
        if not rows:
            if _NONE.search(visible_text(answer.html())):
                return ResultList(())
            raise missing_result(answer, "a list, or the line that there is none")
        return ResultList(
            tuple(_candidate(row) for row in rows),
            complete=self.name_search.whole(len(rows)) and not offers_next(answer.html()),
        )

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The summary of this charter number; without one the page says so."""
        page = session.get(_summary_url(entity_id))
        if _under(_lowest_rows(page), "Legal Name") is None and _NONE.search(visible_text(page.html())):
            return ResultList(())
        record = self._summary(page)
        return ResultList((Candidate.of(record),))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a row's summary."""
        return candidate.record or self._summary(session.get(_summary_url(candidate.entity_id)))

    def _summary(self, page: Page) -> EntityRecord:
        rows = _lowest_rows(page)
        facts = _under(rows, "Legal Name")
        if facts is None:
            raise missing_result(page, "the summary")
        dates = _under(rows, "Filing Date") or {}
        principal, mailing = _block(rows, "Principal Home Office Address", 2)
        agent = _block(rows, "Clerk/Registered Agent", 2)[0]
        others = _others(rows)
        return EntityRecord(
            entity_name=_must(facts, "Legal Name"),
            entity_id=_must(facts, "Charter Number").replace(" ", ""),
            status=_must(facts, "Status"),
            entity_type=facts.get("Filing Type") or None,
            formation_date=dates.get("Filing Date") or None,
            jurisdiction=dates.get("Jurisdiction") or None,
            agent_name=agent[0] if agent else None,
            agent_address=addresses.from_lines(agent[1:]),
            principal_address=_place(principal),
            mailing_address=_place(mailing),
            former_names=tuple(name for name, kind in others if kind == "former"),
            assumed_names=tuple(name for name, kind in others if kind == "assumed"),
            sos_url=page.url,
        )


def _summary_url(number: str) -> str:
    """One letter is set off by a blank, two are not: that is how the portal's own links are written."""
    digits, letters = number[:8], number[8:].strip()
    return f"{_ICRS}?CorpSumm={digits}{'+' if len(letters) == 1 else ''}{letters}"


def _href(row: HtmlElement) -> str:
    return " ".join(link.get("href") or "" for link in row.xpath("./td[4]//a"))


def _candidate(row: HtmlElement) -> Candidate:
    """Cells: number, name, kind of name, link. A former or assumed name says so in the third."""
    found = _NUMBER.search(_href(row))
    if not found:
        raise PageChanged("a row without a link to its summary")
    number, kind = f"{found[1]}{found[2]}", text_of(row.xpath("./td[3]")[0]).casefold()
    words: dict[str, NameKind] = {"former": "former", "assumed": "assumed", "reserved": "reserved"}
    name_kind: NameKind = next((words[word] for word in words if word in kind), "legal")
    url = _summary_url(number)
    return Candidate(name=text_of(row.xpath("./td[2]")[0]), entity_id=number, name_kind=name_kind, sos_url=url)


def _lowest_rows(page: Page) -> list[HtmlElement]:
    """Rows that hold text and no further table."""
    return [row for row in page.html().xpath("//tr[td or th][not(.//table)]") if text_of(row)]


def _under(rows: list[HtmlElement], head: str) -> dict[str, str] | None:
    """The row of values under the row of headings that begins with `head`."""
    for index, row in enumerate(rows[:-1]):
        heads = [text_of(cell) for cell in row.xpath("./td | ./th")]
        if heads[:1] == [head]:
            values = [text_of(cell) for cell in rows[index + 1].xpath("./td | ./th")]
            if len(values) != len(heads):
                raise PageChanged(f"{len(values)} values stand under {len(heads)} headings")
            return dict(zip(heads, values, strict=True))
    return None


def _block(rows: list[HtmlElement], head: str, count: int) -> tuple[list[str], list[str]]:
    """The lines of the first two cells below a heading, skipping rows of headings only."""
    for index, row in enumerate(rows):
        if text_of(row).startswith(head):
            for below in rows[index + 1 : index + 1 + count]:
                cells = [lines_of(cell) for cell in below.xpath("./td")]
                if any(len(lines) > 1 for lines in cells):
                    return cells[0], cells[1] if len(cells) > 1 else []
    return [], []


def _others(rows: list[HtmlElement]) -> list[tuple[str, str]]:
    """Names under "Other Names (A=Assumed ; F=Former)", each with its letter; NONE when there are none."""
    found: list[tuple[str, str]] = []
    start = next((index for index, row in enumerate(rows) if text_of(row).startswith("Other Names")), None)
    for row in rows[start + 1 :] if start is not None else ():
        named = _OTHER.match(text_of(row))
        if not named:
            break
        found.append((named[1], {"A": "assumed", "F": "former"}[named[2]]))
    return found


def _must(facts: dict[str, str], head: str) -> str:
    if not facts.get(head):
        raise PageChanged(f"nothing stands under {head!r}")
    return facts[head]


def _place(lines: list[str]) -> Address:
    return addresses.from_lines(lines)
