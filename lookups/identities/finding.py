"""Which LEI and which CIK a company has: from loaded copies where there are any, else GLEIF is asked.

An LEI is attached when its record has the state's own number, of this state's registry, and the company's name too. A
CIK can be found by the name alone, and is suggested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lookups.identities import asking
from lookups.lookup.storage import wire_time
from lookups.models import RecordVersion
from scrapers.bulk_data import copies
from scrapers.bulk_data.copies import CurrentCopy
from scrapers.failures import PortalError
from scrapers.identities import edgar, gleif
from scrapers.identities.agreement import choose_cik, choose_lei
from scrapers.identities.authorities import find_authority, find_numbers
from scrapers.identities.gleif import LeiRecord
from scrapers.normalize import names
from scrapers.sandbox import identities as played
from scrapers.transport.exchanges import digest

MOST_NAMESAKES = 200


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of one company, JSON-ready; `is_answer`: whether it may be given again."""

    lei: dict[str, Any]
    cik: dict[str, Any]
    exchanges: list[dict[str, Any]] = field(default_factory=list)
    is_answer: bool = True


def find(version: RecordVersion, *, now: datetime) -> Found:
    """Look for both."""
    lei, exchanges = _find_lei(version, now=now)
    return Found(lei, _find_cik(version), exchanges, is_answer=lei["status"] != "unavailable")


def name_of(version: RecordVersion) -> str:
    """With what other registers' names are compared."""
    return str(version.data["entityName"])[:500]


@dataclass(frozen=True, slots=True)
class _Read:
    """What GLEIF has of a number, and from where that is known; the sandbox's own is from nowhere."""

    records: list[LeiRecord]
    evidence: dict[str, Any] | None = None
    exchanges: list[dict[str, Any]] = field(default_factory=list)


def _find_lei(version: RecordVersion, *, now: datetime) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    entity = version.entity
    authority = find_authority(entity.state)
    numbers = find_numbers(entity.state, entity.entity_id, version.normalized.get("identifiers") or {})
    if authority is None or not numbers:
        return {"status": "unsupported"}, []
    known: dict[str, Any] = {"authority": authority.code, "authorityConfirmed": authority.is_confirmed}
    try:
        read = _read(authority.code, numbers, sandbox=entity.sandbox, now=now)
    except PortalError as error:
        return known | {"status": "unavailable", "reason": error.reason.value}, []
    known["evidence"] = read.evidence
    former = version.normalized.get("formerNames") or []
    chosen = choose_lei(read.records, name=name_of(version), former_names=former)
    if isinstance(chosen, str):
        return known | {"status": chosen}, read.exchanges
    found = {
        "status": "attached",
        "lei": chosen.lei,
        "legalName": chosen.legal_name,
        "entityStatus": chosen.entity_status,
        "registrationStatus": chosen.registration_status,
        "nextRenewal": chosen.next_renewal,
    }
    return known | found, read.exchanges


def _read(authority: str, numbers: Sequence[str], *, sandbox: bool, now: datetime) -> _Read:
    """Raises PortalError where GLEIF is asked and does not answer."""
    if sandbox:
        return _Read(played.list_lei(authority, numbers[0]))
    copy = copies.find_current(gleif.GLEIF.code)
    if copy is not None:
        kept = (copy.list_by_id(gleif.to_key(authority, number)) for number in numbers)
        records = [gleif.from_copy(one) for one in next(filter(None, kept), [])]
        return _Read(records, _of_copy(copy, gleif.GOLDEN_COPY.url))
    answer = asking.ask(authority=authority, numbers=numbers, now=now)
    last = answer.exchanges[-1]
    evidence = {"sourceUrl": last["url"], "retrievedAt": last["at"], "sha256": digest(answer.exchanges)}
    return _Read(answer.records, evidence, answer.exchanges)


def _find_cik(version: RecordVersion) -> dict[str, Any]:
    name, evidence = name_of(version), None
    if version.entity.sandbox:
        records = played.list_cik(name)
    else:
        copy = copies.find_current(edgar.EDGAR.code)
        if copy is None:
            return {"status": "not_loaded"}
        records, _ = copy.list_by_name(names.key(name), limit=MOST_NAMESAKES, wider=0)
        evidence = _of_copy(copy, edgar.NAMES.url)
    chosen = choose_cik(records, name=name) if len(records) < MOST_NAMESAKES else "ambiguous"
    if isinstance(chosen, str):
        return {"status": chosen, "evidence": evidence}
    return {"status": "suggested", "cik": chosen.entity_id, "name": chosen.entity_name, "evidence": evidence}


def _of_copy(copy: CurrentCopy, url: str) -> dict[str, Any]:
    return {"sourceUrl": url, "retrievedAt": wire_time(copy.as_of), "sha256": copy.sha256, "fromRegister": True}
