"""The test button: sends one signed event to an account's address now, and tells what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from billing import limits
from billing.models import Account
from lookups.lookup import single_flight
from lookups.notifications import deliveries, webhook_events, webhook_secrets, webhook_sender
from lookups.notifications.deliveries import Answer
from lookups.notifications.webhook_sender import Sent
from lookups.notifications.webhook_signatures import sign

MOST_A_MINUTE = 5  # whoever stands behind the address did not ask for a flood


class NoAddress(Exception):
    """The account has no webhook address of this mode."""

    def __init__(self, *, livemode: bool) -> None:
        mode = "live" if livemode else "test"
        super().__init__(f"No webhookUrl is set for this account's {mode} mode; set one first, with a {mode} key.")


class TooOften(Exception):
    """Enough tests in this minute; the next after `retry_after` seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"At most {MOST_A_MINUTE} test webhooks a minute")
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class SentTest:
    """One test: the message's id and how it went."""

    message_id: str
    sent: Sent


def send_test(*, account_id: int, livemode: bool, now: datetime) -> SentTest:
    """Send a `webhook.test` event to the account's address and wait for the answer (10 s at most); it is never retried.

    Raises NoAddress, or TooOften: tests are counted for the account's mode, whoever presses the button. No transaction
    may be open.
    """
    url = Account.objects.get(pk=account_id).webhook_address(livemode=livemode)
    if not url:
        raise NoAddress(livemode=livemode)
    subject = f"hook-test:{account_id}" if livemode else f"hook-test:{account_id}:test"
    rate = limits.count(subject=subject, limit=MOST_A_MINUTE, now=now)
    if not rate.allowed:
        raise TooOften(rate.retry_after)
    message_id = webhook_events.new_id()
    data = {"message": "This is a test. Nothing happened and nothing was charged."}
    body = webhook_events.write(
        message_id=message_id, event="webhook.test", livemode=livemode, created_at=now, data=data
    )
    secrets = webhook_secrets.list_secrets(account_id=account_id, livemode=livemode, now=now)
    headers = {"Content-Type": "application/json", **sign(message_id=message_id, body=body, secrets=secrets, now=now)}
    single_flight.release_connection()
    sent = webhook_sender.post(url=url, body=body, headers=headers)
    answer = Answer(sent.status, sent.error, sent.duration_ms, sent.excerpt)
    deliveries.keep_test(
        account_id=account_id,
        livemode=livemode,
        message_id=message_id,
        address=url,
        body=body,
        answer=answer,
        now=now,
    )
    return SentTest(message_id, sent)
