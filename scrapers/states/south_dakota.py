"""South Dakota: Secretary of State, Business Services.

Evidence: the recorded search form (2026-10), which carries a reCAPTCHA: a wall; list and filing page as public clients
read them (documented). Guessed: most status words.
"""

from __future__ import annotations

from scrapers.parsing.fields import listed
from scrapers.platforms.wyobiz.portal import WyoBizPortal
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings


class SouthDakota(WyoBizPortal):
    """Secretary of State, Business Services."""

    code = "SD"
    hosts = ("sosenterprise.sd.gov",)
    home, prefix = "https://sosenterprise.sd.gov/BusinessServices/Business/", "ctl00_MainContent_"
    name_field, id_field, link = "txtSearchValue", "txtFilingId", "ctl00$MainContent$SearchButton"
    layout = "table"
    sources = ("https://sosenterprise.sd.gov/BusinessServices/Business/FilingSearch.aspx",)
    id_pattern = r"[A-Z]{2}\d{6}"
    capabilities = Capabilities(agent=True, addresses=True, filings=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | jurisdiction"
        )
    )
    statuses = meanings(
        "Active | Delinquent | Inactive | Dissolved | Administratively Dissolved | Terminated | Withdrawn | "
        "Cancelled | Merged | Expired"
    )
    terms = Terms("unstated")
    verification, on_by_default = "documented", False
    off_reason = "The portal asks for a captcha."
    would_change = "A search without a captcha, or the paid download of the whole database with its layout."
