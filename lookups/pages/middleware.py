"""What wraps pages: the admin kept from using up the threads that customers need, and refusals that are pages."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve

from lookups.pages import views

ADMIN_PREFIX, WORKSPACE_PREFIX = "/admin/", "/app/"


class AdminBound:
    """At most a quarter of a process's threads at the admin's pages; who comes then is asked to come back in a moment.

    Signing in is work for everybody who may try it: hashing a password takes half a second of a processor.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._places = threading.BoundedSemaphore(max(1, settings.WEB_THREADS // 4))

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(ADMIN_PREFIX):
            return self.get_response(request)
        if not self._places.acquire(blocking=False):
            return views.busy(request)
        try:
            return self.get_response(request)
        finally:
            self._places.release()


class PlainRefusals:
    """A method that a page does not take is refused by a page too; the API and the provider's messages pass by.

    Where the workspace or the admin takes a form alone, its answer may be a page all the same, at that address: who
    opens that again, switches the mode there or comes back from signing in is led to the page that has the form.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code != 405 or request.path_info.startswith(("/v1/", "/webhooks/")):
            return response
        if request.method in ("GET", "HEAD") and request.path_info.startswith((WORKSPACE_PREFIX, ADMIN_PREFIX)):
            return HttpResponseRedirect(_page_above(request.path_info))
        return views.not_allowed(request, allowed=response.headers.get("Allow", "GET"))


def _page_above(path: str) -> str:
    """The nearest address above this one that there is."""
    above = path.rstrip("/").rpartition("/")[0] + "/"
    try:
        resolve(above)
    except Resolver404:
        return _page_above(above)
    return above
