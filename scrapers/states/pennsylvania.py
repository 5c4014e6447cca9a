"""Pennsylvania: "Registered Businesses in PA - current" (data set xvd7-5r2c), renewed monthly, one row a party.

Only what is currently registered is in it, and it has no status column: being listed is not good standing. Evidence:
one recorded row; the columns of parties (party_type and names) from the set's description. Gap: the Department's own
search (all statuses, registered office, history) stands behind a wall and is not asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from scrapers.normalize import addresses
from scrapers.parsing.fields import listed, need_text
from scrapers.platforms.socrata.portal import ManyRowsPortal, joined
from scrapers.portal import Capabilities, Terms
from scrapers.records import EntityRecord, NameKind, Officer
from scrapers.statuses import StatusMeaning
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row, value


class Pennsylvania(ManyRowsPortal):
    """Department of State, Bureau of Corporations and Charitable Organizations."""

    code = "PA"
    domain, dataset = "data.pa.gov", "xvd7-5r2c"
    hosts = ("data.pa.gov",)
    sources = ("https://data.pa.gov/resource/xvd7-5r2c.json", "https://file.dos.pa.gov/search/business")
    name_column, id_column, id_pattern = "business_name", "filing_number", r"\d{4,10}"
    capabilities = Capabilities(status=False, officers=True, addresses=True)
    published = frozenset(listed("entity_type | formation_date | principal_address | officers"))
    coverage, implied_status = "active_only", StatusMeaning("active", "listed_in_current_register")
    terms = Terms("allowed", robots="allows /resource/", note="Public-domain open data of the Commonwealth.")
    verification, on_by_default = "recorded", True
    always = ("typeofbusinessregistration", "creationdate")
    read = (
        "business_name",
        "filing_number",
        "address_line1",
        "address_line2",
        "city",
        "state",
        "zip",
        "typeofbusinessregistration",
        "creationdate",
        "party_type",
        "first_name",
        "middle_name",
        "last_name",
    )
    ignored = frozenset({"shortcountyname"})

    def check_id(self, entity_id: str) -> str:
        """The data writes ten digits; the portal's shorter form is the same number."""
        return super().check_id(entity_id).zfill(10)

    def name_kind(self, record: EntityRecord) -> NameKind:
        """A registered fictitious name is no company."""
        return "assumed" if "fictitious" in (record.entity_type or "").casefold() else "legal"

    def together(self, rows: Sequence[Row], session: PortalSession) -> EntityRecord:
        """All rows of one registration: the same business, another party in each."""
        first = rows[0]
        parties = ((joined(row, "first_name", "middle_name", "last_name"), value(row, "party_type")) for row in rows)
        return EntityRecord(
            entity_name=need_text(first, "business_name"),
            entity_id=need_text(first, "filing_number"),
            entity_type=value(first, "typeofbusinessregistration"),
            formation_date=value(first, "creationdate"),
            principal_address=addresses.from_parts(
                value(first, "address_line1"),
                value(first, "address_line2"),
                city=value(first, "city"),
                state=value(first, "state"),
                zip=value(first, "zip"),
            ),
            officers=tuple(dict.fromkeys(Officer(name, kind) for name, kind in parties if name)),
            sos_url=self.sources[1],
        )
