"""Which ways to pay this installation offers, for what."""

from __future__ import annotations

from billing.payments import sandbox, stripe, tempo
from billing.payments.method import Method


def list_methods(purpose: str) -> list[Method]:
    """Return what is offered for "lookup" or "topup", the preferred one first; empty: nothing is configured.

    A lookup costs less than card networks accept, so it is sold by methods with finer units; see each module.
    """
    by_purpose: dict[str, list[Method | None]] = {
        "lookup": [tempo.find(), sandbox.find()],
        "topup": [stripe.find()],
    }
    return [method for method in by_purpose[purpose] if method is not None]
