"""Addresses of the workspace, a line for each thing that is done there."""

from django.urls import include, path

from lookups.workspace import example_key

app_name = "workspace"
urlpatterns = [
    path("", include("lookups.workspace.entrance.urls")),
    path("test-key/", example_key.show, name="test-key"),
    path("team/", include("lookups.workspace.team.urls")),
    path("settings/", include("lookups.workspace.preferences.urls")),
    path("usage/", include("lookups.workspace.usage.urls")),
    path("keys/", include("lookups.workspace.keys.urls")),
    path("webhooks/", include("lookups.workspace.webhooks.urls")),
    path("balance/", include("lookups.workspace.balance.urls")),
    path("bulk/", include("lookups.workspace.bulk.urls")),
    path("", include("lookups.workspace.ask.urls")),
    path("", include("lookups.workspace.history.urls")),
    path("", include("lookups.workspace.watches.urls")),
]
