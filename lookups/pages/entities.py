"""The page of one stored record. Whoever has its address may read it; nobody can list records or count through them.

The one address that answers has the whole name in it, a former one leads there, and every other one is not found:
after the same two looks into an index whether an identifier is right or made up. Each address of the network has a
limit, counted before anything is looked for.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from jurisdictions.codes import find_by_slug
from lookups import client_address, selectors
from lookups.models import RecordVersion
from lookups.pages import views
from lookups.pages.presentation import EntityPage
from lookups.privacy import suppression

CACHED = "public, max-age=300"


@require_safe
def entity(request: HttpRequest, state_slug: str, entity_slug: str) -> HttpResponse:
    """The stored record of one entity; 404 for what is not stored, and for every address but its own."""
    if settings.ENTITY_PAGES == "off":
        return views.not_found(request)
    rate = client_address.count_page(request, now=timezone.now())
    if not rate.allowed:
        return views.too_many(request, retry_after=rate.retry_after)
    version = _find(state_slug, entity_slug)
    if version is None:
        return views.not_found(request)
    if version.entity.slug != entity_slug:
        response: HttpResponse = HttpResponsePermanentRedirect(version.entity.page_url)
    else:
        page = EntityPage(version)
        response = views.show(request, "entity", {"page": page})
        if not page.is_listed:
            response["X-Robots-Tag"] = "noindex"
    response["Cache-Control"] = CACHED
    return response


def _find(state_slug: str, entity_slug: str) -> RecordVersion | None:
    place = find_by_slug(state_slug)
    found = selectors.find_entity_by_slug(state=place.code, slug=entity_slug) if place else None
    return selectors.find_latest_version(found) if found and suppression.has_page(found) else None
