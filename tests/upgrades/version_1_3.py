"""An installation of version 1.3.0 as its customers left it: its rows, and the replies it kept word by word.

The tables are those of its last migrations, the money is real. Whatever was replied is in `replies`, by ask: what the
next version says has to be the same.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from billing import ledger, money, prices
from billing.models import Payment
from jurisdictions.codes import PLACES
from lookups.lookup import storage
from lookups.lookup.questions import Question
from tests.lookups.conftest import PRICE, Customer

VERSION_1_3 = [
    ("billing", "0004_waiting_events"),
    ("jurisdictions", "0001_initial"),
    ("lookups", "0007_deliveries"),
    ("scrapers", "0007_attempts_of_a_day"),
]
"""The last migrations of that version."""

BUILT = "2026-11-01T00:00:00Z"
MATCH = {"score": 0.97, "kind": "name", "features": ["legal_form"]}
NORMALIZED = {"statusClass": "active", "formationDate": "2012-06-28", "fieldAvailability": {"feiEinNumber": "empty"}}


ENTITY_FIELDS = [
    "entityName",
    "entityType",
    "entityId",
    "status",
    "formationDate",
    "registeredAgentName",
    "registeredAgentAddress",
    "registeredAgentCity",
    "registeredAgentState",
    "registeredAgentZip",
    "principalAddress",
    "principalCity",
    "principalState",
    "principalZip",
    "mailingAddress",
    "mailingCity",
    "mailingState",
    "mailingZip",
    "officers",
    "jurisdiction",
    "feiEinNumber",
    "sosUrl",
]


def record(name: str, entity_id: str, **more: Any) -> dict[str, Any]:
    """What a registry says of a company, in the wire's flat names."""
    return {**dict.fromkeys(ENTITY_FIELDS), "entityName": name, "entityId": entity_id, "officers": [], **more}


def filing(number: str) -> dict[str, Any]:
    """One UCC filing."""
    return {"fileNumber": number, "fileDate": "2020-02-03", "debtorName": "ACME CORP.", "statusClass": "active"}


