"""What was asked and what it cost, for everybody of the account; period and narrowing are in the address bar."""

from __future__ import annotations

from datetime import date

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from billing import selectors
from billing.models import ApiKey
from jurisdictions.codes import PLACES
from lookups import csv_export
from lookups.api.views import paging
from lookups.workspace import periods
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.periods import Period
from lookups.workspace.usage import chart, counts
from lookups.workspace.usage.counts import Wanted

NARROWS = ("state", "key", "origin")


@require_safe
@workspace(role="viewer")
def usage(request: WorkspaceRequest) -> HttpResponse:
    """The figures, the chart and the tables of a period, with the period before beside them."""
    today = timezone.now().date()
    keys = _list_keys(request)
    period, wanted, wrong = _read(request, keys, today=today)
    found = counts.count(wanted, period)
    names, total, before = _names(keys), found.total, counts.total(wanted, period.before())
    context = {
        "period": period,
        "wrong": wrong,
        "quick": _quick(today),
        "wanted": wanted,
        "narrowed": _kept(wanted) != "",
        "kept": _kept(wanted),
        "query": period.query + _kept(wanted),
        "states": sorted(PLACES.values(), key=lambda place: place.name),
        "keys": [(key.pk, names[f"{key.pk}"]) for key in keys],
        "origins": counts.ORIGINS,
        "outcomes": counts.OUTCOMES,
        "total": total,
        "before": before,
        "figures": list(zip(total.columns, before.columns, strict=True))[:3],
        "period_before": period.before(),
        "chart": chart.draw(found),
        "days": [line for line in reversed(found.by_day()) if line.lookups or line.refunded],
        "tables": [
            ("State", found.by_state(), True),
            ("Key", found.by_key(names), True),
            ("Origin", found.by_origin(), False),
            ("Verdict", found.by_verdict(), False),
        ],
    }
    return render(request, "workspace/usage/usage.html", context)


@require_safe
@workspace(role="viewer")
def export(request: WorkspaceRequest) -> HttpResponse | StreamingHttpResponse:
    """The same numbers as a table, a line for each day, state, key, origin and verdict."""
    keys = _list_keys(request)
    period, wanted, wrong = _read(request, keys, today=timezone.now().date())
    if wrong:
        return HttpResponse(wrong, status=400, content_type="text/plain; charset=utf-8")
    rows = counts.write_rows(counts.list_rows(wanted, period), _names(keys))
    name = f"usage-{period.first}-{period.last}.csv"
    return csv_export.make_response(name, counts.CSV_COLUMNS, rows)


def _list_keys(request: WorkspaceRequest) -> list[ApiKey]:
    """All keys of the mode, the workspace's own first: what was asked on these pages is usage as well."""
    others = [key for key in selectors.list_keys(request.member.account_id) if key.livemode == request.livemode]
    return [request.workspace_key, *others]


def _names(keys: list[ApiKey]) -> dict[str, str]:
    return {f"{key.pk}": "Workspace" if key.is_workspace else f"{key.prefix}… {key.name}" for key in keys}


def _read(request: WorkspaceRequest, keys: list[ApiKey], *, today: date) -> tuple[Period, Wanted, str]:
    """Whose lookups of when are counted; and what of the address is not understood, as a sentence."""
    period, wrong = periods.read(request.GET, today=today)
    given = {name: request.GET[name] for name in NARROWS if request.GET.get(name)}
    faults: paging.Wrong = {}
    by_number, state = {f"{key.pk}": key.pk for key in keys}, paging.read_state(given.get("state"), faults)
    wanted = Wanted(
        account_id=request.member.account_id,
        livemode=request.livemode,
        state=state if state in PLACES else None,
        key_id=by_number.get(given.get("key", "")),
        origin=paging.read_word(given.get("origin"), "origin", counts.ORIGINS, faults),
    )
    if "key" in given and wanted.key_id is None:
        faults["key"] = ["Choose one from the list."]
    sentences = [f"{name.capitalize()}: {' '.join(lines)}" for name, lines in faults.items()]
    return period, wanted, " ".join([*filter(None, [wrong]), *sentences])


def _kept(wanted: Wanted) -> str:
    """What the address bar narrows to, to go after a period."""
    all_of_them = {"state": wanted.state, "key": wanted.key_id, "origin": wanted.origin}
    kept = {name: value for name, value in all_of_them.items() if value is not None}
    return f"&{urlencode(kept)}" if kept else ""


def _quick(today: date) -> list[tuple[str, str]]:
    this_month = Period(today.replace(day=1), today)
    last_month = periods.month_of(this_month.before().first)
    return [
        ("This month", f"month={today:%Y-%m}"),
        ("Last month", last_month.query),
        ("Last 7 days", periods.last_days(7, today=today).query),
        ("Last 90 days", periods.last_days(90, today=today).query),
    ]
