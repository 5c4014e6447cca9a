"""The page of one stored record. Whoever has its address may read it; nobody can list records or count through them.

The one address that answers has the whole name in it, a former one leads there, and every other one is not found:
after the same two looks into an index whether an identifier is right or made up. Each address of the network has a
limit, counted before anything is looked for.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from jurisdictions.codes import find_by_slug
from lookups import selectors
from lookups.models import RecordVersion
from lookups.pages import views
from lookups.pages.dossier import signed
from lookups.pages.dossier.counting import counted
from lookups.pages.dossier.page import of_version
from lookups.privacy import suppression

CACHED = "public, max-age=300"


@require_safe
@counted
def entity(request: HttpRequest, state_slug: str, entity_slug: str) -> HttpResponse:
    """The stored record of one entity; 404 for what is not stored, and for every address but its own."""
    if settings.ENTITY_PAGES == "off":
        return views.not_found(request)
    version = _find(state_slug, entity_slug)
    if version is None:
        return views.not_found(request)
    if version.entity.slug != entity_slug:
        response: HttpResponse = HttpResponsePermanentRedirect(version.entity.page_url)
    else:
        page = of_version(version, viewer="public", now=timezone.now())
        response = views.show(request, "entity", {"page": page})
        if not page.is_listed:
            response["X-Robots-Tag"] = "noindex"
    response["Cache-Control"] = CACHED
    return response


def _find(state_slug: str, entity_slug: str) -> RecordVersion | None:
    place = find_by_slug(state_slug)
    found = selectors.find_entity_by_slug(state=place.code, slug=entity_slug) if place else None
    return selectors.find_latest_version(found) if found and suppression.has_page(found) else None


@require_safe
@counted
def picture_of(request: HttpRequest, state_slug: str, entity_slug: str) -> HttpResponse:
    """The picture that stands for the page where its address is shared; 404 where there is no such page."""
    version = _find(state_slug, entity_slug) if settings.ENTITY_PAGES != "off" else None
    if version is None or version.entity.slug != entity_slug:
        return views.not_found(request)
    from lookups.pages.dossier import picture  # here: few pages are shared, and what draws holds 4 MB

    page = of_version(version, viewer="public", now=timezone.now())
    drawn = picture.draw(
        name=page.name,
        status=page.status.quoted,
        kind=page.status.kind,
        is_old=page.is_old,
        place=page.place.name,
        read=page.proof.origin,
    )
    response = HttpResponse(drawn, content_type="image/png")
    response["Cache-Control"] = CACHED
    if not page.is_listed:
        response["X-Robots-Tag"] = "noindex"
    return response


@require_safe
@counted
def manifest(request: HttpRequest, sha256: str) -> HttpResponse:
    """What was signed under this hash, as a stranger may see it: where the code on a printed dossier leads.

    Nobody guesses a hash; whoever has one was shown the paper that it stands on.
    """
    found = signed.find(sha256, now=timezone.now())
    if found is None:
        response = render(request, "pages/signed_unknown.html", {"sha256": sha256[:80]}, status=404)
    else:
        response = views.show(request, "signed", {"found": found, "page": found.page})
    response["Cache-Control"], response["X-Robots-Tag"] = "no-store", "noindex"
    return response
