"""What a key is told about its limits is exact, however many requests arrive at once (on Redis and without)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from billing import counters, locks
from lookups.jobs import lifecycle
from lookups.lookup import rows
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Accepted
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import Job, Lookup
from tests import plain_http
from tests.billing.conftest import count_waiting
from tests.lookups.conftest import PRICE, Customer, answers_when, open_customer
from tests.lookups.messages import wait_for
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db(transaction=True)
LIMIT, ASKED = 20, 32


@pytest.fixture(autouse=True)
def _redis_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A count is exact while Redis answers; on a busy machine it may take longer than a request waits for it."""
    monkeypatch.setattr(counters, "REDIS_TIMEOUT_SECONDS", 20)
    counters._redis_at.cache_clear()
    yield
    counters._redis_at.cache_clear()


class TestTheRateLimit:
    """Requests a minute, over a real socket."""

    def test_is_reported_exactly_to_requests_that_arrive_together(
        self, live_server: Any, switches: None, at_once: Callable[..., list[Any]]
    ) -> None:
        replies: list[Any] = []
        for _ in range(2):  # once more, with a key that nobody has used, when the minute turned: two windows were told
            replies = at_once(*[self.asking(live_server.url, open_customer(mode="test"))] * ASKED)
            if len({reply.headers["x-ratelimit-reset"] for reply in replies}) == 1:
                break
        remaining = sorted(int(reply.headers["x-ratelimit-remaining"]) for reply in replies if reply.status_code == 200)
        refused = [reply for reply in replies if reply.status_code == 429]
        assert remaining == list(range(LIMIT))  # each number was told once: none was given twice, none left out
        assert len(refused) == ASKED - LIMIT
        assert {reply.headers["x-ratelimit-limit"] for reply in replies} == {str(LIMIT)}
        assert {reply.headers["x-ratelimit-remaining"] for reply in refused} == {"0"}
        for reply in refused:
            wait = int(reply.headers["x-ratelimit-reset"]) - timezone.now().timestamp()
            assert abs(int(reply.headers["retry-after"]) - wait) < 30

    def asking(self, url: str, tester: Customer) -> Callable[[], Any]:
        type(tester.key).objects.filter(pk=tester.key.pk).update(rate_limit_per_minute=LIMIT)
        return lambda: plain_http.get(f"{url}/v1/account/balance", headers={"x-api-key": tester.secret}, timeout=60)


class TestTheJobsOfAKey:
    """As many wait for a slow registry as run at a time."""

    @pytest.mark.parametrize("mode", ["live", "test"])
    def test_are_never_more_than_the_limit(
        self, on_postgres: None, switches: None, at_once: Callable[..., list[Any]], mode: str
    ) -> None:
        """Each of those that came together counted the jobs from before them."""
        customer, is_blocked, all_wait = open_customer(mode=mode), threading.Event(), threading.Event()
        customer.key.concurrent_lookups = 1

        def block() -> None:  # so that all have come before the first is written
            with transaction.atomic():
                locks.lock_account(customer.account.pk)
                is_blocked.set()
                assert all_wait.wait(60)

        def watch() -> None:
            wait_for(lambda: count_waiting() == 4, 50)
            all_wait.set()

        def accept(number: int) -> bool:
            assert is_blocked.wait(30)
            asked = Ask(Question(state="NY", name=f"Company {number}"), KeyPayer(customer.key), apart=True)
            drafted = rows.draft(asked, now=timezone.now())
            is_taken = lifecycle.accept(asked, drafted, estimated_seconds=60, now=timezone.now())
            return isinstance(is_taken, Accepted)

        _, _, *taken = at_once(watch, block, *[lambda number=number: accept(number) for number in range(4)])
        assert (taken.count(True), Job.objects.count(), Lookup.objects.count()) == (1, 1, 1)
        assert customer.balance.held == (PRICE if mode == "live" else 0)


class TestTheLookupsAtATime:
    """Ten a key, or what its own limit says."""

    def test_are_never_more_than_the_limit(
        self, live_server: Any, customer: Customer, register: Register, at_once: Callable[..., list[Any]]
    ) -> None:
        type(customer.key).objects.filter(pk=customer.key.pk).update(concurrent_lookups=3, rate_limit_per_minute=1000)
        refused: list[Any] = []

        def ask(number: int) -> Any:
            body = {"entity_name": f"Company Number {number}", "state": "NY"}
            reply = plain_http.post(
                live_server.url + "/v1/lookup", json=body, headers={"x-api-key": customer.secret}, timeout=60
            )
            refused.extend([reply] if reply.status_code == 429 else [])
            return reply

        all_refused = answers_when(register, lambda: len(refused) == 5)
        *replies, _ = at_once(*[lambda number=number: ask(number) for number in range(8)], all_refused)
        codes = sorted(reply.status_code for reply in replies)
        assert codes.count(429) == 5, codes
        assert customer.balance.spent == 0
        assert ask(9).status_code == 404  # the places are free again
