"""What we sign, the specification's own library and six lines by hand accept; anything else they refuse."""

from __future__ import annotations

import base64
import json
import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from lookups.notifications.webhook_signatures import sign

BODY = '{"id":"msg_1","type":"webhook.test","data":{"name":"Käse & Söhne"}}'.encode()
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "webhooks.md"
OLD = "whsec_" + base64.b64encode(b"o" * 32).decode()
NEW = "whsec_" + base64.b64encode(b"n" * 32).decode()


def signed(*secrets: str, now: datetime | None = None) -> dict[str, str]:
    """The headers of the body."""
    return sign(message_id="msg_1", body=BODY, secrets=secrets, now=now or datetime.now(UTC))


def by_hand(headers: dict[str, str], body: bytes, secret: str) -> bool:
    """The lines that docs/webhooks.md gives to customers, run as they stand there."""
    [lines] = re.findall(r"By hand.*?```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {"headers": headers, "body": body, "secret": secret}
    exec(lines, names)
    return bool(names["genuine"] and names["fresh"])


class TestASignedWebhook:
    """The three headers."""

    def test_is_what_every_library_of_the_specification_expects(self) -> None:
        headers = sign(
            message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
            body=b'{"test": 2432232314}',
            secrets=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
            now=datetime.fromtimestamp(1614265330, UTC),
        )
        assert headers == {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }

    def test_is_accepted_by_the_library(self) -> None:
        assert Webhook(NEW).verify(BODY, signed(NEW)) == json.loads(BODY)

    def test_is_accepted_by_hand(self) -> None:
        assert by_hand(signed(NEW), BODY, NEW)

    def test_says_the_same_moment_in_every_time_zone(self) -> None:
        moment = datetime(2026, 11, 21, 12, 0, 0, 999_999, tzinfo=UTC)
        there = moment.astimezone(timezone(timedelta(hours=-5)))
        assert signed(NEW, now=moment) == signed(NEW, now=there)

    def test_is_refused_when_the_body_was_changed(self) -> None:
        headers, changed = signed(NEW), BODY.replace(b"msg_1", b"msg_2")
        with pytest.raises(WebhookVerificationError):
            Webhook(NEW).verify(changed, headers)
        assert not by_hand(headers, changed, NEW)

    @pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp"])
    def test_is_refused_when_its_id_or_time_was_changed(self, name: str) -> None:
        headers = signed(NEW)
        changed = headers | {name: str(int(headers[name]) + 1) if headers[name].isdigit() else "msg_2"}
        with pytest.raises(WebhookVerificationError, match="No matching signature"):
            Webhook(NEW).verify(BODY, changed)
        assert not by_hand(changed, BODY, NEW)

    def test_is_refused_when_it_is_old(self) -> None:
        with pytest.raises(WebhookVerificationError, match="too old"):
            Webhook(NEW).verify(BODY, signed(NEW, now=datetime.now(UTC) - timedelta(minutes=6)))
        assert not by_hand(signed(NEW, now=datetime.now(UTC) - timedelta(minutes=6)), BODY, NEW)

    def test_is_refused_with_another_secret(self) -> None:
        with pytest.raises(WebhookVerificationError, match="No matching signature"):
            Webhook(OLD).verify(BODY, signed(NEW))

    def test_is_never_made_without_a_secret(self) -> None:
        with pytest.raises(ValueError, match="never sent"):
            signed()


class TestTheChangeOfASecret:
    """Two secrets at a time."""

    def test_satisfies_those_who_know_either(self) -> None:
        headers = signed(NEW, OLD)
        assert len(headers["webhook-signature"].split(" ")) == 2
        for secret in (NEW, OLD):
            assert Webhook(secret).verify(BODY, headers) == json.loads(BODY)
            assert by_hand(headers, BODY, secret)
