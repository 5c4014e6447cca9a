"""The payment providers as small servers on a loopback socket: real requests, real forms, invented answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from billing.payments import transactions
from billing.payments.tempo import TRANSFER_EVENTS
from tests.serving import in_background

PLAIN, WITH_MEMO = TRANSFER_EVENTS
Answer = tuple[int, dict[str, Any] | bytes, dict[str, str]]  # bytes: as they are


@contextmanager
def serve(answer: Callable[[str, bytes, dict[str, str]], Answer]) -> Iterator[str]:
    """Run a server that answers every GET and POST by `answer(path, body, headers)`; give its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, content, headers = answer(self.path, body, dict(self.headers))
            text = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(text)),
                **headers,
            }.items():
                self.send_header(name, value)
            with suppress(OSError):  # who asked was killed
                self.end_headers()
                self.wfile.write(text)

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: Any) -> None:
            return

    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


class Node:
    """A chain node: answers what the paying client asks, and what we ask when we broadcast.

    `mood` says how broadcasts end: included, refused, failed (included, but reverted), slow (no receipt in time),
    known (it has it already), broken (an error of its own), silent (an error of the
    server), down (the same to everything), locked (it does not take our key), elsewhere (succeeds without paying us).

    `objection` is what a simulation finds, and `funds` what everybody has. Blocks are of the far future, unless a test
    sets `block_time`.
    """

    def __init__(self) -> None:
        self.mood = "included"
        self.objection = ""
        self.funds = 10**12
        self.block_time = 2**32
        self.simulated: list[dict[str, Any]] = []
        self.broadcasts: list[str] = []
        self.receipts: dict[str, dict[str, Any]] = {}
        self.block = 100  # the latest
        self.logs: list[dict[str, Any]] = []
        self.read: list[tuple[int, int]] = []  # of which blocks the events were asked for

    def answer(self, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        question = json.loads(body)
        method = question["method"]
        if self.mood == "down":
            return 502, {"oops": True}, {}
        if self.mood == "locked":
            return 401, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "Must be authenticated!"}}, {}
        if method == "eth_sendRawTransactionSync":
            return self.broadcast(question)
        if method == "tempo_simulateV1":
            return self.simulate(question)
        results = {
            "eth_chainId": hex(4217),
            "eth_gasPrice": hex(10**9),
            "eth_estimateGas": hex(100_000),
            "eth_getTransactionCount": "0x0",
            "eth_call": f"0x{self.funds:064x}",
            "eth_blockNumber": hex(self.block),
            "eth_getBlockByHash": {"timestamp": hex(self.block_time)},
            "eth_getBlockByNumber": {"timestamp": hex(self.block_time)},
        }
        if method == "eth_getTransactionReceipt":
            return self.said(question, result=self.receipts.get(question["params"][0]))
        if method == "eth_getLogs":
            return self.said(question, result=self.listed(question["params"][0]))
        if method not in results:
            return self.said(question, error={"code": -32601, "message": f"no {method} here"})
        return self.said(question, result=results[method])

    def simulate(self, question: dict[str, Any]) -> Answer:
        self.simulated += question["params"][0]["blockStateCalls"][0]["calls"]
        if self.objection.startswith("nonce"):
            return self.said(question, error={"code": -38010, "message": self.objection})
        failed = {"status": "0x0", "error": {"message": self.objection}}
        call = failed if self.objection else {"status": "0x1"}
        return self.said(question, result={"blocks": [{"calls": [call]}]})

    def broadcast(self, question: dict[str, Any]) -> Answer:
        raw = bytes.fromhex(question["params"][0][2:])
        transfer = transactions.read(raw)
        self.broadcasts.append(transfer.hash)
        errors = {
            "refused": {"code": -32000, "message": "insufficient funds"},
            "slow": {"code": 4, "message": "The transaction was added, but no receipt came in time"},
            "known": {"code": -32000, "message": "already known"},
            "fee": {"code": -32000, "message": "unknown fee token"},
            "broken": {"code": -32603, "message": "internal error"},
        }
        if self.mood == "silent":
            return 502, {"oops": True}, {}
        if self.mood in errors:
            return self.said(question, error=errors[self.mood])
        return self.said(question, result=self.include(transfer))

    def include(self, transfer: transactions.Transfer) -> dict[str, Any]:
        """Put a transaction on the chain; return its receipt."""
        recipient = bytes(20) if self.mood == "elsewhere" else transfer.recipient
        log = {
            "address": "0x" + transfer.token.hex(),
            "topics": [
                WITH_MEMO,
                "0x" + "00" * 31 + "01",
                "0x" + "00" * 12 + recipient.hex(),
            ],
            "data": f"0x{transfer.amount:064x}",
            "transactionHash": transfer.hash,
            "blockNumber": hex(self.block),
        }
        status = "0x0" if self.mood == "failed" else "0x1"
        if status == "0x1":
            self.logs.append(log)
        receipt = {
            "transactionHash": transfer.hash,
            "blockHash": "0x0b",
            "blockNumber": hex(self.block),
            "status": status,
            "logs": [log],
        }
        self.receipts[transfer.hash] = receipt
        return receipt

    def give_back(
        self, *, to: str, sender: str, token: str, amount: int, event: str = PLAIN, status: str = "0x1"
    ) -> str:
        """Put a transfer of ours to somebody on the chain; return its hash."""
        name = f"0x{len(self.receipts) + 1:064x}"
        parties = ["0x" + "00" * 12 + party[2:].lower() for party in (sender, to)]
        log = {"address": token, "topics": [event, *parties], "data": f"0x{amount:064x}"}
        self.receipts[name] = {"transactionHash": name, "status": status, "logs": [log]}
        return name

    def listed(self, span: dict[str, Any]) -> list[dict[str, Any]]:
        """The events of these blocks that fit the topics."""
        first, last = int(span["fromBlock"], 16), int(span["toBlock"], 16)
        self.read.append((first, last))
        events, _, recipient = span["topics"]
        return [
            log
            for log in self.logs
            if first <= int(log["blockNumber"], 16) <= last
            and log["address"].lower() == span["address"].lower()
            and log["topics"][0] in events
            and log["topics"][2] == recipient
        ]

    @staticmethod
    def said(question: dict[str, Any], **content: Any) -> Answer:
        return 200, {"jsonrpc": "2.0", "id": question["id"], **content}, {}


