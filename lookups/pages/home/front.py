"""The first page: what the service does, shown by doing it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from billing import money, prices
from lookups.pages import views
from lookups.pages.home import coverage, trying
from lookups.pages.home.examples import list_examples
from lookups.workspace import access


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The search box, prices, what each state can answer, and the first request of a program.

    The box of a member who is signed in leads to the workspace, where real registries are asked.
    """
    is_member = access.find_session(request) is not None
    box = trying.box(is_member=is_member)
    response = views.show(request, "home/home", {**box, **_content(request), "is_member": is_member})
    response["Cache-Control"] = "private, no-store" if is_member else "public, max-age=300"
    patch_vary_headers(response, ["Cookie"])
    return response


def _content(request: HttpRequest) -> dict[str, Any]:
    states = coverage.list_states()
    return {
        "price": money.to_decimal_string(prices.LOOKUP),
        "free": settings.FREE_LOOKUPS,
        "examples": list_examples(request.build_absolute_uri("/")),
        **draw_map(states),
    }


def draw_map(states: list[coverage.State]) -> dict[str, Any]:
    """What the map and the table beside it need."""
    return {
        "states_by_name": states,
        "squares": coverage.draw(states),
        "side": coverage.SIDE,
        "width": coverage.width(),
        "height": coverage.height(),
        "counts": coverage.count(states),
        "parts": coverage.list_parts(states),
    }
