"""The versions of one company that are kept, and what changed between them: as far as was known on a day, or today.

What people asked to be left out is left out of every version before two are compared: an old one is shown no more than
the present one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import QuerySet

from jurisdictions.codes import PLACES
from lookups.history.changes import Change, list_changes
from lookups.models import Entity, RecordVersion
from lookups.privacy import suppression
from scrapers import numbers
from scrapers.bulk_data import copies


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked of a history.

    `as_of`: when a day begins (UTC), by the end of which it had to be read. `before`: a version's number, for the next
    page. `noise`: whether another spelling counts as a change.
    """

    as_of: datetime | None = None
    before: int | None = None
    limit: int = 100
    noise: bool = False


class Step(NamedTuple):
    """What changed from one version to the next; when is known only to lie between two readings."""

    older: RecordVersion
    newer: RecordVersion
    changes: list[Change]


@dataclass(frozen=True, slots=True)
class History:
    """A page of versions, the newest first, with what changed from each to the next; `more`: there are older ones."""

    versions: list[RecordVersion]
    steps: list[Step]
    more: bool


def find_entity(*, state: str, entity_id: str, sandbox: bool) -> Entity | None:
    """The company that a registry gives this identifier, as people write it: with small letters, or zeros before it."""
    if state.upper() not in PLACES or not entity_id.isprintable():
        return None  # nor would every database look for it
    asked_as = numbers.read(entity_id, state=state.upper(), sandbox=sandbox)
    spelled = {entity_id, entity_id.upper(), asked_as.upper()}
    found = Entity.objects.filter(state=state.upper(), entity_id__in=spelled, sandbox=sandbox).order_by()
    return max(found, key=lambda one: one.entity_id == entity_id, default=None)


def is_mixed(entity: Entity) -> bool:
    """Whether several companies of a loaded file bear its number: what was read under it may be of any of them."""
    return not entity.sandbox and copies.is_shared(state=entity.state, entity_id=entity.entity_id)


def find_version(entity: Entity, *, as_of: datetime | None) -> RecordVersion | None:
    """What its registry was known to say of it at the end of that day, or is today; None: nothing was read by then."""
    return _known(entity, as_of).order_by("-last_read_at", "-number").first()


def get_history(
    entity: Entity, wanted: Wanted, *, form: Callable[[suppression.Record], suppression.Record] | None = None
) -> History:
    """Its versions with the changes between them, as far as was known; compared as `form` makes them, where given."""
    known = _known(entity, wanted.as_of)
    if wanted.before is not None:
        known = known.filter(number__lt=wanted.before)
    read = list(known[: wanted.limit + 1])  # one more, to compare the last of the page with
    more = read[wanted.limit :]
    # A reading that was overtaken by another one has been written after it
    page = sorted(read[: wanted.limit], key=lambda version: (version.last_read_at, version.number), reverse=True)
    read = page + more
    shown = [_shown(version, form) for version in read]
    steps = [
        Step(read[place + 1], version, list_changes(shown[place + 1], shown[place], noise=wanted.noise))
        for place, version in enumerate(page)
        if place + 1 < len(read)
    ]
    return History(page, steps, more=bool(more))


def _known(entity: Entity, as_of: datetime | None) -> QuerySet[RecordVersion]:
    versions = entity.versions.select_related("entity", "reading").order_by("-number")
    versions = versions.defer("reading__exchanges", "reading__question")  # a history tells none of them
    return versions if as_of is None else versions.filter(first_read_at__lt=as_of + timedelta(days=1))


def withheld(version: RecordVersion) -> suppression.Record:
    """What a version says, without what people asked to be left out."""
    return suppression.withhold(version.data, version.normalized, state=version.entity.state)


def _shown(
    version: RecordVersion, form: Callable[[suppression.Record], suppression.Record] | None
) -> dict[str, object]:
    record = withheld(version)
    record = form(record) if form else record
    return {
        "data": record.data,
        "normalized": record.normalized,
        "fromCopy": bool(version.evidence.get("fromRegister")),
    }
