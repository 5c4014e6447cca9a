"""Top-ups through the card provider's page, credited by its signed messages: once each, in whatever order they come.

    start    make a top-up and the page to pay it on             (POST /v1/account/topup, the top-up page)
    refund   have the provider give it back to the card          (staff, in the admin)
    receive  one signed message of the provider                  (POST to the webhook address, raw bytes)

The account and the amount come from our own row, found by the session the provider names; the message's amount is
compared with it. What does not fit is credited to nobody and shown to operators. What is taken back is in `reversals`.
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

from billing import ledger, money, reversals
from billing.models import Account, ProviderEvent, Reversal, TopUp
from billing.payments.stripe import LARGEST_TOPUP, SMALLEST_TOPUP, CardsNotConfigured, client

log = logging.getLogger(__name__)

TOLERANCE_SECONDS = 300
WITHDRAWN, REINSTATED = "charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated"
DISPUTES = ("charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed", WITHDRAWN, REINSTATED)
REFUNDS = ("refund.created", "refund.updated", "refund.failed", "charge.refund.updated")
WON = "won"
WITHDRAWN_IN = ("needs_response", "under_review", "lost")  # the others are inquiries, whose money stays with us
ASK_AGAIN = "The card provider does not answer. Confirm again: it is the same refund."
State = TopUp.State
Message = dict[str, Any]


class AmountOutOfRange(ValueError):
    """A top-up is between 0.50 and 10,000 USD, in whole cents."""


class ProviderUnavailable(ValueError):
    """The card provider did not answer. Try again."""


class RefundRefused(ValueError):
    """More would go back than was paid, or the provider does not give it back; nothing moved."""


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

    Both addresses may name the top-up, as "{topup}": somebody may have begun several.
    Raises AmountOutOfRange, CardsNotConfigured or ProviderUnavailable.
    """
    cents = to_cents(amount)
    provider = client()
    topup = TopUp.objects.create(account=account, amount=amount, created_at=now)
    parameters: dict[str, Any] = {
        "mode": "payment",
        "success_url": success_url.replace("{topup}", str(topup.pk)),
        "cancel_url": cancel_url.replace("{topup}", str(topup.pk)),
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
        name, address = _read_page(session)
        topup.session_id = name
        with transaction.atomic():
            topup.save(update_fields=["session_id"])
    except (stripe.StripeError, ValueError, IntegrityError) as error:  # the last: a page that somebody else pays on
        log.warning("the card provider made no page: %s", type(error).__name__)
        TopUp.objects.filter(pk=topup.pk).update(state=State.FAILED)
        raise ProviderUnavailable("The card provider does not answer; nothing was charged.") from error
    return topup, address


def _read_page(session: Any) -> tuple[str, str]:
    """The provider's name of a page to pay on, and its address. Raises ValueError where the answer has none."""
    name, address = getattr(session, "id", None), getattr(session, "url", None)
    if not (_is_name(name) and isinstance(address, str) and address.startswith("https://") and address.isprintable()):
        raise ValueError("The answer is no page to pay on.")
    return str(name), address


def _is_name(word: Any) -> bool:
    return isinstance(word, str) and 0 < len(word) <= 255 and word.isprintable()


def refund(topup: TopUp, *, amount: int, token: str) -> str:
    """Have the provider give `amount` units (whole cents) back to the card; `token` makes a repetition the same refund.

    Returns the provider's name of it. The ledger moves when the provider's message says so. Raises RefundRefused, which
    has moved nothing, or ProviderUnavailable, after which the same token may be tried again.
    """
    cents, rest = divmod(money.units(amount), money.UNITS_PER_CENT)
    if rest or not 0 < amount <= topup.amount - topup.taken_back or not topup.payment_intent:
        raise RefundRefused("At most what is left of the payment can be given back, in whole cents.")
    try:
        made = client().v1.refunds.create(
            {"payment_intent": topup.payment_intent, "amount": cents}, options={"idempotency_key": f"refund_{token}"}
        )
    except CardsNotConfigured as error:
        raise RefundRefused(f"{error} The provider's own pages can give it back (STRIPE_SECRET_KEY).") from error
    except stripe.InvalidRequestError as error:
        raise RefundRefused(f"The card provider refused: {error.user_message or error.code}.") from error
    except stripe.IdempotencyError as error:  # the first try may have been done: another sum is no repetition of it
        raise RefundRefused("This form asked for another sum before. Begin anew from the top-up's page.") from error
    except stripe.StripeError as error:
        log.warning("the card provider gave no answer to a refund: %s", type(error).__name__)
        raise ProviderUnavailable(ASK_AGAIN) from error
    name = getattr(made, "id", None)
    if not _is_name(name):
        log.warning("the card provider's answer to a refund names none")
        raise ProviderUnavailable(ASK_AGAIN)
    return str(name)


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
            seen.outcome = outcome = _handle(event, now)
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
        **dict.fromkeys(REFUNDS, _refund_updated),
        **dict.fromkeys(DISPUTES, _disputed),
    }
    handler = handlers.get(event["type"])
    return "ignored" if handler is None else handler(event["data"]["object"], event, now)


