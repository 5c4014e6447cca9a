"""One account of the Texas franchise tax search as a company's record, and what two open data sets say of it beside.

Every key and column is read, ignored by name, or noted. Columns and codes of the franchise tax permits are those of the
Comptroller's own layout ("Franchise Layout", read 2026-10), the columns of the sales tax permits those of two public
readers. A row of another account, or one that contradicts its file number, is no answer to what was asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import (
    coded,
    listed,
    need,
    need_list,
    need_object,
    need_text,
    note_unread,
    note_unread_keys,
    refuse_renamed,
    text,
)
from scrapers.records import Address, EntityRecord, Officer
from scrapers.transport import conditions, soda
from scrapers.transport.session import PortalSession

_READ = frozenset(
    listed(
        "taxpayerId | feiNumber | name | dbaName | mailingAddressStreet | mailingAddressCity | mailingAddressState | "
        "mailingAddressZip | mailingAddressZip4 | rightToTransactTX | stateOfFormation | sosRegistrationStatus | "
        "sosFileNumber | registeredAgentName | registeredOfficeAddressStreet | registeredOfficeAddressCity | "
        "registeredOfficeAddressState | registeredOfficeAddressZip | officerInfo"
    )
)
_KINDS = coded(
    "AB: Texas Business Association | AC: Foreign Business Association | AF: Foreign Professional Association | "
    "AP: Texas Professional Association | AR: Other Association | C: Corporation | CF: Foreign Profit Corporation | "
    "CI: Foreign Limited Liability Company | CL: Texas Limited Liability Company | "
    "CM: Foreign Nonprofit Corporation | CN: Texas Nonprofit Corporation | CP: Texas Professional Corporation | "
    "CR: Texas Insurance Corporation | CS: Foreign Insurance Corporation | CT: Texas Profit Corporation | "
    "CU: Foreign Professional Corporation | L: Limited Liability Company | M: Limited Liability Partnership | "
    "P: General Partnership | PB: Business General Partnership | PF: Foreign Limited Partnership | "
    "PI: Individual General Partnership | PL: Texas Limited Partnership | PX: Texas Limited Liability Partnership | "
    "PY: Foreign Limited Liability Partnership | TF: Foreign Business Trust | "
    "TH: Texas Real Estate Investment Trust | TI: Foreign Real Estate Investment Trust | TR: Trust | "
    "CW: Texas Railroad | CX: Foreign Railroad | HF: Foreign Holding | J: Joint Venture | PV: Texas Joint Venture | "
    "PW: Foreign Joint Venture | S: Sole Proprietorship | SF: Foreign Joint Stock | ST: Texas Joint Stock | O: Other | "
    "DC: Data Center | ES: Estate | HS: Historic Structure | IS: Individual | PO: Oil and Gas Special | "
    "PZ: Individual Successor Partnership | UF: Unknown Franchise | UK: Unknown"
)
_PERMITS, _OUTLETS = "9cir-efmm", "jrea-zgmq"
_COLUMNS: dict[str, frozenset[str]] = {
    _PERMITS: frozenset(
        listed(
            "taxpayer_number | taxpayer_name | taxpayer_address | taxpayer_city | taxpayer_state | taxpayer_zip | "
            "taxpayer_county_code | taxpayer_organizational_type | record_type_code | responsibility_beginning_date | "
            "secretary_of_state_sos_or_coa_file_number | sos_charter_date | sos_status_date | sos_status_code | "
            "right_to_transact_business_code | current_exempt_reason_code | exempt_begin_date | _621111"
        )
    ),
    _OUTLETS: frozenset(
        listed(
            "taxpayer_number | taxpayer_name | taxpayer_address | taxpayer_city | taxpayer_state | taxpayer_zip_code | "
            "taxpayer_county_code | taxpayer_organization_type | outlet_number | outlet_name | outlet_address | "
            "outlet_city | outlet_state | outlet_zip_code | outlet_county_code | outlet_naics_code | "
            "outlet_permit_issue_date | outlet_inside_outside_city_limits_indicator | outlet_first_sales_date"
        )
    ),
}
_OPTIONAL = {
    _PERMITS: listed("taxpayer_organizational_type | sos_charter_date | secretary_of_state_sos_or_coa_file_number"),
    _OUTLETS: ("outlet_name",),
}
_WITH_FILE_NUMBER = ("U", "V")  # a charter's number, or a certificate of authority's; X is one of the Comptroller's
_MOST_OUTLETS = 1_000
_IGNORED = frozenset(listed("effectiveSosRegistrationDate | taxId | lastUpdated | reportYear"))


def account(answer: Any, session: PortalSession) -> EntityRecord:
    """The Secretary of State's status goes before the Comptroller's, which then is the standing."""
    data = need_object(answer, "the account")
    note_unread(set(data) - _READ - _IGNORED, session)
    registered, allowed = text(need(data, "sosRegistrationStatus")), text(need(data, "rightToTransactTX"))
    file_number, other_name = text(need(data, "sosFileNumber")), text(need(data, "dbaName"))
    return EntityRecord(
        entity_name=need_text(data, "name"),
        entity_id=need_text(data, "taxpayerId"),
        status=registered or allowed,
        standing=allowed if registered else None,
        jurisdiction=text(need(data, "stateOfFormation")),
        agent_name=text(need(data, "registeredAgentName")),
        agent_address=_address(data, "registeredOfficeAddress"),
        mailing_address=_address(data, "mailingAddress", zip4=text(need(data, "mailingAddressZip4"))),
        officers=tuple(_officer(row) for row in need_list(need(data, "officerInfo"), "'officerInfo'")),
        fei_ein_number=text(need(data, "feiNumber")),
        assumed_names=(other_name,) if other_name else (),
        identifiers={"sosFileNumber": file_number} if file_number else {},
    )


def _address(data: Any, place: str, *, zip4: str | None = None) -> Address:
    street, city, state, zip_code = (text(need(data, f"{place}{part}")) for part in ("Street", "City", "State", "Zip"))
    if zip_code and zip4 and re.fullmatch(r"\d{4}", zip4):
        zip_code = f"{zip_code}-{zip4}"
    return addresses.from_parts(street, city=city, state=state, zip=zip_code)


def _officer(row: Any) -> Officer:
    street, city, state, zip_code = (text(need(row, key)) for key in ("AD_STR_POB_TX", "CITY_NM", "ST_CD", "AD_ZP"))
    where = addresses.from_parts(street, city=city, state=state, zip=zip_code)
    return Officer(need_text(row, "AGNT_NM"), text(need(row, "AGNT_TITL_TX")), one_line(where))


def with_permits(record: EntityRecord, session: PortalSession) -> EntityRecord:
    """The account with its kind, its day of registration and its stores' names, as far as its permits say."""
    permits = _rows(session, _PERMITS, record, order="taxpayer_number", limit=2)
    if not permits:
        return record  # only accounts with an active permit are in the sets
    if len(permits) > 1:
        raise PageChanged(f"{_PERMITS}: several permits of {record.entity_id}")
    permit = permits[0]
    _check_file_number(permit, record)
    code = soda.value(permit, "taxpayer_organizational_type")
    outlets = _rows(session, _OUTLETS, record, order="outlet_name", limit=_MOST_OUTLETS)
    stores = (name for row in outlets if (name := soda.value(row, "outlet_name")) and name != record.entity_name)
    return replace(
        record,
        formation_date=soda.value(permit, "sos_charter_date"),
        entity_type=_KINDS.get(code or "", code),
        assumed_names=tuple(dict.fromkeys((*record.assumed_names, *stores))),
    )


