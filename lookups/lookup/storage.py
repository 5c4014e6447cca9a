"""Keeps what a registry answered: the record in the wire's flat names, and which question it answers."""

from __future__ import annotations

import copy
import hashlib
import json
from datetime import UTC, date, datetime, timedelta
from typing import Any, overload

from django.db import connection
from django.utils.text import slugify

from jurisdictions.prepared import Blank, Insertion, Prepared
from lookups.lookup.questions import Question, id_digest, to_searched
from lookups.models import Entity, FilingSet, RecordVersion, StoredAnswer
from lookups.privacy import suppression
from scrapers.gateway import Reply
from scrapers.models import Reading
from scrapers.normalize import addresses, dates, liens, names
from scrapers.records import (
    Address,
    Candidate,
    EntityRecord,
    Evidence,
    Found,
    FoundFilings,
    NotFound,
    Suggestion,
    UccFiling,
    UccParty,
)

_SLUG_NAME = 100
_ENTITY = Insertion(
    Entity,
    unique=("state", "entity_id", "sandbox"),
    update=("slug", "name", "name_key", "last_read_at"),
    latest="last_read_at",
)
_READ = ("evidence", "reading", "last_read_at", "as_of", "reader_version", "reader_built_at")
"""What a further reading of the same facts changes."""
_LAST = Prepared(lambda: RecordVersion.objects.filter(entity=Blank("entity")).order_by("-number")[:1])
_NUMBER = """COALESCE((
    SELECT number + CASE WHEN facts = %s THEN 0 ELSE 1 END FROM lookups_recordversion
    WHERE entity_id = %s ORDER BY number DESC LIMIT 1), 1)"""
_VERSION = Insertion(
    RecordVersion,
    unique=("entity", "number"),
    update=_READ,
    counted={"number": (_NUMBER, ("facts", "entity_id"))},
)
_ANSWERS = Insertion(
    StoredAnswer,
    unique=("question", "state", "kind", "sandbox"),
    update=(
        *("asked", "version", "filing_set", "match", "related", "total", "evidence", "reading", "note"),
        *("retrieved_at", "as_of", "reader_version", "reader_built_at"),
    ),
    latest="retrieved_at",
)
_OVERTAKEN = timedelta(hours=1)  # what is newer by more was read by a clock that ran ahead
MATCH_BY_ID = {"score": 1.0, "kind": "entity_id", "features": []}
MORE = "more filings for this name than are shown"  # in the note of whatever was cut, also of earlier versions
MORE_FILINGS = f"The registry may have {MORE}; narrow it by name or dates."


def store(*, question: Question, reply: Reply, sandbox: bool) -> StoredAnswer:
    """Keep what was read, and that it answers this question; returns the answer with its record or filings loaded.

    A record or a list of filings is written anew only when it differs from the last. Joins the caller's transaction.
    """
    answer = reply.answer
    if isinstance(answer, FoundFilings):
        row = _answer(question, reply, answer.evidence, answer.as_of, sandbox=sandbox)
        row.filing_set, row.total = _keep_filings(question, answer, sandbox=sandbox), answer.total
        if not answer.complete:
            row.note = f"{row.note} {MORE_FILINGS}".strip()
        _write_answers([row])
        return row
    assert isinstance(answer, Found)
    by_name = _answer(question, reply, answer.evidence, answer.as_of, sandbox=sandbox)
    by_name.version = keep_record(question.state, reply, answer, sandbox=sandbox)
    by_name.match = (reply.normalized or {}).get("match")
    by_name.related = [related_fields(row) for row in answer.related]
    by_name.total = 1 + len(by_name.related)
    rows = [by_name]
    is_latest = by_name.version.entity.last_read_at <= by_name.retrieved_at
    by_id = id_digest(question.state, by_name.version.entity.entity_id)
    # A file may have two companies of one number: what it says of one is no answer to that.
    if is_latest and not answer.evidence.from_copy and by_id != by_name.question:
        rows.append(_same_by_id(by_name, by_id))
    _write_answers(rows)
    return by_name


