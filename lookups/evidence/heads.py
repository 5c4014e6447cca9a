"""The head of the chain, signed once an hour, and time-stamped by an authority of the operator's choice.

A head stands for every entry before it. So only the newest waits for a time-stamp: where the authority does not answer
it is asked again, and what it missed is under the next head that it vouches for.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from lookups.evidence import chain, signing, timestamps
from lookups.lookup.storage import wire_time
from lookups.models import ChainHead, ChainTip

log = logging.getLogger(__name__)

EVERY = timedelta(hours=1)


def make(*, now: datetime) -> ChainHead | None:
    """Write the chain on and sign its head; None where the last one is not an hour old, or nothing has come since."""
    last = ChainHead.objects.order_by("-number").first()
    if last is not None and now - EVERY < last.made_at <= now:
        return None
    chain.append()
    with transaction.atomic():
        tip = ChainTip.objects.select_for_update().first()
        if tip is None or not tip.number or ChainHead.objects.filter(number=tip.number).exists():
            return None
        content = {
            "type": "sos-lookup/head",
            "version": 1,
            "service": settings.PUBLIC_URL,
            "number": tip.number,
            "hash": tip.hash,
            "at": wire_time(now),
        }
        signed = signing.sign(content, now=now)
        head = ChainHead.objects.create(
            number=tip.number,
            document=signed.document.decode(),
            signature=signed.signature,
            key_id=signed.key_id,
            made_at=now,
        )
    log.info("evidence head %s %s", head.number, tip.hash)
    return head


def stamp(*, now: datetime) -> ChainHead | None:
    """Ask the authority about the newest head, where there is an authority and it has not answered yet.

    No transaction is open meanwhile. What it refuses is noted, and asked again the next time.
    """
    head = ChainHead.objects.order_by("-number").first()
    if not settings.TIMESTAMP_AUTHORITY or head is None or head.token is not None:
        return None
    waiting = ChainHead.objects.filter(pk=head.pk, token__isnull=True)
    try:
        token = timestamps.ask(settings.TIMESTAMP_AUTHORITY, head.document.encode())
    except timestamps.NotStamped as why:
        waiting.update(refusal=str(why)[:200])
        log.warning("No time-stamp for the head at entry %s: %s", head.number, why)
        return None
    waiting.update(token=token.raw, stamped_at=token.at, refusal="")
    head.refresh_from_db()
    return head
