"""Florida's companies as published: one line of 1,440 bytes an entity, quarterly, over SFTP.

Known from the field tables that the Division publishes (its read-me files, 2026): number 1-12, name 13-204, status 205,
type 206-220, principal address 221-346, mailing address 347-472, filing date 473-480 (MMDDYYYY), FEI 481-494, state
504-505, agent 545-668, six officers of 128 bytes from 669; a byte before an officer's name and behind the agent's says
whether it is a person's (P) or a company's (C). The widths count bytes: a line is cut first and each field decoded by
itself, since most are ASCII, some UTF-8 and some Windows-1252. An operator fetches the files by SFTP (the Division
prints the public password on its "Data Downloads" page); `load_bulk_data FL --file` loads cordata.zip, or a folder with
corevent.zip (what was filed, 662 bytes a line) and ficdata.zip (fictitious names, 2,098 bytes) beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from scrapers.bulk_data.archives import unpacked
from scrapers.bulk_data.companions import Cells, companions
from scrapers.bulk_data.published import BulkData, Row
from scrapers.bulk_data.reading import find_members, fixed_lines
from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.normalize.officers import has_company_signs, is_organization
from scrapers.records import Address, EntityRecord, Filing, Officer, PartyKind

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
_OWNERS, _EACH_OWNER, _CHARTER = 388, 171, 159  # of a fictitious name, up to ten; the place of an owner's number
_BYTES = "latin-1"  # a character a byte
_FOLDER = ("cordata.zip", "corevent.zip", "ficdata.zip")


def _rows(path: Path) -> Iterator[Row]:
    """Every entity, with its events and its fictitious names as JSON lists where their files are at hand."""
    files = {path.name: path} if path.is_file() else {one.name.casefold(): one for one in path.iterdir()}
    if path.is_dir() and (set(files) - set(_FOLDER) or _FOLDER[0] not in files):
        raise PageChanged(f"{path.name} holds {sorted(files)}, expected {_FOLDER[0]} and at most {_FOLDER[1:]} beside")
    register = path if path.is_file() else files[_FOLDER[0]]
    with ExitStack() as stack:
        beside = {
            "events": _events(files.get(_FOLDER[1]), stack),
            "names": _fictitious(files.get(_FOLDER[2]), stack),
        }
        find = stack.enter_context(companions(register.parent, beside))
        for line in _lines(register, 1440, stack):
            yield {"line": line, **find(line[:12].strip())}


def _lines(path: Path | None, width: int, stack: ExitStack) -> Iterator[str]:
    """The lines of all files of an archive; none where there is no archive."""
    if path is None:
        return
    archive = stack.enter_context(unpacked(path))
    for member in find_members(archive, ("*",)):
        yield from fixed_lines(archive, member, width, encoding=_BYTES)


def _events(path: Path | None, stack: ExitStack) -> Iterator[tuple[str, Cells]]:
    """What was filed on an entity: place in the history, day, words, and the name in an event that changes it."""
    for line in _lines(path, 662, stack):
        renamed = _text(line, 210, 192) if line[412] == "Y" else None
        yield line[:12].strip(), (line[12:17], line[85:93], _text(line, 37, 40) or "", renamed or "")


def _fictitious(path: Path | None, stack: ExitStack) -> Iterator[tuple[str, Cells]]:
    """Fictitious names in force, by the number of each owner that is on the register of companies."""
    for line in _lines(path, 2098, stack):
        if line[351] not in "AEC":
            raise PageChanged(f"{line[:12].strip()}: a fictitious name of the unknown status {line[351]!r}")
        if line[351] == "A":
            for at in range(_OWNERS, _OWNERS + 10 * _EACH_OWNER, _EACH_OWNER):
                if owner := line[at + _CHARTER : at + _CHARTER + 12].strip():
                    yield owner, (_text(line, 12, 192) or "",)


def _record(row: Row) -> EntityRecord | None:
    """One line as a record; PageChanged when the status is neither A nor I, which tells a shifted line."""
    line, name = row["line"], _text(row["line"], 12, 192) or ""
    events = sorted(json.loads(row["events"]))
    status = line[204]
    if status not in _STATUS:
        raise PageChanged(f"{line[:12].strip()}: status {status!r}")
    kind = line[205:220].strip()
    if kind == "AGENT":
        return None  # the registration of an agent, no entity
    return EntityRecord(
        entity_name=name,
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
        former_names=tuple(dict.fromkeys(renamed for *_, renamed in events if renamed not in ("", name))),
        assumed_names=tuple(dict.fromkeys(called for (called,) in json.loads(row["names"]) if called)),
        filings=tuple(Filing(_date(day), words) for _, day, words, _ in events if words),
        sos_url="https://search.sunbiz.org/Inquiry/CorporationSearch/ByDocumentNumber",
    )


def _text(line: str, at: int, width: int) -> str | None:
    """A field, decoded by itself."""
    raw = line[at : at + width].encode(_BYTES)
    for encoding in ("utf-8", "cp1252", _BYTES):
        try:
            return " ".join(raw.decode(encoding).split()) or None
        except UnicodeDecodeError:
            continue
    raise AssertionError("every byte is a character of the last encoding")


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
    "sftp://sftp.floridados.gov/doc/Quarterly/Cor/cordata.zip",
    "fixed-zip",
    least_rows=1_000_000,
    record=_record,
    joined=_rows,
)
