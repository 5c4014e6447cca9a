"""Questions that are answered later, single and in bulk: what waits, what runs, what failed, and what to do."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_POST
from unfold.decorators import display

from jurisdictions.bounded import NewestValues
from jurisdictions.lists import KeyModeFilter, ReadOnlyAdmin
from lookups import bodies
from lookups.admin.finding import FoundByAccount, find_mark
from lookups.admin.job_filters import AgeFilter, KindFilter, ReasonFilter
from lookups.admin.outages import AsksOutagesAgain
from lookups.admin.questions import link
from lookups.admin.queue import QueuePage
from lookups.api.wire.shape import to_plain
from lookups.bulk import bulk_jobs, progress
from lookups.bulk.progress import Progress
from lookups.jobs import lifecycle, operator_actions, timeline
from lookups.models import BulkJob, Job

# What may be done with a job of each status, in the order of the buttons on its page.
ACTIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "pending": (("hurry", "Try now"), ("end", "End and give the money back")),
    "processing": (("release", "Take from its worker"), ("end", "End and give the money back")),
    "failed": (("do_over", "Ask again, paid for anew"),),
    "complete": (),
}


@admin.register(Job)
class JobAdmin(QueuePage, AsksOutagesAgain, FoundByAccount, ReadOnlyAdmin):
    """Lookups that are answered later: what waits, what runs, what failed and why."""

    list_display = (
        "public_id",
        "created_at",
        "state",
        "asked",
        "how_far",
        "reason",
        "attempts",
        "not_before",
        "account",
    )
    list_filter = (KeyModeFilter, "status", KindFilter, ReasonFilter, AgeFilter, ("state", NewestValues))
    search_fields = ("account__name",)
    search_help_text = "A job's, a lookup's or an ask's id, or an account."
    mark_columns = ("pk", "ask_id", "lookup__ask_id")
    empty_says = "No live job fits. Jobs are made of lookups that take longer than a moment, and kept for a week."
    list_select_related = ("account", "lookup")
    ordering = ("-lookup_id",)
    span_by, narrowed_by = "lookup_id", ("account", "bulk", "created_at")
    date_hierarchy = "created_at"
    list_per_page = 50
    actions = ("hurry", "end", "release", "do_over")
    actions_list = ("queue_page", "ask_outage_again")
    readonly_fields = ("public_id", "asked", "why", "its_lookup")
    fieldsets = (
        (None, {"fields": (("public_id", "status"), ("state", "asked"), "why", "its_lookup")}),
        (
            "Time (UTC)",
            {"fields": (("created_at", "ended_at"), ("not_before", "lease_until"), ("deadline", "attempts"))},
        ),
        ("Whose", {"fields": (("account", "key"), ("bulk", "request_id"), "ask_id")}),
    )

    def has_run_permission(self, request: HttpRequest) -> bool:
        """Whoever may change jobs may do this, although no field of one is changed by hand."""
        return request.user.has_perm("lookups.change_job")

    @admin.display(description="Asked")
    def asked(self, obj: Job) -> str:
        return obj.lookup.asked or "—"

    @display(
        description="Status",
        label={"complete": "success", "pending": "info", "processing": "warning", "failed": "danger"},
    )
    def how_far(self, obj: Job) -> str:
        return obj.status

    @admin.display(description="Job")
    def public_id(self, obj: Job) -> str:
        return obj.public_id

    @admin.display(description="Reason")
    def reason(self, obj: Job) -> str:
        verdict = obj.lookup.outcome
        if verdict is None or verdict.facts.billed:
            return ""
        return obj.lookup.reason or verdict.value.replace("_", " ")

    @admin.display(description="Lookup")
    def its_lookup(self, obj: Job) -> str:
        """What the customer gets, what it cost, and the way to give that back."""
        return link("admin:lookups_lookup_change", obj.lookup_id, obj.lookup.public_id)

    @admin.display(description="Why")
    def why(self, obj: Job) -> str:
        return timeline.why(obj, now=timezone.now())

    def get_urls(self) -> list[URLPattern]:
        """What is done with one job from its page; always a POST."""
        view = self.admin_site.admin_view(require_POST(self.act))
        return [path("<uuid:job_id>/act/", view, name="lookups_job_act"), *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Adds the job's story: its tries, what they met, and its money."""
        mark = find_mark(object_id)
        rows = Job.objects.select_related("account", "bulk", *lifecycle.WHOLE)
        job = rows.filter(pk=mark).first() if mark and self.has_view_permission(request) else None
        if job is None:
            return super().change_view(request, object_id, form_url, extra_context)
        context = {
            "job": job,
            "story": timeline.tell(job, now=timezone.now()),
            "reply": _shown(job) if job.ended_at else "",
            "job_actions": ACTIONS[job.status] if self.has_run_permission(request) else (),
            "sees_attempts": request.user.has_perm("scrapers.view_scrapeattempt"),
            "sees_money": request.user.has_perm("billing.view_ledgerentry"),
            "messages_sent": job.deliveries.all() if request.user.has_perm("lookups.view_delivery") else (),
        }
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **context})

    def act(self, request: HttpRequest, job_id: uuid.UUID) -> HttpResponse:
        """Take one of the actions on this job alone, and come back to it."""
        if not self.has_run_permission(request):
            raise PermissionDenied
        job = get_object_or_404(Job, pk=job_id)
        actions: dict[str, Callable[[HttpRequest, QuerySet[Job]], HttpResponse | None]] = {
            "hurry": self.hurry,
            "end": self.end,
            "release": self.release,
            "do_over": self.do_over,
        }
        chosen = actions.get(request.POST.get("job_action", ""))
        if chosen is None:
            raise Http404
        asks_first = chosen(request, Job.objects.filter(pk=job.pk))
        return asks_first or redirect("admin:lookups_job_change", job.pk)

    @admin.action(description="Try now instead of later", permissions=["run"])
    def hurry(self, request: HttpRequest, rows: QuerySet[Job]) -> None:
        """For jobs that wait."""
        self._do(request, rows, "to be tried now", operator_actions.hurry)

    @admin.action(description="End and give the money back", permissions=["run"])
    def end(self, request: HttpRequest, rows: QuerySet[Job]) -> None:
        """For jobs that wait or run; what was paid for already ends with its answer."""
        now = timezone.now()
        self._do(request, rows, "ended", lambda job: operator_actions.end(job, now=now))

    @admin.action(description="Take from a stuck worker, for another one", permissions=["run"])
    def release(self, request: HttpRequest, rows: QuerySet[Job]) -> None:
        """For jobs that run; once another worker has it, the first one may not settle it any more."""
        now = timezone.now()
        self._do(request, rows, "given to another worker", lambda job: operator_actions.release(job, now=now))

    def _do(self, request: HttpRequest, rows: QuerySet[Job], what: str, act: Callable[[Job], bool]) -> None:
        """Do it to each, keep it in the job's history under the operator's name, and say how many it was done to."""
        done = []
        for job in rows:
            done.append(act(job))
            if done[-1]:
                self.log_change(request, job, f"{what.capitalize()}; it was {job.status}, ask {job.ask_id}.")
        level = messages.SUCCESS if all(done) else messages.WARNING
        self.message_user(request, f"{sum(done)} of {len(done)} {what}.", level)


