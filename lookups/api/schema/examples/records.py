"""The fictional records that the document's examples tell of."""

from __future__ import annotations

from typing import Any

from lookups.api.schema.examples.making import marks
from lookups.api.wire.entities import Entity, Evidence, Suggestion
from lookups.api.wire.filings import UccData
from lookups.api.wire.shape import fill

WHEN = "2026-11-21T08:00:00.000Z"
EVIDENCE = Evidence(
    sourceUrl="https://sandbox.invalid/DE/SB-DE-000123",
    retrievedAt=WHEN,
    sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
)
NOT_THIS_ONE = Suggestion(
    entityName="BLUE HERON LEASING LLC",
    entityId="SB-DE-000124",
    status="Good Standing",
    score=0.8,
    features=["word_differs"],
    sosUrl=None,
)
ENTITY = fill(
    Entity,
    {
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
        "officers": [{"name": "ADA MERRILL", "title": "Manager", "address": None}],
        "sosUrl": "https://sandbox.invalid/DE/SB-DE-000123",
        "scrapedAt": WHEN,
        "cached": False,
        "relatedResults": [],
        "entityPageUrl": "/entity/delaware/blue-heron-logistics-llc-de-sb-de-000123/",
        "normalized": {
            "statusClass": "active",
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
        "evidence": EVIDENCE,
    },
)
RECEIPT: dict[str, Any] = {
    "success": True,
    **marks(),
    "cost": 0.0314,
    "source": "live",
    "cached": False,
    "stale": False,
    "dataAsOf": WHEN,
    "total_results": 1,
    "state_scraper_version": "1.0",
    "scraper_built_at": "2026-11-21",
    "walletBalance": "3.11",
    "lookupsRemaining": 99,
    "note": None,
}
_BANK = {"name": "FIRST MERIDIAN BANK", "kind": "organization"}
_DEBTOR = {
    "name": "BLUE HERON LOGISTICS LLC",
    "kind": "organization",
    "address": "12 QUAY STREET",
    "city": "DOVER",
    "state": "DE",
    "zip": "19901",
}
FILINGS = fill(
    UccData,
    {
        "filings": [
            {
                "fileNumber": "SB-2024-000017",
                "fileDate": "2024-05-02",
                "debtorName": "BLUE HERON LOGISTICS LLC",
                "securedParty": "FIRST MERIDIAN BANK",
                "collateral": "All inventory, now owned or acquired later",
                "status": "Active",
                "lapseDate": "2029-05-02",
                "statusClass": "active",
                "filingType": "UCC-1",
                "debtors": [_DEBTOR],
                "securedParties": [_BANK],
                "amendments": [],
            }
        ],
        "totalResults": 1,
        "evidence": EVIDENCE,
    },
)
