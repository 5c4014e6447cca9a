"""Clients who do everything that moves money, one thing after the other, and write down what they are told.

Whoever is cut off asks the same again: with the same Idempotency-Key, or with the same payment.
"""

from __future__ import annotations

import base64
import json
import random
import re
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx

from tests.billing.test_transactions import memo_for, paying
from tests.failures.money_day.office import Office, Refused
from tests.failures.money_day.outside import Provider
from tests.failures.registries import STATES

PATIENCE = 25.0  # seconds; what is open after that is asked for again when the day is over
POLLS = 12.0
LONGEST_PAUSE = 3.0
VALID_SECONDS = 550  # of a signed transfer
UNITS = 10_000  # in a dollar
# How often each kind of operation is done, in a hundred
MIX = {
    "lookup": 21,
    "lookup of nobody": 6,
    "stored lookup": 23,
    "lookup paid by chain": 14,
    "bulk job": 5,
    "cancelled bulk job": 2,
    "top-up on a page": 7,
    "top-up by token": 4,
    "card refund": 4,
    "dispute opened": 3,
    "dispute closed": 2,
    "inquiry": 1,
    "grant": 2,
    "invoice grant": 1,
    "lookup refunded": 1,
    "budget changed": 2,
    "key rotated": 2,
}
Again = Callable[[], bool]


@dataclass
class Record:
    """What one client was told, in units of 1/10,000 USD."""

    lookups: dict[str, int] = field(default_factory=dict)  # by id
    bulks: dict[str, int | None] = field(default_factory=dict)  # by id; None until it is told
    receipts: dict[str, str] = field(default_factory=dict)  # of lookups paid by chain: transfer -> lookup
    payments: dict[str, int] = field(default_factory=dict)  # into the balance, by the provider's name
    given: int = 0
    given_back: int = 0
    replies: Counter[str] = field(default_factory=Counter)


