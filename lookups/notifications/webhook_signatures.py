"""Signs webhooks as the Standard Webhooks specification says, so that customers verify them with its libraries."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from standardwebhooks import Webhook


def sign(*, message_id: str, body: bytes, secrets: Sequence[str], now: datetime) -> dict[str, str]:
    """Return the three headers of a webhook: its id, its time, and one signature for each of `secrets`.

    `body` is the JSON exactly as it is sent. `message_id` stays the same in every try of one message, `now` does not.
    While a secret is being changed there are two or more of them ("whsec_…"); whoever knows one of them can verify.
    """
    if not secrets:
        raise ValueError("A webhook without a signature is never sent.")
    moment = now.astimezone(UTC)
    signatures = [Webhook(secret).sign(message_id, moment, body.decode()) for secret in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
