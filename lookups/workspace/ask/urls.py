"""Addresses of asking, and of what was answered."""

from django.urls import path

from lookups.workspace.ask import anywhere, results, views

urlpatterns = [
    path("", views.ask, name="ask"),
    path("asked/<str:mark>/", views.asked, name="asked"),
    path("anywhere/", anywhere.confirm, name="anywhere"),
    path("anywhere/<str:bulk_id>/", anywhere.by_state, name="anywhere-asked"),
    path("anywhere/<str:bulk_id>/progress/", anywhere.progress, name="anywhere-progress"),
    path("anywhere/<str:bulk_id>/cancel/", anywhere.cancel, name="anywhere-cancel"),
    path("lookups/<str:public_id>/", results.result, name="lookup"),
    path("lookups/<str:public_id>/progress/", results.progress, name="lookup-progress"),
    path("lookups/<str:public_id>/again/", views.ask_again, name="ask-again"),
    path("lookups/<str:public_id>/reply.json", results.reply, name="lookup-reply"),
    path("lookups/<str:public_id>/evidence/", results.to_evidence, name="lookup-proof"),
    path("lookups/<str:public_id>/evidence.<str:form>", results.evidence, name="lookup-evidence"),
]
