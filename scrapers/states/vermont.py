"""Vermont: the portal of 2025, behind a captcha and Imperva; the register as a file.

Evidence: the columns of the file (documented, 2026-11). Of the search its address alone is known: neither the body of a
question nor an answer was recorded, so nobody is asked. Guessed: the status words.
"""

from __future__ import annotations

from scrapers.bulk_data.layouts import vermont
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings


class Vermont(Portal):
    """Secretary of State, Business Services."""

    code, bulk_data = "VT", vermont.BULK_DATA
    hosts, sources = ("bizfilings.vermont.gov",), (vermont.PAGE,)
    id_pattern = r"\d{4,8}"
    name_search = NameSearch(evidence="Nothing is known of its search; the loaded file is compared by name.")
    capabilities = Capabilities(agent=True, addresses=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | principal_address | "
            "mailing_address"
        )
    )
    statuses = meanings("Active | Inactive | Terminated | Dissolved | Withdrawn | Cancelled | Merged")
    terms = Terms("unstated", robots="not known", note="The register weekly, behind an account; free in 2025.")
    off_reason = "The portal asks for a captcha behind Imperva, and its question is not known."
    would_change = "A loaded copy of the weekly file, which needs an account and was free in 2025."