def serves(answer: StoredAnswer, question: Question, *, today: date) -> bool:
    """Whether a stored answer is also that to this spelling: of two that bear the name alike, the very words choose.

    For other words ("The Foxes" for "Foxes", "O'Neil" for "Oneil") its registry may list a company of just that name,
    which is not in this answer. A list of liens of which an active one's lapse date has passed since it was read serves
    nobody any more.
    """
    if answer.filing_set is not None:
        lapsed = (_has_lapsed_since(one, answer.retrieved_at.date(), today) for one in answer.filing_set.filings)
        return to_searched(answer.asked) == to_searched(question.words) and not any(lapsed)
    if question.entity_id or question.kind != "business_entity" or question.name is None:
        return True
    found = answer.version.data["entityName"] if answer.version else ""
    words, *own = map(to_searched, (question.words, answer.asked, found))
    if words == own[0] and names.plain(answer.asked) == names.plain(question.words):
        return True
    asked = names.full_key(question.name)
    return words in own and all(names.full_key(row["entityName"]) != asked for row in answer.related)


def _has_lapsed_since(lien: dict[str, Any], read: date, today: date) -> bool:
    lapses = dates.to_date(lien.get("lapseDate"))
    return lien.get("statusClass") == "active" and lapses is not None and read <= lapses < today


def keep_record(
    state: str,
    reply: Reply,
    answer: Found,
    *,
    sandbox: bool,
    reason: RecordVersion.Reason = RecordVersion.Reason.READ,
) -> RecordVersion:
    """The version that holds these facts: the last one, read once more, or a new one, written for this reason.

    Joins the caller's transaction.
    """
    data, normalized = record_fields(state, reply, answer)
    entity = _write_entity(state, answer, sandbox=sandbox)
    version = RecordVersion(
        entity=entity,
        reason=reason,
        data=data,
        normalized=normalized,
        facts=digest(data, normalized),
        first_read_at=answer.evidence.retrieved_at,
        evidence=evidence_fields(answer.evidence, reply.reading),
        reading=reply.reading,
        last_read_at=answer.evidence.retrieved_at,
        as_of=answer.as_of,
        reader_version=reply.version,
        reader_built_at=reply.built_at,
    )
    if entity.last_read_at > version.last_read_at and (known := _find_overtaken(version)) is not None:
        return known
    if connection.vendor == "postgresql":
        return _write_in_one(version)
    same = _LAST.first(entity=entity.pk)
    version.number = 1 if same is None else same.number + (same.facts != version.facts)
    if same is None or same.facts != version.facts:
        version.save(force_insert=True)
        return version
    version.pk, version.first_read_at = same.pk, same.first_read_at
    version.save(force_update=True, update_fields=_READ)
    return version


def record_fields(state: str, reply: Reply, answer: Found) -> suppression.Record:
    """The record as it is stored: in the flat names of the contract and in one form for all states."""
    normalized = {name: value for name, value in (reply.normalized or {}).items() if name != "match"}
    return suppression.withhold(entity_fields(answer.record), normalized, state=state)


def entity_fields(record: EntityRecord) -> dict[str, Any]:
    """The record in the flat names of the contract, with the state's own text."""
    return {
        "entityName": record.entity_name,
        "entityType": record.entity_type,
        "entityId": record.entity_id,
        "status": record.status,
        "formationDate": record.formation_date,
        "registeredAgentName": record.agent_name,
        **_address_fields("registeredAgent", record.agent_address),
        **_address_fields("principal", record.principal_address),
        **_address_fields("mailing", record.mailing_address),
        "officers": [{"name": one.name, "title": one.title, "address": one.address} for one in record.officers],
        "jurisdiction": record.jurisdiction,
        "feiEinNumber": record.fei_ein_number,
        "sosUrl": record.sos_url,
    }


def related_fields(row: Candidate) -> dict[str, Any]:
    """One of the other matches."""
    return {
        "entityName": row.name,
        "entityId": row.entity_id or None,
        "entityType": row.entity_type,
        "status": row.status,
        "sosUrl": row.sos_url,
    }


