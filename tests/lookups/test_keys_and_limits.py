"""Who may ask, and how often."""

from __future__ import annotations

import base64
import secrets
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import keys
from billing.models import Account
from tests.lookups.conftest import Customer
from tests.lookups.test_hostile_bodies import assert_error

pytestmark = pytest.mark.django_db
NO_KEY = "Missing or invalid API key"
BODY = {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}


def ask(**headers: str) -> Any:
    """A lookup with these headers."""
    return Client().post("/v1/lookup", BODY, content_type="application/json", headers=headers)


class TestAKey:
    """`x-api-key`, or a bearer token."""

    def test_works_in_its_own_header(self, tester: Customer) -> None:
        assert ask(**{"x-api-key": tester.secret}).status_code == 200

    @pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
    def test_works_as_a_bearer_token(self, tester: Customer, scheme: str) -> None:
        assert ask(authorization=f"{scheme} {tester.secret}").status_code == 200

    @pytest.mark.parametrize(
        "headers",
        [
            {"x-api-key": "osd_" + "a" * 32},
            {"x-api-key": "osd_test_" + "a" * 32},
            {"x-api-key": "nonsense"},
            {"x-api-key": "x" * 5000},
            {"x-api-key": "osd_é"},
            {"authorization": "Bearer osd_wrong"},
            {"authorization": "Basic " + base64.b64encode(b"a:b").decode()},
            {"authorization": "Bearer"},
            {"authorization": "Bearer "},
            {"authorization": "nonsense"},
            {},
        ],
        ids=str,
    )
    @pytest.mark.parametrize("path", ["/v1/lookup", "/v1/account/balance"])
    def test_that_opens_nothing_is_a_401(self, db: None, headers: dict[str, str], path: str) -> None:
        client = Client()
        reply = client.get(path, headers=headers) if "balance" in path else ask(**headers)
        assert_error(reply, 401, "unauthorized", NO_KEY)
        assert reply["WWW-Authenticate"]
        assert "X-RateLimit-Limit" not in reply

    @pytest.mark.parametrize(
        "headers", [{"x-api-key": "osd_" + "a" * 32}, {"authorization": "Basic x"}, {}], ids=["wrong", "no key", "none"]
    )
    def test_that_opens_nothing_is_counted_against_its_address(
        self, tester: Customer, settings: Any, headers: dict[str, str]
    ) -> None:
        """Guessing is bounded; a good key from the same address, which an office shares, still opens."""
        settings.KEYLESS_PER_MINUTE, settings.TRUSTED_PROXIES = 3, 1
        mine, other = f"2001:db8:{secrets.token_hex(2)}:1::1", f"2001:db8:{secrets.token_hex(2)}:2::1"
        replies = [Client().get("/v1/account/balance", headers={**headers, "x-forwarded-for": mine}) for _ in range(8)]
        refused = [reply for reply in replies if reply.status_code == 429]
        assert [reply.status_code for reply in replies[:3]] == [401] * 3
        assert len(refused) >= 2  # the minute may turn once in between
        assert_error(refused[0], 429, "rate_limited", "Rate limit of 3 requests per minute exceeded")
        assert int(refused[0]["Retry-After"]) >= 1
        theirs = Client().get("/v1/account/balance", headers={**headers, "x-forwarded-for": other})
        assert theirs.status_code == 401
        assert tester.get("/v1/account/balance", **{"x-forwarded-for": mine}).status_code == 200

    def test_that_is_wrong_is_not_saved_by_a_right_one_elsewhere(self, tester: Customer) -> None:
        assert ask(**{"x-api-key": "osd_wrong", "authorization": f"Bearer {tester.secret}"}).status_code == 401

    def test_that_was_revoked_is_a_401_at_once(self, tester: Customer) -> None:
        keys.revoke(key=tester.key, now=timezone.now())
        assert_error(tester.lookup(entity_name=BODY["entity_name"], state="DE"), 401, "unauthorized", NO_KEY)

    def test_that_expired_is_a_401(self, tester: Customer) -> None:
        type(tester.key).objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert tester.get("/v1/account/balance").status_code == 401

    def test_of_a_closed_account_is_a_401_but_a_404_on_the_balance(self, tester: Customer) -> None:
        Account.objects.filter(pk=tester.account.pk).update(is_active=False)
        assert_error(tester.lookup(), 401, "unauthorized", NO_KEY)
        assert_error(tester.get("/v1/account/balance"), 404, "user_not_found", "User not found")

    def test_without_the_scope_is_a_403(self, tester: Customer) -> None:
        type(tester.key).objects.update(scopes=["account"])
        assert_error(tester.lookup(), 403, "forbidden")
        assert tester.get("/v1/account/balance").status_code == 200

    def test_comes_before_the_body(self, db: None) -> None:
        reply = Client().post("/v1/lookup", b"{broken", content_type="text/plain", headers={"x-api-key": "osd_wrong"})
        assert reply.status_code == 401

    @pytest.mark.parametrize("path", ["/v1/states", "/v1/health", "/openapi.json", "/docs/"])
    def test_is_not_needed_for_what_is_public(self, switches: None, path: str) -> None:
        assert Client().get(path).status_code == 200


class TestTheRateLimit:
    """50 requests a minute for each key, told on every reply."""

    def test_is_reported_and_counts_down(self, tester: Customer) -> None:
        first, second = tester.get("/v1/account/balance"), tester.get("/v1/account/balance")
        assert first["X-RateLimit-Limit"] == "50"
        assert int(second["X-RateLimit-Remaining"]) in (48, 49)  # 49 when the minute turned between the two
        assert 0 < int(first["X-RateLimit-Reset"]) - timezone.now().timestamp() <= 61

    @pytest.mark.parametrize("body", [b"{broken", b'{"entity_name": "Nobody Knows This", "state": "DE"}'])
    def test_is_reported_on_errors_too(self, tester: Customer, body: bytes) -> None:
        assert tester.post("/v1/lookup", body)["X-RateLimit-Remaining"]

    def test_counts_what_a_key_has_no_right_to(self, tester: Customer) -> None:
        """A program that was given the wrong key is refused for nothing no more often than it may ask."""
        type(tester.key).objects.update(rate_limit_per_minute=2, scopes=["account"])
        replies = [tester.lookup() for _ in range(6)]
        assert_error(replies[0], 403, "forbidden")
        assert replies[0]["X-RateLimit-Limit"] == "2"
        assert_error(replies[-1], 429, "rate_limited")

    def test_ends_in_a_429_that_says_when_to_come_back(self, tester: Customer) -> None:
        type(tester.key).objects.update(rate_limit_per_minute=2)
        replies = [tester.get("/v1/account/balance") for _ in range(6)]
        refused = next(reply for reply in replies if reply.status_code == 429)
        body = assert_error(refused, 429, "rate_limited")
        assert body["retryable"] is True
        assert 1 <= int(refused["Retry-After"]) <= 60
        assert refused["X-RateLimit-Remaining"] == "0"

    def test_of_one_key_is_not_anothers(self, tester: Customer, customer: Customer) -> None:
        type(tester.key).objects.filter(pk=tester.key.pk).update(rate_limit_per_minute=0)
        assert tester.get("/v1/account/balance").status_code == 429
        assert customer.get("/v1/account/balance").status_code == 200
