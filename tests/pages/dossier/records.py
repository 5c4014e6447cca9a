"""Records as registries write them, and as nobody should: kept without asking anybody, for pages to show."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from lookups.lookup.storage import digest, page_slug, wire_time
from lookups.models import Entity, RecordVersion
from scrapers.normalize import names

SCRIPT = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
BIDI = "ACME \u202eCTIXE LLC\u2066 \u200f"
LONG = "Z" * 10_000
EMOJI = "🦩👩‍👩‍👧‍👦 Ṽ̷̢̧͎̗̦͈͇̩͙̖̫̯͓̖ 漢字 שלום ﷽"
ADDRESSES = {
    f"{prefix}{part}": text
    for prefix in ("registeredAgent", "principal", "mailing")
    for part, text in (("Address", "14 QUAY STREET"), ("City", "DOVER"), ("State", "DE"), ("Zip", "19901"))
}
DATA: dict[str, Any] = {
    "entityName": "BLUE HERON LOGISTICS LLC",
    "entityType": "Limited Liability Company",
    "entityId": "700123",
    "status": "Good Standing",
    "formationDate": "03/14/2011",
    "registeredAgentName": "HARBOR AGENTS INC.",
    **ADDRESSES,
    "officers": [{"name": "ADA MERRILL", "title": "Manager", "address": "14 QUAY STREET, DOVER, DE 19901"}],
    "jurisdiction": "Delaware",
    "feiEinNumber": None,
    "sosUrl": "https://registry.example.test/entity/700123",
}
NORMALIZED: dict[str, Any] = {
    "statusClass": "active",
    "statusReason": None,
    "standing": None,
    "formationDate": "2011-03-14",
    "entityTypeClass": "llc",
    "domestic": True,
    "officers": [],
    "registeredAgent": {"kind": "organization", "commercial": True, "zip": "19901"},
    "serviceOfProcess": None,
    "formerNames": ["HERON & SONS HAULAGE LLC"],
    "assumedNames": ["BLUE HERON FREIGHT"],
    "identifiers": {},
    "filings": [{"date": "2016-06-02", "title": "Amendment: Name Change"}],
    "fieldAvailability": {"feiEinNumber": "not_published"},
}
HOSTILE: dict[str, Any] = {
    "entityName": f"{BIDI} {SCRIPT} {EMOJI} {'W' * 700}",
    "entityType": LONG,
    "status": f"{SCRIPT} {LONG}",
    "registeredAgentName": EMOJI + LONG,
    "principalAddress": LONG,
    "principalCity": BIDI,
    "officers": [
        {"name": f"{EMOJI} {number} {'N' * 40}", "title": f"{SCRIPT} {'T' * 40}", "address": LONG[:100]}
        for number in range(400)
    ],
    "jurisdiction": SCRIPT,
    "sosUrl": "javascript:alert(1)",
}
HOSTILE_READ: dict[str, Any] = {
    "statusReason": "a_reason_that_nobody_knows",
    "standing": LONG,
    "formationDate": LONG,
    "formerNames": [f"{EMOJI} {SCRIPT} {'F' * 900}" for _ in range(60)],
    "assumedNames": [BIDI * 20 for _ in range(60)],
    "identifiers": {f"{SCRIPT}{number}": LONG for number in range(30)},
    "filings": [{"date": LONG if number % 7 else None, "title": f"{SCRIPT} {LONG}"} for number in range(300)],
    "fieldAvailability": {"mailingAddress": SCRIPT},
}


def keep(
    *,
    read_at: datetime,
    state: str = "DE",
    sandbox: bool = False,
    normalized: Any = (),
    reason: str = "read",
    **data: Any,
) -> RecordVersion:
    """A company as its registry showed it at that moment, or its next version where it is kept already."""
    shown, reading = {**DATA, **data}, {**NORMALIZED, **dict(normalized)}
    name, number = shown["entityName"], shown["entityId"]
    entity, _ = Entity.objects.update_or_create(
        state=state,
        entity_id=number,
        sandbox=sandbox,
        defaults={
            "name": name[:500],
            "name_key": names.key(name)[:500],
            "slug": page_slug(name=name, state=state, entity_id=number),
            "last_read_at": read_at,
        },
    )
    return RecordVersion.objects.create(
        entity=entity,
        number=entity.versions.count() + 1,
        reason=reason,
        data=shown,
        normalized=reading,
        facts=digest(shown, reading),
        evidence={
            "sourceUrl": "https://registry.example.test/search",
            "retrievedAt": wire_time(read_at),
            "sha256": "ab" * 32,
        },
        first_read_at=read_at,
        last_read_at=read_at,
        reader_version="1.2",
        reader_built_at="2026-11-01",
    )
