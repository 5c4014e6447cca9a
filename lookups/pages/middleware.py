"""Keeps the admin from using up the threads that customers need."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lookups.pages import views

ADMIN_PREFIX = "/admin/"


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
