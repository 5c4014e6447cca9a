"""Idaho: SOSBiz. List and detail recorded (2026-05); the history of a company as three public clients read it.

"Active-…" and "Inactive-…" are known by their beginning, as the registry documents it; the words after the dash are
the reason, and "Not …" says that a company owes something. Assumed business names are rows (and registrations) of their
own. No officers are shown. That the search takes numbers is known of the platform, not of Idaho.

Liens: question and row as one client of 2026 sends and reads them; the page was seen rendered (2026-05). It says that
results are limited, and that a terminated lien stays "Active" but in its history: so no list of them is called whole,
and a lien is active only where its history was read, which is done for the newest three. Lapsed ones are included.
What the question must say to search by secured party is not known, so that is not offered. A company costs three
requests, liens four, or five of a name that may be a person's. Gap: who came and went, which the history tells too.
"""

from __future__ import annotations

from typing import Any

from scrapers.platforms.fileone.liens import LienForm
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings, prefixes


class Idaho(LienForm):
    """Secretary of State, SOSBiz."""

    code, host = "ID", "sosbiz.idaho.gov"
    hosts, sources = (host,), (f"https://{host}/search/business",)
    numbered = True
    id_pattern = r"\d{4,10}"
    capabilities = Capabilities(agent=True, addresses=True, filings=True, ucc=True, ucc_date_filter=True)
    statuses = meanings("Active | Inactive")
    status_prefixes = prefixes(not_in_good_standing="Active-Not", active="Active-", inactive="Inactive-")
    terms = Terms("unstated", robots="permits", note="Passive Cloudflare; plain HTTP answered in 2026.")
    verification, on_by_default = "recorded", True
    ignored = ("Foreign Name", "Term of Duration", "Inactive Filing Date", "AR Due Date")

    def question(self, term: str, *, starts_with: bool) -> dict[str, Any]:
        """As the page sends it."""
        return super().question(term, starts_with=starts_with) | {"CRA_SEARCH_YN": False}

    def check_id(self, entity_id: str) -> str:
        """Ten digits; the list shows the number without its leading zeros too."""
        return super().check_id(entity_id).zfill(10)
