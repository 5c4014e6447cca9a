"""A Django view without anything around it, on the same server: what no answer of ours can be faster than."""

from __future__ import annotations

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.urls import path

BODY = b'{"filler":"' + b"x" * 3_000 + b'"}'


def answer(request: HttpRequest) -> HttpResponse:
    """As many bytes as a stored company has."""
    return HttpResponse(BODY, content_type="application/json", headers={"Content-Length": str(len(BODY))})


urlpatterns = [path("v1/lookup", answer)]
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], MIDDLEWARE=[], SECRET_KEY="bare")
django.setup()
application = WSGIHandler()
