"""Paid once, answered once: whatever breaks off in between, and nothing is to be had or learned without paying."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from mpp import Receipt
from mpp.client import PaymentTransport
from mpp.errors import PaymentOutcomeUnknownError

from billing import giving_back, reconciliation, selectors
from billing.models import LedgerEntry, Payment
from billing.payments import booking, sweep, transactions
from lookups.lookup import rows, settlement, storage
from lookups.models import Entity, Lookup, StoredAnswer
from tests.billing.stubs import Node
from tests.billing.test_checkout import answer, offers_in
from tests.billing.test_independent_client import chain_node, pretending  # noqa: F401  (chain_node is used by pytest)
from tests.billing.test_transactions import TOKEN, US, paying
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register
from tests.lookups.test_pay_per_request import pretended_payments as pretended  # noqa: F401  (used by pytest)
from tests.lookups.test_paying_client import ACME, HERON, post, problem, proof_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("switches")]
MINUTES_LATER = timedelta(minutes=16)


class Line(httpx.AsyncBaseTransport):
    """The client's connection: it is cut before or after a request, and a client that resends sends the same again."""

    def __init__(self, cut: tuple[int, str] = (0, ""), *, resends: bool = False) -> None:
        self.inner, self.cut, self.resends = httpx.AsyncHTTPTransport(), cut, resends
        self.requests, self.credentials = 0, list[str]()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        while True:
            try:
                return await self.send(request)
            except httpx.TransportError:
                if not self.resends:
                    raise

    async def send(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        if request.headers.get("authorization", "") not in ("", *self.credentials):
            self.credentials.append(request.headers["authorization"])
        if self.cut == (self.requests, "before"):
            raise httpx.ConnectError("cut")
        response = await self.inner.handle_async_request(request)
        await response.aread()
        if self.cut == (self.requests, "after"):
            raise httpx.ReadError("cut")
        return response

    async def aclose(self) -> None:
        await self.inner.aclose()


def pay(url: str, method: Any, line: Line, question: dict[str, Any] = ACME, **headers: str) -> httpx.Response:
    """Let pympp ask, pay and ask again over this line."""

    async def run() -> httpx.Response:
        async with httpx.AsyncClient(transport=PaymentTransport([method], line), timeout=60) as client:
            sent = {"Content-Type": "application/json", **headers}
            return await client.post(url + "/v1/lookup", content=json.dumps(question), headers=sent)

    return asyncio.run(run())


def sweep_later() -> dict[str, int]:
    """The clock's sweep, a quarter of an hour later."""
    return sweep.run(now=timezone.now() + MINUTES_LATER)


@contextmanager
def breaking(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> Iterator[None]:
    """Something that breaks down while this lasts."""
    with monkeypatch.context() as patch:
        patch.setattr(module, name, lambda *_, **__: 1 / 0)
        yield


class TestNothingIsAskedOfARegistry:
    """Before the payment is known to be good."""

    def send(self, url: str, change: Callable[[bytes], bytes], **changed: Any) -> httpx.Response:
        offer = offers_in(post(url, ACME))[0]
        valid = int(timezone.now().timestamp()) + 60
        raw = change(paying(offer["id"], **{"valid_before": valid, **changed}))
        payload = {"type": "transaction", "signature": "0x" + raw.hex()}
        return post(url, ACME, authorization=answer(offer, payload))

    @pytest.fixture(autouse=True)
    def _realm(self, settings: Any) -> None:
        settings.PAYMENT_REALM = "127.0.0.1:8000"

    def test_for_65_zero_bytes_as_a_signature(self, live_server: Any, node: Any, register: Register) -> None:
        reply = self.send(live_server.url, lambda raw: raw[:-65] + bytes(65))
        assert (reply.status_code, problem(reply)) == (402, "invalid-payload")
        assert (register.asked, Lookup.objects.count(), Entity.objects.count()) == (0, 0, 0)

    @pytest.mark.parametrize("known", [True, False])
    def test_for_funds_that_are_not_there_and_the_reply_tells_nothing_of_the_company(
        self, live_server: Any, node: tuple[Node, Any], register: Register, known: bool
    ) -> None:
        node[0].objection = "transfer amount exceeds balance"
        register.rows = register.rows if known else []
        reply = self.send(live_server.url, lambda raw: raw)
        assert (reply.status_code, problem(reply), register.asked) == (402, "verification-failed", 0)

    def test_for_a_transfer_that_was_mined_before(self, live_server: Any, node: Any, register: Register) -> None:
        def mined(raw: bytes) -> bytes:
            node[0].include(transactions.read(raw))
            return raw

        node[0].objection, node[0].block_time = "nonce too low", 1_700_000_000
        assert self.send(live_server.url, mined).status_code == 402
        assert self.send(live_server.url, mined, memo=bytes(32)).status_code == 402
        assert register.asked == 0

    def test_while_the_node_cannot_be_asked(self, live_server: Any, node: Any, register: Register) -> None:
        def down(raw: bytes) -> bytes:
            node[0].mood = "down"
            return raw

        reply = self.send(live_server.url, down)
        told = reply.json()
        assert (reply.status_code, told["code"], told["retryable"]) == (503, "payment_unavailable", True)
        assert (reply.headers["retry-after"], "www-authenticate" in reply.headers) == ("10", False)
        assert (register.asked, Payment.objects.count()) == (0, 0)


class TestWhatIsNotPaid:
    """The funds are spent between the check and the broadcast."""

    def test_leaves_no_record_no_page_and_no_answer(self, live_server: Any, node: Any, register: Register) -> None:
        chain, method = node
        chain.mood = "refused"
        reply = pay(live_server.url, method, Line())
        assert (reply.status_code, problem(reply)) == (402, "verification-failed")
        assert "data" not in reply.json()
        assert (Entity.objects.count(), StoredAnswer.objects.count(), LedgerEntry.objects.count()) == (0, 0, 0)
        assert set(Lookup.objects.values_list("verdict", "reason")) == {("failed", "insufficient_balance")}

    def test_leaves_the_question_to_a_customer_who_waits_for_the_same(
        self,
        live_server: Any,
        node: Any,
        register: Register,
        customer: Customer,
        on_postgres: None,
        at_once: Callable[..., list[Any]],
    ) -> None:
        chain, method = node
        chain.mood, register.seconds = "refused", 1.0
        unpaid, bought = at_once(
            lambda: pay(live_server.url, method, Line()),
            lambda: register.in_there.wait(10) and post(live_server.url, ACME, **{"x-api-key": customer.secret}),
        )
        assert (unpaid.status_code, bought.status_code) == (402, 200)
        assert (Entity.objects.count(), customer.balance.spent) == (1, PRICE)


class TestWhatIsPaid:
    def test_is_booked_under_the_id_of_its_request(self, live_server: Any, node: Any, register: Register) -> None:
        assert pay(live_server.url, node[1], Line(), **{"X-Request-Id": "mine-1"}).status_code == 200
        booked = list(LedgerEntry.objects.order_by("id").values_list("kind", "request_id"))
        assert booked == [("deposit", "mine-1"), ("charge", "mine-1")]


class TestCutOff:
    """pympp, cut off at every step: as many answers as payments."""

    @pytest.mark.parametrize("step", [(1, "before"), (1, "after"), (2, "before"), (2, "after")])
    def test_a_client_that_sends_the_same_again_pays_once_for_one_answer(
        self, live_server: Any, node: Any, register: Register, step: tuple[int, str]
    ) -> None:
        chain, method = node
        reply = pay(live_server.url, method, Line(step, resends=True))
        assert reply.status_code == 200, reply.text
        assert [Receipt.from_payment_receipt(reply.headers["payment-receipt"]).reference] == chain.broadcasts
        assert (Payment.objects.get().state, Lookup.objects.get().verdict) == ("paid", "found")
        assert list(LedgerEntry.objects.order_by("id").values_list("kind", flat=True)) == ["deposit", "charge"]

    @pytest.mark.parametrize("step", [(1, "before"), (1, "after"), (2, "before"), (2, "after")])
    def test_a_client_that_begins_anew_under_its_idempotency_key_pays_once_too(
        self, live_server: Any, node: Any, register: Register, step: tuple[int, str]
    ) -> None:
        chain, method = node
        with pytest.raises((httpx.TransportError, PaymentOutcomeUnknownError)):
            pay(live_server.url, method, Line(step), **{"Idempotency-Key": "mine"})
        replies = [pay(live_server.url, method, Line(), **{"Idempotency-Key": "mine"}) for _ in range(2)]
        assert [reply.status_code for reply in replies] == [200, 200]
        assert len({reply.json()["lookupId"] for reply in replies}) == len(chain.broadcasts) == 1
        assert len({reply.headers["payment-receipt"] for reply in replies}) == 1

    @pytest.mark.parametrize(
        ("module", "name"),
        [(booking, "complete"), (storage, "store"), (rows, "end"), (booking, "deliver")],
    )
    def test_a_service_that_breaks_down_after_the_broadcast_still_owes_the_answer(
        self,
        live_server: Any,
        node: Any,
        register: Register,
        monkeypatch: pytest.MonkeyPatch,
        module: Any,
        name: str,
    ) -> None:
        chain, method = node
        line = Line()
        with breaking(monkeypatch, module, name):
            reply = pay(live_server.url, method, line)
        assert (reply.status_code, problem(reply), len(chain.broadcasts)) == (503, "internal-payment-error", 1)
        sweep_later()
        settlement.end_unattended(before=timezone.now() + MINUTES_LATER, now=timezone.now() + MINUTES_LATER)
        assert selectors.list_undelivered_payments(timezone.now() + timedelta(hours=1)).count() == 1
        replies = [post(live_server.url, ACME, authorization=line.credentials[0]) for _ in range(2)]
        assert [reply.status_code for reply in replies] == [200, 200]
        assert replies[0].json() == replies[1].json()
        assert (len(chain.broadcasts), Lookup.objects.count(), Payment.objects.count()) == (1, 1, 1)
        assert not selectors.list_undelivered_payments(timezone.now() + timedelta(hours=1)).exists()


class TestAnOpenOutcome:
    """The node took it, and did not say more."""

    def leave_open(self, url: str, node: Any, mood: str = "slow") -> str:
        chain, method = node
        chain.mood, line = mood, Line()
        reply = pay(url, method, line)
        assert (reply.status_code, problem(reply)) == (503, "internal-payment-error")
        assert len(line.credentials) == 1  # it was not asked to pay again
        return line.credentials[0]

    @pytest.mark.parametrize("mood", ["slow", "known", "silent"])
    def test_is_told_plainly_until_it_is_known_and_then_answered_with_a_receipt(
        self, live_server: Any, node: Any, register: Register, mood: str
    ) -> None:
        proof = self.leave_open(live_server.url, node, mood)
        again = post(live_server.url, ACME, authorization=proof)
        told = again.json()
        assert (again.status_code, told["code"], told["retryable"]) == (503, "payment_pending", True)
        assert (again.headers["retry-after"], "www-authenticate" in again.headers) == ("30", False)
        assert Entity.objects.count() == 0  # nothing is kept of what is not paid
        chain = node[0]
        chain.mood = "included"
        raw = bytes.fromhex(Payment.objects.get().proof["signature"][2:])
        chain.include(transactions.read(raw))
        assert sweep_later() == {"paid": 1}
        first, second = (post(live_server.url, ACME, authorization=proof) for _ in range(2))
        assert (first.status_code, second.status_code) == (200, 200), first.text
        assert first.headers["payment-receipt"] == second.headers["payment-receipt"]
        assert (first.json()["lookupId"], first.json()["data"]) == (second.json()["lookupId"], second.json()["data"])
        assert (len(chain.broadcasts), register.asked, Lookup.objects.count()) == (1, 2, 1)

    def test_that_comes_to_nothing_leaves_nothing(self, live_server: Any, node: Any, register: Register) -> None:
        proof = self.leave_open(live_server.url, node)
        node[0].mood = "included"
        assert sweep_later() == {"failed": 1}
        settlement.end_unattended(before=timezone.now() + MINUTES_LATER, now=timezone.now() + MINUTES_LATER)
        assert (Entity.objects.count(), StoredAnswer.objects.count(), LedgerEntry.objects.count()) == (0, 0, 0)
        assert Lookup.objects.get().verdict == "failed"
        assert post(live_server.url, ACME, authorization=proof).status_code == 402

    def test_that_was_paid_is_owed_while_the_registry_is_down(
        self, live_server: Any, node: Any, register: Register
    ) -> None:
        proof = self.leave_open(live_server.url, node)
        node[0].mood = "included"
        node[0].include(transactions.read(bytes.fromhex(Payment.objects.get().proof["signature"][2:])))
        sweep_later()
        register.status = 500
        reply = post(live_server.url, ACME, authorization=proof)
        assert (reply.status_code, reply.json()["code"]) == (503, "payment_pending")
        register.status = 200
        assert post(live_server.url, ACME, authorization=proof).status_code == 200

    def test_that_was_given_back_is_owed_no_more(self, live_server: Any, node: Any, register: Register) -> None:
        proof = self.leave_open(live_server.url, node)
        node[0].mood = "included"
        node[0].include(transactions.read(bytes.fromhex(Payment.objects.get().proof["signature"][2:])))
        sweep_later()
        paid = Payment.objects.get()
        back = node[0].give_back(to=paid.payer, sender=US, token=TOKEN, amount=31_400)
        assert giving_back.enter(paid, reference=back, operator="dana", now=timezone.now())
        assert not selectors.list_undelivered_payments(timezone.now() + timedelta(hours=1)).exists()
        asked = register.asked
        claimed = post(live_server.url, ACME, authorization=proof)
        assert (claimed.status_code, problem(claimed), register.asked) == (402, "invalid-challenge", asked)
        settlement.end_unattended(before=timezone.now() + MINUTES_LATER, now=timezone.now() + MINUTES_LATER)
        assert (Lookup.objects.get().verdict, Lookup.objects.get().cost) == ("failed", 0)
        assert reconciliation.run(now=timezone.now()).differences == 0

    def test_that_was_paid_and_finds_nothing_any_more_is_listed_for_a_refund(
        self, live_server: Any, node: Any, register: Register, client: Client
    ) -> None:
        proof = self.leave_open(live_server.url, node)
        node[0].mood = "included"
        node[0].include(transactions.read(bytes.fromhex(Payment.objects.get().proof["signature"][2:])))
        sweep_later()
        register.rows = []
        reply = post(live_server.url, ACME, authorization=proof)
        assert (reply.status_code, "payment-receipt" in reply.headers) == (404, False)
        Payment.objects.update(ended_at=timezone.now() - timedelta(hours=1))
        client.force_login(User.objects.create_superuser("dana"))
        listed = client.get(reverse("admin:billing_payment_changelist"), {"delivery": "owed"})
        assert listed.context["cl"].result_count == 1
        gauges = selectors.list_gauges(now=timezone.now())
        assert gauges["payments_undelivered"][1] == 1


@pytest.mark.usefixtures("pretended")
class TestTwoCredentialsAtOnce:
    """An API key and a payment."""

    @pytest.mark.parametrize("header", ["authorization", "payment-authorization"])
    def test_are_a_400_that_charges_neither(
        self, live_server: Any, customer: Customer, tester: Customer, register: Register, header: str
    ) -> None:
        proof = proof_for(live_server.url, HERON)
        for who in (customer, tester):
            reply = post(live_server.url, HERON, **{"x-api-key": who.secret, header: proof})
            assert (reply.status_code, problem(reply)) == (400, "bad-request")
            assert reply.json()["code"] == "invalid_request"
        assert (Payment.objects.count(), Lookup.objects.count(), customer.balance.spent) == (0, 0, 0)


@pytest.mark.usefixtures("pretended")
class TestTheStaffsRedFlag:
    """The mark on every admin page."""

    def test_is_not_raised_by_strangers(self, live_server: Any, node: Any, register: Register, client: Client) -> None:
        post(live_server.url, HERON, authorization=proof_for(live_server.url, HERON, "sandbox_unknown"))
        node[0].mood = "slow"
        pay(live_server.url, node[1], Line())
        client.force_login(User.objects.create_superuser("dana"))
        assert "unknown outcome" not in client.get(reverse("admin:index")).content.decode()
        gauges = selectors.list_gauges(now=timezone.now())
        assert (gauges["payments_unknown"][1], gauges["payments_unknown_long"][1]) == (1, 0)
        Payment.objects.update(settling_at=timezone.now() - timedelta(hours=2))
        assert "1 payments of unknown outcome" in client.get(reverse("admin:index")).content.decode()
