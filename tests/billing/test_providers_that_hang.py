"""A node and a card provider that take the question and say nothing: who asks is told in time, and nothing moves."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from billing import topups
from billing.models import Account, TopUp
from billing.payments import node, stripe
from billing.payments.method import OutcomeUnknown

pytestmark = [pytest.mark.django_db, pytest.mark.once]
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BUSY = 10.0
PAGES = {"success_url": "https://us.example/ok", "cancel_url": "https://us.example/no"}


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes connections, and that is all."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


class TestANode:
    """Of the chain."""

    def test_that_hangs_proves_nothing(self, silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
        assert node.CONNECT_SECONDS + node.READ_SECONDS == 15
        monkeypatch.setattr(node, "READ_SECONDS", 0.3)
        started = time.monotonic()
        with pytest.raises(OutcomeUnknown, match="did not answer: ReadTimeout"):
            node.Node(silent).block_number()
        assert time.monotonic() - started < 0.3 + BUSY


class TestTheCardProvider:
    """Asked for its page."""

    def test_that_hangs_charges_nothing(
        self, account: Account, silent: str, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert stripe.SECONDS == 30
        monkeypatch.setattr(stripe, "SECONDS", 0.3)
        settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = "sk_test_x", silent
        started = time.monotonic()
        with pytest.raises(topups.ProviderUnavailable):
            topups.start(account=account, amount=31_400, now=NOW, **PAGES)
        assert time.monotonic() - started < 0.3 + BUSY
        assert TopUp.objects.get().state == "failed"
