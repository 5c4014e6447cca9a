"""Reads a signed transaction of type 0x76: just enough to know who pays whom, how much, where and until when.

The smallest honest decoder: strict RLP, one call, one known shape of transfer, one kind of signature, and a refusal of
all else. The libraries that can do more bring a whole chain client (23 packages) with them; tests compare with theirs.
What reads signatures and hashes is loaded by the first payment: 3 MB of each process, most of which never see one.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE = 0x76
FIELDS = 14  # a fifteenth would authorize another key to act for the account
SIGNED_BY_ITSELF = 65  # bytes of a secp256k1 signature: r, s, v; the other kinds are longer
HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0  # of the curve: s above it is refused
TRANSFER = bytes.fromhex("a9059cbb")
TRANSFER_WITH_MEMO = bytes.fromhex("95777d59")
MEMO_TAG = bytes.fromhex("ef1ed71201")  # keccak("mpp")[:4] and version 1
DEEPEST = 8


class UnreadableTransaction(ValueError):
    """The bytes are not a transaction of the one shape that is accepted; the text is fit for the client."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """What a transaction does: `sender` pays `amount` base units of `token` to `recipient` on `chain_id`.

    `valid_after <= now < valid_before`, epoch seconds; 0 means no bound. Addresses are 20 bytes. The rest is what a
    node needs to play it through; no `fee_token` means that the account's own choice of one counts.
    """

    raw: bytes  # as the chain writes it: its hash is `hash`
    hash: str
    sender: bytes
    chain_id: int
    token: bytes
    recipient: bytes
    amount: int
    memo: bytes | None
    valid_before: int
    valid_after: int
    data: bytes
    gas: int
    max_fee: int
    max_priority_fee: int
    nonce_key: int
    nonce: int
    fee_token: bytes


def read(raw: bytes) -> Transfer:
    """Return the one transfer in a signed transaction; raise UnreadableTransaction for anything else."""
    if not raw or raw[0] != TYPE:
        raise UnreadableTransaction("The transaction is not of type 0x76.")
    fields = decode_rlp(raw[1:])
    if not isinstance(fields, list) or len(fields) != FIELDS:
        raise UnreadableTransaction("The transaction has another number of fields than expected.")
    if fields[5] != [] or fields[11] != b"" or fields[12] != []:
        raise UnreadableTransaction("Access lists, fee payers and authorizations are not taken.")
    calls = fields[4]
    if not isinstance(calls, list) or len(calls) != 1 or not isinstance(calls[0], list) or len(calls[0]) != 3:
        raise UnreadableTransaction("The transaction must make exactly one call.")
    token, value, data = calls[0]
    if not isinstance(token, bytes) or len(token) != 20 or not isinstance(data, bytes) or value != b"":
        raise UnreadableTransaction("The call must be a token transfer without value.")
    recipient, amount, memo = _read_call(data)
    raw = _with_usual_parity(raw, fields[-1])
    return Transfer(
        raw=raw,
        hash="0x" + hash_of(raw).hex(),
        sender=_recover_sender(raw),
        chain_id=_number(fields[0]),
        token=token,
        recipient=recipient,
        amount=amount,
        memo=memo,
        valid_before=_number(fields[8]),
        valid_after=_number(fields[9]),
        data=data,
        gas=_number(fields[3]),
        max_fee=_number(fields[2]),
        max_priority_fee=_number(fields[1]),
        nonce_key=_number(fields[6]),
        nonce=_number(fields[7]),
        fee_token=_address_or_none(fields[10]),
    )


def hash_of(data: bytes) -> bytes:
    """Return the Keccak-256 of some bytes: the transaction's name on the chain."""
    from Crypto.Hash import keccak

    return keccak.new(digest_bits=256, data=data).digest()


def memo_fits(memo: bytes | None, *, realm: str, challenge_id: str) -> bool:
    """Tell whether a transfer's memo is the scheme's for this realm and this challenge; nothing else is."""
    if memo is None or not memo.startswith(MEMO_TAG):
        return False
    return memo[5:15] == hash_of(realm.encode())[:10] and memo[25:32] == hash_of(challenge_id.encode())[:7]


Item = bytes | list["Item"]


