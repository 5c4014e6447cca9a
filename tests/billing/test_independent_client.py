"""A client that others wrote pays us over a real socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from mpp import ClientMethod, Credential, Method, Receipt
from mpp.client import Mpp
from mpp.methods.tempo import TempoAccount
from mpp.methods.tempo import client as tempo
from pydantic import BaseModel

from billing.models import LedgerEntry, Payment
from tests.billing import stubs
from tests.billing.test_transactions import KEY, TOKEN, US

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.billing.paid_view")]


class Terms(BaseModel):
    """What the sandbox asks for."""

    amount: str
    currency: str
    recipient: str


class Token(BaseModel):
    """What the sandbox takes."""

    token: str


def pretending(token: str) -> ClientMethod:
    """A client method that pays by a pretended token."""

    async def create(parameters: Any) -> str:
        assert parameters.challenge.request["amount"] == "31400"
        return Credential(challenge=parameters.challenge.to_echo(), payload={"token": token}).to_authorization()

    method = Method(name="sandbox", intent="charge", request_model=Terms, payload_model=Token)
    return ClientMethod(method=method, create_credential=create)


def fetch(url: str, method: Any, name: str = "Acme LLC") -> httpx.Response:
    body = json.dumps({"entity_name": name, "state": "DE"}).encode()

    async def run() -> httpx.Response:
        async with Mpp(methods=[method]) as client:
            answer: httpx.Response = await client.fetch(
                url + "/paid/lookup",
                method="POST",
                content=body,
                headers={"Content-Type": "application/json"},
                timeout=300,
            )
            return answer

    return asyncio.run(run())


@pytest.fixture
def pretended(settings: Any) -> None:
    settings.SANDBOX_PAYMENTS = True


@pytest.fixture(name="node")
def chain_node(settings: Any) -> Iterator[tuple[stubs.Node, Any]]:
    made = stubs.Node()
    with stubs.serve(made.answer) as url:
        settings.TEMPO_RPC_URL, settings.TEMPO_RECIPIENT, settings.TEMPO_CURRENCY = url, US, TOKEN
        yield (
            made,
            tempo.charge(
                account=TempoAccount.from_key(KEY),
                chain_id=4217,
                rpc_url=url,
                currency=TOKEN,
                max_atomic_amount=40_000,
                expected_recipients=[US],
            ),
        )


class TestThePayingClient:
    def test_pays_with_a_signed_transaction_and_reads_our_receipt(self, live_server: Any, node: Any) -> None:
        chain, method = node
        answer = fetch(live_server.url, method)
        assert answer.status_code == 200, answer.text
        receipt = Receipt.from_payment_receipt(answer.headers["payment-receipt"])
        assert (receipt.status, receipt.method, [receipt.reference]) == ("success", "tempo", chain.broadcasts)
        assert answer.headers["cache-control"] == "private"
        assert [entry.amount for entry in LedgerEntry.objects.filter(kind="charge")] == [314]

    def test_pays_nothing_for_what_is_not_found(self, live_server: Any, node: Any) -> None:
        chain, method = node
        answer = fetch(live_server.url, method, "Nobody")
        assert (answer.status_code, chain.broadcasts) == (404, [])
        assert "payment-receipt" not in answer.headers
        assert Payment.objects.get().state == "abandoned"

    def test_is_not_asked_to_pay_twice_while_the_outcome_is_open(self, live_server: Any, node: Any) -> None:
        chain, method = node
        chain.mood = "slow"
        answer = fetch(live_server.url, method)
        assert (answer.status_code, len(chain.broadcasts)) == (503, 1)
        assert answer.json()["type"] == "https://paymentauth.org/problems/internal-payment-error"
        assert "www-authenticate" not in answer.headers

    def test_refused_by_the_chain_is_told_so_each_time(self, live_server: Any, node: Any) -> None:
        chain, method = node
        chain.mood = "refused"
        answer = fetch(live_server.url, method)
        assert answer.status_code == 402
        assert answer.json()["type"] == "https://paymentauth.org/problems/verification-failed"
        assert not LedgerEntry.objects.exists()

    @pytest.mark.usefixtures("pretended")
    def test_pays_with_a_pretended_token(self, live_server: Any) -> None:
        answer = fetch(live_server.url, pretending("sandbox_paid"))
        assert answer.status_code == 200
        assert Receipt.from_payment_receipt(answer.headers["payment-receipt"]).method == "sandbox"

    @pytest.mark.usefixtures("pretended")
    def test_is_understood_when_it_is_declined(self, live_server: Any) -> None:
        answer = fetch(live_server.url, pretending("sandbox_declined"))
        assert answer.status_code == 402
        assert answer.headers["cache-control"] == "no-store"
