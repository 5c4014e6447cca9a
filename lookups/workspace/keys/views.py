"""Keys as people look after them: the rules are `customer_keys`', asked with the workspace's own key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django import forms
from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from billing import budgets, customer_keys, keys, limits, prices
from billing.models import ApiKey
from lookups.api.views import paging
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.keys.forms import ChangeForm, NewKeyForm, RotateForm

PAGE = 200
KINDS = {"active": "good", "ending": "warn", "revoked": "bad", "expired": "neutral"}
EXAMPLE = """curl {url}/v1/lookup \\
  -H 'x-api-key: {secret}' -H 'content-type: application/json' \\
  -d '{{"entity_name": "{name}", "state": "{state}"}}'"""
INVENTED = {"name": "Blue Heron Logistics LLC", "state": "DE"}  # the sandbox registry has it
REAL = {"name": "International Business Machines Corporation", "state": "NY"}  # open data, which answers without a wall
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class Line:
    """A key as the pages show it at one moment."""

    key: ApiKey
    status: str
    kind: str
    successor: ApiKey | None
    used: int
    per_minute: int
    at_once: int

    @property
    def works(self) -> bool:
        """Whether it is still accepted."""
        return self.status in ("active", "ending")

    @property
    def ends_at(self) -> datetime | None:
        """When it stops working, or has stopped: revoked, rotated or expired, whichever came first."""
        return min(filter(None, (self.key.revoked_at, self.key.expires_at)), default=None)


@require_safe
@workspace(role="admin")
def listed(request: WorkspaceRequest) -> HttpResponse:
    """The keys this mode sees, the newest first: those that work, then those that have ended."""
    before = paging.read_number(request.GET.get("before"), "before", {}, most=paging.LAST)
    page = list(customer_keys.list_keys(by=request.workspace_key, before=before)[: PAGE + 1])
    more, lines = len(page) > PAGE, [_line(key) for key in page[:PAGE]]
    context = {
        "groups": [
            ("Live keys", [line for line in lines if line.works and line.key.livemode]),
            ("Test keys", [line for line in lines if line.works and line.key.is_test]),
        ],
        "works": any(line.works for line in lines),
        "ended": [line for line in lines if not line.works],
        "is_empty": not lines,
        "older": page[PAGE - 1].pk if more else None,
        "first": before is None,
    }
    return render(request, "workspace/keys/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@workspace(role="admin")
def new(request: WorkspaceRequest) -> HttpResponse:
    """Ask what the key is for; answer with its secret, this once."""
    now = timezone.now()
    form = NewKeyForm(request.POST or None, livemode=request.livemode, today=now.date())
    if request.method == "POST" and form.is_valid():
        asked = form.cleaned_data
        made = _refusing(
            form,
            lambda: customer_keys.create(
                by=request.workspace_key,
                name=asked["name"],
                mode=asked["mode"],
                scopes=asked["scopes"],
                expires_at=asked["expires"],
                allowed_networks=asked["allowed_networks"],
                monthly_budget=asked["monthly_budget"],
                named=asked["named"],
                now=now,
            ),
        )
        if made is not None:
            return _show_secret(request, *made)
    return _ask(request, "new", form)


@require_http_methods(["GET", "HEAD", "POST"])
@workspace(role="admin")
def one(request: WorkspaceRequest, key_id: str) -> HttpResponse:
    """What a key may do and whether it is used; its name and its budget can be changed."""
    key, now = _get(request, key_id), timezone.now()
    form = ChangeForm(request.POST or None, key=key)
    if request.method == "POST" and form.is_valid():
        wanted: dict[str, Any] = {"name": key.name, "monthly_budget": key.monthly_budget}
        wanted |= {name: form.cleaned_data[name] for name in form.changed_data}
        changed = _refusing(form, lambda: customer_keys.change(by=request.workspace_key, key=key, now=now, **wanted))
        if changed is not None:
            return redirect("workspace:key", key_id)
    return _ask(request, "one", form, key)


@require_http_methods(["GET", "HEAD", "POST"])
@workspace(role="admin")
def rotate(request: WorkspaceRequest, key_id: str) -> HttpResponse:
    """Ask how long the old key is to work on; answer with the successor's secret, this once."""
    key = _get(request, key_id)
    form = RotateForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        overlap, named = form.cleaned_data["overlap"], form.cleaned_data["named"]
        by, now = request.workspace_key, timezone.now()
        made = _refusing(form, lambda: customer_keys.rotate(by=by, key=key, overlap=overlap, named=named, now=now))
        if made is not None:
            return _show_secret(request, *made)
    return _ask(request, "rotate", form, key)


@require_http_methods(["GET", "HEAD", "POST"])
@workspace(role="admin")
def revoke(request: WorkspaceRequest, key_id: str) -> HttpResponse:
    """Ask whether it is meant; refuse the key from then on."""
    key = _get(request, key_id)
    form = forms.Form(request.POST or None)
    if request.method == "POST":
        form.is_valid()
        by, now = request.workspace_key, timezone.now()
        if _refusing(form, lambda: customer_keys.revoke(by=by, key=key, now=now)) is not None:
            return redirect("workspace:keys")
    return _ask(request, "revoke", form, key)


def _get(request: WorkspaceRequest, key_id: str) -> ApiKey:
    found = customer_keys.find(key_id, by=request.workspace_key)
    if found is None:
        raise Http404
    return found


def _line(key: ApiKey) -> Line:
    now = timezone.now()
    status = key.status_at(now)
    if status == "active" and key.revoked_at is not None:
        status = "ending"
    used = key.budget_used if key.budget_month == budgets.month_of(now) else 0
    successor = getattr(key, "replaced_by", None)
    per_minute, at_once = limits.requests_per_minute(key), limits.concurrent_lookups(key)
    return Line(key, status, KINDS[status], successor, used, per_minute, at_once)


def _ask(request: WorkspaceRequest, page: str, form: forms.Form, key: ApiKey | None = None) -> HttpResponse:
    status = 400 if form.is_bound and form.errors else 200
    context = {"form": form, "line": _line(key) if key is not None else None}
    return render(request, f"workspace/keys/{page}.html", context, status=status)


def _show_secret(request: WorkspaceRequest, key: ApiKey, secret: str | None) -> HttpResponse:
    """The only moment a secret is readable: a page that nothing stores. A form that was sent again has none."""
    asked = INVENTED if key.is_test else REAL
    example = EXAMPLE.format(url=settings.PUBLIC_URL, secret=secret, **asked)
    context = {"line": _line(key), "secret": secret, "example": example, "price": prices.LOOKUP}
    return render(request, "workspace/keys/secret.html", context if key.allows("lookup") else context | {"example": ""})


def _refusing(form: forms.Form, act: Callable[[], Done]) -> Done | None:
    """What `act` returns; None where it was refused, and the form says why."""
    try:
        return act()
    except customer_keys.Beyond as beyond:
        form.add_error(None, f"{beyond}.")
    except customer_keys.KeyEnded:
        form.add_error(None, "This key was already rotated or revoked, or has expired.")
    except customer_keys.TooManyKeys:
        form.add_error(
            None, f"At most {customer_keys.MOST_KEYS} keys of one mode can work at a time: revoke some first."
        )
    except keys.InvalidKey:
        form.add_error(None, "The account is closed: its keys stay as they are.")
    return None
