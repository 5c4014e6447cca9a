"""Pretended payments, so that the 402 flow can be tried and tested without money. Never in production.

A payload is `{"token": "…"}`: "sandbox_paid" followed by anything is paid, "sandbox_declined…" is refused when the
money should move, "sandbox_unknown…" has an outcome nobody knows. Only the sandbox registry answers such a request.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings

from billing.payments.method import Declined, OutcomeUnknown, Proof


def find() -> Sandbox | None:
    """Return the method when this installation pretends payments, else None."""
    return Sandbox() if settings.SANDBOX_PAYMENTS else None


class Sandbox:
    """The method "sandbox", in millionths of a dollar."""

    name = "sandbox"
    is_sandbox = True

    def terms(self, amount: int) -> dict[str, Any]:
        """See Method."""
        return {"amount": str(amount * 100), "currency": "usd6", "recipient": "sandbox"}

    def check(
        self, payload: Mapping[str, Any], *, amount: int, challenge_id: str, realm: str, issued: datetime, now: datetime
    ) -> Proof:
        """See Method."""
        token = payload.get("token")
        if not isinstance(token, str) or not token.startswith("sandbox_"):
            raise Declined("The payload needs a token that starts with sandbox_.", word="invalid-payload")
        # The challenge makes each proof a different one: the same token may be used for the next payment.
        return Proof({"token": token, "challenge": challenge_id}, f"sandbox_{challenge_id[:16]}", payer=token[:200])

    def settle(self, payload: Mapping[str, Any], *, amount: int, challenge_id: str) -> str:
        """See Method."""
        token = str(payload["token"])
        if token.startswith("sandbox_paid"):
            return f"sandbox_{challenge_id[:16]}"
        if token.startswith("sandbox_unknown"):
            raise OutcomeUnknown("the sandbox pretends not to know")
        raise Declined("The sandbox declined this payment.")

    def find_outcome(
        self, payload: Mapping[str, Any], *, amount: int, challenge_id: str, since: datetime, now: datetime
    ) -> str | None:
        """See Method."""
        return (
            None
            if str(payload["token"]).startswith("sandbox_unknown")
            else self.settle(payload, amount=amount, challenge_id=challenge_id)
        )
