"""Texas: the Comptroller's account status, because the Secretary of State's own search asks for a login and a dollar.

Evidence: recorded list, account, empty list, error, and one row of the open data (2026-09). Identifiers are the
Comptroller's 11-digit taxpayer numbers, which every account has; the Secretary of State's file number is told beside
it, and asked by. Only "ACTIVE" is recorded of the status words, the others are documented; codes of organisation types
are the published list's. Entities that are no taxpayers (some general partnerships) are not in it. The host's robots
file does not open /data-search/ to crawlers; one lookup on a person's demand is no crawl, and the pace is slow.
"""

from __future__ import annotations

from scrapers.families.comptroller.portal import ComptrollerPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings
from scrapers.transport.pace import Pace

_ENDED = (
    "FRANCHISE TAX ENDED | FRANCHISE TAX INVOLUNTARILY ENDED | FORFEITED | FORFEITED EXISTENCE | FORFEITED RIGHTS | "
    "INACTIVE"
)


class Texas(ComptrollerPortal):
    """Comptroller of Public Accounts, for the Secretary of State."""

    code = "TX"
    hosts = ("comptroller.texas.gov", "api.comptroller.texas.gov", "data.texas.gov")
    sources = ("https://comptroller.texas.gov/taxes/franchise/account-status/search",)
    id_pattern = r"\d{10,11}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | mailing_address | "
            "officers | fei_ein_number"
        )
    )
    statuses = meanings(
        active="ACTIVE | ACTIVE - ELIGIBLE FOR TERMINATION/WITHDRAWAL",
        neutral="NOT ESTABLISHED | FRANCHISE TAX NOT ESTABLISHED | NOT REGISTERED",
        inactive=f"{_ENDED} | TERMINATED | DISSOLVED | WITHDRAWN | MERGED | CONVERTED | CANCELLED | EXPIRED",
    )
    bad_standings = frozenset(word.casefold() for word in listed(_ENDED))
    pace = Pace(seconds=1.0, concurrency=2)
    estimated_seconds = 4
    terms = Terms(
        "unstated",
        robots="does not open /data-search/ to crawlers",
        note="The Comptroller also offers a keyed API of the same accounts, free on registration.",
    )
    verification, on_by_default = "recorded", True
    organization_types = {
        "AB": "Texas Business Association",
        "AC": "Foreign Business Association",
        "AF": "Foreign Professional Association",
        "AP": "Texas Professional Association",
        "C": "Corporation",
        "CF": "Foreign Profit Corporation",
        "CI": "Foreign Limited Liability Company",
        "CL": "Texas Limited Liability Company",
        "CM": "Foreign Nonprofit Corporation",
        "CN": "Texas Nonprofit Corporation",
        "CP": "Texas Professional Corporation",
        "CR": "Texas Insurance Corporation",
        "CS": "Foreign Insurance Corporation",
        "CT": "Texas Profit Corporation",
        "CU": "Foreign Professional Corporation",
        "L": "Limited Liability Company",
        "M": "Limited Liability Partnership",
        "P": "General Partnership",
        "PB": "Business General Partnership",
        "PF": "Foreign Limited Partnership",
        "PI": "Individual General Partnership",
        "PL": "Texas Limited Partnership",
        "PX": "Texas Limited Liability Partnership",
        "PY": "Foreign Limited Liability Partnership",
        "TF": "Foreign Business Trust",
        "TH": "Texas Real Estate Investment Trust",
        "TI": "Foreign Real Estate Investment Trust",
        "TR": "Trust",
    }
