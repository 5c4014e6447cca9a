"""A company's history."""

from __future__ import annotations

from lookups.api.schema.examples.errors import NOT_FOUND
from lookups.api.schema.examples.making import LOOKUP, error, reply
from lookups.api.schema.examples.records import ENTITY, EVIDENCE, WHEN
from lookups.api.wire import entities as wire
from lookups.api.wire.shape import fill, to_plain
from lookups.api.wire.words import VersionReason

BEFORE = "2026-03-02T08:00:00.000Z"
_VERSION = {
    "readerVersion": "1.0",
    "readerBuiltAt": "2026-11-21",
    "readerRevision": "5f0c1e7a92d4b386",
    "reason": VersionReason.READ,
}
_WHEN = {"version": 2, "reason": VersionReason.READ, "lastSeenBefore": BEFORE, "firstSeenAfter": WHEN}
HISTORY = reply(
    "A company whose status and manager have changed",
    wire.EntityHistory(
        success=True,
        livemode=True,
        lookupId=LOOKUP,
        cost=0,
        state="DE",
        entityId="SB-DE-000123",
        asOf=None,
        data=fill(wire.Entity, to_plain(ENTITY), cached=True),
        note=None,
        registryHistory=fill(
            wire.RegistryHistory,
            {"formerNames": [], "filings": [{"date": "2011-03-14", "title": "Certificate of Formation"}]},
        ),
        versions=[
            fill(wire.Version, _VERSION, number=2, firstReadAt=WHEN, lastReadAt=WHEN, evidence=EVIDENCE),
            fill(
                wire.Version,
                _VERSION,
                number=1,
                firstReadAt="2026-02-01T08:00:00.000Z",
                lastReadAt=BEFORE,
                evidence=fill(wire.Evidence, to_plain(EVIDENCE), retrievedAt=BEFORE),
            ),
        ],
        changes=[
            fill(wire.Change, _WHEN, path="data.status", before="Delinquent", after="Good Standing"),
            fill(
                wire.Change,
                _WHEN,
                path="data.officers[ADA MERRILL]",
                after={"name": "ADA MERRILL", "title": "Manager", "address": None},
            ),
            fill(wire.Change, _WHEN, path="normalized.statusReason", before="delinquent"),
        ],
        nextCursor=None,
    ),
)
NOT_KEPT = error(404, "entity_not_found", NOT_FOUND.value["error"])
MIXED = error(404, "ambiguous_name", NOT_FOUND.value["error"])
NOT_READ_BY_THEN = error(404, "not_read_by_then", "Nothing had been read about it by that day")
