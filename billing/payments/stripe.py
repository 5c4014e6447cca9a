"""Cards: top-ups of the prepaid balance, through the provider's page or by an agent's payment token.

A card network takes no less than 0.50 USD, so cards buy credit and never a single lookup.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import stripe
from django.conf import settings
from urllib3.exceptions import HTTPError

from billing import money
from billing.payments import answers
from billing.payments.method import Declined, OutcomeUnknown, Proof

log = logging.getLogger(__name__)

SECONDS = 30  # for a connection, and for each answer: its library would hold a caller's thread for 80
SMALLEST_TOPUP = money.from_cents(50)
LARGEST_TOPUP = money.from_cents(1_000_000)
# When a payment of ours can have been made, by the provider's clock, and how long after it is certain that none was
CLOCKS_DIFFER, LAST_MADE = timedelta(minutes=5), timedelta(minutes=15)
NOTHING_MOVED = ("canceled", "requires_payment_method", "requires_action")
# The name two independent clients' servers send; the provider's changelog of 2026-04-22 names it
# payment_method_data[shared_payment_granted_token]. Which one a live account wants is not verified.
TOKEN_PARAMETER = "shared_payment_granted_token"  # noqa: S105
TOKEN_API_VERSION = "2026-07-29.preview"  # noqa: S105


# The provider's types of balance transactions that move a payer's money; the others are fees, payouts and the like
MOVEMENTS = {
    "charge": "charge",
    "payment": "charge",
    "refund": "refund",
    "payment_refund": "refund",
    "refund_failure": "refund",
    "payment_failure_refund": "refund",
}


@dataclass(frozen=True, slots=True)
class Movement:
    """A balance transaction of the provider's: a "charge", or what went back by a "refund" or a "dispute".

    `payment` is the payment intent, `amount` in units of 1/10,000 USD: negative for what has returned to us.
    """

    name: str
    kind: str
    payment: str
    amount: int
    at: datetime


class CardsNotConfigured(Exception):
    """This installation has no card provider; credit is granted by staff."""


class _Wire(stripe.RequestsClient):
    """The library's own, which takes whatever comes for an answer: what is none is a provider that did not answer."""

    def request(  # type: ignore[override]
        self, method: str, url: str, headers: Mapping[str, str] | None, post_data: Any = None
    ) -> tuple[bytes, int, Mapping[str, str]]:
        raw, status, received = self.request_stream(method, url, headers, post_data)
        try:
            with raw:
                body = answers.read_body(raw, seconds=SECONDS)
            if not isinstance(answers.read_object(body).get("error", {}), dict):
                raise answers.Unreadable("the answer has no error of the provider's")
        except (HTTPError, ValueError) as error:
            raise stripe.APIConnectionError(f"HTTP {status}: {error}") from error  # type: ignore[no-untyped-call]
        return body, status, received


def client() -> stripe.StripeClient:
    """Return a client of the provider; raise CardsNotConfigured without a key."""
    if not settings.STRIPE_SECRET_KEY:
        raise CardsNotConfigured("Cards are not configured.")
    return stripe.StripeClient(
        settings.STRIPE_SECRET_KEY,
        base_addresses={"api": settings.STRIPE_API_BASE} if settings.STRIPE_API_BASE else {},
        max_network_retries=0,
        http_client=_Wire(timeout=SECONDS),
    )


def find() -> Stripe | None:
    """Return the method when a key and a network profile are configured, else None."""
    if not (settings.STRIPE_SECRET_KEY and settings.STRIPE_NETWORK_ID):
        return None
    return Stripe(network_id=settings.STRIPE_NETWORK_ID)


def list_movements(*, since: datetime, until: datetime) -> list[Movement]:
    """Return what the provider moved in `since <= time < until`; raise OutcomeUnknown when it gives no answer.

    Not checked against the live provider.
    """
    asked: Any = {
        "created": {"gte": int(since.timestamp()), "lt": int(until.timestamp())},
        "limit": 100,
        "expand": ["data.source"],
    }
    try:
        listed = client().v1.balance_transactions.list(asked)
        return [found for one in _read_all(listed) if (found := _read_movement(one.to_dict())) is not None]
    except stripe.StripeError as error:
        raise _open(error) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise OutcomeUnknown("the card provider's transactions cannot be read") from error


