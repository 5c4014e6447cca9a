"""Virginia: State Corporation Commission, Clerk's Information System.

Evidence: a recorded entity page (2026-10), opened by number; the list's headings and "No records found" from two public
clients. Every search by name asks for a reCAPTCHA token, so it ends in a wall; an eight-digit number opens its page
without one. Gap: older numbers ("S1234567") are not the number in the page's address, so they need the search too.
"""

from __future__ import annotations

from dataclasses import replace

from scrapers.bulk_data.layouts import virginia
from scrapers.parsing.fields import listed
from scrapers.platforms.civix.portal import CivixPortal, Columns, Mode
from scrapers.platforms.civix.sections import DIVS
from scrapers.portal import Capabilities, Terms
from scrapers.records import Candidate, ResultList
from scrapers.transport.session import PortalSession

_HOST = "https://cis.scc.virginia.gov"
_EVIDENCE = "How this host names its modes is not known; the grid counts its records."


class Virginia(CivixPortal):
    """State Corporation Commission."""

    code, bulk_data = "VA", virginia.BULK_DATA
    name_search = replace(CivixPortal.name_search, mode="unknown", mode_basis="unknown", narrow="", evidence=_EVIDENCE)
    hosts = ("cis.scc.virginia.gov",)
    home = results = pager = f"{_HOST}/EntitySearch/Index"
    sources = (home,)
    columns = Columns("Entity Name", "Entity ID", "Status", "Entity Type", link="Entity ID", name_kind="Name Type")
    markup, needs_token = DIVS, True
    id_pattern = r"[A-Z]?\d{6,8}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, former_names=True, assumed_names=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address | officers")
    ) | {"jurisdiction"}
    statuses = virginia.STATUSES
    ignored = listed(
        "Series LLC | Status Date | Period of Duration | Industry Code | Annual Report Due Date | Charter Fee | "
        "Registration Fee Due Date | Total Shares | RA Type | Locality | RA Qualification | Appointed Date | "
        "VA Qualification Date"
    )
    terms = Terms("unstated", robots="disallows /", note="A reCAPTCHA token is asked for with every search by name.")
    verification = "recorded"
    off_reason = "The portal asks for a captcha (reCAPTCHA v3) on every search by name."
    would_change = "A loaded copy of the weekly register, which is free and needs no account."

    def question(self, *, name: str = "", entity_id: str = "", mode: Mode = "Contains") -> dict[str, str]:
        """The quick search's two boxes."""
        return {"QuickSearch.BusinessName": name, "QuickSearch.EntityID": entity_id}

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """Eight digits open the entity's page at once; older numbers go through the search."""
        if not (entity_id.isdigit() and len(entity_id) == 8):
            return super().find(session, entity_id)
        page = session.get(f"{_HOST}/EntitySearch/BusinessInformation", params={"businessId": entity_id})
        return ResultList((Candidate.of(self.record(page, session)),))
