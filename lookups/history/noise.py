"""The forms in which a registry's texts are compared over time: equal forms say the same in another spelling.

Case, punctuation, blanks, the order of lists and the way an address is divided and shortened are habits of a page. A
registry that changes them has said nothing new, and nobody is to be told that a company moved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

from scrapers.normalize import addresses, dates, names, officers
from scrapers.normalize.vocabulary import NUMERALS
from scrapers.parsing.fields import coded

_SIGNS = re.compile(r"[#$%@*=]")  # no punctuation: "C# Labs" is not "C Labs"
# As the Postal Service shortens them; what says only that a number is a room's tells no two rooms apart.
_STREET_WORDS = coded(
    "street: st | str: st | avenue: ave | av: ave | boulevard: blvd | road: rd | drive: dr | lane: ln | court: ct | "
    "place: pl | square: sq | terrace: ter | parkway: pkwy | highway: hwy | circle: cir | trail: trl | "
    "turnpike: tpke | expressway: expy | freeway: fwy | plaza: plz | center: ctr | centre: ctr | route: rte | "
    "crossing: xing | building: bldg | floor: fl | room: rm | department: dept | "
    "north: n | south: s | east: e | west: w | northeast: ne | northwest: nw | southeast: se | southwest: sw | "
    "saint: st | fort: ft | mount: mt | heights: hts | springs: spgs | junction: jct | "
    "suite: | ste: | unit: | apartment: | apt: | number: | no:"
)
_HERE = re.compile(r" (?:usa|us|united states(?: of america)?)$")
_BOX = re.compile(r"\b(?:po|p o|post office) box\b")
# The longest name first: "West Virginia" is not Virginia. A part of a ZIP code's nine digits may be a habit, too.
_STATES = "|".join(sorted((name.lower() for name in addresses.STATES), key=len, reverse=True))
_STATE_AND_ZIP = re.compile(rf"\b({_STATES}|[a-z]{{2}}) (\d{{5}})(?: ?\d{{4}})?$")
_DIVIDED = re.compile(r"[;,/&]|\band\b", flags=re.IGNORECASE)

ADDRESS_PARTS = ("Address", "City", "State", "Zip")
Form = Callable[[str], str]


def text(written: str) -> str:
    """Words and numbers without case, accents and punctuation; initials run together, with or without their dots."""
    words = names.plain(written).split()
    runs = (("".join(run),) if single else tuple(run) for single, run in groupby(words, _is_initial))
    plain = " ".join(word for run in runs for word in run)
    signs = "".join(_SIGNS.findall(written))
    return f"{plain} {signs}".strip() or " ".join(written.split()).casefold()


def party(written: str) -> str:
    """A name that may be a person's: "SMITH, JORDAN" is "Jordan Smith"; the words of a company keep their order."""
    plain = text(written)
    return plain if officers.is_organization(written) else " ".join(sorted(plain.split()))


def parties(written: str) -> str:
    """Several names or titles in one text, in whatever order."""
    return " | ".join(sorted(text(part) for part in _DIVIDED.split(written) if part.strip()))


def day(written: str) -> str:
    """A date in whatever form."""
    return dates.to_iso(written) or text(written)


def number(written: str) -> str:
    """Letters and digits alone: "12-3456789" is 123456789."""
    return re.sub(r"[\W_]+", "", written).casefold() or written


def address(written: str) -> str:
    """An address in one line, however it is divided and shortened; a ZIP code counts by its first five digits."""
    plain = _HERE.sub("", _BOX.sub("pobox", names.plain(written)))
    plain = _STATE_AND_ZIP.sub(
        lambda found: f"{addresses.STATES.get(found[1].upper(), found[1])} {found[2]}".lower(), plain
    )
    words = (_STREET_WORDS.get(word, NUMERALS.get(word, word)) for word in plain.split())
    return " ".join(word for word in words if word) or text(written)


def region(written: str) -> str:
    """A state, by its letters or its name."""
    return addresses.state_code(written) or text(written)


def zip_code(written: str) -> str:
    """A ZIP code by its first five digits; another country's as it is."""
    read = addresses.zip_code(written)
    return read[:5] if read else number(written)


_FORMS: Mapping[str, Form] = {
    "formationDate": day,
    "fileDate": day,
    "lapseDate": day,
    "date": day,
    "name": party,
    "registeredAgentName": party,
    "debtorName": lambda written: " | ".join(sorted(map(party, written.split(";")))),
    "securedParty": lambda written: " | ".join(sorted(map(party, written.split(";")))),
    "title": parties,
    "feiEinNumber": number,
    "entityId": number,
    "fileNumber": number,
    "address": address,
    "state": region,
    "jurisdiction": region,
    "zip": zip_code,
}


def form_of(field: str, value: Any) -> Any:
    """The form in which the value of this field is compared; equal ones say the same. Nothing and blank are one."""
    if isinstance(value, str):
        return _form(field)(value) if value.strip() else None
    if isinstance(value, Mapping):
        return tuple(sorted((name, repr(form_of(name, one))) for name, one in value.items()))
    if isinstance(value, list):
        return tuple(sorted(repr(form_of(field, one)) for one in value))
    return value


def whole_address(record: Mapping[str, Any], fields: tuple[str, ...]) -> str | None:
    """The comparison form of an address that stands in several fields; None without one."""
    street, city, state, zip_ = (str(record.get(name) or "").strip() for name in fields)
    line = ", ".join(part for part in (street, city, f"{state} {zip_}".strip()) if part)
    return address(line) if line else None


def _form(field: str) -> Form:
    if field in _FORMS:
        return _FORMS[field]
    by_end = {"Address": address, "State": region, "Zip": zip_code}
    return next((form for end, form in by_end.items() if field.endswith(end)), text)


def _is_initial(word: str) -> bool:
    return len(word) == 1 and word.isalpha()
