"""Top-ups through the card provider's page, credited by its signed messages: once each, in whatever order they come.

    start    make a top-up and the page to pay it on             (POST /v1/account/topup, the top-up page)
    receive  one signed message of the provider                  (POST to the webhook address, raw bytes)

The account and the amount come from our own row, found by the session the provider names; the message's amount is
compared with it. What does not fit is credited to nobody and shown to operators.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import stripe
from django.conf import settings
from django.db import IntegrityError, transaction

from billing import ledger, money
from billing.models import Account, ProviderEvent, TopUp
from billing.payments.stripe import LARGEST_TOPUP, SMALLEST_TOPUP, CardsNotConfigured, client

log = logging.getLogger(__name__)

SOURCE = "card"
TOLERANCE_SECONDS = 300
WAITING = "waits for its top-up"
CREDITED, TAKEN_BACK = "credited", "taken back"  # what messages wait for
State = TopUp.State
Message = dict[str, Any]


class AmountOutOfRange(ValueError):
    """A top-up is between 0.50 and 10,000 USD, in whole cents."""


class ProviderUnavailable(Exception):
    """The card provider did not make a page; nothing was charged. Try again."""


class BadSignature(Exception):
    """A message that the provider did not sign: answer 400 and forget it."""


def are_cards_configured() -> bool:
    """Tell whether top-ups by card are on offer; without them credit is granted by staff."""
    return bool(settings.STRIPE_SECRET_KEY)


def to_cents(amount: int) -> int:
    """Return the whole cents of a top-up of `amount` units; raise AmountOutOfRange for one that is not sold."""
    cents, rest = divmod(money.units(amount), money.UNITS_PER_CENT)
    if rest or not SMALLEST_TOPUP <= amount <= LARGEST_TOPUP:
        raise AmountOutOfRange("A top-up is between 0.50 and 10,000 USD, in whole cents.")
    return cents


def start(*, account: Account, amount: int, success_url: str, cancel_url: str, now: datetime) -> tuple[TopUp, str]:
    """Return a new top-up of `amount` units (whole cents) and the address of the page to pay it on.

    Raises AmountOutOfRange, CardsNotConfigured or ProviderUnavailable.
    """
    cents = to_cents(amount)
    provider = client()
    topup = TopUp.objects.create(account=account, amount=amount, created_at=now)
    parameters: dict[str, Any] = {
        "mode": "payment",
        "success_url": success_url,
        "cancel_url": cancel_url,
        "client_reference_id": f"acct_{account.pk}",
        "metadata": {"account_id": str(account.pk), "topup_id": str(topup.pk)},
        "line_items": [
            {
                "quantity": 1,
                "price_data": {
                    "currency": "usd",
                    "unit_amount": cents,
                    "product_data": {"name": "Prepaid balance"},
                },
            }
        ],
    }
    if account.email:
        parameters["customer_email"] = account.email
    try:
        session = provider.v1.checkout.sessions.create(
            parameters,  # type: ignore[arg-type]
            options={"idempotency_key": f"topup_{topup.pk}_{int(now.timestamp())}"},
        )
    except stripe.StripeError as error:
        log.warning("the card provider made no page: %s", type(error).__name__)
        TopUp.objects.filter(pk=topup.pk).update(state=State.FAILED)
        raise ProviderUnavailable("The card provider does not answer; nothing was charged.") from error
    topup.session_id = session.id
    topup.save(update_fields=["session_id"])
    return topup, str(session.url)


def receive(*, payload: bytes, signature: str, now: datetime) -> str:
    """Handle one message of the provider; return what was done with it, in a word. Answer 200 to all of them.

    `payload` are the raw bytes, `signature` the header `Stripe-Signature`. Raises BadSignature (answer 400) and
    CardsNotConfigured (answer 404). The message and what it changes are one transaction: seen again, it is ignored.
    """
    if not settings.STRIPE_WEBHOOK_SECRET:
        raise CardsNotConfigured("Cards are not configured.")
    event = _read(payload, signature)
    try:
        with transaction.atomic():
            seen = ProviderEvent.objects.create(event_id=event["id"], kind=event["type"][:100], received_at=now)
            outcome = _handle(event, now)
            if outcome in (CREDITED, TAKEN_BACK):
                _apply_waiting(str(event["data"]["object"].get("payment_intent")), now)
            seen.outcome = outcome
            if outcome == WAITING:
                seen.waits_for, seen.content = str(event["data"]["object"]["payment_intent"])[:255], event
            seen.save()
    except IntegrityError:
        if ProviderEvent.objects.filter(event_id=event["id"]).exists():
            return "repeated"
        raise
    return outcome


def _read(payload: bytes, signature: str) -> Message:
    """Return the message when the provider signed it in the last five minutes."""
    try:
        text = payload.decode()
        stripe.WebhookSignature.verify_header(text, signature, settings.STRIPE_WEBHOOK_SECRET, TOLERANCE_SECONDS)
        event = json.loads(text)
        if (
            isinstance(event["id"], str)
            and isinstance(event["type"], str)
            and isinstance(event["data"]["object"], dict)
        ):
            return dict(event)
    except (stripe.SignatureVerificationError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadSignature("The message is not signed by the card provider.") from error
    raise BadSignature("The message is not one of the card provider's.")


def _handle(event: Message, now: datetime) -> str:
    handlers: dict[str, Callable[[Message, Message, datetime], str]] = {
        "checkout.session.completed": _completed,
        "checkout.session.async_payment_succeeded": _completed,
        "checkout.session.async_payment_failed": _not_paid,
        "checkout.session.expired": _not_paid,
        "charge.refunded": _refunded,
        "charge.dispute.created": _disputed,
        "charge.dispute.closed": _dispute_closed,
    }
    handler = handlers.get(event["type"])
    return "ignored" if handler is None else handler(event["data"]["object"], event, now)


def _completed(session: Message, event: Message, now: datetime) -> str:
    """Credit a paid session; delayed methods complete unpaid first and succeed in a message of their own."""
    topup = _lock(session_id=session.get("id"))
    if topup is None:
        log.error("a card session nobody started was paid: %s", session.get("id"))
        return "unknown session"
    intent = session.get("payment_intent")
    if isinstance(intent, str) and topup.payment_intent is None:
        topup.payment_intent = intent
        topup.save(update_fields=["payment_intent"])
    if session.get("payment_status") != "paid":
        return "not paid yet"
    if topup.state == State.PAID:
        return "credited before"
    expected = (topup.amount // money.UNITS_PER_CENT, "usd")
    if (session.get("amount_total"), session.get("currency")) != expected:
        topup.state = State.MISMATCH
        topup.save(update_fields=["state"])
        log.error("top-up %s was paid with another amount than asked for", topup.pk)
        return "amount differs"
    ledger.deposit(
        account_id=topup.account_id,
        amount=topup.amount,
        idempotency_key=f"topup:{topup.pk}",
        source=SOURCE,
        reference=str(intent or session["id"]),
        now=now,
    )
    topup.state, topup.paid_at = State.PAID, now
    topup.save(update_fields=["state", "paid_at"])
    if topup.taken_back:
        _debit(topup, topup.taken_back, f"topup:{topup.pk}:early", "card_refund", now)
    return CREDITED


def _apply_waiting(intent: str, now: datetime) -> int:
    """Handle the messages that came before their top-up was known, in the order they came; return how many.

    A later one may bring what an earlier one waits for, so they are gone through until none is handled any more.
    """
    handled, before = 0, -1
    while handled != before:
        before = handled
        for seen in ProviderEvent.objects.select_for_update().filter(waits_for=intent).order_by("id"):
            seen.outcome = _handle(seen.content or {}, now)
            if seen.outcome != WAITING:
                seen.waits_for, seen.content = "", None
                seen.save()
                handled += 1
    return handled


def apply_waiting(*, now: datetime) -> int:
    """Handle messages that still wait though their top-up is known: the two came at the same moment."""
    intents = ProviderEvent.objects.exclude(waits_for="").values_list("waits_for", flat=True).distinct()
    known = TopUp.objects.filter(payment_intent__in=list(intents), state=State.PAID)
    handled = 0
    for intent in known.values_list("payment_intent", flat=True):
        with transaction.atomic():
            handled += _apply_waiting(str(intent), now)
    return handled


def _not_paid(session: Message, event: Message, now: datetime) -> str:
    topup = _lock(session_id=session.get("id"))
    if topup is None or topup.state == State.PAID:
        return "ignored"
    topup.state = State.EXPIRED if event["type"].endswith("expired") else State.FAILED
    topup.save(update_fields=["state"])
    return topup.state


def _refunded(charge: Message, event: Message, now: datetime) -> str:
    """Take back what the provider gave back; `amount_refunded` is the sum of all refunds so far."""
    return _take_back(
        charge.get("payment_intent"), charge.get("amount_refunded"), "card_refund", event, now, total=True
    )


def _disputed(dispute: Message, event: Message, now: datetime) -> str:
    """Take back a disputed amount at once: the provider has taken it from us already."""
    return _take_back(dispute.get("payment_intent"), dispute.get("amount"), "dispute", event, now, total=False)


def _dispute_closed(dispute: Message, event: Message, now: datetime) -> str:
    """Give the amount of a dispute that was won back to the customer."""
    if dispute.get("status") != "won":
        return "dispute lost"
    topup = _lock(payment_intent=dispute.get("payment_intent"))
    amount = _units(dispute.get("amount"))
    if topup is None and isinstance(dispute.get("payment_intent"), str) and amount:
        return WAITING
    if topup is None or not amount or topup.state != State.PAID:
        return "ignored"
    if topup.taken_back < amount:
        return WAITING  # won before we heard that it began
    given = max(0, min(amount, topup.taken_back) - topup.shortfall)
    topup.taken_back = max(0, topup.taken_back - amount)
    topup.shortfall = max(0, topup.shortfall - amount)
    topup.save(update_fields=["taken_back", "shortfall"])
    if given:
        ledger.adjust(
            account_id=topup.account_id,
            amount=given,
            idempotency_key=f"event:{event['id']}",
            operator="stripe",
            reason="dispute_won",
            reference=str(dispute.get("id", ""))[:200],
            now=now,
        )
    return "dispute won"


def _take_back(intent: Any, cents: Any, reason: str, event: Message, now: datetime, *, total: bool) -> str:
    topup = _lock(payment_intent=intent)
    amount = _units(cents)
    if topup is None or not amount:
        # Messages come in any order: this one may be about a session whose completion is still on its way.
        log.warning("the card provider took back money of a payment we do not know yet: %s", event["id"])
        return WAITING if isinstance(intent, str) and intent and amount else "ignored"
    before = topup.taken_back
    after = min(topup.amount, max(before, amount) if total else before + amount)
    topup.taken_back = after
    topup.save(update_fields=["taken_back"])
    if topup.state != State.PAID:
        return "noted before the credit"  # the messages came out of order; the credit will be netted
    if after > before:
        _debit(topup, after - before, f"event:{event['id']}", reason, now)
    return TAKEN_BACK


def _debit(topup: TopUp, amount: int, idempotency_key: str, reason: str, now: datetime) -> None:
    """Take `amount` from the account, as far as it is there; the rest is a shortfall for people to settle."""
    account = Account.objects.select_for_update(no_key=True).get(pk=topup.account_id)
    taken = min(amount, account.available)
    if taken:
        ledger.adjust(
            account_id=topup.account_id,
            amount=-taken,
            idempotency_key=idempotency_key,
            operator="stripe",
            reason=reason,
            reference=topup.payment_intent or "",
            now=now,
        )
    if taken < amount:
        topup.shortfall += amount - taken
        topup.save(update_fields=["shortfall"])
        log.error("top-up %s: %s units were taken back that are spent already", topup.pk, amount - taken)


def _lock(**found_by: Any) -> TopUp | None:
    """Lock a top-up's row by what the provider calls it. Order: top-up, then (in the ledger) account."""
    [value] = found_by.values()
    return TopUp.objects.select_for_update().filter(**found_by).first() if isinstance(value, str) and value else None


def _units(cents: Any) -> int:
    return money.from_cents(cents) if type(cents) is int and cents > 0 else 0


def expire_old(*, now: datetime) -> int:
    """Close the top-ups whose page has ended long ago (pages live 24 hours); a late payment still counts."""
    old = TopUp.objects.filter(state=State.CREATED, created_at__lt=now - timedelta(days=3))
    return old.update(state=State.EXPIRED)