def decode_rlp(data: bytes) -> Item:
    """Return the one item that `data` is, strictly: no byte left over, no length written longer than needed."""
    item, end = _item(data, 0, 0)
    if end != len(data):
        raise UnreadableTransaction("There are bytes behind the transaction.")
    return item


def _item(data: bytes, start: int, depth: int) -> tuple[Item, int]:
    if depth > DEEPEST or start >= len(data):
        raise UnreadableTransaction("The transaction is cut off or nested too deeply.")
    first = data[start]
    if first < 0x80:
        return data[start : start + 1], start + 1
    begin, end = _span(data, start, first)
    if first < 0xC0:
        if end - begin == 1 and data[begin] < 0x80:
            raise UnreadableTransaction("The transaction is not in its shortest form.")
        return data[begin:end], end
    items: list[Item] = []
    position = begin
    while position < end:
        item, position = _item(data[:end], position, depth + 1)
        items.append(item)
    return items, end


def _span(data: bytes, start: int, first: int) -> tuple[int, int]:
    """Return where the content of the item at `start` begins and ends."""
    short = first - (0x80 if first < 0xC0 else 0xC0)
    if short <= 55:
        begin, length = start + 1, short
    else:
        begin = start + 1 + short - 55
        size = data[start + 1 : begin]
        length = int.from_bytes(size, "big")
        if len(size) != short - 55 or size[:1] == b"\x00" or length <= 55:
            raise UnreadableTransaction("The transaction is not in its shortest form.")
    if begin + length > len(data):
        raise UnreadableTransaction("The transaction is cut off.")
    return begin, begin + length


def _with_usual_parity(raw: bytes, signature: Item) -> bytes:
    """Return the transaction as the chain writes it: it takes v as 0 or 1 too, and names it by 27 or 28."""
    if not isinstance(signature, bytes) or len(signature) != SIGNED_BY_ITSELF:
        raise UnreadableTransaction("The transaction must be signed by the account's own secp256k1 key.")
    return raw[:-1] + bytes([raw[-1] + 27]) if raw[-1] in (0, 1) else raw


def _recover_sender(raw: bytes) -> bytes:
    """Return the address whose key signed this: what was signed is the same list without the signature."""
    from coincurve import PublicKey

    signature = raw[-SIGNED_BY_ITSELF:]
    if signature[64] not in (27, 28) or int.from_bytes(signature[32:64], "big") > HALF_ORDER:
        raise UnreadableTransaction("The signature is not in its usual form.")
    begin, end = _span(raw, 1, raw[1])
    signed = raw[:1] + _list_of(raw[begin : end - SIGNED_BY_ITSELF - 2])  # two bytes say how long the signature is
    try:
        key = PublicKey.from_signature_and_message(
            signature[:64] + bytes([signature[64] - 27]), hash_of(signed), hasher=None
        )
    except ValueError as error:  # libsecp256k1 finds no key that could have signed it
        raise UnreadableTransaction("The signature fits no key.") from error
    return hash_of(key.format(compressed=False)[1:])[-20:]


def _list_of(content: bytes) -> bytes:
    """Return the encoded items as an RLP list."""
    if len(content) <= 55:
        return bytes([0xC0 + len(content)]) + content
    size = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([0xF7 + len(size)]) + size + content


def _address_or_none(item: Item) -> bytes:
    if not isinstance(item, bytes) or len(item) not in (0, 20):
        raise UnreadableTransaction("The fee token is not an address.")
    return item


def _number(item: Item) -> int:
    if not isinstance(item, bytes) or len(item) > 32 or item[:1] == b"\x00":
        raise UnreadableTransaction("A number in the transaction is not one.")
    return int.from_bytes(item, "big")


def _read_call(data: bytes) -> tuple[bytes, int, bytes | None]:
    """Return recipient, amount and memo of transfer(address,uint256) or transferWithMemo(address,uint256,bytes32)."""
    selector, words = data[:4], data[4:]
    expected = {TRANSFER: 64, TRANSFER_WITH_MEMO: 96}.get(selector)
    if expected is None or len(words) != expected or words[:12] != bytes(12):
        raise UnreadableTransaction("The call is not a plain token transfer.")
    memo = words[64:] if selector == TRANSFER_WITH_MEMO else None
    return words[12:32], int.from_bytes(words[32:64], "big"), memo
