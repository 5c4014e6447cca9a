"""One name in every state at once: what it costs at most is said and confirmed first, then a row for each state."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from billing import money, prices, selectors
from jurisdictions.codes import PLACES
from lookups.bulk import bulk_jobs
from lookups.bulk.progress import get_progress
from lookups.models import BulkJob, Lookup
from lookups.pages.dossier.record.headline import find_kind
from lookups.verdicts import Verdict
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.ask import asking, results, views
from lookups.workspace.ask.answers import TAGS, tell, write_waiting
from lookups.workspace.ask.questions import KINDS, Asked, Wrong, read_form

REFRESH_SECONDS = 2
NEWS_FIRST = (Verdict.FOUND, Verdict.AMBIGUOUS, None, Verdict.UNAVAILABLE)


@dataclass(frozen=True, slots=True)
class Row:
    """One state: how it ended, and what it has."""

    state: str
    word: str
    kind: str
    name: str
    status: str
    status_kind: str
    public_id: str
    text: str
    rank: int


@require_http_methods(["GET", "HEAD", "POST"])
@workspace("member")
def confirm(request: WorkspaceRequest) -> HttpResponse:
    """What it costs at most; a POST asks, where that is still what the page has said."""
    try:
        asked = read_form(request.POST if request.method == "POST" else request.GET)
        wanted = asked.list_everywhere(sandbox=not request.livemode)
    except Wrong as wrong:
        return views.show_form(request, _as_far(request), wrong=wrong.texts, status=400)
    shown = request.POST.get("states", f"{len(wanted)}")
    has_changed = shown != f"{len(wanted)}" and asking.find_asked(asked.mark, key=request.workspace_key) is None
    if request.method == "POST" and not has_changed:
        person = views.person_of(request)
        found = asking.ask_everywhere(wanted=wanted, person=person, mark=asked.mark, now=timezone.now())
        return views.lead_on(request, found, asked)
    most, balance = len(wanted) * prices.LOOKUP, selectors.get_balance(request.member.account_id).spendable
    content: dict[str, Any] = {
        "asked": asked,
        "fields": views.of_form(asked),
        "kind": KINDS[asked.kind],
        "count": len(wanted),
        "most": money.to_decimal_string(most),
        "price": money.to_decimal_string(prices.LOOKUP),
        "is_short": request.livemode and most > balance,
        "balance": money.to_decimal_string(balance),
        "has_changed": has_changed,
    }
    return render(request, "workspace/ask/anywhere.html", content, status=409 if has_changed else 200)


@require_safe
@workspace("viewer")
def by_state(request: WorkspaceRequest, bulk_id: str) -> HttpResponse:
    """A row for each state, while it runs and after."""
    bulk = _find(request, bulk_id)
    if bulk is None:
        return results.not_found(request)
    return render(request, "workspace/ask/by_state.html", _show(bulk))


@require_safe
@workspace("viewer")
def progress(request: WorkspaceRequest, bulk_id: str) -> HttpResponse:
    """The rows as they are now, for a page that is open; 204 once all have ended."""
    bulk = _find(request, bulk_id)
    if bulk is None or bulk.ended_at is not None:
        return HttpResponse(status=204)
    return render(request, "workspace/ask/states.html", _show(bulk))


@require_POST
@workspace("member")
def cancel(request: WorkspaceRequest, bulk_id: str) -> HttpResponse:
    """End what has not begun; its price goes back."""
    bulk = _find(request, bulk_id)
    if bulk is None:
        return results.not_found(request)
    bulk_jobs.cancel(bulk, now=timezone.now())
    return HttpResponseRedirect(reverse("workspace:anywhere-asked", args=[bulk.public_id]))


def _find(request: WorkspaceRequest, bulk_id: str) -> BulkJob | None:
    return bulk_jobs.find(bulk_id, key=request.workspace_key)


def _as_far(request: WorkspaceRequest) -> Asked:
    """The form as far as it can be read."""
    try:
        return read_form(request.POST if request.method == "POST" else request.GET)
    except Wrong as wrong:
        return wrong.asked or Asked()


def _show(bulk: BulkJob) -> dict[str, Any]:
    numbers, lookups = get_progress(bulk), list(bulk_jobs.list_rows(bulk))
    now = timezone.now()
    rows = sorted((_row(one, now=now) for one in lookups), key=lambda row: (row.rank, row.state))
    first = next(iter(lookups), None)
    ended = Counter(one.outcome for one in lookups)  # the numbers count several that fit among nothing found
    return {
        "bulk": bulk,
        "numbers": numbers,
        "ambiguous": ended[Verdict.AMBIGUOUS],
        "has_not": ended[Verdict.NOT_FOUND],
        "cancelled": ended[Verdict.CANCELLED],
        "asked_states": bulk.total - ended[Verdict.CANCELLED],
        "open": bulk.total - numbers.completed,
        "cost": money.to_decimal_string(numbers.cost),
        "most": money.to_decimal_string(bulk.questions * prices.LOOKUP),
        "rows": rows,
        "asked": first.asked if first is not None else "",
        "is_open": bulk.ended_at is None,
        "refresh_seconds": REFRESH_SECONDS,
    }


def _row(lookup: Lookup, *, now: datetime) -> Row:
    word, kind = TAGS[lookup.outcome]
    version, answer = lookup.version, tell(lookup)
    reading = version.normalized if version is not None else {}
    return Row(
        state=PLACES[lookup.state].name,
        word=word,
        kind=kind,
        name=answer.title if answer.is_found else "",
        status=str(version.data.get("status") or "") if version is not None else "",
        status_kind=find_kind(reading),
        public_id=lookup.public_id,
        text=lookup.note if answer.is_found else answer.text or write_waiting(lookup, now=now),
        rank=NEWS_FIRST.index(lookup.outcome) if lookup.outcome in NEWS_FIRST else len(NEWS_FIRST),
    )
