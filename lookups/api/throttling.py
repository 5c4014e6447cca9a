"""Requests per minute of a key; the count itself is one atomic step in billing, because DRF's own is not."""

from __future__ import annotations

from django.utils import timezone
from rest_framework.request import Request

from billing import limits
from billing.models import ApiKey
from lookups import client_address
from lookups.api import errors


def count(request: Request) -> limits.Rate | None:
    """Count this request against its key's limit; None without a key."""
    key = request.auth
    return limits.count_request(key=key, now=timezone.now()) if isinstance(key, ApiKey) else None


def count_poll(request: Request) -> limits.Rate | None:
    """Count a look at work that was asked for, which has a limit of its own; None without a key."""
    key = request.auth
    return limits.count_poll(key=key, now=timezone.now()) if isinstance(key, ApiKey) else None


def count_keyless(request: Request) -> limits.Rate:
    """Count a request that pays as it goes against its address: challenges and checks of payments cost us work."""
    return client_address.count(request._request, now=timezone.now())


def headers(rate: limits.Rate) -> dict[str, str]:
    """What every authenticated reply tells."""
    return {
        "X-RateLimit-Limit": str(rate.limit),
        "X-RateLimit-Remaining": str(rate.remaining),
        "X-RateLimit-Reset": str(rate.reset_epoch),
    }


def refusal(rate: limits.Rate) -> errors.ApiError:
    """The 429 of a spent minute."""
    return errors.rate_limited(
        text=f"Rate limit of {rate.limit} requests per minute exceeded", retry_after=rate.retry_after
    )
