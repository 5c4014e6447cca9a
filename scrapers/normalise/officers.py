"""Officers and agents: "LAST, FIRST" turned, persons told from companies, commercial agents recognised."""

from __future__ import annotations

import re
from typing import Literal, TypedDict

from scrapers.normalise import names
from scrapers.records import Officer

_GENERATION = {"jr", "sr", "ii", "iii", "iv", "esq", "md", "cpa", "phd", "dds"}
_COMPANY_WORDS = {
    "trust", "group", "holdings", "partners", "services", "service", "associates", "agents", "agent", "solutions",
    "management", "enterprises", "capital", "properties", "investments", "foundation", "association", "university",
    "fund", "office", "offices", "firm", "insurance", "estate", "systems", "international", "industries",
    "ventures", "consulting", "realty", "corporate", "registered", "department", "commissioner", "superintendent",
    "secretary", "state", "city", "county", "national", "american", "llc", "inc", "corp", "pllc", "llp", "lp", "plc",
}  # fmt: skip
_ALSO_SURNAMES = {"law", "church", "bank"}  # "JORDAN CHURCH" is a person, "FIRST METHODIST CHURCH" is not
# Public names of companies whose business it is to be an agent; a name that begins so is one of them.
_COMMERCIAL = (
    "c t corporation system", "ct corporation system", "corporation service company", "registered agents inc",
    "northwest registered agent", "national registered agents", "incorp services", "legalzoom",
    "united states corporation agents",
    "cogency global", "the corporation trust company", "corporation trust company", "capitol corporate services",
    "paracorp", "vcorp", "harvard business services", "registered agent solutions", "universal registered agents",
    "nch registered agent", "zenbusiness", "bizfilings", "business filings incorporated", "incorporating services",
    "legalinc", "republic registered agent", "resident agents inc", "corporate creations", "unisearch", "csc lawyers",
    "lawyers incorporating service", "prentice hall corporation system", "the prentice hall corporation system",
)  # fmt: skip


class PersonOrCompany(TypedDict):
    """What `normalized.officers` holds for each officer, in the same order as `officers`."""

    givenName: str | None
    familyName: str | None
    kind: Literal["person", "organization"]


def is_organization(name: str) -> bool:
    """Say whether a name is a company's: it has a legal form, a company word, a digit or `&`."""
    text = names.plain(name)
    words = text.split()
    if is_commercial_agent(name) or names.legal_form(name) or any(sign.isdigit() for sign in text) or "&" in name:
        return True
    if len(words) > 2 and any(word in _ALSO_SURNAMES for word in words):
        return True
    return any(word in _COMPANY_WORDS for word in words) or len(words) == 1


def is_commercial_agent(name: str | None) -> bool:
    """Say whether an agent's name is one of the companies that do this for a living."""
    return bool(name) and names.plain(name or "").startswith(_COMMERCIAL)


def turned(name: str) -> str:
    """ "SMITH, JORDAN A" as "JORDAN A SMITH"; companies and names without a comma stay as they are."""
    last, comma, first = (part.strip() for part in name.partition(","))
    if not comma or not first or not last or "," in first:
        return " ".join(name.split())
    if names.plain(first) in _GENERATION or is_organization(name):
        return " ".join(name.split())
    return " ".join(f"{first} {last}".split())


def person_in(name: str) -> tuple[str, str] | None:
    """First and last name, where a name may be a person's; None for a company's. For indexes that ask for the parts."""
    words = turned(name).replace(",", " ").split()
    if is_organization(name) or not 2 <= len(words) <= 4:
        return None
    return words[0], words[-1]


def read(officer: Officer) -> PersonOrCompany:
    """Split an officer's name; given and family name stay None for a company or an unclear name."""
    if is_organization(officer.name):
        return {"givenName": None, "familyName": None, "kind": "organization"}
    words = turned(officer.name).replace(",", " ").split()
    while len(words) > 2 and names.plain(words[-1]) in _GENERATION:
        words.pop()
    if len(words) < 2:
        return {"givenName": None, "familyName": None, "kind": "person"}
    return {"givenName": _cased(words[0]), "familyName": _cased(words[-1]), "kind": "person"}


def _cased(word: str) -> str:
    """Capitals only are turned to "Mixed"; a name already mixed is the person's own spelling."""
    if not word.isupper() or len(word) < 2:
        return word
    return re.sub(r"[^\W\d_]+", lambda part: part.group().capitalize(), word)
