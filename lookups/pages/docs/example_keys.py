"""The reader's own test key in the examples. Their browser alone keeps it: we have the hash, which shows nothing.

So one is made for the purpose (`lookups.workspace.example_key`), for test mode and half a day, and comes in a cookie.
"""

from __future__ import annotations

import re
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse

LASTS = timedelta(hours=12)
_FORM = re.compile(r"osd_test_[a-z2-7]{32}")


def find(request: HttpRequest) -> str | None:
    """The test key that this browser has for examples; what looks like anything else is none."""
    found = request.COOKIES.get(settings.EXAMPLE_KEY_COOKIE_NAME, "")
    return found if _FORM.fullmatch(found) else None


def keep(response: HttpResponse, secret: str) -> None:
    """Have the browser keep a test key, where no script reads it."""
    name, secure = settings.EXAMPLE_KEY_COOKIE_NAME, settings.CSRF_COOKIE_SECURE
    response.set_cookie(name, secret, max_age=LASTS, httponly=True, samesite="Lax", secure=secure)


def drop(response: HttpResponse) -> None:
    """Have the browser forget it."""
    response.delete_cookie(settings.EXAMPLE_KEY_COOKIE_NAME)