def _rows(session: PortalSession, dataset: str, record: EntityRecord, *, order: str, limit: int) -> Sequence[soda.Row]:
    """The rows of one account in a set; PageChanged where one is another account's."""
    where = f"taxpayer_number={conditions.quoted(record.entity_id)}"
    rows = soda.ask_rows(session, domain="data.texas.gov", dataset=dataset, where=where, order=order, limit=limit)
    strange = [number for row in rows if (number := need_text(row, "taxpayer_number")) != record.entity_id]
    if strange:
        raise PageChanged(f"{dataset}: asked for {record.entity_id}, got {strange[:3]}")
    columns = [{name: held for name, held in row.items() if not name.startswith(":")} for row in rows]
    for row in columns:
        refuse_renamed(row, _OPTIONAL[dataset], known=_COLUMNS[dataset])
    note_unread_keys(columns, _COLUMNS[dataset], session)
    return columns


def _check_file_number(permit: soda.Row, record: EntityRecord) -> None:
    """The Secretary of State's number is the same in both, where both have it."""
    has = soda.value(permit, "record_type_code") in _WITH_FILE_NUMBER
    number = soda.value(permit, "secretary_of_state_sos_or_coa_file_number") if has else None
    of_account = record.identifiers.get("sosFileNumber")
    if number and of_account and number.lstrip("0") != of_account.lstrip("0"):
        raise PageChanged(f"{_PERMITS}: file number {number}, where the account has {of_account}")
