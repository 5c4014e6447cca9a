"""New York: "Active Corporations: Beginning 1800" (data set n9v6-gdp6).

Only active entities are in it: absence does not mean that none ever existed. Evidence: one recorded row; columns
from the data set's description. Gap: the Department's own inquiry (all statuses) stands behind a wall that resets
connections; it is not asked.
"""

from __future__ import annotations

from scrapers.bulk_data import socrata
from scrapers.bulk_data.layouts import new_york
from scrapers.parsing.fields import listed
from scrapers.platforms.socrata.portal import SocrataPortal
from scrapers.portal import Capabilities, Terms
from scrapers.records import EntityRecord
from scrapers.statuses import StatusMeaning
from scrapers.transport.soda import Row


class NewYork(SocrataPortal):
    """Department of State, Division of Corporations."""

    code = "NY"
    domain, dataset = "data.ny.gov", "n9v6-gdp6"
    hosts = ("data.ny.gov",)
    sources = ("https://data.ny.gov/resource/n9v6-gdp6.json", new_york.INQUIRY)
    name_column, id_column, id_pattern = "current_entity_name", "dos_id", r"\d{1,8}"
    capabilities = Capabilities(status=False, agent=True, officers=True, addresses=True)
    published = frozenset(
        listed(
            "entity_type | formation_date | jurisdiction | agent_name | agent_address | principal_address | "
            "mailing_address | officers"
        )
    )
    coverage, implied_status = "active_only", StatusMeaning("active", "listed_in_active_register")
    terms = Terms("allowed", robots="allows /resource/", note="Open data of the State of New York.")
    verification, on_by_default = "recorded", True
    always = ("entity_type", "initial_dos_filing_date")
    read, ignored = new_york.READ, frozenset({"county"})
    bulk_data = socrata.export(
        domain, dataset, least_rows=1_000_000, columns=(name_column, id_column, *always), record=new_york.record
    )

    def record(self, row: Row) -> EntityRecord:
        """One row is one entity."""
        return new_york.record(row)
