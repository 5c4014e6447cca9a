"""Addresses written in one line or several, split into street, city, state and ZIP: of the US, its forces, and abroad.

Only what is sure is split: an address that cannot be read keeps its whole text in `street` and leaves the rest
None, so that nothing is invented.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import usaddress

from jurisdictions.codes import PLACES
from scrapers.normalize.placeholders import is_placeholder, stated
from scrapers.parsing.fields import coded
from scrapers.records import Address

STATES = {place.name.replace(".", "").upper(): code for code, place in PLACES.items()} | {"VIRGIN ISLANDS": "VI"}
_CODES = frozenset(STATES.values())
LONGEST = 2_000  # characters; the forms below try each place of a text, of a hundred thousand for minutes
_COUNTRIES = {"USA", "US", "U.S.A.", "U.S.", "UNITED STATES", "UNITED STATES OF AMERICA", "UNITED STATES (USA)"}
_ZIP_AT_END = re.compile(r"^(?P<rest>.*?[^.,\s])[.,\s]+(?P<zip>\d{5}(?:-?\d{4})?)(?:-0000)?$")
_NO_ZIP = re.compile(r"\s*(?:0{5}|9{5})(?:-?(?:0{4}|9{4}))?-?\s*")  # no post office has one of these
_TAIL_ALONE = re.compile(r"[,\s]+[^\d,]+(?:[,\s]+\d{5}(?:-?\d{4})?)?[-.,\s]*")  # behind a city: a state, perhaps a ZIP
_CITY_AND_STATE = [  # the state in four words, three, two, one
    re.compile(rf"^(?P<city>.*?)[,\s]+(?P<state>\S+(?:\s+\S+){{{more}}})$") for more in (3, 2, 1, 0)
]
_COUNTRY_AT_END = re.compile(r"(?<=\d{4})\s+(U\.?S\.?(?:A\.?)?|UNITED STATES(?: OF AMERICA)?)$", re.IGNORECASE)
_NUMBERED_CITIES = {"29 PALMS", "1000 OAKS", "1000 PALMS"}  # elsewhere a number belongs to the street
_OF_STREETS = re.compile(  # behind another word these are of a street or a house: "ONE MAIN STREET HARTFORD" is no city
    r"\S\s+(?:(?:street|road|avenue|boulevard|drive|highway|parkway|route|suite|floor|building|plaza|office|box|delivery)\b"
    r"|(?:center|square)\s+\S)",
    re.IGNORECASE,
)
_MILITARY = re.compile(  # "PSC 3 BOX 1234 / APO, AP 96266"
    r"(?:(?P<street>.+?)[\s,/]+)?(?P<city>[AFD]PO)[\s,]+(?P<state>A[AEP])[\s,]+(?P<zip>\d{5}(?:-?\d{4})?)",
    re.IGNORECASE,
)
_CANADA = re.compile(
    r"(?P<city>[^\d,]+),? (?P<state>AB|BC|MB|NB|NL|NS|NT|NU|ON|PE|QC|SK|YT|Alberta|British Columbia|Manitoba"
    r"|New Brunswick|Newfoundland and Labrador|Nova Scotia|Ontario|Prince Edward Island|Qu[eé]bec|Saskatchewan),? "
    r"(?P<zip>[A-Z]\d[A-Z] ?\d[A-Z]\d)",
    re.IGNORECASE,
)
_ABROAD = coded(
    "CANADA: CA | UNITED KINGDOM: GB | UK: GB | U.K.: GB | GREAT BRITAIN: GB | ENGLAND: GB | SCOTLAND: GB | "
    "WALES: GB | JAPAN: JP | FRANCE: EU | GERMANY: EU | ITALY: EU | SPAIN: EU"
)
_PLACES_ABROAD = {  # the last part before the country
    "CA": _CANADA,
    # After a comma it may be a county that the postcode follows: only London is none.
    "GB": re.compile(r"(?P<city>London(?=,)|[^\d,]+(?!,)),? (?P<zip>[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})", re.IGNORECASE),
    "JP": re.compile(r"(?P<city>[^\d,]+),? (?P<zip>\d{3}-\d{4})"),
    "EU": re.compile(r"(?P<zip>\d{5}) (?P<city>[^\d,]+)"),
}

# Of states whose two letters are those of a country with five digits, too: how the state's own ZIP codes begin
_ZIPS = {
    "DE": "19[789]",
    "ID": "83[2-8]",
    "IL": "6[012]",
    "LA": "70|71[0-4]",
    "MA": "01|02[0-7]|055",
    "ME": "039|04",
    "MN": "55|56[0-7]",
    "NC": "2[78]",
    "SD": "57",
    "VA": "201|2[23]|24[0-6]",
}


def state_code(text: str | None) -> str | None:
    """Two letters for a state written either way; None for anything else."""
    word = " ".join((text or "").replace(".", "").split()).upper()
    return word if word in _CODES else STATES.get(word)


def zip_code(text: str | None) -> str | None:
    """A ZIP code as 12345 or 12345-6789; None when there is none in the text."""
    found = re.fullmatch(r"\s*(\d{5})(?:-?(\d{4}))?-?\s*", text or "")
    if not found or _NO_ZIP.fullmatch(found[0]):
        return None
    return found[1] if found[2] in (None, "0000") else f"{found[1]}-{found[2]}"


def may_be_abroad(state: str, zip: str) -> bool:
    """Whether the two letters may be a country's, since the state has no such ZIP code: "Munich, DE 80331"."""
    return zip_code(zip) is not None and not re.match(_ZIPS.get(state.upper(), ""), zip)


