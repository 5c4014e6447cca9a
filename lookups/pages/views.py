"""The public pages. Scraped text is hostile input: templates escape it, and the page allows no script at all."""

from __future__ import annotations

import sys

from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from lookups import selectors

# Only our own style sheet; the JSON-LD block is data, which browsers never run. What says nothing else has this policy
# (`config.content_policy`).
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

READ_ONLY = "25006"  # PostgreSQL's word for a transaction that would write where nobody may


def show(request: HttpRequest, template: str, content: dict[str, object], *, status: int = 200) -> HttpResponse:
    """A page of ours; it may run no script and load nothing from elsewhere."""
    return render(request, f"pages/{template}.html", content, status=status)


@require_safe
@cache_control(public=True, max_age=300)
def home(request: HttpRequest) -> HttpResponse:
    """What the service is, and the first request."""
    rows = selectors.list_states()
    available = sum(1 for row in rows if row["available"])
    return show(request, "home", {"available": available, "total": len(rows)})


@require_safe
@cache_control(public=True, max_age=60)
def states(request: HttpRequest) -> HttpResponse:
    """Every jurisdiction: whether it answers, what it shows, and how sure that is."""
    return show(request, "states", {"states": selectors.list_states()})


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Pages are for everybody; the API and the admin are not for crawlers.

    Entity pages are not named here: a crawler that may not open one never sees that it is not to be listed.
    """
    lines = ["User-agent: *", "Disallow: /v1/", "Disallow: /admin/", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


def show_message(request: HttpRequest, *, status: int, code: str, title: str, text: str) -> HttpResponse:
    """One error for people as a page, for programs (below /v1/) in the API's one shape."""
    if request.path.startswith("/v1/"):
        request_id = getattr(request, "request_id", None)
        body = {"success": False, "error": title, "code": code, "cost": 0, "retryable": status >= 500}
        return JsonResponse(body | {"requestId": request_id}, status=status)
    return show(request, "error", {"title": title, "text": text, "status": status}, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400."""
    return show_message(
        request,
        status=400,
        code="invalid_request",
        title="Invalid request",
        text="The request could not be understood.",
    )


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404."""
    return show_message(
        request,
        status=404,
        code="not_found",
        title="Not found",
        text="There is no page here. An entity has a page once its record has been fetched.",
    )


def busy(request: HttpRequest) -> HttpResponse:
    """503: too many are here at this moment."""
    text = "Too many people are here at this moment. Please try again in a few seconds."
    return _come_again(request, seconds=2, title="Busy", text=text)


def too_many(request: HttpRequest, *, retry_after: int) -> HttpResponse:
    """429: this address has asked for enough in this minute or hour."""
    text = f"Too many have come from your network. Please try again in {retry_after} seconds."
    page = show_message(request, status=429, code="rate_limited", title="Too many requests", text=text)
    page["Retry-After"], page["Cache-Control"] = str(retry_after), "no-store"
    return page


def server_error(request: HttpRequest) -> HttpResponse:
    """500; 503 where the database is away, which a moment mends."""
    if _is_away(sys.exc_info()[1]):
        text = "The database does not answer. Nothing is lost; please try again."
        return _come_again(request, seconds=15, title="Not available for a moment", text=text)
    return show_message(
        request,
        status=500,
        code="internal_error",
        title="Something broke",
        text="It has been logged. Please try again.",
    )


def _come_again(request: HttpRequest, *, seconds: int, title: str, text: str) -> HttpResponse:
    page = show_message(request, status=503, code="internal_error", title=title, text=text)
    page["Retry-After"] = str(seconds)
    return page


def _is_away(error: BaseException | None) -> bool:
    """Whether it is the database's state that stopped us: stopped, frozen, full, busy, or open for reading alone."""
    read_only = isinstance(error, DatabaseError) and getattr(error.__cause__, "sqlstate", "") == READ_ONLY
    return read_only or isinstance(error, OperationalError | InterfaceError)
