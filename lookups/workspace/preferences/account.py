"""The account's data, for its owner: all of it as one file, and the end of it."""

from __future__ import annotations

from typing import cast

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from billing import audit
from billing.members import sessions
from lookups.privacy import account_data, erasure
from lookups.workspace.access import WorkspaceRequest, sign_in_or_done, workspace


class ErasureForm(forms.Form):
    """The name, typed: this cannot be undone."""

    name = forms.CharField(label="The account's name, to confirm", max_length=200)
    give_up_credit = forms.BooleanField(label="Any remaining credit is given up", required=False)


@require_POST
@workspace(role="owner", closed=True)
def export(request: HttpRequest) -> HttpResponseBase:
    """Everything that is kept about the account, as JSON, written while it is read."""
    account = cast(WorkspaceRequest, request).member.account
    audit.record(audit.Kind.DONE, subject=account, detail="Exported.", now=timezone.now())
    response = StreamingHttpResponse(account_data.write_json(account), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="sos-lookup-account-{account.pk}.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@workspace(role="owner", closed=True, signed_out=sign_in_or_done)
def erase(request: HttpRequest) -> HttpResponse:
    """Says what goes and what stays; a POST with the name erases."""
    own = cast(WorkspaceRequest, request)
    account, now = own.member.account, timezone.now()
    form = ErasureForm(request.POST if request.method == "POST" else None)
    known = {"form": form, "is_fresh": sessions.is_fresh(own.member_session, now=now), "problem": ""}
    if request.method != "POST" or not form.is_valid() or not known["is_fresh"]:
        return _show(request, known, status=200 if request.method != "POST" else 400)
    if form.cleaned_data["name"].split() != account.name.split():  # a page shows several blanks as one
        form.add_error("name", "This is not the account's name.")
        return _show(request, known, status=400)
    try:
        erasure.erase(account=account, give_up_credit=form.cleaned_data["give_up_credit"], now=now)
    except erasure.NotErasable as problem:
        return _show(request, known | {"problem": str(problem)}, status=409)
    response = render(request, "workspace/entrance/erased.html", {"number": account.pk})
    response.delete_cookie(settings.WORKSPACE_COOKIE_NAME)
    return response


def _show(request: HttpRequest, known: dict[str, object], *, status: int) -> HttpResponse:
    return render(request, "workspace/preferences/erase.html", known, status=status)
