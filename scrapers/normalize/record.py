"""Our reading of a record, beside the state's own text: the `normalized` object of the answer."""

from __future__ import annotations

from typing import Any

from scrapers.normalize import dates, officers, types
from scrapers.normalize.addresses import region, zip_code
from scrapers.portal import Portal
from scrapers.records import Address, Availability, EntityRecord, Filing, Match, PartyKind

# EntityRecord field -> the names of the answer that it fills.
WIRE_FIELDS: dict[str, tuple[str, ...]] = {
    "entity_type": ("entityType",),
    "status": ("status",),
    "formation_date": ("formationDate",),
    "agent_name": ("registeredAgentName",),
    "agent_address": (
        "registeredAgentAddress",
        "registeredAgentCity",
        "registeredAgentState",
        "registeredAgentZip",
    ),
    "principal_address": ("principalAddress", "principalCity", "principalState", "principalZip"),
    "mailing_address": ("mailingAddress", "mailingCity", "mailingState", "mailingZip"),
    "officers": ("officers",),
    "jurisdiction": ("jurisdiction",),
    "fei_ein_number": ("feiEinNumber",),
}


def normalized(
    record: EntityRecord, *, portal: Portal, state: str, match: Match, from_copy: bool = False
) -> dict[str, Any]:
    """Build the JSON-ready `normalized` object. `state` is the two-letter code that was asked."""
    meaning = portal.record_meaning(record)
    domestic = record.domestic
    if domestic is None:
        domestic = types.is_domestic(record.entity_type, jurisdiction=record.jurisdiction, state=state)
    return {
        "statusClass": meaning.status_class,
        "statusReason": meaning.reason,
        "standing": record.standing,
        "formationDate": dates.to_iso(record.formation_date, years_ahead=0),
        "entityTypeClass": types.to_class(record.entity_type),
        "domestic": domestic,
        "officers": [officers.read(officer) for officer in record.officers],
        "registeredAgent": _agent(record),
        "serviceOfProcess": _receiver_of_process(record),
        "formerNames": list(record.former_names),
        "assumedNames": list(record.assumed_names),
        "identifiers": dict(record.identifiers),
        "filings": [_filing(item) for item in record.filings],
        "match": {"score": round(match.score, 3), "kind": match.kind, "features": list(match.features)},
        "fieldAvailability": availability(record, portal=portal, from_copy=from_copy),
    }


def _filing(filing: Filing) -> dict[str, str | None]:
    return {"date": dates.to_iso(filing.date, years_ahead=0) or filing.date, "title": filing.title}


def _agent(record: EntityRecord) -> dict[str, Any] | None:
    if not record.agent_name:
        return None
    return {
        "kind": _kind(record.agent_name),
        "commercial": officers.is_commercial_agent(record.agent_name),
        "zip": zip_code(record.agent_address.zip),
    }


def _receiver_of_process(record: EntityRecord) -> dict[str, Any] | None:
    return {"name": record.process_name, "kind": _kind(record.process_name)} if record.process_name else None


def _kind(name: str) -> PartyKind:
    return "organization" if officers.is_organization(name) else "person"


def availability(record: EntityRecord, *, portal: Portal, from_copy: bool = False) -> dict[str, Availability]:
    """Say for every field of the answer whether it is there, and if not, why not.

    What the portal shows and its published files do not hold is not empty in a record from a loaded copy of them.
    """
    published = portal.published - portal.list_lacking(from_copy=from_copy)
    found: dict[str, Availability] = {}
    for field, wire in WIRE_FIELDS.items():
        value = getattr(record, field)
        parts = _address_parts(value) if isinstance(value, Address) else (value,)
        for name, part in zip(wire, parts, strict=True):
            found[name] = _why(part, whole=value, field=field, portal=portal, published=published)
    return found


def _address_parts(value: Address) -> tuple[str | None, ...]:
    return (value.street, value.city, region(value), value.zip)


def _why(part: Any, *, whole: Any, field: str, portal: Portal, published: frozenset[str]) -> Availability:
    if part:
        return "provided"
    if field in portal.paywalled:
        return "paywalled"
    if field not in published:
        return "not_published"
    if isinstance(whole, Address) and whole.street and not (whole.city or whole.state or whole.zip):
        return "parse_failed"  # the address is there, whole in its first line, but could not be split
    return "empty"
