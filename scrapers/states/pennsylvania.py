"""Pennsylvania: "Registered Businesses in PA - current" (data set xvd7-5r2c), renewed monthly, one row a party.

Only what is currently registered is in it, and it has no status column: being listed is not good standing. Evidence:
one recorded row; the columns of parties (party_type and names) from the set's description (2026-11). One request. Not
asked: 3urc-uaba, a filtered view of this set with a row a company and without its people and its date.
Gap: the Department's own search (all statuses, registered office, history) stands behind a wall and is not asked.
"""

from __future__ import annotations

from scrapers.parsing.columns import PartyColumns, PlaceColumns, RecordColumns
from scrapers.parsing.fields import listed
from scrapers.platforms.socrata.portal import ManyRowsPortal
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import StatusMeaning


class Pennsylvania(ManyRowsPortal):
    """Department of State, Bureau of Corporations and Charitable Organizations."""

    code = "PA"
    domain, dataset = "data.pa.gov", "xvd7-5r2c"
    hosts = ("data.pa.gov",)
    sources = ("https://data.pa.gov/resource/xvd7-5r2c.json", "https://file.dos.pa.gov/search/business")
    name_column, id_column, id_pattern = "business_name", "filing_number", r"\d{4,10}"
    columns = RecordColumns(
        entity_type="typeofbusinessregistration",
        formation_date="creationdate",
        principal=PlaceColumns("address_line1 | address_line2", "city", "state", "zip"),
    )
    party = PartyColumns(person="first_name | middle_name | last_name", family="last_name", title="party_type")
    trade_name = "fictitious"
    always = ("typeofbusinessregistration", "creationdate")
    ignored = frozenset({"shortcountyname", "county_name"})
    capabilities = Capabilities(status=False, officers=True, addresses=True)
    published = frozenset(listed("entity_type | formation_date | principal_address | officers"))
    coverage, implied_status = "active_only", StatusMeaning("active", "listed_in_current_register")
    terms = Terms("allowed", robots="allows /resource/", note="Public-domain open data of the Commonwealth.")
    verification, on_by_default = "recorded", True

    def check_id(self, entity_id: str) -> str:
        """The data writes ten digits; the portal's shorter form is the same number."""
        return super().check_id(entity_id).zfill(10)
