"""A node of the Tempo chain: asked over JSON-RPC, and believed in nothing that it did not plainly say.

Only a result, or an error of the node itself, is an answer. Whatever else comes back (nothing, another status than 200,
a page of a proxy, a key that is not taken) proves nothing: OutcomeUnknown.
"""

from __future__ import annotations

import logging
from typing import Any

import requests
from urllib3.exceptions import HTTPError

from billing.payments import answers
from billing.payments.method import OutcomeUnknown
from billing.payments.transactions import Transfer

log = logging.getLogger(__name__)

CONNECT_SECONDS, READ_SECONDS, SYNC_MILLISECONDS = 3.0, 12.0, 8_000
BALANCE_OF = "0x70a08231"
# Of a simulation that validates: what is wrong with the transaction itself (nonce, gas, funds), from -38010 on
INVALID_TRANSACTION = range(-38_099, -37_999)


class NodeRefused(Exception):
    """The node's own error."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code, self.text = code, text


class Node:
    """The node at an address."""

    def __init__(self, url: str) -> None:
        self.url = url

    def ask(self, method: str, params: list[Any]) -> Any:
        """Return the result (which may be None); raise NodeRefused or OutcomeUnknown."""
        question = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        patience = (CONNECT_SECONDS, READ_SECONDS)
        try:
            with requests.post(self.url, json=question, timeout=patience, stream=True) as response:
                body = answers.read_body(response.raw, seconds=READ_SECONDS) if response.status_code == 200 else b""
            answer = answers.read_object(body) if body else None
        except (requests.RequestException, HTTPError, ValueError) as error:  # its body is read from urllib3 itself
            raise OutcomeUnknown(f"the node did not answer: {type(error).__name__}") from error
        if response.status_code in (401, 403):
            log.error("the node does not take our key: HTTP %s", response.status_code)
        if not isinstance(answer, dict) or ("result" not in answer and not isinstance(answer.get("error"), dict)):
            raise OutcomeUnknown(f"the node gave no answer: HTTP {response.status_code}")
        if not isinstance(answer.get("error"), dict):
            return answer.get("result")
        code = answer["error"].get("code")
        text = str(answer["error"].get("message", ""))[:200]  # it is kept, and not every database keeps all of it
        raise NodeRefused(code if isinstance(code, int) else 0, "".join(sign for sign in text if sign.isprintable()))

    def find_receipt(self, transaction_hash: str) -> dict[str, Any] | None:
        """Return the receipt of what is on the chain already; raise OutcomeUnknown unless the node says yes or no."""
        receipt = self._read("eth_getTransactionReceipt", [transaction_hash])
        return None if receipt is None else check_receipt(receipt)

    def block_time(self, block: str = "latest") -> int:
        """Return when a block was made, in epoch seconds: the latest one, or that of a hash."""
        method = "eth_getBlockByNumber" if block == "latest" else "eth_getBlockByHash"
        found = self._read(method, [block, False])
        return _number(found.get("timestamp") if isinstance(found, dict) else None)

    def block_number(self) -> int:
        """Return the number of the latest block."""
        return _number(self._read("eth_blockNumber", []))

    def list_logs(self, *, first: int, last: int, contract: str, topics: list[Any]) -> list[dict[str, Any]]:
        """Return the events of a contract in blocks `first` to `last`, both included."""
        span = {"fromBlock": hex(first), "toBlock": hex(last), "address": contract, "topics": topics}
        found = self._read("eth_getLogs", [span])
        if not isinstance(found, list) or not all(isinstance(log, dict) for log in found):
            raise OutcomeUnknown("the node's events cannot be read")
        return found

    def balance(self, token: bytes, owner: bytes) -> int:
        """Return how many base units of a token somebody has."""
        data = BALANCE_OF + owner.hex().zfill(64)
        return _number(self._read("eth_call", [{"to": "0x" + token.hex(), "data": data}, "latest"]))

    def find_objection(self, transfer: Transfer) -> str | None:
        """Play a transaction through as it would run now, nonce, fees and funds included; None: it would pay.

        Its signature is no part of this. Not checked against a live node.
        """
        played = {"blockStateCalls": [{"calls": [_to_request(transfer)]}], "validation": True}
        try:
            result = self.ask("tempo_simulateV1", [played, "latest"])
        except NodeRefused as refusal:
            if refusal.code in INVALID_TRANSACTION:
                return refusal.text
            raise OutcomeUnknown(f"the node does not simulate: {refusal}") from refusal
        try:
            call = result["blocks"][0]["calls"][0]
            return None if call["status"] == "0x1" else str((call.get("error") or {}).get("message", "it fails"))[:200]
        except (TypeError, LookupError, AttributeError) as error:
            raise OutcomeUnknown("the node's simulation cannot be read") from error

    def _read(self, method: str, params: list[Any]) -> Any:
        try:
            return self.ask(method, params)
        except NodeRefused as refusal:
            raise OutcomeUnknown(f"the node refuses {method}: {refusal}") from refusal


def check_receipt(receipt: Any) -> dict[str, Any]:
    """A receipt that says whether its transaction succeeded; raise OutcomeUnknown for anything else."""
    if not isinstance(receipt, dict) or receipt.get("status") not in ("0x0", "0x1"):
        raise OutcomeUnknown("the node's receipt cannot be read")
    return receipt


def _to_request(transfer: Transfer) -> dict[str, Any]:
    more = {"feeToken": "0x" + transfer.fee_token.hex()} if transfer.fee_token else {}
    return {
        "from": "0x" + transfer.sender.hex(),
        "type": "0x76",
        "chainId": hex(transfer.chain_id),
        "nonce": hex(transfer.nonce),
        "nonceKey": hex(transfer.nonce_key),
        "gas": hex(transfer.gas),
        "maxFeePerGas": hex(transfer.max_fee),
        "maxPriorityFeePerGas": hex(transfer.max_priority_fee),
        "to": "0x" + transfer.token.hex(),
        "value": "0x0",
        "data": "0x" + transfer.data.hex(),
        "validBefore": hex(transfer.valid_before),
        **({"validAfter": hex(transfer.valid_after)} if transfer.valid_after else {}),
        **more,
    }


def _number(text: Any) -> int:
    try:
        return int(text, 16)
    except (TypeError, ValueError) as error:
        raise OutcomeUnknown("the node's number cannot be read") from error
