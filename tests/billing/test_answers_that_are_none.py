"""What comes back of a card provider or a node is no answer of theirs: who asked reads that, and no money moves twice.

A proxy's page, half a text, JSON of another shape, text without end: whatever somebody in between may send.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import keys
from billing.models import Account, Payment, TopUp
from billing.payments import answers, checkout, node, stripe
from billing.payments.method import OutcomeUnknown
from tests.billing import stubs
from tests.billing.conftest import LATER, NOW
from tests.billing.test_admin import dana, url
from tests.billing.test_tempo import accept, word_of
from tests.billing.test_tempo import node as chain
from tests.billing.test_transactions import TOKEN, US, paying
from tests.serving import in_background
from tests.workspace.conftest import open_office

__all__ = ["chain", "dana"]  # fixtures

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]
BUSY = 10.0
HTML = {"Content-Type": "text/html"}
OF_NOBODY: dict[str, stubs.Answer] = {
    "a page of a proxy": (200, b"<html><h1>Welcome</h1></html>", HTML),
    "a page of a proxy that is broken": (502, b"<html><h1>Bad gateway</h1></html>", HTML),
    "nothing": (200, b"", {}),
    "an object of nothing": (200, b"{}", {}),
    "a list": (200, b"[]", {}),
    "null": (200, b"null", {}),
    "a word": (200, b'"ok"', {}),
    "numbers for names": (200, b'{"id": 7, "object": "refund", "url": 8, "data": {"a": 1}}', {}),
    "objects for names": (200, b'{"id": {"a": 1}, "object": 8, "url": {"a": 1}, "data": "x"}', {}),
    "a list of words": (200, b'{"id": null, "object": "list", "url": "/v1/x", "data": ["x", {"metadata": "x"}]}', {}),
    "an error that is a word": (500, b'{"error": "upstream"}', {}),
    "an error that is a list": (400, b'{"error": ["upstream"]}', {}),
    "bytes that are no text": (200, b'{"id": "\xff\xfe"}', {}),
    "depths that would end the process": (200, b"[" * 100_000, {}),
    "depths behind a text of brackets": (200, b'["' + b"]" * 50_000 + b'\\"",' + b"[" * 50_000, {}),
    "half of it": (200, b'{"id": "cs_', {"Content-Length": "500", "Connection": "close"}),
    "another address": (302, b"", {"Location": "/elsewhere"}),
}
PAGES_OF_NOBODY: dict[str, dict[str, Any]] = {
    "without an address": {"id": "cs_1", "url": None},
    "that runs a script": {"id": "cs_1", "url": "javascript:alert(1)"},
    "of our own": {"id": "cs_1", "url": "/app/"},
    "with a name that no table keeps": {"id": "c" * 300, "url": "https://pay.example.test/"},
    "with a name of no text": {"id": "cs\0", "url": "https://pay.example.test/"},
}


def asks(answer: stubs.Answer) -> Any:
    """A server that has one answer to everything, but for the address that it leads to."""
    return stubs.serve(lambda path, *_: (404, b"", {}) if path == "/elsewhere" else answer)


@contextmanager
def dripping() -> Iterator[str]:
    """A server whose answer comes byte by byte, and has no end while somebody reads it."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                while True:
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.02)

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: Any) -> None:
            return

    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        server.daemon_threads = True
        yield f"http://127.0.0.1:{server.server_port}"


def text_of(page: Any) -> str:
    return unescape(re.sub(r"\s+", " ", page.content.decode()))


