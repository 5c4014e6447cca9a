"""Stablecoin payments on the Tempo chain, in pull mode: the client hands us a signed transaction, we broadcast it.

Broadcasting waits until there is something to deliver, so a lookup that finds nothing is free by construction. Before
any work is done we recover who signed it, and let the node play it through. The price of waiting: a client may spend
the funds in between. Then the broadcast is refused, nothing is delivered, and nothing is kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings

from billing.payments import transactions
from billing.payments.method import Declined, OutcomeUnknown, Proof
from billing.payments.node import SYNC_MILLISECONDS, Node, NodeRefused, check_receipt

# Base units of a 6-decimal token in one unit of 1/10,000 USD
TOKEN_UNITS = 100
# Prices of gas are in 10^-18 USD
GAS_UNITS = 10**12
TRANSFER_EVENTS = (
    "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    "0x57bc7354aa85aed339e000bccffabbc529466af35f0772c8f8ee1145927de7f0",  # with memo
)
# A transaction that ends sooner than this would end while we still look; one that ends later than that after its
# challenge was made would leave its outcome open for longer than anybody waits
SHORTEST_VALIDITY_SECONDS, LONGEST_VALIDITY_SECONDS = 5, 600
CLOCKS_DIFFER_SECONDS, LATE_BLOCKS_SECONDS = 60, 120
LARGEST_TRANSACTION = 8_192
# The node's own words for "no" (EIP-1474), where they do not mean that the chain has it already
REFUSED = (-32_000, -32_003)
HAS_IT = re.compile(
    r"\b(?:already ?known|known transaction|already imported|nonce too low|timed? ?out)\b", re.IGNORECASE
)
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
        self.recipient, self.currency, self.chain_id, self.node = recipient, currency, chain_id, Node(rpc_url)

    def terms(self, amount: int) -> dict[str, Any]:
        """See Method."""
        return {
            "amount": str(amount * TOKEN_UNITS),
            "currency": self.currency,
            "recipient": self.recipient,
            "methodDetails": {"chainId": self.chain_id, "supportedModes": ["pull"]},
        }

    def check(
        self, payload: Mapping[str, Any], *, amount: int, challenge_id: str, realm: str, issued: datetime, now: datetime
    ) -> Proof:
        """See Method. What the transaction shows is checked first; then the node plays it through."""
        signed = payload.get("signature")
        if payload.get("type") != "transaction" or not isinstance(signed, str):
            raise Declined("Send a signed transaction; other modes are not offered.", word="invalid-payload")
        transfer = self._read(signed)
        self._check_terms(transfer, amount)
        if not transactions.memo_fits(transfer.memo, realm=realm, challenge_id=challenge_id):
            raise Declined("The transaction does not carry the memo of this challenge.")
        second = int(now.timestamp())
        if not transfer.valid_before or transfer.valid_before > issued.timestamp() + LONGEST_VALIDITY_SECONDS:
            raise Declined("The transaction must end (validBefore), within ten minutes of its challenge.")
        if transfer.valid_after > second or transfer.valid_before < second + SHORTEST_VALIDITY_SECONDS:
            raise Declined("The transaction is not valid long enough.")
        proof: dict[str, Any] = {
            "type": "transaction",
            "signature": "0x" + transfer.raw.hex(),
            "issued": int(issued.timestamp()),
        }
        funds = self._find_funds(transfer, amount, issued=proof["issued"])
        return Proof(proof, reference=transfer.hash, payer="0x" + transfer.sender.hex(), funds=funds)

    def settle(self, payload: Mapping[str, Any], *, amount: int, challenge_id: str) -> str:
        """See Method. Broadcasts and waits for the receipt."""
        transfer = self._read(str(payload["signature"]))
        try:
            receipt = self.node.ask("eth_sendRawTransactionSync", [payload["signature"], SYNC_MILLISECONDS])
        except NodeRefused as refusal:
            return self._after_refusal(refusal, transfer, amount, issued=payload.get("issued"))
        return self._judge(check_receipt(receipt), transfer, amount)

    def find_outcome(
        self, payload: Mapping[str, Any], *, amount: int, challenge_id: str, since: datetime, now: datetime
    ) -> str | None:
        """See Method. What has no receipt when the chain itself is past its end will never have one."""
        try:
            transfer = self._read(str(payload["signature"]))
        except Declined as refusal:  # it was accepted by an earlier version, and may be on the chain
            raise OutcomeUnknown(f"the transaction cannot be read any more: {refusal}") from refusal
        receipt = self.node.find_receipt(transfer.hash)
        if receipt is not None:
            return self._judge_earlier(receipt, transfer, amount, issued=payload.get("issued"))
        over = transfer.valid_before + LATE_BLOCKS_SECONDS
        if transfer.valid_before and now.timestamp() > over and self.node.block_time() > over:
            raise Declined("The transaction never reached the chain.")
        return None

    def list_received(self, *, first: int, last: int) -> dict[str, int]:
        """Return what each transaction of blocks `first` to `last` paid us in our token, in its base units.

        A transfer with a memo tells of itself by both events, or by the one with the memo alone.
        """
        sums: dict[str, dict[str, int]] = {}
        topics = [list(TRANSFER_EVENTS), None, self._our_topic]
        for log in self.node.list_logs(first=first, last=last, contract=self.currency, topics=topics):
            try:
                event, amount = str(log["topics"][0]).lower(), int(str(log["data"])[2:66], 16)
                events = sums.setdefault(str(log["transactionHash"]).lower(), {})
                events[event] = events.get(event, 0) + amount
            except (KeyError, IndexError, TypeError, ValueError) as error:
                raise OutcomeUnknown("the node's events cannot be read") from error
        return {name: max(events.values()) for name, events in sums.items()}

    def find_received(self, transaction_hash: str) -> tuple[int, int] | None:
        """Return the block of a transaction and what it paid us, in base units; None when it is not on the chain."""
        receipt = self.node.find_receipt(transaction_hash)
        if receipt is None or receipt.get("status") != "0x1":
            return None
        try:
            block = int(str(receipt["blockNumber"]), 16)
        except (KeyError, ValueError) as error:
            raise OutcomeUnknown("the node's receipt cannot be read") from error
        return block, self.list_received(first=block, last=block).get(transaction_hash.lower(), 0)

    def find_moved(self, transaction_hash: str) -> dict[tuple[str, str], int] | None:
        """Return what a transaction moved of our token, in base units, by sender and recipient; None: there is none.

        Nothing where it failed. A transfer with a memo may tell of itself by both events.
        """
        receipt = self.node.find_receipt(transaction_hash)
        if receipt is None:
            return None
        sums: dict[tuple[str, str], dict[str, int]] = {}
        try:
            for log in receipt["logs"] if receipt["status"] == "0x1" else []:
                event, *parties = (str(topic).lower() for topic in log["topics"])
                if str(log["address"]).lower() != self.currency.lower() or event not in TRANSFER_EVENTS:
                    continue
                sender, recipient = ("0x" + party[-40:] for party in parties[:2])
                events = sums.setdefault((sender, recipient), {})
                events[event] = events.get(event, 0) + int(str(log["data"])[2:66], 16)
        except (KeyError, TypeError, ValueError) as error:
            raise OutcomeUnknown("the node's receipt cannot be read") from error
        return {parties: max(events.values()) for parties, events in sums.items()}

    def _check_terms(self, transfer: transactions.Transfer, amount: int) -> None:
        """Raise Declined unless it pays us this amount in our token on our chain."""
        if transfer.chain_id != self.chain_id or transfer.token != _bytes(self.currency):
            raise Declined("The transaction pays on another chain or with another token.")
        if transfer.recipient != _bytes(self.recipient):
            raise Declined("The transaction pays someone else.")
        if transfer.amount < amount * TOKEN_UNITS:
            raise Declined("The transaction pays less than the price.", word="payment-insufficient")
        if transfer.amount != amount * TOKEN_UNITS:
            raise Declined("The transaction pays another amount than the price.")

    def _find_funds(self, transfer: transactions.Transfer, amount: int, *, issued: int) -> int | None:
        """Return what its sender has for payments, once the node says that the transfer would go through.

        A client that has broadcast it by itself has paid: None.
        """
        objection = self.node.find_objection(transfer)
        if objection is not None:
            receipt = self.node.find_receipt(transfer.hash)
            if receipt is None:
                raise Declined("The chain would refuse the transaction: its nonce, fee or funds do not do.")
            self._judge_earlier(receipt, transfer, amount, issued=issued)
            return None
        funds = self.node.balance(transfer.token, transfer.sender)
        if transfer.fee_token in (b"", transfer.token):
            funds -= -(-transfer.gas * transfer.max_fee // GAS_UNITS)
        return funds // TOKEN_UNITS

    def _after_refusal(
        self, refusal: NodeRefused, transfer: transactions.Transfer, amount: int, *, issued: int | None
    ) -> str:
        """Tell a refusal from an unknown outcome: an error may also mean that the chain has it already."""
        receipt = self.node.find_receipt(transfer.hash)
        if receipt is not None:
            return self._judge_earlier(receipt, transfer, amount, issued=issued)
        if refusal.code not in REFUSED or HAS_IT.search(refusal.text):
            raise OutcomeUnknown(f"the node answered {refusal}")
        raise Declined("The chain refused the transaction.")

    def _judge_earlier(
        self, receipt: dict[str, Any], transfer: transactions.Transfer, amount: int, *, issued: int | None
    ) -> str:
        """The same for what was not mined under our eyes: it counts only when that was after its challenge."""
        if issued is not None:
            mined = self.node.block_time(str(receipt.get("blockHash")))
            if mined < issued - CLOCKS_DIFFER_SECONDS:
                raise Declined("That transfer was made before its challenge.")
        return self._judge(receipt, transfer, amount)

    def _judge(self, receipt: dict[str, Any], transfer: transactions.Transfer, amount: int) -> str:
        """Return the hash when the receipt shows our money; raise Declined when the transaction failed."""
        if receipt["status"] == "0x0":
            raise Declined("The transaction failed on the chain.")
        try:
            is_shown = any(self._pays_us(log, amount) for log in receipt.get("logs") or [])
        except (TypeError, ValueError, AttributeError) as error:
            raise OutcomeUnknown("the node's receipt cannot be read") from error
        if is_shown:
            return transfer.hash
        raise OutcomeUnknown("the transaction succeeded, but its receipt does not show our transfer")

    def _pays_us(self, log: dict[str, Any], amount: int) -> bool:
        topics = [str(topic).lower() for topic in log.get("topics") or []]
        paid = str(log.get("data", ""))[2:66]
        return (
            str(log.get("address", "")).lower() == self.currency.lower()
            and len(topics) > 2
            and topics[0] in TRANSFER_EVENTS
            and topics[2] == self._our_topic
            and paid != ""
            and int(paid, 16) == amount * TOKEN_UNITS
        )

    @property
    def _our_topic(self) -> str:
        return "0x" + "00" * 12 + self.recipient[2:].lower()

    def _read(self, signed: str) -> transactions.Transfer:
        if not re.fullmatch(r"0x[0-9a-fA-F]+", signed) or len(signed) % 2 or len(signed) > 2 * LARGEST_TRANSACTION:
            raise Declined("The signed transaction is not hex.", word="invalid-payload")
        try:
            return transactions.read(_bytes(signed))
        except transactions.UnreadableTransaction as error:
            raise Declined(str(error), word="invalid-payload") from error


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text[2:])
