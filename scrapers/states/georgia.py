"""Georgia: Secretary of State, Corporations Division (eCorp).

Evidence: requests, headings, labels and "No data found" from public clients of the portal (read in 2026-11).
Guessed: the spelling of the two search types and of the criterion, and the heading words of the grid.
"""

from __future__ import annotations

from scrapers.parsing.fields import listed
from scrapers.platforms.civix.portal import CivixPortal, Columns, Mode
from scrapers.platforms.civix.sections import TABLES
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings

_HOST = "https://ecorp.sos.ga.gov/BusinessSearch"


class Georgia(CivixPortal):
    """Secretary of State, Corporations Division."""

    code = "GA"
    hosts = ("ecorp.sos.ga.gov",)
    sources = (_HOST,)
    home = results = pager = _HOST
    columns = Columns("Business Name", "Control No.", "Status", "Business Type")
    markup, officer_columns = TABLES, ("Title", "Name", "Business Address")
    id_pattern = r"\d{7,8}|[A-Z]\d{6}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "jurisdiction | officers"
        )
    )
    statuses = meanings(
        "Active/Compliance | Active/Noncompliance | Active/Owes Current Year AR | Admin. Dissolved | Dissolved | "
        "Withdrawn | Merged | Withdrawn/Merged | Cancelled | Converted | Revoked | Void | Terminated | Consolidated | "
        "Inactive | Active Pending | Flawed/Deficient | Pending | Name Reservation | Disapproved Filing | "
        "Non-Qualifying/Non-Filing"
    )
    ignored = listed(
        "Business Purpose | NAICS Code | NAICS Sub Code | Last Annual Registration Year | Dissolved Date | County"
    )
    terms = Terms("unstated", robots="not known", note="No public statement on automated search was found.")
    off_reason = "The portal stands behind a bot wall (Cloudflare) that refuses plain clients."
    would_change = "An answer to plain clients, or the paid bulk files with their layout."

    def question(self, *, name: str = "", entity_id: str = "", mode: Mode = "Contains") -> dict[str, str]:
        """The object the page's script sends."""
        kind = "BusinessName" if name else "ControlNumber"
        return {"search.SearchType": kind, "search.SearchValue": name or entity_id, "search.SearchCriteria": mode}