def suggestion_fields(suggestion: Suggestion) -> dict[str, Any]:
    """One near miss."""
    return {
        "entityName": suggestion.name,
        "entityId": suggestion.entity_id or None,
        "status": suggestion.status,
        "score": suggestion.score,
        "features": list(suggestion.features),
        "sosUrl": suggestion.sos_url,
    }


def filing_fields(filing: UccFiling, *, today: date) -> dict[str, Any]:
    """One UCC filing; dates as ISO, or as the registry writes them when they cannot be read."""
    return {
        "fileNumber": filing.file_number,
        "fileDate": _iso(filing.filed),
        "debtorName": "; ".join(party.name for party in filing.debtors) or None,
        "securedParty": "; ".join(party.name for party in filing.secured_parties) or None,
        "collateral": filing.collateral,
        "status": filing.status,
        "lapseDate": _iso(filing.lapse_date),
        "statusClass": liens.status_class(filing, today=today),
        "filingType": filing.filing_type,
        "debtors": [_party_fields(party) for party in filing.debtors],
        "securedParties": [_party_fields(party) for party in filing.secured_parties],
        "amendments": [
            {"fileNumber": one.file_number, "fileDate": _iso(one.filed), "filingType": one.filing_type}
            for one in filing.amendments
        ],
        "sosUrl": filing.sos_url,
    }


def evidence_fields(evidence: Evidence, reading: Reading) -> dict[str, Any]:
    """Where, when and what was read, and whether it was a loaded copy of the published register."""
    told = {
        "sourceUrl": evidence.source_url,
        "retrievedAt": wire_time(evidence.retrieved_at),
        "sha256": reading.sha256,
        "fromRegister": evidence.from_copy,
    }
    if evidence.as_of is not None:
        told["dataAsOf"] = wire_time(evidence.as_of)
    return {**told, "leftOut": list(evidence.left_out)} if evidence.left_out else told


def absence_fields(answer: NotFound, reading: Reading, *, note: str | None) -> dict[str, Any]:
    """What the caller learns when nothing was found; JSON-ready, because those who share a fetch read it from a row."""
    return {
        "suggestions": [suggestion_fields(one) for one in answer.suggestions],
        "ambiguous": answer.ambiguous,
        "note": note,
        "evidence": evidence_fields(answer.evidence, reading),
    }


@overload
def wire_time(moment: datetime) -> str: ...
@overload
def wire_time(moment: datetime | None) -> str | None: ...
def wire_time(moment: datetime | None) -> str | None:
    """A moment as the wire writes it: UTC, milliseconds, "Z"; None where there is none."""
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def digest(*facts: Any) -> str:
    """SHA-256 of facts, to tell whether anything differs."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def page_slug(*, name: str, state: str, entity_id: str) -> str:
    """The last part of an entity page's address: "apple-inc-de-3284652"."""
    parts = (slugify(name)[:_SLUG_NAME].strip("-"), state.lower(), slugify(entity_id))
    return "-".join(part for part in parts if part)


def _write_in_one(version: RecordVersion) -> RecordVersion:
    """Number a version by the last one, whose number it has when it says the same, and write it under that number.

    The entity is locked: nobody numbers another one meanwhile. SQLite's guard of what was said refuses such a
    statement; in its process a question more costs nothing.
    """
    _VERSION.write(version)
    del version.number, version.first_read_at  # the database knows them
    return version


def _find_overtaken(version: RecordVersion) -> RecordVersion | None:
    """What an older reading says, where a newer one of the same company was kept while it was under way.

    That is what the newer one says, too, or what was known before both; None where nobody has known it.
    """
    lately = RecordVersion.objects.filter(entity=version.entity).order_by("-number")[:2]
    known = next((one for one in lately if one.facts == version.facts), None)
    if known is not None:
        known.entity = version.entity
        if known.last_read_at < version.last_read_at:
            RecordVersion.objects.filter(pk=known.pk).update(**{name: getattr(version, name) for name in _READ})
    return known


