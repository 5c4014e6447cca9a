"""Worked examples for the document; the record is a fictional company of the sandbox registry."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample

ENTITY: dict[str, Any] = {
    "entityName": "BLUE HERON LOGISTICS LLC",
    "entityType": "Limited Liability Company",
    "entityId": "SB-DE-000123",
    "status": "Good Standing",
    "formationDate": "03/14/2011",
    "registeredAgentName": "HARBOR AGENTS INC.",
    "registeredAgentAddress": "12 QUAY STREET",
    "registeredAgentCity": "DOVER",
    "registeredAgentState": "DE",
    "registeredAgentZip": "19901",
    "principalAddress": None,
    "principalCity": None,
    "principalState": None,
    "principalZip": None,
    "mailingAddress": None,
    "mailingCity": None,
    "mailingState": None,
    "mailingZip": None,
    "officers": [{"name": "ADA MERRILL", "title": "Manager", "address": None}],
    "jurisdiction": None,
    "feiEinNumber": None,
    "sosUrl": "https://sandbox.invalid/DE/SB-DE-000123",
    "scrapedAt": "2026-11-21T08:00:00.000Z",
    "cached": False,
    "cacheExpiresAt": None,
    "relatedResults": [],
    "entityPageUrl": "/entity/delaware/blue-heron-logistics-llc-de-sb-de-000123/",
    "normalized": {
        "statusClass": "active",
        "statusReason": None,
        "standing": None,
        "formationDate": "2011-03-14",
        "entityTypeClass": "llc",
        "domestic": True,
        "officers": [{"givenName": "Ada", "familyName": "Merrill", "kind": "person"}],
        "registeredAgent": {"kind": "organization", "commercial": False, "zip": "19901"},
        "formerNames": [],
        "assumedNames": [],
        "identifiers": {},
        "filings": [],
        "match": {"score": 1.0, "kind": "exact", "features": []},
        "fieldAvailability": {"officers": "provided", "feiEinNumber": "not_published"},
    },
    "evidence": {
        "sourceUrl": "https://sandbox.invalid/DE/SB-DE-000123",
        "retrievedAt": "2026-11-21T08:00:00.000Z",
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "fromRegister": False,
    },
}
RECEIPT: dict[str, Any] = {
    "cost": 0.0314,
    "source": "live",
    "cached": False,
    "stale": False,
    "dataAsOf": "2026-11-21T08:00:00.000Z",
    "total_results": 1,
    "state_scraper_version": "1.0",
    "scraper_built_at": "2026-11-21",
    "walletBalance": "3.11",
    "lookupsRemaining": 99,
    "note": None,
}
FILING: dict[str, Any] = {
    "fileNumber": "SB-2024-000017",
    "fileDate": "2024-05-02",
    "debtorName": "BLUE HERON LOGISTICS LLC",
    "securedParty": "FIRST MERIDIAN BANK",
    "collateral": "All inventory, now owned or acquired later",
    "status": "Active",
    "lapseDate": "2029-05-02",
    "statusClass": "active",
    "filingType": "UCC-1",
    "debtors": [
        {
            "name": "BLUE HERON LOGISTICS LLC",
            "kind": "organization",
            "address": "12 QUAY STREET",
            "city": "DOVER",
            "state": "DE",
            "zip": "19901",
        }
    ],
    "securedParties": [
        {
            "name": "FIRST MERIDIAN BANK",
            "kind": "organization",
            "address": None,
            "city": None,
            "state": None,
            "zip": None,
        }
    ],
    "amendments": [],
    "sosUrl": None,
}


def _error(answer: int, code: str, text: str, /, *, retryable: bool = False, **more: Any) -> OpenApiExample:
    value = {"success": False, "error": text, "code": code, "cost": 0, "retryable": retryable, "requestId": "req-7f3a"}
    return OpenApiExample(f"{code}_{answer}", value=value | more, response_only=True, status_codes=[str(answer)])


ASK = OpenApiExample("A company", value={"entity_name": "Blue Heron Logistics LLC", "state": "DE"}, request_only=True)
ASK_STORED = OpenApiExample(
    "A stored record will do",
    value={"entity_name": "Blue Heron Logistics LLC", "state": "DE", "source": "cache"},
    request_only=True,
)
ASK_UCC = OpenApiExample(
    "UCC filings of a debtor",
    value={"entity_name": "Blue Heron Logistics LLC", "state": "DE", "searchType": "ucc"},
    request_only=True,
)
FOUND = OpenApiExample(
    "The company's record", value={"success": True, "data": ENTITY, **RECEIPT}, response_only=True, status_codes=["200"]
)
FOUND_FILINGS = OpenApiExample(
    "Its UCC filings",
    value={
        "success": True,
        "data": {"filings": [FILING], "totalResults": 1, "evidence": ENTITY["evidence"]},
        **RECEIPT,
    },
    response_only=True,
    status_codes=["200"],
)
NOT_FOUND = _error(
    404,
    "entity_not_found",
    "Entity not found",
    ambiguous=False,
    note=None,
    evidence=ENTITY["evidence"],
    suggestions=[
        {
            "entityName": "BLUE HERON LEASING LLC",
            "entityId": "SB-DE-000124",
            "status": "Good Standing",
            "score": 0.8,
            "features": ["word_differs"],
            "sosUrl": None,
        }
    ],
)
INVALID = _error(400, "invalid_request", "Invalid request body", details={"state": ["This field is required."]})
NO_KEY = _error(401, "unauthorized", "Missing or invalid API key")
NO_FUNDS = _error(
    402,
    "insufficient_balance",
    "Insufficient balance",
    type="https://example.com/docs/#insufficient_balance",
    title="Insufficient balance",
    status=402,
    detail="This costs 0.0314 USD and the balance is 0.0100 USD.",
    challengeId=None,
    balanceStored=100,
    pricePerLookup=0.0314,
    lookupsRemaining=0,
    topUpUrl="https://example.com/pricing/",
)
PAY = OpenApiExample(
    "payment_required",
    response_only=True,
    status_codes=["402"],
    value={
        "type": "https://paymentauth.org/problems/payment-required",
        "title": "Payment Required",
        "status": 402,
        "detail": "0.0314 USD: Business entity or UCC filing lookup.",
        "challengeId": "mR3v0uQ",
    },
)
LATER = OpenApiExample(
    "Answered later",
    response_only=True,
    status_codes=["202"],
    value={
        "success": True,
        "async": True,
        "jobId": "job_0b9f3c7e5d1a4f68a2c40e7d9b13f5a6",
        "message": "This registry answers slowly. Ask statusUrl for the result.",
        "pollInterval": 3000,
        "estimatedSeconds": 60,
        "statusUrl": "/v1/lookup/status/job_0b9f3c7e5d1a4f68a2c40e7d9b13f5a6",
    },
)
REUSED = _error(409, "idempotency_conflict", "This Idempotency-Key was used for another request")
TOO_LARGE = _error(
    413, "payload_too_large", "Request body too large", details={"body": ["At most 64 KB are accepted here."]}
)
TOO_OFTEN = _error(429, "rate_limited", "Rate limit of 50 requests per minute exceeded", retryable=True)
CRASHED = _error(500, "internal_error", "Internal error", retryable=True)
DOWN = _error(
    503, "source_unavailable", "State portal temporarily unavailable", retryable=True, reason="down", state="DE"
)
