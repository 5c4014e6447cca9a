"""The card provider and the chain of a whole day: they keep their own books, and do not always answer."""

from __future__ import annotations

import json
import random
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx
import stripe

from billing.payments import transactions
from tests.billing import stubs

WEBHOOK_SECRET = "whsec_of_the_day"
POSTMEN = 3
Message = tuple[str, dict[str, Any]]


@dataclass
class Charge:
    """What the provider took from a card, and what has gone back of it, in cents."""

    payment: str
    cents: int
    challenge: str = ""  # of a payment by token
    session: str = ""  # of a card page
    refunded: int = 0
    asked_back: int = 0  # refunds, also those that failed later
    disputed: int = 0  # open or lost
    dispute: str = ""  # its name; "lost" before it when the bank has decided so, which it may decide again

    @property
    def left(self) -> int:
        """What could still go back."""
        return self.cents - self.refunded - self.disputed


class Provider(stubs.CardProvider):
    """The card provider: books every movement, and tells of it by messages that wait to be delivered."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.chance, self.lock = chance, threading.RLock()
        self.charges: dict[str, Charge] = {}
        self.pages: dict[str, int] = {}  # cents by session
        self.messages: list[Message] = []
        self.delivered = self.doubled = self.failed = 0

    def answer(self, path: str, body: bytes, headers: dict[str, str]) -> stubs.Answer:
        with self.lock:
            return super().answer(path, body, headers)

    def checkout(self, form: dict[str, str]) -> stubs.Answer:
        status, made, headers = super().checkout(form)
        self.pages[made["id"]] = made["amount_total"]
        return status, made, headers

    def intent(self, form: dict[str, str]) -> stubs.Answer:
        """Some answers are lost on the way: the money was taken all the same."""
        before = len(self.intents)
        status, made, headers = super().intent(form)
        if len(self.intents) > before:
            self._take(made["id"], int(form["amount"]), challenge=form["metadata[mpp_challenge_id]"])
            if self.chance.random() < 0.05:
                return 500, {"error": {"type": "api_error", "message": "lost"}}, {}
        return status, made, headers

    def refund(self, form: dict[str, str]) -> stubs.Answer:
        if not self.give_back(form["payment_intent"], int(form["amount"])):
            error = {"type": "invalid_request_error", "code": "amount_too_large", "message": "More than is left."}
            return 400, {"error": error}, {}
        return super().refund(form)

    def give_back(self, payment: str, cents: int) -> bool:
        """Refund a part of a charge, or all of it; not more than is left. Some cannot be delivered in the end."""
        with self.lock:
            charge = self.charges[payment]
            if not 0 < cents <= charge.left:
                return False
            charge.refunded += cents
            charge.asked_back += cents
            self._move("refund", charge, -cents)
            self._tell("charge.refunded", payment_intent=payment, amount_refunded=charge.asked_back)
            refund = {"id": f"re_{uuid.uuid4().hex}", "payment_intent": payment, "amount": cents}
            self._tell("refund.created", **refund, status="pending")
            if self.chance.random() < 0.2:
                self._move("refund_failure", charge, cents)
                self._tell("refund.failed", **refund, status="failed")
                charge.refunded -= cents
                self.failed += 1
            return True

    def pay_page(self, session: str) -> str:
        """Somebody pays on a card page: at once, or by a method that takes its time."""
        with self.lock:
            charge = self._take(f"pi_{session}", self.pages[session], session=session)
            paid = {"id": session, "payment_intent": charge.payment, "currency": "usd", "amount_total": charge.cents}
            if self.chance.random() < 0.3:
                self._tell("checkout.session.completed", **paid, payment_status="unpaid")
                self._tell("checkout.session.async_payment_succeeded", **paid, payment_status="paid")
            else:
                self._tell("checkout.session.completed", **paid, payment_status="paid")
            return charge.payment

    def open_dispute(self, payment: str) -> bool:
        """A payer's bank takes back what is left of a charge; whether there was anything."""
        with self.lock:
            charge = self.charges[payment]
            if charge.dispute or charge.left <= 0:
                return False
            charge.dispute, cents = f"dp_{uuid.uuid4().hex}", charge.left
            charge.disputed += cents
            self._move("adjustment", charge, -cents, object="dispute")
            for kind in ("charge.dispute.created", "charge.dispute.funds_withdrawn"):
                self._tell_dispute(kind, charge, cents, "needs_response")
            return True

    def close_dispute(self, payment: str, *, won: bool) -> bool:
        """The bank decides; whether there was anything to decide."""
        with self.lock:
            charge = self.charges[payment]
            if not charge.dispute:
                return False
            cents = charge.disputed
            self._tell_dispute("charge.dispute.closed", charge, cents, "won" if won else "lost")
            if won:
                self._tell_dispute("charge.dispute.funds_reinstated", charge, cents, "won")
                self._move("adjustment", charge, cents, object="dispute")
                charge.disputed = 0
            charge.dispute = "" if won else f"lost {charge.dispute.removeprefix('lost ')}"
            return True

    def inquire(self, payment: str) -> None:
        """A bank asks a question: no money moves."""
        with self.lock:
            charge = self.charges[payment]
            name = f"dp_{uuid.uuid4().hex}"
            for kind, status in (("created", "warning_needs_response"), ("closed", "warning_closed")):
                body = {"id": name, "payment_intent": payment, "amount": charge.cents, "status": status}
                self._tell(f"charge.dispute.{kind}", **body)

    def _take(self, payment: str, cents: int, **more: str) -> Charge:
        charge = self.charges[payment] = Charge(payment, cents, **more)
        self._move("charge", charge, cents)
        return charge

    def _move(self, kind: str, charge: Charge, cents: int, **source: Any) -> None:
        self.move(kind, charge.payment, cents, datetime.now(UTC), **source)

    def _tell(self, kind: str, **content: Any) -> None:
        event = {"id": f"evt_{uuid.uuid4().hex}", "object": "event", "type": kind, "data": {"object": content}}
        self.messages.append((kind, event))

    def _tell_dispute(self, kind: str, charge: Charge, cents: int, status: str) -> None:
        name = charge.dispute.removeprefix("lost ")
        self._tell(kind, id=name, payment_intent=charge.payment, amount=cents, status=status)


