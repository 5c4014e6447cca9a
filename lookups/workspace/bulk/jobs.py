"""The third step of Bulk: how far each state is, what came of each row, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from rest_framework import serializers as drf

from billing import money, prices
from jurisdictions.codes import PLACES
from lookups import xlsx_export
from lookups.api.requests.serializers import BulkEntity
from lookups.api.views.lookup import to_question
from lookups.bulk import bulk_jobs, drafts, forecast, row_answers
from lookups.bulk.progress import get_progress
from lookups.bulk.tables import columns
from lookups.lookup.outcomes import Accepted, Ended, NobodyAtWork, OutOfFunds, Result
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Lookup
from lookups.verdicts import Verdict
from lookups.watches import watching
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.ask.answers import TAGS
from lookups.workspace.bulk import downloading, results, watches
from lookups.workspace.bulk.drafts import NOBODY
from lookups.workspace.bulk.start import not_here
from lookups.workspace.watches.words import EVERY

REFRESH_SECONDS = 5  # of the page itself, where no script does it sooner
BUSY = "Too much is being asked for this account at the moment. Try again shortly."
ASKED = "That has already been asked for this row."
TYPED = ("entity_name", "entity_id", "state")  # in the form of a row that is asked again
View = Callable[..., HttpResponseBase]


def of_job(view: View) -> View:
    """Find the bulk job of the address."""

    @wraps(view)
    def page(request: WorkspaceRequest, job_id: str, **named: Any) -> HttpResponseBase:
        found = bulk_jobs.find(job_id, key=request.workspace_key)
        return not_here(request) if found is None else view(request, found, **named)

    return page


@require_safe
@workspace()
@of_job
def job(request: WorkspaceRequest, found: BulkJob) -> HttpResponse:
    """The page of a bulk job."""
    now = timezone.now()
    show, state = _read_filter(request)
    listed = results.list_shown(found, show=show, state=state)
    page = Paginator(listed, results.ROWS_A_PAGE).get_page(request.GET.get("page"))
    states = forecast.list_by_state(found, now=now)
    may_ask, shown = request.member.can("member"), results.read_rows(list(page.object_list), now=now)
    return render(
        request,
        "workspace/bulk/job.html",
        {
            "step": 3,
            "job": found,
            "draft": getattr(found, "draft", None),
            "progress": get_progress(found),
            "again": row_answers.sum_cost(found),
            "is_open": found.ended_at is None,
            "states": [(one, PLACES[one.state].name) for one in states],
            "seconds": max((one.seconds for one in states), default=0),
            "held": found.questions * prices.LOOKUP if found.hold_id else 0,
            "left_out": drafts.find_carried(found)[2],
            "is_live": found.ended_at is None or any(row.is_asking for row in shown),
            "rows": shown,
            "page": page,
            "show": show,
            "state": state,
            "choices": [
                (word, results.SHOWN[word], _query(show=word, state=state), number)
                for word, number in results.count_shown([one for one in states if state in ("", one.state)]).items()
                if number or word in ("", show)
            ],
            "query": _query(show=show, state=state),
            "typed": _read_typed(request),
            "places": PLACES.values(),
            "price": prices.LOOKUP,
            "may_ask": may_ask,
            "may_watch": may_ask and found.ended_at is not None and watches.has_found(found),
            "every": EVERY,
            "refresh": REFRESH_SECONDS,
        },
    )


@require_POST
@workspace("member")
@of_job
def cancel(request: WorkspaceRequest, found: BulkJob) -> HttpResponse:
    """End what has not begun."""
    if bulk_jobs.cancel(found, now=timezone.now()):
        back = ", and its price was given back" if found.hold_id else ""  # the sandbox holds nothing
        messages.success(request, f"What had not started was cancelled{back}.")
    else:
        messages.info(request, "It has ended, or was cancelled before: nothing more is released.")
    return redirect("workspace:bulk-job", found.public_id)


@require_POST
@workspace("member")
@of_job
def watch(request: WorkspaceRequest, found: BulkJob) -> HttpResponse:
    """Watch every company that was found."""
    try:
        made = watches.watch_found(found, every=request.POST.get("every", ""), request=request, now=timezone.now())
    except watching.TooMany:
        messages.error(request, f"{watching.MOST_IN_TEST} companies can be watched in the sandbox.")
    else:
        same = len(made.watches) - made.created
        new = "1 company is watched" if made.created == 1 else f"{made.created} companies are watched"
        text = f"{new} from now on." if made.created else "Nothing new is watched."
        before = f" {same} {'was' if same == 1 else 'were'} watched already." if same else ""
        messages.success(request, text + before)
    return redirect("workspace:bulk-job", found.public_id)


@require_POST
@workspace("member")
@of_job
def ask_again(request: WorkspaceRequest, found: BulkJob, position: int) -> HttpResponse:
    """Ask for a row again: the candidate that was chosen, or what the row says now."""
    row = bulk_jobs.list_rows(found, after=position - 1).select_related("bulk").first()
    if row is None or row.position != position:
        return not_here(request)
    back = _find_way_back(request, found, position)
    if row.verdict is None:
        messages.error(request, "This row has not ended yet.")
        return redirect(back)
    if row.outcome is Verdict.FOUND:  # since the page was shown: an operator had it asked again
        messages.info(request, "This row already has its answer. Nothing more was asked.")
        return redirect(back)
    try:
        question = _read_question(request, row)
    except drf.ValidationError as wrong:
        details: Any = wrong.detail
        name, texts = next(iter(details.items()))
        messages.error(request, f"{columns.LABELS.get(name, name)}: {texts[0]}")
        return redirect(_find_way_back(request, found, position, with_typed=True))
    result = row_answers.ask_again(
        row=row,
        question=question,
        key=request.workspace_key,
        request_id=getattr(request, "request_id", ""),
        now=timezone.now(),
        asked_by_id=request.member.user_id,
    )
    level, text = _say(result)
    messages.add_message(request, level, text)
    return redirect(_find_way_back(request, found, position, with_typed=level == messages.ERROR))


@require_safe
@workspace()
@of_job
def download(request: WorkspaceRequest, found: BulkJob, form: str) -> HttpResponseBase:
    """All rows that the filter shows as a file, with the columns that came along."""
    if form not in downloading.FORMS:
        return not_here(request)
    show, state = _read_filter(request)
    rows = results.list_shown(found, show=show, state=state)
    try:
        return downloading.download(found, rows, form=form, is_whole=not show and not state)
    except xlsx_export.TooLong:
        messages.error(request, "There are too many results for a workbook. Use CSV.")
        return redirect("workspace:bulk-job", found.public_id)


def _find_way_back(request: WorkspaceRequest, found: BulkJob, position: int, *, with_typed: bool = False) -> str:
    """The page as it was shown, at this row; with what was typed there, where that was not taken."""
    posted = request.POST
    query = QueryDict(posted.get("here", "")[:100], mutable=True)
    if with_typed and "candidate" not in posted:
        query.update({"typed": str(position), **{f"typed_{name}": posted.get(name, "")[:200] for name in TYPED}})
    return reverse("workspace:bulk-job", args=[found.public_id], query=query, fragment=f"row-{position}")


def _read_typed(request: WorkspaceRequest) -> dict[str, str]:
    """What was typed for a row and not taken, and which row (`at`)."""
    return {"at": request.GET.get("typed", "")} | {name: request.GET.get(f"typed_{name}", "") for name in TYPED}


def _read_question(request: WorkspaceRequest, row: Lookup) -> Question:
    """The row's question in the words of the form. Raises ValidationError."""
    posted = request.POST
    kept = row.question
    if posted.get("candidate"):
        fields: dict[str, Any] = {"entity_id": posted["candidate"], "state": row.state}
        return to_question(BulkEntity().run_validation(fields))
    fields = {name: posted.get(name, kept.get(name) or "").strip() for name in ("entity_name", "entity_id")}
    fields["state"] = columns.find_state(posted.get("state", row.state)) or posted["state"]
    fields["searchType"] = "ucc" if row.kind == "ucc" else "business_entity"
    if row.kind == "ucc":
        fields |= {"searchBy": kept["search_by"], "dateAfter": kept["date_after"], "dateBefore": kept["date_before"]}
    asked: dict[str, Any] = BulkEntity().run_validation({name: text for name, text in fields.items() if text})
    return to_question(asked)