def from_parts(
    *street: str | None,
    city: str | None = None,
    state: str | None = None,
    zip: str | None = None,
    country: str | None = None,
) -> Address:
    """Build an address from a portal that splits it itself; blanks and placeholders become None, states two letters."""
    if not (city or state or zip or country or any(street)):
        return Address()
    lines = [" ".join(line.split()) for line in street if line and not is_placeholder(line)]
    return Address(
        street=", ".join(dict.fromkeys(lines)) or None,
        city=stated(" ".join((city or "").split())),
        state=state_code(state) or stated(" ".join((state or "").split())),
        zip=zip_code(zip) or (None if _NO_ZIP.fullmatch(zip or "") else stated((zip or "").strip())),
        country=stated(" ".join((country or "").split())),
    )


def region(address: Address) -> str | None:
    """The state; for an address abroad that has none, its country, since a city alone could be anywhere."""
    abroad = address.country if (address.country or "").upper() not in _COUNTRIES else None
    return address.state or (abroad if address else None)


def from_lines(lines: Iterable[str | None]) -> Address:
    """Split an address given in lines, the last of which is "CITY, ST 12345" (a country line may follow)."""
    rows = [" ".join(line.split()).strip(" ,") for line in lines if line and not is_placeholder(line)]
    country = rows.pop() if rows and rows[-1].upper() in _COUNTRIES else None
    if not rows or sum(map(len, rows)) > LONGEST:
        return Address(street=", ".join(rows) or None, country=country)
    tail = _tail(rows[-1])
    if tail and (len(rows) > 1 or "," in rows[0]):  # a single line without a comma may begin with the street
        return Address(", ".join(rows[:-1]) or None, *tail, country)
    return _from_text(", ".join(rows), country)


def from_text(text: str | None) -> Address:
    """Split an address given in one line or with line breaks; what cannot be read stays whole in `street`."""
    return from_lines((text or "").splitlines()) if text and text.strip() else Address()


