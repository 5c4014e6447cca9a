"""The page of one lookup: how far it is, then its answer, with all that proves it, to be shared within the account."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from billing import money, prices
from lookups import bodies, listing, selectors
from lookups.api.wire.shape import encode
from lookups.evidence import bundle, wacz
from lookups.models import Lookup, RecordVersion
from lookups.pages.dossier import of_lookup, of_version
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.ask.answers import Answer, find_manifest, is_kept, tell
from lookups.workspace.ask.charges import find_charge
from lookups.workspace.ask.progress import read_progress


@require_safe
@workspace("viewer")
def result(request: WorkspaceRequest, public_id: str) -> HttpResponse:
    """How far it is, or what came of it."""
    lookup, now = find(request, public_id), timezone.now()
    if lookup is None:
        return not_found(request)
    answer = tell(lookup)
    if answer.is_open:
        progress = read_progress(lookup, now=now)
        return render(request, "workspace/ask/progress.html", {"answer": answer, "progress": progress})
    charge = find_charge(lookup)
    content: dict[str, Any] = {
        "answer": answer,
        "charge": charge,
        "given_back": charge.sum_given_back() if charge else 0,
        "manifest": find_manifest(lookup),
        "price": money.to_decimal_string(prices.LOOKUP),
        "word": uuid.uuid4().hex,
        "reads_statement": request.member.can("admin"),
        "may_ask": request.member.can("member") and request.livemode == lookup.livemode,
        "other_mode": request.livemode != lookup.livemode,
        **_show_record(request, answer),
    }
    return render(request, "workspace/ask/result.html", content)


@require_safe
@workspace("viewer")
def progress(request: WorkspaceRequest, public_id: str) -> HttpResponse:
    """How far it is, for a page that is open; 204 once it has ended: the page is loaded again then."""
    lookup = find(request, public_id)
    if lookup is None or lookup.verdict is not None:
        return HttpResponse(status=204)
    how_far = read_progress(lookup, now=timezone.now())
    return render(request, "workspace/ask/how_far.html", {"progress": how_far})


@require_safe
@workspace("viewer")
def reply(request: WorkspaceRequest, public_id: str) -> HttpResponse:
    """What the API tells of it."""
    lookup = find(request, public_id)
    if lookup is None:
        return not_found(request)
    body = bodies.of_open(lookup) if lookup.verdict is None else bodies.of_lookup(lookup)
    return HttpResponse(encode(body), content_type="application/json")


@require_safe
@workspace("viewer")
def evidence(request: WorkspaceRequest, public_id: str, form: str) -> HttpResponse:
    """What proves it: the signed manifest as it was signed, or all of it as a web archive."""
    lookup = find(request, public_id)
    proof = bundle.find(lookup) if lookup is not None and lookup.verdict is not None else None
    if lookup is None or proof is None:
        return not_found(request)
    if form == "json":
        content, kind, name = proof.document.encode(), "application/json", f"{lookup.public_id}-manifest.json"
    else:
        content, kind, name = wacz.write(proof, now=timezone.now()), wacz.MEDIA_TYPE, f"{lookup.public_id}.wacz"
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@require_safe
def to_evidence(request: HttpRequest, public_id: str) -> HttpResponse:
    """The place on the page where its evidence is: what other pages link to."""
    return HttpResponseRedirect(reverse("workspace:lookup", args=[public_id], fragment="evidence"))


def find(request: WorkspaceRequest, public_id: str) -> Lookup | None:
    """The lookup of the member's account, of whichever mode: its page may be sent to a colleague."""
    account_id = request.member.account_id
    in_mode = listing.find(public_id, account_id=account_id, sandbox=not request.livemode)
    return in_mode or listing.find(public_id, account_id=account_id, sandbox=request.livemode)


def not_found(request: WorkspaceRequest) -> HttpResponse:
    """404, in the workspace."""
    return render(request, "workspace/ask/not_found.html", status=404)


def _show_record(request: WorkspaceRequest, answer: Answer) -> dict[str, Any]:
    """The record as it was read then, or as it was read last; both belong to whoever bought a reading of it."""
    lookup, now = answer.lookup, timezone.now()
    if not answer.is_found or not is_kept(lookup):
        return {}
    newer = _find_newer(lookup)
    if newer is not None and request.GET.get("record") == "today":
        return {"page": of_version(newer, viewer="customer", now=now), "newer": newer, "shows_newer": True}
    return {"page": of_lookup(lookup, viewer="customer", now=now), "newer": newer, "shows_newer": False}


def _find_newer(lookup: Lookup) -> RecordVersion | None:
    """What the registry said since then, where that is something else."""
    if lookup.version is None:
        return None
    latest = selectors.find_latest_version(lookup.version.entity)
    return latest if latest is not None and latest.number > lookup.version.number else None
