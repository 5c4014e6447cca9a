"""Questions that are answered later, single and in bulk: what waits, what runs, what failed, and what to do."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.decorators import display

from billing import ledger
from lookups.admin.read_only import ReadOnlyAdmin
from lookups.api import replies
from lookups.models import BulkJob, Job
from lookups.services import bulk, bulk_progress, job_desk


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
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
    list_filter = ("status", "state")
    search_fields = ("ask_id", "request_id", "account__name")
    list_select_related = ("account",)
    date_hierarchy = "created_at"
    list_per_page = 50
    show_full_result_count = False
    actions = ("hurry", "end", "do_over")

    def has_run_permission(self, request: HttpRequest) -> bool:
        """Whoever may change jobs may do this, although no field of one is changed by hand."""
        return request.user.has_perm("lookups.change_job")

    @admin.display(description="Asked")
    def asked(self, obj: Job) -> str:
        return obj.question.get("entity_id") or obj.question.get("name") or "—"

    @display(
        description="Status",
        label={"complete": "success", "pending": "info", "processing": "warning", "failed": "danger"},
    )
    def how_far(self, obj: Job) -> str:
        return obj.status

    @admin.display(description="Reason")
    def reason(self, obj: Job) -> str:
        reply = obj.reply or {}
        return "" if reply.get("success") else reply.get("reason") or reply.get("error") or ""

    @admin.action(description="Try now instead of later", permissions=["run"])
    def hurry(self, request: HttpRequest, rows: QuerySet[Job]) -> None:
        """For jobs that wait."""
        self._tell(request, "to be tried now", [job_desk.hurry(job) for job in rows])

    @admin.action(description="End and give the money back", permissions=["run"])
    def end(self, request: HttpRequest, rows: QuerySet[Job]) -> None:
        """For jobs that wait or run; what was paid for already ends with its answer."""
        now = timezone.now()
        self._tell(request, "ended", [job_desk.end(job, render=replies.to_body, now=now) for job in rows])

    @admin.action(description="Ask failed ones again", permissions=["run"])
    def do_over(self, request: HttpRequest, rows: QuerySet[Job]) -> None:
        """For jobs that failed; each is paid for anew."""
        now, done = timezone.now(), []
        for job in rows:
            try:
                done.append(job_desk.do_over(job, now=now))
            except ledger.InsufficientFunds as short:
                done.append(False)
                self.message_user(request, f"{job.public_id}: {short}", messages.WARNING)
        self._tell(request, "asked again", done)

    def _tell(self, request: HttpRequest, what: str, done: list[bool]) -> None:
        level = messages.SUCCESS if all(done) else messages.WARNING
        self.message_user(request, f"{sum(done)} of {len(done)} {what}.", level)


@admin.register(BulkJob)
class BulkJobAdmin(ReadOnlyAdmin):
    """Requests of up to a thousand rows, and how far they are; their single questions are among the jobs."""

    list_display = ("public_id", "created_at", "account", "total", "questions", "how_far", "cancelled_at", "ended_at")
    search_fields = ("request_id", "account__name")
    list_select_related = ("account", "hold")
    date_hierarchy = "created_at"
    list_per_page = 25
    actions = ("cancel",)

    def has_run_permission(self, request: HttpRequest) -> bool:
        """As for single jobs."""
        return request.user.has_perm("lookups.change_job")

    @admin.display(description="Progress")
    def how_far(self, obj: BulkJob) -> str:
        progress = bulk_progress.get_progress(obj)
        return f"{progress.status}: {progress.completed} of {obj.total} rows, {progress.failed} failed"

    @admin.action(description="Cancel what has not begun", permissions=["run"])
    def cancel(self, request: HttpRequest, rows: QuerySet[BulkJob]) -> None:
        """Gives back the price of what is cancelled."""
        for one in rows:
            bulk.cancel(one, now=timezone.now())
        self.message_user(request, "Cancelled; what is under way ends by itself.")