class Stripe:
    """The method "stripe": a token that an agent was granted, charged at once."""

    name = "stripe"
    is_sandbox = False

    def __init__(self, *, network_id: str) -> None:
        self.network_id = network_id

    def terms(self, amount: int) -> dict[str, Any]:
        """See Method. Whole cents: the caller rounds nothing."""
        return {
            "amount": str(_cents(amount)),
            "currency": "usd",
            "methodDetails": {"networkId": self.network_id, "paymentMethodTypes": ["card", "link"]},
        }

    def check(
        self, payload: Mapping[str, Any], *, amount: int, challenge_id: str, realm: str, issued: datetime, now: datetime
    ) -> Proof:
        """See Method."""
        token = payload.get("spt")
        if not isinstance(token, str) or not token.startswith("spt_") or len(token) > 150:
            raise Declined("The payload needs the payment token spt_…", word="invalid-payload")
        return Proof({"spt": token})

    def settle(self, payload: Mapping[str, Any], *, amount: int, challenge_id: str) -> str:
        """See Method. The idempotency key makes a repetition the same payment."""
        parameters: dict[str, Any] = {
            "amount": _cents(amount),
            "currency": "usd",
            "confirm": True,
            "payment_method_types": ["card"],
            TOKEN_PARAMETER: payload["spt"],
            "metadata": {"mpp_challenge_id": challenge_id},
        }
        options: Any = {
            "idempotency_key": f"mpp_{challenge_id}_{payload['spt']}",
            "stripe_version": TOKEN_API_VERSION,
        }
        try:
            intent = client().v1.payment_intents.create(parameters, options=options)  # type: ignore[arg-type]
        except stripe.CardError as error:
            raise Declined(f"The card was declined ({error.code}).") from error
        except stripe.InvalidRequestError as error:
            log.error("the card provider refused a payment: %s", type(error).__name__)
            raise Declined("The card provider refused the payment.") from error
        except stripe.StripeError as error:
            raise _open(error) from error
        if intent.status == "succeeded":
            return intent.id
        if intent.status == "requires_action":
            raise Declined("The card's bank asks for more; use the top-up page.", word="payment-action-required")
        raise OutcomeUnknown(f"the payment {intent.id} is {intent.status}")

    def find_outcome(
        self, payload: Mapping[str, Any], *, amount: int, challenge_id: str, since: datetime, now: datetime
    ) -> str | None:
        """See Method. Looks among the payments that were made around then, for the challenge they name."""
        made: Any = {"gte": int((since - CLOCKS_DIFFER).timestamp()), "lte": int((since + LAST_MADE).timestamp())}
        try:
            listed = client().v1.payment_intents.list({"created": made, "limit": 100})
            found = [(str(one.id), str(one.status)) for one in _read_all(listed) if _is_of(one, challenge_id)]
        except stripe.StripeError as error:
            raise _open(error) from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise OutcomeUnknown("the card provider's payments cannot be read") from error
        for name, status in found:
            if status == "succeeded":
                return name
        if any(status not in NOTHING_MOVED for _, status in found):
            raise OutcomeUnknown(f"the payment is {found[0][1]}")
        if found or now > since + LAST_MADE:
            raise Declined("The card provider took no such payment.")
        return None


def _read_all(listed: Any) -> Iterator[Any]:
    """What all pages list. Raises TypeError for an answer without a list: that is no word that there is nothing."""
    if not isinstance(listed.data, list):
        raise TypeError("The answer has no list.")
    yield from listed.auto_paging_iter()


def _read_movement(transaction: dict[str, Any]) -> Movement | None:
    """What a balance transaction moved. Its own amount may be in another currency; its source's is the payer's."""
    source = transaction.get("source")
    source = source if isinstance(source, dict) else {}
    kind = MOVEMENTS.get(transaction["type"])
    if kind is None and source.get("object") == "dispute":
        kind = "dispute"
    if kind is None:
        return None
    came_in = transaction["amount"] > 0
    amount = money.from_cents(abs(int(source.get("amount", transaction["amount"]))))
    return Movement(
        name=str(transaction["id"]),
        kind=kind,
        payment=str(source.get("payment_intent") or ""),
        amount=amount if came_in == (kind == "charge") else -amount,
        at=datetime.fromtimestamp(transaction["created"], UTC),
    )


def _is_of(intent: stripe.PaymentIntent, challenge_id: str) -> bool:
    return bool(intent.metadata and intent.metadata.to_dict().get("mpp_challenge_id") == challenge_id)


def _open(error: stripe.StripeError) -> OutcomeUnknown:
    """An error that proves nothing; that our key is not taken is told to the operators, who alone can mend it."""
    if isinstance(error, stripe.AuthenticationError | stripe.PermissionError):
        log.error("the card provider does not take our key: %s", type(error).__name__)
    return OutcomeUnknown(f"the card provider: {type(error).__name__}")


def _cents(amount: int) -> int:
    cents, rest = divmod(amount, money.UNITS_PER_CENT)
    if rest:
        raise ValueError("A card pays whole cents.")
    return cents