def _say(result: Result | None) -> tuple[int, str]:
    match result:
        case None:
            return messages.INFO, ASKED
        case Ended(lookup=lookup, repeated=True) if lookup.charged:
            return messages.SUCCESS, "Found: it was paid for a moment ago, and nothing more was charged."
        case Ended(lookup=lookup) if lookup.charged:
            return messages.SUCCESS, f"Found, for {money.to_decimal_string(lookup.charged)} USD."
        case Ended(lookup=lookup):
            return (
                messages.SUCCESS,
                f"{TAGS[lookup.outcome][0]}. Nothing was charged." if lookup.outcome else "",
            )
        case Accepted():
            return messages.INFO, "This registry answers slowly. The answer will appear here."
        case OutOfFunds(by_budget=by_budget):
            of_what = "This month's budget" if by_budget else "The balance"
            return messages.ERROR, f"{of_what} does not cover another lookup. Nothing was asked."
        case NobodyAtWork():
            return messages.ERROR, NOBODY
    return messages.ERROR, BUSY


def _read_filter(request: HttpRequest) -> tuple[str, str]:
    show, state = request.GET.get("show", ""), request.GET.get("state", "")
    return show if show in results.SHOWN else "", state if state in PLACES else ""


def _query(**given: str) -> str:
    return urlencode({name: word for name, word in given.items() if word})
