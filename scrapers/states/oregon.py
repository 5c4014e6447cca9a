"""Oregon: "Active Businesses - ALL" (data set tckn-sxa6), one row for each name that is associated with a business.

Only active ones are in it. Evidence: ten recorded rows of 2017 (addresses and agent); further kinds of rows, and that
an assumed name's registrant is told by its number, are documented. Such a name is its company's where one alone
registered it, else a registration of its own, behind companies. Two requests, three for an assumed name. Not asked:
esjy-u4fc, last month's new ones. The rows link to the old portal, reported gone (2026): the interim one is named.
"""

from __future__ import annotations

from dataclasses import replace

from scrapers.parsing.columns import PartyColumns, PlaceColumns, RecordColumns
from scrapers.platforms.socrata.roles import Roles, RolesPortal
from scrapers.portal import Terms
from scrapers.statuses import StatusMeaning
from scrapers.ucc.oregon import OregonLiens


class Oregon(OregonLiens, RolesPortal):
    """Secretary of State, Corporation Division."""

    code, domain, dataset = "OR", "data.oregon.gov", "tckn-sxa6"
    hosts = ("data.oregon.gov", "secure.sos.state.or.us")
    sources = (
        "https://data.oregon.gov/resource/tckn-sxa6.json",
        "https://sos.oregon.gov/business/pages/temp-business-search.aspx",
    )
    name_column, id_column, id_pattern = "business_name", "registry_number", r"\d{3,9}|\d{1,7}-\d{2}"
    columns = RecordColumns(entity_type="entity_type", formation_date="registry_date", jurisdiction="jurisdiction")
    party = PartyColumns(
        business="entity_of_record_name | not_of_record_entity",  # registered itself, or not
        person="first_name | middle_name | last_name | suffix",
        family="last_name",
        place=PlaceColumns("address | address_continued", "city", "state", "zip"),
    )
    roles = Roles(
        column="associated_name_type",
        agent="REGISTERED AGENT",
        principal="PRINCIPAL PLACE OF BUSINESS",
        mailing="MAILING ADDRESS",
        officers=(
            "AUTHORIZED REPRESENTATIVE | MANAGER | MEMBER | MANAGING MEMBER | PRESIDENT | SECRETARY | REGISTRANT | "
            "GENERAL PARTNER | LIMITED PARTNER | PARTNER | TRUSTEE | DIRECTOR | TREASURER | VICE PRESIDENT"
        ),
        owner="REGISTRANT",
        owner_number="entity_of_record_reg_number",
    )
    trade_name, always = "assumed business name", ("entity_type", "registry_date", "associated_name_type")
    read, ignored = (roles.owner_number,), frozenset({"business_details"})
    capabilities = replace(RolesPortal.capabilities, ucc=True, ucc_secured_party=True, ucc_date_filter=True)
    published = RolesPortal.published | {"entity_type", "formation_date", "jurisdiction"}
    coverage, implied_status = "active_only", StatusMeaning("active", "listed_in_active_register")
    terms = Terms("allowed", robots="allows /resource/", note="Open data of the State of Oregon, a public record.")
    verification, on_by_default = "recorded", True

    def check_id(self, entity_id: str) -> str:
        """The portal shows a hyphen before the last two digits ("1298942-91"), the data none."""
        return super().check_id(entity_id).replace("-", "")
