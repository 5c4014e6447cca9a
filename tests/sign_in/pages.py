"""Every address of the admin, found by walking what is routed: a page added later is walked too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.contrib.auth import get_user_model
from django.urls import URLResolver, get_resolver

from scrapers.models import Reading
from tests.admin_lists import list_admins
from tests.sign_in.people import make_user

START = "admin/"
PART = re.compile(r"<(?:(\w+):)?(\w+)>")


def list_addresses() -> list[tuple[str, str]]:
    """Return (name, address) of every page, of the first row where it is about one."""
    found = dict.fromkeys((name, _fill(route)) for name, route in _walk(get_resolver().url_patterns, "", ""))
    return [(name, address) for name, address in found if address is not None]


def _walk(patterns: list[Any], before: str, place: str) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        route = before + str(pattern.pattern).removeprefix("^").replace("\\Z", "").removesuffix("$")
        if isinstance(pattern, URLResolver):
            if (before + route).startswith(START):
                yield from _walk(pattern.url_patterns, route, f"{pattern.namespace}:" if pattern.namespace else place)
        elif route.startswith(START):
            yield f"{place}{pattern.name or ''}", f"/{route}"


def _fill(route: str) -> str | None:
    """The address with the first row's number in it; None for one that catches what is none."""
    if "(?P<url>" in route:
        return None
    app = re.sub(r"\(\?P<app_label>[^)]*\)", "billing", route)
    return PART.sub(lambda part: str(_find(part[2], route)), app)


def _find(word: str, route: str) -> Any:
    reading = Reading.objects.first()
    assert reading is not None
    fixed = {"attempt_id": reading.attempt_id, "number": 1, "content_type_id": 1}
    if word in fixed:
        return fixed[word]
    if route.startswith("/admin/r/"):
        return 1
    if word in ("pk", "id"):
        return (get_user_model().objects.filter(is_superuser=False).first() or make_user()).pk
    parts = route.split("/")
    model = next(m for m in list_admins() if (m._meta.app_label, m._meta.model_name) == tuple(parts[2:4]))
    rows = model._default_manager.order_by("pk")  # type: ignore[attr-defined]
    found = rows.exclude(username=None).filter(is_superuser=False) if model is get_user_model() else rows
    return (found.first() or rows.get()).pk
