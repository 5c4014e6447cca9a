"""The public pages. Scraped text is hostile input: templates escape it, and no script in a page is ever run."""

from __future__ import annotations

import sys

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from scrapers.evidence.bodies import StoreAway

# Only our own files, nothing in the page; the JSON-LD block is data, which browsers never run. What says nothing else
# has this policy (`config.content_policy`).
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

TOO_LARGE = {
    "title": "Too large",
    "text": "A file or a text may have 5 MB. Nothing was kept. Leave out what is not needed, or send it in parts.",
    "action": "Back to the form",
}
TOO_LONG = {
    "title": "Too long",
    "text": "The address, or the cookies that your browser keeps for this site, are too long. Nothing was done. "
    "Remove the cookies of this site if it happens again.",
    "action": "Back to the first page",
}
READ_ONLY = "25006"  # PostgreSQL's word for a transaction that would write where nobody may


def show(request: HttpRequest, template: str, content: dict[str, object], *, status: int = 200) -> HttpResponse:
    """A page of ours; it loads nothing from elsewhere. `canonical` is its one address, whatever the query said."""
    common = {"canonical": f"{settings.PUBLIC_URL}{request.path}", "free": settings.FREE_LOOKUPS}
    return render(request, f"pages/{template}.html", {**common, **content}, status=status)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Pages are for everybody; the API, the admin, what people sign in to and the search box are not for crawlers.

    Entity pages are not named here: a crawler that may not open one never sees that it is not to be listed.
    """
    closed = ("/v1/", "/admin/", "/app/", "/try/")
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in closed)]
    lines += ["", f"Sitemap: {settings.PUBLIC_URL}{reverse('sitemap')}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


def show_message(
    request: HttpRequest, *, status: int, code: str, title: str, text: str, action: str = "", url: str = ""
) -> HttpResponse:
    """One error for people as a page with one next step, for programs (below /v1/) in the API's one shape."""
    if request.path.startswith("/v1/"):
        request_id = getattr(request, "request_id", None)
        body = {"success": False, "error": title, "code": code, "cost": 0, "retryable": status >= 500}
        return JsonResponse(body | {"requestId": request_id}, status=status)
    step = {"action": action or "Back to the first page", "url": url or "/"}
    return show(request, "error", {"title": title, "text": text, "status": status, **step}, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400; 413 for more than a form may send."""
    if isinstance(exception, RequestDataTooBig):
        return show_message(request, status=413, code="payload_too_large", url=request.path, **TOO_LARGE)
    text = "The request could not be understood."
    return show_message(request, status=400, code="invalid_request", title="Invalid request", text=text)


def write_too_large(path: str) -> bytes:
    """The page of a 413 for the web server, which refuses what is far too large before there is a request."""
    return render_to_string("pages/error.html", {**TOO_LARGE, "status": 413, "url": f"/{path.lstrip('/')}"}).encode()


def write_too_long() -> bytes:
    """The page of a 431 for the web server."""
    return render_to_string("pages/error.html", {**TOO_LONG, "status": 431, "url": "/"}).encode()


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403."""
    text = "You may not see this page with the account you are signed in with, or you are not signed in."
    if request.method == "POST":
        text = f"{text} What you just sent was not accepted."
    step = _way_back(request, action="Sign in", url="/app/")
    return show_message(request, status=403, code="forbidden", title="Not allowed", text=text, **step)


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 of a form that was not sent from a page of ours, or from one that had been open for too long."""
    text = "This form has expired, or your browser accepts no cookies from this site. Nothing was sent. Open it again."
    step = {"action": "Open it again", "url": request.path}
    return show_message(request, status=403, code="forbidden", title="Not sent", text=text, **step)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404."""
    text = "There is no page here."
    if request.path.startswith("/entity/"):
        text = f"{text} A company has one once its record has been fetched, under its present name."
    if request.path.startswith("/app/"):
        text = f"{text} A key or a message has one in its own mode alone: live, or the sandbox."
    step = _way_back(request, action="Look a company up", url="/")
    return show_message(request, status=404, code="not_found", title="Not found", text=text, **step)


def not_allowed(request: HttpRequest, *, allowed: str) -> HttpResponse:
    """405."""
    text = f"This address takes {allowed} alone."
    step = {"action": "Open the page", "url": request.path}
    if "GET" not in allowed.split(", "):  # a form is sent there, and there is no page
        step = _way_back(request, action="To the home page", url="/")
    page = show_message(request, status=405, code="method_not_allowed", title="Not this way", text=text, **step)
    page["Allow"] = allowed
    return page


def busy(request: HttpRequest) -> HttpResponse:
    """503: too many are here at this moment."""
    text = "The service is busy at the moment. Please try again in a few seconds."
    return _come_again(request, seconds=2, title="Busy", text=text)


def too_many(request: HttpRequest, *, retry_after: int) -> HttpResponse:
    """429: this address has asked for enough in this minute or hour."""
    text = f"Too many requests have come from your network. Please try again in {retry_after} seconds."
    step = {"action": "Try again", "url": request.get_full_path()} if request.method in ("GET", "HEAD") else {}
    page = show_message(request, status=429, code="rate_limited", title="Too many requests", text=text, **step)
    page["Retry-After"], page["Cache-Control"] = str(retry_after), "no-store"
    return page


def server_error(request: HttpRequest) -> HttpResponse:
    """500; 503 where the database or the store of evidence is away, which a moment mends."""
    if is_away(sys.exc_info()[1]):
        text = "The database, or the store of evidence, does not answer. Nothing is lost; please try again."
        return _come_again(request, seconds=15, title="Not available for a moment", text=text)
    text = "It has been logged. Please try again."
    return show_message(request, status=500, code="internal_error", title="Something broke", text=text)


def _way_back(request: HttpRequest, *, action: str, url: str) -> dict[str, str]:
    """Staff and members are led back to where they were; everybody else to what is offered."""
    for place, label in (("/admin/", "Back to the admin"), ("/app/", "Back to the workspace")):
        if request.path.startswith(place):
            return {"action": label, "url": place}
    return {"action": action, "url": url}


def _come_again(request: HttpRequest, *, seconds: int, title: str, text: str) -> HttpResponse:
    step = {"action": "Try again", "url": request.get_full_path()}
    page = show_message(request, status=503, code="internal_error", title=title, text=text, **step)
    page["Retry-After"] = str(seconds)
    return page


def is_away(error: BaseException | None) -> bool:
    """Whether it is a store's state that stopped us: stopped, frozen, full, busy, or open for reading alone."""
    read_only = isinstance(error, DatabaseError) and getattr(error.__cause__, "sqlstate", "") == READ_ONLY
    return read_only or isinstance(error, OperationalError | InterfaceError | StoreAway)
