"""Officers and agents: turns "LAST, FIRST", tells persons from companies and recognizes commercial agents."""

from __future__ import annotations

import re
from typing import Literal, TypedDict

from scrapers.normalize import names
from scrapers.parsing.fields import listed
from scrapers.records import Officer

_AFTER_A_NAME = "jr sr ii iii iv v esq esquire md cpa phd dds dmd dvm dpm jd lcsw rn"  # no "do": a family is called so
_GENERATION = frozenset(_AFTER_A_NAME.split())
_ADDRESSED_AS = {"dr", "mr", "mrs", "ms", "miss", "rev", "hon", "prof", "sir"}
# Offices that a registry writes behind the name: "JORDAN SMITH CEO".
_OFFICE_WORDS = "ceo cfo coo cto cio vp president treasurer chairman chairwoman director manager member owner trustee"
_OFFICES = frozenset(_OFFICE_WORDS.split())
_OFFICES_OF_TWO_WORDS = {("vice", "president"), ("managing", "member")}
_BEHIND_NAMES = _GENERATION | _OFFICES
# "C/O JORDAN SMITH", "ATTN: JORDAN SMITH", "JORDAN AND CASEY SMITH": who of them is meant, nobody can say.
_CARE_OR_SEVERAL = re.compile(r"\b(?:c/o|attn|and|or)\b|%", re.IGNORECASE)
_PARTICLES = {"de", "del", "la", "las", "los", "van", "der", "den", "von", "di", "da", "dos", "du", "le", "st", "ter"}
_IN_COMPANY_NAMES = """
trust group holdings partners services service associates agents agent solutions management enterprises capital
properties investments foundation association university fund office offices firm insurance estate systems
international industries ventures consulting realty corporate registered department commissioner superintendent
secretary state city county national american llc inc corp pllc llp lp plc
"""
_COMPANY_WORDS = frozenset(_IN_COMPANY_NAMES.split())
_ALSO_SURNAMES = {"law", "church", "bank"}  # "JORDAN CHURCH" is a person, "FIRST METHODIST CHURCH" is not
_SURNAMES_BEFORE_A_COMMA = {"state", "capital", "national", "county"}  # "STATE, JORDAN"
# Public names of companies whose business it is to be an agent; a name that begins so is one of them.
_COMMERCIAL = listed(
    "c t corporation system | ct corporation system | corporation service company | registered agents inc | "
    "northwest registered agent | national registered agents | incorp services | legalzoom | "
    "united states corporation agents | cogency global | the corporation trust company | corporation trust company | "
    "capitol corporate services | paracorp | vcorp | harvard business services | registered agent solutions | "
    "universal registered agents | nch registered agent | zenbusiness | bizfilings | business filings incorporated | "
    "incorporating services | legalinc | republic registered agent | resident agents inc | corporate creations | "
    "unisearch | csc lawyers | lawyers incorporating service | prentice hall corporation system | "
    "the prentice hall corporation system"
)


class PersonOrCompany(TypedDict):
    """What `normalized.officers` holds for each officer, in the same order as `officers`."""

    givenName: str | None
    familyName: str | None
    kind: Literal["person", "organization"]


def is_organization(name: str) -> bool:
    """Say whether a name is a company's: it has a legal form, a company word, a digit or `&`."""
    text = names.plain(name)
    words = text.split()
    if is_commercial_agent(name) or has_company_signs(name):
        return True
    if _opens_with_surname(name):
        return False
    if len(words) > 2 and any(word in _ALSO_SURNAMES for word in words):
        return True
    return any(word in _COMPANY_WORDS for word in words) or len(words) == 1


def has_company_signs(name: str) -> bool:
    """Whether a name has what no person's has: a legal form, a digit or `&`."""
    return bool(names.legal_form(name)) or any(sign.isdigit() for sign in names.plain(name)) or "&" in name


def _opens_with_surname(name: str) -> bool:
    """Whether a comma sets off a word that companies have too, and what follows are first names alone."""
    surname, comma, first = name.partition(",")
    given = names.plain(first).split()
    last = names.plain(surname)
    return bool(comma and given) and last in _SURNAMES_BEFORE_A_COMMA and not _COMPANY_WORDS.intersection(given)


def is_commercial_agent(name: str | None) -> bool:
    """Say whether an agent's name is one of the companies that do this for a living."""
    return bool(name) and names.plain(name or "").startswith(_COMMERCIAL)


