"""A lookup that is paid with the request itself: the payment is claimed, the registry asked, and only then money moves.

Not found is free by construction: a payment that was accepted and not settled moves nothing.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from billing.payments import gateway
from lookups.lookup import flow
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Delivered, Outcome
from lookups.lookup.questions import Question


def perform(
    *,
    purchase: gateway.Purchase,
    credential: str,
    question: Question,
    accepts_stored: bool,
    request_id: str,
    now: datetime,
) -> tuple[Outcome, str | None]:
    """Answer a question for a payment credential; returns the outcome, and the receipt when something was delivered.

    Raises billing.challenge.PaymentProblem when the payment is not good, or did not go through in the end.
    """
    stopwatch = Stopwatch(now)
    payment = gateway.accept(purchase, credential=credential, now=now)
    ask = Ask(question=question, payment=payment, accepts_stored=accepts_stored, request_id=request_id)
    try:
        outcome = flow.perform(ask=ask, now=stopwatch.now)
    except BaseException:
        gateway.abandon(payment, reason="internal_error", now=stopwatch.now)
        raise
    if not isinstance(outcome, Delivered):
        gateway.abandon(payment, reason=type(outcome).__name__, now=stopwatch.now)
        return outcome, None
    receipt = gateway.settle(payment, now=stopwatch.now)
    return replace(outcome, cost=payment.amount), receipt
