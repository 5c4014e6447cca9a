"""U.S. Virgin Islands: Office of the Lieutenant Governor, Division of Corporations and Trademarks.

Evidence: a public client of this register (documented; no recorded page at hand). Guessed: the line that says there
are no results, the status words, and that the first "Physical Address" is the agent's. Officers cost a certificate.
"""

from __future__ import annotations

from scrapers.families.catalyst.portal import CatalystPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings
from scrapers.transport.pace import Pace


class VirginIslands(CatalystPortal):
    """Division of Corporations and Trademarks."""

    code = "VI"
    hosts = ("www.corporationsandtrademarks.vi.gov",)
    search_url = "https://www.corporationsandtrademarks.vi.gov/usvi-master/service/create.html"
    sources = ("https://www.corporationsandtrademarks.vi.gov",)
    id_pattern = r"\d{5,7}|[A-Z]{2}\d{7}"
    capabilities = Capabilities(by_id=False, agent=True, addresses=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address | jurisdiction")
    )
    paywalled = frozenset({"officers"})
    statuses = meanings(
        active="In Good Standing | Active | Registered",
        inactive="Dissolved | Withdrawn | Terminated | Cancelled | Merged | Expired",
        neutral="Not in Good Standing",
    )
    pace = Pace(seconds=2.0, concurrency=1)
    terms = Terms("unstated")
    verification, on_by_default = "documented", True
