"""History: what the account asked, with its filters in the address, and the same as a file."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import FileResponse, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from billing import selectors
from billing.models import Member
from jurisdictions.codes import CHOICES
from lookups import csv_export, xlsx_export
from lookups.api.views import paging
from lookups.models import Lookup
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.ask.answers import TAGS
from lookups.workspace.history import columns, filters, pages
from lookups.workspace.history.columns import COLUMNS

NAMES = ("name", "state", "verdict", "kind", "origin", "who", "ref", "since", "until")
LABELS = {"cursor": "Page", "since": "From", "until": "Until", "ref": "Reference"}


@require_safe
@workspace("viewer")
def history(request: WorkspaceRequest) -> HttpResponse:
    """A page of it."""
    wrong = paging.Wrong()
    wanted = filters.read(request.GET, wrong)
    place = filters.read_place(request.GET.get("cursor"), wrong)
    page = pages.Page([], None)
    if not wrong:
        page = pages.read_page(
            account_id=request.member.account_id, sandbox=not request.livemode, wanted=wanted, before=place
        )
    asked = {name: request.GET[name].strip() for name in NAMES if request.GET.get(name, "").strip()}
    hidden = columns.read_hidden(request.COOKIES)
    shown = columns.list_shown(hidden)
    content: dict[str, Any] = {
        "rows": [_row(one, shown) for one in page.rows],
        "shown": shown,
        "columns": [(one, one.name not in hidden) for one in COLUMNS],
        "asked": asked,
        "more_asked": bool(set(asked) - {"name", "state", "verdict"}),
        "wrong": [(LABELS.get(name, name.capitalize()), texts[0]) for name, texts in wrong.items()],
        "query": urlencode(asked),
        "older": urlencode({**asked, "cursor": filters.write_place(page.next)}) if page.next else "",
        "looked_to": page.looked_to,
        "is_first": place is None,
        "most": pages.MOST_EXPORTED,
        "choices": _list_choices(request),
    }
    return render(request, "workspace/history/history.html", content, status=400 if wrong else 200)


@require_POST
@workspace("viewer")
def choose_columns(request: WorkspaceRequest) -> HttpResponse:
    """Remember in this browser which columns are hidden."""
    hidden = [one.name for one in COLUMNS if one.name not in request.POST.getlist("show")]
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = reverse("workspace:history")
    response = HttpResponseRedirect(back)
    response.set_cookie(
        columns.COOKIE,
        ".".join(hidden) or "none",
        max_age=columns.KEPT_SECONDS,
        path=reverse("workspace:history"),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return response


@require_safe
@workspace("viewer")
def export(request: WorkspaceRequest, form: str) -> HttpResponseBase:
    """What the filter fits, with the columns that are shown, as CSV or a workbook."""
    wrong = paging.Wrong()
    wanted = filters.read(request.GET, wrong)
    if wrong or form not in ("csv", "xlsx"):
        return HttpResponseRedirect(reverse("workspace:history", query=request.GET))
    shown = columns.list_shown(columns.read_hidden(request.COOKIES))
    found = pages.list_all(account_id=request.member.account_id, sandbox=not request.livemode, wanted=wanted)
    lines = (columns.write_line(one, shown) for one in found)
    names = ["asked", *(one.name for one in shown), "lookupId"]
    if form == "xlsx":
        book = xlsx_export.make_workbook(names, lines)
        return FileResponse(book, as_attachment=True, filename="history.xlsx", content_type=xlsx_export.MEDIA_TYPE)
    return csv_export.make_response("history.csv", names, lines)


def _row(lookup: Lookup, shown: list[columns.Column]) -> dict[str, Any]:
    cells = [(one, one.in_page(lookup)) for one in shown]
    return {"lookup": lookup, "cells": cells, "kind": TAGS[lookup.outcome][1]}


def _list_choices(request: WorkspaceRequest) -> dict[str, Any]:
    """What the filters offer."""
    account_id = request.member.account_id
    members = Member.objects.filter(account_id=account_id).select_related("user").order_by("pk")
    people = [(f"user:{one.user_id}", one.user.get_full_name() or one.user.email) for one in members]
    keys = [(f"key:{one.pk}", f"{one.name} ({one.prefix}…)") for one in selectors.list_keys(account_id)]
    return {
        "states": CHOICES,
        "verdicts": [(word.value if word else filters.OPEN, TAGS[word][0]) for word in TAGS],
        "kinds": list(filters.KINDS.items()),
        "origins": Lookup.Origin.choices,
        "people": people,
        "keys": keys,
    }
