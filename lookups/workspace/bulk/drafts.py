"""The second step of Bulk: what the columns mean, which rows have problems, and what it costs; then it is bought."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from billing import money, prices, selectors
from billing.models import ApiKey
from jurisdictions.codes import PLACES
from lookups.bulk import drafts
from lookups.bulk.input import EVERYWHERE, Unreadable
from lookups.bulk.tables import columns as reading
from lookups.bulk.tables.columns import Mapping
from lookups.lookup import rows as stored
from lookups.lookup.outcomes import NobodyAtWork, OutOfFunds
from lookups.models import BulkDraft
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.bulk import judging
from lookups.workspace.bulk.start import not_here

ROWS_A_PAGE = 30
CHANGED = "The draft has changed since this page was shown. Please check the price again."
OTHERWISE = (
    "What can be asked, or what it costs, has changed since this page was shown. Nothing was asked: please check again."
)
MOVED = "The rows have moved since this page was shown: nothing was changed. Find the row and try again."
NOBODY = "No worker is running to ask at the moment. Nothing was held. Try again in a minute."
KINDS = {reading.COMPANIES: "Companies", reading.LIENS: "UCC filings (liens)"}
MENDED = ("entity_name", "entity_id", "state", "ref")
SHOWN = {"problems": "To look at", "stuck": "Not asked", "dropped": "Left out by you", "all": "All rows"}
View = Callable[..., HttpResponseBase]


def of_draft(view: View) -> View:
    """Find the draft of the address; what was bought meanwhile leads to its progress."""

    @wraps(view)
    def page(request: WorkspaceRequest, draft_id: uuid.UUID) -> HttpResponseBase:
        found = drafts.find(draft_id, key=request.workspace_key)
        if found is None:
            return not_here(request)
        if found.bulk is not None:
            return redirect("workspace:bulk-job", found.bulk.public_id)
        return view(request, found)

    return page


@require_safe
@workspace()
@of_draft
def draft(request: WorkspaceRequest, found: BulkDraft) -> HttpResponse:
    """The draft as it is."""
    return render(request, "workspace/bulk/draft.html", _describe(request, found))


@require_POST
@workspace("member")
@of_draft
def columns(request: WorkspaceRequest, found: BulkDraft) -> HttpResponse:
    """What the columns mean, as somebody has chosen it."""
    now = timezone.now()
    try:
        if "headings" in request.POST:
            if _has_moved(request.POST, found):
                raise ValueError(MOVED)
            drafts.move_headings(draft=found, into_rows=request.POST["headings"] == "row", now=now)
        else:
            drafts.change_columns(draft=found, mapping=_read_mapping(request.POST, found), now=now)
    except (ValueError, Unreadable) as wrong:
        messages.error(request, str(wrong))
    except drafts.Changed:
        messages.error(request, CHANGED)
    return redirect("workspace:bulk-draft", found.pk)


@require_POST
@workspace("member")
@of_draft
def rows(request: WorkspaceRequest, found: BulkDraft) -> HttpResponse:
    """Mend a row, leave rows out or take them back, or write a state into many."""
    now, posted = timezone.now(), request.POST
    named = [*posted.getlist("row"), *(name.removeprefix("row-") for name in posted if name.startswith("row-"))]
    chosen = [int(word) for word in named if word.isdecimal() and len(word) < 6]
    try:
        match posted.get("do"):
            case _ if _has_moved(posted, found):
                messages.error(request, MOVED)
            case "mend":
                for row in chosen[:1]:
                    fields = {name: posted[f"{name}-{row}"] for name in MENDED if f"{name}-{row}" in posted}
                    drafts.mend(draft=found, rows=[row], fields=fields, now=now)
            case "drop" | "take" as word:
                drafts.drop(draft=found, rows=chosen, dropped=word == "drop", now=now)
            case "state" if posted.get("state") in PLACES:
                many = _list_of_state(found, posted["given"]) if "given" in posted else chosen
                drafts.mend(draft=found, rows=many, fields={"state": posted["state"]}, now=now)
            case "state":
                messages.error(request, "Choose a state: nothing was changed.")
    except drafts.Changed:
        messages.error(request, CHANGED)
    here = QueryDict(posted.get("here", "")[:100])
    query = {name: here[name] for name in ("show", "page") if name in here}
    return redirect(reverse("workspace:bulk-draft", args=[found.pk], query=query, fragment="rows"))


@require_POST
@workspace("member")
@of_draft
def discard(request: WorkspaceRequest, found: BulkDraft) -> HttpResponse:
    """Delete the draft."""
    drafts.discard(draft=found)
    messages.success(request, f"“{found.name}” was discarded.")
    return redirect("workspace:bulk")


@require_POST
@workspace("member")
@of_draft
def buy(request: WorkspaceRequest, found: BulkDraft) -> HttpResponse:
    """Hold the price and begin: once, for the rows that were shown."""
    now, key = timezone.now(), request.workspace_key
    judged = judging.judge(found, key=key, now=now)
    revision = request.POST.get("revision", "")
    if not judged.askable or revision != str(found.revision):
        messages.error(request, CHANGED)
        return redirect("workspace:bulk-draft", found.pk)
    accepts_stored = request.POST.get("source") == "stored"
    if not _is_as_shown(request.POST, judged, accepts_stored=accepts_stored):
        messages.error(request, OTHERWISE)
        return redirect("workspace:bulk-draft", found.pk)
    order = judged.order(accepts_stored=accepts_stored)
    try:
        made = drafts.buy(
            draft=found,
            revision=int(revision),
            order=order,
            key=key,
            request_id=getattr(request, "request_id", ""),
            now=now,
            asked_by_id=request.member.user_id,
        )
    except drafts.Changed:
        messages.error(request, CHANGED)
        return redirect("workspace:bulk-draft", found.pk)
    if isinstance(made, OutOfFunds | NobodyAtWork):
        messages.error(request, _say_refusal(made))
        return redirect("workspace:bulk-draft", found.pk)
    return redirect("workspace:bulk-job", made.public_id)


def _has_moved(posted: QueryDict, found: BulkDraft) -> bool:
    """Whether the rows stand at other places than on the page that was sent."""
    layout = drafts.read_layout(found)
    return posted.get("layout", layout) != layout


def _is_as_shown(posted: QueryDict, judged: judging.Judgement, *, accepts_stored: bool) -> bool:
    """Whether as many rows are asked as the page has said, and for no more.

    A state that is switched on, or a stored answer that grows too old, changes that and not the draft.
    """
    name, most = ("most_stored", judged.price_with_stored) if accepts_stored else ("most", judged.price)
    rows, shown = posted.get("rows", f"{len(judged.askable)}"), posted.get(name, f"{most}")
    return rows == f"{len(judged.askable)}" and shown.isdecimal() and len(shown) < 20 and most <= int(shown)


def _say_refusal(made: OutOfFunds | NobodyAtWork) -> str:
    if isinstance(made, NobodyAtWork):
        return NOBODY
    of_what = "this month's budget" if made.by_budget else "the balance"
    needed, left = (money.to_decimal_string(units) for units in (made.needed, max(0, made.available)))
    return f"It needs {needed} USD, and {of_what} has {left} USD left. Nothing was held."


def _read_mapping(posted: QueryDict, found: BulkDraft) -> Mapping:
    """What the form says of the columns. Raises ValueError with a sentence."""
    fields: dict[str, int] = {}
    headers = found.table["headers"]
    for column in range(len(headers)):
        name = posted.get(f"role-{column}", "")
        if name in fields:
            raise ValueError(f"“{headers[fields[name]]}” and “{headers[column]}” both say {reading.LABELS[name]}.")
        if name in reading.LABELS:
            fields[name] = column
    all_in, kind = posted.get("all_in", ""), posted.get("kind", "")
    return Mapping(
        fields=fields,
        all_in=all_in if all_in in PLACES or all_in == EVERYWHERE else "",
        kind=kind if kind in KINDS else reading.COMPANIES,
        carried=tuple(column for column in range(len(headers)) if f"carry-{column}" in posted),
    )


def _describe(request: WorkspaceRequest, found: BulkDraft) -> dict[str, Any]:
    key, now = request.workspace_key, timezone.now()
    judged = judging.judge(found, key=key, now=now)
    show = request.GET.get("show", "")
    shown = show if show in SHOWN else "problems" if judged.with_problems else "all"
    lists = {"problems": judged.with_problems, "stuck": judged.stuck, "dropped": judged.dropped, "all": judged.rows}
    page = Paginator(lists[shown], ROWS_A_PAGE).get_page(request.GET.get("page"))
    return {
        "step": 2,
        "draft": found,
        "mapping": Mapping.from_json(found.mapping),
        "columns": _list_columns(found),
        "labels": reading.LABELS,
        "kinds": KINDS,
        "places": PLACES.values(),
        "judged": judged,
        "strange": _list_strange(judged),
        "layout": drafts.read_layout(found),
        "shown": shown,
        "choices": [(word, label, len(lists[word])) for word, label in SHOWN.items() if lists[word] or word == "all"],
        "page": page,
        "here": request.GET.urlencode(),
        "money": _count_money(judged, key),
        "prefers_stored": key.account.cache_first_default,
        "stored_days": stored.max_age(key.account).days,
        "may_ask": request.member.can("member"),
    }


def _count_money(judged: judging.Judgement, key: ApiKey) -> dict[str, Any]:
    """What is held, and what is left then, with stored answers and without: units of 1/10,000 USD."""
    has = selectors.get_balance(key.account_id).spendable
    return {
        "price": prices.LOOKUP,
        "has": has,
        "left": has - judged.price,
        "short": max(0, judged.price - has),
    }


def _list_columns(found: BulkDraft) -> list[dict[str, Any]]:
    mapping, rows_of = Mapping.from_json(found.mapping), found.table["rows"]
    roles = {column: name for name, column in mapping.fields.items()}
    listed = []
    for column, header in enumerate(found.table["headers"]):
        filled = (row["cells"][column] for row in rows_of if row["cells"][column])
        samples = [text[:40] for text, _ in zip(dict.fromkeys(filled), range(3), strict=False)]
        listed.append(
            {
                "number": column,
                "header": header,
                "samples": samples,
                "role": roles.get(column, ""),
                "is_carried": column in mapping.carried,
            }
        )
    return listed


def _list_strange(judged: judging.Judgement) -> list[tuple[str, int]]:
    """What stands for a state and is none, with how many rows; those of a few words first."""
    found = Counter(
        one.row.fields.get("state", "")
        for one in judged.with_problems
        if one.wanted is None and any(problem.field == "state" for problem in one.problems)
    )
    return found.most_common(8)


def _list_of_state(found: BulkDraft, given: str) -> list[int]:
    return [row.index for row in drafts.read_rows(found) if row.fields.get("state", "") == given]
