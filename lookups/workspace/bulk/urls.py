"""Addresses of Bulk."""

from django.urls import path

from lookups.workspace.bulk import drafts, jobs, start

urlpatterns = [
    path("", start.bulk, name="bulk"),
    path("drafts/<uuid:draft_id>/", drafts.draft, name="bulk-draft"),
    path("drafts/<uuid:draft_id>/columns/", drafts.columns, name="bulk-columns"),
    path("drafts/<uuid:draft_id>/rows/", drafts.rows, name="bulk-rows"),
    path("drafts/<uuid:draft_id>/discard/", drafts.discard, name="bulk-discard"),
    path("drafts/<uuid:draft_id>/buy/", drafts.buy, name="bulk-buy"),
    path("<str:job_id>/", jobs.job, name="bulk-job"),
    path("<str:job_id>/cancel/", jobs.cancel, name="bulk-cancel"),
    path("<str:job_id>/watch/", jobs.watch, name="bulk-watch"),
    path("<str:job_id>/rows/<int:position>/", jobs.ask_again, name="bulk-ask-again"),
    path("<str:job_id>/results.<str:form>", jobs.download, name="bulk-download"),
]
