"""What differs between two readings of one company, or of one search for liens: computed, never stored.

A reading is `{"data": …, "normalized": …}` in the names of the wire, or either alone; `"fromCopy": True` beside them
says that a loaded copy of published files was read, which may hold less of a company than its portal.

Officers are matched by their names, filings by their numbers or their dates and titles, other names by themselves. What
only looks different is no change (`noise`). What one reading does not show is compared with nothing: a source that
stopped showing its officers has not dismissed them. Such fields are named by `list_uncompared`, and
`fieldAvailability` is where the change is.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lookups.history import noise as spelling

Reading = Mapping[str, Any]
NOT_SHOWN = frozenset({"not_published", "paywalled", "parse_failed", "withheld"})  # of Availability, and ours
NOT_READ = "not_read"  # a field that this reader did not know yet
OTHER_SOURCE = "other_source"  # one source has it and the other has not: a copy, and the portal itself
# Field of `normalized` -> the field of `data` that it was read from: what that does not show, this cannot.
_READ_FROM = {
    "statusClass": "status",
    "statusReason": "status",
    "formationDate": "formationDate",
    "entityTypeClass": "entityType",
    "domestic": "jurisdiction",
    "officers": "officers",
    "registeredAgent": "registeredAgentName",
    "registeredAgent.zip": "registeredAgentZip",
}
_OF_THE_PAGE = frozenset({"data.sosUrl", "normalized.match"})  # where and how it was found; nothing of the company
_AVAILABILITY = "normalized.fieldAvailability"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: `path` says where ("data.status", "data.officers[JORDAN DOE].title"); None: not there."""

    path: str
    before: Any
    after: Any


def list_changes(before: Reading, after: Reading, *, noise: bool = False) -> list[Change]:
    """What `after` says otherwise than `before`, the state's own text first; with `noise` every other spelling too."""
    comparison = _Comparison(before, after, noise=noise)
    return [change for side in ("data", "normalized") for change in comparison.of_side(side)]


def list_uncompared(before: Reading, after: Reading) -> dict[str, str]:
    """The fields that nobody can say have stayed or changed, each with why: a word of `NOT_SHOWN`, or one of ours."""
    comparison = _Comparison(before, after, noise=False)
    found: dict[str, str] = {}
    for side, elsewhere in (("data", frozenset[str]()), ("normalized", _READ_FROM.keys())):
        older, newer = before.get(side) or {}, after.get(side) or {}
        for field in {**older, **newer}:
            why = comparison.why_not_shown(field) if field not in elsewhere else None
            if why is None and (field in older) != (field in newer):
                why = NOT_READ
            elif why is None and comparison.is_of_one_source_alone(side, field):
                why = OTHER_SOURCE
            found |= {f"{side}.{field}": why} if why else {}
    return found


def is_of_whole(change: Change) -> bool:
    """Whether a thing of a field's list came, went or is another one, and not something in that thing."""
    value = change.before if change.after is None else change.after
    return change.path.partition("[")[2] == f"{_label(value)}]"


