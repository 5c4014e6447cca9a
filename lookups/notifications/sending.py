"""Sends what is due: one message after the other, whichever is next, with no transaction open while a network is asked.

Where a message goes is looked up again before each try: an address that was corrected is used for what still waits, and
one that was taken away gets nothing more.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime

from billing import mail_server
from lookups.lookup import single_flight
from lookups.lookup.asks import Stopwatch
from lookups.models import Delivery
from lookups.notifications import (
    deliveries,
    result_mail,
    webhook_events,
    webhook_secrets,
    webhook_sender,
    webhook_signatures,
)
from lookups.notifications.deliveries import GONE, Answer
from lookups.operations import request_ids, tracing
from lookups.watches import digest

log = logging.getLogger(__name__)
BROKEN = "it could not be made; the service's log says why"
NO_ADDRESS = "the account has no address for it any more"


def send_next(*, now: datetime) -> bool:
    """Send the message whose turn it is; False when none is due."""
    stopwatch = Stopwatch(now)
    delivery = deliveries.take_next(now=now)
    if delivery is None:
        return False
    with request_ids.working_on(find_request_id(delivery)), tracing.span("delivery", channel=delivery.channel) as span:
        try:
            answer = _send(delivery, now=stopwatch.now)
        except Exception:  # ours to mend; the message waits for that, and the others are sent
            log.exception("Delivery %s broke down.", delivery.message_id)
            answer = Answer(None, BROKEN, round(stopwatch.seconds * 1000))
        deliveries.note(delivery, answer, now=stopwatch.now)
        span.note(status=answer.status or 0)
        words = (delivery.message_id, delivery.event, delivery.channel, delivery.account_id, delivery.attempts)
        log.info("Delivery %s (%s, %s) of account %s, try %s: %s", *words, answer.error or f"answered {answer.status}")
    return True


def find_request_id(delivery: Delivery) -> str:
    """Of the request whose work it tells of; empty for a test, and for what tells of several."""
    work = delivery.job or delivery.bulk or (delivery.watch_event.watch if delivery.watch_event else None)
    return work.request_id if work is not None else ""


def _send(delivery: Delivery, *, now: datetime) -> Answer:
    delivery.address = _find_address(delivery)
    if not delivery.address:
        return Answer(None, NO_ADDRESS, 0, for_good=delivery.channel == Delivery.Channel.WEBHOOK)
    if delivery.channel == Delivery.Channel.EMAIL:
        return _mail(delivery)
    body = webhook_events.get_body(delivery).encode()
    secrets = webhook_secrets.list_secrets(account_id=delivery.account_id, livemode=delivery.livemode, now=now)
    headers = webhook_signatures.sign(message_id=delivery.message_id, body=body, secrets=secrets, now=now)
    headers |= {"x-request-id": request_ids.current()} if request_ids.current() else {}
    single_flight.release_connection()
    sent = webhook_sender.post(url=delivery.address, body=body, headers={"content-type": "application/json", **headers})
    return Answer(
        sent.status,
        sent.error,
        sent.duration_ms,
        sent.excerpt,
        retry_after=sent.retry_after,
        for_good=sent.status == GONE,
    )


def _mail(delivery: Delivery) -> Answer:
    """A mail that the server took has arrived, as far as we can know."""
    started = time.monotonic()
    is_digest = delivery.event == Delivery.Event.WATCH_DIGEST
    message = digest.make(delivery) if is_digest else result_mail.make(delivery)
    single_flight.release_connection()
    status, error = mail_server.post(message)
    return Answer(status, error, round((time.monotonic() - started) * 1000))


def _find_address(delivery: Delivery) -> str:
    """Results are mailed to the account's own address and nowhere else, whatever stood there when they were asked."""
    if delivery.channel == Delivery.Channel.EMAIL:
        return delivery.account.email
    own = delivery.bulk.webhook_url if delivery.bulk else ""
    own = delivery.watch_event.watch.webhook_url if delivery.watch_event else own
    return own or delivery.account.webhook_address(livemode=delivery.livemode)