@dataclass
class Client:
    """One of several on an account; `open` are the requests whose end it does not know yet."""

    account: int
    secret: str
    mark: str
    url: str
    office: Office
    provider: Provider
    chance: random.Random
    record: Record = field(default_factory=Record)
    open: list[Again] = field(default_factory=list)
    known: list[tuple[str, str]] = field(default_factory=list)
    _number: int = 0
    http: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=30, verify=False))

    def do(self, kind: str) -> None:
        """Do one thing."""
        acts: dict[str, Callable[[], None]] = {
            "lookup": lambda: self._look_up(self._question("Petrel")),
            "lookup of nobody": lambda: self._look_up(self._question("Missing")),
            "stored lookup": self._look_up_again,
            "lookup paid by chain": self._pay_for_a_lookup,
            "bulk job": self._ask_bulk,
            "cancelled bulk job": lambda: self._ask_bulk(cancel=True),
            "top-up on a page": self._top_up,
            "top-up by token": self._top_up_by_token,
            "card refund": self._refund_card,
            "dispute opened": lambda: self._with_charge(self.provider.open_dispute),
            "dispute closed": lambda: self._with_charge(self._close_dispute),
            "inquiry": lambda: self._with_charge(self.provider.inquire),
            "grant": lambda: self._be_given("goodwill"),
            "invoice grant": lambda: self._be_given("invoice"),
            "lookup refunded": self._be_refunded,
            "budget changed": self._change_budget,
            "key rotated": self._rotate,
        }
        acts[kind]()

    def finish(self) -> None:
        """Ask again for whatever has no end yet."""
        self.open = [again for again in self.open if not again()]

    def _insist(self, again: Again, *, seconds: float = PATIENCE) -> None:
        """Ask again, less and less often: what a killed process had in its hands is nobody's for two minutes."""
        until, pause = time.monotonic() + seconds, 0.5
        while not again():
            if time.monotonic() > until:
                self.open.append(again)
                return
            time.sleep(self.chance.uniform(0.1, pause))
            pause = min(pause * 1.5, LONGEST_PAUSE)

    def _send(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response | None:
        """One request; None where no reply came."""
        content = json.dumps(body).encode() if body is not None and not isinstance(body, bytes) else body
        more = {"content-type": "application/json"} if content is not None else {}
        try:
            reply = self.http.request(method, self.url + path, content=content, headers=more | headers)
        except httpx.HTTPError:
            self.record.replies["cut off"] += 1
            return None
        self.record.replies[str(reply.status_code)] += 1
        return reply

    @property
    def _key(self) -> dict[str, str]:
        return {"x-api-key": self.secret}

    def _question(self, word: str) -> dict[str, str]:
        self._number += 1
        return {"entity_name": f"{word} {self.mark} N{self._number:05} LLC", "state": self.chance.choice(STATES)}

    # Lookups on the balance

    def _look_up(self, body: dict[str, Any]) -> None:
        key = {"idempotency-key": str(uuid.uuid4())}

        def again() -> bool:
            reply = self._send("POST", "/v1/lookup", body, **self._key, **key)
            if reply is None or reply.status_code not in (200, 202, 402, 404):
                return False
            told = reply.json()
            if reply.status_code == 202:
                self._insist(lambda: self._poll(told["jobId"], body), seconds=POLLS)
            elif reply.status_code == 200:
                self._note(told, body)
            return True

        self._insist(again)

    def _poll(self, job: str, body: dict[str, Any]) -> bool:
        """Whether a job has ended, which is then written down."""
        reply = self._send("GET", f"/v1/lookup/status/{job}", **self._key)
        told = reply.json() if reply is not None else {}  # also of a job that failed: by the contract that is a 500
        if told.get("status") not in ("complete", "failed"):
            return False
        if told.get("cost"):
            self._note(told, body)
        return True

    def _note(self, told: dict[str, Any], body: dict[str, Any]) -> None:
        self.record.lookups[told["lookupId"]] = round(told["cost"] * UNITS)
        self.known.append((body["entity_name"], body["state"]))

    def _look_up_again(self) -> None:
        """Something that is known already, from the store."""
        if not self.known:
            return self._look_up(self._question("Petrel"))
        name, state = self.chance.choice(self.known)
        return self._look_up({"entity_name": name, "state": state, "source": "cache"})

    def _ask_bulk(self, *, cancel: bool = False) -> None:
        words = [self.chance.choice(["Petrel", "Petrel", "Missing"]) for _ in range(self.chance.randint(2, 6))]
        body = {"entities": [self._question(word) for word in words], "source": "live"}
        key = {"idempotency-key": str(uuid.uuid4())}

        def cancelled(bulk: str) -> bool:
            reply = self._send("DELETE", f"/v1/bulk-lookup/{bulk}", **self._key)
            return reply is not None and reply.status_code == 200

        def accepted() -> bool:
            reply = self._send("POST", "/v1/bulk-lookup", body, **self._key, **key)
            if reply is None or reply.status_code not in (202, 402):
                return False
            if reply.status_code == 202:
                bulk = str(reply.json()["job_id"])
                self.record.bulks[bulk] = None
                if cancel:
                    self._insist(partial(cancelled, bulk))
                self.open.append(partial(self._read_bulk, bulk))
            return True

        self._insist(accepted)

    def _read_bulk(self, bulk: str) -> bool:
        """Whether a bulk job has ended; what its rows and it cost is written down."""
        reply = self._send("GET", f"/v1/bulk-lookup/{bulk}?limit=500", **self._key)
        told = reply.json() if reply is not None and reply.status_code == 200 else {}
        if told.get("status") not in ("complete", "cancelled") or told["completed"] != told["total"]:
            return False
        self.record.bulks[bulk] = round(told["cost"] * UNITS)
        for row in told["results"]:
            if row["cost"]:
                self.record.lookups[row["lookupId"]] = round(row["cost"] * UNITS)
        return True

    # What is paid with the request

    def _pay_for_a_lookup(self) -> None:
        word = "Missing" if self.chance.random() < 0.15 else "Petrel"
        raw = json.dumps(self._question(word)).encode()
        offer: dict[str, str] = {}

        def pay() -> bool:
            if not offer:
                asked = self._send("POST", "/v1/lookup", raw)
                if asked is None or asked.status_code != 402:
                    return False
                offer.update(_read_offer(asked, "tempo"))
                memo = memo_for(offer["id"], offer["realm"])
                until = int(time.time()) + VALID_SECONDS
                transfer = paying(offer["id"], memo=memo, valid_before=until, nonce=self._number)
                payload = {"type": "transaction", "signature": "0x" + transfer.hex()}
                offer["credential"] = _answer(offer, payload)
            reply = self._send("POST", "/v1/lookup", raw, authorization=offer["credential"])
            if reply is None or reply.status_code not in (200, 402, 404):
                return False
            if reply.status_code == 200:
                self.record.receipts[_reference(reply)] = reply.json()["lookupId"]
            return True

        self._insist(pay)

    def _top_up_by_token(self) -> None:
        cents = self.chance.randint(50, 900)
        raw = json.dumps({"amount": cents / 100, "payBy": "challenge"}).encode()
        token = f"spt_{'declined_' if self.chance.random() < 0.1 else ''}{uuid.uuid4().hex}"
        offer: dict[str, str] = {}

        def pay() -> bool:
            if not offer:
                asked = self._send("POST", "/v1/account/topup", raw, **self._key)
                if asked is None or asked.status_code != 402:
                    return False
                offer.update(_read_offer(asked, "stripe"))
                offer["credential"] = _answer(offer, {"spt": token})
            reply = self._send("POST", "/v1/account/topup", raw, authorization=offer["credential"], **self._key)
            if reply is None or reply.status_code not in (200, 402):
                return False
            if reply.status_code == 200:
                self.record.payments[_reference(reply)] = reply.json()["amountStored"]
            return True

        self._insist(pay)

    # Money in, and back

    def _top_up(self) -> None:
        cents = self.chance.randint(50, 2_000)

        def again() -> bool:
            reply = self._send("POST", "/v1/account/topup", {"amount": cents / 100}, **self._key)
            if reply is None or reply.status_code != 200:
                return False
            told = reply.json()
            session = "cs_test_" + told["checkoutUrl"].rpartition("/")[2]
            if self.chance.random() < 0.9:  # others leave the page
                self.record.payments[self.provider.pay_page(session)] = told["amountStored"]
            return True

        self._insist(again)

    def _with_charge(self, act: Callable[[str], Any]) -> None:
        """Something happens to a payment of this client's; to none when it has none."""
        if self.record.payments:
            act(self.chance.choice(list(self.record.payments)))

    def _close_dispute(self, payment: str) -> None:
        disputed = [one for one in self.record.payments if self.provider.charges[one].dispute.startswith("dp_")]
        self.provider.close_dispute(disputed[0] if disputed else payment, won=self.chance.random() < 0.5)

    def _refund_card(self) -> None:
        """From the admin, or where that is no card page's on the provider's own site; a part or all that is left."""

        def refund(payment: str) -> None:
            left = self.provider.charges[payment].left
            cents = left if self.chance.random() < 0.4 else self.chance.randint(1, max(1, left))
            if payment.startswith("pi_cs_"):
                self._ask_office("refund_card", payment=payment, cents=cents, token=uuid.uuid4().hex)
            else:
                self.provider.give_back(payment, cents)

        self._with_charge(refund)

    def _be_given(self, reason: str) -> None:
        amount = self.chance.randint(1, 60_000)
        how = {"account": self.account, "amount": amount, "token": f"day:{uuid.uuid4().hex}", "reason": reason}
        self.record.given += self._ask_office("grant", **how, approved=self.chance.random() < 0.8) or 0

    def _be_refunded(self) -> None:
        token = f"day:{uuid.uuid4().hex}"
        self.record.given_back += self._ask_office("refund_lookup", account=self.account, token=token) or 0

    def _ask_office(self, act: str, **arguments: Any) -> Any:
        try:
            done = self.office.do(act, **arguments)
        except Refused:
            self.record.replies["office: refused"] += 1
            return None
        self.record.replies["office: done"] += 1
        return done

    def _change_budget(self) -> None:
        budget = self.chance.choice([None, None, 0.1, 5, 500])

        def again() -> bool:
            reply = self._send("PATCH", "/v1/account/settings", {"monthlyBudget": budget}, **self._key)
            return reply is not None and reply.status_code == 200

        self._insist(again)

    def _rotate(self) -> None:
        self.secret = self._ask_office("rotate", secret=self.secret) or self.office.do("issue", account=self.account)


def _read_offer(reply: httpx.Response, method: str) -> dict[str, str]:
    """The parameters of the challenge of this method."""
    challenges = re.split(r",\s*(?=Payment )", reply.headers["www-authenticate"])
    offers = [dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', one)) for one in challenges]
    return next(one for one in offers if one["method"] == method)


def _answer(offer: dict[str, str], payload: dict[str, str]) -> str:
    echoed = {name: value for name, value in offer.items() if name not in ("description", "credential")}
    content = json.dumps({"challenge": echoed, "payload": payload}).encode()
    return "Payment " + base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _reference(reply: httpx.Response) -> str:
    """By what a receipt names the payment."""
    text = reply.headers["payment-receipt"]
    receipt = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    assert receipt["status"] == "success"
    return str(receipt["reference"])
