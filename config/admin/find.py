"""One box on the first page: whatever a customer quotes leads to its page, or to what is to be done with an account."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from billing import selectors
from billing.models import ApiKey
from jurisdictions.bounded import SPAN
from jurisdictions.models import Jurisdiction
from lookups.admin.finding import find_mark
from lookups.models import BulkJob, Delivery, Job, Lookup, Watch, WatchEvent

# What an id is of, by how it begins, and by which column.
NAMED: tuple[tuple[str, type[Model], str], ...] = (
    ("lk_", Lookup, "ask_id"),
    ("nc_", Lookup, "ask_id"),
    ("job_", Job, "pk"),
    ("bulk_", BulkJob, "pk"),
    ("watch_", Watch, "pk"),
    ("evt_", WatchEvent, "pk"),
    ("msg_", Delivery, "pk"),
    ("", Lookup, "ask_id"),
    ("", Job, "pk"),
)
TASKS = {"grant": "admin:billing_account_grant_credit", "key": "admin:billing_account_issue_key"}

NOTHING = "Nothing is found by that: give an id as customers have it, a mail address, or how an account's name begins."
NO_REQUEST = (
    f"No lookup has that id, nor is it of a request among the newest {SPAN:,} lookups: the log has every request."
)


@require_safe
def find(request: HttpRequest) -> HttpResponse:
    """Go to the one that is meant; to the list of accounts where several are; back where none is."""
    word = request.GET.get("q", "").replace("\0", "").strip()  # PostgreSQL looks for no NUL
    found = _find_row(request, word)
    if found is not None:
        return redirect(_page_of(found))
    if word and request.user.has_perm("billing.view_account"):
        accounts = selectors.find_accounts(word)[:2]
        if len(accounts) == 1:
            task = TASKS.get(request.GET.get("to", ""))
            return redirect(reverse(task, args=[accounts[0].pk]) if task else _page_of(accounts[0]))
        if accounts:
            return redirect(reverse("admin:billing_account_changelist", query={"q": word}))
    messages.warning(request, NO_REQUEST if find_mark(word) else NOTHING)
    return redirect("admin:index")


def _find_row(request: HttpRequest, word: str) -> Any:
    """The row of an id, a key's first characters or a state's code; None for what this person may not see."""
    mark = find_mark(word)
    for prefix, model, column in NAMED if mark else ():
        if word.startswith(prefix) and request.user.has_perm(_right_of(model)):
            row = model._default_manager.filter(**{column: mark}).first()
            if row is not None:
                return row
    if word.isupper() and len(word) == 2 and request.user.has_perm(_right_of(Jurisdiction)):
        return Jurisdiction.objects.filter(pk=word).first()
    if "_" in word and len(word) <= 20 and request.user.has_perm(_right_of(ApiKey)):
        keys = ApiKey.objects.filter(prefix__startswith=word)[:2]
        return keys[0] if len(keys) == 1 else None
    if mark and request.user.has_perm(_right_of(Lookup)):
        return _find_by_request(word)
    return None


def _find_by_request(word: str) -> Lookup | None:
    """The lookup of the request that error pages and replies name; no index has it, so among the newest."""
    newest = Lookup.objects.order_by("-pk").values_list("pk", flat=True)
    floor = next(iter(newest[SPAN - 1 : SPAN]), 0)
    return Lookup.objects.filter(pk__gte=floor, request_id=word).order_by("-pk").first()


def _right_of(model: type[Model]) -> str:
    return f"{model._meta.app_label}.view_{model._meta.model_name}"


def _page_of(row: Model) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
