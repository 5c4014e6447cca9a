"""What search engines may find: an index of the companies of each state, and the sitemap.

Both name nothing unless pages are public (`ENTITY_PAGES`), and never a company of the sandbox or one that somebody had
left out. Otherwise there is no list of what was read here, for nobody is to learn what others have asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from jurisdictions.codes import PLACES, Place, find_by_slug
from lookups.models import Entity, Suppression
from lookups.pages import views
from lookups.pages.docs import views as docs
from lookups.pages.dossier import linked_data
from lookups.pages.dossier.counting import counted
from lookups.pages.dossier.record.words import clip

PER_PAGE = 100
PER_FILE = 10_000  # addresses of one file; a search engine reads 50,000
CACHED = cache_control(public=True, max_age=3600)
_LONGEST_SLUG = 240
_OWN = ("home", "states", "pricing", "verify", "privacy", "terms", "contact")  # pages by the names of their addresses


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of an index, or of a sitemap; the day of the reading, not the minute."""

    name: str
    url: str
    day: date

    @property
    def address(self) -> str:
        """With the host."""
        return f"{settings.PUBLIC_URL}{self.url}"


def list_public(state: str) -> QuerySet[Entity]:
    """The companies of a state that everybody may know we have read, by the last part of their addresses."""
    if settings.ENTITY_PAGES != "public":
        return Entity.objects.none()
    left_out = Suppression.objects.active().filter(
        kind=Suppression.Kind.COMPANY, state=OuterRef("state"), entity_id=OuterRef("entity_id")
    )
    shown = Entity.objects.filter(state=state, sandbox=False).exclude(Exists(left_out))
    return shown.order_by("slug", "pk")


def list_indexes() -> dict[str, str]:
    """The address of each state's index by the state's code, as far as there is one to lead to."""
    public = PLACES.values() if settings.ENTITY_PAGES == "public" else ()
    return {
        place.code: reverse("entity-index", args=[place.slug]) for place in public if list_public(place.code).exists()
    }


@require_safe
@counted
@CACHED
def index(request: HttpRequest, state_slug: str) -> HttpResponse:
    """A page of the companies of one state, in the order of their names; 404 where nobody may list them."""
    place = find_by_slug(state_slug)
    after = request.GET.get("after", "")[:_LONGEST_SLUG]
    rows = list_public(place.code) if place else Entity.objects.none()
    found = list((rows.filter(slug__gt=after) if after.isprintable() else rows)[: PER_PAGE + 1])
    if place is None or not found:
        return views.not_found(request)
    page = found[:PER_PAGE]
    path = reverse("entity-index", args=[place.slug])
    crumbs = [("States", reverse("states")), (place.name, "")]
    content = {
        "place": place,
        "companies": [_listed(one) for one in page],
        "after": after,
        "next": page[-1].slug if len(found) > PER_PAGE else "",
        "crumbs": crumbs,
        "canonical": f"{settings.PUBLIC_URL}{path}",
        "json_ld": linked_data.write([linked_data.trail(crumbs, here=path)]),
    }
    return views.show(request, "entity_index", content)


@require_safe
@counted
@CACHED
def sitemap(request: HttpRequest) -> HttpResponse:
    """The list of sitemaps: our own pages, and each state's files as far as they may be listed."""
    files = [reverse("sitemap-pages")]
    if settings.ENTITY_PAGES == "public":
        files += [url for place in PLACES.values() for url in _files_of(place)]
    content = {"files": [f"{settings.PUBLIC_URL}{url}" for url in files]}
    return render(request, "pages/sitemap_index.xml", content, content_type="application/xml")


@require_safe
@counted
@CACHED
def sitemap_of_pages(request: HttpRequest) -> HttpResponse:
    """Our own pages."""
    urls = [f"{settings.PUBLIC_URL}{reverse(name)}" for name in _OWN]
    others = (f"{settings.PUBLIC_URL}{url}" for url in (*list_indexes().values(), *docs.list_addresses()))
    pages = [{"address": url} for url in (*urls, *others)]
    return render(request, "pages/sitemap.xml", {"pages": pages}, content_type="application/xml")


@require_safe
@counted
@CACHED
def sitemap_of_state(request: HttpRequest, state_slug: str, number: int) -> HttpResponse:
    """One file of a state's companies; 404 where it has none."""
    place = find_by_slug(state_slug)
    start = (number - 1) * PER_FILE
    rows = list(list_public(place.code)[start : start + PER_FILE]) if place and 0 < number < 10_000 else []
    if not rows:
        return views.not_found(request)
    content = {"pages": [_listed(one) for one in rows]}
    return render(request, "pages/sitemap.xml", content, content_type="application/xml")


def _files_of(place: Place) -> list[str]:
    files = -(-list_public(place.code).count() // PER_FILE)
    return [reverse("sitemap-state", args=[place.slug, number + 1]) for number in range(files)]


def _listed(entity: Entity) -> Listed:
    return Listed(clip(entity.name, 200) or entity.entity_id, entity.page_url, entity.last_read_at.date())
