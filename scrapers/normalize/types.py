"""Legal forms and other entity types of all states in a few classes; the state's own words stay beside them.

Whether an entity is foreign is told apart from its form (`is_domestic`); a series or a professional company is a form
of its own, because other rules hold for it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from scrapers.records import NameKind

EntityTypeClass = Literal[
    "corporation",
    "nonprofit_corporation",
    "professional_corporation",
    "benefit_corporation",
    "cooperative",
    "llc",
    "professional_llc",
    "series_llc",
    "lp",
    "llp",
    "lllp",
    "general_partnership",
    "nonprofit_association",
    "sole_proprietorship",
    "trust",
    "assumed_name",
    "reserved_name",
    "other",
]

_LLC = (
    r"(limited[- ]liability co|\bllc\b|l\.l\.c|\bl3c\b|low.profit limited|ltd\.? liability co|^limited co(mpany|\b)"
    r"|responsabilidad limitada)"
)
_EITHER = re.compile(r"\s*\([a-z]+/[a-z]+\)$")  # "(LP/LLLP)": which of them, Pennsylvania does not say
# First fit wins, so the narrower kind stands before the wider one.
_RULES: tuple[tuple[str, EntityTypeClass], ...] = (
    (r"assumed (business )?name|trade ?name|fictitious name|\bdba\b|business name registration", "assumed_name"),
    (r"\breserv(ed|ation)\b|registered name|name registration", "reserved_name"),
    (r"sole propriet", "sole_proprietorship"),
    (r"(limited[- ]liability|ltd\.? liability) (limited|ltd\.?) partnership|\blllp\b|l\.l\.l\.p", "lllp"),
    (r"limited[- ]liability partnership|\bllp\b|l\.l\.p|soc\. resp\. limitada", "llp"),
    (rf"professional.*{_LLC}|{_LLC}.*professional|professional limited[- ]liability|\bpllc\b", "professional_llc"),
    (rf"series.*{_LLC}|{_LLC}.*series|protected series", "series_llc"),
    (_LLC, "llc"),
    # Colorado's, a company by the name of a partnership; and Texas', no corporation
    (r"limited partnership association|joint stock", "other"),
    (r"limited partnership|\blp\b|l\.p\.", "lp"),
    (r"general partnership|partnership", "general_partnership"),
    (r"cooperative|co-op", "cooperative"),
    (r"unincorporated.*assoc|nonprofit association", "nonprofit_association"),
    (
        r"non-?\s?profit|not[- ]for[- ]profit|non-?stock|religious|without stock|eleemosynary|mutual benefit"
        r"|corporation( -)? sole",
        "nonprofit_corporation",
    ),
    (
        r"professional (service )?(corp|assoc)|\bp\.?c\.?$|corporation.*professional|professional close corp"
        r"|^(domestic )?service (close )?corporation",
        "professional_corporation",
    ),
    (r"benefit|\bb[ -]corp", "benefit_corporation"),
    (r"trust\b(?! (co|corp))", "trust"),
    (
        r"(?<!unin)corp|\binc|\bstock\b|business company|company|^(domestic|foreign) business$|\bprofit\b"
        r"|gen\. business",
        "corporation",
    ),
)


@lru_cache(maxsize=1024)  # of a list's hundred rows, each status and type is one of a few
def to_class(raw: str | None) -> EntityTypeClass | None:
    """Class of an entity type in words; None when the state gives none."""
    if not raw or not raw.strip():
        return None
    text = _EITHER.sub("", " ".join(raw.split()).casefold())
    return next((kind for pattern, kind in _RULES if re.search(pattern, text)), "other")


def name_kind(raw: str | None) -> NameKind:
    """What a row of this entity type names, where trade names and reservations are rows beside the companies."""
    kinds: dict[EntityTypeClass | None, NameKind] = {"assumed_name": "assumed", "reserved_name": "reserved"}
    return kinds.get(to_class(raw), "legal")


def is_domestic(raw_type: str | None, *, jurisdiction: str | None, state: str) -> bool | None:
    """Domestic or foreign, from the type's own word or the state of formation; None when neither says."""
    text = (raw_type or "").casefold()
    if re.search(r"\bforeign\b|\(f\)", text):
        return False
    if re.search(r"\bdomestic\b|\(d\)", text):
        return True
    from scrapers.normalize.addresses import state_code

    formed = state_code(jurisdiction)
    return None if formed is None else formed == state
