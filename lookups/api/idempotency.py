"""`Idempotency-Key` on the wire: claims the key, and tells the same answer again to a repetition."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from billing.models import ApiKey
from lookups import idempotency
from lookups.api import errors

log = logging.getLogger(__name__)

LONGEST = 255
REPLAYED = "Idempotency-Replayed"  # on a reply that was given before
LEASE_BEYOND_BUDGET = timedelta(seconds=30)

# Replies that are final. All others charged nothing and may turn out better next time, so a repetition asks anew.
KEPT = frozenset({200, 201, 202, 404})
Answer = Callable[[idempotency.Claim | None], Response]


def answer_once(request: Request, *, key: ApiKey, answer: Answer) -> Response:
    """Call `answer` unless this request was answered before; it gets the claim, which carries the ask's id."""
    word = read_word(request)
    if word is None:
        return answer(None)
    claim = _claim(request, key, word)
    if claim.is_answered:
        response = answer(claim)
        response[REPLAYED] = "true"
        return response
    try:
        response = answer(claim)
    except errors.ApiError:
        idempotency.forget(claim)  # nothing was accepted
        raise
    except BaseException:
        idempotency.release(claim, now=timezone.now())
        raise
    if response.status_code in KEPT:
        _finish(claim)
    else:
        idempotency.forget(claim)
    return response


def _finish(claim: idempotency.Claim) -> None:
    """Note that it is answered. It may be paid for by now, so the caller gets it even where that cannot be noted.

    Who repeats it then finds what was answered once the claim's lease is over.
    """
    try:
        idempotency.finish(claim)
    except DatabaseError as error:
        log.warning("An answer could not be noted under its Idempotency-Key: %s", type(error).__name__)


def same_ask(claim: idempotency.Claim | None) -> dict[str, Any]:
    """What makes a repetition the same ask as the first request: it is charged once."""
    return {"ask_id": claim.ask_id, "resumed": claim.resumed, "apart": True} if claim else {}


def _claim(request: Request, key: ApiKey, word: str) -> idempotency.Claim:
    lease = timedelta(seconds=settings.SYNC_BUDGET_SECONDS) + LEASE_BEYOND_BUDGET
    try:
        return idempotency.claim(
            account_id=key.account_id,
            sandbox=key.is_test,
            key=word,
            body_hash=_fingerprint(request),
            lease=lease,
            now=timezone.now(),
        )
    except idempotency.KeyReused:
        raise errors.ApiError(
            409, "idempotency_conflict", "This Idempotency-Key was used for another request"
        ) from None
    except idempotency.StillRunning:
        raise errors.ApiError(
            409,
            "idempotency_conflict",
            "The first request with this Idempotency-Key is still running",
            retryable=True,
            retry_after=1,
        ) from None


def read_word(request: Request) -> str | None:
    """The request's Idempotency-Key, None without one; ApiError 400 for what is none."""
    word: str | None = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if word is None:
        return None
    if not 1 <= len(word) <= LONGEST or not word.isascii() or not word.isprintable():
        raise errors.invalid({"Idempotency-Key": [f"Send 1 to {LONGEST} printable ASCII characters."]})
    return word


def _fingerprint(request: Request) -> str:
    """The same for the same request, however its JSON was written out."""
    asked = [request.method, request.path, sorted(request.query_params.items()), request.data]
    return hashlib.sha256(json.dumps(asked, sort_keys=True, default=str).encode()).hexdigest()
