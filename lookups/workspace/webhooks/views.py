"""Where webhooks go, what signs them, and what became of each. The mode is the session's: live or sandbox."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from lookups import account_settings
from lookups.api.views import paging
from lookups.models import Delivery
from lookups.notifications import deliveries, webhook_events, webhook_secrets, webhook_test
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.webhooks import snippets
from lookups.workspace.webhooks.forms import AddressForm, SecretForm

PAGE = 200
KINDS = {"delivered": "good", "pending": "neutral", "given_up": "bad"}
LONGEST_SHOWN = 20_000  # characters of a body; all of it is one click away


@require_http_methods(["GET", "HEAD", "POST"])
@workspace(role="admin")
def webhooks(request: WorkspaceRequest) -> HttpResponse:
    """The address, the secret, the test and the log; a POST changes the address."""
    account, livemode = request.member.account, request.livemode
    form = AddressForm(request.POST or None, initial={"address": account.webhook_address(livemode=livemode)})
    if request.method == "POST" and form.is_valid():
        address = form.cleaned_data["address"]
        account_settings.change_in_workspace(
            member=request.member, now=timezone.now(), livemode=livemode, webhook_url=address
        )
        return redirect("workspace:webhooks")
    return _page(request, form=form, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@workspace(role="admin")
def secret(request: WorkspaceRequest) -> HttpResponse:
    """Ask whether a new one is meant; show it, this once."""
    form = SecretForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "workspace/webhooks/new_secret.html", {"form": form})
    account_id, named = request.member.account_id, form.cleaned_data["named"]
    made: webhook_secrets.NewSecret | None = None
    try:
        made = webhook_secrets.rotate(account_id=account_id, livemode=request.livemode, named=named, now=timezone.now())
    except webhook_secrets.MadeBefore:
        pass
    except webhook_secrets.TooManySecrets as many:
        return _too_often(request, str(many), many.retry_after)
    return render(request, "workspace/webhooks/secret.html", {"made": made})


@require_POST
@workspace(role="admin")
def test(request: WorkspaceRequest) -> HttpResponse:
    """Send one signed event to the address now, and show what came of it."""
    account_id, livemode = request.member.account_id, request.livemode
    try:
        sent = webhook_test.send_test(account_id=account_id, livemode=livemode, now=timezone.now())
    except webhook_test.NoAddress:
        return _page(request, problem="There is no address yet: save one first.", status=400)
    except webhook_test.TooOften as often:
        return _too_often(request, str(often), often.retry_after)
    return _page(request, tested=sent)


@require_safe
@workspace(role="admin")
def one(request: WorkspaceRequest, message_id: str) -> HttpResponse:
    """One message: every try, what was answered, when it is tried next, and what it says."""
    delivery = _get(request, message_id)
    shown = _readable(webhook_events.get_body(delivery))
    context = {
        "delivery": delivery,
        "kind": KINDS[delivery.status],
        "tries": delivery.log.all(),
        "body": shown[:LONGEST_SHOWN],
        "is_cut": len(shown) > LONGEST_SHOWN,
        "can_repeat": delivery.event != Delivery.Event.TEST,
    }
    return render(request, "workspace/webhooks/one.html", context)


@require_safe
@workspace(role="admin")
def body(request: WorkspaceRequest, message_id: str) -> HttpResponse:
    """The exact bytes that are sent, as a file."""
    delivery = _get(request, message_id)
    if not delivery.body:
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{delivery.message_id}.json"'}
    return HttpResponse(webhook_events.get_body(delivery).encode(), content_type="application/json", headers=headers)


@require_POST
@workspace(role="admin")
def again(request: WorkspaceRequest, message_id: str) -> HttpResponse:
    """Send a message once more, under the same name."""
    delivery = _get(request, message_id)
    try:
        if not deliveries.repeat(delivery, now=timezone.now()):
            messages.info(request, "Nothing more is sent: it is being sent at this moment, or was a test.")
    except deliveries.TooOften as often:
        return _too_often(request, str(often), often.retry_after)
    return redirect("workspace:delivery", message_id)


def _get(request: WorkspaceRequest, message_id: str) -> Delivery:
    account_id = request.member.account_id
    found = deliveries.find_own(message_id, account_id=account_id, livemode=request.livemode)
    if found is None:
        raise Http404
    return found


def _page(
    request: WorkspaceRequest, *, form: AddressForm | None = None, status: int = 200, **more: Any
) -> HttpResponse:
    account, livemode = request.member.account, request.livemode
    wanted = request.GET.get("status")
    wanted = wanted if wanted in Delivery.Status.values else None
    after = paging.read_place(request.GET.get("after"), {}, written_as="place")
    rows = deliveries.list_own(account_id=account.pk, livemode=livemode, status=wanted, after=after)
    page = list(rows[: PAGE + 1])
    last = page[PAGE - 1] if len(page) > PAGE else None
    address = account.webhook_address(livemode=livemode)
    context = {
        "form": form or AddressForm(initial={"address": address}),
        "address": address,
        "other_address": account.webhook_address(livemode=not livemode),
        "log": [(row, KINDS[row.status]) for row in page[:PAGE]],
        "older": paging.write_place(last.created_at, last.pk) if last else None,
        "wanted": wanted,
        "statuses": Delivery.Status.choices,
        "python": snippets.PYTHON,
        "javascript": snippets.JAVASCRIPT,
        **more,
    }
    return render(request, "workspace/webhooks/webhooks.html", context, status=status)


def _too_often(request: WorkspaceRequest, text: str, retry_after: int) -> HttpResponse:
    page = _page(request, problem=f"{text}. Again in {retry_after} seconds.", status=429)
    page["Retry-After"] = f"{retry_after}"
    return page


def _readable(text: str) -> str:
    """The body with a line for each field; what makes text run backwards is written out."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=True) if text else ""
    except ValueError:
        return text
