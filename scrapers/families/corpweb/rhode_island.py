"""Rhode Island: Department of State, Business Services.

Evidence: public clients that opened summaries by number over the whole range and read the list in a browser
(documented; no recorded page at hand). Guessed: that a summary without an inactive date is an active entity (a
revocation may only show among the filings), and that a list says how many records it has.
"""

from __future__ import annotations

from scrapers.families.corpweb.portal import CorpWebPortal
from scrapers.portal import Capabilities, Terms


class RhodeIsland(CorpWebPortal):
    """Department of State, Business Services."""

    code = "RI"
    hosts = ("business.sos.ri.gov",)
    home, summary_key = "https://business.sos.ri.gov/CorpWeb/CorpSearch/", "FEIN"
    sources = ("https://business.sos.ri.gov/CorpWeb/CorpSearch/CorpSearch.aspx",)
    id_pattern = r"\d{9}"
    capabilities = Capabilities(
        agent=True, officers=True, addresses=True, former_names=True, name_modes=("starts_with",)
    )  # fmt: skip
    published = frozenset(
        {"entity_type", "status", "formation_date", "agent_name", "agent_address", "principal_address", "officers",
         "former_names", "assumed_names"}
    )  # fmt: skip
    terms = Terms("unstated", robots="not found (404)")
    verification, on_by_default = "documented", True
