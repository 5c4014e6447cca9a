"""Indiana: Secretary of State, INBiz.

Evidence: requests, the grid's columns and the attributes of its links, the detail's labels and "No data found" from
public clients (2026). Guessed: how the search names its mode ("QuickSearch.Contains", as Nevada does) and that a number
is asked for in `QuickSearch.BusinessID`. A row may be an assumed name: the entity's own name is in its detail.
"""

from __future__ import annotations

from scrapers.parsing.fields import listed
from scrapers.platforms.civix import quick_search
from scrapers.platforms.civix.portal import CivixPortal, Columns, Mode
from scrapers.platforms.civix.sections import TABLES
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings

_HOST = "https://bsd.sos.in.gov"


class Indiana(CivixPortal):
    """Secretary of State, Business Services Division."""

    code = "IN"
    hosts = ("bsd.sos.in.gov",)
    sources = (f"{_HOST}/publicbusinesssearch", "https://inbiz.in.gov/BOS/PublicSearch/Search")
    home = results = pager = f"{_HOST}/publicbusinesssearch"
    columns = Columns(
        "Business Name", "Business ID", "Status", "Entity Type", link="Business ID", name_kind="Name Type"
    )
    detail_url = f"{_HOST}/PublicBusinessSearch/BusinessInformation"
    link_attributes = ("businessId", "businessType", "isSeries")
    markup, needs_token = TABLES, True
    id_pattern = r"\d{10,15}|\d{6,10}-\d{3}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "jurisdiction | officers"
        )
    )
    statuses = meanings(
        "Active | Past Due | Pending Admin Dissolution | Pending | Reserved | Admin Dissolved | Inactive | "
        "Cancelled | Voluntarily Dissolved | Revoked | Withdrawn | Merged | Judicially Dissolved | Expired | "
        "Converted | Non-Qualified"
    )
    ignored = listed(
        "Inactive Date | Original Formation Date | Expiration Date | Business Entity Report Due Date | Years Due | Type"
    )
    terms = Terms("unstated", robots="not known", note="A reCAPTCHA stands before every search.")
    off_reason = "The portal asks for a captcha (reCAPTCHA v2) on every search."
    would_change = "A search without a captcha, or the paid bulk files with their layout."

    def question(self, *, name: str = "", entity_id: str = "", mode: Mode = "Contains") -> dict[str, str]:
        """The quick search, with the answer to a captcha that nobody solved."""
        asked = {"QuickSearch.BusinessName": name, "QuickSearch.BusinessID": entity_id, "g-recaptcha-response": ""}
        return asked | quick_search.flags(mode)
