"""District of Columbia: the corporations layer of the District's map service, all statuses.

Evidence: documented (attributes with their misspellings, and the complete list of statuses); no answer of it was
recorded. Not seen: whether the name already holds the suffix, so it is put behind the name only where it is missing.
Gaps: officers are published by the portal behind a login alone; trade names are another layer and not asked.
"""

from __future__ import annotations

from scrapers.families.arcgis.portal import ArcgisPortal, Attributes, day, value
from scrapers.normalize import addresses, names
from scrapers.parsing.fields import listed, need_text
from scrapers.portal import Capabilities, Terms
from scrapers.records import Address, EntityRecord
from scrapers.statuses import meanings

_LAYERS = "https://maps2.dcgis.dc.gov/dcgis/rest/services/DCGIS_DATA/Business_Licensing_and_Grants_WebMercator"


class DistrictOfColumbia(ArcgisPortal):
    """Department of Licensing and Consumer Protection, Corporations Division."""

    code = "DC"
    layer = f"{_LAYERS}/FeatureServer/0"
    hosts = ("maps2.dcgis.dc.gov",)
    sources = (layer, "https://corponline.dlcp.dc.gov")
    name_attribute, id_attribute, id_pattern = "BUSINESS_NAME", "FILE_NUMBER", r"[A-Z]{0,3}\d{5,14}"
    capabilities = Capabilities(agent=True, addresses=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address")
    )
    statuses = meanings(
        active="Active - In Good Standing",
        warning="Active - Not in Good Standing",
        inactive=(
            "Consolidated | Converted | Dissolved | Domesticated | Inactive - Cancelled | Merged | Revoked | "
            "Terminated | Withdrawn"
        ),
    )
    terms = Terms("allowed", robots="the map service has none", note="Open data of the District (CC BY 4.0).")
    on_by_default = True
    read = frozenset(
        {
            "FILE_NUMBER",
            "ENTITY_STATUS",
            "LOCALE",
            "MODELTYPE",
            "BUSINESS_NAME",
            "SUFFIX",
            "BUSINESS_CITY",
            "BUSINESS_STATE",
            "ZIPCODE",
            "BUSINESS_COUNTRY",
            "RA_NAME",
            "RA_CITY",
            "RA_STATE",
            "RA_ZIPCODE",
            "EFFECTIVE_DATE",
        }
        | {f"BUSNIESS_ADDRESS_LINE{n}" for n in range(1, 5)}
        | {f"RA_ADDRESS{n}" for n in range(1, 5)}
    )
    ignored = frozenset(
        listed(
            "FOREIGN_DATEOF_ORGANIZATION | NEXT_REPORTYEAR_DUE | DCS_LAST_MOD_DTTM | DATE_LAST_REPORT_FILED | "
            "LATESTREPORT_YEARFILED | LATESTFILED_REPORTDATE | OBJECTID | GLOBALID"
        )
    )

    def check_id(self, entity_id: str) -> str:
        """Letters of a file number are capitals."""
        return super().check_id(entity_id).upper()

    def record(self, row: Attributes) -> EntityRecord:
        """One row is one entity; for a foreign one the day is that of its registration in the District."""
        locale = (value(row, "LOCALE") or "").casefold()
        return EntityRecord(
            entity_name=_with_suffix(need_text(row, "BUSINESS_NAME"), value(row, "SUFFIX")),
            entity_id=need_text(row, "FILE_NUMBER"),
            status=value(row, "ENTITY_STATUS"),
            entity_type=value(row, "MODELTYPE"),
            formation_date=day(row, "EFFECTIVE_DATE"),
            domestic={"domestic": True, "foreign": False}.get(locale),
            agent_name=value(row, "RA_NAME"),
            agent_address=_address(row, "RA_ADDRESS", "RA_CITY", "RA_STATE", "RA_ZIPCODE"),
            principal_address=_address(
                row, "BUSNIESS_ADDRESS_LINE", "BUSINESS_CITY", "BUSINESS_STATE", "ZIPCODE", "BUSINESS_COUNTRY"
            ),
            sos_url=self.sources[1],
        )


def _with_suffix(name: str, suffix: str | None) -> str:
    if not suffix or names.legal_form(name) or names.plain(name).endswith(names.plain(suffix)):
        return name
    return f"{name} {suffix}"


def _address(row: Attributes, street: str, city: str, state: str, zip_code: str, country: str = "") -> Address:
    return addresses.from_parts(
        *(value(row, f"{street}{number}") for number in range(1, 5)),
        city=value(row, city),
        state=value(row, state),
        zip=value(row, zip_code),
        country=value(row, country) if country else None,
    )
