"""What customers were sent unasked, whether it arrived, and the addresses it goes to."""

from __future__ import annotations

import json
import uuid
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.text import Truncator
from unfold.admin import TabularInline
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminSelectWidget

from billing.admin import pages
from billing.models import ApiKey
from jurisdictions.lists import LivemodeFilter, ReadOnlyAdmin, ReadOnlyInline
from jurisdictions.rows import get_row_or_404
from lookups.admin.finding import FoundByAccount
from lookups.models import Delivery, DeliveryAttempt, WebhookAddress
from lookups.notifications import deliveries, webhook_events, webhook_test

WAITS, GIVEN_UP = Q(deliveries__status=Delivery.Status.PENDING), Q(deliveries__status=Delivery.Status.GIVEN_UP)
NO_ADDRESS = {"webhook_url": "", "test_webhook_url": ""}


class ModeForm(forms.Form):
    """Whose address and secret: an account has one of each mode."""

    mode = forms.ChoiceField(choices=ApiKey.Mode.choices, widget=UnfoldAdminSelectWidget())


class AttemptInline(ReadOnlyInline, TabularInline):
    """Each try as it went."""

    model = DeliveryAttempt
    fields = readonly_fields = ("at", "status_code", "error", "duration_ms", "excerpt")
    verbose_name_plural = "Tries"


@admin.register(Delivery)
class DeliveryAdmin(FoundByAccount, ReadOnlyAdmin):
    """Every webhook and mail, newest first: did it arrive, what was answered, when is it tried again."""

    list_display = (
        "created_at",
        "event",
        "channel",
        "how_far",
        "account",
        "where",
        "attempts",
        "next_at",
        "last_answer",
    )
    list_filter = (LivemodeFilter, "status", "channel", "event")
    search_fields = ("account__name",)
    search_help_text = "An account, or a whole webhook-id (msg_…)"
    empty_says = "Nothing was sent that fits. Messages are kept for a week."
    list_select_related = ("account",)
    span_by = date_hierarchy = "created_at"
    list_per_page = 50
    actions = ("send_again",)
    inlines = (AttemptInline,)
    fieldsets = (
        (None, {"fields": ("name", "event", "channel", "livemode", "account", "address", "job", "bulk")}),
        ("How far", {"fields": ("status", "attempts", "next_at", "last_answer", "created_at", "delivered_at")}),
        ("What is sent", {"fields": ("content",)}),
    )
    readonly_fields = ("name", "content")

    def has_run_permission(self, request: HttpRequest) -> bool:
        """Whoever may change deliveries may do this, although no field of one is changed by hand."""
        return request.user.has_perm("lookups.change_delivery")

    @admin.display(description="webhook-id")
    def name(self, obj: Delivery) -> str:
        return obj.message_id

    @admin.display(description="Address", ordering="address")
    def where(self, obj: Delivery) -> str:
        """Short, so that the answer stays in sight; whole on the delivery's own page."""
        return Truncator(obj.address).chars(40) or "—"

    @display(description="Status", label={"delivered": "success", "pending": "info", "given_up": "danger"})
    def how_far(self, obj: Delivery) -> tuple[str, str]:
        return obj.status, Delivery.Status(obj.status).label

    @admin.display(description="Body")
    def content(self, obj: Delivery) -> str:
        if not obj.body:
            return "The mail is written when it is sent."
        pretty = json.dumps(json.loads(webhook_events.get_body(obj)), indent=2, ensure_ascii=False)
        return format_html('<pre class="sos-text font-mono text-xs" tabindex="0">{}</pre>', pretty)

    @admin.action(description="Send again", permissions=["run"])
    def send_again(self, request: HttpRequest, rows: QuerySet[Delivery]) -> None:
        """At once, under the same webhook-id, also what has arrived or was given up."""
        now, done = timezone.now(), []
        for row in rows:
            done.append(deliveries.send_again(row, now=now))
            if done[-1]:
                self.log_change(request, row, f"Sent again; it was {row.status}.")
        level = messages.SUCCESS if all(done) else messages.WARNING
        self.message_user(request, f"{sum(done)} of {len(done)} are sent again.", level)


@admin.register(WebhookAddress)
class WebhookAddressAdmin(ReadOnlyAdmin):
    """Accounts that have webhooks sent to an address; it is changed on the account's own page.

    Nobody here sees what they are signed with: the customer makes that with a key of theirs.
    """

    list_display = ("name", "webhook_url", "test_webhook_url", "waiting", "given_up", "last_arrived")
    search_fields = ("name", "webhook_url", "test_webhook_url")
    list_per_page = 50
    fields = ("name", "webhook_url", "test_webhook_url", "is_active", "waiting", "given_up", "last_arrived")
    readonly_fields = ("waiting", "given_up", "last_arrived")
    actions_detail = ("send_test",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[WebhookAddress]:
        """Those that have an address, with what became of their messages of the last seven days."""
        rows: QuerySet[WebhookAddress] = super().get_queryset(request).exclude(**NO_ADDRESS)
        return rows.annotate(
            waiting_=Count("deliveries", filter=WAITS),
            given_up_=Count("deliveries", filter=GIVEN_UP),
            last_arrived_=Max("deliveries__delivered_at"),
        )

    def has_run_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change webhook addresses may try them."""
        return request.user.has_perm("lookups.change_webhookaddress")

    @admin.display(description="Waiting", ordering="waiting_")
    def waiting(self, obj: Any) -> int:
        return int(obj.waiting_)

    @admin.display(description="Given up", ordering="given_up_")
    def given_up(self, obj: Any) -> int:
        return int(obj.given_up_)

    @admin.display(description="Last arrived", ordering="last_arrived_")
    def last_arrived(self, obj: Any) -> str:
        return date_format(obj.last_arrived_, "DATETIME_FORMAT") if obj.last_arrived_ else "—"

    @action(description="Send a test", url_path="send-test", permissions=["run"])
    def send_test(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """A message that means nothing, to see now what comes of it."""
        account, form = self._get(request, object_id), ModeForm(request.POST or None)
        if not form.is_valid():
            return self._ask(request, account, form, f"Send a test to {account}?")
        livemode = form.cleaned_data["mode"] == ApiKey.Mode.LIVE
        try:
            test = webhook_test.send_test(account_id=account.pk, livemode=livemode, now=timezone.now())
        except (webhook_test.NoAddress, webhook_test.TooOften) as refusal:
            messages.error(request, f"{refusal}.")
            return redirect(_page_of(account))
        self.log_change(request, account, f"Sent the test {test.message_id}.")
        if test.sent.delivered:
            messages.success(request, f"It arrived after {test.sent.duration_ms} ms.")
        else:
            messages.error(request, f"It did not arrive: {test.sent.error}.")
        return redirect("admin:lookups_delivery_change", uuid.UUID(test.message_id.removeprefix("msg_")))

    def _get(self, request: HttpRequest, object_id: str) -> WebhookAddress:
        if not self.has_run_permission(request):
            raise PermissionDenied
        return get_row_or_404(WebhookAddress.objects.exclude(**NO_ADDRESS), object_id)

    def _ask(self, request: HttpRequest, account: WebhookAddress, form: ModeForm, title: str) -> HttpResponse:
        return pages.ask(request, title, form=form, back=_page_of(account))


def _page_of(account: WebhookAddress) -> str:
    return reverse("admin:lookups_webhookaddress_change", args=[account.pk])
