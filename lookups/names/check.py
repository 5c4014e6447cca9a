"""What a name check has of its own on the road of a lookup: why it need not be asked, and how its verdict is written.

It is live unless a copy is asked for, charged per verdict, whichever it is, and never stored: names are taken daily.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings

from lookups.lookup import storage
from lookups.lookup.outcomes import Refused
from lookups.lookup.questions import Question
from lookups.models import Entity
from lookups.privacy import suppression
from scrapers import gateway
from scrapers.gateway import NameReply
from scrapers.operations.readiness import Readiness
from scrapers.portal import Portal
from scrapers.records import Conflict, NameCheck, Rule
from scrapers.refusals import Refusal

COPY_KEPT = 'A copy of its register is loaded here: send "source": "cache" for a verdict from it.'


def find_objection(
    question: Question, portal: Portal, *, sandbox: bool, known: Readiness | None = None
) -> Refused | None:
    """Why the question need not be asked: a verdict from a copy that is not there, or live from behind a wall."""
    kept = gateway.find_copy(question.state, sandbox=sandbox, known=known)
    if question.from_copy:
        return None if kept else Refused(Refusal.NO_COPY)
    if portal.walled:
        return Refused(Refusal.WALLED, note=COPY_KEPT if kept else None)
    return None


def find_hint(question: Question, *, sandbox: bool) -> str | None:
    """Where to find a verdict when the registry gives none: in a copy, if one is loaded and was not read already."""
    if not question.is_name_check or question.from_copy:
        return None
    return COPY_KEPT if gateway.find_copy(question.state, sandbox=sandbox) else None


def verdict_fields(question: Question, reply: NameReply, *, sandbox: bool) -> dict[str, Any]:
    """The verdict in the wire's form; JSON-ready, because those who share a fetch read it from a row."""
    verdict = reply.verdict
    pages = _pages(question, verdict.conflicts, sandbox=sandbox)
    return {
        "verdict": verdict.verdict,
        "available": verdict.available,
        "searchedName": question.name,
        "state": question.state,
        "conflictingEntities": [
            {
                "entityName": one.candidate.name,
                "entityId": one.candidate.entity_id or None,
                "status": one.candidate.status,
                "statusClass": one.status_class,
                "sosUrl": one.candidate.sos_url,
                "entityPageUrl": pages.get(one.candidate.entity_id),
            }
            for one in verdict.conflicts
        ],
        "variationNote": verdict.variation_note,
        "warning": verdict.warning,
        "statusNote": verdict.status_note,
        "dataAsOf": storage.wire_time(reply.as_of),
        "designatorNote": verdict.designator_note,
        "normalizedName": verdict.normalized_name,
        "rule": _rule(verdict.rule),
        "ownerRule": _rule(verdict.owner_rule),
        "registryVerdict": verdict.check and _own(verdict.check),
        "evidence": storage.evidence_fields(reply.evidence, reply.reading),
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {"text": rule.text, "source": rule.source, "sure": rule.sure}


def _own(check: NameCheck) -> dict[str, Any]:
    return {"source": check.search, "available": check.available, "said": check.said}


def _pages(question: Question, conflicts: tuple[Conflict, ...], *, sandbox: bool) -> dict[str, str]:
    """Addresses of the conflicting entities' pages, by identifier, where they are stored and shown."""
    ids = [one.candidate.entity_id for one in conflicts if one.candidate.entity_id]
    if not ids or settings.ENTITY_PAGES == "off":
        return {}
    stored = Entity.objects.filter(state=question.state, sandbox=sandbox, entity_id__in=ids)
    shown = suppression.with_page(stored).only("entity_id", "slug", "state")
    return {row.entity_id: row.page_url for row in shown}
