"""Pages of a few words that everybody looks for before they trust: the terms, and whom to write to."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from billing import money, prices
from lookups.pages import views
from lookups.privacy import removal_requests


@require_safe
@cache_control(public=True, max_age=300)
def terms(request: HttpRequest) -> HttpResponse:
    """What one may expect, and what is expected."""
    content: dict[str, object] = {
        "price": money.to_decimal_string(prices.LOOKUP),
        "seller": settings.SELLER.splitlines(),
        **contact_link(),
    }
    return views.show(request, "home/terms", content)


@require_safe
@cache_control(public=True, max_age=300)
def contact(request: HttpRequest) -> HttpResponse:
    """Whom to write to, and what about."""
    days = removal_requests.DUE_AFTER.days
    content: dict[str, object] = {"seller": settings.SELLER.splitlines(), "days": days, **contact_link()}
    return views.show(request, "home/contact", content)


def contact_link() -> dict[str, str]:
    """The operator's `CONTACT` as `contact`, and as `contact_url` where it can be followed; both empty without one."""
    address = settings.CONTACT
    if address.startswith(("https://", "http://")):
        return {"contact": address, "contact_url": address}
    try:
        validate_email(address)
    except ValidationError:
        return {"contact": address, "contact_url": ""}
    return {"contact": address, "contact_url": f"mailto:{address}"}
