"""US addresses written in one line or several, split into street, city, state and ZIP.

Only what is sure is split: an address that cannot be read keeps its whole text in `street` and leaves the rest
None, so that nothing is invented.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import usaddress

from jurisdictions.codes import PLACES
from scrapers.records import Address

STATES = {place.name.replace(".", "").upper(): code for code, place in PLACES.items()} | {"VIRGIN ISLANDS": "VI"}
_CODES = frozenset(STATES.values())
_COUNTRIES = {"USA", "US", "U.S.A.", "U.S.", "UNITED STATES", "UNITED STATES OF AMERICA", "UNITED STATES (USA)"}
_ZIP_AT_END = re.compile(r"^(?P<rest>.+?)[.,\s]+(?P<zip>\d{5}(?:-?\d{4})?)(?:-0000)?$")
_COUNTRY_AT_END = re.compile(r"(?<=\d)\s+(U\.?S\.?A\.?|UNITED STATES(?: OF AMERICA)?)$", re.IGNORECASE)


def state_code(text: str | None) -> str | None:
    """Two letters for a state written either way; None for anything else."""
    word = " ".join((text or "").replace(".", "").split()).upper()
    return word if word in _CODES else STATES.get(word)


def zip_code(text: str | None) -> str | None:
    """A ZIP code as 12345 or 12345-6789; None when there is none in the text."""
    found = re.fullmatch(r"\s*(\d{5})(?:-?(\d{4}))?-?\s*", text or "")
    if not found:
        return None
    return found[1] if found[2] in (None, "0000") else f"{found[1]}-{found[2]}"


def from_parts(
    *street: str | None,
    city: str | None = None,
    state: str | None = None,
    zip: str | None = None,
    country: str | None = None,
) -> Address:
    """Build an address from a portal that splits it itself; blanks become None, states become two letters."""
    lines = [" ".join(line.split()) for line in street if line and line.strip()]
    return Address(
        street=", ".join(dict.fromkeys(lines)) or None,
        city=" ".join((city or "").split()) or None,
        state=state_code(state) or (" ".join((state or "").split()) or None),
        zip=zip_code(zip) or (zip or "").strip() or None,
        country=" ".join((country or "").split()) or None,
    )


def from_lines(lines: Iterable[str | None]) -> Address:
    """Split an address given in lines, the last of which is "CITY, ST 12345" (a country line may follow)."""
    rows = [" ".join(line.split()).strip(" ,") for line in lines if line and line.strip(" ,")]
    country = rows.pop() if rows and rows[-1].upper() in _COUNTRIES else None
    if not rows:
        return Address(country=country)
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
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if parts and parts[-1].upper() in _COUNTRIES:
        country = parts.pop()
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


def _tail(text: str) -> tuple[str, str, str | None] | None:
    """City, state and ZIP of "CITY, ST 12345"; the longest name of a state counts ("West Virginia", not "Virginia")."""
    found = _ZIP_AT_END.match(text)
    if not found or state_code(found["rest"]):
        return None
    for words in (4, 3, 2, 1):
        parts = re.match(rf"^(?P<city>.*?)[,\s]+(?P<state>\S+(?:\s+\S+){{{words - 1}}})$", found["rest"])
        state = state_code(parts["state"]) if parts else None
        if parts and state:
            city = parts["city"].strip(" ,")
            sure = city and "," not in city and not any(sign.isdigit() for sign in city)
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
    if kind not in ("Street Address", "PO Box") or not state or not city or city not in text:
        return Address(street=text or None, country=country)
    street = text[: text.rindex(city)].strip(" ,")
    return Address(street or None, city, state, zip_code(tags.get("ZipCode")), country)


def one_line(address: Address) -> str | None:
    """An address in one line, for officers: "1 MAIN ST, ALBANY, NY 12207"; None when it is empty."""
    place = " ".join(part for part in (address.state, address.zip) if part)
    return ", ".join(part for part in (address.street, address.city, place, address.country) if part) or None
