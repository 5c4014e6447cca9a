"""Stablecoin payments on the Tempo chain, in pull mode: the client hands us a signed transaction, we broadcast it.

Broadcasting waits until there is something to deliver, so a lookup that finds nothing is free by construction. The
price of that: a client may spend the funds in between. Then the broadcast is refused and nothing is delivered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import requests
from django.conf import settings

from billing.payments import transactions
from billing.payments.method import Declined, OutcomeUnknown, Proof

# Base units of a 6-decimal token in one unit of 1/10,000 USD
TOKEN_UNITS = 100
TRANSFER_EVENTS = {
    "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    "0x57bc7354aa85aed339e000bccffabbc529466af35f0772c8f8ee1145927de7f0",  # with memo
}
CONNECT_SECONDS, READ_SECONDS, SYNC_MILLISECONDS = 3.0, 12.0, 8_000
# A transaction that ends sooner than this would end while we still look
SHORTEST_VALIDITY_SECONDS = 5
LARGEST_TRANSACTION = 8_192
ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


def find() -> Tempo | None:
    """Return the method when a recipient and a node are configured, else None."""
    if not (settings.TEMPO_RECIPIENT and settings.TEMPO_RPC_URL):
        return None
    return Tempo(
        recipient=settings.TEMPO_RECIPIENT,
        currency=settings.TEMPO_CURRENCY,
        chain_id=settings.TEMPO_CHAIN_ID,
        rpc_url=settings.TEMPO_RPC_URL,
    )


class Tempo:
    """The method "tempo" of one recipient, token and chain."""

    name = "tempo"
    is_sandbox = False

    def __init__(self, *, recipient: str, currency: str, chain_id: int, rpc_url: str) -> None:
        for address in (recipient, currency):
            if not ADDRESS.fullmatch(address):
                raise ValueError(f"{address!r} is not an address of 0x and 40 hex digits.")
        self.recipient, self.currency, self.chain_id, self.rpc_url = recipient, currency, chain_id, rpc_url

    def terms(self, amount: int) -> dict[str, Any]:
        """See Method."""
        return {
            "amount": str(amount * TOKEN_UNITS),
            "currency": self.currency,
            "recipient": self.recipient,
            "methodDetails": {"chainId": self.chain_id, "supportedModes": ["pull"]},
        }

    def check(self, payload: Mapping[str, Any], *, amount: int, challenge_id: str, realm: str, now: datetime) -> Proof:
        """See Method. All that the transaction itself shows is checked here, before any work is done."""
        signed = payload.get("signature")
        if payload.get("type") != "transaction" or not isinstance(signed, str):
            raise Declined("Send a signed transaction; other modes are not offered.", word="invalid-payload")
        transfer = self._read(signed)
        if transfer.chain_id != self.chain_id or transfer.token != _bytes(self.currency):
            raise Declined("The transaction pays on another chain or with another token.")
        if transfer.recipient != _bytes(self.recipient):
            raise Declined("The transaction pays someone else.")
        if transfer.amount < amount * TOKEN_UNITS:
            raise Declined("The transaction pays less than the price.", word="payment-insufficient")
        if transfer.amount != amount * TOKEN_UNITS:
            raise Declined("The transaction pays another amount than the price.")
        if transfer.memo is not None and not transactions.memo_fits(
            transfer.memo, realm=realm, challenge_id=challenge_id
        ):
            raise Declined("The transaction was made for another challenge.")
        second = int(now.timestamp())
        if transfer.valid_after > second or 0 < transfer.valid_before < second + SHORTEST_VALIDITY_SECONDS:
            raise Declined("The transaction is not valid long enough.")
        return Proof({"type": "transaction", "signature": signed.lower()}, reference=transfer.hash)

    def settle(self, payload: Mapping[str, Any], *, amount: int, challenge_id: str) -> str:
        """See Method. Broadcasts and waits for the receipt."""
        transfer = self._read(str(payload["signature"]))
        answer = self._ask("eth_sendRawTransactionSync", [payload["signature"], SYNC_MILLISECONDS])
        receipt = answer.get("result")
        if not isinstance(receipt, dict):
            return self._after_no_receipt(answer, transfer, amount)
        return self._judge(receipt, transfer, amount)

    def find_outcome(
        self, payload: Mapping[str, Any], *, amount: int, challenge_id: str, since: datetime, now: datetime
    ) -> str | None:
        """See Method. A transaction without a receipt long after its validity ended will never have one."""
        transfer = self._read(str(payload["signature"]))
        receipt = self._ask("eth_getTransactionReceipt", [transfer.hash]).get("result")
        if isinstance(receipt, dict):
            return self._judge(receipt, transfer, amount)
        if transfer.valid_before and now.timestamp() > transfer.valid_before + 120:
            raise Declined("The transaction never reached the chain.")
        return None

    def _after_no_receipt(self, answer: dict[str, Any], transfer: transactions.Transfer, amount: int) -> str:
        """Tell a refusal from an unknown outcome: an error may also mean that the chain has it already."""
        error = answer.get("error")
        receipt = self._ask("eth_getTransactionReceipt", [transfer.hash]).get("result")
        if isinstance(receipt, dict):
            return self._judge(receipt, transfer, amount)
        if not isinstance(error, dict):
            raise OutcomeUnknown("the node gave neither a receipt nor an error")
        text = str(error.get("message", "")).lower()
        # Code 4: the node took it, but saw no receipt in time (EIP-7966); -32603: it broke, perhaps after taking it;
        # "known": it is waiting to be included.
        if error.get("code") in (4, 5, -32603) or "known" in text or "timeout" in text or "timed out" in text:
            raise OutcomeUnknown(f"the node answered {text[:200]!r}")
        raise Declined("The chain refused the transaction.")

    def _judge(self, receipt: dict[str, Any], transfer: transactions.Transfer, amount: int) -> str:
        """Return the hash when the receipt shows our money; raise Declined when the transaction failed."""
        if receipt.get("status") != "0x1":
            raise Declined("The transaction failed on the chain.")
        wanted = "0x" + "00" * 12 + self.recipient[2:].lower()
        for log in receipt.get("logs") or []:
            topics = [str(topic).lower() for topic in log.get("topics") or []]
            paid = str(log.get("data", ""))[2:66]
            if (
                str(log.get("address", "")).lower() == self.currency.lower()
                and len(topics) > 2
                and topics[0] in TRANSFER_EVENTS
                and topics[2] == wanted
                and paid
                and int(paid, 16) == amount * TOKEN_UNITS
            ):
                return transfer.hash
        raise OutcomeUnknown("the transaction succeeded, but its receipt does not show our transfer")

    def _read(self, signed: str) -> transactions.Transfer:
        if not re.fullmatch(r"0x[0-9a-fA-F]+", signed) or len(signed) % 2 or len(signed) > 2 * LARGEST_TRANSACTION:
            raise Declined("The signed transaction is not hex.", word="invalid-payload")
        try:
            return transactions.read(_bytes(signed))
        except transactions.UnreadableTransaction as error:
            raise Declined(str(error), word="invalid-payload") from error

    def _ask(self, method: str, params: list[Any]) -> dict[str, Any]:
        """Ask the node; whatever keeps it from answering leaves the outcome unknown."""
        question = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        try:
            response = requests.post(self.rpc_url, json=question, timeout=(CONNECT_SECONDS, READ_SECONDS))
            answer = response.json()
        except (requests.RequestException, ValueError) as error:
            raise OutcomeUnknown(f"the node did not answer: {type(error).__name__}") from error
        if not isinstance(answer, dict):
            raise OutcomeUnknown("the node's answer is not an object")
        return answer


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text[2:])
