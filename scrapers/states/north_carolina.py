"""North Carolina: Secretary of State, Business Registration.

Evidence: a recorded result list and the texts of two recorded profiles (2026-10). Guessed: the markup around those
texts, the way to a second page (a list longer than one page counts as cut), and the words of the status table that
neither recording nor public client shows.
"""

from __future__ import annotations

from scrapers.families.sosnc.portal import SosncPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings
from scrapers.transport.pace import Pace


class NorthCarolina(SosncPortal):
    """Secretary of State, Business Registration."""

    code = "NC"
    hosts = ("www.sosnc.gov",)
    sources = ("https://www.sosnc.gov/online_services/search/by_title/_Business_Registration",)
    id_pattern = r"\d{7}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers | jurisdiction"
        )
    )
    statuses = meanings(
        active="Current-Active | Current - Active",
        warning="Active/Failure to Pay Fee",
        inactive=(
            "Dissolved | Admin. Dissolved | Auto Dissolve | Revoked | Suspended | Withdrawn | Merged | "
            "Converted | Cancelled | Expired"
        ),
        neutral="Multiple | Pending | Reserved",
    )
    pace, estimated_seconds = Pace(seconds=5.0, concurrency=1), 15
    terms = Terms("forbidden", robots="not found (404)", note="Automated or scripted searches are not permitted.")
    verification, on_by_default = "recorded", False
    off_reason = "The portal's terms forbid automated search."
