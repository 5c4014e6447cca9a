"""Wyoming: Secretary of State, WyoBiz.

Evidence: public clients of the portal (read in 2026-11; no recorded page at hand). After some traffic an F5 image
captcha stands before every page. Guessed: the less common status words behind the "Inactive - " prefix.
"""

from __future__ import annotations

from scrapers.parsing.fields import listed
from scrapers.platforms.wyobiz.portal import WyoBizPortal
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings, prefixes


class Wyoming(WyoBizPortal):
    """Secretary of State, WyoBiz."""

    code = "WY"
    hosts = ("wyobiz.wyo.gov",)
    home = "https://wyobiz.wyo.gov/Business/"
    name_field, id_field, button = "txtFilingName", "txtFilingID", "cmdSearch"
    layout = "items"
    sources = ("https://wyobiz.wyo.gov/Business/FilingSearch.aspx",)
    id_pattern = r"\d{4}-\d{9}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, filings=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers | jurisdiction"
        )
    )
    statuses = meanings("Active | Pending | Delinquent")
    status_prefixes = prefixes("Inactive")
    terms = Terms("unstated", robots="behind the F5 captcha as well")
    verification, on_by_default = "documented", False
    off_reason = "The portal asks programs to solve an image captcha."
    would_change = "A search without a captcha, or the paid bulk files with their layout."
