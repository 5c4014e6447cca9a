"""A test key for the examples of the documentation: made on one page, put into all examples, ended on the same page."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from billing import customer_keys, keys
from billing.models import ApiKey
from lookups.pages.docs import example_keys
from lookups.workspace.access import WorkspaceRequest, workspace

NAME = "Examples in the documentation"
SCOPES = ("lookup", "bulk", "names", "watches")
SCOPES_OF_ADMINS = (*SCOPES, "account", "keys")
DOCS = "/docs/"


@require_http_methods(["GET", "HEAD", "POST"])
@workspace(role="member")
def show(request: HttpRequest) -> HttpResponse:
    """Ask before anything is made; a POST makes the key, or ends the one that this browser has."""
    member, back = cast(WorkspaceRequest, request).member, _read_back(request)
    mine = example_keys.find(request)
    content = {"back": back, "mine": mine, "hours": int(example_keys.LASTS.total_seconds() // 3600)}
    if request.method != "POST":
        return render(request, "workspace/example_key.html", content)
    response = HttpResponseRedirect(back)
    if mine is not None:
        _end(cast(WorkspaceRequest, request), mine)
        example_keys.drop(response)
    if "end" in request.POST:
        return response
    now = timezone.now()
    try:
        _, secret = customer_keys.create(
            by=cast(WorkspaceRequest, request).workspace_key,
            name=NAME,
            mode=ApiKey.Mode.TEST,
            scopes=SCOPES_OF_ADMINS if member.can("admin") else SCOPES,
            expires_at=now + example_keys.LASTS,
            now=now,
        )
    except customer_keys.TooManyKeys:
        return render(request, "workspace/example_key.html", content | {"full": customer_keys.MOST_KEYS}, status=409)
    example_keys.keep(response, secret or "")
    return response


def _end(request: WorkspaceRequest, secret: str) -> None:
    """Revoke a key of this account; another's, or one that has ended, only leaves the browser."""
    try:
        key = keys.verify(secret=secret, now=timezone.now())
    except keys.InvalidKey:
        return
    if key.account_id == request.member.account_id and key.is_test:
        keys.revoke(key=key, now=timezone.now())


def _read_back(request: HttpRequest) -> str:
    """The page of the documentation that the reader came from."""
    wanted = request.POST.get("next") or request.GET.get("next", "")
    is_own = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None) and wanted.startswith(DOCS)
    return wanted if is_own else f"{DOCS}guides/quick-start/"