def turned(name: str) -> str:
    """ "SMITH, JORDAN A" as "JORDAN A SMITH"; companies and names without a comma stay as they are."""
    parts = None if is_organization(name) else _comma_parts(name)
    return " ".join(" ".join(parts).split()) if parts else " ".join(name.split())


def _comma_parts(name: str) -> tuple[str, str, str] | None:
    """First names, family name and the rest of "SMITH, JORDAN A", "SMITH, JORDAN, JR" or CEO; None for other forms."""
    last, first, generation = (*(part.strip() for part in name.split(",")), "", "")[:3]
    if generation and _letters(first) in _GENERATION:  # "SMITH, JR., JORDAN"
        first, generation = generation, first
    if not first or not last or name.count(",") > 2 or _stands_behind(first):
        return None
    if generation and not _stands_behind(generation):
        return None
    return first, last, generation


def _letters(text: str) -> str:
    """A title as it is compared: "Ph.D." is "phd"."""
    return names.plain(text).replace(" ", "")


def _stands_behind(text: str) -> bool:
    """Whether this is a title or an office that follows a name, and no name."""
    return _letters(text) in _BEHIND_NAMES or tuple(names.plain(text).split()) in _OFFICES_OF_TWO_WORDS


def person_in(name: str) -> tuple[str, str] | None:
    """First and last name, where a name may be a person's; None for a company's. For indexes that ask for the parts."""
    parts = person_parts(name)
    return (parts[0], parts[2]) if parts else None


def person_parts(name: str) -> tuple[str, str, str] | None:
    """First, middle and last name ("VAN DYKE") without "Jr." or "Dr.", where a name may be a person's."""
    given, family = ([], []) if is_organization(name) else split(name)
    if not given or not family or len(given) > 3:
        return None
    return given[0], " ".join(given[1:]), " ".join(family)


def read(officer: Officer) -> PersonOrCompany:
    """Split an officer's name; given and family name stay None for a company or an unclear name."""
    if officer.kind == "organization" or (officer.kind is None and is_organization(officer.name)):
        return {"givenName": None, "familyName": None, "kind": "organization"}
    given, family = split(officer.name)
    if officer.family:  # "MARIA RIVERA ORTIZ": the registry says that both are
        family = _bare(officer.family.replace(",", " ").split())
    unclear = _CARE_OR_SEVERAL.search(officer.name) or (len(family) == 1 and _is_initial(family[0], officer.name))
    if not given or not family or unclear:
        return {"givenName": None, "familyName": None, "kind": "person"}
    return {"givenName": _cased(given[0]), "familyName": " ".join(map(_cased, family)), "kind": "person"}


def _is_initial(family: str, name: str) -> bool:
    """Whether a name ends in a letter ("SMITH JORDAN A"), and no comma says that a family is called so."""
    return len(_letters(family)) == 1 and "," not in name


def split(name: str) -> tuple[list[str], list[str]]:
    """The given names of a person and the words of the family name, which a comma or small words show to be several."""
    parts = _comma_parts(name)
    if parts:  # the comma says what the family name is, however many words it has
        return _bare(parts[0].split()), _bare(parts[1].split())
    words = _bare(name.replace(",", " ").split())
    cut = len(words) - 1
    while cut > 1 and names.plain(words[cut - 1]) in _PARTICLES:
        cut -= 1
    return words[: max(cut, 0)], words[max(cut, 0) :]


def _bare(words: list[str]) -> list[str]:
    """The words of a person's name without forms of address, generation and office; a family may be called Manager."""
    words = [word for word in words if any(map(str.isalnum, word))]  # "JORDAN SMITH - MANAGER"
    while len(words) > 2 and names.plain(words[-1]) in _OFFICES:
        double = tuple(map(names.plain, words[-2:])) in _OFFICES_OF_TWO_WORDS and len(words) > 3
        words = words[: -2 if double else -1]
    while len(words) > 1 and names.plain(words[0]) in _ADDRESSED_AS:
        words = words[1:]
    while len(words) > 1 and _letters(words[-1]) in _GENERATION:
        words = words[:-1]
    return words


def _cased(word: str) -> str:
    """Capitals only are turned to "Mixed"; a name already mixed is the person's own spelling."""
    if not word.isupper() or len(word) < 2:
        return word
    mixed = re.sub(r"[^\W\d_]+", lambda part: part.group().capitalize(), word)
    mixed = re.sub(r"(?<=\w['\u2019])S\b", "s", mixed)
    return re.sub(r"\bMc(?=[a-z]{3})(.)", lambda part: "Mc" + part[1].upper(), mixed)
