"""Every address of the service, by the room that answers it."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", include("config.sign_in.urls")),
    path("admin/", admin.site.urls),
    path("", include("lookups.api.urls")),
    path("", include("lookups.pages.urls")),
]

handler400 = "lookups.pages.views.bad_request"
handler404 = "lookups.pages.views.not_found"
handler500 = "lookups.pages.views.server_error"
