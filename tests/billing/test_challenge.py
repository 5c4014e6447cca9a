"""The Payment scheme, checked against vectors that other implementations agree with, and against every tampering."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing import challenge
from billing.challenge import Challenge, Credential, PaymentProblem

VECTORS = json.loads((Path(__file__).parent / "payment_vectors.json").read_text())
SECRET, REALM = VECTORS["secret"], VECTORS["realm"]
BODY = VECTORS["body"].encode()
BEFORE = datetime(2026, 11, 20, 12, 4, 32, tzinfo=UTC)
EACH = pytest.mark.parametrize("vector", VECTORS["challenges"], ids=lambda vector: vector["name"])


def parts(vector: dict[str, str]) -> dict[str, str]:
    _, method, intent, _, expires, digest, opaque = vector["hmac_input"].split("|")
    return {"method": method, "intent": intent, "expires": expires, "digest": digest, "opaque": opaque}


def made(vector: dict[str, str]) -> Challenge:
    return challenge.make(secret=SECRET, realm=REALM, request=json.loads(vector["request"]), **parts(vector))


class TestAChallenge:
    @EACH
    def test_has_the_id_others_reckon_too(self, vector: dict[str, str]) -> None:
        assert made(vector).id == vector["id"]

    @EACH
    def test_writes_its_terms_in_the_one_canonical_form(self, vector: dict[str, str]) -> None:
        terms = json.loads(vector["request"])
        shuffled = dict(reversed(list(terms.items())))
        assert challenge.canonical(shuffled) == vector["request"]

    @EACH
    def test_writes_the_header_others_read(self, vector: dict[str, str]) -> None:
        assert challenge.write_header([made(vector)]) == vector["header"]

    def test_joins_several_offers_in_one_line_the_preferred_first(self) -> None:
        offers = [made(vector) for vector in VECTORS["challenges"][:2]]
        header = challenge.write_header(offers)
        assert header == ", ".join(vector["header"] for vector in VECTORS["challenges"][:2])

    def test_quotes_its_description_and_refuses_a_line_break(self) -> None:
        offer = replace(made(VECTORS["challenges"][0]), description='One "lookup" \\')
        assert r'description="One \"lookup\" \\"' in challenge.write_header([offer])
        with pytest.raises(ValueError, match="printable"):
            challenge.write_header([replace(offer, description="a\r\nSet-Cookie: x")])

    def test_of_the_same_second_has_an_id_of_its_own(self) -> None:
        assert challenge.nonce_and(route="x") != challenge.nonce_and(route="x")

    def test_is_bound_to_the_header_it_asks_for_in_an_eighth_slot(self) -> None:
        plain = made(VECTORS["challenges"][2])
        assert challenge.sign(replace(plain, header="Payment-Authorization"), secret=SECRET) != plain.id

    def test_knows_the_digest_of_a_body(self) -> None:
        assert challenge.digest_of(BODY) == VECTORS["digest"]

    @pytest.mark.parametrize("value", [{"amount": 1.5}, {"café": "x"}, {"x": b"y"}, {"x": [float("nan")]}])
    def test_refuses_terms_that_others_might_write_differently(self, value: Any) -> None:
        with pytest.raises(ValueError, match="request"):
            challenge.canonical(value)


class TestACredential:
    @EACH
    def test_written_by_another_implementation_is_read(self, vector: dict[str, str]) -> None:
        credential = challenge.read_credential(vector["authorization"])
        assert credential.challenge == made(vector)
        assert credential.payload

    @pytest.mark.parametrize(
        ("header", "word"),
        [
            ("Payment", "malformed-credential"),
            ("Payment !!!", "malformed-credential"),
            ("Payment " + challenge.encode("[]"), "malformed-credential"),
            ("Payment " + challenge.encode("{"), "malformed-credential"),
            ("Payment " + challenge.encode('{"payload":{}}'), "malformed-credential"),
            ("Payment " + challenge.encode('{"challenge":{"id":1},"payload":{}}'), "malformed-credential"),
            ("Payment " + challenge.encode('{"challenge":{"id":"x"},"payload":{}}'), "malformed-credential"),
            ("Payment " + challenge.encode("[" * 9000), "malformed-credential"),
            (
                "Payment " + base64.urlsafe_b64encode(('["\\"",' + "[" * 2500).encode("utf-16")).decode(),
                "malformed-credential",
            ),
            ("Payment " + challenge.encode('["' + "]" * 4000 + '\\\\",' + "[" * 4000), "malformed-credential"),
            ("Payment " + "A" * 20_000, "malformed-credential"),
            ("Payment aaaa, Payment bbbb", "bad-request"),
            ("Bearer x", "malformed-credential"),
        ],
    )
    def test_that_is_none_is_told_so(self, header: str, word: str) -> None:
        with pytest.raises(PaymentProblem) as problem:
            challenge.read_credential(header)
        assert problem.value.word == word

    @given(st.text(max_size=60) | st.binary(max_size=60).map(lambda raw: base64.urlsafe_b64encode(raw).decode()))
    def test_of_any_text_is_read_or_refused_and_nothing_else(self, text: str) -> None:
        statuses = set()
        try:
            challenge.read_credential(f"Payment {text}")
        except PaymentProblem as problem:
            statuses.add(problem.status)
        assert statuses <= {400, 402}


class TestChecking:
    TERMS = VECTORS["challenges"][2]["hmac_input"].split("|")[3]
    BOUND = {"path": "/v1/lookup"}

    def credential(self, **changed: str) -> Credential:
        original = challenge.read_credential(VECTORS["challenges"][2]["authorization"])
        return replace(original, challenge=replace(original.challenge, **changed))

    def word(self, credential: Credential, **changed: Any) -> str:
        with pytest.raises(PaymentProblem) as problem:
            self.check(credential, **changed)
        return problem.value.word

    def check(self, credential: Credential | None = None, **changed: Any) -> None:
        named: dict[str, Any] = {
            "secrets": [SECRET],
            "realm": REALM,
            "terms": self.TERMS,
            "body": BODY,
            "bound": self.BOUND,
            "now": BEFORE,
            **changed,
        }
        challenge.check(credential or self.credential(), **named)

    def test_accepts_an_answer_to_our_own_challenge(self) -> None:
        self.check()

    def test_accepts_a_challenge_made_under_the_previous_secret(self) -> None:
        self.check(secrets=["a new secret", SECRET])

    def test_refuses_a_challenge_made_under_no_secret_of_ours(self) -> None:
        assert self.word(self.credential(), secrets=["a new secret", ""]) == "invalid-challenge"

    @pytest.mark.parametrize(
        "name", ["id", "realm", "method", "intent", "request", "expires", "digest", "opaque", "header"]
    )
    def test_refuses_a_challenge_that_was_changed_anywhere(self, name: str) -> None:
        assert self.word(self.credential(**{name: "x"})) == "invalid-challenge"

    def test_refuses_one_made_for_another_price_body_address_or_host(self) -> None:
        credential = self.credential()
        assert self.word(credential, terms="other") == "invalid-challenge"
        assert self.word(credential, body=BODY + b" ") == "invalid-challenge"
        assert self.word(credential, bound={"path": "/v1/other"}) == "invalid-challenge"
        assert self.word(credential, realm="evil.example") == "invalid-challenge"

    def test_refuses_it_from_the_second_it_expires(self) -> None:
        last = datetime(2026, 11, 20, 12, 5, tzinfo=UTC)
        self.check(now=last - timedelta(seconds=1))
        assert self.word(self.credential(), now=last) == "payment-expired"

    def test_refuses_one_without_a_digest(self) -> None:
        first = VECTORS["challenges"][0]
        credential = challenge.read_credential(first["authorization"])
        terms = first["hmac_input"].split("|")[3]
        assert self.word(credential, terms=terms, bound={}) == "invalid-challenge"


class TestAReceipt:
    def test_reads_as_others_read_it(self) -> None:
        receipt = VECTORS["receipt"]
        written = challenge.write_receipt(method=receipt["method"], reference=receipt["reference"], now=BEFORE)
        assert written == receipt["value"]
        assert json.loads(challenge.decode(written))["status"] == "success"


class TestAProblem:
    def test_names_its_type_and_the_challenge_to_answer(self) -> None:
        assert PaymentProblem("payment-required", "Payment is required.").body("abc") == {
            "type": "https://paymentauth.org/problems/payment-required",
            "title": "Payment Required",
            "status": 402,
            "detail": "Payment is required.",
            "challengeId": "abc",
        }

    @pytest.mark.parametrize(
        "word", ["method-unsupported", "bad-request", "payment-in-progress", "internal-payment-error"]
    )
    def test_after_which_money_may_have_moved_offers_no_challenge(self, word: str) -> None:
        assert not PaymentProblem(word, "").may_offer