@contextmanager
def postmen(provider: Provider, url: str) -> Iterator[None]:
    """Deliver the provider's messages until the block ends: in any order, late, some of them twice and at once."""
    ended = threading.Event()

    def walk(chance: random.Random) -> None:
        with httpx.Client(timeout=20, verify=False) as http:
            while not ended.wait(chance.uniform(0.01, 0.2)):
                with provider.lock:
                    message = chance.choice(provider.messages) if provider.messages else None
                if message is None or not _hand_over(http, message[1], url):
                    continue
                with provider.lock:
                    if message in provider.messages and chance.random() < 0.75:
                        provider.messages.remove(message)
                        provider.delivered += 1
                    else:
                        provider.doubled += 1

    threads = [
        threading.Thread(target=walk, args=(random.Random(provider.chance.random()),), daemon=True)
        for _ in range(POSTMEN)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join(30)


def _hand_over(http: httpx.Client, event: dict[str, Any], url: str) -> bool:
    """Whether the service has taken it."""
    body = json.dumps(event)
    signature = stripe.WebhookSignature.generate_signature_header(body, WEBHOOK_SECRET)  # type: ignore[no-untyped-call]
    headers = {"stripe-signature": signature, "content-type": "application/json"}
    try:
        return http.post(f"{url}/webhooks/stripe", content=body, headers=headers).status_code == 200
    except httpx.HTTPError:
        return False


class Chain(stubs.Node):
    """The chain's node: most transfers are mined under our eyes, some without an answer, some not at all.

    Each of these comes once before chance decides: also a small day has a transfer whose answer was lost.
    """

    FATES = ("included", "lost", "refused", "slow")

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.chance, self.lock = chance, threading.RLock()
        self.fates = dict.fromkeys(self.FATES, 0)
        self.first = chance.sample(self.FATES, len(self.FATES))

    def answer(self, path: str, body: bytes, headers: dict[str, str]) -> stubs.Answer:
        with self.lock:
            return super().answer(path, body, headers)

    def broadcast(self, question: dict[str, Any]) -> stubs.Answer:
        transfer = transactions.read(bytes.fromhex(question["params"][0][2:]))
        if transfer.hash in self.receipts:
            return self.said(question, error={"code": -32000, "message": "already known"})
        fate = self.first.pop() if self.first else self.chance.choices(self.FATES, (90, 5, 3, 2))[0]
        self.fates[fate] += 1
        self.block += 1
        if fate == "lost":
            self.include(transfer)
            return 502, {"oops": True}, {}
        self.mood = fate
        try:
            return super().broadcast(question)
        finally:
            self.mood = "included"
