"""An answer as plain data, for golden cases and for the command line: empty fields are left out, as on the page."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from scrapers.failures import PortalError
from scrapers.normalize.record import normalized
from scrapers.portal import Portal
from scrapers.records import Answer, Found, FoundFilings


def tell(answer: Answer, portal: Portal, *, state: str) -> dict[str, Any]:
    """JSON-ready: `outcome` and what was found, or the near misses. `state` is the code that was asked."""
    if isinstance(answer, Found):
        from_copy = answer.evidence.from_copy
        reading = normalized(answer.record, portal=portal, state=state, match=answer.match, from_copy=from_copy)
        return {
            "outcome": "found",
            "record": filled(asdict(answer.record)),
            "normalized": filled(reading),
            "related": [row.name for row in answer.related],
        }
    if isinstance(answer, FoundFilings):
        return {"outcome": "found", "filings": [filled(asdict(filing)) for filing in answer.filings]}
    return {
        "outcome": "not_found",
        "ambiguous": answer.ambiguous,
        "suggestions": [filled(asdict(suggestion)) for suggestion in answer.suggestions],
    }


def tell_error(error: PortalError) -> dict[str, Any]:
    """JSON-ready: which error it was, and why."""
    return {"outcome": type(error).__name__, "reason": error.reason}


def filled(value: Any) -> Any:
    """The same data without its empty fields, at every depth."""
    if isinstance(value, dict):
        kept = {name: filled(item) for name, item in value.items()}
        return {name: item for name, item in kept.items() if item not in (None, (), [], {}, "")}
    if isinstance(value, (list, tuple)):
        return [filled(item) for item in value]
    return value
