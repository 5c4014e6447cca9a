"""What a browser may load and run on each page: a Content-Security-Policy on everything that is not the API's.

Every page runs only files of this host, never a script or a style in the page. One thing of the admin's skin keeps that
from being as strict as the rest: Alpine.js evaluates the expressions in its attributes ('unsafe-eval'; its build that
does without knows no arrow functions, which the skin uses).
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.sign_in.middleware import ADMIN
from lookups.api.middleware import API_PREFIX
from lookups.pages.views import POLICY

HEADER = "Content-Security-Policy"
ADMIN_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
Handler = Callable[[HttpRequest], HttpResponseBase]


class ContentPolicy:
    """A page that needs another policy sets it itself."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.path_info.startswith(API_PREFIX) or (settings.DEBUG and response.status_code >= 400):
            return response  # JSON; Django's own page about an error, for developers
        response.headers.setdefault(HEADER, ADMIN_POLICY if request.path_info.startswith(ADMIN) else POLICY)
        return response
