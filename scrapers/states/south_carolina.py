"""South Carolina: Secretary of State, Business Entities Online; UCC Online for liens.

Evidence: public clients of both searches (documented: form fields, table and fieldset names, labels; no recorded page
at hand): one POST for the list, a profile by GET in the same session. Disputed: whether a captcha stands before the
entity search (plain in August 2026, gated in June and October). Guessed: the status words, the header of the status
column, and how both searches say that nothing fits. Liens come without secured party and status. The box with the
verdict on a name and its words "This name is available" are one client's (2024), who chose "Exact Match"; every other
sentence with "not available" counts as no.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.parsing.cells import address_in, must_show, shown
from scrapers.parsing.fields import Labels, is_domestic, listed, note_unread
from scrapers.parsing.html import maybe, missing_result, offers_next, one, select, text_of, visible_text, worded_rows
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, NameCheck, Query, ResultList, UccFiling
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import south_carolina

_HOME = "https://businessfilings.sc.gov"
_SEARCH = f"{_HOME}/BusinessFiling/Entity/Search"
_BY_NAME = "2"  # the search type that public clients send; the page offers others
_NONE = re.compile(
    r"(?<!if )\bno (matching )?(records?|results?|names?|matches|entit(y|ies)|business(es)?) ((was|were) )?found\b",
    re.IGNORECASE,
)
_EXACT = re.compile(r"\bexact\b", re.IGNORECASE)
_TAKEN = re.compile(r"\bnot\b[^.]*\bavailable\b|\bunavailable\b", re.IGNORECASE)
_FREE = re.compile(r"\bthis name is available\b", re.IGNORECASE)


class SouthCarolina(Portal):
    """Secretary of State, Business Entities Online."""

    code = "SC"
    hosts = ("businessfilings.sc.gov", "ucconline.sc.gov")
    sources = (_SEARCH, south_carolina.URL)
    id_pattern = r"\d{5,8}"
    capabilities = Capabilities(by_id=False, agent=True, addresses=True, ucc=True, ucc_date_filter=True)
    published = frozenset(listed("entity_type | status | formation_date | agent_name | agent_address | jurisdiction"))
    statuses = meanings(
        "Good Standing | Active | Dissolved | Forfeited | Administratively Dissolved | Cancelled | Merged | "
        "Withdrawn | Terminated | Reserved | Reserved Name | Registered Name",
        name_only="Registered",
    )
    name_search = NameSearch(
        mode="unknown", evidence="Public clients: search type 2; how it compares and how long a list gets is not told."
    )
    own_name_check = "South Carolina's own name check"
    terms = Terms("unstated", note="SC.gov's terms forbid scraping; whether they hold here is not said.")
    verification, on_by_default = "documented", False
    off_reason = "The portal is reported to ask for a captcha before each search."
    would_change = (
        "An entity search without a captcha: one client was answered in August 2026, others were not. Switch on to try."
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose name fits; the page says with an alert when there are none."""
        found = _listed(_post(session, term, kind=_BY_NAME))
        return replace(found, complete=found.complete and self.name_search.whole(len(found.candidates)))

    def names_taken(self, session: PortalSession, name: str) -> ResultList:
        """The usual list; then the exact search, whose page says in a box whether the name is available."""
        usual = super().names_taken(session, name)
        page = _post(session, name, kind=_exact_kind(session.get(_SEARCH)))
        words = shown(maybe(page.html(), "#nameAvailabilityDiv p.alert"))
        seen = visible_text(page.html())
        if not words and (_TAKEN.search(seen) or _FREE.search(seen)):
            raise PageChanged("the verdict on the name stands outside its box")
        rows = () if words else _listed(page).candidates
        return self.with_own_check(usual, rows, NameCheck(self.own_name_check, _verdict(words), words))

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Liens of a party, from UCC Online."""
        return south_carolina.ask(session, query)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a profile: labels and values in spans."""
        page = session.get(candidate.handle["url"], headers={"Referer": _SEARCH})
        profile = maybe(page.html(), "fieldset.entityProfile")
        if profile is None:
            raise missing_result(page, "the profile")
        labels = Labels(_pairs(profile))
        labels.ignore(*listed("Expiration Date | Term End Date | Dissolved Date"))
        record = EntityRecord(
            entity_name=text_of(one(profile, "legend")),
            entity_id=must_show(labels, "Entity ID"),
            status=must_show(labels, "Status"),
            entity_type=must_show(labels, "Entity Type"),
            formation_date=shown(labels.maybe("Effective Date")),
            jurisdiction=shown(labels.maybe("Incorporated State", "State of Incorporation")),
            domestic=is_domestic(shown(labels.maybe("Domestic/Foreign"))),
            agent_name=shown(labels.maybe("Agent")),
            agent_address=address_in(labels.maybe("Address")),
            sos_url=page.url,
        )
        note_unread(labels.unread, session)
        return record


def _post(session: PortalSession, name: str, *, kind: str) -> Page:
    return session.post(
        _SEARCH,
        form={"EntitySearchTypeEnumId": kind, "EntityName": name, "EntityNameIsRequired": "True"},
        headers={"Origin": _HOME, "Referer": _SEARCH},
    )


def _listed(page: Page) -> ResultList:
    tree = page.html()
    table = maybe(tree, "#EntitySearchResultsTable")
    rows = worded_rows(table, "status") if table is not None and table.xpath(".//td//a | .//th//a") else []
    if table is None or not rows:
        if any(_NONE.search(visible_text(alert)) for alert in select(tree, "p.alert.noResults")):
            return ResultList(())
        raise missing_result(page, "a list, or the alert that there is none")
    return ResultList(tuple(_candidate(row, page) for row in rows), complete=not offers_next(tree))


def _exact_kind(page: Page) -> str:
    """The number of the exact search, by its name in the form: it is not known beforehand."""
    options = select(page.html(), "#EntitySearchTypeEnumId option[value]")
    if not options:
        raise missing_result(page, "the kinds of search")
    found = [str(option.get("value")) for option in options if _EXACT.search(text_of(option))]
    if len(found) != 1:
        raise PageChanged(f"one exact search expected among {[text_of(option) for option in options]}")
    return found[0]


def _verdict(words: str | None) -> bool | None:
    """What the box says; words that are neither are a changed page, never a guess."""
    if not words:
        return None
    if _TAKEN.search(words):
        return False
    if _FREE.search(words):
        return True
    raise PageChanged(f"the name check says {words!r}")


def _candidate(row: dict[str, HtmlElement], page: Page) -> Candidate:
    """The list shows name and status; the number is on the profile."""
    links = list({id(link): link for cell in row.values() for link in select(cell, "a[href]")}.values())
    if len(links) != 1:
        raise PageChanged(f"a row has {len(links)} links, one is expected: its name")
    url = page.link(links[0].get("href") or "")
    return Candidate(text_of(links[0]), "", shown(row["status"]), handle={"url": url}, sos_url=url)


def _pairs(profile: HtmlElement) -> list[tuple[str, HtmlElement]]:
    labels = select(profile, "span.label", least=1)
    found = [(label, label.xpath("following-sibling::span[contains(@class, 'data')][1]")) for label in labels]
    return [(text_of(label), values[0]) for label, values in found if values]
