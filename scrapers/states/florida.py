"""Florida: Department of State, Division of Corporations ("Sunbiz"), and the secured transaction registry.

Evidence: documented by several public readers (2026-05, 2026-09); no page was recorded. Status words of the list end
in the kind of change ("INACT/MG"); every one that begins with INACT is inactive. "NAME HS" rows show a former name and
lead to the present company. Gaps: annual reports and images are not read; some addresses meet a Cloudflare wall.
"""

from __future__ import annotations

from scrapers.bulk_data import florida
from scrapers.bulk_data.source import RegisterPortal, Row
from scrapers.families.sunbiz.portal import SunbizPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.records import EntityRecord
from scrapers.statuses import StatusMeaning, meanings
from scrapers.transport.pace import Pace
from scrapers.ucc.florida import FloridaLiens


class Florida(RegisterPortal, FloridaLiens, SunbizPortal):
    """Department of State, Division of Corporations."""

    code = "FL"
    register_source = florida.FILES
    hosts = ("search.sunbiz.org", "publicsearchapi.floridaucc.com")
    sources = ("https://search.sunbiz.org/Inquiry/CorporationSearch/ByName", "https://floridaucc.com/search")
    id_pattern = r"[A-Z]?\d{6,12}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, former_names=True, ucc=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | mailing_address | officers | fei_ein_number"
        )
    )
    statuses = meanings(active="Active", inactive="Inactive", neutral="NAME HS | CROSS RF")
    status_prefixes = (("INACT", StatusMeaning("inactive")),)
    pace = Pace(seconds=1.2, concurrency=1)
    terms = Terms("unstated", robots="not known", note="Cloudflare lets plain requests pass from some addresses only.")
    on_by_default = True
    estimated_seconds = 4

    def register_row(self, row: Row) -> EntityRecord | None:
        """A line of the published file."""
        return florida.record(row)

    def check_id(self, entity_id: str) -> str:
        """Letters of a document number are capitals."""
        return super().check_id(entity_id).upper()
