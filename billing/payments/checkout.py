"""The checkout for requests that pay for themselves: ask, accept, settle or abandon. The only door to `payments`.

    demand   say what it costs (402 with challenges)
    accept   check a credential and claim it; nothing moves yet          -> do the work
    settle   move the money, when there is something to deliver          -> deliver with the receipt
    abandon  when there is nothing to deliver: the payer keeps the money

Each credential is claimed by unique columns before any work is done, so it is good for one delivery, also for two
callers at once. After `settle` began nobody is ever asked to pay again for the same request.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction

from billing import challenge, money
from billing.challenge import Challenge, PaymentProblem
from billing.models import Account, Payment
from billing.payments import booking
from billing.payments.method import Declined, Method, OutcomeUnknown
from billing.payments.methods import list_methods

log = logging.getLogger(__name__)

CHALLENGE_LIFETIME = timedelta(minutes=5)
State = Payment.State


@dataclass(frozen=True, slots=True)
class Demand:
    """An answer that is not a delivery: give it to the client as it is. Never add a receipt to it."""

    status: int
    headers: dict[str, str]
    body: dict[str, Any]
    content_type: str = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Purchase:
    """What a request would buy: the price, and all that a challenge for it is bound to.

    `purpose` is "lookup" or "topup"; `route` is the method and path ("POST /v1/lookup"); `body` the raw bytes.
    """

    purpose: str
    amount: int
    route: str
    body: bytes
    description: str = ""


def is_open(purpose: str, *, secure: bool) -> bool:
    """Tell whether anything can be paid this way. Without it a request without a key is a 401, not a 402.

    `secure` is whether the request came over TLS: over plain http nothing is offered in production.
    """
    return (secure or not settings.PAYMENT_REQUIRES_TLS) and bool(list_methods(purpose))


def find_credential(headers: Mapping[str, str]) -> str | None:
    """Return the Payment credential of a request's headers, None without one; PaymentProblem for several."""
    found = [
        value
        for name in ("Authorization", "Payment-Authorization")
        if (value := headers.get(name, "")).lower().startswith("payment ") or value.lower().strip() == "payment"
    ]
    if len(found) > 1:
        raise PaymentProblem("bad-request", "Send one Payment credential at a time.")
    return found[0] if found else None


def demand(purchase: Purchase, *, now: datetime, problem: PaymentProblem | None = None) -> Demand:
    """Return the answer to a request that did not pay, or whose payment had a `problem`; store nothing."""
    problem = problem or PaymentProblem("payment-required", f"{_dollars(purchase)} USD: {purchase.description}.")
    headers = {"Cache-Control": "no-store"}
    if not problem.may_offer:
        return Demand(problem.status, headers, problem.body())
    offers = [_offer(method, purchase, now) for method in list_methods(purchase.purpose)]
    headers["WWW-Authenticate"] = challenge.write_header(offers)
    return Demand(problem.status, headers, problem.body(offers[0].id))


def accept(purchase: Purchase, *, credential: str, now: datetime, account: Account | None = None) -> Payment:
    """Check a credential against this very request and claim it; no money moves. Raise PaymentProblem.

    `account` is credited when a top-up is settled. Validate the request itself first: nobody pays for a 400.
    """
    given = challenge.read_credential(credential)
    method = next((each for each in list_methods(purchase.purpose) if each.name == given.challenge.method), None)
    if method is None:
        raise PaymentProblem("method-unsupported", "This payment method is not offered here.")
    terms = challenge.encode(challenge.canonical(method.terms(purchase.amount)))
    bound = {"route": purchase.route}
    challenge.check(given, secrets=_secrets(), realm=_realm(), terms=terms, body=purchase.body, bound=bound, now=now)
    _refuse_used(Payment.objects.filter(challenge_id=given.challenge.id).first())
    try:
        proof = method.check(
            given.payload, amount=purchase.amount, challenge_id=given.challenge.id, realm=_realm(), now=now
        )
    except Declined as refusal:
        raise PaymentProblem(refusal.word, refusal.detail) from refusal
    identity = challenge.proof_hash(method.name, proof.payload)
    try:
        with transaction.atomic():
            return Payment.objects.create(
                challenge_id=given.challenge.id,
                proof_hash=identity,
                method=method.name,
                purpose=purchase.purpose,
                is_sandbox=method.is_sandbox,
                amount=purchase.amount,
                account=account,
                reference=proof.reference,
                proof=proof.payload,
                payer=given.source[:200],
                created_at=now,
            )
    except IntegrityError:
        same = Payment.objects.filter(challenge_id=given.challenge.id) | Payment.objects.filter(proof_hash=identity)
        _refuse_used(same.first(), challenge_id=given.challenge.id)
        raise


