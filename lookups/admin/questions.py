"""Lookups as staff read them: what came of each, what it rests on, what it cost, and the way to give that back."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.text import Truncator
from unfold.decorators import action, display

from billing import ledger, money
from billing.admin import entries, pages
from billing.admin.finding import of_accounts
from billing.models import LedgerEntry
from billing.proof import proven
from jurisdictions.bounded import BoundedList, NewestValues
from jurisdictions.lists import ModeFilter, ReadOnlyAdmin
from jurisdictions.rows import find_row, get_row_or_404
from lookups.admin.finding import find_mark
from lookups.admin.outages import RefundsOutages
from lookups.evidence import bundle, wacz
from lookups.jobs import timeline
from lookups.models import Job, Lookup
from lookups.reconciling import charges

NEEDS = (  # which right shows which fields
    ("billing.view_ledgerentry", ("charge",)),
    ("billing.view_payment", ("payment",)),
    ("scrapers.view_scrapeattempt", ("attempt", "evidence_kept")),
)
NOTHING_CHARGED = "Nothing was charged for it."
INVENTED = "It is of the sandbox: all of it is invented, and nothing is charged."
PAID_WITH_REQUEST = "Its payment came with the request."


class RefundForm(forms.Form):
    """Why it is given back: customers read it in their statement."""

    reason = pages.reason_field(pages.REFUND_REASONS)
    note = pages.note_field()


@admin.register(Lookup)
class LookupAdmin(RefundsOutages, BoundedList, ReadOnlyAdmin):
    """Every question that was accepted, newest first; its page leads to all that came of it, and to its money."""

    list_display = ("created_at", "state", "short_asked", "how_it_ended", "source", "charged", "duration_ms", "account")
    list_filter = (ModeFilter, "verdict", "source", ("kind", NewestValues), ("state", NewestValues))
    search_fields = ("^asked",)
    search_help_text = "A lookup's id (lk_…), or an account; how a name begins, among the newest of a day or an account"
    span_by, narrowed_by = "created_at", ("account", "bulk")
    list_select_related = ("account", "payment")
    date_hierarchy = "created_at"
    list_per_page = 50
    actions = ("refund_chosen",)
    actions_list = ("refund_outage",)
    actions_detail = ("refund", "evidence_file")
    empty_says = "No live lookup fits. Questions with test keys are under Sandbox."
    readonly_fields = ("name", "why", "job_of_it", "charge", "evidence_kept", "record", "attempt", "quoted", "charged")
    fieldsets = (
        (None, {"fields": (("name", "verdict"), ("state", "kind"), "asked", "why")}),
        ("Leads to", {"fields": (("record", "evidence_kept"), ("attempt", "job_of_it"))}),
        ("Money", {"fields": (("quoted", "charged"), "charge", "payment")}),
        ("Whose", {"fields": (("account", "key"), ("origin", "bulk"), ("ref", "request_id"))}),
        ("Time (UTC)", {"fields": (("created_at", "ended_at"), ("source", "data_as_of"), ("retry_at", "duration_ms"))}),
        ("Answer", {"fields": ("total", "match", "candidates", "related", "name_check", "note", "reader_version")}),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Lookup | None = None) -> Any:
        """Nobody is led to what they may not see."""
        hidden = {field for right, fields in NEEDS for field in fields if not request.user.has_perm(right)}
        found = []
        for title, more in super().get_fieldsets(request, obj):
            rows = [(row,) if isinstance(row, str) else row for row in more["fields"]]
            shown = [tuple(one for one in row if one not in hidden) for row in rows]
            found.append((title, {**more, "fields": [row for row in shown if row]}))
        return found

    def find(self, request: HttpRequest, rows: Any, word: str) -> Any:
        """By an id or an account; within an account, words are names that were asked."""
        mark = find_mark(word)
        if mark is not None:
            return rows.filter(ask_id=mark)
        return None if "account__id__exact" in request.GET else of_accounts(rows, word)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Nothing that can only fail."""
        found = super().get_actions_detail(request, object_id)
        lookup = find_row(Lookup, object_id)
        charge = _find_charge(lookup) if lookup else None
        can = set()
        if charge is not None and ledger.get_refundable(charge):
            can.add("refund")
        if lookup is not None and bundle.is_kept(lookup):
            can.add("evidence_file")
        return [one for one in found if one.method.__name__ in can]

    @action(description="Refund", url_path="refund", permissions=["move_money"])
    @proven
    def refund(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Give back all that is left of what it cost; a part of it from the page of its charge."""
        lookup = get_row_or_404(Lookup.objects.select_related("account"), object_id)
        back, charge = _page_of(lookup), _find_charge(lookup)
        left = ledger.get_refundable(charge) if charge else 0
        if charge is None or (not left and request.method != "POST"):
            messages.error(request, "Given back before." if charge else _why_no_charge(lookup))
            return redirect(back)

        def perform(data: dict[str, Any], token: str) -> str:
            log = partial(self.log_change, request, charge.account)
            return entries.give_back(charge, None, data, token, operator=pages.operator_of(request), log=log)

        facts = [
            ("Lookup", f"{lookup.public_id}: {lookup}"),
            ("Account", str(charge.account)),
            ("Goes back", f"{money.to_decimal_string(left)} USD, all that is left of entry {charge.pk}"),
        ]
        form, title = RefundForm(request.POST or None), f"Refund {lookup.public_id}"
        return pages.confirmed_move(
            request, title=title, form=form, describe=lambda _: facts, perform=perform, back=back, facts=facts
        )

    @action(description="Evidence file", url_path="evidence", permissions=["see_evidence"])
    def evidence_file(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The web archive that its customer can have: signed, never a page to open here."""
        lookup = get_row_or_404(Lookup, object_id)
        kept = bundle.find(lookup)
        if kept is None:
            messages.error(request, "No evidence of this lookup is kept.")
            return redirect(_page_of(lookup))
        named = {"Content-Disposition": f'attachment; filename="{lookup.public_id}.wacz"', "Cache-Control": "no-store"}
        return HttpResponse(wacz.write(kept, now=timezone.now()), content_type=wacz.MEDIA_TYPE, headers=named)

    def has_see_evidence_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may see what registries answered."""
        return request.user.has_perm("scrapers.view_scrapeattempt")

    @admin.display(description="Lookup")
    def name(self, obj: Lookup) -> str:
        """As customers know it."""
        return obj.public_id

    @admin.display(description="Asked", ordering="asked")
    def short_asked(self, obj: Lookup) -> str:
        """Short, so that what came of it stays in sight; whole on its own page."""
        return Truncator(obj.asked).chars(60)

    @admin.display(description="Why")
    def why(self, obj: Lookup) -> str:
        """What came of it and what that means, as a sentence."""
        return timeline.why_it_ended(obj) if obj.ended_at else "It has not ended."

    @admin.display(description="Record")
    def record(self, obj: Lookup) -> str:
        """What was found."""
        if obj.version is None:
            return "—"
        return link("admin:lookups_entity_change", obj.version.entity_id, str(obj.version.entity))

    @admin.display(description="Job")
    def job_of_it(self, obj: Lookup) -> str:
        """What answered it later; jobs are kept for a week."""
        job = Job.objects.filter(lookup=obj).first()
        return link("admin:lookups_job_change", job.pk, job.public_id) if job else "—"

    @admin.display(description="Evidence")
    def evidence_kept(self, obj: Lookup) -> str:
        """What was signed, with the bytes it rests on: to verify, and to take away."""
        return (
            link("admin:lookups_lookup_evidence_file", obj.pk, "download (wacz)") if bundle.is_kept(obj) else "not kept"
        )

    @admin.display(description="Charge")
    def charge(self, obj: Lookup) -> str:
        """The entry by which it was paid."""
        found = _find_charge(obj)
        if found is None:
            return _why_no_charge(obj)
        back = found.sum_given_back()
        words = f"entry {found.pk}, {money.to_decimal_string(found.amount)} USD"
        words += f", of it given back {money.to_decimal_string(back)} USD" if back else ""
        return link("admin:billing_ledgerentry_change", found.pk, words)

    @admin.display(description="Scrape attempt")
    def attempt(self, obj: Lookup) -> str:
        """What the registry was asked and answered; attempts are kept for 30 days."""
        if obj.attempt_id is None:
            return "—"
        return link("admin:scrapers_scrapeattempt_change", obj.attempt_id, f"#{obj.attempt_id}", mark="evidence")

    @admin.display(description="Quoted, USD")
    def quoted(self, obj: Lookup) -> str:
        return money.to_decimal_string(0 if obj.sandbox else obj.price)

    @display(
        description="Verdict",
        label={
            "found": "success",
            "not found": "info",
            "ambiguous": "info",
            "unavailable": "danger",
            "failed": "danger",
            "refused": "warning",
        },
    )
    def how_it_ended(self, obj: Lookup) -> str:
        return obj.get_verdict_display() or "open"

    @admin.display(description="Charged, USD", ordering="cost")
    def charged(self, obj: Lookup) -> str:
        return money.to_decimal_string(obj.charged)


def _page_of(lookup: Lookup) -> str:
    return reverse("admin:lookups_lookup_change", args=[lookup.pk])


def _find_charge(lookup: Lookup) -> LedgerEntry | None:
    """The entry by which it was paid from a balance."""
    return next(charges.list_charges([lookup]), None) if lookup.cost else None


def _why_no_charge(lookup: Lookup) -> str:
    """Why no entry of a balance paid for it."""
    if lookup.sandbox:
        return INVENTED
    return PAID_WITH_REQUEST if lookup.charged else NOTHING_CHARGED


def link(page: str, pk: Any, words: str, *, mark: str | None = None) -> str:
    """A way to a page of the admin."""
    address = reverse(page, args=[pk], fragment=mark)
    return format_html('<a href="{}" class="text-primary-600 underline dark:text-primary-500">{}</a>', address, words)
