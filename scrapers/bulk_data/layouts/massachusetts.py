"""Massachusetts' register as its office sells it: comma-separated tables with a header, brought by an operator.

Known from the programs of a public research project that loaded them (tables of 2014, read in 2026-11): the tables of
entities and of changed names, their columns as far as they were used, and the codes of an entity's end. Further columns
stand in the files and are left alone; column names are compared without case. Guessed: the encoding. An end of another
code refuses the file. A later public program for the same office's tables also knows a flag that tells who is active,
whatever day and kind of an end stand beside it (the register has a day of revival, too), and a sign for no home state;
the flag counts where the file has it. Gap: whether the people of CorpIndividualExport.txt still hold their office is
not known, so they are not told. An operator brings the folder: `load_bulk_data MA --file`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from scrapers.bulk_data.companions import companions
from scrapers.bulk_data.published import BulkData, Row
from scrapers.bulk_data.reading import open_table
from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import coded, listed, need_text, text
from scrapers.records import EntityRecord

_ENDS = coded("M: Merger | I: Involuntary Dissolution | V: Voluntary Dissolution | C: Cancelled")
_IN_BEING, _ENDED = frozenset("YA"), frozenset("NI")  # the letters of the flag
_NO_STATE = "FF"  # where another country, or none, is the home
_ENTITY = listed(
    "dataid | fein | entityname | entitytypedescriptor | dateoforganization | jurisdictionstate | inactivedate | "
    "inactivetype | addr1 | addr2 | city | state | postalcode"
)


def _rows(folder: Path) -> Iterator[Row]:
    """Every entity, with its former names as a JSON list."""
    changed = open_table(folder / "CorpNameChange.txt", frozenset(listed("dataid | oldentityname")), encoding="cp1252")
    with companions(folder, {"names": ((row["dataid"], (row["oldentityname"],)) for row in changed)}) as find:
        for row in open_table(folder / "CorpData.txt", frozenset(_ENTITY), encoding="cp1252"):
            yield {**row, **find(row["dataid"])}


def _record(row: Row) -> EntityRecord:
    """One entity; the file has no status word, but the day and kind of an end."""
    name = need_text(row, "entityname")
    former = (text(old) for (old,) in json.loads(row["names"]))
    kind = text(row["entitytypedescriptor"])
    return EntityRecord(
        entity_name=name,
        entity_id=text(row["fein"]) or need_text(row, "dataid"),
        entity_type=kind,
        status=_status(row),
        formation_date=row["dateoforganization"].partition(" ")[0] or None,  # a time may stand behind it
        jurisdiction=_home(row) or ("MA" if (kind or "").startswith("Domestic") else None),
        principal_address=addresses.from_parts(
            row["addr1"], row["addr2"], city=row["city"], state=row["state"], zip=row["postalcode"]
        ),
        former_names=tuple(dict.fromkeys(old for old in former if old and old != name)),
        sos_url="https://corp.sec.state.ma.us/CorpWeb/CorpSearch/CorpSearch.aspx",
    )


def _home(row: Row) -> str | None:
    state = text(row["jurisdictionstate"])
    return None if (state or "").upper() == _NO_STATE else state


def _status(row: Row) -> str:
    """ "Active", or "Inactive: " and why; PageChanged for an end of an unknown code."""
    code, flag = row["inactivetype"].upper(), row.get("activeflag", "").strip().upper()
    if code and code not in _ENDS:
        raise PageChanged(f"{row['dataid']}: an end of the unknown kind {code!r}")
    if flag in _IN_BEING:
        return "Active"
    if not code and not row["inactivedate"]:
        return "Inactive" if flag in _ENDED else "Active"
    return f"Inactive: {_ENDS.get(code, 'date given')}"


BULK_DATA = BulkData(
    "https://corp.sec.state.ma.us/CorpWeb/CorpSearch/CorpSearch.aspx",
    "csv",
    least_rows=500_000,
    record=_record,
    joined=_rows,
    supplied=True,
    walled=True,
    lacks=frozenset(listed("agent_name | agent_address | officers | assumed_names")),
)
