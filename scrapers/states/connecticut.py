"""Connecticut: the business registry's master (data set n7gp-d28j), all statuses, renewed nightly, and the sets beside
it: agents qh2m-n44y, principals ka36-64k6, name changes enwv-52we, asked for the one company that was chosen.

Evidence: 25 recorded rows of the master (an export of 2022-12, without the column `id` the live set has). The columns
of the other sets are documented; a public reader of them says that the master's `id` is `business_key` among agents,
`business_id` among principals and `unique_key` among name changes, another that it is `business_id` everywhere: both
are tried, and a column that is none of them is a changed page, never an empty answer. Home addresses and e-mails are
in the data and are left out. "Annual report due" stands beside every active company, also where the day is to come, so
it is told as standing and is no warning.
Gap: the filing history (ah3s-bes7) is not read; a company is not found by a former name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scrapers.normalize import addresses, dates
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import listed, need_text
from scrapers.platforms.socrata.portal import SocrataPortal, joined, unknown
from scrapers.portal import Capabilities, Terms
from scrapers.records import Address, Candidate, EntityRecord, NameKind, Officer
from scrapers.statuses import meanings
from scrapers.transport import conditions, soda
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row, value
from scrapers.ucc.connecticut import ConnecticutLiens


class Connecticut(ConnecticutLiens, SocrataPortal):
    """Secretary of the State, Business Services Division."""

    code = "CT"
    domain, dataset = "data.ct.gov", "n7gp-d28j"
    hosts = ("data.ct.gov",)
    sources = (
        "https://data.ct.gov/resource/n7gp-d28j.json",
        "https://service.ct.gov/business/s/onlinebusinesssearch",
    )
    name_column, id_column, id_pattern = "name", "accountnumber", r"(?:US-CT\.BER:)?\d{1,7}"
    estimated_seconds = 5
    capabilities = Capabilities(
        agent=True,
        officers=True,
        addresses=True,
        former_names=True,
        ucc=True,
        ucc_secured_party=True,
        ucc_date_filter=True,
    )
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | mailing_address | officers"
        )
    )
    statuses = meanings(
        active="Active",
        neutral="Reserved | Registered name",
        inactive=(
            "Forfeited | Revoked | Dissolved | Withdrawn | Merged | Cancelled | Converted | Expired | "
            "Redomesticated | Renunciated | Rejected"
        ),
    )
    bad_standings = frozenset({"past due", "annual report past due", "first report past due"})
    terms = Terms("allowed", robots="allows /resource/", note="Public-domain open data of the State of Connecticut.")
    verification, on_by_default = "recorded", True
    always = ("status", "business_type")
    read = (
        "id",
        "name",
        "accountnumber",
        "status",
        "sub_status",
        "business_type",
        "citizenship",
        "date_registration",
        "formation_place",
        "state_or_territory_formation",
        "country_formation",
        "billingstreet",
        "billing_unit",
        "billingcity",
        "billingstate",
        "billingpostalcode",
        "billingcountry",
        "mailing_address",
        "mailing_jurisdiction_2",
        "mailing_jurisdiction_3",
        "mailing_jurisdiction",
        "mailing_jurisdiction_1",
        "mailing_jurisdiction_4",
        "mailing_jurisdiction_country",
    )
    ignored = frozenset(
        {
            "annual_report_due_date",
            "began_transacting_in_ct",
            "business_email_address",
            "naics_code",
            "naics_sub_code",
            "business_name_in_state_country",
            "create_dt",
            "category_survey_email_address",
            "geo_location",
            "date_of_organization_meeting",
            "total_authorized_shares",
            "dissolution_date",
            "mailing_jurisdiction_address",
            "mailing_international_address",
            "organization_is_lgbtqi_owned",
            "org_owned_by_person_s_with",
            "woman_owned_organization",
            "veteran_owned_organization",
            "minority_owned_organization",
            "record_address",
            "office_in_jurisdiction_country",
            "office_jurisdiction_address",
            "office_jurisdiction",
            *(f"office_jurisdiction_{number}" for number in range(1, 5)),
            *(f"records_address_{part}" for part in ("street", "unit", "city", "state", "zip_code", "country")),
        }
    )

    def check_id(self, entity_id: str) -> str:
        """Seven digits; the public form "US-CT.BER:1234567" is the same number."""
        return super().check_id(entity_id).upper().removeprefix("US-CT.BER:").zfill(7)

    def record(self, row: Row) -> EntityRecord:
        """What the master holds of a company."""
        registered = value(row, "date_registration")
        number = need_text(row, "accountnumber")
        return EntityRecord(
            entity_name=need_text(row, "name"),
            entity_id=number,
            status=value(row, "status"),
            standing=value(row, "sub_status"),
            entity_type=value(row, "business_type"),
            formation_date=registered if dates.to_iso(registered) else None,  # "0001-01-01" is "not known"
            jurisdiction=value(row, "state_or_territory_formation") or value(row, "formation_place"),
            domestic={"domestic": True, "foreign": False}.get((value(row, "citizenship") or "").casefold()),
            principal_address=_billing(row),
            mailing_address=addresses.from_text(value(row, "mailing_address")) or _home_mailing(row),
            identifiers={"alei": f"US-CT.BER:{number}"},
            sos_url=self.sources[1],
        )

    def name_kind(self, record: EntityRecord) -> NameKind:
        """A name that somebody put aside is no company."""
        return "reserved" if record.status == "Reserved" else "legal"

    def candidate(self, record: EntityRecord, row: Row) -> Candidate:
        """The row with the key that the other data sets know the company by."""
        return replace(super().candidate(record, row), handle={"key": value(row, "id") or ""})

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The master's record with the agent, the principals and the former names."""
        record, key = super().detail(session, candidate), need_text(candidate.handle, "key")
        agents = self._beside(session, "qh2m-n44y", ("business_key", "business_id"), key)
        principals = self._beside(session, "ka36-64k6", ("business_id",), key)
        renamed = self._beside(session, "enwv-52we", ("unique_key", "business_id"), key)
        if not agents and record.status == "Active":
            unknown(["without an agent: do the sets still share their key?"], session, what="an active company")
        former = (value(row, "business_name_old") for row in renamed)
        return replace(
            record,
            agent_name=_name(agents[0]) if agents else None,
            agent_address=_business_address(agents[0]) if agents else Address(),
            officers=tuple(
                Officer(name, value(row, "designation"), one_line(_business_address(row)))
                for row in principals
                if (name := _name(row))
            ),
            former_names=tuple(dict.fromkeys(name for name in former if name and name != record.entity_name)),
        )

    def _beside(self, session: PortalSession, dataset: str, columns: Sequence[str], key: str) -> Sequence[Row]:
        """Rows of another set about the company; descriptions differ on the key's column, so each is tried."""
        for column in columns[:-1]:
            try:
                return self._rows_about(session, dataset, column, key)
            except soda.NoSuchColumn:
                continue
        return self._rows_about(session, dataset, columns[-1], key)

    def _rows_about(self, session: PortalSession, dataset: str, column: str, key: str) -> Sequence[Row]:
        where = f"{column}={conditions.quoted(key)}"
        return soda.ask_rows(session, domain=self.domain, dataset=dataset, where=where, order=":id", limit=1000)


def _name(row: Row) -> str | None:
    return value(row, "name__c") or joined(row, "firstname", "lastname")


def _billing(row: Row) -> Address:
    return addresses.from_parts(
        value(row, "billingstreet"),
        value(row, "billing_unit"),
        city=value(row, "billingcity"),
        state=value(row, "billingstate"),
        zip=value(row, "billingpostalcode"),
        country=value(row, "billingcountry"),
    )


def _home_mailing(row: Row) -> Address:
    """A foreign company's mailing address in the state it comes from."""
    return addresses.from_parts(
        value(row, "mailing_jurisdiction_2"),
        value(row, "mailing_jurisdiction_3"),
        city=value(row, "mailing_jurisdiction"),
        state=value(row, "mailing_jurisdiction_1"),
        zip=value(row, "mailing_jurisdiction_4"),
        country=value(row, "mailing_jurisdiction_country"),
    )


def _business_address(row: Row) -> Address:
    return addresses.from_parts(
        value(row, "business_street_address_1"),
        value(row, "business_street_address_2"),
        city=value(row, "business_city"),
        state=value(row, "business_state"),
        zip=value(row, "business_zip_code"),
    )
