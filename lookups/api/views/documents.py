"""The contract as a document: /openapi.json for programs, /docs/ for people, and an answer for what is not in it."""

from __future__ import annotations

import copy
import json
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from rest_framework.request import Request
from rest_framework.response import Response

from lookups.api import errors
from lookups.api.endpoint import OpenEndpoint
from lookups.api.schema import describe, offers
from lookups.api.schema.document import CONTACT, build
from lookups.api.wire.words import CODES, REASONS

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


LLMS = """# SOS Lookup

> What does the state's own registry say about this company, right now?

- POST /v1/lookup with {{"entity_name": "…", "state": "DE"}} returns the registry's own record of one company, or with
  "searchType": "ucc" the UCC filings of a party. {price}, charged per answer delivered: not found (404), unavailable
  (503) and refused requests cost nothing.
- Send an API key as `x-api-key`. {keyless}
- GET /v1/states (no key) says what each jurisdiction can answer.

## Docs

- [OpenAPI document](/openapi.json): every endpoint, field and error
- [Reference for people](/docs/)
- [Prices and how to pay](/pricing/)
"""
KEYLESS = """Without a key the request is answered 402 with a Payment challenge
  (WWW-Authenticate: Payment, intent charge); repeat it with the credential in `Authorization` and the answer carries
  a Payment-Receipt."""


@lru_cache(maxsize=1)
def _bare() -> dict[str, Any]:
    return build()


@lru_cache(maxsize=4)
def _document(offered: str, contact: str) -> bytes:
    document = copy.deepcopy(_bare())
    if contact:
        document["info"]["contact"] = CONTACT | ({"email": contact} if "@" in contact else {"url": contact})
    if offers := json.loads(offered):
        document["paths"]["/v1/lookup"]["post"]["x-payment-info"] = {"offers": offers}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


@require_safe
@cache_control(public=True, max_age=300)
def openapi(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document, with the offers of this installation."""
    return HttpResponse(_document(json.dumps(offers.configured()), settings.CONTACT), content_type="application/json")


@require_safe
@cache_control(public=True, max_age=300)
def llms(request: HttpRequest) -> HttpResponse:
    """The service in a few lines of plain text, for agents."""
    text = LLMS.format(price=offers.price(), keyless=KEYLESS if offers.configured() else "Nothing is answered without.")
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=300)
def docs(request: HttpRequest) -> HttpResponse:
    """The document for people, with a form to try it out; every asset comes from here."""
    response = render(request, "api/docs.html")
    response["Content-Security-Policy"] = POLICY
    return response


@require_safe
@cache_control(public=True, max_age=300)
def error_codes(request: HttpRequest) -> HttpResponse:
    """Every error code under an anchor of its own, to which each error's `docUrl` leads."""
    return render(request, "api/errors.html", {"codes": CODES.items(), "reasons": REASONS.items()})


class UnknownView(OpenEndpoint):
    """Every address below /v1/ that is none."""

    @describe.hidden
    def _nothing(self, request: Request, rest: str = "") -> Response:
        raise errors.for_status(404)

    get = post = put = patch = delete = _nothing
