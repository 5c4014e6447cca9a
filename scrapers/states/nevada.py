"""Nevada: Secretary of State, Commercial Recordings (SilverFlume).

Evidence: the request and the detail's labels from public clients (2023); the markup from Utah's recorded pages, by the
same vendor. Guessed: the grid's headings, that an entity number is asked for in `QuickSearch.BusinessId`, and the words
of an empty result. Seen among the statuses: "Permanently Revoked"; the others come from a public description.
"""

from __future__ import annotations

from scrapers.parsing.fields import listed
from scrapers.platforms.civix.esos import EsosPortal
from scrapers.platforms.civix.portal import Columns
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings

_HOST = "https://esos.nv.gov/EntitySearch"


class Nevada(EsosPortal):
    """Secretary of State, Commercial Recordings."""

    code = "NV"
    hosts = ("esos.nv.gov",)
    sources = (f"{_HOST}/OnlineEntitySearch",)
    home, results = f"{_HOST}/OnlineEntitySearch", f"{_HOST}/OnlineBusinessAndMarkSearchResult"
    pager, detail_url = f"{_HOST}/OnlineBusinessAndMarkSearchResultPagination", f"{_HOST}/BusinessInformation"
    columns = Columns("Name", "Entity Number", "Status", "Type")
    id_pattern = r"[A-Z]{1,4}\d{1,12}-\d{1,4}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True)
    published = frozenset(listed("entity_type | status | formation_date | agent_name | agent_address | officers"))
    statuses = meanings(
        "Active | Default | Pending | Name Reserved | Reserved | Permanently Revoked | Revoked | Dissolved | "
        "Expired | Cancelled | Withdrawn | Merge Dissolved | Merged | Converted Out | Domesticated Out"
    )
    ignored = listed(
        "NV Business ID | Termination Date | Annual Report Due Date | CRA Agent Entity Type | "
        "Registered Agent Type | Compliance Hold | Mailing Address | Number of No Par Value Shares | "
        "Total Authorized Capital | Series LLC | Restricted LLC | Office or Position | "
        "Individual with Authority to Act | Fictitious Website or Domain Name"
    )
    terms = Terms("unstated", robots="not known", note="No public statement on automated search was found.")
    off_reason = "The portal stands behind a bot wall (Imperva) and a reCAPTCHA."
    would_change = "An answer to plain clients."