def _completed(session: Message, event: Message, now: datetime) -> str:
    """Credit a paid session; delayed methods complete unpaid first and succeed in a message of their own."""
    topup = _lock(session)
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
        source=reversals.CARD,
        reference=str(intent or session["id"]),
        now=now,
    )
    topup.state, topup.paid_at = State.PAID, now
    topup.save(update_fields=["state", "paid_at"])
    if topup.payment_intent:
        reversals.settle(topup.payment_intent, now=now)
    return "credited"


def _not_paid(session: Message, event: Message, now: datetime) -> str:
    topup = _lock(session)
    if topup is None or topup.state == State.PAID:
        return "ignored"
    topup.state = State.EXPIRED if event["type"].endswith("expired") else State.FAILED
    topup.save(update_fields=["state"])
    return topup.state


def _refunded(charge: Message, event: Message, now: datetime) -> str:
    """What the provider gave back to the payer; `amount_refunded` is the sum of all refunds so far."""
    payment, amount = charge.get("payment_intent"), _units(charge.get("amount_refunded"))
    if not isinstance(payment, str) or not payment or not amount:
        return "ignored"
    payment = payment[:255]
    return reversals.hear(reversals.Heard(payment, Reversal.Kind.REFUND, payment, amount), now=now)


def _refund_updated(refund: Message, event: Message, now: datetime) -> str:
    """How far one refund is: what could not be delivered has come back to us, however long after."""
    payment, amount, name = refund.get("payment_intent"), _units(refund.get("amount")), refund.get("id")
    if not all(isinstance(word, str) and word for word in (payment, name)) or not amount:
        return "ignored"
    if refund.get("status") == "requires_action":
        return "moves no money: requires_action"
    failed = event["type"] == "refund.failed" or refund.get("status") in ("failed", "canceled")
    heard = reversals.Heard(str(payment)[:255], Reversal.Kind.REFUND, str(name)[:255], amount, reinstated=failed)
    return reversals.hear(heard, now=now)


def _disputed(dispute: Message, event: Message, now: datetime) -> str:
    """What a payer's bank has taken out of our account, or put back there. An inquiry moves nothing."""
    payment, amount, status = dispute.get("payment_intent"), _units(dispute.get("amount")), dispute.get("status")
    if not isinstance(payment, str) or not payment or not amount:
        return "ignored"
    reinstated = event["type"] == REINSTATED or status == WON
    if not reinstated and event["type"] != WITHDRAWN and status not in WITHDRAWN_IN:
        return f"moves no money: {status}"[:100]
    name = str(dispute.get("id") or f"dispute of {payment}")[:255]
    heard = reversals.Heard(payment[:255], Reversal.Kind.DISPUTE, name, amount, reinstated=reinstated)
    return reversals.hear(heard, now=now)


def _lock(session: Message) -> TopUp | None:
    """Lock a session's top-up, if it is one of ours. Order: top-up, then (in the ledger) account."""
    name = session.get("id")
    return TopUp.objects.select_for_update().filter(session_id=name).first() if isinstance(name, str) and name else None


def _units(cents: Any) -> int:
    return money.from_cents(cents) if type(cents) is int and cents > 0 else 0


def expire_old(*, now: datetime) -> int:
    """Close the top-ups whose page has ended long ago (pages live 24 hours); a late payment still counts.

    What was confirmed there and a bank takes its days for is under way until the provider says how it has ended.
    """
    old = TopUp.objects.filter(state=State.CREATED, created_at__lt=now - timedelta(days=3), payment_intent=None)
    return old.update(state=State.EXPIRED)
