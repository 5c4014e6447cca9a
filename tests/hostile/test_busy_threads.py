"""However many lookups are slow and however many try to sign in, what needs no waiting is answered at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.bench.slow_clients import ask
from tests.failures.customers import Call
from tests.hostile.conftest import Web, flood

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("hostile")]
AT_ONCE = 1.0  # seconds


@pytest.fixture
def shut(web: Web) -> Iterator[None]:
    """No registry answers."""
    web.registries.shut()
    yield
    web.registries.open()


def usual_wait(port: int, *, times: int = 12) -> float:
    """Half of so many questions whether the service is well took longer: a busy machine stumbles now and then."""
    waits = []
    for _ in range(times):
        waits.append(ask(port, timeout=20) or 20.0)
        time.sleep(0.2)
    return sorted(waits)[times // 2]


def until_answered(calls: Sequence[Call], number: int) -> None:
    """Wait until so many of these have a reply, while the rest have none: however slow the machine is."""
    deadline = time.monotonic() + 60
    while sum(call.status is not None for call in calls) < number:
        assert time.monotonic() < deadline, Counter(call.status for call in calls)
        time.sleep(0.05)


class TestSlowLookups:
    """Sixteen threads; every registry is at it for as long as the test runs."""

    def test_of_one_account_leave_half_of_the_threads_to_others(self, web: Web, port: int, shut: None) -> None:
        """Forty at once: those who find a place wait, ten of the rest are told 202 at once, and then it is too many."""
        customer = web.new_customer(port)
        calls = customer.questions(40)
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(customer.ask, calls, at_once=40, timeout=60)
            until_answered(calls, 40 - 8)
            assert usual_wait(port) < AT_ONCE
            web.registries.open()
            told = Counter(call.status for call in asked.result())
        assert set(told) <= {200, 202, 404, 429}
        assert told[202] > 0
        assert [call.seconds for call in calls if call.status == 202 and call.seconds > 10] == []

    def test_of_many_accounts_leave_half_of_the_threads_to_others(self, web: Web, port: int, shut: None) -> None:
        customers = [web.new_customer(port) for _ in range(4)]
        calls = [customer.questions(9) for customer in customers]
        with ThreadPoolExecutor(4) as pool:
            asked = [
                pool.submit(customer.ask, own, at_once=9, timeout=60)
                for customer, own in zip(customers, calls, strict=True)
            ]
            until_answered([call for own in calls for call in own], 36 - 8)
            assert usual_wait(port) < AT_ONCE
            web.registries.open()
            told = Counter(call.status for one in asked for call in one.result())
        assert set(told) <= {200, 202, 404}
        assert told[202] >= 36 - 8


class TestSigningIn:
    """A password is hashed for half a second of a processor, whoever sends it."""

    def test_leaves_three_quarters_of_the_threads_to_others(self, port: int) -> None:
        said: Counter[int] = Counter()

        def sign_in(browser: httpx.Client) -> None:
            page = browser.get("/admin/login/")
            if page.status_code == 200:
                token = browser.cookies.get("csrftoken") or ""
                form = {"username": "admin", "password": "wrong", "csrfmiddlewaretoken": token}
                page = browser.post("/admin/login/", data=form)
            if page.status_code == 503:
                assert page.headers["retry-after"] == "2"
                assert page.headers["content-type"].startswith("text/html")
                time.sleep(1.0)  # else it is the refusals that are measured, and the clients' own work
            said[page.status_code] += 1

        with flood(sign_in, port=port, clients=32):
            time.sleep(2.0)
            assert usual_wait(port) < AT_ONCE
        assert said[503] > 0
        assert said[200] > 0
