"""What is kept, and where people ask us to leave something out or put it right: a form without account or script."""

from __future__ import annotations

import unicodedata
import uuid

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from billing import limits
from lookups import client_address
from lookups.demo import asking
from lookups.jobs import lifecycle
from lookups.models import RemovalRequest
from lookups.pages import views
from lookups.privacy import removal_requests
from scrapers import tasks


class PlainText(forms.CharField):
    """Text without signs that are not seen: they turn lines around and hide one name in another."""

    def to_python(self, value: object) -> str:
        text = super().to_python(value) or ""
        return "".join(sign for sign in text if sign in "\r\n\t" or not unicodedata.category(sign).startswith("C"))


class RequestForm(forms.Form):
    """Who asks, what about, and what for."""

    kind = forms.ChoiceField(label="What should we do?", choices=RemovalRequest.Kind.choices)
    about = PlainText(
        label="Page or company",
        max_length=300,
        help_text="The address of the page here, or the company's name and state.",
    )
    text = PlainText(
        label="What is it about?",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Which line, how it concerns you, and what would be right. Please send no copies of documents.",
    )
    name = PlainText(label="Your name", max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    email = forms.EmailField(
        label="Your e-mail address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text="For our answer, and for nothing else.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """The form; a POST keeps the request and says until when it is answered."""
    if request.method != "POST":
        return _show(request, RequestForm(initial={"about": request.GET.get("about", "")[:300]}))
    now = timezone.now()
    rate = client_address.count_form(request, now=now)
    if not rate.allowed:
        return views.too_many(request, retry_after=rate.retry_after)
    form = RequestForm(request.POST)
    if not form.is_valid():
        return _show(request, form, status=400)
    kept = removal_requests.receive(**form.cleaned_data, now=now)
    received = reverse("privacy-received", args=[kept.pk])
    return HttpResponseRedirect(received, status=303, headers={"Cache-Control": "no-store"})  # what follows is a GET


@require_safe
def received(request: HttpRequest, request_id: uuid.UUID) -> HttpResponse:
    """That it has arrived, and until when it is answered; nothing of what was typed."""
    kept = get_object_or_404(RemovalRequest, pk=request_id)
    response = views.show(request, "received", {"kept": kept})
    response["Cache-Control"], response["X-Robots-Tag"] = "no-store", "noindex"
    return response


def _show(request: HttpRequest, form: RequestForm, *, status: int = 200) -> HttpResponse:
    content = {
        "form": form,
        "days": removal_requests.DUE_AFTER.days,
        "kept": _list_kept(),
        "asks_gleif": settings.ASK_GLEIF,
    }
    response = views.show(request, "privacy", content, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _list_kept() -> list[tuple[str, str]]:
    """What is kept and for how long, as the code does it; docs/retention.md has every table."""
    return [
        (
            "With an account: who you are, what you asked, what came of it and what it cost",
            "As long as the account; then only lines of times and sums. You can have it exported or erased at any time",
        ),
        ("Payments and receipts, and what each charge was for", "As long as the law on bookkeeping requires"),
        (
            "What you type into the search box of the first page",
            f"{asking.KEPT_FOR.days} days with its answer, {tasks.KEPT_FOR.days} days in the sandbox's log",
        ),
        ("What registries said about companies, including people on public record", "Until you ask us to withhold it"),
        ("The bytes that registries sent, as evidence", f"{settings.EVIDENCE_DAYS} days"),
        ("Messages sent to your server or mailbox", f"{lifecycle.KEPT_FOR.days} days"),
        ("Your network address, in the counts that limits need", f"{limits.KEPT_FOR.days * 24} hours"),
        (
            "Where you are signed in: your network address and browser",
            f"Until you sign out, {settings.WORKSPACE_SESSION_DAYS} days at most",
        ),
        (
            "Who signed in and what was changed in an account, by numbers: the network address it came from",
            "Indefinitely: the lines of this log are chained, and none can be removed",
        ),
        ("A request for removal or correction", f"{removal_requests.KEPT_FOR.days // 365} years after its answer"),
    ]
