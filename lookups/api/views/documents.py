"""The contract as a document for programs, and an answer for what is not in it. People read `lookups.pages.docs`."""

from __future__ import annotations

import copy
import json
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from rest_framework.request import Request
from rest_framework.response import Response

from lookups.api import errors
from lookups.api.endpoint import OpenEndpoint
from lookups.api.schema import describe, offers
from lookups.api.schema.document import CONTACT, read


@lru_cache(maxsize=4)
def _document(offered: str, contact: str) -> bytes:
    document = copy.deepcopy(read())
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


class UnknownView(OpenEndpoint):
    """Every address below /v1/ that is none."""

    @describe.hidden
    def _nothing(self, request: Request, rest: str = "") -> Response:
        raise errors.for_status(404)

    get = post = put = patch = delete = _nothing
