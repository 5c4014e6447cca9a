"""What can be said before anybody is asked or money is touched: the registry is off, or cannot answer this."""

from __future__ import annotations

from lookups.outcomes import Refused, Unavailable
from lookups.services.asks import Ask
from scrapers import pipeline
from scrapers.errors import PortalDisabled, QueryRefused
from scrapers.portal import Portal


def find_objection(ask: Ask) -> Refused | Unavailable | None:
    """Why this question need not be asked; None when it should be."""
    question = ask.question
    try:
        portal = pipeline.get_portal(question.state, sandbox=ask.sandbox)
    except PortalDisabled as off:
        return Unavailable(question.state, off.reason, retryable=off.retryable, retry_after=off.retry_after)
    if question.kind == "ucc":
        return _ucc_objection(portal, ask)
    if question.entity_id:
        try:
            portal.check_id(question.entity_id)
        except QueryRefused as refusal:
            return Refused("entity_id", str(refusal))
    return None


def _ucc_objection(portal: Portal, ask: Ask) -> Refused | None:
    can, question = portal.capabilities, ask.question
    if not can.ucc:
        return Refused("searchType", "UCC filings of this state cannot be searched here.", unsupported=True)
    if question.search_by == "secured_party" and not can.ucc_secured_party:
        return Refused("searchBy", "This state cannot be searched by secured party.", unsupported=True)
    if question.date_after and not can.ucc_date_filter:
        return Refused("dateAfter", "This state cannot filter UCC filings by date.", unsupported=True)
    if question.date_before and not can.ucc_date_filter:
        return Refused("dateBefore", "This state cannot filter UCC filings by date.", unsupported=True)
    return None
