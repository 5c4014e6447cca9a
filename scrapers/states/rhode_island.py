"""Rhode Island: Department of State, Business Services.

Evidence: public clients that opened summaries by number over the whole range and read the list in a browser
(read in 2026-11; no recorded page at hand). The summary prints no status: an inactive date, or a revocation among the
filings that no later reinstatement took back, makes an entity inactive. Guessed: how a reinstatement is titled.
"""

from __future__ import annotations

from scrapers.parsing.fields import listed
from scrapers.platforms.corpweb.portal import CorpWebPortal
from scrapers.portal import Capabilities, Terms


class RhodeIsland(CorpWebPortal):
    """Department of State, Business Services."""

    code = "RI"
    hosts = ("business.sos.ri.gov",)
    home, summary_key, asks_history = "https://business.sos.ri.gov/CorpWeb/CorpSearch/", "FEIN", True
    sources = ("https://business.sos.ri.gov/CorpWeb/CorpSearch/CorpSearch.aspx",)
    id_pattern = r"\d{9}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, filings=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | officers | "
            "former_names | assumed_names"
        )
    )
    terms = Terms("unstated", robots="not found (404)")
    verification, on_by_default = "documented", True
