"""Reading signed transactions: those that an independent client signs, and everything that is not one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import rlp
from eth_account import Account
from hypothesis import given
from hypothesis import strategies as st
from mpp import Challenge as TheirChallenge
from mpp.methods.tempo import TempoAccount, attribution
from mpp.methods.tempo import client as tempo
from pytempo import Call, TempoTransaction

from billing import challenge
from billing.payments import transactions
from billing.payments.transactions import UnreadableTransaction
from tests.billing import stubs

TOKEN = "0x20C000000000000000000000b9537d11c60E8b50"
US = "0x742d35Cc6634C0532925a3b844Bc9e7595f8fE00"
KEY = "0x" + "11" * 32
NESTED = b"\xc0"
for _ in range(20):
    NESTED = bytes([0xC0 + len(NESTED)]) + NESTED


def signed(**changed: Any) -> bytes:
    """A transaction as pytempo writes and signs it."""
    data = bytes.fromhex("a9059cbb" + "00" * 12 + US[2:].lower() + f"{31_400:064x}")
    call = changed.pop("call", Call.create(to=TOKEN, data=changed.pop("data", data)))
    named: dict[str, Any] = {
        "chain_id": 4217,
        "gas_limit": 100_000,
        "max_fee_per_gas": 10,
        "max_priority_fee_per_gas": 1,
        "nonce": 0,
        "nonce_key": 0,
        "fee_token": TOKEN,
        "calls": changed.pop("calls", (call,)),
        **changed,
    }
    return bytes(TempoTransaction.create(**named).sign(KEY).encode())


def memo_for(challenge_id: str, realm: str = "127.0.0.1:8000") -> bytes:
    """The memo that clients attach, as pympp writes it."""
    return bytes.fromhex(attribution.encode(challenge_id, realm)[2:])


def paying(challenge_id: str, amount: int = 31_400, to: str = US, **changed: Any) -> bytes:
    """A signed transfer with the memo of a challenge."""
    words = "00" * 12 + to[2:].lower() + f"{amount:064x}" + changed.pop("memo", memo_for(challenge_id)).hex()
    return signed(data=bytes.fromhex("95777d59" + words), **changed)


class TestATransaction:
    def test_signed_by_another_implementation_is_read_to_the_last_field(self) -> None:
        raw = signed(valid_before=1_800_000_000, valid_after=5)
        transfer = transactions.read(raw)
        assert (transfer.chain_id, transfer.amount, transfer.memo) == (4217, 31_400, None)
        assert transfer.token == bytes.fromhex(TOKEN[2:])
        assert transfer.recipient == bytes.fromhex(US[2:])
        assert (transfer.valid_before, transfer.valid_after) == (1_800_000_000, 5)

    def test_has_the_hash_others_reckon_too(self) -> None:
        from eth_utils import keccak

        raw = signed()
        assert transactions.read(raw).hash == "0x" + keccak(raw).hex()

    @pytest.mark.parametrize(
        ("raw", "told"),
        [
            (b"", "type"),
            (b"\x02" + b"\xc0", "type"),
            (b"\x76", "cut off"),
            (b"\x76" + rlp.encode([b""] * 13), "number of fields"),
            (b"\x76" + rlp.encode([b""] * 15), "number of fields"),
            (b"\x76" + rlp.encode([b""] * 14), "fee payers"),
            (signed()[:-65] + bytes(65), "fits no key"),
            (signed()[:-65] + b"\xff" * 64 + b"\x1b", "usual form"),
            (signed()[:-1] + b"\x05", "usual form"),
            (signed() + b"\x00", "bytes behind"),
            (signed()[:-1], "cut off"),
            (b"\x76\xf8\x01\x00", "shortest form"),
            (b"\x76" + NESTED, "nested too deeply"),
        ],
    )
    def test_of_another_shape_is_refused(self, raw: bytes, told: str) -> None:
        with pytest.raises(UnreadableTransaction, match=told):
            transactions.read(raw)

    def test_names_the_account_that_signed_it(self) -> None:
        assert transactions.read(signed()).sender.hex() == Account.from_key(KEY).address[2:].lower()

    @given(st.integers(0, 255), st.integers(0, 64))
    def test_changed_in_its_signature_is_somebody_elses_or_nobodys(self, byte: int, place: int) -> None:
        raw = bytearray(signed())
        raw[len(raw) - 65 + place] = byte
        try:
            sender = transactions.read(bytes(raw)).sender
        except UnreadableTransaction:
            return
        assert (sender.hex() == Account.from_key(KEY).address[2:].lower()) == (
            transactions.read(bytes(raw)).raw == signed()
        )

    def test_written_with_the_other_parity_has_the_name_the_chain_gives_it(self) -> None:
        raw = signed()
        other = transactions.read(raw[:-1] + bytes([raw[-1] - 27]))
        assert (other.raw, other.hash) == (raw, transactions.read(raw).hash)

    def test_by_an_access_key_or_a_passkey_is_refused(self) -> None:
        """We cannot verify these, and no simulation does it for us."""
        fields = rlp.decode(signed()[1:])
        for signature in (b"\x03" + bytes(20) + fields[-1], b"\x01" + bytes(129), b"\x02" + bytes(200), b""):
            with pytest.raises(UnreadableTransaction, match="own secp256k1 key"):
                transactions.read(b"\x76" + rlp.encode([*fields[:-1], signature]))

    @pytest.mark.parametrize("field", [5, 11, 12])
    def test_with_more_than_a_transfer_needs_is_refused(self, field: int) -> None:
        fields = list(rlp.decode(signed()[1:]))
        fields[field] = [b"\x01" * 20] if field != 11 else b"\x00"
        with pytest.raises(UnreadableTransaction, match="not taken"):
            transactions.read(b"\x76" + rlp.encode(fields))

    def test_that_makes_two_calls_is_refused(self) -> None:
        call = Call.create(to=TOKEN, data=b"")
        with pytest.raises(UnreadableTransaction, match="one call"):
            transactions.read(signed(calls=(call, call)))

    @pytest.mark.parametrize(
        "data", ["", "a9059cbb", "095ea7b3" + "00" * 64, "a9059cbb" + "ff" * 64, "a9059cbb" + "00" * 96]
    )
    def test_that_does_something_else_than_transfer_is_refused(self, data: str) -> None:
        with pytest.raises(UnreadableTransaction, match="plain token transfer"):
            transactions.read(signed(data=bytes.fromhex(data)))

    def test_that_carries_value_is_refused(self) -> None:
        with pytest.raises(UnreadableTransaction, match="without value"):
            transactions.read(signed(call=Call.create(to=TOKEN, value=1, data=b"")))

    @given(st.binary(max_size=80))
    def test_of_any_bytes_is_read_or_refused_and_nothing_else(self, raw: bytes) -> None:
        with pytest.raises(UnreadableTransaction):
            transactions.read(b"\x76" + raw)

    @given(st.recursive(st.binary(max_size=70), lambda inner: st.lists(inner, max_size=6), max_leaves=12))
    def test_decodes_as_the_reference_library_does(self, item: Any) -> None:
        if depth(item) < transactions.DEEPEST:
            assert transactions.decode_rlp(rlp.encode(item)) == item


def depth(item: Any) -> int:
    return 1 + max(map(depth, item), default=0) if isinstance(item, list) else 0


@pytest.fixture
def client_payload() -> Callable[..., tuple[str, dict[str, Any]]]:
    """What pympp's client sends for a challenge of ours; a node answers it on a socket."""

    def pay(realm: str = "api.example.com") -> tuple[str, dict[str, Any]]:
        terms = {
            "amount": "31400",
            "currency": TOKEN,
            "recipient": US,
            "methodDetails": {"chainId": 4217, "supportedModes": ["pull"]},
        }
        offer = challenge.make(
            secret="s",
            realm=realm,
            method="tempo",
            request=terms,
            expires="2099-01-01T00:00:00Z",
            opaque=challenge.nonce_and(route="x"),
        )
        node = stubs.Node()
        with stubs.serve(node.answer) as url:
            method = tempo.TempoMethod(account=TempoAccount.from_key(KEY), chain_id=4217, rpc_url=url)
            theirs = TheirChallenge.from_www_authenticate(challenge.write_header([offer]))
            made = asyncio.run(method.create_credential(theirs))
        header = made.to_authorization()
        return offer.id, challenge.read_credential(header).payload

    return pay


class TestTheIndependentClient:
    def test_sends_a_transaction_we_read_bound_to_the_challenge(self, client_payload: Any) -> None:
        challenge_id, payload = client_payload()
        transfer = transactions.read(bytes.fromhex(payload["signature"][2:]))
        assert (transfer.chain_id, transfer.amount) == (4217, 31_400)
        assert transfer.memo is not None
        assert transactions.memo_fits(transfer.memo, realm="api.example.com", challenge_id=challenge_id)
        assert not transactions.memo_fits(transfer.memo, realm="api.example.com", challenge_id="another")
        assert not transactions.memo_fits(transfer.memo, realm="evil.example", challenge_id=challenge_id)
        assert not transactions.memo_fits(None, realm="api.example.com", challenge_id=challenge_id)
        assert not transactions.memo_fits(b"invoice 7".ljust(32), realm="api.example.com", challenge_id=challenge_id)
        assert transfer.sender.hex() == Account.from_key(KEY).address[2:].lower()
