"""GLEIF: which LEI was issued for a number that a state's registry gave, from its API or from its golden copy.

The form of `/lei-records` (JSON:API) and the columns of the golden copy (LEI-CDF 3.1 as CSV) are known from public
descriptions and programs that read them; neither was asked from here. The data is CC0, no key is needed, and 60
requests per minute are allowed. What is asked is a number and a registry's code: no name, and nothing of who asks us.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scrapers.bulk_data.published import BulkData, Row
from scrapers.failures import PageChanged
from scrapers.identities.authorities import CODES
from scrapers.portal import Portal
from scrapers.records import LONGEST_NAME, EntityRecord
from scrapers.transport.pace import Pace
from scrapers.transport.session import PortalSession

URL = "https://api.gleif.org/api/v1/lei-records"
MOST = 10  # records of one number; more of them are nobody's
_LEI = re.compile(r"[0-9A-Z]{18}[0-9]{2}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class LeiRecord:
    """An LEI with the registry and number it was issued for. The statuses are GLEIF's own words.

    `entity_status` is the company's, `registration_status` that of the LEI: an active company's LEI may have lapsed.
    """

    lei: str
    legal_name: str
    authority: str
    number: str
    entity_status: str | None
    registration_status: str | None
    next_renewal: str | None  # a day, ISO

    @property
    def is_void(self) -> bool:
        """Whether it was issued by mistake: another one of the same company counts."""
        return self.registration_status in ("DUPLICATE", "ANNULLED")


def is_lei(text: str) -> bool:
    """Whether the text is an LEI by its form and check digits (ISO 17442)."""
    return bool(_LEI.fullmatch(text)) and int("".join(str(int(sign, 36)) for sign in text)) % 97 == 1


def ask(session: PortalSession, *, authority: str, number: str) -> list[LeiRecord]:
    """The records that GLEIF has for just this number; PageChanged where it answers another question."""
    asked: dict[str, str | int] = {
        "filter[entity.registeredAs]": number,
        "filter[entity.registeredAt]": authority,
        "page[size]": MOST,
    }
    page = session.get(URL, params=asked, headers={"Accept": "application/vnd.api+json"})
    answer = page.json()
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise PageChanged("GLEIF answered without a list of records")
    found = [_read(row) for row in rows[:MOST]]
    mine = [one for one in found if one.authority == authority and one.number.casefold() == number.casefold()]
    if found and not mine:
        raise PageChanged("GLEIF answered with the records of other numbers")
    return mine


def _read(row: Any) -> LeiRecord:
    attributes = _part(row, "attributes")
    entity, registration = _part(attributes, "entity"), _part(attributes, "registration")
    lei, name = attributes.get("lei"), _part(entity, "legalName").get("name")
    authority, number = _part(entity, "registeredAt").get("id"), entity.get("registeredAs")
    if not isinstance(lei, str) or not is_lei(lei) or not isinstance(name, str) or len(name) > LONGEST_NAME:
        raise PageChanged("GLEIF answered with a record without an LEI and a name")
    return LeiRecord(
        lei=lei,
        legal_name=name,
        authority=_text(authority) or "",
        number=(_text(number) or "").strip(),
        entity_status=_text(entity.get("status")),
        registration_status=_text(registration.get("status")),
        next_renewal=_day(registration.get("nextRenewalDate")),
    )


def _part(of: Any, name: str) -> Mapping[str, Any]:
    part = of.get(name) if isinstance(of, dict) else None
    if not isinstance(part, dict):
        raise PageChanged(f"GLEIF answered with a record without {name}")
    return part


def _text(value: Any) -> str | None:
    return value[:80] if isinstance(value, str) and value else None


def _day(value: Any) -> str | None:
    found = _DAY.match(value) if isinstance(value, str) else None
    return found[0] if found else None


_NUMBER = "Entity.RegistrationAuthority.RegistrationAuthorityEntityID"
_AUTHORITY = "Entity.RegistrationAuthority.RegistrationAuthorityID"
_COLUMNS = {
    "LEI",
    "Entity.LegalName",
    "Entity.EntityStatus",
    "Registration.RegistrationStatus",
    "Registration.NextRenewalDate",
    _NUMBER,
    _AUTHORITY,
}


def to_key(authority: str, number: str) -> str:
    """Under what a record stands in the loaded copy."""
    return f"{authority}/{number.casefold()}"


def _record(row: Row) -> EntityRecord | None:
    """A line of the golden copy, if it is of a state's registry; most are of other countries."""
    authority, number, name = row[_AUTHORITY], row[_NUMBER], row["Entity.LegalName"]
    if authority not in CODES or not number or not name or len(name) > LONGEST_NAME or not is_lei(row["LEI"]):
        return None
    return EntityRecord(
        entity_name=name,
        entity_id=to_key(authority, number),
        status=row["Entity.EntityStatus"] or None,
        standing=row["Registration.RegistrationStatus"] or None,
        identifiers={
            "lei": row["LEI"],
            "authority": authority,
            "number": number,
            "nextRenewal": _day(row["Registration.NextRenewalDate"]) or "",
        },
    )


def from_copy(record: EntityRecord) -> LeiRecord:
    """A record of the loaded copy, as the API would have it."""
    kept = record.identifiers
    return LeiRecord(
        lei=kept["lei"],
        legal_name=record.entity_name,
        authority=kept["authority"],
        number=kept["number"],
        entity_status=record.status,
        registration_status=record.standing,
        next_renewal=kept["nextRenewal"] or None,
    )


GOLDEN_COPY = BulkData(
    "https://goldencopy.gleif.org/api/v2/golden-copies/publishes/lei2/latest.csv",
    "csv-zip",
    least_rows=50_000,
    record=_record,
    columns=frozenset(_COLUMNS),
)


class Gleif(Portal):
    """The Global Legal Entity Identifier Foundation."""

    code = "GLEIF"
    hosts = ("api.gleif.org", "goldencopy.gleif.org")
    sources = (URL,)
    pace = Pace(1.0, 4)  # 60 a minute
    bulk_data = GOLDEN_COPY


GLEIF = Gleif()
