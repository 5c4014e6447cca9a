"""Maryland: State Department of Assessments and Taxation, Business Express.

Evidence: public clients of the portal (documented; no recorded page at hand), which meet a reCAPTCHA. Guessed: the
search fields of today (those of 2018 are sent), the line that there is nothing, and most status words.
"""

from __future__ import annotations

from scrapers.families.mdsdat.portal import MdSdatPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings


class Maryland(MdSdatPortal):
    """State Department of Assessments and Taxation, Business Express."""

    code = "MD"
    hosts = ("egov.maryland.gov",)
    sources = ("https://egov.maryland.gov/BusinessExpress/EntitySearch",)
    id_pattern = r"[WFTMZDL]\d{8}"
    capabilities = Capabilities(agent=True, addresses=True, filings=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address | jurisdiction")
    )
    statuses = meanings(
        active="Incorporated | Active | Registered | Revived",
        inactive="Forfeited | Dissolved | Cancelled | Terminated | Merged | Consolidated | Withdrawn | Expired",
    )
    terms = Terms("unstated")
    verification, on_by_default = "documented", False
    off_reason = "The portal asks for a captcha."
