"""Minnesota: Secretary of State, Business and Lien System.

Evidence: public clients of the portal, one of which read 3,308 names in 2026 (documented; no recorded page at hand).
Guessed: inactive status words beside "Inactive", that a list of 500 is cut, and the places of officers' addresses.
"""

from __future__ import annotations

from scrapers.families.mbls.portal import MblsPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings


class Minnesota(MblsPortal):
    """Secretary of State, Business and Lien System."""

    code = "MN"
    hosts = ("mblsportal.sos.mn.gov",)
    sources = ("https://mblsportal.sos.mn.gov/Business/Search",)
    id_pattern = r"\d{12,13}|[0-9A-Z]{1,12}(-[0-9A-Z]{1,6})?"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, filings=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers | jurisdiction | filings"
        )
    )
    statuses = meanings(
        active="Active | Active / In Good Standing",
        inactive=(
            "Inactive | Dissolved | Administratively Terminated | Administratively Dissolved | Revoked | "
            "Withdrawn | Merged | Expired"
        ),
    )
    terms = Terms("unstated", note="Free form without captcha; one request a second was answered throughout.")
    verification, on_by_default = "documented", True
