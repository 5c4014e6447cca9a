"""Where anybody checks a file of evidence: in the browser, which sends it nowhere, or by the service.

The one public page with a script: a file of our own, which asks this host alone, for the list of its keys.
"""

from __future__ import annotations

from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from lookups import client_address
from lookups.evidence import judgement, signing, verify
from lookups.pages import views

MOST_BYTES = 5 * 1024 * 1024  # what the proxy lets through is little more
TITLES = {"good": "Nothing in this file was changed", "bad": "This file was changed", "warn": "Not wholly checked"}
WORDS = {True: ("good", "Good"), False: ("bad", "Wrong"), None: ("warn", "Open")}
TOO_LARGE = "The service judges files up to 5 MB. Your browser can judge a larger one, and so can the program below."
NO_EVIDENCE = "This is no file of evidence"
NO_FILE = "Choose a file first."


@require_http_methods(["GET", "HEAD", "POST"])
def check(request: HttpRequest) -> HttpResponse:
    """The form; a POST judges the file that came with it, and keeps nothing of it."""
    if request.method != "POST":
        return _show(request, {})
    rate = client_address.count(request, now=timezone.now())
    if not rate.allowed:
        return views.too_many(request, retry_after=rate.retry_after)
    file = request.FILES.get("file")
    if file is None or file.size is None:
        return _show(request, {"problem": NO_FILE}, status=400)
    if file.size > MOST_BYTES:
        return _show(request, {"problem": TOO_LARGE}, status=413)
    raw = file.read()
    found = judgement.judge(raw)
    verdict = "good" if verify.is_good(found) else "bad"
    if verdict == "good" and any(one.part == "our chain" and one.holds is None for one in found):
        verdict = "warn"
    # JSON names half a letter as well, which no page can hold
    lines = [(one.part, *WORDS[one.holds], one.text.encode(errors="replace").decode()) for one in found]
    title = TITLES[verdict] if raw.startswith(b"PK") else NO_EVIDENCE
    return _show(request, {"verdict": verdict, "title": title, "lines": lines, "name": file.name})


@require_safe
@cache_control(public=True, max_age=60)
def keys(request: HttpRequest) -> HttpResponse:
    """Every key that evidence was ever signed with, in order, each vouched for by the one before it."""
    response = JsonResponse(signing.list_published())
    response["Access-Control-Allow-Origin"] = "*"  # a copy of the page elsewhere may compare with it
    return response


@require_safe
@cache_control(public=True, max_age=300)
def program(request: HttpRequest) -> FileResponse:
    """The program that checks a file without the service."""
    return FileResponse(open(verify.__file__, "rb"), content_type="text/x-python; charset=utf-8")


def _show(request: HttpRequest, content: dict[str, object], *, status: int = 200) -> HttpResponse:
    response = render(request, "pages/verify.html", content, status=status)
    response["Cache-Control"] = "no-store"
    return response
