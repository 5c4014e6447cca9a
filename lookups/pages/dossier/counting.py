"""How often one address of the network may look at what is kept here, found or not."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from lookups import client_address
from lookups.pages import views


def counted(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Count each look before anything is looked for."""

    @wraps(view)
    def page(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        rate = client_address.count_page(request, now=timezone.now())
        return view(request, *args, **named) if rate.allowed else views.too_many(request, retry_after=rate.retry_after)

    return page
