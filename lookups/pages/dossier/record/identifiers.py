"""The numbers that other registers give the company, in words: what speaks for each, and from where it is."""

from __future__ import annotations

from dataclasses import dataclass

from lookups.api.wire.identifiers.shapes import Lei
from lookups.identities import bodies
from lookups.models import Identifiers
from lookups.pages.dossier.record.words import clip

NO_LEI = {
    "not_found": "none issued for this number, as far as GLEIF knows",
    "name_disagrees": "GLEIF has this number under another name, so none is shown",
    "ambiguous": "GLEIF has several for this number and name, so none is shown",
    "unavailable": "GLEIF could not be asked",
}


@dataclass(frozen=True, slots=True)
class Number:
    """One of them; `value` is empty where there is none, and `detail` says why."""

    label: str
    value: str
    detail: str


def list_numbers(row: Identifiers | None) -> list[Number]:
    """The LEI, or why there is none; the CIK only where one is suggested."""
    if row is None:
        return []
    shown = bodies.of_row(row)
    found = []
    if shown.lei.lei is not None:
        found.append(Number("LEI", shown.lei.lei, _explain(shown.lei)))
    elif shown.lei.status in NO_LEI:
        found.append(Number("LEI", "", NO_LEI[shown.lei.status]))
    if shown.cik.cik is not None:
        found.append(
            Number("CIK", shown.cik.cik, "suggested: the SEC has one filer of this name; nothing else is known")
        )
    return found


def _explain(lei: Lei) -> str:
    parts = [f"company {clip(lei.entityStatus or 'status not given', 20)}"]
    parts.append(f"LEI {clip(lei.registrationStatus or 'status not given', 20)}")
    if lei.evidence is not None:
        parts.append(f"GLEIF, {lei.evidence.retrievedAt[:10]}")
    parts.append("by number and name")
    if not lei.authorityConfirmed:
        parts.append("GLEIF's code of this registry is inferred")
    return " · ".join(parts)
