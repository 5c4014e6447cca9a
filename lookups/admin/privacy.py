"""What people ask to be left out or put right, until when, and what is left out since."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.decorators import action, display

from billing.admin import pages
from jurisdictions.codes import PLACES
from jurisdictions.lists import ReadOnlyAdmin
from jurisdictions.rows import find_row, get_row_or_404
from lookups.models import Entity, RemovalRequest, Suppression
from lookups.privacy import removal_requests, suppression


class DeadlineFilter(admin.SimpleListFilter):
    """What waits, and what has waited too long."""

    title, parameter_name = "deadline", "deadline"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("open", "To be answered"), ("overdue", "Overdue")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = {"open": RemovalRequest.objects.open(), "overdue": RemovalRequest.objects.overdue(timezone.now())}
        value = self.value()
        return queryset.filter(pk__in=wanted[value].values("pk")) if value in wanted else queryset


class AnswerForm(forms.ModelForm):  # type: ignore[type-arg]
    """An end has an answer."""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("state") != RemovalRequest.State.OPEN and not data.get("answer"):
            self.add_error("answer", "Say what was done, or why nothing was.")
        return data


@admin.register(RemovalRequest)
class RemovalRequestAdmin(ModelAdmin):
    """What came in by the form, the most urgent first. It is answered by mail; here stands what was done."""

    form = AnswerForm
    list_display = ("due", "show_state", "kind", "about", "name", "received_at", "handled_by")
    list_filter = (DeadlineFilter, "state", "kind")
    empty_says = "Nobody has asked for removal or correction. Requests come by the form on the page of privacy."
    search_fields = ("about", "name", "email", "text")
    list_per_page = 50
    fields = (
        "kind",
        "about",
        "entity",
        "name",
        "email",
        "text",
        "received_at",
        "due_at",
        "state",
        "answer",
        "handled_by",
        "handled_at",
    )
    readonly_fields = tuple(name for name in fields if name not in ("state", "answer"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: RemovalRequest | None = None) -> bool:
        is_open = obj is None or obj.state == RemovalRequest.State.OPEN
        return is_open and super().has_change_permission(request, obj)

    @admin.display(description="Answer by", ordering="due_at")
    def due(self, obj: RemovalRequest) -> str:
        return f"{obj.due_at:%Y-%m-%d}"

    @display(description="State", label={"overdue": "danger", "open": "warning", "done": "success", "refused": "info"})
    def show_state(self, obj: RemovalRequest) -> str:
        is_late = obj.state == RemovalRequest.State.OPEN and obj.due_at <= timezone.now()
        return "overdue" if is_late else obj.state

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Who answers what was answered since the page was opened reads that, and finds the first answer."""
        kept = find_row(RemovalRequest, object_id) if request.method == "POST" else None
        try:
            if kept and not self.has_change_permission(request, kept) and super().has_change_permission(request, kept):
                raise removal_requests.AlreadyAnswered
            return super().change_view(request, object_id, form_url, extra_context)
        except removal_requests.AlreadyAnswered:
            messages.error(request, "It was answered before: nothing was changed.")
            return redirect("admin:lookups_removalrequest_change", object_id)

    def save_model(self, request: HttpRequest, obj: RemovalRequest, form: Any, change: bool) -> None:
        if obj.state == RemovalRequest.State.OPEN:
            if not RemovalRequest.objects.open().filter(pk=obj.pk).update(answer=obj.answer):
                raise removal_requests.AlreadyAnswered
            return
        operator = pages.operator_of(request)
        removal_requests.close(request=obj, state=obj.state, answer=obj.answer, operator=operator, now=timezone.now())


class SuppressionForm(forms.ModelForm):  # type: ignore[type-arg]
    """One thing, named in full."""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        try:
            suppression.check(data)
        except suppression.Unclear as problem:
            self.add_error(problem.field, problem.sentence)
        return data

    def clean_state(self) -> str:
        code = str(self.cleaned_data["state"]).strip().upper()
        if code and code not in PLACES:
            raise forms.ValidationError("There is no such state.")
        return code


@admin.register(Suppression)
class SuppressionAdmin(ReadOnlyAdmin):
    """What is left out of pages and replies, by whom and why. Lifted, never deleted or changed."""

    form = SuppressionForm
    list_display = ("made_at", "kind", "state", "entity_id", "field", "person", "show_in_force", "made_by", "lifted_by")
    list_filter = ("kind", "state", ("lifted_at", admin.EmptyFieldListFilter))
    search_fields = ("entity_id", "person", "reason")
    list_select_related = ("made_by", "lifted_by")
    list_per_page = 50
    autocomplete_fields = ("request",)
    empty_says = "Nothing is left out."
    actions_detail = ("lift",)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("lookups.add_suppression")

    @display(description="In force", boolean=True)
    def show_in_force(self, obj: Suppression) -> bool:
        return obj.lifted_at is None

    def save_model(self, request: HttpRequest, obj: Suppression, form: Any, change: bool) -> None:
        """A number that nobody has read is taken, for it may be read later; that it may be misspelled is said."""
        suppression.add(obj, operator=request.user, now=timezone.now())
        if obj.entity_id and not Entity.objects.filter(state=obj.state, entity_id=obj.entity_id).exists():
            hint = f"No company of this number was ever read in {obj.state}. Is it spelled as its registry spells it?"
            messages.warning(request, hint)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """What was lifted is lifted."""
        is_in_force = find_row(Suppression.objects.active(), object_id) is not None
        return super().get_actions_detail(request, object_id) if is_in_force else []

    @action(description="Lift", url_path="lift", permissions=["lift"])
    def lift(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask first; from then on it is shown and stored again."""
        kept = get_row_or_404(Suppression, object_id)
        back = reverse("admin:lookups_suppression_change", args=[kept.pk])
        if request.method != "POST":
            return pages.ask(request, f"Show and store again: {kept}?", back=back)
        if suppression.lift(kept, operator=request.user, now=timezone.now()):
            self.log_change(request, kept, "Lifted.")
            if suppression.is_kept_out(kept):
                messages.warning(request, f"{kept} is still left out: another entry is in force.")
            else:
                messages.success(request, f"{kept} is shown again once its registry has been asked.")
        else:
            messages.info(request, f"{kept} was lifted before.")
        return redirect(back)

    def has_lift_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("lookups.change_suppression")
