"""Florida's companies as published: one line of 1,440 characters an entity, quarterly, over SFTP.

Known from the layout the Division publishes, described 2026-11: number 1-12, name 13-204, status 205, type 206-220,
principal address 221-346, mailing address 347-472, filing date 473-480 (MMDDYYYY), FEI 481-494, state 504-505, agent
545-668, six officers of 128 characters from 669; a byte before an officer's name and behind the agent's says whether it
is a person's (P) or a company's (C). An operator fetches the file by SFTP (the Division prints the public
password on its "Data Downloads" page); `load_bulk_data FL --file` loads it.
"""

from __future__ import annotations

from collections.abc import Iterator

from scrapers.bulk_data.published import BulkData, Row
from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.normalize.officers import has_company_signs, is_organization
from scrapers.records import Address, EntityRecord, Officer, PartyKind

_STATUS = {"A": "Active", "I": "Inactive"}
_TYPES = {
    "DOMP": "Florida Profit Corporation",
    "DOMNP": "Florida Not For Profit Corporation",
    "FORP": "Foreign Profit Corporation",
    "FORNP": "Foreign Not For Profit Corporation",
    "DOMLP": "Florida Limited Partnership",
    "FORLP": "Foreign Limited Partnership",
    "FLAL": "Florida Limited Liability Company",
    "FORL": "Foreign Limited Liability Company",
    "NPREG": "Non-Profit Regulated",
    "TRUST": "Declaration of Trust",
    "AGENT": "Designation of Registered Agent",
}
_OFFICERS, _EACH = 668, 128


def _record(row: Row) -> EntityRecord | None:
    """One line as a record; PageChanged when the status is neither A nor I, which tells a shifted line."""
    line = row["line"]
    status = line[204]
    if status not in _STATUS:
        raise PageChanged(f"{line[:12].strip()}: status {status!r}")
    kind = line[205:220].strip()
    if kind == "AGENT":
        return None  # the registration of an agent, no entity
    return EntityRecord(
        entity_name=_text(line, 12, 192) or "",
        entity_id=line[:12].strip(),
        status=_STATUS[status],
        entity_type=_TYPES.get(kind, kind or None),
        formation_date=_date(line[472:480]),
        jurisdiction=_text(line, 503, 2),
        fei_ein_number=_text(line, 480, 14),
        agent_name=_party(line, 544, line[586])[0],
        agent_address=addresses.from_parts(
            _text(line, 587, 42), city=_text(line, 629, 28), state=_text(line, 657, 2), zip=_text(line, 659, 9)
        ),
        principal_address=_place(line, 220),
        mailing_address=_place(line, 346),
        officers=tuple(_officers(line)),
        sos_url="https://search.sunbiz.org/Inquiry/CorporationSearch/ByDocumentNumber",
    )


def _text(line: str, at: int, width: int) -> str | None:
    return " ".join(line[at : at + width].split()) or None


def _party(line: str, at: int, kind: str) -> tuple[str | None, PartyKind | None]:
    """A name of 42 characters as the Division's page writes it, and the kind its byte tells: P person, C company.

    A person's stands in columns, last name 20, first 14, middle 8. A company filed as a person has none: it is told as
    it stands, and so is a name written out with a comma.
    """
    whole, in_columns = _text(line, at, 42), "  " in line[at : at + 42].strip()
    if whole is None or kind != "P":
        return whole, "organization" if kind == "C" else None
    if has_company_signs(whole) or (" " in whole and not in_columns and is_organization(whole)):
        return whole, None
    if "," in whole:
        return whole, "person"
    last, first, middle = _text(line, at, 20), _text(line, at + 20, 14), _text(line, at + 34, 8)
    return ", ".join(filter(None, (last, " ".join(filter(None, (first, middle)))))), "person"


def _date(raw: str) -> str | None:
    """MMDDYYYY as the site shows it, MM/DD/YYYY."""
    return f"{raw[:2]}/{raw[2:4]}/{raw[4:]}" if raw.isdigit() and raw.strip("0") else None


def _place(line: str, at: int) -> Address:
    return addresses.from_parts(
        _text(line, at, 42),
        _text(line, at + 42, 42),
        city=_text(line, at + 84, 28),
        state=_text(line, at + 112, 2),
        zip=_text(line, at + 114, 10),
        country=_text(line, at + 124, 2),
    )


def _officers(line: str) -> Iterator[Officer]:
    for number in range(6):
        at = _OFFICERS + number * _EACH
        name, kind = _party(line, at + 5, line[at + 4])
        if name:
            place = addresses.from_parts(
                _text(line, at + 47, 42),
                city=_text(line, at + 89, 28),
                state=_text(line, at + 117, 2),
                zip=_text(line, at + 119, 9),
            )
            yield Officer(name, _text(line, at, 4), one_line(place), kind)


BULK_DATA = BulkData(
    "sftp://sftp.floridados.gov/doc/quarterly/cor/cordata.zip",
    "fixed-zip",
    least_rows=1_000_000,
    record=_record,
    members=("*",),
    encoding="cp1252",
    width=1440,
)
