"""Iowa: Secretary of State, Business Entities: the published register of active ones, or the live search.

Evidence: a recorded row of the register (data set 554 of the state's data hub, renewed monthly); of the live search
only public clients' descriptions (see the family's module). Guessed: the words of an empty result. The register leads
to a cloud store whose address is not known here: fetch it by hand and load it with `--file`.
"""

from __future__ import annotations

from scrapers.bulk_data.source import RegisterPortal, Row, Source
from scrapers.families.iowa.portal import SEARCH, IowaSearch
from scrapers.normalize import addresses
from scrapers.parsing.fields import listed, need_text, text
from scrapers.portal import Capabilities, Terms
from scrapers.records import Address, EntityRecord
from scrapers.statuses import StatusMeaning, meanings


class Iowa(RegisterPortal, IowaSearch):
    """Secretary of State, Business Services."""

    code = "IA"
    hosts = ("sos.iowa.gov", "idh-be.iowa.gov")
    sources = (SEARCH, "https://data.iowa.gov/catalog/dataset/554")
    walled = True
    register_source = Source("https://idh-be.iowa.gov/api/v1/datasets/554/rows.json", "ndjson-zip", least_rows=250_000)
    register_columns = frozenset(listed("corp_number | legal_name | corporation_type | effective_date"))
    id_pattern = r"\d{1,7}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | officers"
        )
    )
    statuses = meanings(active="Active", inactive="Inactive")
    coverage, implied_status = "active_only", StatusMeaning("active", "listed_in_active_register")
    terms = Terms("unstated", robots="not known", note="The register is open data (CC BY 4.0); the search is walled.")
    verification = "recorded"
    off_reason = "The search stands behind a bot wall (Akamai) that refuses plain clients; load the published register."
    estimated_seconds = 6

    def register_row(self, row: Row) -> EntityRecord | None:
        """One active entity; empty columns may be left out."""
        return EntityRecord(
            entity_name=need_text(row, "legal_name"),
            entity_id=need_text(row, "corp_number"),
            entity_type=text(row["corporation_type"]),
            formation_date=text(row["effective_date"]),
            agent_name=text(row.get("registered_agent")),
            agent_address=_place(row, "ra"),
            principal_address=_place(row, "ho"),
            sos_url=SEARCH,
        )


def _place(row: Row, who: str) -> Address:
    """The agent's (`ra`) or the home office's (`ho`) address."""
    parts = {part: row.get(f"{who}_{part}") for part in ("city", "state", "zip", "country")}
    lines = (row.get(f"{who}_address_1"), row.get(f"{who}_address_2"))
    return addresses.from_parts(*lines, **parts)
