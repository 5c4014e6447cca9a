"""Oregon: "Active Businesses - ALL" (data set tckn-sxa6), one row for each name that is associated with a business.

Only active businesses are in it. Evidence: ten recorded rows of 2017 (mailing address, principal place of business,
registered agent); the further kinds of rows from the set's description. Registrations of assumed business names are
listed as entities of their own, and rank behind companies of the same name. The rows link to the old portal, which is
reported gone (2026), so the office's interim search is named instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import listed, need_text
from scrapers.platforms.socrata.portal import ManyRowsPortal, joined, unknown
from scrapers.portal import Capabilities, Terms
from scrapers.records import Address, EntityRecord, NameKind, Officer
from scrapers.statuses import StatusMeaning
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row, value
from scrapers.ucc.oregon import OregonLiens

_OFFICERS = frozenset(
    listed(
        "AUTHORIZED REPRESENTATIVE | MANAGER | MEMBER | MANAGING MEMBER | PRESIDENT | SECRETARY | REGISTRANT | "
        "GENERAL PARTNER | LIMITED PARTNER | PARTNER | TRUSTEE | DIRECTOR | TREASURER | VICE PRESIDENT"
    )
)
_AGENT, _MAILING, _PRINCIPAL = "REGISTERED AGENT", "MAILING ADDRESS", "PRINCIPAL PLACE OF BUSINESS"


class Oregon(OregonLiens, ManyRowsPortal):
    """Secretary of State, Corporation Division."""

    code = "OR"
    domain, dataset = "data.oregon.gov", "tckn-sxa6"
    hosts = ("data.oregon.gov", "secure.sos.state.or.us")
    sources = (
        "https://data.oregon.gov/resource/tckn-sxa6.json",
        "https://sos.oregon.gov/business/pages/temp-business-search.aspx",
    )
    name_column, id_column, id_pattern = "business_name", "registry_number", r"\d{3,9}|\d{1,7}-\d{2}"
    capabilities = Capabilities(
        status=False,
        agent=True,
        officers=True,
        addresses=True,
        ucc=True,
        ucc_secured_party=True,
        ucc_date_filter=True,
    )
    published = frozenset(
        listed(
            "entity_type | formation_date | jurisdiction | agent_name | agent_address | principal_address | "
            "mailing_address | officers"
        )
    )
    coverage, implied_status = "active_only", StatusMeaning("active", "listed_in_active_register")
    terms = Terms("allowed", robots="allows /resource/", note="Open data of the State of Oregon, a public record.")
    verification, on_by_default = "recorded", True
    always = ("entity_type", "registry_date", "associated_name_type")
    read = (
        "registry_number",
        "business_name",
        "entity_type",
        "registry_date",
        "associated_name_type",
        "first_name",
        "middle_name",
        "last_name",
        "suffix",
        "not_of_record_entity",
        "entity_of_record_name",
        "address",
        "address_continued",
        "city",
        "state",
        "zip",
        "jurisdiction",
    )
    ignored = frozenset({"entity_of_record_reg_number", "business_details"})

    def check_id(self, entity_id: str) -> str:
        """The portal shows a hyphen before the last two digits ("1298942-91"), the data none."""
        return super().check_id(entity_id).replace("-", "")

    def name_kind(self, record: EntityRecord) -> NameKind:
        """An assumed business name is no company."""
        return "assumed" if (record.entity_type or "").upper() == "ASSUMED BUSINESS NAME" else "legal"

    def together(self, rows: Sequence[Row], session: PortalSession) -> EntityRecord:
        """All rows of one business, each kind in its place; kinds that are in no table are told to operators."""
        first = rows[0]
        kinds = [(need_text(row, "associated_name_type").upper(), row) for row in rows]
        places = {kind: _address(row) for kind, row in reversed(kinds)}  # the first row of a kind counts
        agent = next((row for kind, row in kinds if kind == _AGENT), None)
        unknown(
            (kind for kind, _ in kinds if kind not in _OFFICERS | {_AGENT, _MAILING, _PRINCIPAL}),
            session,
            what="associated name type",
        )
        return EntityRecord(
            entity_name=need_text(first, "business_name"),
            entity_id=need_text(first, "registry_number"),
            entity_type=value(first, "entity_type"),
            formation_date=value(first, "registry_date"),
            jurisdiction=next((found for row in rows if (found := value(row, "jurisdiction"))), None),
            agent_name=_name(agent) if agent else None,
            agent_address=places.get(_AGENT, Address()),
            principal_address=places.get(_PRINCIPAL, Address()),
            mailing_address=places.get(_MAILING, Address()),
            officers=tuple(
                Officer(name, kind.title(), one_line(_address(row)))
                for kind, row in kinds
                if kind in _OFFICERS and (name := _name(row))
            ),
            sos_url=self.sources[1],
        )


def _name(row: Row) -> str | None:
    """A company that is registered itself, one that is not, or a person in parts."""
    company = value(row, "entity_of_record_name") or value(row, "not_of_record_entity")
    return company or joined(row, "first_name", "middle_name", "last_name", "suffix")


def _address(row: Row) -> Address:
    return addresses.from_parts(
        value(row, "address"),
        value(row, "address_continued"),
        city=value(row, "city"),
        state=value(row, "state"),
        zip=value(row, "zip"),
    )
