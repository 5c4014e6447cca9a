"""The feed of what watches saw: the newest first, each with both sides and the two readings that say so."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from jurisdictions.codes import CHOICES
from lookups.api.views import paging
from lookups.watches import watching
from lookups.watches.taxonomy import Category, Notice, Severity
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.watches import words

PAGE = 200
SPAN = 20_000  # events that one page looks through; they are numbered without a gap
NAMES = ("category", "severity", "state", "watch")


@require_safe
@workspace("viewer")
def events(request: WorkspaceRequest) -> HttpResponse:
    """A page of it."""
    wrong, key = paging.Wrong(), request.workspace_key
    asked = {name: request.GET[name] for name in NAMES if request.GET.get(name)}
    before = paging.read_number(request.GET.get("cursor"), "cursor", wrong, most=paging.LAST)
    fits = {
        "category": paging.read_word(asked.get("category"), "category", [*Category, *Notice], wrong),
        "severity": paging.read_word(asked.get("severity"), "severity", Severity, wrong),
        "watch__state": paging.read_state(asked.get("state"), wrong),
    }
    watch = watching.find(asked["watch"], key=key) if "watch" in asked else None
    if "watch" in asked and watch is None:
        wrong["watch"] = ["There is no such watch."]
    newest = watching.list_newest_events(key, before=before).values_list("number", flat=True).first()
    floor = max(0, (newest or 0) - SPAN)
    found = watching.list_newest_events(key, before=before, watch=watch, **fits).filter(number__gt=floor)
    rows = [] if wrong else list(found[: PAGE + 1])
    more, rows = len(rows) > PAGE, rows[:PAGE]
    older = rows[-1].number if more else floor + 1 if floor else None
    content = {
        "rows": [words.tell(one) for one in rows],
        "wrong": [texts[0] for texts in wrong.values()],
        "asked": asked,
        "watch": watch,
        "watch_name": words.name_of(watch) if watch is not None else "",
        "categories": [(one.value, label.partition(" (")[0]) for one, label in words.CATEGORIES.items()]
        + [(one.value, label) for one, label in words.NOTICES.items()],
        "severities": [one.value for one in Severity],
        "states": CHOICES,
        "older": urlencode({**asked, "cursor": older}) if older and not wrong else "",
        "is_first": before is None,
        "has_any": newest is not None,
    }
    return render(request, "workspace/watches/events.html", content, status=400 if wrong else 200)
