"""What portals answered when attempts failed: little of it, not for long, never with a key of ours.

An answer that was read as it should be is proven by its hash; one that was not has to be looked at by a person, who
needs the page itself. An outage fails a thousand attempts in the same way, so that only the first of an hour are kept.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Q

from scrapers.models import AttemptPage, ScrapeAttempt
from scrapers.transport.exchanges import Exchange, hide_in_address, hide_in_body
from scrapers.transport.page import Page

log = logging.getLogger(__name__)

# Attempts kept: of a state and a kind of failure in an hour, of a state in a day. At worst that is 20 MB of a state and
# day (four pages of 256 KB each); a page that a registry sends is 5 to 30 KB once compressed.
AN_HOUR, A_DAY = 3, 20
MOST_READ = 2 * 1024 * 1024  # bytes of a page that are looked at; what is beyond tells no reason
MOST_KEPT = 256 * 1024  # bytes of a page once compressed
KEPT_FOR = timedelta(days=7)
SHOWN = 60_000  # characters of a page in the admin; the download has all that is kept


def keep(attempt: ScrapeAttempt, heard: Iterable[Exchange], *, secrets: Iterable[str], began: float) -> int:
    """Keep what the portal answered in this failed attempt, which is saved; returns how many pages.

    `began`: when the conversation did (time.monotonic()). Nothing is kept where no answer came, and once enough is.
    Never raises: a failure must reach its caller as what it is.
    """
    exchanges = list(heard)
    if not any(one.status for one in exchanges):
        return 0
    hidden = [one for one in secrets if one]
    try:
        if _is_enough(attempt):
            return 0
        pages = [_page(attempt, number, one, hidden, began) for number, one in enumerate(exchanges, start=1)]
        with transaction.atomic():  # of its own: what fails here leaves a caller's transaction as it was
            return len(AttemptPage.objects.bulk_create(pages))
    except Exception:
        log.exception("What %s answered could not be kept.", attempt.state)
        return 0


def read(page: AttemptPage) -> bytes:
    """The bytes as they came (our keys cut out), as far as they were kept: at most `MOST_READ`."""
    return zlib.decompress(bytes(page.body))


def read_text(page: AttemptPage) -> str:
    """The same as text, by the charset it declares; at most `SHOWN` characters. Hostile: to be escaped."""
    headers = {"content-type": page.content_type}
    return Page(page.url, page.status or 0, headers, read(page)).text[:SHOWN]


def prune(*, now: datetime) -> int:
    """Forget pages older than seven days; returns how many."""
    deleted, _ = AttemptPage.objects.filter(asked_at__lt=now - KEPT_FOR).delete()
    return deleted


def _is_enough(attempt: ScrapeAttempt) -> bool:
    """Whether so much was kept of this state lately that another page tells nothing new."""
    day, hour = attempt.started_at - timedelta(days=1), attempt.started_at - timedelta(hours=1)
    kept = AttemptPage.objects.filter(state=attempt.state, sandbox=attempt.sandbox, asked_at__gt=day).aggregate(
        day=Count("attempt", distinct=True),
        hour=Count("attempt", distinct=True, filter=Q(outcome=attempt.outcome, asked_at__gt=hour)),
    )
    return bool(kept["day"] >= A_DAY or kept["hour"] >= AN_HOUR)


def _page(attempt: ScrapeAttempt, number: int, heard: Exchange, secrets: Sequence[str], began: float) -> AttemptPage:
    came = bytes(heard.body)
    body, is_whole = _packed(hide_in_body(came[:MOST_READ], secrets))
    return AttemptPage(
        attempt=attempt,
        number=number,
        state=attempt.state,
        outcome=attempt.outcome,
        sandbox=attempt.sandbox,
        method=heard.method[:8],
        url=keepable(hide_in_address(heard.url, secrets))[:4000],
        status=heard.status,
        content_type=keepable(heard.content_type)[:120],
        size=len(came),
        is_whole=is_whole and len(came) <= MOST_READ,
        body=body,
        asked_at=attempt.started_at + timedelta(seconds=max(0.0, heard.at - began)),
    )


def _packed(raw: bytes) -> tuple[bytes, bool]:
    """The bytes compressed, and whether they are all: what does not fit is cut at the end until it does."""
    whole = len(raw)
    packed = zlib.compress(raw, 6)
    while len(packed) > MOST_KEPT:
        raw = raw[: len(raw) * MOST_KEPT // len(packed) * 9 // 10]
        packed = zlib.compress(raw, 6)
    return packed, len(raw) == whole


def keepable(text: str) -> str:
    """Text that every database keeps: what a portal writes into a header or a link may hold anything."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
