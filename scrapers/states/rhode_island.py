"""Rhode Island: Department of State, Business Services.

Evidence: rows of the list (2026-08, layout lost), and public clients that opened summaries by number over the whole
range. The form wants active or inactive chosen, and comes back unsearched without: two searches for each term.
"Revoked Entity" and "Revocation Notice" stand beside entities of the active search. The summary prints no status: an
inactive date, or a revocation among the filings that no later reinstatement took back, makes an entity inactive.
Guessed: how a reinstatement is titled.
"""

from __future__ import annotations

from dataclasses import replace

from scrapers.parsing.fields import listed
from scrapers.platforms.corpweb.portal import CorpWebPortal
from scrapers.portal import Terms
from scrapers.records import Query, UccFiling
from scrapers.statuses import meanings
from scrapers.transport.session import PortalSession
from scrapers.ucc import rhode_island as liens


class RhodeIsland(CorpWebPortal):
    """Department of State, Business Services."""

    code = "RI"
    hosts = ("business.sos.ri.gov",)
    home, summary_key, asks_history = "https://business.sos.ri.gov/CorpWeb/CorpSearch/", "FEIN", True
    searches = {"rdbActive": "Active", "rdbInactive": "Inactive"}
    name_search = replace(
        CorpWebPortal.name_search,
        evidence=(
            "Public clients: begins with, exact, full text, soundex; active and inactive are two searches; the list "
            "counts its records."
        ),
    )
    statuses = meanings("Active | Revocation Notice | Revoked Entity")
    sources = ("https://business.sos.ri.gov/CorpWeb/CorpSearch/CorpSearch.aspx", liens.URL)
    id_pattern = r"\d{9}"
    capabilities = replace(
        CorpWebPortal.capabilities, filings=True, ucc=True, ucc_secured_party=True, ucc_date_filter=True
    )
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | officers | "
            "former_names | assumed_names"
        )
    )
    terms = Terms("unstated", robots="not found (404)")
    verification, on_by_default = "documented", True

    def check_id(self, entity_id: str) -> str:
        """Numbers are nine digits; callers leave leading zeros out."""
        number = entity_id.strip()
        return super().check_id(number.zfill(9) if number.isdigit() else number)

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Liens by a party's name, from a search of their own."""
        return liens.ask(session, query)
