"""Louisiana: Secretary of State, Commercial Division.

Evidence: public clients of the portal (documented; no recorded page at hand), which meet a reCAPTCHA before each
search. Guessed: the status column of the list, the layout of the address tables, the post-back of the number search.
"""

from __future__ import annotations

from scrapers.families.lasos.portal import LaSosPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings


class Louisiana(LaSosPortal):
    """Secretary of State, Commercial Division."""

    code = "LA"
    hosts = ("coraweb.sos.la.gov",)
    sources = ("https://coraweb.sos.la.gov/commercialsearch/commercialsearch.aspx",)
    id_pattern = r"\d{8}[XNKFQDJW]"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, filings=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers"
        )
    )
    statuses = meanings(active="Active", inactive="Inactive")
    terms = Terms("unstated")
    verification, on_by_default = "documented", False
    off_reason = "The portal asks for a captcha before each search."