def _shown(job: Job) -> str:
    """What the customer gets of an ended job, as it is written now."""
    return json.dumps(to_plain(bodies.of_job(job, job.request_id)), indent=1, ensure_ascii=False)


@admin.register(BulkJob)
class BulkJobAdmin(FoundByAccount, ReadOnlyAdmin):
    """Requests of up to a thousand rows, and how far they are; their single questions are among the jobs."""

    list_display = ("public_id", "created_at", "account", "total", "its_jobs", "how_far", "cancelled_at", "ended_at")
    list_filter = (KeyModeFilter,)
    search_fields = ("account__name",)
    search_help_text = "A bulk request's id, or an account."
    span_by = "created_at"
    exclude = ("stored_price",)
    empty_says = "No live bulk request fits."
    list_select_related = ("account", "hold")
    date_hierarchy = "created_at"
    list_per_page = 25
    actions = ("cancel",)

    def has_run_permission(self, request: HttpRequest) -> bool:
        """As for single jobs."""
        return request.user.has_perm("lookups.change_job")

    @admin.display(description="Questions", ordering="questions")
    def its_jobs(self, obj: BulkJob) -> str:
        """How many, leading to them."""
        address = reverse("admin:lookups_job_changelist", query={"bulk__id__exact": obj.pk, "mode": "both"})
        return format_html('<a href="{}" class="text-primary-600 dark:text-primary-500">{}</a>', address, obj.questions)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """How far those of the page are, in one query."""
        found = super().get_changelist_instance(request)
        found.result_list = list(found.result_list)
        for bulk, now in progress.list_progress(found.result_list):
            bulk.now = now  # type: ignore[attr-defined]
        return found

    @admin.display(description="Progress")
    def how_far(self, obj: BulkJob) -> str:
        now: Progress = getattr(obj, "now", None) or progress.get_progress(obj)
        return f"{now.status}: {now.completed} of {obj.total} rows, {now.failed} failed"

    @admin.action(description="Cancel what has not started", permissions=["run"])
    def cancel(self, request: HttpRequest, rows: QuerySet[BulkJob]) -> None:
        """Gives back the price of what is cancelled, and keeps in its history who wanted it."""
        done = []
        for one in rows:
            done.append(bulk_jobs.cancel(one, now=timezone.now()))
            if done[-1]:
                self.log_change(request, one, "Cancelled what had not begun.")
        level = messages.SUCCESS if all(done) else messages.WARNING
        self.message_user(request, f"{sum(done)} of {len(done)} cancelled; what is under way ends by itself.", level)
