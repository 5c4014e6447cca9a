"""A company's history in the shapes of the wire."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from billing import money
from lookups.api.wire import entities as wire
from lookups.api.wire.shape import fill
from lookups.api.wire.words import VersionReason
from lookups.history.sale import Shown
from lookups.history.versions import Step
from lookups.lookup.storage import MATCH_BY_ID, wire_time
from lookups.models import RecordVersion
from lookups.privacy import suppression


def of_history(shown: Shown, *, as_of: datetime | None) -> wire.EntityHistory:
    """The whole reply."""
    entity, history = shown.version.entity, shown.history
    record = suppression.withhold(shown.version.data, shown.version.normalized, state=entity.state)
    return wire.EntityHistory(
        success=True,
        livemode=shown.lookup.livemode,
        lookupId=shown.lookup.public_id,
        cost=money.to_json_number(shown.cost),
        state=entity.state,
        entityId=entity.entity_id,
        asOf=as_of.date().isoformat() if as_of else None,
        data=_of_record(shown.version, record),
        note=record.note or None,
        registryHistory=fill(wire.RegistryHistory, _LISTS | record.normalized),
        versions=[_of_version(version) for version in history.versions],
        changes=list(_of_steps(history.steps)),
        nextCursor=str(min(version.number for version in history.versions)) if history.more else None,
    )


_LISTS: dict[str, object] = {"formerNames": [], "filings": []}  # versions of an older reader may lack one


def _of_record(version: RecordVersion, record: suppression.Record) -> wire.Entity:
    return fill(
        wire.Entity,
        record.data,
        scrapedAt=wire_time(version.last_read_at),
        cached=True,
        relatedResults=[],
        entityPageUrl=version.entity.page_url,
        normalized={**record.normalized, "match": MATCH_BY_ID},
        evidence=version.evidence,
    )


def _of_version(version: RecordVersion) -> wire.Version:
    read_then = None if version.is_correction else version.reading
    return fill(
        wire.Version,
        {"evidence": version.evidence},
        number=version.number,
        reason=VersionReason(version.reason),
        firstReadAt=wire_time(version.first_read_at),
        lastReadAt=wire_time(version.last_read_at),
        readerVersion=version.reader_version,
        readerBuiltAt=version.reader_built_at,
        readerRevision=read_then.reader_revision if read_then else None,
    )


def _of_steps(steps: Iterable[Step]) -> Iterator[wire.Change]:
    for older, newer, changes in steps:
        for change in changes:
            yield wire.Change(
                path=change.path,
                before=change.before,
                after=change.after,
                version=newer.number,
                reason=VersionReason(newer.reason),
                lastSeenBefore=wire_time(older.last_read_at),
                firstSeenAfter=wire_time(newer.first_read_at),
            )
