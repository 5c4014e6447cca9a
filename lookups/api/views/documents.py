"""The contract as a document: /openapi.json for programs, /docs/ for people, and an answer for what is not in it."""

from __future__ import annotations

import json
from functools import lru_cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from rest_framework.request import Request
from rest_framework.response import Response

from lookups.api import errors
from lookups.api.endpoint import OpenEndpoint
from lookups.api.schema import describe
from lookups.api.schema.document import build

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@lru_cache(maxsize=1)
def _document() -> bytes:
    return json.dumps(build(), ensure_ascii=False, separators=(",", ":")).encode()


@require_safe
@cache_control(public=True, max_age=300)
def openapi(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document."""
    return HttpResponse(_document(), content_type="application/json")


@require_safe
@cache_control(public=True, max_age=300)
def docs(request: HttpRequest) -> HttpResponse:
    """The document for people, with a form to try it out; every asset comes from here."""
    response = render(request, "api/docs.html", {"codes": errors.CODES.items()})
    response["Content-Security-Policy"] = POLICY
    return response


class UnknownView(OpenEndpoint):
    """Every address below /v1/ that is none."""

    @describe.hidden
    def _nothing(self, request: Request, rest: str = "") -> Response:
        raise errors.for_status(404)

    get = post = put = patch = delete = _nothing
