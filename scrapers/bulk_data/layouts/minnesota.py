"""Minnesota's register as its office sells it ("Business Bulk Data"): one table of three kinds of rows, in one archive.

Known from the office's own implementation guide, as a public project transcribed it (read 2026-08-31): the columns of
each kind in their order, the codes of types, of roles and of addresses, dates as month/day/year, and that names and
addresses are those of the day. A code that is not among them, a kind or a width of another row refuses the file. Not in
it: former names. An assumed name is an entry of its own, which tells of no company, and is left out.

Guessed: the encoding, that there is no line of headings (one with these names is passed over), and that the number of
the original filing is the one that the portal shows. An operator brings it: `load_bulk_data MN --file`; once it is
loaded it answers in the portal's place. Under its license single answers may be given, and the register may not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from scrapers.bulk_data.archives import unpacked
from scrapers.bulk_data.companions import Cells, companions
from scrapers.bulk_data.published import BulkData, Row
from scrapers.bulk_data.reading import bare_rows, find_members
from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.normalize.dates import to_iso
from scrapers.parsing.fields import coded, listed, need_text, text
from scrapers.records import Address, EntityRecord, Filing, Officer

PAGE = "https://www.sos.mn.gov/business-liens/business-liens-data/business-data-available/"
_KINDS = {
    "01": listed(
        "Master ID | Record Type | Business Type Code | Original Filing Number | Minnesota Business Name | "
        "Business Filing Status | Filing Date | Expiration Date | Next Renewal Due Date | Home Jurisdiction | "
        "Governing Statute | Is LLC Non Profit | Is Limited Liability Limited Partnership | Is Professional | "
        "Home Business Name | Number of Shares | Business Mark Type | Mark First Use Date | "
        "Mark Classification Number | Mark Logo | Blank Column | Export Date"
    ),
    "02": listed(
        "Master ID | Record Type | Business Type Code | Original Filing Number | Filing Number | Filing Action | "
        "Filing Rank | Filing Date | Effective Date"
    ),
    "03": listed(
        "Master ID | Record Type | Business Type Code | Original Filing Number | Filing Number | Name Type Number | "
        "Address Type Number | Party Name | Street Address Line 1 | Street Address Line 2 | City Name | Region Code | "
        "Postal Code | Postal Code Extension | Country Name"
    ),
}
_TYPES = coded(
    "38: Cooperative Association | 39: Cooperative (Foreign) | 41: Nonprofit Corporation (Domestic) | "
    "42: Nonprofit Corporation (Foreign) | 43: Business Corporation (Foreign) | "
    "44: Limited Liability Company (Domestic) | 46: Limited Liability Company (Foreign) | "
    "48: Limited Partnership (Domestic) | 49: Limited Partnership (Foreign) | "
    "50: Limited Liability Partnership (Domestic) | 52: Limited Liability Partnership (Foreign) | "
    "61: Housing Cooperative | 66: Business Corporation (Domestic) | 104: Cooperative (Domestic)"
)
_NO_ENTITIES = coded("57: Trademark | 59: Assumed Name | 60: Name Reservation")
_AGENT = "4"
_OFFICERS = coded("12: President | 13: Manager | 14: Chief Executive Officer")
_OTHERS = listed("1 | 2 | 7 | 8 | 11 | 19")  # applicant, markholder, organizer, incorporator, contacts
_PRINCIPAL, _MAILING, _OFFICE = listed("5 | 17 | 2 | 6 | 7 | 8 | 4"), listed("16 | 11 | 9999 | 18"), listed("3 | 21")
_OTHER_PLACES = listed("9 | 14 | 19 | 204")  # service, a party's own, mail for the agent and for its contact
_ROLES = {"", _AGENT, *_OFFICERS, *_OTHERS}
_PLACES = {"", *_PRINCIPAL, *_MAILING, *_OFFICE, *_OTHER_PLACES}


def _rows(path: Path) -> Iterator[Row]:
    """Every entity, with its filings, parties and addresses as JSON lists: they need not stand beside it."""
    beside = {"rest": ((cells[0], cells[1:]) for kind, cells in _cells(path) if kind != "01")}
    with companions(path.parent, beside) as find:
        for kind, cells in _cells(path):
            if kind == "01":
                yield {**dict(zip(_KINDS[kind], cells, strict=True)), **find(cells[0])}


def _cells(path: Path) -> Iterator[tuple[str, Cells]]:
    """The cells of each row, by its kind; PageChanged where they are not those of that kind."""
    with unpacked(path) as archive:
        (member,) = find_members(archive, ())
        for number, cells in bare_rows(archive, member, encoding="utf-8-sig"):
            kind = cells[1] if len(cells) > 1 else ""
            if number == 1 and tuple(cells) in map(tuple, _KINDS.values()):
                continue
            if len(cells) != len(_KINDS.get(kind, ())):
                raise PageChanged(f"{member}, line {number}: {len(cells)} cells in a row of the kind {kind!r}")
            yield kind, tuple(cells)


def _record(row: Row) -> EntityRecord | None:
    """One entity; trademarks, assumed names and reservations are none."""
    code = row["Business Type Code"]
    if code in _NO_ENTITIES:
        return None
    if code not in _TYPES:
        raise PageChanged(f"{row['Original Filing Number']}: a business of the unknown type {code!r}")
    filings, parties = _rest(row)
    places = {party["Address Type Number"]: _place(party) for party in reversed(parties) if not party["Party Name"]}
    agent = next((party for party in parties if party["Name Type Number"] == _AGENT and party["Party Name"]), None)
    own = _place(agent) if agent else Address()
    return EntityRecord(
        entity_name=need_text(row, "Minnesota Business Name"),
        entity_id=need_text(row, "Original Filing Number"),
        entity_type=_TYPES[code],
        status=text(row["Business Filing Status"]),
        formation_date=text(row["Filing Date"]),
        jurisdiction=text(row["Home Jurisdiction"]) or ("MN" if _TYPES[code].endswith("(Domestic)") else None),
        agent_name=text(agent["Party Name"]) if agent else None,
        agent_address=own if own.street else _first(places, _OFFICE),
        principal_address=_first(places, _PRINCIPAL),
        mailing_address=_first(places, _MAILING),
        officers=tuple(filter(None, map(_officer, parties))),
        filings=tuple(sorted(filings, key=lambda filing: to_iso(filing.date) or "", reverse=True)),
        sos_url=PAGE,
    )


def _rest(row: Row) -> tuple[list[Filing], list[Row]]:
    """The entity's filings, and its parties and addresses; PageChanged for a role or an address of an unknown code."""
    filings: list[Filing] = []
    parties: list[Row] = []
    for cells in json.loads(row["rest"]):
        found = dict(zip(_KINDS[cells[0]][1:], cells, strict=True))
        if cells[0] == "02":
            filings.append(Filing(text(found["Filing Date"]), need_text(found, "Filing Action")))
            continue
        if found["Name Type Number"] not in _ROLES or found["Address Type Number"] not in _PLACES:
            codes = found["Name Type Number"], found["Address Type Number"]
            raise PageChanged(f"{row['Original Filing Number']}: a name or an address of the unknown kind {codes}")
        parties.append(found)
    return filings, parties


def _officer(party: Row) -> Officer | None:
    name, title = text(party["Party Name"]), _OFFICERS.get(party["Name Type Number"])
    return Officer(name, title, one_line(_place(party))) if name and title else None


def _first(places: dict[str, Address], kinds: tuple[str, ...]) -> Address:
    return next((places[kind] for kind in kinds if kind in places), Address())


def _place(party: Row) -> Address:
    return addresses.from_parts(
        party["Street Address Line 1"],
        party["Street Address Line 2"],
        city=party["City Name"],
        state=party["Region Code"],
        zip="-".join(filter(None, (party["Postal Code"], party["Postal Code Extension"]))),
        country=party["Country Name"],
    )


BULK_DATA = BulkData(
    PAGE,
    "csv-zip",
    least_rows=500_000,
    record=_record,
    joined=_rows,
    supplied=True,
    entities_alone=True,
    lacks=frozenset({"former_names"}),
)
