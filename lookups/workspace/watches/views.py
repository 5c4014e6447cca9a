"""Watches: the list, a new one or a table of them, and one with its checks and what it saw."""

from __future__ import annotations

import dataclasses
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from billing import money, prices
from jurisdictions.codes import CHOICES, PLACES
from lookups import listing
from lookups.api.views import paging
from lookups.models import Watch, WatchCheck
from lookups.notifications import result_mail
from lookups.watches import taxonomy, watching
from lookups.watches.bodies import list_last_checks
from lookups.watches.watching import Made, TooMany, UsedUp, Wanted
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.watches import forms, words
from lookups.workspace.watches.forms import Wrong

PAGE, EVENTS, CHECKS = 200, 50, 100
# Of a look's two checks one is shown in the list
_RANK: dict[str, int] = {WatchCheck.Result.CHANGED: 2, WatchCheck.Result.UNCHANGED: 0}
USED_UP = "It has made all its checks for this month (UTC): allow more below, or wait for the next month."
PAUSED = "It has been paused since this page was shown. Resume it first."
TOO_MANY = f"At most {watching.MOST_IN_TEST} watches in the sandbox: delete some."


@require_safe
@workspace("viewer")
def watches(request: WorkspaceRequest) -> HttpResponse:
    """A page of them, the newest first."""
    wrong, key = paging.Wrong(), request.workspace_key
    asked = {name: request.GET[name] for name in ("state", "status") if request.GET.get(name)}
    after = paging.read_place(request.GET.get("cursor"), wrong, written_as="address")
    state = paging.read_state(asked.get("state"), wrong)
    status = paging.read_word(asked.get("status"), "status", Watch.Status, wrong)
    rows = [] if wrong else list(watching.list_own(key, state=state, status=status, after=after)[: PAGE + 1])
    more, rows = len(rows) > PAGE, rows[:PAGE]
    last = list_last_checks(rows)
    content = {
        "rows": [_row(one, list(last.get(one.pk, {}).values())) for one in rows],
        "wrong": [texts[0] for texts in wrong.values()],
        "asked": asked,
        "states": CHOICES,
        "is_first": after is None,
        "older": urlencode({**asked, "cursor": paging.write_place(rows[-1].created_at, rows[-1].pk)}) if more else "",
        "may_ask": request.member.can("member"),
        "made": request.GET.get("made", "") if request.GET.get("made", "").isdigit() else "",
    }
    return render(request, "workspace/watches/watches.html", content, status=400 if wrong else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@workspace("member")
def new(request: WorkspaceRequest) -> HttpResponse:
    """The form, filled in from a lookup or an address; a POST makes the watch."""
    key, now = request.workspace_key, timezone.now()
    if request.method != "POST":
        return _show_new(request, _fill_in(request))
    try:
        wanted = forms.read_new(request.POST, key)
    except Wrong as wrong:
        return _show_new(request, request.POST.dict(), wrong=wrong, status=400)
    reading = forms.find_reading(request.POST, key)
    if reading is not None and forms.is_recent(reading, wanted.every, now=now):
        wanted = dataclasses.replace(wanted, seen=reading)
    made = _make(request, [wanted])
    if made is None:
        return _show_new(request, request.POST.dict(), refused=TOO_MANY, status=409)
    return _see(reverse("workspace:watch", args=[made.watches[0].public_id]))


@require_http_methods(["GET", "HEAD", "POST"])
@workspace("member")
def many(request: WorkspaceRequest) -> HttpResponse:
    """A table of companies; a POST makes all watches of it, or none."""
    if request.method != "POST":
        return _show_many(request)
    file = request.FILES.get("file")
    if file is None:
        return _show_many(request, refused="Choose a file first.", status=400)
    try:
        wanted = forms.read_table(file, request.POST, request.workspace_key)
    except Wrong as wrong:
        return _show_many(request, wrong=wrong, status=400)
    made = _make(request, wanted)
    if made is None:
        return _show_many(request, refused=TOO_MANY, status=409)
    return _see(reverse("workspace:watches", query={"made": made.created}))


@require_http_methods(["GET", "HEAD", "POST"])
@workspace("viewer")
def watch(request: WorkspaceRequest, public_id: str) -> HttpResponse:
    """How it is set, its checks and what it saw; a POST sets it otherwise."""
    found = watching.find(public_id, key=request.workspace_key)
    if found is None:
        return render(request, "workspace/watches/not_found.html", status=404)
    if request.method != "POST":
        return _show(request, found)
    if not request.member.can("member"):
        return _show(request, found, refused="Your role can only read.", status=403)
    try:
        changes = forms.read_settings(request.POST, found, request.workspace_key)
    except Wrong as wrong:
        return _show(request, found, wrong=wrong, status=400)
    watching.change(found, by=request.workspace_key, now=timezone.now(), **changes)
    return _see(reverse("workspace:watch", args=[public_id]))


@require_POST
@workspace("member")
def act(request: WorkspaceRequest, public_id: str, what: str) -> HttpResponse:
    """Pause it, take it up again, or have it look at once."""
    found, now = watching.find(public_id, key=request.workspace_key), timezone.now()
    if found is None or what not in ("pause", "resume", "check"):
        return render(request, "workspace/watches/not_found.html", status=404)
    if what == "check":
        try:
            is_asked = watching.check_now(found, now=now)
        except UsedUp:
            return _show(request, found, refused=USED_UP, status=409)
        if not is_asked:
            return _show(request, found, refused=PAUSED, status=409)
    else:
        status = Watch.Status.PAUSED if what == "pause" else Watch.Status.ACTIVE
        watching.change(found, by=request.workspace_key, status=status, now=now)
    return _see(reverse("workspace:watch", args=[public_id]))


@require_http_methods(["GET", "HEAD", "POST"])
@workspace("member")
def delete(request: WorkspaceRequest, public_id: str) -> HttpResponse:
    """Ask whether it is meant; a POST deletes it. Its events stay."""
    found = watching.find(public_id, key=request.workspace_key)
    if found is None:
        return render(request, "workspace/watches/not_found.html", status=404)
    if request.method != "POST":
        return render(request, "workspace/watches/delete.html", {"watch": found, "name": words.name_of(found)})
    watching.delete(found, now=timezone.now())
    return _see(reverse("workspace:watches"))


def _make(request: WorkspaceRequest, wanted: list[Wanted]) -> Made | None:
    """The watches; None where they are too many. What is there just so is not made again, so twice is once."""
    request_id: str = getattr(request, "request_id", "")
    try:
        return watching.create(wanted=wanted, key=request.workspace_key, now=timezone.now(), request_id=request_id)
    except TooMany:
        return None


def _fill_in(request: WorkspaceRequest) -> dict[str, Any]:
    """The form as an address fills it in: from a found lookup, or by state and identifier."""
    named = request.GET.get("lookup", "")
    found = listing.find(named, account_id=request.member.account_id, sandbox=not request.livemode) if named else None
    if found is not None and found.version is not None:
        entity = found.version.entity
        filled = {"state": entity.state, "entity_id": entity.entity_id, "ref": found.ref or ""}
    else:
        filled = {name: request.GET.get(name, "")[:200] for name in ("state", "entity_id", "name")}
    return {"every": "day", "categories": list(taxonomy.BY_DEFAULT), **filled}


def _show_new(
    request: WorkspaceRequest,
    filled: dict[str, Any],
    *,
    wrong: Wrong | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    if request.method == "POST":
        filled = {**filled, "categories": request.POST.getlist("categories")}
    reading = forms.find_reading(filled, request.workspace_key)
    content = {
        **_of_form(request, filled, wrong, refused),
        "states": CHOICES,
        "reading": reading,
        "company": reading.version.data["entityName"] if reading is not None and reading.version is not None else "",
    }
    return render(request, "workspace/watches/new.html", content, status=status)


def _show_many(
    request: WorkspaceRequest, *, wrong: Wrong | None = None, refused: str = "", status: int = 200
) -> HttpResponse:
    filled: dict[str, Any] = {"every": "day", "categories": list(taxonomy.BY_DEFAULT)}
    if request.method == "POST":
        filled = {**request.POST.dict(), "categories": request.POST.getlist("categories")}
    return render(request, "workspace/watches/many.html", _of_form(request, filled, wrong, refused), status=status)


def _show(
    request: WorkspaceRequest, found: Watch, *, wrong: Wrong | None = None, refused: str = "", status: int = 200
) -> HttpResponse:
    own = ("every", "categories", "email_digest", "tell_unchanged")
    filled: dict[str, Any] = {
        **{name: getattr(found, name) for name in own},
        "webhook": found.webhook_url,
        "cap": found.max_per_month or "",
        "ref": found.ref or "",
    }
    filled["shown"] = urlencode({name: one for name, one in filled.items() if one}, doseq=True)
    if wrong is not None:
        filled = {**request.POST.dict(), "categories": request.POST.getlist("categories")}
    checks = list(watching.list_checks(found)[:CHECKS])
    content = {
        **_of_form(request, filled, wrong, refused),
        "watch": found,
        "row": _row(found, checks[:1]),
        "checks": [_check(one) for one in checks],
        "has_ended": any(one.result for one in checks),
        "was_found": found.baselines.filter(facts__isnull=False).exists(),
        "events": [words.tell(one) for one in watching.list_newest_events(request.workspace_key, watch=found)[:EVENTS]],
        "pause": words.PAUSES.get(Watch.PauseReason(found.pause_reason)) if found.pause_reason else "",
    }
    return render(request, "workspace/watches/watch.html", content, status=status)


def _of_form(request: WorkspaceRequest, filled: dict[str, Any], wrong: Wrong | None, refused: str) -> dict[str, Any]:
    """What every form of settings shows."""
    return {
        "filled": filled,
        "wrong": wrong.texts if wrong else {},
        "rows_wrong": wrong.rows if wrong else [],
        "refused": refused,
        "every": words.EVERY,
        "categories": [(one.value, label) for one, label in words.CATEGORIES.items()],
        "can_mail": result_mail.is_configured() and bool(request.member.account.email),
        "price": money.to_decimal_string(prices.LOOKUP),
        "unchanged": money.to_decimal_string(min(prices.LOOKUP, prices.UNCHANGED)),
        "may_ask": request.member.can("member"),
    }


def _row(one: Watch, checks: list[WatchCheck]) -> dict[str, Any]:
    last = max(checks, key=lambda check: (check.created_at, _RANK.get(check.result, 1), check.pk), default=None)
    return {
        "watch": one,
        "name": words.name_of(one),
        "place": PLACES[one.state].name,
        "every": words.EVERY[one.every],
        "last": _check(last) if last is not None else None,
        "is_paused": one.status == Watch.Status.PAUSED,
    }


def _check(check: WatchCheck) -> dict[str, Any]:
    word, kind = words.RESULTS[WatchCheck.Result(check.result)] if check.result else ("Under way", "neutral")
    cost = money.to_decimal_string(check.lookup.cost)
    return {"check": check, "word": word, "kind": kind, "cost": cost, "lookup_id": check.lookup.public_id}


def _see(address: str) -> HttpResponse:
    return HttpResponseRedirect(address, status=303)
