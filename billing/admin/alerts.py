"""The mark in the head of every admin page while the ledger does not add up or a payment stays of unknown outcome."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone

from billing import selectors


def mark(request: HttpRequest) -> list[str] | None:
    """Return the skin's environment label, a text and a color; None when all is well."""
    if not request.user.is_authenticated or not request.user.is_staff:
        return None
    if selectors.find_alert() is not None:
        return ["Ledger mismatch", "danger"]
    unknown = selectors.list_unknown_payments(timezone.now()).count()
    return [f"{unknown} payments of unknown outcome", "warning"] if unknown else None
