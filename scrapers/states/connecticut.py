"""Connecticut: the business registry's master (data set n7gp-d28j), all statuses, renewed nightly, and the sets beside
it: agents qh2m-n44y, principals ka36-64k6, name changes enwv-52we, filings ah3s-bes7, asked for the one company that
was chosen. Where no present name comes near, the names that were changed are searched.

Evidence: 25 recorded rows of the master (an export of 2022-12, without the column `id` the live set has). The columns
of the other sets are documented, and public readers of them differ on the one that holds the master's `id`: a column
that is none of the known ones is a changed page, never an empty answer. "Annual report due" stands beside every active
company, also where the day is to come, so it is a standing and no warning.
Gap: a former name that is also near somebody's present name finds the latter alone.
"""

from __future__ import annotations

from scrapers.parsing.fields import listed
from scrapers.platforms.socrata.connecticut_rows import ConnecticutRows
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings
from scrapers.ucc.connecticut import ConnecticutLiens


class Connecticut(ConnecticutLiens, ConnecticutRows):
    """Secretary of the State, Business Services Division."""

    code = "CT"
    domain, dataset = "data.ct.gov", "n7gp-d28j"
    hosts = ("data.ct.gov",)
    sources = ("https://data.ct.gov/resource/n7gp-d28j.json", "https://service.ct.gov/business/s/onlinebusinesssearch")
    id_pattern = r"(?:US-CT\.BER:)?\d{1,7}"
    capabilities = Capabilities(
        agent=True,
        officers=True,
        addresses=True,
        former_names=True,
        filings=True,
        ucc=True,
        ucc_secured_party=True,
        ucc_date_filter=True,
    )
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | mailing_address | officers"
        )
    )
    statuses = meanings(
        "Active | Reserved | Registered name | Forfeited | Revoked | Dissolved | Withdrawn | Merged | Cancelled | "
        "Converted | Converted Out | Expired | Expired Reservation | Redomesticated | Renunciated | Rejected"
    )
    estimated_seconds = 5
    terms = Terms("allowed", robots="allows /resource/", note="Public-domain open data of the State of Connecticut.")
    verification, on_by_default = "recorded", True

    def check_id(self, entity_id: str) -> str:
        """Seven digits; the public form "US-CT.BER:1234567" is the same number."""
        return super().check_id(entity_id).removeprefix("US-CT.BER:").zfill(7)
