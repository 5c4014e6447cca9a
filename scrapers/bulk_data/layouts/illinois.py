"""Illinois' companies as published: corporations and LLCs, each in a master, a name and an agent file.

Fixed width, joined here by file number. Known from a public description (2025-08) whose author fetched them; another
source says that bulk use needs a paid contract, so an operator must settle that first. The codes are those of the
office's "Procedures to Access Corp Data" (elements 41003, 41006, 41007) and "Procedures to Access LL Data" (42010),
version 004 of 2024-04-04, as public readers wrote them down: four of them the corporations', one the LLCs'. One number
means different things in the two. A code that is in no list is told as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from scrapers.bulk_data.archives import member_lines, unpacked
from scrapers.bulk_data.published import BulkData, Row
from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import coded, listed
from scrapers.records import Address, EntityRecord

_FOLDER = "https://www.ilsos.gov/data/bs/"
_ENCODING = "iso8859_9"
_CORPORATION_STATUS = coded(
    "00: Goodstanding | 01: Reinstated | 02: Intent to dissolve | 03: Bankruptcy | 04: Unacceptable payment | "
    "05: Agent vacated | 06: Withdrawn | 07: Revoked | 08: Dissolved | 09: Merged/Consolidated | "
    "10: Registered name expiration | 11: Expired | 12: Registered name cancellation | 13: Special Act Corporation | "
    "14: Administratively Dissolved | 15: Converted | 16: Redomesticated | 17: Ag-Coop"
)
_CORPORATION_TYPE = coded(
    "2: Summons - Not Qualified | 3: Registered Name Only | 4: Domestic Business Corporation | "
    "5: Not-for-Profit Corporation | 6: Foreign Business Corporation"
)
_STATE = coded(
    "01: AL | 02: AK | 04: AZ | 05: AR | 06: CA | 08: CO | 09: CT | 10: DE | 11: DC | 12: FL | 13: GA | 15: HI | "
    "16: ID | 17: IL | 18: IN | 19: IA | 20: KS | 21: KY | 22: LA | 23: ME | 24: MD | 25: MA | 26: MI | 27: MN | "
    "28: MS | 29: MO | 30: MT | 31: NE | 32: NV | 33: NH | 34: NJ | 35: NM | 36: NY | 37: NC | 38: ND | 39: OH | "
    "40: OK | 41: OR | 42: PA | 43: PR | 44: RI | 45: SC | 46: SD | 47: TN | 48: TX | 49: UT | 50: VT | 51: VA | "
    "53: WA | 54: WV | 55: WI | 56: WY"
)
_LLC_STATUS = coded(
    "00: Goodstanding | 01: Reinstated | 02: NGS | 03: Domesticated | 04: Converted | 05: Agent Vacated | "
    "06: Withdrawn | 07: Revoked | 08: Voluntary Dissolution/Terminated | 09: Involuntary Dissolution | 10: Merged | "
    "11: Administratively Dissolved | 12: Void | 13: Bankruptcy | 14: Hold"
)
_VACATED = "9"  # of an agent who left the office, in both files (elements 41035, 42002)
_MORE = listed("cdxallnam | cdxallagt | llcallmst | llcallnam | llcallagt")


def _rows(folder: Path) -> Iterator[Row]:
    """Corporations, then LLCs: {"kind", "master", "name", "agent"}; the agent is empty where there is none."""
    for kind, prefix in (("corporation", "cdxall"), ("llc", "llcall")):
        with ExitStack() as stack:
            master, name, agent = (_lines(folder / f"{prefix}{part}.zip", stack) for part in ("mst", "nam", "agt"))
            yield from _joined(kind, master, name, agent)


def _lines(path: Path, stack: ExitStack) -> Iterator[tuple[str, str]]:
    """(file number, line) of one file, in rising order; its first and last line are header and footer."""
    archive = stack.enter_context(unpacked(path))
    if len(archive.namelist()) != 1:
        raise PageChanged(f"{path.name} holds {archive.namelist()}, expected one file")
    before = odd = ""
    for line in stack.enter_context(member_lines(archive, archive.namelist()[0], encoding=_ENCODING)):
        number = line[:8]
        is_numbered = re.fullmatch("[0-9]{8}", number) is not None
        if odd and (before or not is_numbered) and line.strip():
            raise PageChanged(f"{path.name}: {odd[:40]!r} does not begin with a number, and is no header or footer")
        odd = "" if is_numbered else odd or line.strip()
        if not is_numbered:
            continue
        if number < before:
            raise PageChanged(f"{path.name}: {number} stands after {before}, so the files cannot be joined")
        before = number
        yield number, line.rstrip("\r\n")


def _joined(
    kind: str, master: Iterator[tuple[str, str]], name: Iterator[tuple[str, str]], agent: Iterator[tuple[str, str]]
) -> Iterator[Row]:
    names, agents = _Following(name), _Following(agent)
    for number, line in master:
        called = names.take(number)
        if called is None:
            raise PageChanged(f"{kind} {number} has no name")
        yield {"kind": kind, "master": line, "name": called, "agent": agents.take(number) or ""}


class _Following:
    """One of the joined files, read along with the master file."""

    def __init__(self, lines: Iterator[tuple[str, str]]) -> None:
        self._lines = lines
        self._next: tuple[str, str] | None = next(lines, None)

    def take(self, number: str) -> str | None:
        """The first line with this number; earlier ones are passed over."""
        while self._next is not None and self._next[0] < number:
            self._next = next(self._lines, None)
        return self._next[1] if self._next is not None and self._next[0] == number else None


def _record(row: Row) -> EntityRecord:
    """One joined row as a record."""
    master, agent = row["master"], row["agent"]
    corporation = row["kind"] == "corporation"
    code = master[29:31] if corporation else master[14:16]
    home = _STATE.get(master[24:26], master[24:26].strip()) if corporation else _letters(master[41:43])
    street = 68 if corporation else 69
    code_at = 151 if corporation else 8
    if agent[code_at : code_at + 1] == _VACATED:
        agent = ""
    if not re.fullmatch(r"[0-9]{2}", code):  # a line that is cut, or shifted
        raise PageChanged(f"{master[:8]}: the status {code!r}")
    return EntityRecord(
        entity_name=row["name"][8:].strip(),
        entity_id=master[:8],
        entity_type=_CORPORATION_TYPE.get(master[31:32], "Corporation") if corporation else "Limited Liability Company",
        status=(_CORPORATION_STATUS if corporation else _LLC_STATUS).get(code, f"status code {code}"),
        formation_date=_day(master[8:16] if corporation else master[24:32]),
        jurisdiction=home or None,
        agent_name=(agent[8:68] if corporation else agent[9:69]).strip() or None,
        agent_address=addresses.from_parts(
            agent[street : street + 45],
            city=agent[street + 45 : street + 75],
            state="IL" if agent else None,
            zip=(agent[152:161] if corporation else agent[144:153]).strip(),
        ),
        principal_address=Address() if corporation else _office(master),
        sos_url="https://apps.ilsos.gov/businessentitysearch/",
    )


def _letters(place: str) -> str | None:
    """An LLC's state; a number in its place is a country's, which has no list here (elements 42016)."""
    return place if place.isalpha() else None


def _day(field: str) -> str | None:
    """A day of eight digits; noughts stand for none."""
    return field.strip() if field.strip(" 0") else None


def _office(master: str) -> Address:
    """An LLC's principal office; corporations have none in the files."""
    state = _letters(master[127:129])
    return addresses.from_parts(master[43:88], city=master[88:118], state=state, zip=master[118:127].strip())


BULK_DATA = BulkData(
    f"{_FOLDER}cdxallmst.zip",
    "fixed-zip",
    least_rows=500_000,
    record=_record,
    more=tuple(f"{_FOLDER}{name}.zip" for name in _MORE),
    joined=_rows,
    walled=True,
)
