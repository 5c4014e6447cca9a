"""Nebraska: Secretary of State, Business Services (nebraska.gov).

Evidence: public clients of the portal (documented and thin; no recorded page at hand), and a reading of nebraska.gov's
use policy of September 2026, which forbids robots without written permission. Guessed: field names (read from the
page), the deep link by account number, the line that there is nothing, most labels' layout and the status reasons.
"""

from __future__ import annotations

from scrapers.families.nesos.portal import NeSosPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import StatusMeaning, meanings


class Nebraska(NeSosPortal):
    """Secretary of State, Business Services."""

    code = "NE"
    hosts = ("www.nebraska.gov",)
    sources = ("https://www.nebraska.gov/sos/corp/corpsearch.cgi?nav=search",)
    id_pattern = r"\d{5,10}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, filings=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address | officers")
    )
    statuses = meanings(active="Active", inactive="Inactive")
    status_prefixes = (("Inactive", StatusMeaning("inactive")),)
    terms = Terms(
        "forbidden", robots="allows /sos/corp/", note="The use policy forbids robots without written permission."
    )
    verification, on_by_default = "documented", False
    off_reason = "The portal's use policy forbids robots, and it asks for a captcha."
