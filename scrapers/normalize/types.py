"""Entity types of all states in a few classes; the state's own words stay beside it."""

from __future__ import annotations

import re
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
    "lp",
    "llp",
    "lllp",
    "general_partnership",
    "trust",
    "assumed_name",
    "other",
]

# First fit wins, so the narrower kind stands before the wider one.
_RULES: tuple[tuple[str, EntityTypeClass], ...] = (
    (r"assumed (business )?name|trade ?name|fictitious name|\bdba\b|business name registration", "assumed_name"),
    (r"limited[- ]liability limited partnership|\blllp\b|l\.l\.l\.p", "lllp"),
    (r"limited[- ]liability partnership|\bllp\b|l\.l\.p|soc\. resp\. limitada", "llp"),
    (r"professional limited[- ]liability|\bpllc\b|professional llc", "professional_llc"),
    (
        r"limited[- ]liability co|\bllc\b|l\.l\.c|low.profit limited|ltd\.? liability co|^limited co"
        r"|responsabilidad limitada",
        "llc",
    ),
    (r"limited partnership|\blp\b|l\.p\.", "lp"),
    (r"general partnership|partnership", "general_partnership"),
    (r"cooperative|co-op", "cooperative"),
    (r"non-?\s?profit|not[- ]for[- ]profit|non-?stock|religious|without stock", "nonprofit_corporation"),
    (r"professional (service )?(corp|assoc)|\bp\.?c\.?$|professional corporation", "professional_corporation"),
    (r"benefit|\bb[ -]corp", "benefit_corporation"),
    (r"trust\b", "trust"),
    (
        r"corp|\binc|\bstock\b|business company|company|^(domestic|foreign) business$|\bprofit\b|gen\. business",
        "corporation",
    ),
)


def to_class(raw: str | None) -> EntityTypeClass | None:
    """Class of an entity type in words; None when the state gives none."""
    if not raw or not raw.strip():
        return None
    text = " ".join(raw.split()).casefold()
    return next((kind for pattern, kind in _RULES if re.search(pattern, text)), "other")


def name_kind(raw: str | None) -> NameKind:
    """What a row of this entity type names, where trade names and reservations are rows beside the companies."""
    text = (raw or "").casefold()
    if "reserv" in text:
        return "reserved"
    return "assumed" if to_class(raw) == "assumed_name" else "legal"


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
