"""The search box of the first page: a form that works without script, and the page with its answer.

Whatever is asked is asked of the sandbox registry. With script the answer's part of this page opens on the first one.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from jurisdictions.codes import CHOICES, PLACES
from lookups import client_address
from lookups.demo import asking
from lookups.lookup.questions import Question
from lookups.models import Lookup
from lookups.pages import views
from lookups.pages.dossier import Dossier, of_lookup
from lookups.pages.home import answers
from scrapers.normalize.hidden import find_hidden

WORKSPACE = "/app/"
KINDS = {"company": "business_entity", "liens": "ucc", "name": "name_check"}
# What the links under the box play, each by a name of docs/sandbox.md.
PLAYED = (
    ("a company", {"name": "Blue Heron Logistics LLC", "state": "DE"}),
    ("an ambiguous name", {"name": "Magic Ambiguous LLC", "state": "DE"}),
    ("a name not found", {"name": "Magic Not Found LLC", "state": "NY"}),
    ("a lien", {"name": "Blue Heron Logistics LLC", "state": "DE", "kind": "liens"}),
    ("a name check", {"name": "Blue Heron Logistics", "state": "FL", "kind": "name"}),
    ("an outage", {"name": "Magic Portal Down LLC", "state": "OH"}),
)


class TryForm(forms.Form):
    """What is asked of which registry: a name, or an identifier that an answer named."""

    name = forms.CharField(min_length=2, max_length=200, required=False)
    id = forms.CharField(max_length=60, required=False)
    state = forms.ChoiceField(choices=CHOICES, error_messages={"required": "Choose a state."})
    kind = forms.ChoiceField(choices=[(word, word) for word in KINDS], required=False)

    def clean(self) -> None:
        """A question needs a name, unless it is for a company's identifier."""
        asked = self.cleaned_data
        text = f"{asked.get('name', '')}{asked.get('id', '')}".strip()
        if find_hidden(text):
            self.add_error("name", "Characters that cannot be seen are not allowed.")
        elif not text and not self.errors:
            self.add_error("name", "Type a company's name.")

    def to_question(self) -> Question:
        """The valid form's question."""
        asked = self.cleaned_data
        kind: Any = KINDS[asked["kind"] or "company"]
        name = " ".join(asked["name"].split()) or None
        number = asked["id"] or None if kind == "business_entity" else None
        return Question(state=asked["state"], name=None if number else name or asked["id"], entity_id=number, kind=kind)


def box(form: TryForm | None = None, *, is_member: bool = False) -> dict[str, Any]:
    """What the box itself needs: what stands in it, where it leads, and the questions that are offered.

    A member's asks real registries in the workspace, so that nothing invented stands in it, and no state,
    which might be switched off.
    """
    first = {"name": "", "state": ""} if is_member else PLAYED[0][1]
    asked = {name: form.data.get(name, "") for name in ("name", "state")} if form else first
    return {
        "asked": {**asked, "state": asked["state"] if asked["state"] in PLACES else first["state"]},
        "states": CHOICES,
        "ask_url": WORKSPACE if is_member else reverse("try"),
        "played": [(label, answers.try_url(**question)) for label, question in PLAYED],
    }


@require_safe
def answer(request: HttpRequest) -> HttpResponse:
    """The answer to a question, with the box above it to ask another; the first page where nothing was asked."""
    if not request.GET:
        return redirect("home")
    form, now = TryForm(request.GET), timezone.now()
    rate = client_address.count(request, now=now)
    if not rate.allowed:
        return views.too_many(request, retry_after=rate.retry_after)
    if not form.is_valid():
        problem = next(iter(form.errors.values()))[0]
        return _show(request, form, {"problem": problem}, status=400)
    given = asking.ask(
        question=form.to_question(),
        network=client_address.address_of(request),
        request_id=getattr(request, "request_id", ""),
        now=now,
    )
    if isinstance(given, asking.Resting):
        response = _show(request, form, {"resting": True}, status=429)
        response["Retry-After"] = str(given.seconds)
        return response
    shown = answers.describe(given)
    dossier = None if shown else _dossier(given.lookup, now=now)
    content = {"shown": shown, "dossier": dossier, "place": PLACES[given.lookup.state]}
    real = (
        f"{WORKSPACE}?{urlencode({word: value for word, value in form.cleaned_data.items() if value and word != 'id'})}"
    )
    return _show(request, form, {**content, **answers.timing(given, now=now), "real_url": real})


def _dossier(lookup: Lookup, *, now: datetime) -> Dossier:
    """The record as a customer sees it; but the lookup is nobody's who could open it, so that nothing leads there."""
    return replace(of_lookup(lookup, viewer="customer", now=now), lookup_id="")


def _show(request: HttpRequest, form: TryForm, content: dict[str, Any], *, status: int = 200) -> HttpResponse:
    response = views.show(request, "home/answer", {**box(form), **content}, status=status)
    response["Cache-Control"], response["X-Robots-Tag"] = "no-store", "noindex"
    return response
