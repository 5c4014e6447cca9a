"""How Connecticut's data sets write a company: the master's columns, and those of the sets beside it.

Source: 25 recorded rows of the master; the other sets' columns are documented. The master's `id` is `business_key`
among agents, `business_id` among principals, `unique_key` among name changes and `account` among filings, say public
readers; of the first and the third another says `business_id`, so both are tried. Home addresses and e-mails are in the
data and are left out.
"""

from __future__ import annotations

from dataclasses import replace

from scrapers.normalize import dates
from scrapers.parsing.columns import FilingColumns, PartyColumns, PlaceColumns, RecordColumns
from scrapers.parsing.fields import listed
from scrapers.platforms.socrata.portal import OtherNames
from scrapers.platforms.socrata.related import MasterPortal, RelatedSet
from scrapers.records import EntityRecord, NameKind
from scrapers.transport.soda import Row

_PERSON = PartyColumns(
    business="name__c",
    person="firstname | lastname",
    family="lastname",
    title="designation",
    place=PlaceColumns(
        "business_street_address_1 | business_street_address_2", "business_city", "business_state", "business_zip_code"
    ),
)

_NAMED = f"{_PERSON.business} | {_PERSON.person}"


class ConnecticutRows(MasterPortal):
    """The columns that are read, and those that are known and not wanted."""

    name_column, id_column, key_column = "name", "accountnumber", "id"
    columns = RecordColumns(
        entity_type="business_type",
        status="status",
        standing="sub_status",
        formation_date="date_registration",
        jurisdiction="state_or_territory_formation | formation_place | country_formation",
        citizenship="citizenship",
        principal=PlaceColumns(
            "billingstreet | billing_unit", "billingcity", "billingstate", "billingpostalcode", "billingcountry"
        ),
        mailing=PlaceColumns(  # the parts are a foreign company's address in the state it comes from
            "mailing_jurisdiction_2 | mailing_jurisdiction_3",
            "mailing_jurisdiction",
            "mailing_jurisdiction_1",
            "mailing_jurisdiction_4",
            "mailing_jurisdiction_country",
            whole="mailing_address",
        ),
    )
    always = ("status", "business_type")
    agents = RelatedSet("qh2m-n44y", "business_key | business_id", _PERSON, (_NAMED,))
    principals = RelatedSet("ka36-64k6", "business_id", _PERSON, (_NAMED,))
    renamed = RelatedSet(
        "enwv-52we", "unique_key | business_id", PartyColumns("business_name_old"), ("business_name_old",)
    )
    other_names = OtherNames("enwv-52we", "business_name_old", "unique_key | business_id", "id", "former")
    filing = FilingColumns("filing_date", "filing_type | type")
    filed = RelatedSet("ah3s-bes7", "account", always=(filing.date, filing.title))
    ignored = frozenset(
        listed(
            "annual_report_due_date | began_transacting_in_ct | business_email_address | naics_code | naics_sub_code | "
            "business_name_in_state_country | create_dt | category_survey_email_address | geo_location | "
            "date_of_organization_meeting | total_authorized_shares | dissolution_date | "
            "mailing_jurisdiction_address | mailing_international_address | organization_is_lgbtqi_owned | "
            "org_owned_by_person_s_with | "
            "woman_owned_organization | veteran_owned_organization | minority_owned_organization | record_address | "
            "records_address_street | records_address_unit | records_address_city | records_address_state | "
            "records_address_zip_code | records_address_country | office_in_jurisdiction_country | "
            "office_jurisdiction_address | office_jurisdiction | office_jurisdiction_1 | office_jurisdiction_2 | "
            "office_jurisdiction_3 | office_jurisdiction_4"
        )
    )

    def record(self, row: Row) -> EntityRecord:
        """With the public form of the number; the date "0001-01-01" means that it is not known."""
        found = super().record(row)
        return replace(
            found,
            formation_date=found.formation_date if dates.to_iso(found.formation_date) else None,
            identifiers={"alei": f"US-CT.BER:{found.entity_id}"},
        )

    def name_kind(self, record: EntityRecord) -> NameKind:
        """A name that somebody put aside is no company."""
        return "reserved" if record.status in ("Reserved", "Expired Reservation") else "legal"
