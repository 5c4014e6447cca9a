"""The first step of Bulk, where a table is dropped or pasted, with what was begun and what was asked before."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from lookups.bulk import bulk_jobs, drafts
from lookups.bulk.progress import list_progress
from lookups.bulk.tables.lines import MOST_ROWS, Unreadable
from lookups.bulk.tables.reading import MOST_BYTES, read_table
from lookups.models import BulkDraft
from lookups.workspace.access import WorkspaceRequest, sign_in_first, workspace

JOBS_A_PAGE = 20
MOST_GIVEN_BACK = 500_000  # characters: a thousand rows of names and notes are half of it
NOTHING = "Choose a file, or paste a table."
READS = "Your role can only read: the table was not accepted. A member of the account can ask."
EMPTY = "The file is empty."
TOO_MANY = f"{drafts.MOST_OPEN} drafts are kept at a time. Discard one that is not needed."


def _give_back(request: HttpRequest) -> HttpResponseBase:
    """What was pasted after the session had ended stands on the page that asks to sign in first, to be sent again."""
    pasted = _as_pasted(request)
    if not pasted.strip():
        return sign_in_first(request)
    content = {"pasted": pasted, "shown_in": request.POST.get("shown_in", "")}
    response = render(request, "workspace/bulk/signed_out.html", content, status=403)
    response["Cache-Control"] = "private, no-store"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@workspace(signed_out=_give_back)
def bulk(request: HttpRequest) -> HttpResponse:
    """The page; a table that is posted becomes a draft."""
    asked = cast(WorkspaceRequest, request)
    if request.method != "POST":
        return _show(asked, {})
    if not asked.member.can("member"):
        return _show(asked, {"problem": READS, "pasted": _as_pasted(request)}, status=403)
    try:
        draft = _keep(asked)
    except Unreadable as why:
        return _show(asked, {"problem": str(why), "pasted": _as_pasted(request)}, status=400)
    except drafts.TooMany:
        return _show(asked, {"problem": TOO_MANY, "pasted": _as_pasted(request)}, status=400)
    return redirect("workspace:bulk-draft", draft.pk)


def _as_pasted(request: HttpRequest) -> str:
    """What was pasted, to be mended; whole or not at all, for half a table would be asked for as if it were all."""
    pasted = request.POST.get("pasted", "")
    return pasted if len(pasted) <= MOST_GIVEN_BACK else ""


def _keep(request: WorkspaceRequest) -> BulkDraft:
    """The table of the form as a draft. Raises Unreadable and TooMany."""
    file, pasted = request.FILES.get("file"), request.POST.get("pasted", "")
    if file is not None and (file.size or 0) > MOST_BYTES:
        raise Unreadable(f"The file has more than {MOST_BYTES // 1024 // 1024} MB.")
    raw = file.read() if file is not None else pasted.encode()
    if not raw.strip():
        raise Unreadable(NOTHING if file is None else EMPTY)
    name = (file.name if file is not None else "") or "Pasted table"
    return drafts.keep(table=read_table(raw), name=name, key=request.workspace_key, now=timezone.now())


def _show(request: WorkspaceRequest, more: dict[str, Any], *, status: int = 200) -> HttpResponse:
    key = request.workspace_key
    page = Paginator(bulk_jobs.list_own(key).select_related("draft"), JOBS_A_PAGE).get_page(request.GET.get("page"))
    content = {
        "step": 1,
        "most_rows": MOST_ROWS,
        "most_bytes": MOST_BYTES,
        "drafts": drafts.list_open(key),
        "kept_days": drafts.KEPT_FOR.days,
        "jobs": list_progress(list(page.object_list)),
        "page": page,
        "may_ask": request.member.can("member"),
    }
    return render(request, "workspace/bulk/start.html", {**content, **more}, status=status)


def not_here(request: HttpRequest) -> HttpResponse:
    """What was asked for is not of this account and mode: back to the list, which says so."""
    messages.warning(request, "There is no such bulk request in this account and mode.")
    return redirect("workspace:bulk")