@dataclass
class Version13:
    """Writes rows through the models of then; `now` is the day before the upgrade."""

    models: Any
    customer: Customer
    now: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=123_456) - timedelta(hours=2))
    replies: dict[uuid.UUID, dict[str, Any]] = field(default_factory=dict)

    def model(self, name: str) -> Any:
        """A table of lookups."""
        return self.models.get_model("lookups", name)

    def evidence(self, at: datetime, *, from_copy: bool = False) -> dict[str, Any]:
        """Where and when something was read."""
        digest = hashlib.sha256(str(at).encode()).hexdigest()
        return {
            "sourceUrl": "https://r.test/",
            "retrievedAt": storage.wire_time(at),
            "sha256": digest,
            "fromRegister": from_copy,
        }

    def entity(
        self, data: dict[str, Any], *, at: datetime, state: str = "NY", sandbox: bool = False, **more: Any
    ) -> Any:
        """A company as it was read last; the same company again is what it has become."""
        slug = storage.page_slug(name=data["entityName"], state=state, entity_id=data["entityId"])
        facts = {
            "slug": slug,
            "name": data["entityName"],
            "name_key": data["entityName"].lower(),
            "data": data,
            "normalized": NORMALIZED,
            "evidence": self.evidence(at),
            "retrieved_at": at,
            "version": "1.0",
            "built_at": BUILT,
        }
        same = {"state": state, "entity_id": data["entityId"], "sandbox": sandbox}
        written, _ = self.model("StoredEntity").objects.update_or_create(**same, defaults={**facts, **more})
        return written

    def answer(self, question: Question, *, entity: Any = None, filings: Any = None, at: datetime, **more: Any) -> Any:
        """What answers a question; the same question again is answered anew."""
        facts = {
            "asked": question.words,
            "entity": entity,
            "filings": filings,
            "match": MATCH if entity else None,
            "total": 1 if entity else len(filings),
            "evidence": entity.evidence if entity else self.evidence(at),
            "retrieved_at": at,
            "as_of": entity.as_of if entity else None,
            "version": "1.0",
            "built_at": BUILT,
        }
        same = {"state": question.state, "kind": question.kind, "question": question.digest}
        sandbox = more.pop("sandbox", entity.sandbox if entity else False)
        return self.model("StoredAnswer").objects.update_or_create(**same, sandbox=sandbox, defaults={**facts, **more})[
            0
        ]

    # Lookups that ended

    def sold(
        self,
        question: Question,
        answer: Any,
        *,
        cached: bool = False,
        ask: uuid.UUID | None = None,
        hold: Any = None,
        share: bool = False,
        test_key: Customer | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """A lookup that found something, its money and its reply."""
        ask, who = ask or uuid.uuid4(), test_key or self.customer
        if not test_key and not cached:
            hold = hold or self.hold(ask=ask)
        cost, left = (0, who.balance.available) if test_key else self._pay(ask, question, hold, share=share)
        row = self.lookup(question, ask=ask, who=who, answer=answer, cost=cost, hold=hold, cached=cached)
        from_copy = bool(answer.evidence.get("fromRegister"))
        data = self._entity_data(answer, cached or from_copy) if answer.entity else self._filings(answer)
        if cached and answer.entity:
            data["cacheExpiresAt"] = storage.wire_time(answer.retrieved_at + timedelta(days=30))
        body = {
            "success": True,
            "data": data,
            "cost": money.to_json_number(cost),
            "source": "cache" if cached or from_copy else "live",
            "cached": cached or from_copy,
            "stale": False,
            "dataAsOf": storage.wire_time(answer.as_of or answer.retrieved_at),
            "total_results": answer.total,
            "state_scraper_version": answer.version,
            "scraper_built_at": answer.built_at,
            "walletBalance": money.to_rounded_string(left),
            "lookupsRemaining": prices.lookups_covered(left),
            "note": answer.note or None,
        }
        if body["cached"] and answer.entity:
            body["entity"] = data
        self.replies[ask] = deepcopy(body)
        return row, body

    def checked(self, question: Question, *, available: bool, from_copy: bool = False) -> tuple[Any, dict[str, Any]]:
        """A name check, its money and its reply."""
        ask = uuid.uuid4()
        hold = self.hold(ask=ask)
        cost, left = self._pay(ask, question, hold)
        row = self.lookup(question, ask=ask, cost=cost, hold=hold, cached=question.from_copy)
        taken = {"entityName": question.name, "entityId": "7", "status": "Active", "statusClass": "active"}
        body = {
            "success": True,
            "available": available,
            "searchedName": question.name,
            "state": question.state,
            "conflictingEntities": [] if available else [{**taken, "sosUrl": None, "entityPageUrl": None}],
            "variationNote": "Also without the comma.",
            "warning": None,
            "statusNote": None,
            "cost": money.to_json_number(cost),
            "data_source": "cache" if from_copy else "live",
            "dataAsOf": storage.wire_time(self.now),
            "walletBalance": money.to_rounded_string(left),
            "lookupsRemaining": prices.lookups_covered(left),
            "designatorNote": "LLC is one.",
            "normalizedName": "acme",
            "registryVerdict": {"source": "name search", "available": available, "said": "Available"},
            "evidence": self.evidence(self.now, from_copy=from_copy),
        }
        self.replies[ask] = deepcopy(body)
        return row, body

    def absent(self, question: Question, *, ambiguous: bool = False, **more: Any) -> tuple[Any, dict[str, Any]]:
        """A lookup that found nothing, and its reply."""
        ask = more.pop("ask", None) or uuid.uuid4()
        row = self.lookup(question, ask=ask, outcome="not_found", reason="ambiguous" if ambiguous else "", **more)
        near = {"entityName": "ACME CO.", "entityId": "9", "status": None, "score": 0.8, "features": [], "sosUrl": None}
        body = self._error("Entity not found", "entity_not_found", row) | {
            "suggestions": [near, {**near, "entityId": "10"}] if ambiguous else [near],
            "ambiguous": ambiguous,
            "note": "Only active companies are listed.",
            "evidence": self.evidence(self.now),
        }
        self.replies[ask] = deepcopy(body)
        return row, body

    def unavailable(
        self, question: Question, *, reason: str = "down", retryable: bool = True, note: str = "", **more: Any
    ) -> dict[str, Any]:
        """A lookup whose registry could not be asked, and its reply."""
        ask = more.pop("ask", None) or uuid.uuid4()
        row = self.lookup(question, ask=ask, outcome="source_unavailable", reason=reason, **more)
        error = self._error("State portal temporarily unavailable", "source_unavailable", row)
        return error | {"retryable": retryable, "reason": reason, "state": row.state} | ({"note": note} if note else {})

    def refused(self, question: Question, **more: Any) -> dict[str, Any]:
        """A lookup that its registry does not take, and its reply."""
        row = self.lookup(question, ask=more.pop("ask", None) or uuid.uuid4(), outcome="refused", **more)
        return self._error("Invalid request body", "invalid_request", row) | {
            "details": {"entity_name": ["Too short."]}
        }

    def lookup(self, question: Question, *, ask: uuid.UUID, who: Customer | None = None, **more: Any) -> Any:
        """A row of what was settled."""
        who = who or self.customer
        facts = {
            "account_id": who.account.pk,
            "key_id": who.key.pk,
            "sandbox": who.key.mode == "test",
            "source": "cache" if more.pop("cached", False) else "live",
            "outcome": "found",
            "duration_ms": 1500,
            "request_id": f"req_{ask.hex[:12]}",
            "created_at": self.now,
            "hold_id": getattr(more.pop("hold", None), "pk", None),
        }
        asked = {"state": question.state, "kind": question.kind, "asked": question.words}
        return self.model("Lookup").objects.create(ask_id=ask, **asked, **{**facts, **more})

    def paid_by_request(self, question: Question, answer: Any) -> Any:
        """A lookup whose payer has no account; nothing of its reply was kept."""
        payment = Payment.objects.create(
            challenge_id=uuid.uuid4().hex,
            proof_hash=uuid.uuid4().hex,
            method="tempo",
            purpose="lookup",
            amount=PRICE,
            created_at=self.now,
        )
        who = {"account_id": None, "key_id": None, "payment_id": payment.pk}
        return self.lookup(question, ask=uuid.uuid4(), answer=answer, **who)

    # Jobs, bulk requests and keys

    def hold(self, amount: int = PRICE, *, ask: uuid.UUID | None = None) -> Any:
        """Money that is held, for Acme Corp in New York if the service is to find it again."""
        return ledger.hold(
            account_id=self.customer.account.pk,
            amount=amount,
            idempotency_key=f"lookup:{ask or uuid.uuid4()}",
            reference="NY Acme Corp",
            expires_at=self.now + timedelta(hours=9),
            now=self.now,
            key=self.customer.key,
        )

    def job(
        self,
        question: Question,
        *,
        status: str = "pending",
        reply: Any = None,
        reply_status: int | None = None,
        **more: Any,
    ) -> Any:
        """A question that is, or was, answered later."""
        asked = question.to_json()
        asked.pop("from_copy")
        who: Customer = more.pop("who", self.customer)
        now, ask = self.now, more.pop("ask", None) or uuid.uuid4()
        facts = {
            "request_id": (reply or {}).get("requestId") or f"req_{ask.hex[:12]}",
            "deadline": now + timedelta(hours=9),
            "ended_at": now + timedelta(minutes=1) if reply else None,
            "estimated_seconds": 7,
            "created_at": now,
            "hold_id": getattr(more.pop("hold", None), "pk", None),
            "bulk_id": getattr(more.pop("bulk", None), "pk", None),
        }
        return self.model("Job").objects.create(
            account_id=who.account.pk,
            key_id=who.key.pk,
            ask_id=ask,
            state=question.state,
            question=asked,
            status=status,
            reply=deepcopy(reply),
            reply_status=reply_status,
            **{**facts, **more},
        )

    def bulk(self, *, total: int, questions: int, ended: bool = False) -> Any:
        """A bulk request with its hold."""
        return self.model("BulkJob").objects.create(
            account_id=self.customer.account.pk,
            key_id=self.customer.key.pk,
            hold_id=self.hold(questions * PRICE).pk,
            accepts_stored=False,
            total=total,
            questions=questions,
            created_at=self.now,
            deadline=self.now + timedelta(hours=9),
            ended_at=self.now + timedelta(minutes=2) if ended else None,
        )

    def rows(self, bulk: Any, rows: Sequence[tuple[str, str | None, Any]]) -> None:
        """Its rows: name, the customer's mark, and the job that answers."""
        for index, (name, ref, job) in enumerate(rows):
            self.model("BulkRow").objects.create(
                bulk=bulk, index=index, ref=ref, entity_name=name, state=job.state, job=job
            )

    def key(
        self, word: str, path: str, asked: dict[str, Any], *, ask: uuid.UUID, status: int | None, body: Any
    ) -> None:
        """An Idempotency-Key whose first request is running (no status), or was answered so."""
        sent = ["POST", path, [], asked]
        self.model("IdempotencyRecord").objects.create(
            account_id=self.customer.account.pk,
            key=word,
            body_hash=hashlib.sha256(json.dumps(sent, sort_keys=True, default=str).encode()).hexdigest(),
            ask_id=ask,
            lease_until=self.now,
            status=status,
            body=json.dumps(body) if body else "",
            created_at=self.now,
            expires_at=self.now + timedelta(hours=24),
        )

    # Parts of the above

    def _pay(self, ask: uuid.UUID, question: Question, hold: Any, *, share: bool = False) -> tuple[int, int]:
        if hold is None:
            entry = ledger.charge(
                account_id=self.customer.account.pk,
                amount=PRICE,
                idempotency_key=f"lookup:{ask}:charge",
                reference=question.title,
                now=self.now,
                key=self.customer.key,
            )
        else:
            part = {"amount": PRICE, "idempotency_key": f"lookup:{ask}:taken"} if share else {}
            entry = ledger.capture(hold_id=hold.pk, now=self.now, reference=question.title, **part)
        return PRICE, entry.available_after

    def _entity_data(self, answer: Any, cached: bool) -> dict[str, Any]:
        entity = answer.entity
        place = PLACES[entity.state].slug
        return {
            **entity.data,
            "scrapedAt": storage.wire_time(entity.retrieved_at),
            "cached": cached,
            "cacheExpiresAt": None,
            "relatedResults": answer.related,
            "entityPageUrl": f"/entity/{place}/{entity.slug}/",
            "normalized": {**entity.normalized, "match": answer.match},
            "evidence": entity.evidence,
        }

    def _filings(self, answer: Any) -> dict[str, Any]:
        return {"filings": answer.filings, "totalResults": answer.total, "evidence": answer.evidence}

    def _error(self, error: str, code: str, row: Any) -> dict[str, Any]:
        body = {"success": False, "error": error, "code": code, "cost": 0, "retryable": False}
        return body | {"requestId": row.request_id}
