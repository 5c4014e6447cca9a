"""New York: "Active Corporations: Beginning 1800" (data set n9v6-gdp6).

Only active entities are in it: absence does not mean that none ever existed. Evidence: one recorded row; columns
from the data set's description. Gap: the Department's own inquiry (all statuses) stands behind a wall that resets
connections; it is not asked.
"""

from __future__ import annotations

from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import listed, need_text
from scrapers.platforms.socrata.whole import WholeSet
from scrapers.portal import Capabilities, Terms
from scrapers.records import Address, EntityRecord, Officer
from scrapers.statuses import StatusMeaning
from scrapers.transport.soda import Row, value


class NewYork(WholeSet):
    """Department of State, Division of Corporations."""

    code = "NY"
    domain, dataset = "data.ny.gov", "n9v6-gdp6"
    hosts = ("data.ny.gov",)
    sources = ("https://data.ny.gov/resource/n9v6-gdp6.json", "https://apps.dos.ny.gov/publicInquiry/")
    least_rows = 1_000_000
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
    read = (
        "current_entity_name",
        "dos_id",
        "entity_type",
        "initial_dos_filing_date",
        "jurisdiction",
        "registered_agent_name",
        "chairman_name",
        *(
            f"{who}_{part}"
            for who in ("registered_agent", "location", "dos_process", "chairman")
            for part in ("address_1", "address_2", "city", "state", "zip")
        ),
    )
    ignored = frozenset({"county", "dos_process_name", "location_name"})

    def record(self, row: Row) -> EntityRecord:
        """One row is one entity; the process address is where the Department sends legal papers."""
        chairman = value(row, "chairman_name")
        return EntityRecord(
            entity_name=need_text(row, "current_entity_name"),
            entity_id=need_text(row, "dos_id"),
            entity_type=value(row, "entity_type"),
            formation_date=value(row, "initial_dos_filing_date"),
            jurisdiction=value(row, "jurisdiction"),
            agent_name=value(row, "registered_agent_name"),
            agent_address=_address(row, "registered_agent"),
            principal_address=_address(row, "location"),
            mailing_address=_address(row, "dos_process"),
            officers=(Officer(chairman, "Chief Executive Officer", one_line(_address(row, "chairman"))),)
            if chairman
            else (),
            sos_url=self.sources[1],
        )


def _address(row: Row, prefix: str) -> Address:
    parts = {part: value(row, f"{prefix}_{part}") for part in ("address_1", "address_2", "city", "state", "zip")}
    return addresses.from_parts(
        parts["address_1"], parts["address_2"], city=parts["city"], state=parts["state"], zip=parts["zip"]
    )
