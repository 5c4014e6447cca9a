"""Two pages about an outage: pay its answers back, and have its failed jobs asked again. Each is confirmed once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from billing import grants, money, outage_refunds
from billing.admin import pages
from billing.admin.outage_refunds import tell
from billing.grants import GrantRefused
from billing.proof import proven
from jurisdictions.codes import CHOICES, PLACES
from lookups.models import Job, Lookup
from lookups.operations import outages
from lookups.operations.outages import Outage

MOST_CHOSEN = 200  # they stand in an address
STATES = [("", "Choose a state"), *CHOICES]


def _moment_field(label: str) -> forms.DateTimeField:
    widget = UnfoldAdminTextInputWidget(attrs={"type": "datetime-local", "step": "60"})
    return forms.DateTimeField(required=False, label=label, widget=widget)


class OutageForm(forms.Form):
    """A state and a time, or lookups that were chosen in the list."""

    state = forms.ChoiceField(choices=STATES, required=False, widget=UnfoldAdminSelectWidget())
    since = _moment_field("Asked from (UTC)")
    until = _moment_field("Asked until (UTC)")
    ids = forms.CharField(required=False, widget=forms.HiddenInput())
    as_of = forms.DateTimeField(widget=forms.HiddenInput())

    def __init__(self, data: Any, *, chosen: str, state: str, now: datetime) -> None:
        initial = {"ids": chosen, "state": state if state in PLACES else "", "as_of": now.isoformat()}
        super().__init__(
            data,
            initial={
                **initial,
                "since": _to_minute(now - timedelta(days=1)),
                "until": _to_minute(now + timedelta(minutes=1)),
            },
        )
        if (data or initial).get("ids"):
            for name in ("state", "since", "until"):
                self.fields[name].widget = forms.HiddenInput()

    def clean_ids(self) -> list[int]:
        words = self.cleaned_data["ids"].split(",") if self.cleaned_data["ids"] else []
        if len(words) > MOST_CHOSEN or not all(word.isdecimal() and len(word) < 19 for word in words):
            raise forms.ValidationError(f"At most {MOST_CHOSEN} lookups are chosen one by one.")
        return sorted(set(map(int, words)))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("ids") or self.errors:
            return data
        if not (data.get("state") and data.get("since") and data.get("until")):
            raise forms.ValidationError("Choose a state, from when and until when.")
        if not timedelta(0) < data["until"] - data["since"] <= outages.LONGEST:
            raise forms.ValidationError(f"From before until, and at most {outages.LONGEST.days} days.")
        return data

    def chosen(self) -> list[int]:
        """The lookups that were chosen in a list, before anything is typed."""
        words = str((self.data or self.initial).get("ids") or "")
        return [int(word) for word in words.split(",")[:MOST_CHOSEN] if word.isdecimal() and len(word) < 19]

    def outage(self) -> Outage:
        """What is meant, once the form is valid."""
        data = self.cleaned_data
        as_of = min(data["as_of"], timezone.now())
        if data["ids"]:
            return Outage(as_of, ids=data["ids"])
        return Outage(as_of, data["state"], data["since"], data["until"])


class OutageRefundForm(OutageForm):
    """And why customers get it back: it stands in their statements."""

    reason = pages.reason_field([("outage", "Outage"), *(one for one in pages.REFUND_REASONS if one[0] != "outage")])
    note = pages.note_field()


class RefundsOutages(pages.ActionPermissions):
    """The list of lookups gets the page."""

    @action(description="Refund an outage", url_path="refund-outage", permissions=["move_money"])
    @proven
    def refund_outage(self, request: HttpRequest) -> HttpResponse:
        """Say what was paid, by how many; confirmed, every charge is given back, once."""
        operator, back = pages.operator_of(request), reverse("admin:billing_outagerefund_changelist")

        def perform(data: dict[str, Any], token: str) -> str:
            outage, now = form.outage(), timezone.now()
            found = outages.count_answers(outage).refundable
            why = {"reason": data["reason"], "note": data["note"]}
            row = outage_refunds.begin(subject=str(outage), found=found, token=token, operator=operator, now=now, **why)
            if row.asked_at == now:  # else it was confirmed before
                self.log_change(request, row, f"Asked for {tell(row)}.")  # type: ignore[attr-defined]
            row = outage_refunds.carry_out(row, now=now)
            return f"{row.get_state_display().capitalize()}: {tell(row)}."

        form: OutageRefundForm = _form(OutageRefundForm, request)
        return _confirm(
            request, "Refund an outage", form, lambda outage: _describe_refund(outage, operator), perform, back
        )

    @admin.action(description="Refund the chosen lookups", permissions=["move_money"])
    def refund_chosen(self, request: HttpRequest, rows: QuerySet[Lookup]) -> HttpResponse | None:
        """Leads to the page that asks."""
        return _lead(request, rows.values_list("pk", flat=True), "admin:lookups_lookup_refund_outage")


class AsksOutagesAgain:
    """The list of jobs gets the page."""

    @action(description="Ask an outage again", url_path="ask-outage-again", permissions=["run"])
    @proven
    def ask_outage_again(self, request: HttpRequest) -> HttpResponse:
        """Say how many failed, for how many, at what price; confirmed, each is asked again and paid for anew."""

        def note(job: Job) -> None:
            what = f"Asked again; it was {job.status}, ask {job.ask_id}."
            self.log_change(request, job, what)  # type: ignore[attr-defined]

        def perform(data: dict[str, Any], token: str) -> str:
            asked, short = outages.ask_again(form.outage(), now=timezone.now(), note=note)
            more = f" {short} could not be paid for." if short else ""
            return f"{len(asked)} {'job is' if len(asked) == 1 else 'jobs are'} asked again.{more}"

        form: OutageForm = _form(OutageForm, request)
        back, title = reverse("admin:lookups_job_changelist"), "Ask failed jobs again"
        return _confirm(request, title, form, _describe_jobs, perform, back, right="lookups.change_job")

    @admin.action(description="Ask failed ones again", permissions=["run"])
    def do_over(self, request: HttpRequest, rows: QuerySet[Job]) -> HttpResponse | None:
        """Leads to the page that asks: each is paid for anew."""
        return _lead(request, rows.values_list("lookup", flat=True), "admin:lookups_job_ask_outage_again")


def _form(kind: type[OutageForm], request: HttpRequest) -> Any:
    chosen, state = request.GET.get("lookups", ""), request.GET.get("state", "")
    return kind(request.POST or None, chosen=chosen, state=state, now=timezone.now())


def _confirm(
    request: HttpRequest,
    title: str,
    form: OutageForm,
    describe: Callable[[Outage], list[tuple[str, str]]],
    perform: Callable[[dict[str, Any], str], str],
    back: str,
    right: str = pages.MOVE_MONEY,
) -> HttpResponse:
    """What is chosen in a list is known at once; a state and a time are typed first."""
    facts, chosen = None, form.chosen()
    if chosen and "confirm" not in request.POST:
        try:
            facts = describe(Outage(timezone.now(), ids=chosen))
        except GrantRefused as nothing:
            messages.error(request, str(nothing))
            return redirect(back)
    return pages.confirmed_move(
        request,
        title=title,
        form=form,
        describe=lambda _: describe(form.outage()),
        perform=perform,
        back=back,
        right=right,
        facts=facts,
    )


def _describe_refund(outage: Outage, operator: str) -> list[tuple[str, str]]:
    found = outages.count_answers(outage)
    left = found.refundable
    if not left.charges:
        raise GrantRefused(f"Of {found.lookups} lookups none has anything left to be given back.")
    alone = grants.may_give_alone(operator=operator, amount=left.amount, now=timezone.now())
    return [
        ("Lookups", str(outage)),
        ("Given back", f"{money.to_decimal_string(left.amount)} USD for {_count(len(left.charges), 'lookup')}"),
        ("To", _count(left.accounts, "account")),
        ("Left out", _left_out(found)),
        ("Customers read", "the reason and the note, in their statements"),
        ("Happens", "at once" if alone else "when a second person who may move money approves it"),
    ]


def _describe_jobs(outage: Outage) -> list[tuple[str, str]]:
    found = outages.count_failed_jobs(outage)
    if not found.jobs:
        raise GrantRefused("No live job that failed there is left to be asked again.")
    return [
        ("Failed jobs", f"{found.jobs} of {outage}"),
        ("Of", _count(found.accounts, "account")),
        ("Held anew", f"{money.to_decimal_string(found.amount)} USD; customers pay for what is answered"),
        ("At once", f"at most {outages.MOST_JOBS}, the oldest first"),
    ]


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _lead(request: HttpRequest, numbers: Any, page: str) -> HttpResponse | None:
    chosen = list(numbers[: MOST_CHOSEN + 1])
    if len(chosen) > MOST_CHOSEN:
        messages.error(request, f"At most {MOST_CHOSEN} are chosen one by one: choose a state and a time instead.")
        return redirect(page)
    return redirect(reverse(page, query={"lookups": ",".join(map(str, chosen))}))


def _left_out(found: outages.Answers) -> str:
    parts = [
        (found.refundable.before, "given back before"),
        (found.free, "cost nothing"),
        (found.by_request, "paid with their request: given back where they were paid"),
    ]
    return ", ".join(f"{number} {words}" for number, words in parts if number) or "none"


def _to_minute(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M")
