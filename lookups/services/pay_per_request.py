"""A lookup that is paid with the request itself: the payment is claimed, the registry asked, and only then money moves.

Not found is free by construction: a payment that was accepted and not settled moves nothing.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from billing.payments import desk
from lookups.outcomes import Delivered, Outcome
from lookups.questions import Question
from lookups.services import lookup
from lookups.services.asks import Ask, Watch


def perform(
    *,
    purchase: desk.Purchase,
    credential: str,
    question: Question,
    accepts_stored: bool,
    request_id: str,
    now: datetime,
) -> tuple[Outcome, str | None]:
    """Answer a question for a payment credential; returns the outcome, and the receipt when something was delivered.

    Raises billing.challenge.PaymentProblem when the payment is not good, or did not go through in the end.
    """
    watch = Watch(now)
    payment = desk.accept(purchase, credential=credential, now=now)
    ask = Ask(question=question, payment=payment, accepts_stored=accepts_stored, request_id=request_id)
    try:
        outcome = lookup.perform(ask=ask, now=watch.now)
    except BaseException:
        desk.abandon(payment, reason="internal_error", now=watch.now)
        raise
    if not isinstance(outcome, Delivered):
        desk.abandon(payment, reason=type(outcome).__name__, now=watch.now)
        return outcome, None
    receipt = desk.settle(payment, now=watch.now)
    return replace(outcome, cost=payment.amount), receipt
