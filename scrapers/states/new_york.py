"""New York: "Active Corporations: Beginning 1800" (data set n9v6-gdp6) for the active ones, and the histories of all
companies beside it: names ekwr-p59j, statuses 3gg2-jgnp, filings 63wc-4exh, addresses 2tms-hftb, renewed weekly.

Evidence: one recorded row of the list, some 75 of the histories (2026-09); columns from the sets' descriptions. An
active company costs four requests, another one seven. Gaps: assumed names of a company, since their filings have
numbers of their own; why a company is inactive, which only the title of its last filing tells. The Department's own
inquiry stands behind a wall that resets connections; it is not asked.
"""

from __future__ import annotations

from scrapers.bulk_data import socrata
from scrapers.bulk_data.layouts import new_york
from scrapers.parsing.fields import listed
from scrapers.platforms.socrata.new_york_rows import NewYorkRows
from scrapers.portal import Capabilities, Terms
from scrapers.records import EntityRecord
from scrapers.statuses import meanings
from scrapers.transport.soda import Row


class NewYork(NewYorkRows):
    """Department of State, Division of Corporations."""

    code = "NY"
    domain, dataset = "data.ny.gov", "n9v6-gdp6"
    hosts = ("data.ny.gov",)
    sources = ("https://data.ny.gov/resource/n9v6-gdp6.json", new_york.INQUIRY)
    name_column, id_column, id_pattern = "current_entity_name", "dos_id", r"\d{1,8}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, filings=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | principal_address | "
            "mailing_address | officers"
        )
    )
    statuses = meanings("Active | Inactive | Suspended | Discontinued")
    estimated_seconds = 5
    terms = Terms("allowed", robots="allows /resource/", note="Open data of the State of New York.")
    verification, on_by_default = "recorded", True
    always = ("entity_type", "initial_dos_filing_date")
    read, ignored = new_york.READ, frozenset({"county"})
    bulk_data = socrata.export(
        domain,
        dataset,
        least_rows=1_000_000,
        columns=(name_column, id_column, *always),
        record=new_york.record,
        active_only=True,
    )

    def record(self, row: Row) -> EntityRecord:
        """One row is one entity."""
        return new_york.record(row)
