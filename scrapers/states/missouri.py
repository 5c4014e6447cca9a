"""Missouri: Secretary of State, Business Services.

Evidence: public clients of the portal (documented; no recorded page at hand), which meet Cloudflare. Guessed: the
headers of the grids, the pager's line, and most status words. Officers stand in documents only.
"""

from __future__ import annotations

from scrapers.families.mosos.portal import MoSosPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings


class Missouri(MoSosPortal):
    """Secretary of State, Business Services."""

    code = "MO"
    hosts = ("bsd.sos.mo.gov",)
    sources = ("https://bsd.sos.mo.gov/BusinessEntity/BESearch.aspx?SearchType=0",)
    id_pattern = r"(?:[A-Z]{1,3})?\d{6,9}"
    capabilities = Capabilities(agent=True, addresses=True, filings=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address | jurisdiction")
    )
    statuses = meanings(
        active="Good Standing | Active | Fictitious Active",
        inactive=(
            "Fictitious Expired | Admin Dissolved | Dissolved | Terminated | Merged | Withdrawn | Forfeited | "
            "Cancelled | Revoked"
        ),
        neutral="Name Reservation",
    )
    terms = Terms("unstated", robots="answers 403")
    verification, on_by_default = "documented", False
    off_reason = "The portal answers programs with a Cloudflare challenge."
