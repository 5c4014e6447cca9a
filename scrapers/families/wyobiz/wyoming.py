"""Wyoming: Secretary of State, WyoBiz.

Evidence: public clients of the portal (documented; no recorded page at hand). After some traffic an F5 image captcha
stands before every page. Guessed: the less common status words behind the "Inactive - " prefix.
"""

from __future__ import annotations

import re

from scrapers.errors import PageChanged
from scrapers.families.wyobiz.portal import WyoBizPortal
from scrapers.parsing.html import maybe, missing_result, offers_next, one, select, text_of
from scrapers.parsing.webforms import WebForm
from scrapers.portal import Capabilities, StatusMeaning, Terms, meanings
from scrapers.records import Candidate, ResultList
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_TITLE = re.compile(r"^(?P<name>.+?)\s+-\s+(?P<id>\d{4}-\d{9})\s*(?:\((?P<type>[^)]*)\))?$")


class Wyoming(WyoBizPortal):
    """Secretary of State, WyoBiz."""

    code = "WY"
    hosts = ("wyobiz.wyo.gov",)
    home, prefix = "https://wyobiz.wyo.gov/Business/", "MainContent_"
    name_field, id_field = "txtFilingName", "txtFilingID"
    sources = ("https://wyobiz.wyo.gov/Business/FilingSearch.aspx",)
    id_pattern = r"\d{4}-\d{9}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, filings=True, name_modes=("starts_with",))
    published = frozenset(
        {"entity_type", "status", "formation_date", "agent_name", "agent_address", "principal_address",
         "mailing_address", "officers", "jurisdiction"}
    )  # fmt: skip
    statuses = meanings(active=("Active",), neutral=("Pending", "Delinquent"))
    status_prefixes = (("Inactive", StatusMeaning("inactive")),)
    terms = Terms("unstated", robots="behind the F5 captcha as well")
    verification, on_by_default = "documented", False
    off_reason = "the portal asks programs to solve an image captcha"

    def submit(self, form: WebForm, session: PortalSession, values: dict[str, str]) -> Page:
        """A plain post of the search button; the page's script would send the same as a partial update."""
        return form.press(session, "cmdSearch", values)

    def rows(self, page: Page, session: PortalSession) -> ResultList:
        """Items "Name - 2019-000123456 (type)" with a status line; several pages count as a cut list."""
        tree = page.html()
        header = maybe(tree, "#MainContent_lblResultsHeader")
        if header is not None and "no results found" in text_of(header).casefold():
            return ResultList(())
        items = select(tree, "ol#Ol1 > li")
        if not items:
            raise missing_result(page, "the list of results")
        rows = []
        for item in items:
            link, title = one(item, "a[href*='FilingDetails.aspx']"), text_of(one(item, ".resFile1"))
            found, status = _TITLE.match(title), text_of(one(item, ".resFile2")).partition(":")[2].strip()
            if not found:
                raise PageChanged(f"a result that is no name and number: {title!r}")
            url = page.link(link.get("href") or "")
            rows.append(Candidate(found["name"], found["id"], status, found["type"], handle={"url": url}, sos_url=url))
        pages = maybe(tree, "#MainContent_lblHeaderPages")
        single = pages is None or text_of(pages) in ("", "1")
        return ResultList(tuple(rows), complete=single and not offers_next(tree))
