"""Who on the register has the very name that is asked for, and what each of them makes of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from scrapers.name_rules.forms import CorporateKind
from scrapers.name_rules.owners import kind_of
from scrapers.name_rules.rules import NamingRule
from scrapers.name_rules.same_names import clerk_keys
from scrapers.portal import Portal
from scrapers.records import Candidate, Conflict, StatusClass
from scrapers.statuses import StatusMeaning

Effect = Literal["taken", "cannot_say", "free", "uncounted"]

_ORDER: dict[StatusClass, int] = {"active": 0, "neutral": 1, "inactive": 2}
_UNKNOWN = frozenset({"unrecognised_status", "status_not_published"})
# The state ended it, so that it may come back to its name. Some registries' prefixes say "inactive" and no more.
_BY_THE_STATE = frozenset({"suspended", "forfeited", "revoked", "involuntarily_dissolved"})
_WORDS_OF_THE_STATE = re.compile(r"suspend|revok|forfeit", re.IGNORECASE)
# A status that says that the row is a name of the past, or leads to another row.
_NO_NAME_OF_TODAY = re.compile(r"\b(?:former|previous name|name hs|cross (?:reference|rf))\b", re.IGNORECASE)
# Wisconsin's word for an owner that has ended while its name is still kept for it.
_NAME_KEPT = re.compile(r"\bname protected\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Namesake:
    """One owner of the name. `uncounted`: the state's rule does not look at it. `note` is told unless it is plain."""

    conflict: Conflict
    effect: Effect
    note: str = ""
    may_return: bool = False

    @property
    def blocks(self) -> bool:
        """Whether the name is not free because of this one."""
        return self.effect in ("taken", "cannot_say")


def list_namesakes(name: str, rows: tuple[Candidate, ...], *, portal: Portal, rule: NamingRule) -> list[Namesake]:
    """Those with the name, each once: active, then neutral, then inactive ones."""
    wanted, kind = clerk_keys(name, rule), kind_of(name)
    best: dict[str, Namesake] = {}
    for row in rows:
        if wanted.isdisjoint(clerk_keys(row.name, rule)):
            continue
        found = _namesake(row, kind, portal=portal, rule=rule)
        identity = row.entity_id or f"{row.name} {sorted(row.handle.items())}"
        known = best.get(identity)
        if known is None or _rank(found) < _rank(known):
            best[identity] = found
    return sorted(best.values(), key=lambda one: (_ORDER[one.conflict.status_class], one.conflict.candidate.name))


def _rank(one: Namesake) -> tuple[bool, int]:
    """A name that counts goes before one of the same entity that does not; then the one that is most alive."""
    return one.effect == "uncounted", _ORDER[one.conflict.status_class]


def _namesake(row: Candidate, kind: CorporateKind | None, *, portal: Portal, rule: NamingRule) -> Namesake:
    meaning = portal.status_meaning(row.status)
    if _has_left_it(row, portal):  # it belongs to its owner no more
        told = row.name_kind != "former" and meaning.status_class == "active"
        note = f"{row.name} is on record as {row.status}, and holds this name no more." if told else ""
        return Namesake(Conflict(row, "inactive"), "free", note)
    conflict = Conflict(row, meaning.status_class)
    if meaning.status_class == "inactive" and row.name_kind != "former":
        if _NAME_KEPT.search(row.status or ""):
            return Namesake(conflict, "taken", f"{row.name} has this name and is {row.status}.")
        if rule.owners.keeps(row.status):
            kept = f"its name counts for {rule.owners.kept_days} days after that, and since when it is so is not shown"
            note = f"{row.name} has this name and is {row.status}: {kept}. Whether the name is free cannot be said."
            return Namesake(conflict, "cannot_say", note)
        returns = meaning.reason in _BY_THE_STATE or bool(_WORDS_OF_THE_STATE.search(row.status or ""))
        note = f"{row.name} used this name and is {row.status}: it may be entitled to return to it." if returns else ""
        return Namesake(conflict, "free", note, may_return=returns)
    if not rule.owners.counts(row):
        return Namesake(conflict, "uncounted", f"{row.name} is on the register too, as {_what(row)}: not counted here.")
    unlike = _unlike(row, kind, rule)
    return Namesake(conflict, *(unlike or _by_status(row, meaning, portal)))


def _has_left_it(row: Candidate, portal: Portal) -> bool:
    return portal.has_left_name(row) or bool(_NO_NAME_OF_TODAY.search(row.status or ""))


def _unlike(row: Candidate, kind: CorporateKind | None, rule: NamingRule) -> tuple[Effect, str] | None:
    """What an owner of another kind makes of it where like kinds are compared alone; None where that is no matter."""
    if not rule.owners.like_kinds:
        return None
    other = kind_of(row.name, row.entity_type)
    if kind is None or other is None:
        unknown = "the name asked for" if kind is None else row.name
        note = f"{row.name} has this name. Like kinds are compared alone here, and the kind of {unknown} is not known"
        return "cannot_say", f"{note}: whether the name is free cannot be said."
    if not rule.owners.tells_apart(kind, other):
        return None
    return "uncounted", f"{row.name} has this name too, as another kind of entity: not counted here."


def _by_status(row: Candidate, meaning: StatusMeaning, portal: Portal) -> tuple[Effect, str]:
    """What exists stands in the way; so does every row of a registry that shows no status, and a name put aside.

    Where the status is not known of just this row, it may be that of an owner who is gone.
    """
    if meaning.status_class == "active" or row.name_kind == "reserved":
        return "taken", ""
    if not portal.capabilities.status and portal.implied_status is None:
        return "taken", ""
    if meaning.reason in _UNKNOWN:
        seen = f'"{row.status}", which is no status that we know' if row.status else "not shown"
        return (
            "cannot_say",
            f"{row.name} has this name, and its status is {seen}: whether the name is free cannot be said.",
        )
    return "taken", f"{row.name} has this name and is {row.status}: that does not say that it has ended."


def _what(row: Candidate) -> str:
    return row.entity_type or ("an assumed name" if row.name_kind == "assumed" else "another kind of entry")
