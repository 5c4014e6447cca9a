"""Iowa: Secretary of State, Business Entities.

Evidence: public clients' descriptions of the live search (see the family's module); nothing recorded of it. Guessed:
the words of an empty result. The live search stands behind a wall; the register of active entities
is published as a file.
"""

from __future__ import annotations

from scrapers.families.iowa.portal import SEARCH, IowaSearch
from scrapers.portal import Capabilities, Terms, meanings


class Iowa(IowaSearch):
    """Secretary of State, Business Services."""

    code = "IA"
    hosts = ("sos.iowa.gov",)
    sources = (SEARCH,)
    id_pattern = r"\d{1,7}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, former_names=True)
    published = frozenset(
        {"entity_type", "status", "formation_date", "jurisdiction", "agent_name", "agent_address", "principal_address",
         "officers"}
    )  # fmt: skip
    statuses = meanings(active=("Active",), inactive=("Inactive",))
    terms = Terms("unstated", robots="not known", note="Sold as an API too; no statement on automated search found.")
    off_reason = "the portal stands behind a bot wall (Akamai) that refuses plain clients"
    estimated_seconds = 6
