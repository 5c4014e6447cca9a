"""A customer sets an address, gets a secret and presses the test button."""

from __future__ import annotations

import json
from typing import Any

import pytest
import redis
from django.utils import timezone
from standardwebhooks import Webhook, WebhookVerificationError

from billing import keys
from lookups.notifications import webhook_events, webhook_test
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.test_hostile_bodies import assert_error
from tests.lookups.webhook_receiver import Receiver, receiving, says

pytestmark = pytest.mark.django_db
SECRET, TEST, SETTINGS = "/v1/account/webhook-secret", "/v1/account/webhook-test", "/v1/account/settings"


@pytest.fixture(autouse=True)
def at_home(settings: Any) -> None:
    """As on a developer's machine; the sender's own tests are about the fence."""
    settings.WEBHOOKS_TO_LOOPBACK = True
    if settings.REDIS_URL:  # an account of an earlier run had the same number, perhaps in this very minute
        counts = redis.Redis.from_url(settings.REDIS_URL)
        for name in counts.scan_iter("sos:rate:hook-test:*"):
            counts.delete(name)


def point(customer: Customer, receiver: Receiver) -> None:
    """Set the receiver as the account's address."""
    reply = customer.patch(SETTINGS, {"webhookUrl": f"http://127.0.0.1:{receiver.port}/hook"})
    assert reply.status_code == 200


def received(receiver: Receiver, secret: str) -> dict[str, Any]:
    """What the newest webhook says, verified as a customer would."""
    request = receiver.requests[-1]
    return dict(Webhook(secret).verify(request.body, request.headers))