class _Comparison:
    """Two readings, and whether another spelling counts."""

    def __init__(self, before: Reading, after: Reading, *, noise: bool) -> None:
        self.before, self.after, self.noise = before, after, noise
        readings = [reading.get("normalized") or {} for reading in (before, after)]
        self.shown = [reading.get("fieldAvailability") or {} for reading in readings]
        self.same_source = bool(before.get("fromCopy")) == bool(after.get("fromCopy"))

    def why_not_shown(self, field: str) -> str | None:
        """Why the later reading, or else the earlier one, does not show a field of `data`; None where both do."""
        return next((why for shown in reversed(self.shown) if (why := shown.get(field)) in NOT_SHOWN), None)

    def is_comparable(self, field: str) -> bool:
        """Whether both readings show a field of `data`, or leave the same of it out."""
        older, newer = (shown.get(field) for shown in self.shown)
        return older == newer or NOT_SHOWN.isdisjoint((older, newer))

    def is_of_one_source_alone(self, side: str, field: str) -> bool:
        """Whether two sources were read, and one has nothing here: that is its habit, and not the company's."""
        if side == "normalized" and field in _READ_FROM:
            side, field = "data", _READ_FROM[field]
        older, newer = ((reading.get(side) or {}).get(field) for reading in (self.before, self.after))
        return not self.same_source and _is_nothing(older) != _is_nothing(newer)

    def of_side(self, side: str) -> Iterator[Change]:
        """Changes of `data` or of `normalized`."""
        yield from self._of_object(side, self.before.get(side) or {}, self.after.get(side) or {})

    def _of_object(self, path: str, before: Reading, after: Reading) -> Iterator[Change]:
        same_places = set(_list_same_addresses(before, after)) if not self.noise else set()
        for field in after:
            if field not in before or field in same_places or self._is_passed_over(path, field):
                continue
            if f"{path}.{field}" == _AVAILABILITY:
                yield from self._of_availability(before[field] or {}, after[field] or {})
            else:
                named = "entityId" if path.endswith(".identifiers") else field
                yield from self._of_value(f"{path}.{field}", named, before[field], after[field])
        if path.endswith(".identifiers"):
            for field in sorted(before.keys() ^ after.keys()):
                yield Change(f"{path}.{field}", before.get(field), after.get(field))

    def _is_passed_over(self, path: str, field: str) -> bool:
        side, _, name = f"{path}.{field}".partition(".")
        shown = self.is_comparable(_READ_FROM.get(name, name))
        beside = self.is_of_one_source_alone(side, name)
        return not shown or beside or (f"{path}.{field}" in _OF_THE_PAGE and not self.noise)

    def _of_value(self, path: str, field: str, before: Any, after: Any) -> Iterator[Change]:
        if before == after:
            return
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from self._of_object(path, before, after)
        elif isinstance(before, list) or isinstance(after, list):
            yield from self._of_list(path, field, before or [], after or [])
        elif self.noise or spelling.form_of(field, before) != spelling.form_of(field, after):
            yield Change(path, before, after)

    def _of_list(self, path: str, field: str, before: list[Any], after: list[Any]) -> Iterator[Change]:
        changed = False
        for older, newer in _pair(field, before, after):
            label = f"{path}[{_label(older if newer is None else newer)}]"
            found = list(self._of_value(label, field, older, newer))
            changed = changed or bool(found)
            yield from found
        if self.noise and not changed:
            yield Change(path, before, after)  # only their order

    def _of_availability(self, before: Reading, after: Reading) -> Iterator[Change]:
        same_places = _list_same_addresses(self.before.get("data") or {}, self.after.get("data") or {})
        for field in {**before, **after}:
            older, newer = before.get(field), after.get(field)
            beside = not self.noise and (self.is_comparable(field) or field in same_places)
            known = (field in before and field in after) or "withheld" in (older, newer)
            if older != newer and known and not beside:
                yield Change(f"{_AVAILABILITY}.{field}", older, newer)


def _is_nothing(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _list_same_addresses(before: Reading, after: Reading) -> list[str]:
    """The fields of addresses that are the same as a whole, however they are divided."""
    groups = [
        tuple(f"{field.removesuffix('Address')}{part}" for part in spelling.ADDRESS_PARTS)
        for field in after
        if field.endswith("Address")
    ]
    if "city" in after:
        groups.append(("address", "city", "state", "zip"))
    return [
        field
        for group in groups
        if all(before.get(field) == after.get(field) for field in group)
        or spelling.whole_address(before, group) == spelling.whole_address(after, group)
        for field in group
    ]


def _pair(field: str, before: list[Any], after: list[Any]) -> list[tuple[Any, Any]]:
    """Each thing of the later list with the same one of the earlier; None beside what is in one of them alone.

    What says the same goes together first: somebody with two offices is twice in a list of officers. Most of a long
    list is written as before, and is not read any closer.
    """
    pairs: list[tuple[Any, Any]] = []
    older, newer = list(before), list(after)
    keys: tuple[Callable[[str, Any], Any], ...] = (lambda _, item: repr(item), spelling.form_of, _identity)
    for key in keys:
        waiting: dict[Any, deque[Any]] = defaultdict(deque)
        for item in older:
            waiting[key(field, item)].append(item)
        unmatched = []
        for item in newer:
            if waiting[key(field, item)]:
                pairs.append((waiting[key(field, item)].popleft(), item))
            else:
                unmatched.append(item)
        older, newer = [item for queue in waiting.values() for item in queue], unmatched
    return pairs + [(item, None) for item in older] + [(None, item) for item in newer]


def _identity(field: str, item: Any) -> Any:
    """What a thing in a list is known by."""
    if not isinstance(item, Mapping):
        return spelling.form_of(field, item)
    for names in (("fileNumber",), ("name",), ("date", "title")):
        known = tuple(spelling.form_of(name, item.get(name)) for name in names)
        if any(known):
            return names, known
    return spelling.form_of(field, item)


def _label(item: Any) -> str:
    """What a thing in a list is called in a path."""
    if not isinstance(item, Mapping):
        return str(item)
    for names in (("fileNumber",), ("name",), ("date", "title"), ("givenName", "familyName"), ("kind",)):
        called = " ".join(str(item[name]) for name in names if item.get(name))
        if called:
            return called
    return ""