class CardProvider:
    """The card provider: payment intents and checkout sessions, with an idempotency map."""

    def __init__(self) -> None:
        self.forms: list[dict[str, str]] = []
        self.seen: dict[str, Answer] = {}
        self.asked: dict[str, dict[str, str]] = {}  # by the same keys
        self.intents: list[dict[str, Any]] = []
        self.refunds: list[dict[str, str]] = []
        self.balance: list[dict[str, Any]] = []  # its balance transactions
        # down (an error, nothing done), lost (done, but the answer is an error), locked (our key is not taken)
        self.mood = ""

    def answer(self, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        form = dict(parse_qsl(body.decode(), keep_blank_values=True))
        self.forms.append(form)
        if self.mood == "locked":
            return 401, {"error": {"type": "invalid_request_error", "message": "Expired API Key provided"}}, {}
        if path.startswith("/v1/payment_intents?"):
            return self.listed(path)
        if self.mood == "down":
            return 500, {"error": {"type": "api_error", "message": "try later"}}, {}
        if path.startswith("/v1/balance_transactions?"):
            return self.moved(path)
        key = headers.get("Idempotency-Key", "")
        if key in self.seen:
            if form != self.asked[key]:
                error = {"type": "idempotency_error", "message": "Another request had this key."}
                return 400, {"error": error}, {}
            status, content, _ = self.seen[key]
            return status, content, {"Idempotent-Replayed": "true"}
        if path.startswith("/v1/refunds"):
            answer = self.refund(form)
        else:
            answer = self.checkout(form) if path.startswith("/v1/checkout") else self.intent(form)
        self.seen[key], self.asked[key] = answer, form
        return answer

    def intent(self, form: dict[str, str]) -> Answer:
        token = form.get("shared_payment_granted_token", "")
        if "declined" in token:
            error = {"type": "card_error", "code": "card_declined", "message": "Your card was declined."}
            return 402, {"error": error}, {}
        if int(form["amount"]) < 50:
            error = {"type": "invalid_request_error", "code": "amount_too_small", "message": "Amount too small."}
            return 400, {"error": error}, {}
        made = {
            "id": f"pi_{len(self.seen) + 1}",
            "object": "payment_intent",
            "status": "requires_action" if "action" in token else "succeeded",
            "metadata": {"mpp_challenge_id": form.get("metadata[mpp_challenge_id]", "")},
        }
        self.intents.append(made)
        return (500, {"error": {"type": "api_error"}}, {}) if self.mood == "lost" else (200, made, {})

    def refund(self, form: dict[str, str]) -> Answer:
        if form["payment_intent"] == "pi_refunded":
            error = {"type": "invalid_request_error", "code": "charge_already_refunded", "message": "Refunded before."}
            return 400, {"error": error}, {}
        self.refunds.append(form)
        return 200, {"id": f"re_{len(self.refunds)}", "object": "refund", "status": "succeeded"}, {}

    def listed(self, path: str) -> Answer:
        asked = dict(parse_qsl(urlsplit(path).query))
        assert int(asked["created[gte]"]) < int(asked["created[lte]"])
        return 200, {"object": "list", "data": self.intents, "has_more": False, "url": "/v1/payment_intents"}, {}

    def move(self, kind: str, payment: str, cents: int, at: datetime, **source: Any) -> None:
        """Add a balance transaction; `cents` is less than nothing for what leaves our account."""
        made = {
            "id": f"txn_{len(self.balance)}",
            "object": "balance_transaction",
            "type": kind,
            "amount": cents,
            "created": int(at.timestamp()),
            "source": {"object": "charge", "id": "x", "payment_intent": payment, "amount": abs(cents), **source},
        }
        self.balance.append(made)

    def moved(self, path: str) -> Answer:
        """A page of two, the newest first."""
        asked = dict(parse_qsl(urlsplit(path).query))
        assert asked["expand[0]"] == "data.source"
        span = range(int(asked["created[gte]"]), int(asked["created[lt]"]))
        found = [one for one in reversed(self.balance) if one["created"] in span]
        if after := asked.get("starting_after"):
            found = found[[one["id"] for one in found].index(after) + 1 :]
        page = {"object": "list", "data": found[:2], "has_more": len(found) > 2, "url": "/v1/balance_transactions"}
        return 200, page, {}

    def checkout(self, form: dict[str, str]) -> Answer:
        number = len(self.seen) + 1
        content = {
            "id": f"cs_test_{number}",
            "object": "checkout.session",
            "url": f"https://pay.example.test/{number}",
            "payment_status": "unpaid",
            "amount_total": int(form["line_items[0][price_data][unit_amount]"]),
        }
        return 200, content, {}
