"""Whose names stand in the way of a new one: which kinds of owners and of names a state counts.

Data, from the states' own statutes, regulations and guides as cited; `sure` as in `rules`. Where none was read,
whatever exists stands in the way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jurisdictions.codes import PLACES
from scrapers.name_rules.forms import CorporateKind, kind_in
from scrapers.normalize import types
from scrapers.normalize.types import EntityTypeClass
from scrapers.records import Candidate, Rule, Sure

_KIND_OF_CLASS: dict[EntityTypeClass, CorporateKind] = {
    "corporation": "corporation",
    "nonprofit_corporation": "corporation",
    "professional_corporation": "corporation",
    "benefit_corporation": "corporation",
    "cooperative": "corporation",
    "llc": "llc",
    "professional_llc": "llc",
    "series_llc": "llc",
    "lp": "limited_partnership",
    "lllp": "limited_partnership",
}


@dataclass(frozen=True, slots=True)
class OwnerRule:
    """Whose names count in a state.

    `uncounted` are classes of entities and names that do not, `uncounted_types` is a pattern for the register's own
    words where a class holds both. `like_kinds`: a corporation's name is compared with those of corporations alone.
    `kept_days`: how long the name of an owner that has ended counts on, where its status has the words of `kept_by`.
    """

    rule: Rule
    uncounted: frozenset[EntityTypeClass] = frozenset()
    uncounted_types: str = ""
    like_kinds: bool = False
    kept_by: str = ""
    kept_days: int = 0

    def keeps(self, status: str | None) -> bool:
        """Whether an owner that has ended by this status may still have its name; lists do not show since when."""
        return bool(self.kept_by) and re.search(self.kept_by, status or "", re.IGNORECASE) is not None

    def counts(self, row: Candidate) -> bool:
        """Whether this row's name may stand in the way of anybody's."""
        found = "assumed_name" if row.name_kind == "assumed" else types.to_class(row.entity_type)
        if self.uncounted_types and re.search(self.uncounted_types, row.entity_type or "", re.IGNORECASE):
            return False
        return found not in self.uncounted

    def tells_apart(self, kind: CorporateKind | None, other: CorporateKind | None) -> bool:
        """Whether two names of these kinds are not compared at all."""
        return self.like_kinds and kind is not None and other is not None and kind != other


def kind_of(name: str, entity_type: str | None = None) -> CorporateKind | None:
    """The kind an entity is of, by its type or else by the legal form in its name; None where neither says."""
    found = types.to_class(entity_type)
    return (_KIND_OF_CLASS.get(found) if found else None) or kind_in(name)


def _counted(
    text: str,
    source: str,
    sure: Sure = "rule",
    *,
    uncounted: tuple[EntityTypeClass, ...] = (),
    uncounted_types: str = "",
    kept: tuple[str, int] = ("", 0),
) -> OwnerRule:
    return OwnerRule(
        Rule(text, source, sure), frozenset(uncounted), uncounted_types, kept_by=kept[0], kept_days=kept[1]
    )


_EVERYBODY = OwnerRule(
    Rule(
        "Whatever exists on the register stands in the way: every name of it counts unless the status of its owner "
        "says that it has ended, or the owner has another name now.",
        "assumed: what exists stands in the way",
        "assumed",
    )
)
_KNOWN: dict[str, OwnerRule] = {
    "CA": OwnerRule(
        Rule(
            "A name is compared with those of its own kind alone: a corporation's with corporations', an LLC's with "
            "LLCs', a limited partnership's with limited partnerships'. Current names of active entities and reserved "
            "names count; suspended and forfeited entities are not active.",
            "2 California Code of Regulations 21001(a), 21001(d) and 21001.2",
            "rule",
        ),
        like_kinds=True,
    ),
    "CO": _counted(
        "Every other entity name on record counts, and every reserved one; trade names do not. An entity has left its "
        "name when the record shows Delinquent or Dissolved and the date behind it: 400 days after a delinquency, at "
        "once after a voluntary dissolution.",
        "Colorado Revised Statutes 7-90-601(2); Secretary of State, FAQ on dissolution and reinstatement",
        uncounted=("assumed_name",),
    ),
    "FL": _counted(
        "Names of all entities on file count, except fictitious names, registrations of general partnerships and "
        "statements of limited liability partnerships.",
        "Florida Statutes 605.0112, 607.0401(1)(d) and 620.1108(4)",
        uncounted=("assumed_name", "general_partnership", "llp"),
    ),
    "HI": _counted(
        "Names of entities that are registered or authorized count, reserved names, and registered trade names.",
        "Hawaii Revised Statutes 414D-61(b) (of nonprofit corporations; the others assumed alike)",
        "part",
    ),
    "IL": _counted(
        "Names and assumed names of existing corporations and LLCs count, and reserved and registered names.",
        "805 Illinois Compiled Statutes 105/104.05(a)(3) (of nonprofit corporations; the others assumed alike)",
        "part",
    ),
    "IN": _counted(
        "Names of existing domestic entities count, of those that were administratively dissolved within 120 days, of "
        "registered foreign entities, reserved names, and assumed names.",
        "Indiana Code 23-0.5-3-1(a)",
        kept=(r"\badmin", 120),
    ),
    "MI": _counted(
        "Names of domestic and authorized foreign corporations, limited partnerships and LLCs count, and reserved, "
        "registered and assumed names.",
        "Michigan Compiled Laws 450.2212(1)(b) (of nonprofit corporations; the others assumed alike)",
        "part",
    ),
    "MN": _counted(
        "Names of domestic and foreign corporations, LLCs, limited partnerships and limited liability partnerships "
        "count, reserved and assumed names, and trademarks on file.",
        "Minnesota, A Guide to Starting a Business (43rd edition, 2025), Statutory Requirements",
    ),
    "NC": _counted(
        "Names of domestic entities and of authorized foreign ones count, reserved and registered names, and the "
        "fictitious names of foreign entities.",
        "North Carolina General Statutes 55D-21(b)",
    ),
    "OH": _counted(
        "Names of entities whose status is active or hold count, reserved names, and registered trade names; "
        "fictitious names do not.",
        "Ohio Revised Code 1702.05(A); Secretary of State, Guide to Name Availability",
        uncounted_types=r"\bfictitious\b",
    ),
    "TX": _counted(
        "Current names of active entities, reserved and registered names count; assumed names do not, nor those of "
        "entities that are revoked, canceled, merged, dissolved, withdrawn, terminated or forfeited.",
        "1 Texas Administrative Code 79.44",
        uncounted=("assumed_name",),
    ),
    "WA": _counted(
        "Names of existing domestic entities that are not administratively dissolved count, whatever they owe, those "
        "of registered foreign entities, and reserved and registered names.",
        "Revised Code of Washington 23.95.300(1)",
    ),
    "WV": _counted(
        "Names of corporations count, reserved, registered and fictitious names, and those of every other entity in "
        "the Secretary of State's records.",
        "West Virginia Code 31D-4-401(b) (of corporations; the others assumed alike)",
        "part",
    ),
}

OWNERS: dict[str, OwnerRule] = {code: _KNOWN.get(code, _EVERYBODY) for code in PLACES}
"""Of every jurisdiction."""
