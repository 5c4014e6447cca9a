"""Every address that a person may open outside the admin, found by walking what is routed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.urls import URLResolver, get_resolver

PART = re.compile(r"<(?:\w+:)?(\w+)>")
APART = ("admin/", "v1/", "mcp", "reconcile/", "webhooks/", "static/")


def list_addresses(known: Mapping[str, str]) -> list[str]:
    """All of them; parts that vary are filled from `known`, and what cannot be filled is left out."""
    found = [_fill(route, known) for route in _walk(get_resolver().url_patterns, "")]
    return list(dict.fromkeys(one for one in found if one is not None))


def _walk(patterns: list[Any], before: str) -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if route.startswith(APART):
            continue
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        elif "^" not in route and "(" not in route:
            yield f"/{route}"


def _fill(route: str, known: Mapping[str, str]) -> str | None:
    names = PART.findall(route)
    if any(name not in known for name in names):
        return None
    return PART.sub(lambda part: known[part[1]], route)
