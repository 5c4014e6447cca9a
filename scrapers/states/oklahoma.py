"""Oklahoma: Secretary of State, corporation inquiry.

Evidence: public clients of the portal, the newest of which met a Turnstile challenge (documented and old; no recorded
page at hand). Guessed: how the grid says that there is nothing ("Total Results: 0"), and most status words.
"""

from __future__ import annotations

from scrapers.families.oksos.portal import OkSosPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings


class Oklahoma(OkSosPortal):
    """Secretary of State, corporation inquiry."""

    code = "OK"
    hosts = ("www.sos.ok.gov",)
    sources = ("https://www.sos.ok.gov/corp/corpInquiryFind.aspx",)
    id_pattern = r"\d{8,10}"
    capabilities = Capabilities(agent=True, addresses=True)
    published = frozenset(listed("entity_type | status | formation_date | agent_name | agent_address | jurisdiction"))
    statuses = meanings(
        active="In Existence",
        inactive=(
            "Dissolved | Terminated | Cancelled | Withdrawn | Inactive | Merged | Consolidated | Expired | "
            "OTC Suspension | Suspended"
        ),
        neutral="Reserved | Former",
    )
    terms = Terms("unstated", robots="disallows all, the corporation pages by name")
    verification, on_by_default = "documented", False
    off_reason = "The portal shows programs a Turnstile challenge, and its robots.txt disallows them."
