"""South Dakota: Secretary of State, Business Services.

Evidence: the recorded search form (2026-10), which carries a reCAPTCHA: a wall; list and filing page as public clients
read them (documented). Guessed: most status words.
"""

from __future__ import annotations

from scrapers.errors import PageChanged
from scrapers.families.wyobiz.portal import WyoBizPortal
from scrapers.parsing.html import lines_of, maybe, missing_result, one, select, text_of
from scrapers.parsing.webforms import WebForm
from scrapers.portal import Capabilities, Terms, meanings
from scrapers.records import Candidate, ResultList
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession


class SouthDakota(WyoBizPortal):
    """Secretary of State, Business Services."""

    code = "SD"
    hosts = ("sosenterprise.sd.gov",)
    home, prefix = "https://sosenterprise.sd.gov/BusinessServices/Business/", "ctl00_MainContent_"
    name_field, id_field = "txtSearchValue", "txtFilingId"
    sources = ("https://sosenterprise.sd.gov/BusinessServices/Business/FilingSearch.aspx",)
    id_pattern = r"[A-Z]{2}\d{6}"
    capabilities = Capabilities(agent=True, addresses=True, filings=True, name_modes=("starts_with", "contains"))
    published = frozenset(
        {"entity_type", "status", "formation_date", "agent_name", "agent_address", "principal_address",
         "mailing_address", "jurisdiction"}
    )  # fmt: skip
    statuses = meanings(
        active=("Active",), warning=("Delinquent",),
        inactive=("Inactive", "Dissolved", "Administratively Dissolved", "Terminated", "Withdrawn", "Cancelled",
                  "Merged", "Expired"),
    )  # fmt: skip
    terms = Terms("unstated")
    verification, on_by_default = "documented", False
    off_reason = "the portal asks for a captcha"

    def submit(self, form: WebForm, session: PortalSession, values: dict[str, str]) -> Page:
        """The search button is a post-back link."""
        return form.post_back(session, "ctl00$MainContent$SearchButton", "", values)

    def rows(self, page: Page, session: PortalSession) -> ResultList:
        """Cells: number with the link, type, name (first line), ..., status (sixth)."""
        box = maybe(page.html(), "#ctl00_MainContent_SearchResultList")
        if box is not None and "no records found" in text_of(box).casefold():
            return ResultList(())
        found = [row for row in select(box, "tr") if row.cssselect("td a[href]")] if box is not None else []
        if not found:
            raise missing_result(page, "the list of results")
        rows = []
        for row in found:
            cells = row.xpath("./td")
            if len(cells) < 6:
                raise PageChanged(f"a row has {len(cells)} cells, expected at least 6")
            link, names = one(cells[0], "a[href]"), lines_of(cells[2])
            url = page.link(link.get("href") or "")
            rows.append(
                Candidate(names[0] if names else "", text_of(link), text_of(cells[5]), text_of(cells[1]),
                          handle={"url": url}, sos_url=url)
            )  # fmt: skip
        return ResultList(tuple(rows))