class TestTheCardProvider:
    """While it answers like this."""

    AWAY = "The card provider does not answer"

    @pytest.fixture
    def cards(self, settings: Any) -> Any:
        """Have it answer so."""
        settings.STRIPE_SECRET_KEY, settings.STRIPE_NETWORK_ID = "sk_test_x", "profile_x"

        @contextmanager
        def say(answer: stubs.Answer) -> Iterator[None]:
            with asks(answer) as settings.STRIPE_API_BASE:
                yield

        return say

    def read_page_of_topup(self) -> str:
        office = open_office()
        page = office.post("/app/balance/topup/", {"amount": "12.34"})
        assert page.status_code == 503
        assert 'value="12.34"' in page.content.decode()
        assert TopUp.objects.get(account=office.account).state == "failed"
        return text_of(page)

    @pytest.mark.parametrize("answer", OF_NOBODY.values(), ids=OF_NOBODY)
    def test_sells_no_credit_and_says_so(self, cards: Any, answer: stubs.Answer) -> None:
        with cards(answer):
            assert f"{self.AWAY}; nothing was charged." in self.read_page_of_topup()

    @pytest.mark.parametrize("page", PAGES_OF_NOBODY.values(), ids=PAGES_OF_NOBODY)
    def test_leads_to_no_page(self, cards: Any, page: dict[str, Any]) -> None:
        with cards((200, {"object": "checkout.session", **page}, {})):
            assert f"{self.AWAY}; nothing was charged." in self.read_page_of_topup()

    def test_leads_nobody_to_the_page_of_somebody_else(self, cards: Any) -> None:
        with cards((200, {"object": "checkout.session", "id": "cs_1", "url": "https://pay.example.test/1"}, {})):
            first = open_office("Harbor Street", "jonas@harbor.test")
            assert first.post("/app/balance/topup/", {"amount": "5"})["Location"] == "https://pay.example.test/1"
            assert f"{self.AWAY}; nothing was charged." in self.read_page_of_topup()

    @pytest.mark.parametrize("answer", OF_NOBODY.values(), ids=OF_NOBODY)
    def test_reaches_programs_in_their_own_shape(self, cards: Any, answer: stubs.Answer) -> None:
        _, secret = keys.issue(account=open_office().account, name="server", now=timezone.now())
        with cards(answer):
            reply = Client().post(
                "/v1/account/topup", {"amount": 12.34}, content_type="application/json", headers={"x-api-key": secret}
            )
        assert (reply.status_code, reply.json()["code"]) == (503, "payment_unavailable")
        assert reply.json()["retryable"] is True

    @pytest.mark.parametrize("answer", OF_NOBODY.values(), ids=OF_NOBODY)
    def test_may_have_given_back_and_is_asked_again_by_the_same_form(
        self, cards: Any, dana: Client, account: Account, answer: stubs.Answer
    ) -> None:
        paid = {"amount": 31_400, "state": "paid", "payment_intent": "pi_1", "created_at": NOW, "paid_at": NOW}
        topup = TopUp.objects.create(account=account, **paid)
        form = {"dollars": "1.25", "token": "abc", "confirm": "1"}
        with cards(answer):
            page = dana.post(url("topup_refund_card", topup.pk), form)
        assert page.status_code == 200
        assert f"{self.AWAY}. Confirm again: it is the same refund." in text_of(page)
        assert 'value="1.25"' in page.content.decode()
        assert 'name="token" value="abc"' in page.content.decode()
        provider = stubs.CardProvider()
        with stubs.serve(provider.answer) as address, pytest.MonkeyPatch.context() as patch:
            patch.setattr("django.conf.settings.STRIPE_API_BASE", address)
            assert dana.post(url("topup_refund_card", topup.pk), form).status_code == 302
        assert [one["amount"] for one in provider.refunds] == ["125"]

    @pytest.mark.parametrize("answer", OF_NOBODY.values(), ids=OF_NOBODY)
    def test_leaves_open_what_became_of_a_payment(self, cards: Any, dana: Client, answer: stubs.Answer) -> None:
        payment = open_payment("stripe", {"spt": "spt_1"})
        with cards(answer):
            page = dana.post(url("payment_ask_again", payment.pk), follow=True)
        assert "The payment was unknown and is unknown." in text_of(page)

    @pytest.mark.parametrize("answer", [*OF_NOBODY.values(), (200, {"object": "list", "data": {}}, {})])
    def test_is_not_believed_that_it_moved_nothing(self, cards: Any, answer: stubs.Answer) -> None:
        """The reconciliation would miss every payment of the span."""
        with cards(answer), pytest.raises(OutcomeUnknown):
            stripe.list_movements(since=NOW, until=LATER)

    def test_that_never_ends_is_not_waited_for(self, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stripe, "SECONDS", 0.3)
        settings.STRIPE_SECRET_KEY = "sk_test_x"
        started = time.monotonic()
        with dripping() as settings.STRIPE_API_BASE:
            assert self.AWAY in self.read_page_of_topup()
        assert time.monotonic() - started < BUSY

    def test_that_is_far_too_long_is_not_read(self, cards: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(answers, "LONGEST", 1000)
        with cards((200, {"id": "cs_1", "url": "https://pay.example.test/1", "more": "x" * 2000}, {})):
            assert self.AWAY in self.read_page_of_topup()


def open_payment(method: str, proof: dict[str, Any] | None, **named: Any) -> Payment:
    """A payment of which nobody knows whether the money has moved; long ago, so that a clear no would end it."""
    return Payment.objects.create(
        **{
            "method": method,
            "challenge_id": "challenge-1",
            "proof_hash": "1",
            "request_hash": "1",
            "body_hash": "1",
            "purpose": "lookup",
            "amount": 314,
            "state": "unknown",
            "proof": proof,
            "created_at": NOW,
            "settling_at": NOW,
            **named,
        }
    )


RECEIPTS_OF_NOBODY: dict[str, Any] = {
    "of nothing": {},
    "that is a list": [],
    "that is a word": "ok",
    "that is a number": 1,
    "with a number for its status": {"status": 1, "logs": []},
    "without a status": {"logs": [], "blockHash": "0x0b"},
}
LOGS_OF_NOBODY: dict[str, Any] = {
    "a word": "x",
    "a number": 5,
    "words": ["x"],
    "numbers for topics": [{"topics": 5}],
    "no number of money": [
        {"address": TOKEN, "topics": [stubs.PLAIN, "0x1", "0x" + "00" * 12 + US[2:].lower()], "data": "0xzz"}
    ],
}


class TestTheNode:
    """Of the chain, while it answers like this."""

    @pytest.fixture
    def say(self, settings: Any) -> Any:
        """Have it answer so."""
        settings.TEMPO_RECIPIENT, settings.TEMPO_CURRENCY = US, TOKEN

        @contextmanager
        def answering(answer: stubs.Answer) -> Iterator[str]:
            with asks(answer) as settings.TEMPO_RPC_URL:
                yield settings.TEMPO_RPC_URL

        return answering

    def ask_again(self, dana: Client) -> Payment:
        """Press "Reconcile now" long after the transaction's end: a node that knows no receipt then ends it."""
        raw = paying("challenge-1", valid_before=int(NOW.timestamp()) + 60)
        payment = open_payment("tempo", {"signature": "0x" + raw.hex(), "issued": int(NOW.timestamp())})
        page = dana.post(url("payment_ask_again", payment.pk), follow=True)
        assert "The payment was unknown and is unknown." in text_of(page)
        payment.refresh_from_db()
        return payment

    @pytest.mark.parametrize("answer", OF_NOBODY.values(), ids=OF_NOBODY)
    def test_leaves_open_what_became_of_a_payment(self, say: Any, dana: Client, answer: stubs.Answer) -> None:
        with say(answer):
            assert self.ask_again(dana).state == "unknown"

    @pytest.mark.parametrize("receipt", RECEIPTS_OF_NOBODY.values(), ids=RECEIPTS_OF_NOBODY)
    def test_is_not_believed_with_a_receipt(self, say: Any, dana: Client, receipt: Any) -> None:
        """Neither that the transaction failed, nor that there is none: its money may have moved."""
        more = {"timestamp": "0xffffffffff", **receipt} if isinstance(receipt, dict) else receipt
        with say((200, {"jsonrpc": "2.0", "id": 1, "result": more}, {})):
            assert self.ask_again(dana).detail == "the node's receipt cannot be read"

    @pytest.mark.parametrize("logs", LOGS_OF_NOBODY.values(), ids=LOGS_OF_NOBODY)
    def test_is_not_believed_with_events(self, say: Any, dana: Client, logs: Any) -> None:
        receipt = {"status": "0x1", "logs": logs, "blockHash": "0x0b", "timestamp": "0xffffffffff"}
        with say((200, {"jsonrpc": "2.0", "id": 1, "result": receipt}, {})):
            assert self.ask_again(dana).detail == "the node's receipt cannot be read"

    @pytest.mark.parametrize("receipt", RECEIPTS_OF_NOBODY.values(), ids=RECEIPTS_OF_NOBODY)
    def test_is_never_paid_a_second_time_for_what_it_has_broadcast(
        self, chain: stubs.Node, monkeypatch: pytest.MonkeyPatch, receipt: Any
    ) -> None:
        payment = accept()
        monkeypatch.setattr(chain, "include", lambda transfer: receipt)
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "internal-payment-error"
        assert payment.state == "unknown"

    def test_shows_no_transfer_back(self, say: Any, dana: Client) -> None:
        named = {"state": "paid", "ended_at": NOW, "reference": "0xabc", "payer": "0x" + "2" * 40}
        payment = open_payment("tempo", None, **named)
        with say((200, {"jsonrpc": "2.0", "id": 1, "result": {}}, {})):
            form = {"reference": "0x" + "3" * 64, "token": "abc", "confirm": "1"}
            page = dana.post(url("payment_give_back", payment.pk), form, follow=True)
        assert "not verified: the reconciliation looks for it on the chain" in text_of(page)

    def test_is_noted_without_what_no_database_keeps(self, say: Any, dana: Client) -> None:
        error = {"code": 1, "message": "no\0such \ud800thing"}
        with say((200, {"jsonrpc": "2.0", "id": 1, "error": error}, {})):
            assert self.ask_again(dana).detail == "the node refuses eth_getTransactionReceipt: 1: nosuch thing"

    def test_that_never_ends_is_not_waited_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(node, "READ_SECONDS", 0.3)
        started = time.monotonic()
        with dripping() as address, pytest.raises(OutcomeUnknown, match="did not answer"):
            node.Node(address).block_number()
        assert time.monotonic() - started < BUSY

    def test_that_is_far_too_long_is_not_read(self, say: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(answers, "LONGEST", 1000)
        with (
            say((200, {"result": "0x1", "more": "x" * 2000}, {})) as address,
            pytest.raises(OutcomeUnknown, match="did not answer"),
        ):
            node.Node(address).block_number()
