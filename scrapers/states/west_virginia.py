"""West Virginia: Secretary of State, organisation search (legacy host).

Evidence: public clients that read records by number over the whole range (documented; no recorded page at hand).
Guessed: the form's control names behind their ids, the layout of the address table, and that a number without a
record gives a page without a name.
"""

from __future__ import annotations

from scrapers.families.wvsos.portal import WvSosPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import StatusMeaning, meanings


class WestVirginia(WvSosPortal):
    """Secretary of State, organisation search."""

    code = "WV"
    hosts = ("apps.sos.wv.gov",)
    sources = ("https://apps.sos.wv.gov/business/corporations/",)
    id_pattern = r"\d{1,8}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers | jurisdiction | assumed_names"
        )
    )
    statuses = meanings(active="Active")
    status_prefixes = (("Inactive", StatusMeaning("inactive")),)
    terms = Terms("unstated", robots="allows the search and the records (2026-08)")
    verification, on_by_default = "documented", True
