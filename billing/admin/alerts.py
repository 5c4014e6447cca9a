"""The mark in the head of every admin page while the ledger does not add up, or money is unknown or owed."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone

from billing import grants, owing, selectors


def mark(request: HttpRequest) -> list[str] | None:
    """Return the skin's environment label, a text and a color; None when all is well."""
    if not request.user.is_authenticated or not request.user.is_staff:
        return None
    if selectors.find_alert() is not None:
        return ["Ledger mismatch", "danger"]
    unknown = selectors.list_unknown_payments(timezone.now()).count()
    if unknown:
        return [f"{unknown} payments of unknown outcome", "warning"]
    owes = owing.list_owing().count()
    if owes:
        return [f"{owes} {'account owes' if owes == 1 else 'accounts owe'}", "warning"]
    waiting = grants.count_waiting()
    return (
        [f"{waiting} {'grant waits' if waiting == 1 else 'grants wait'} for a second person", "info"]
        if waiting
        else None
    )
