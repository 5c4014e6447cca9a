"""How an example is written down."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample

from lookups.api.wire.errors import InvalidRequest
from lookups.api.wire.shape import Shape, fill, to_plain

JOB, BULK = "job_0b9f3c7e5d1a4f68a2c40e7d9b13f5a6", "bulk_6f0d1b7e2c9a4e35b8f1a0c7d4e29b63"


LOOKUP = "lk_9d1f6a0c4b7e4d52a8c3f0e1b2d4a5c6"


def marks(verdict: str | None = "found") -> dict[str, Any]:
    """What every reply about a lookup carries."""
    return {"lookupId": LOOKUP, "verdict": verdict, "livemode": True}


def request(title: str, **value: Any) -> OpenApiExample:
    return OpenApiExample(title, value=value, request_only=True)


def reply(title: str, value: Any, status: int = 200) -> OpenApiExample:
    return OpenApiExample(title, value=to_plain(value), response_only=True, status_codes=[str(status)])


def error(
    answer: int, code: str, text: str, shape: type[Shape] = InvalidRequest, /, *, retryable: bool = False, **more: Any
) -> OpenApiExample:
    value = fill(
        shape,
        {
            "success": False,
            "error": text,
            "code": code,
            "cost": 0,
            "retryable": retryable,
            "requestId": "req-7f3a",
            "docUrl": f"https://example.com/docs/errors/#{code}",
            **more,
        },
    )
    return reply(f"{code}_{answer}", value, answer)
