"""Ask: the first page of the workspace. What is sent here leads on to the page of its answer."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from billing import money, prices, selectors
from lookups import listing
from lookups.lookup.questions import IDENTIFIERS, Question
from lookups.models import BulkJob, Lookup
from lookups.workspace.access import WorkspaceRequest, sign_in_first, workspace
from lookups.workspace.ask import asking, results
from lookups.workspace.ask.answers import tell
from lookups.workspace.ask.asking import NotTaken, Person, StillRunning
from lookups.workspace.ask.places import list_choices
from lookups.workspace.ask.questions import KINDS, Asked, Wrong, of_question, read_form

LATELY = 5
TRIES = (
    ("a company", "Blue Heron Logistics LLC", "DE", "company"),
    ("an ambiguous name", "Magic Ambiguous LLC", "NY", "company"),
    ("a name not found", "Magic Not Found LLC", "CO", "company"),
    ("liens", "Blue Heron Logistics LLC", "DE", "liens"),
    ("is a name free?", "Rustwhistle Tea LLC", "UT", "name"),
    ("a slow registry", "Magic Later LLC", "CA", "company"),
)


def _sign_in_with(request: HttpRequest) -> HttpResponseBase:
    """What was typed comes along to the page after signing in."""
    if request.method != "POST":
        return sign_in_first(request)
    try:
        asked = read_form(request.POST)
    except Wrong:
        return sign_in_first(request)
    ticked = ({"source": "cache"} if asked.from_copy else {}) | ({IDENTIFIERS: "on"} if asked.identifiers else {})
    return sign_in_first(request, f"{request.path}?{urlencode(of_form(asked) | ticked)}")


@require_http_methods(["GET", "HEAD", "POST"])
@workspace("viewer", signed_out=_sign_in_with)
def ask(request: WorkspaceRequest) -> HttpResponse:
    """The form; a POST asks, and leads to the answer, or says beside the field what is wrong."""
    if request.method == "POST" and not request.member.can("member"):
        return show_form(
            request, Asked(), refused="Your role can only read. A member, an admin or the owner can ask.", status=403
        )
    try:
        asked = read_form(request.POST if request.method == "POST" else request.GET)
    except Wrong as wrong:
        return show_form(request, wrong.asked or Asked(), wrong=wrong.texts, status=400)
    if request.method != "POST":
        return show_form(request, asked)
    if asked.is_everywhere:
        return HttpResponseRedirect(reverse("workspace:anywhere", query=of_form(asked)))
    try:
        question = asked.to_question()
    except Wrong as wrong:
        return show_form(request, asked, wrong=wrong.texts, status=400)
    return _send(request, question, asked)


@require_POST
@workspace("member")
def ask_again(request: WorkspaceRequest, public_id: str) -> HttpResponse:
    """The same question to the registry itself, now; paid for anew where it answers."""
    earlier = listing.find(public_id, account_id=request.member.account_id, sandbox=not request.livemode)
    if earlier is None:
        return results.not_found(request)
    try:
        asked = read_form({**of_question(earlier.question, ref=earlier.ref), "word": request.POST.get("word", "")})
    except Wrong as wrong:
        return show_form(request, Asked(), wrong=wrong.texts, status=400)
    return _send(request, Question.from_json(earlier.question), asked, fresh=True)


@require_safe
@workspace("member")
def asked(request: WorkspaceRequest, mark: str) -> HttpResponse:
    """Where a form leads that was sent while it was being answered: to its answer, once that has a page."""
    found = asking.find_asked(mark, key=request.workspace_key)
    if isinstance(found, Lookup | BulkJob):
        return HttpResponseRedirect(address_of(found))
    if found is None:
        return HttpResponseRedirect(reverse("workspace:history"))
    return render(request, "workspace/ask/waiting.html", {"refresh_seconds": 2})


def show_form(
    request: WorkspaceRequest,
    asked: Asked,
    *,
    wrong: dict[str, list[str]] | None = None,
    refused: str = "",
    is_short: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The form as it was filled in, with what is wrong beside its fields."""
    now, account_id = timezone.now(), request.member.account_id
    can, cannot = list_choices(livemode=request.livemode, now=now)
    wanted = listing.Filter()
    asked_before = listing.list_lookups(account_id=account_id, sandbox=not request.livemode, wanted=wanted)
    lately = asked_before.filter(bulk=None).exclude(origin=Lookup.Origin.WATCH)
    balance = selectors.get_balance(account_id).spendable
    content: dict[str, Any] = {
        "asked": asked,
        "kinds": KINDS,
        "can": can,
        "cannot": cannot,
        "wrong": wrong or {},
        "refused": refused,
        "is_short": is_short,
        "may_ask": request.member.can("member"),
        "price": money.to_decimal_string(prices.LOOKUP),
        "covered": prices.lookups_covered(balance),
        "lately": [tell(one) for one in lately[:LATELY]],
        "tries": [] if request.livemode else TRIES,
    }
    return render(request, "workspace/ask/form.html", content, status=status)


def of_form(asked: Asked) -> dict[str, str]:
    """A form as an address."""
    names = ("name", "state", "kind", "entity_id", "party", "ref", "word")
    return {name: getattr(asked, name) for name in names if getattr(asked, name)}


def person_of(request: WorkspaceRequest) -> Person:
    """Who asks."""
    request_id: str = getattr(request, "request_id", "")
    return Person(key=request.workspace_key, user_id=request.member.user_id, request_id=request_id)


def address_of(found: Lookup | BulkJob) -> str:
    """The page of what came of a form."""
    if isinstance(found, BulkJob):
        return reverse("workspace:anywhere-asked", args=[found.public_id])
    return reverse("workspace:lookup", args=[found.public_id])


def lead_on(request: WorkspaceRequest, found: Lookup | BulkJob | NotTaken | StillRunning, asked: Asked) -> HttpResponse:
    """To the page of the answer; back to the form with the reason where nothing was accepted."""
    match found:
        case NotTaken() as refused:
            page = show_form(request, asked, refused=refused.text, is_short=refused.is_short, status=refused.status)
            if refused.retry_after:
                page["Retry-After"] = str(refused.retry_after)
            return page
        case StillRunning(mark=mark):
            return HttpResponseRedirect(reverse("workspace:asked", args=[mark]))
    return HttpResponseRedirect(address_of(found), status=303)


def _send(request: WorkspaceRequest, question: Question, asked: Asked, *, fresh: bool = False) -> HttpResponse:
    mark = f"{asked.mark}:fresh" if fresh else asked.mark
    found = asking.ask_once(
        question=question,
        person=person_of(request),
        mark=mark,
        now=timezone.now(),
        ref=asked.ref or None,
        fresh=fresh,
    )
    return lead_on(request, found, asked)
