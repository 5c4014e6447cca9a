"""The public pages. Scraped text is hostile input: templates escape it, and the page allows no script at all."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from jurisdictions.codes import find_by_slug
from lookups import selectors
from lookups.pages.presentation import EntityPage

# Only our own style sheet; the JSON-LD block is data, which browsers never run.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def _page(request: HttpRequest, template: str, content: dict[str, object], *, status: int = 200) -> HttpResponse:
    response = render(request, f"pages/{template}.html", content, status=status)
    response["Content-Security-Policy"] = POLICY
    return response


@require_safe
@cache_control(public=True, max_age=300)
def home(request: HttpRequest) -> HttpResponse:
    """What the service is, and the first request."""
    rows = selectors.list_states()
    available = sum(1 for row in rows if row["available"])
    return _page(request, "home", {"available": available, "total": len(rows)})


@require_safe
@cache_control(public=True, max_age=60)
def states(request: HttpRequest) -> HttpResponse:
    """Every jurisdiction: whether it answers, what it shows, and how sure that is."""
    return _page(request, "states", {"states": selectors.list_states()})


@require_safe
@cache_control(public=True, max_age=300)
def entity(request: HttpRequest, state_slug: str, entity_slug: str) -> HttpResponse:
    """The stored record of one entity; 404 for what is not stored."""
    place = find_by_slug(state_slug)
    stored = selectors.find_record_by_slug(state=place.code, slug=entity_slug) if place else None
    if place is None or stored is None:
        return not_found(request)
    return _page(request, "entity", {"page": EntityPage(stored, place)})


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Pages are for everybody; the API and the admin are not for crawlers."""
    lines = ["User-agent: *", "Disallow: /v1/", "Disallow: /admin/", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


def _message_page(request: HttpRequest, *, status: int, code: str, title: str, text: str) -> HttpResponse:
    """One error for people as a page, for programs (below /v1/) in the API's one shape."""
    if request.path.startswith("/v1/"):
        request_id = getattr(request, "request_id", None)
        body = {"success": False, "error": title, "code": code, "cost": 0, "retryable": status >= 500}
        return JsonResponse(body | {"requestId": request_id}, status=status)
    return _page(request, "error", {"title": title, "text": text, "status": status}, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400."""
    return _message_page(
        request,
        status=400,
        code="invalid_request",
        title="Invalid request",
        text="The request could not be understood.",
    )


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404."""
    return _message_page(
        request,
        status=404,
        code="not_found",
        title="Not found",
        text="There is no page here. An entity has a page once its record has been fetched.",
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """500."""
    return _message_page(
        request,
        status=500,
        code="internal_error",
        title="Something broke",
        text="It has been logged. Please try again.",
    )