class TestTheSecret:
    """POST /v1/account/webhook-secret."""

    def test_is_shown_in_this_reply_alone(self, customer: Customer) -> None:
        reply = customer.post(SECRET, {})
        body = reply.json()
        assert (reply.status_code, set(body)) == (200, {"success", "livemode", "webhookSecret", "previousValidUntil"})
        assert body["webhookSecret"].startswith("whsec_")
        assert body["previousValidUntil"] is None
        assert "no-store" in reply["Cache-Control"]
        assert body["webhookSecret"] not in customer.patch(SETTINGS, {}).content.decode()
        again = customer.post(SECRET, {}).json()
        assert again["webhookSecret"] != body["webhookSecret"]
        assert again["previousValidUntil"].endswith("Z")

    def test_is_not_in_the_log(self, customer: Customer, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level("DEBUG")
        made = customer.post(SECRET, {}).json()["webhookSecret"]
        assert made not in caplog.text

    def test_needs_no_body(self, customer: Customer) -> None:
        assert customer.post(SECRET, b"").status_code == 200

    def test_is_not_made_six_times_a_day(self, customer: Customer) -> None:
        replies = [customer.post(SECRET, {}) for _ in range(6)]
        assert [reply.status_code for reply in replies[:5]] == [200] * 5
        refused = replies[5]
        assert_error(refused, 429, "rate_limited")
        assert 0 < int(refused["Retry-After"]) <= 86_400


class TestTheTest:
    """POST /v1/account/webhook-test."""

    def test_delivers_a_signed_event(self, customer: Customer) -> None:
        secret = customer.post(SECRET, {}).json()["webhookSecret"]
        with receiving(says(204)) as receiver:
            point(customer, receiver)
            body = customer.post(TEST, {}).json()
        took = body.pop("durationMs")
        assert 0 <= took < 10_000
        name = body["webhookId"]
        assert body == {
            "success": True,
            "livemode": True,
            "delivered": True,
            "status": 204,
            "error": None,
            "webhookId": name,
        }
        event = received(receiver, secret)
        assert (event["id"], event["type"]) == (name, "webhook.test")
        assert event["created_at"].endswith("Z")
        assert set(event) == {"id", "type", "livemode", "created_at", "data"}
        request = receiver.requests[0]
        assert (request.headers["webhook-id"], request.headers["content-type"]) == (name, "application/json")
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(request.body.replace(b"Nothing", b"A lot"), request.headers)

    def test_can_be_verified_with_either_secret_of_a_change(self, customer: Customer) -> None:
        old, new = (customer.post(SECRET, {}).json()["webhookSecret"] for _ in range(2))
        with receiving(says(200)) as receiver:
            point(customer, receiver)
            assert customer.post(TEST, {}).json()["delivered"] is True
        assert received(receiver, old) == received(receiver, new)

    def test_that_fails_says_why_in_words(self, customer: Customer) -> None:
        with receiving(says(500, b"we are closed")) as receiver:
            point(customer, receiver)
            body = customer.post(TEST, {}).json()
        assert (body["success"], body["delivered"], body["status"], body["error"]) == (True, False, 500, "answered 500")
        closed = customer.post(TEST, {}).json()
        assert (closed["delivered"], closed["status"]) == (False, None)
        assert "connection" in closed["error"]

    def test_is_judged_when_it_is_sent(self, customer: Customer, settings: Any) -> None:
        with receiving(says(200)) as inside:
            point(customer, inside)
            settings.WEBHOOKS_TO_LOOPBACK = False  # as if the name had led elsewhere when it was set
            body = customer.post(TEST, {}).json()
        assert (body["delivered"], body["error"]) == (False, "the address is not https")
        assert inside.connections == 0

    def test_without_an_address_is_refused(self, customer: Customer) -> None:
        body = assert_error(customer.post(TEST, {}), 400, "invalid_request")
        assert body["details"] == {"webhookUrl": [str(webhook_test.NoAddress(livemode=True))]}

    def test_cannot_be_used_to_hammer_anybody(self, customer: Customer, switches: None) -> None:
        other = open_customer(name="Other")
        with receiving(says(200)) as receiver:
            point(customer, receiver)
            replies = [customer.post(TEST, {}) for _ in range(11)]  # a minute may turn in between
            assert len(receiver.requests) == len([one for one in replies if one.status_code == 200]) <= 10
            assert_error(replies[-1], 429, "rate_limited")
            assert 0 < int(replies[-1]["Retry-After"]) <= 60
            point(other, receiver)
            assert other.post(TEST, {}).status_code == 200

    def test_costs_nothing(self, customer: Customer) -> None:
        before = customer.balance
        with receiving(says(200)) as receiver:
            point(customer, receiver)
            customer.post(TEST, {})
        assert customer.balance == before


class TestTheKey:
    """Who may do it."""

    @pytest.mark.parametrize("path", [SECRET, TEST])
    def test_needs_the_right_to_the_account(self, customer: Customer, path: str) -> None:
        _, secret = keys.issue(account=customer.account, name="x", now=timezone.now(), scopes=["lookup"])
        customer.secret = secret
        assert_error(customer.post(path, {}), 403, "forbidden")
        customer.secret = "osd_wrong"
        assert_error(customer.post(path, {}), 401, "unauthorized")

    @pytest.mark.parametrize("path", [SECRET, TEST])
    def test_may_not_ask_otherwise(self, customer: Customer, path: str) -> None:
        assert_error(customer.get(path), 405, "method_not_allowed")


class TestTheWords:
    """Bodies as they go out."""

    def test_are_ascii_json_whatever_is_in_them(self) -> None:
        about: dict[str, Any] = {"livemode": True, "created_at": timezone.now(), "data": {"x": "K\u00e4se \ud800"}}
        body = webhook_events.write(message_id="msg_1", event="bulk.complete", **about)
        assert body.isascii()
        assert list(json.loads(body)) == ["id", "type", "livemode", "created_at", "data"]

    def test_are_of_known_kinds_only(self) -> None:
        with pytest.raises(ValueError, match="not a valid EventType"):
            webhook_events.write(
                message_id="msg_1", event="lookup.done", livemode=True, created_at=timezone.now(), data={}
            )
