"""Utah: Division of Corporations and Commercial Code, Business Registration.

Evidence: form, grid (with its empty first row) and detail, recorded before 2026-11. Guessed: the names of the fields
the search sends (Nevada's, from the same vendor), and the words "No records ..." of an empty result.
"""

from __future__ import annotations

from scrapers.parsing.fields import listed
from scrapers.platforms.civix.esos import EsosPortal
from scrapers.platforms.civix.portal import Columns
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings

_HOST = "https://businessregistration.utah.gov/EntitySearch"


class Utah(EsosPortal):
    """Division of Corporations and Commercial Code."""

    code = "UT"
    hosts = ("businessregistration.utah.gov",)
    sources = (f"{_HOST}/OnlineEntitySearch",)
    home, results = f"{_HOST}/OnlineEntitySearch", f"{_HOST}/OnlineBusinessAndMarkSearchResult"
    pager, detail_url = f"{_HOST}/OnlineBusinessAndMarkSearchResultPagination", f"{_HOST}/BusinessInformation"
    columns = Columns("Name", "Entity Number", "Status", "Type", other_name="Other Name")
    id_pattern = r"\d{5,8}-\d{4}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers"
        )
    )
    statuses = meanings("Active | Inactive | Cancelled | Pending")
    ignored = listed(
        "Entity Subtype | Formation Effective Date | Profession | Renew By Date | Last Renewed Date | "
        "Status Updated On | Registered Agent Type | Last Updated | Updated Date"
    )
    terms = Terms("unstated", robots="answers 403", note="No public statement on automated search was found.")
    verification, on_by_default = "recorded", False
    off_reason = "The portal stands behind a bot wall (Cloudflare) that refuses plain clients."
    would_change = "An answer to plain clients, or a paid list with the headings of its three tables."
