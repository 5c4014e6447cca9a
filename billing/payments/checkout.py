"""The checkout for requests that pay for themselves: ask, accept, settle or abandon. The only door to `payments`.

    demand   say what it costs (402 with challenges)
    accept   check a credential and claim it; nothing moves yet          -> do the work
    settle   move the money, when there is something to deliver          -> store it
    deliver  what was paid for is there to be read                       -> answer with the receipt
    abandon  when there is nothing to deliver: the payer keeps the money

Each credential is claimed by unique columns before any work is done, so it is good for one delivery, also for two
callers at once. After `settle` began nobody is ever asked to pay again for the same request: the same credential with
the same body gets the same payment back, whatever has become of its challenge, its secret and its method meanwhile.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Sum

from billing import challenge, money
from billing.challenge import Challenge, Credential, PaymentProblem
from billing.models import Account, Payment
from billing.payments import booking
from billing.payments.method import Declined, Method, OutcomeUnknown, Proof
from billing.payments.methods import list_methods

log = logging.getLogger(__name__)

CHALLENGE_LIFETIME = timedelta(minutes=5)
KEY_KEPT = timedelta(hours=24)  # an Idempotency-Key, as elsewhere
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


def is_pretended(purpose: str) -> bool:
    """Tell whether a payment may be a pretended one, which reaches the sandbox registry alone."""
    return any(method.is_sandbox for method in list_methods(purpose))


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
    if problem.retry_after:
        headers["Retry-After"] = str(problem.retry_after)
    if not problem.may_offer:
        return Demand(problem.status, headers, problem.body())
    offers = [_offer(method, purchase, now) for method in list_methods(purchase.purpose)]
    headers["WWW-Authenticate"] = challenge.write_header(offers)
    return Demand(problem.status, headers, problem.body(offers[0].id))


def accept(
    purchase: Purchase, *, credential: str, now: datetime, account: Account | None = None, word: str | None = None
) -> Payment:
    """Check a credential against this very request and claim it; no money moves. Raise PaymentProblem.

    `account` is credited when a top-up is settled; `word` is the request's Idempotency-Key: the same one of the same
    payer is the same request. Validate the request itself first: nobody pays for a 400. A payment that comes back
    `paid` was settled before: give what it bought, or do the work it has paid for.
    """
    given = challenge.read_credential(credential)
    request_hash = _request_hash(purchase, given, account)
    earlier = Payment.objects.filter(challenge_id=given.challenge.id).first()
    if earlier is not None and earlier.request_hash == request_hash:
        return _take_up(earlier)
    method = next((each for each in list_methods(purchase.purpose) if each.name == given.challenge.method), None)
    if method is None:
        raise PaymentProblem("method-unsupported", "This payment method is not offered here.")
    terms = challenge.encode(challenge.canonical(method.terms(purchase.amount)))
    bound = {"route": purchase.route}
    challenge.check(given, secrets=_secrets(), realm=_realm(), terms=terms, body=purchase.body, bound=bound, now=now)
    if earlier is not None:
        raise _refusal(earlier)
    proof = _check_proof(method, purchase, given, now)
    row = {
        "request_hash": request_hash,
        "request_key": _hash(purchase.route, method.name, account and account.pk, proof.payer, word) if word else None,
        "body_hash": hashlib.sha256(purchase.body).hexdigest(),
        "challenge_id": given.challenge.id,
        "proof_hash": challenge.proof_hash(method.name, proof.payload),
        "method": method.name,
        "purpose": purchase.purpose,
        "is_sandbox": method.is_sandbox,
        "amount": purchase.amount,
        "account": account,
        "reference": proof.reference,
        "proof": proof.payload,
        "payer": proof.payer or given.source[:200],
        "created_at": now,
    }
    payment = _claim(row, now)
    if proof.funds is not None and payment.state == State.ACCEPTED:
        _refuse_overdrawn(payment, proof.funds, now)
    return payment


def settle(payment: Payment, *, now: datetime, request_id: str = "") -> str:
    """Move the money and return the value of `Payment-Receipt`; answer 2xx with `Cache-Control: private`.

    What was settled before has its receipt already. Call it outside any transaction: that money may be moving has to
    be known before anyone is called. Raises PaymentProblem: with a fresh challenge allowed when nothing moved, without
    one when that is not known.
    """
    if payment.state == State.PAID:
        return _write_receipt(payment)
    method = _get_method(payment)
    with transaction.atomic(durable=True):
        claimed = Payment.objects.filter(pk=payment.pk, state=State.ACCEPTED)
        if not claimed.update(state=State.SETTLING, settling_at=now):
            payment.refresh_from_db()
            return _write_receipt(_take_up(payment))
    payment.state = State.SETTLING
    try:
        reference = method.settle(payment.proof or {}, amount=payment.amount, challenge_id=payment.challenge_id)
    except Declined as refusal:
        booking.end(payment, state=State.FAILED, detail=refusal.detail, now=now)
        raise PaymentProblem(refusal.word, refusal.detail) from refusal
    except Exception as error:  # whatever it was, money may have moved: nobody may be asked to pay again
        detail = str(error) if isinstance(error, OutcomeUnknown) else type(error).__name__
        booking.doubt(payment, detail=detail)
        raise _pending() from error
    booking.complete(payment, reference=reference, now=now, request_id=request_id)
    return _write_receipt(payment)


def deliver(payment: Payment, *, now: datetime, request_id: str = "") -> None:
    """Note that what a paid lookup has bought is there to be read; joins the caller's transaction, and counts once.

    Raises ledger.InsufficientFunds when the money was given back meanwhile.
    """
    booking.deliver(payment, now=now, request_id=request_id)


def abandon(payment: Payment, *, reason: str, now: datetime) -> None:
    """Let a payment go that was accepted but not settled: nothing was found, or the work failed."""
    booking.end(payment, state=State.ABANDONED, detail=reason, now=now, only_from=State.ACCEPTED)


def forget(payment: Payment) -> None:
    """Forget a payment that was accepted for a request which was not: the same one is good for that still."""
    Payment.objects.filter(pk=payment.pk, state=State.ACCEPTED).delete()


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
            booking.complete(payment, reference=reference, now=now, detail="found later")
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


def _check_proof(method: Method, purchase: Purchase, given: Credential, now: datetime) -> Proof:
    try:
        return method.check(
            given.payload,
            amount=purchase.amount,
            challenge_id=given.challenge.id,
            realm=_realm(),
            issued=datetime.fromisoformat(given.challenge.expires) - CHALLENGE_LIFETIME,
            now=now,
        )
    except Declined as refusal:
        raise PaymentProblem(refusal.word, refusal.detail) from refusal
    except OutcomeUnknown as silence:
        log.warning("a payment by %s cannot be checked: %s", method.name, silence)
        text = "The payment cannot be checked right now, and was not used: send the same one again."
        raise PaymentProblem("payment-unavailable", text) from silence


def _claim(row: dict[str, Any], now: datetime) -> Payment:
    """Write the payment, or return the paid one of the same request; of several at once one gets through."""
    key = row["request_key"]
    earlier = Payment.objects.filter(request_key=key).first() if key else None
    if earlier is not None and _is_over(earlier, now):
        Payment.objects.filter(pk=earlier.pk, request_key=key).update(request_key=None)
        earlier = None
    if earlier is None:
        try:
            with transaction.atomic():
                return Payment.objects.create(**row)
        except IntegrityError:
            same = {name: row[name] for name in ("challenge_id", "proof_hash", "request_key") if row[name]}
            found = [Payment.objects.filter(**{name: value}).first() for name, value in same.items()]
            used, copied, earlier = [*found, None][:3]
            if used is not None and used.request_hash == row["request_hash"]:
                return _take_up(used)
            if (refused := used or copied) is not None:
                raise _refusal(refused, row["challenge_id"]) from None
            if earlier is None:
                raise
    if earlier.body_hash != row["body_hash"]:
        raise PaymentProblem("idempotency-conflict", "This Idempotency-Key was used for another request.")
    return _take_up(earlier)


def _is_over(earlier: Payment, now: datetime) -> bool:
    """Whether an Idempotency-Key is free again: after a day, or when nothing was paid under it."""
    return earlier.created_at <= now - KEY_KEPT or earlier.state in (State.FAILED, State.ABANDONED)


def _refuse_overdrawn(payment: Payment, funds: int, now: datetime) -> None:
    """Let a payment go whose payer could not pay it beside all others under way: no work is done on credit."""
    under_way = Payment.objects.filter(method=payment.method, payer=payment.payer, state__in=booking.OPEN)
    if (under_way.aggregate(sum=Sum("amount"))["sum"] or 0) > funds:
        booking.end(payment, state=State.FAILED, detail="more under way than the payer has", now=now)
        raise PaymentProblem(
            "payment-insufficient", "The funds do not do for all payments of yours that are under way."
        )


def _take_up(earlier: Payment) -> Payment:
    """Return the payment of this very request when it is paid; refuse it otherwise, never asking for more money."""
    if earlier.state != State.PAID or earlier.taken_back:
        raise _refusal(earlier)
    return earlier


def _refusal(earlier: Payment, challenge_id: str = "") -> PaymentProblem:
    """Why a credential that was used before is refused; while the first is open no second payment is invited."""
    if earlier.state == State.ACCEPTED:
        return PaymentProblem("payment-in-progress", "This payment is being used by another request right now.")
    if earlier.state in (State.SETTLING, State.UNKNOWN):
        return _pending()
    if earlier.state == State.FAILED and challenge_id not in ("", earlier.challenge_id):
        return PaymentProblem("verification-failed", "This payment was refused before.")  # the same for a new challenge
    return PaymentProblem("invalid-challenge", "This challenge was answered before.")


def _pending() -> PaymentProblem:
    text = "Whether the money moved is not known yet. Do not pay again: send the same payment with the same body later."
    return PaymentProblem("internal-payment-error", text)


def _write_receipt(payment: Payment) -> str:
    assert payment.ended_at is not None, "Only what is paid has a receipt."
    return challenge.write_receipt(method=payment.method, reference=payment.reference, now=payment.ended_at)


def _request_hash(purchase: Purchase, given: Credential, account: Account | None) -> str:
    """What tells this credential with this very request, without storing either."""
    body = hashlib.sha256(purchase.body).hexdigest()
    return _hash(purchase.route, account and account.pk, body, given.challenge.id, given.payload)


def _hash(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


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
