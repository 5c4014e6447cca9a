"""Wisconsin: Department of Financial Institutions, corporate records.

Evidence: several public clients of the portal (2026; documented, no recorded page at hand). Guessed: the words of
the status table beside "Administratively Dissolved", and that the search box answers an identifier.
"""

from __future__ import annotations

from scrapers.families.wdfi.portal import WdfiPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings


class Wisconsin(WdfiPortal):
    """Department of Financial Institutions, corporate records."""

    code = "WI"
    hosts = ("apps.dfi.wi.gov",)
    sources = ("https://apps.dfi.wi.gov/apps/CorpSearch/Search.aspx",)
    id_pattern = r"[A-Z0-9]{6,8}"
    capabilities = Capabilities(agent=True, addresses=True, filings=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "jurisdiction | former_names | filings"
        )
    )
    statuses = meanings(
        active=(
            "Active | Incorporated/Qualified/Registered | Organized | Registered | Restored to Good Standing | "
            "In Good Standing"
        ),
        inactive=(
            "Administratively Dissolved | Dissolved | Revoked | Certificate Revoked | Merged | Withdrawal | "
            "Cancelled | Converted"
        ),
        neutral="Delinquent | In Bad Standing | Notice of Administrative Dissolution",
    )
    terms = Terms("unstated", note="The search is plain; records may ask for an image captcha after some requests.")
    verification, on_by_default = "documented", True
