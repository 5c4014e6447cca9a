"""Which of several records is the company's: the number is not enough, for numbers in other registers may be wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from scrapers.identities.gleif import LeiRecord
from scrapers.records import EntityRecord
from scrapers.search import matching

Why = Literal["not_found", "name_disagrees", "ambiguous"]
SAME = 0.98  # but for a legal form that one of the names leaves out, or writes otherwise; never LLC for Inc.


def choose_lei(records: Sequence[LeiRecord], *, name: str, former_names: Iterable[str]) -> LeiRecord | Why:
    """The one record of the company's number that has its name too, present or former; else why there is none."""
    if not records:
        return "not_found"
    former = list(former_names)
    agree = [one for one in records if _agrees(one.legal_name, name, former)]
    if not agree:
        return "name_disagrees"
    if len(agree) > 1:
        agree = [one for one in agree if not one.is_void]
    return agree[0] if len(agree) == 1 else "ambiguous"


def choose_cik(records: Iterable[EntityRecord], *, name: str) -> EntityRecord | Why:
    """The one filer with just this name, legal form included; else why there is none."""
    same = {one.entity_id: one for one in records if matching.compare(name, one.entity_name).kind == "exact"}
    if not same:
        return "not_found"
    return next(iter(same.values())) if len(same) == 1 else "ambiguous"


def _agrees(shown: str, name: str, former: Iterable[str]) -> bool:
    now = matching.compare(name, shown)
    if now.kind in ("exact", "suffix_variant") and now.score >= SAME:
        return True
    return any(matching.compare(one, shown).kind == "exact" for one in former)
