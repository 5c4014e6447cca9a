"""The page of states: what each registry can answer here, how sure that is, and why one does not answer."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from lookups.pages import views
from lookups.pages.dossier import listing
from lookups.pages.home import coverage


@require_safe
@cache_control(public=True, max_age=60)
def states(request: HttpRequest) -> HttpResponse:
    """Every jurisdiction by name, or those of one filter: links, so that it needs no script."""
    word = request.GET.get("show", "")
    every = coverage.list_states()
    indexes = listing.list_indexes()
    shown = [replace(state, index_url=indexes.get(state.code, "")) for state in coverage.choose(every, word)]
    content = {"states": shown, "filters": coverage.list_filters(every, word), "total": len(every)}
    return views.show(request, "home/states", content)