def _from_text(text: str, country: str | None) -> Address:
    named = _COUNTRY_AT_END.search(text)
    if named:
        text, country = text[: named.start()], named[1]
    parts = [part.strip() for part in text.split(",") if not is_placeholder(part)]
    if parts and parts[-1].upper() in _COUNTRIES:
        country = parts.pop()
    known = _of_the_forces(", ".join(parts), country) or _abroad(parts)
    if known:
        return known
    for cut in (1, 2, 3):  # "CITY ST 12345" | "CITY, ST 12345" | "CITY, ST, 12345"
        if len(parts) < cut:
            break
        tail = _tail(", ".join(parts[-cut:]))
        if tail and (cut > 1 or len(parts) > 1):
            return Address(", ".join(parts[:-cut]) or None, *tail, country)
    whole = ", ".join(parts)
    read = _tagged(whole, country)
    tail = _tail(whole) if not read.city else None
    return Address(None, *tail, country) if tail else read


def _of_the_forces(text: str, country: str | None) -> Address | None:
    found = _MILITARY.fullmatch(text)
    if not found:
        return None
    city, state = found["city"].upper(), found["state"].upper()
    return Address(found["street"], city, state, zip_code(found["zip"]), country)


def _abroad(parts: list[str]) -> Address | None:
    """An address that names its country, or a Canadian one, whose form is no other's; None where the form is unsure."""
    country = parts[-1] if parts and parts[-1].upper() in _ABROAD else None
    parts = parts[:-1] if country else parts
    form = _PLACES_ABROAD[_ABROAD[country.upper()]] if country else _CANADA
    for cut in (1, 2, 3):  # "Toronto ON M5V 2T6" | "Toronto, ON M5V 2T6" | "Toronto, ON, M5V 2T6"
        if len(parts) < cut or (cut == 1 and len(parts) == 1):  # a single part may begin with the street
            continue
        found = form.fullmatch(", ".join(parts[-cut:]))
        if found:
            named = found.groupdict()
            return Address(", ".join(parts[:-cut]) or None, named["city"], named.get("state"), named["zip"], country)
    return None


def _tail(text: str) -> tuple[str, str, str | None] | None:
    """City, state and ZIP of "CITY, ST 12345"; the longest name of a state counts ("West Virginia", not "Virginia")."""
    while ",," in text:  # a run of them is one: the forms below would try each place in it, for minutes
        text = text.replace(",,", ",")
    found = _ZIP_AT_END.match(text)
    if not found or state_code(found["rest"]):
        return None
    for form in _CITY_AND_STATE:
        parts = form.match(found["rest"])
        state = state_code(parts["state"]) if parts else None
        if parts and state:
            city = parts["city"].strip(" ,")
            known = city.upper() in _NUMBERED_CITIES
            is_name = "," not in city and not any(sign.isdigit() for sign in city) and not _OF_STREETS.search(city)
            sure = (known or (city and is_name)) and not may_be_abroad(parts["state"], found["zip"])
            return (city, state, zip_code(found["zip"])) if sure else None
    return None


def _tagged(text: str, country: str | None) -> Address:
    """Last resort: the probabilistic parser, believed only when it finds a real state and a city."""
    try:
        tags, kind = usaddress.tag(text)
    except usaddress.RepeatedLabelError:
        return Address(street=text or None, country=country)
    state = state_code(tags.get("StateName"))
    city = tags.get("PlaceName", "").strip(" ,")
    known = state and city and not may_be_abroad(tags["StateName"], tags.get("ZipCode", ""))
    if kind not in ("Street Address", "PO Box") or not known or city not in text:
        return Address(street=text or None, country=country)
    start = text.rindex(city)
    street, rest = text[:start].strip(" ,"), text[start + len(city) :]
    if "," in city or not _TAIL_ALONE.fullmatch(rest) or state_code(rest.strip(" ,.-0123456789")) != state:
        return Address(street=text or None, country=country)  # "Toronto, CA M5H 3R4", "Tbilisi, Georgia 0105"
    return Address(street or None, city, state, zip_code(tags.get("ZipCode")), country)


def one_line(address: Address) -> str | None:
    """An address in one line, for officers: "1 MAIN ST, ALBANY, NY 12207"; None when it is empty."""
    place = " ".join(part for part in (address.state, address.zip) if part)
    return ", ".join(part for part in (address.street, address.city, place, address.country) if part) or None
