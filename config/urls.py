"""Every address of the service, by the room that answers it."""

from django.contrib import admin
from django.urls import include, path

from lookups.mcp import views as mcp

admin.autodiscover()  # here and not in every process: a worker has no pages, and holds 15 MB less without the staff's

urlpatterns = [
    path("admin/", include("config.sign_in.urls")),
    path("admin/", include("config.admin.urls")),
    path("app/", include("lookups.workspace.urls")),
    path("mcp", mcp.door, name="mcp"),
    path("reconcile/", include("lookups.reconcile.urls")),
    path("", include("lookups.api.urls")),
    path("", include("lookups.pages.urls")),
]

handler400 = "lookups.pages.views.bad_request"
handler403 = "lookups.pages.views.forbidden"
handler404 = "lookups.pages.views.not_found"
handler500 = "lookups.pages.views.server_error"
