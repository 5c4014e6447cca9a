"""Whether a name is free in a state: what a filing clerk would say of the names that are on the register.

Another question than matching: a lookup asks which company is meant, a name check asks which names stand in the way.
The state's own rule decides what tells two names apart (`naming_rules`).
"""

from __future__ import annotations

import re

from scrapers.name_rules.designators import designator_note
from scrapers.name_rules.rules import RULES, NamingRule
from scrapers.name_rules.same_names import clerk_key
from scrapers.normalize import names
from scrapers.portal import Portal
from scrapers.records import Candidate, Conflict, NameCheck, NameVerdict, ResultList, StatusClass, Verdict

_ORDER: dict[StatusClass, int] = {"active": 0, "neutral": 1, "inactive": 2}
MOST_CONFLICTS = 10
_ENDED = re.compile(r"suspend|revok|forfeit", re.IGNORECASE)


def judge(
    name: str, results: ResultList, *, portal: Portal, state: str, active_only: bool | None = None
) -> NameVerdict:
    """Say whether `name` is free among the names the registry listed. The list must be whole, or hold a conflict.

    `active_only`: whether the source lists no ended entities; as its portal does, where nobody says otherwise.
    """
    rule, rows, check = RULES[state], results.candidates, results.check
    wanted = clerk_key(name, rule)
    conflicts = _conflicts(wanted, rows, portal=portal, rule=rule)
    blocking = [effect for one in conflicts if (effect := _effect(one, portal)) != "free"]
    if active_only is None:
        active_only = portal.coverage == "active_only"
    verdict: Verdict = "free" if not blocking else "taken" if "taken" in blocking else "cannot_say"
    if check is not None and check.available is False:
        verdict = "taken"
    return NameVerdict(
        verdict=verdict,
        conflicts=tuple(conflicts[:MOST_CONFLICTS]) if blocking else (),
        normalized_name=wanted,
        variation_note=_variation(name, rows, portal=portal, rule=rule),
        warning=_warning(conflicts, portal, shown="taken" in blocking),
        status_note=" ".join(filter(None, (_check_note(check), _status_note(portal, active_only=active_only)))) or None,
        designator_note=designator_note(state),
        check=check,
    )


def _conflicts(wanted: str, rows: tuple[Candidate, ...], *, portal: Portal, rule: NamingRule) -> list[Conflict]:
    best: dict[str, Conflict] = {}
    for row in rows:
        if clerk_key(row.name, rule) != wanted:
            continue
        found = Conflict(row, _class_of(row, portal))
        identity = row.entity_id or f"{row.name} {sorted(row.handle.items())}"
        known = best.get(identity)
        if known is None or _ORDER[found.status_class] < _ORDER[known.status_class]:
            best[identity] = found
    return sorted(best.values(), key=lambda one: (_ORDER[one.status_class], one.candidate.name))


def _class_of(row: Candidate, portal: Portal) -> StatusClass:
    """A reserved name is held as long as the reservation lasts; a former name no longer belongs to its owner."""
    if row.name_kind == "former":
        return "inactive"
    return portal.status_meaning(row.status).status_class


def _effect(conflict: Conflict, portal: Portal) -> Verdict:
    """What one owner of the same name makes of it.

    Active owners stand in the way; so does every row of a registry that shows no status, and a name put aside. Where
    the status is not known of just this row, it may be that of an active owner.
    """
    kind = conflict.candidate.name_kind
    if kind == "former":
        return "free"
    if conflict.status_class == "active" or (kind == "reserved" and conflict.status_class != "inactive"):
        return "taken"
    if not portal.capabilities.status and portal.implied_status is None:
        return "taken"
    return "cannot_say" if _is_unknown(conflict, portal) else "free"


def _is_unknown(conflict: Conflict, portal: Portal) -> bool:
    return portal.status_meaning(conflict.candidate.status).reason in ("unrecognised_status", "status_not_published")


def _variation(name: str, rows: tuple[Candidate, ...], *, portal: Portal, rule: NamingRule) -> str | None:
    form = names.form(name)
    if not form.legal_form:
        return None
    for row in rows:
        other = names.form(row.name)
        if other.key == form.key and other.legal_form != form.legal_form and _class_of(row, portal) == "active":
            same = "counts as the same name here" if "designator" in rule.ignored else "counts as another name here"
            return f"{row.name} is active: the same name with another legal form, which {same}."
    return None


def _warning(conflicts: list[Conflict], portal: Portal, *, shown: bool) -> str | None:
    """Of an owner that may return, and of every one that is neither active nor ended, unless it is `shown` anyway."""
    ended = next((one for one in conflicts if _ENDED.search(one.candidate.status or "")), None)
    found: list[str] = []
    if ended is not None:
        word = ended.candidate.status
        found.append(f"{ended.candidate.name} used this name and is {word}: it may be entitled to return to it.")
    if not shown:
        found += [_open(one, portal) for one in conflicts if one.status_class == "neutral"]
    return " ".join(found[:MOST_CONFLICTS]) or None


def _open(conflict: Conflict, portal: Portal) -> str:
    """What is open about an owner that is neither active nor ended."""
    name, word = conflict.candidate.name, conflict.candidate.status
    if not _is_unknown(conflict, portal):
        return f"{name} has this name and is {word}: it may come to stand in the way."
    seen = f'"{word}", which is no status that we know' if word else "not shown"
    return f"{name} has this name, and its status is {seen}: whether the name is free cannot be said."


def _check_note(check: NameCheck | None) -> str | None:
    if check is None:
        return None
    if check.said is None:
        return f"{check.search} was asked too; it lists names and gives no verdict."
    return f'{check.search} says: "{check.said}"'


def _status_note(portal: Portal, *, active_only: bool) -> str | None:
    if active_only:
        return "This source lists active entities only: reserved names and names of ended entities are not seen."
    if not portal.capabilities.status and portal.implied_status is None:
        return "This registry shows no status: every entity with the name counts as standing in the way."
    return None
