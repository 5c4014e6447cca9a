"""The codes by which GLEIF names the registries of the states (its Registration Authorities list).

They run from RA000594 in the order of postal codes. Those in `CONFIRMED` were seen in published LEI records with
numbers of that state; the others follow from the order alone, and whoever is told one is told so. RA777777, RA888888
and RA999999 are placeholders in LEI records: they name no registry, and match nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scrapers.parsing.fields import listed

FIRST = 594
STATES = listed(
    "AK | AL | AR | AZ | CA | CO | CT | DC | DE | FL | GA | HI | IA | ID | IL | IN | KS | KY | LA | MA | MD | ME | "
    "MI | MN | MO | MS | MT | NC | ND | NE | NH | NJ | NM | NV | NY | OH | OK | OR | PA | RI | SC | SD | TN | TX | "
    "UT | VA | VT | WA | WI | WV | WY"
)
CONFIRMED = frozenset(listed("CA | CO | DC | DE | FL | IL | MA | MD | NJ | NV | NY | OH | SD | TX"))


@dataclass(frozen=True, slots=True)
class Authority:
    """A registry as GLEIF names it."""

    code: str
    is_confirmed: bool


AUTHORITIES = {state: Authority(f"RA{FIRST + at:06}", state in CONFIRMED) for at, state in enumerate(STATES)}
# Where a company is known here by another office's number: which of its record's `identifiers` is the registry's own.
# Texas' accounts are the Comptroller's; the Secretary of State, whom GLEIF names, gives file numbers.
OWN_NUMBERS = {"TX": "sosFileNumber"}
CODES = frozenset(one.code for one in AUTHORITIES.values())


def find_numbers(state: str, entity_id: str, identifiers: Mapping[str, str]) -> tuple[str, ...]:
    """The number that the registry itself gave a company, as LEI records may have it; nothing where none is known.

    Those of Texas are seen with the zero before them and without (0805587591, 805587591), nowhere else are two ways.
    """
    own = OWN_NUMBERS.get(state)
    number = (entity_id if own is None else identifiers.get(own, "")).strip()
    spelled = (number, number.lstrip("0")) if state == "TX" else (number,)
    return tuple(dict.fromkeys(filter(None, spelled)))


def find_authority(state: str) -> Authority | None:
    """The registry of a state; None for territories, of which no code is known."""
    return AUTHORITIES.get(state)