def settle(payment: Payment, *, now: datetime, request_id: str = "") -> str:
    """Move the money and return the value of `Payment-Receipt`; answer 2xx with `Cache-Control: private`.

    Call it outside any transaction: that money may be moving has to be known before anyone is called. Raises
    PaymentProblem: with a fresh challenge allowed when nothing moved, without one when that is not known.
    """
    with transaction.atomic(durable=True):
        claimed = Payment.objects.filter(pk=payment.pk, state=State.ACCEPTED)
        if not claimed.update(state=State.SETTLING, settling_at=now):
            payment.refresh_from_db()
            _refuse_used(payment)
    method = _get_method(payment)
    try:
        reference = method.settle(payment.proof or {}, amount=payment.amount, challenge_id=payment.challenge_id)
    except Declined as refusal:
        booking.end(payment, state=State.FAILED, detail=refusal.detail, now=now)
        raise PaymentProblem(refusal.word, refusal.detail) from refusal
    except Exception as error:  # whatever it was, money may have moved: nobody may be asked to pay again
        detail = str(error) if isinstance(error, OutcomeUnknown) else type(error).__name__
        booking.doubt(payment, detail=detail)
        raise PaymentProblem("internal-payment-error", "The outcome of the payment is not known yet.") from error
    booking.complete(payment, reference=reference, now=now, request_id=request_id)
    return challenge.write_receipt(method=payment.method, reference=reference, now=now)


def abandon(payment: Payment, *, reason: str, now: datetime) -> None:
    """Let a payment go that was accepted but not settled: nothing was found, or the work failed."""
    booking.end(payment, state=State.ABANDONED, detail=reason, now=now, only_from=State.ACCEPTED)


def list_offers(purpose: str, amount: int, *, description: str = "") -> list[dict[str, str]]:
    """Return what stands as `offers` under `x-payment-info` in the OpenAPI document."""
    return [
        {
            "intent": challenge.INTENT,
            "method": method.name,
            "amount": str(terms["amount"]),
            "currency": str(terms["currency"]),
            "description": description,
        }
        for method in list_methods(purpose)
        for terms in [method.terms(amount)]
    ]


def reconcile(payment: Payment, *, now: datetime) -> str:
    """Ask the method what became of a payment whose outcome is open; return its state afterwards."""
    method = next((each for each in list_methods(payment.purpose) if each.name == payment.method), None)
    if method is None or payment.state not in (State.SETTLING, State.UNKNOWN):
        return payment.state
    try:
        reference = method.find_outcome(
            payment.proof or {},
            amount=payment.amount,
            challenge_id=payment.challenge_id,
            since=payment.settling_at or payment.created_at,
            now=now,
        )
    except Declined as refusal:
        booking.end(payment, state=State.FAILED, detail=refusal.detail, now=now)
    except OutcomeUnknown as doubt:
        booking.doubt(payment, detail=str(doubt))
    else:
        if reference is not None:
            booking.complete(payment, reference=reference, now=now, detail="found later; nothing was delivered for it")
    payment.refresh_from_db()
    return payment.state


def _offer(method: Method, purchase: Purchase, now: datetime) -> Challenge:
    return challenge.make(
        secret=_secrets()[0],
        realm=_realm(),
        method=method.name,
        request=method.terms(purchase.amount),
        expires=challenge.moment(now + CHALLENGE_LIFETIME),
        digest=challenge.digest_of(purchase.body),
        opaque=challenge.nonce_and(route=purchase.route),
        description=purchase.description,
    )


def _refuse_used(earlier: Payment | None, *, challenge_id: str = "") -> None:
    """Refuse a credential that was used before, without inviting a second payment while the first is open."""
    if earlier is None:
        return
    if earlier.state in (State.ACCEPTED, State.SETTLING):
        raise PaymentProblem("payment-in-progress", "This payment is being used by another request right now.")
    if earlier.state == State.UNKNOWN:
        raise PaymentProblem("internal-payment-error", "The outcome of the payment is not known yet.")
    if earlier.state == State.FAILED and challenge_id not in ("", earlier.challenge_id):
        raise PaymentProblem("verification-failed", "This payment was refused before.")  # the same for a new challenge
    raise PaymentProblem("invalid-challenge", "This challenge was answered before.")


def _get_method(payment: Payment) -> Method:
    for method in list_methods(payment.purpose):
        if method.name == payment.method:
            return method
    raise PaymentProblem("method-unsupported", "This payment method is not offered here.")


def _secrets() -> list[str]:
    """Return the secret challenges are signed with, then the one still accepted while rotating."""
    derived = hmac.new(settings.SECRET_KEY.encode(), b"billing.challenge", hashlib.sha256).hexdigest()
    return [settings.PAYMENT_SECRET or derived, settings.PAYMENT_SECRET_PREVIOUS]


def _realm() -> str:
    """Return the configured realm; never what a Host header says."""
    return settings.PAYMENT_REALM or urlsplit(settings.PUBLIC_URL).netloc


def _dollars(purchase: Purchase) -> str:
    return money.to_decimal_string(purchase.amount)
