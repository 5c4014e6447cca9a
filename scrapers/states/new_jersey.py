"""New Jersey: Department of the Treasury, Division of Revenue and Enterprise Services, Business Name Search.

New Jersey publishes no status, agent or officers for free: a name in the list may be dissolved. Evidence: public
clients of both searches (2026; documented). Guessed: how an empty list of names looks (the table without rows), and
the line of an empty list of liens. Liens show debtor, city, status and date; the secured party costs a report.
"""

from __future__ import annotations

from scrapers.families.njportal.portal import NjPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.transport.pace import Pace


class NewJersey(NjPortal):
    """Division of Revenue and Enterprise Services."""

    code = "NJ"
    hosts = ("www.njportal.com",)
    sources = (
        "https://www.njportal.com/DOR/BusinessNameSearch/Search/BusinessName",
        "https://www.njportal.com/UCC/Search/NonCertifiedSearch.aspx",
    )
    id_pattern = r"\d{10}"
    capabilities = Capabilities(status=False, addresses=True, ucc=True, ucc_date_filter=True)
    published = frozenset({"entity_type", "formation_date", "principal_address"})
    paywalled = frozenset(listed("status | agent_name | agent_address | officers"))
    pace = Pace(seconds=1.5, concurrency=1)
    terms = Terms("unstated", robots="not found (404)", note="Free form without captcha.")
    verification, on_by_default = "documented", True