def _write_entity(state: str, answer: Found, *, sandbox: bool) -> Entity:
    """The entity under its present name. Writing it locks it: of two readings at once one writes after the other.

    Where the other one, which has read later, was the first to write, it is as that has left it.
    """
    record = answer.record
    entity = Entity(
        state=state,
        entity_id=record.entity_id,
        sandbox=sandbox,
        slug=page_slug(name=record.entity_name, state=state, entity_id=record.entity_id),
        name=record.entity_name[:500],
        name_key=names.key(record.entity_name)[:500],
        last_read_at=answer.evidence.retrieved_at,
    )
    if not _ENTITY.write(entity):
        same = Entity.objects.filter(state=state, entity_id=record.entity_id, sandbox=sandbox)
        return same.select_for_update().get()
    return entity


def _keep_filings(question: Question, answer: FoundFilings, *, sandbox: bool) -> FilingSet:
    """The set that holds these filings: the last one, read once more, or a new one."""
    read_at = answer.evidence.retrieved_at
    read = [filing_fields(filing, today=read_at.date()) for filing in answer.filings]
    filings, _ = suppression.withhold_parties(read, state=question.state)
    same = {"state": question.state, "question": question.digest, "sandbox": sandbox}
    facts = digest(filings)
    last = FilingSet.objects.filter(**same).order_by("-pk").first()
    if last is not None and last.facts == facts:
        FilingSet.objects.filter(pk=last.pk).update(last_read_at=read_at)
        last.last_read_at = read_at
        return last
    return FilingSet.objects.create(**same, filings=filings, facts=facts, first_read_at=read_at, last_read_at=read_at)


def _answer(
    question: Question, reply: Reply, evidence: Evidence, as_of: datetime | None, *, sandbox: bool
) -> StoredAnswer:
    return StoredAnswer(
        state=question.state,
        kind=question.kind,
        question=question.digest,
        sandbox=sandbox,
        asked=question.words,
        evidence=evidence_fields(evidence, reply.reading),
        reading=reply.reading,
        note=reply.note or "",
        retrieved_at=evidence.retrieved_at,
        as_of=as_of,
        reader_version=reply.version,
        reader_built_at=reply.built_at,
    )


def _same_by_id(answer: StoredAnswer, digest: str) -> StoredAnswer:
    """The answer to the question for this company's identifier, which is now known as well."""
    assert answer.version is not None
    same = copy.copy(answer)
    same.question, same.asked = digest, answer.version.entity.entity_id
    same.match, same.related, same.total = MATCH_BY_ID, [], 1
    return same


def _write_answers(rows: list[StoredAnswer]) -> None:
    """Write them; where somebody has read later and written before, that one's answer stays."""
    # Always in the same order, so that two that write the same pair of rows cannot lock each other out.
    rows = sorted(rows, key=lambda row: row.question)
    if not _ANSWERS.write(*rows):
        same = {"state": rows[0].state, "kind": rows[0].kind, "sandbox": rows[0].sandbox}
        known = StoredAnswer.objects.filter(question__in=[row.question for row in rows], **same)
        if known.filter(retrieved_at__gt=rows[0].retrieved_at + _OVERTAKEN).update(retrieved_at=rows[0].retrieved_at):
            _ANSWERS.write(*rows)


def _address_fields(prefix: str, address: Address) -> dict[str, str | None]:
    return {
        f"{prefix}Address": address.street,
        f"{prefix}City": address.city,
        f"{prefix}State": addresses.region(address),
        f"{prefix}Zip": address.zip,
    }


def _party_fields(party: UccParty) -> dict[str, Any]:
    address = party.address
    return {
        "name": party.name,
        "kind": party.kind,
        "address": address.street,
        "city": address.city,
        "state": address.state,
        "zip": address.zip,
    }


def _iso(raw: str | None) -> str | None:
    """A day; None for one that stands for none: a lien that holds until it is released lapses in 9999."""
    return None if dates.is_placeholder(raw) else dates.to_iso(raw) or raw
