"""One account of the Texas franchise tax search as a company's record: every key is read, ignored by name, or noted."""

from __future__ import annotations

import re
from typing import Any

from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import listed, need, need_list, need_object, need_text, note_unread, text
from scrapers.records import Address, EntityRecord, Officer
from scrapers.transport.session import PortalSession

_READ = frozenset(
    listed(
        "taxpayerId | feiNumber | name | dbaName | mailingAddressStreet | mailingAddressCity | mailingAddressState | "
        "mailingAddressZip | mailingAddressZip4 | rightToTransactTX | stateOfFormation | sosRegistrationStatus | "
        "sosFileNumber | registeredAgentName | registeredOfficeAddressStreet | registeredOfficeAddressCity | "
        "registeredOfficeAddressState | registeredOfficeAddressZip | officerInfo"
    )
)
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
