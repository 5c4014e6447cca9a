"""South Carolina: Secretary of State, Business Entities Online; UCC Online for liens.

Evidence: public clients of both searches (documented; no recorded page at hand). Disputed: whether a captcha stands
before the entity search (plain in August 2026, gated in June and October). Guessed: the status words, the header of
the status column, and how the UCC search says that no party fits. Liens come without secured party and status.
"""

from __future__ import annotations

from scrapers.families.scsos.portal import ScSosPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings


class SouthCarolina(ScSosPortal):
    """Secretary of State, Business Entities Online."""

    code = "SC"
    hosts = ("businessfilings.sc.gov", "ucconline.sc.gov")
    sources = (
        "https://businessfilings.sc.gov/BusinessFiling/Entity/Search",
        "https://ucconline.sc.gov/UCCFiling/MainMenu.aspx",
    )
    id_pattern = r"\d{5,8}"
    capabilities = Capabilities(by_id=False, agent=True, addresses=True, ucc=True, ucc_date_filter=True)
    published = frozenset(listed("entity_type | status | formation_date | agent_name | agent_address | jurisdiction"))
    statuses = meanings(
        active="Good Standing | Active",
        inactive="Dissolved | Forfeited | Administratively Dissolved | Cancelled | Merged | Withdrawn | Terminated",
        neutral="Reserved | Registered | Reserved Name | Registered Name",
    )
    terms = Terms("unstated")
    verification, on_by_default = "documented", False
    off_reason = "The portal is reported to ask for a captcha before each search."
