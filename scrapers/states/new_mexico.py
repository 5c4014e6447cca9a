"""New Mexico: SOS Enterprise, since December 2024. Documented by two clients of 2026; nothing recorded.

The Azure wall answers 403 to fast calls, so four seconds lie between two requests. Of 26 status words five are known
from records and the rest from a list; an unknown one stays neutral. Liens are listed, not opened, at this pace.
"""

from __future__ import annotations

from scrapers.parsing.fields import Labels, listed
from scrapers.platforms.fileone import drawer
from scrapers.platforms.fileone.liens import LienQuery
from scrapers.portal import Capabilities, Terms
from scrapers.records import Officer
from scrapers.statuses import meanings
from scrapers.transport.pace import Pace


class NewMexico(LienQuery):
    """Secretary of State, SOS Enterprise."""

    code, host = "NM", "enterprise.sos.nm.gov"
    hosts, sources = (host,), (f"https://{host}/search/business",)
    id_pattern = r"\d{1,10}"
    capabilities = Capabilities(
        by_id=False, agent=True, officers=True, addresses=False, ucc=True, ucc_secured_party=True, ucc_date_filter=True
    )
    published = frozenset(
        listed("status | entity_type | formation_date | agent_name | agent_address | jurisdiction | officers")
    )
    statuses = meanings("Active | Registered | Revoked Final | Revoked | Dissolved | Withdrawn | Suspended | Legacy")
    pace = Pace(seconds=4.0, concurrency=1)
    estimated_seconds = 10
    terms = Terms("unstated", note="No captcha; the wall refuses calls that follow each other fast.")
    on_by_default = True
    own_name_check = "New Mexico's own name availability search"
    name_label, number_label = "Business Name", "Record #"
    type_labels, agent_labels = ("Entity Type",), ("Agent",)
    ignored = ("Entity Sub-Type",)

    def officers(self, labels: Labels) -> tuple[Officer, ...]:
        """Lines of "NAME: Role"."""
        pairs = (row.rpartition(":") for row in drawer.lines(labels.maybe("Organizers and Incorporators")))
        return tuple(
            Officer(name.strip(), role.strip()) if colon else Officer(role.strip(), "Organizer or Incorporator")
            for name, colon, role in pairs
        )
