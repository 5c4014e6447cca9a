"""Addresses of the pages about keys."""

from django.urls import path

from lookups.workspace.keys import views

urlpatterns = [
    path("", views.listed, name="keys"),
    path("new/", views.new, name="new-key"),
    path("<str:key_id>/", views.one, name="key"),
    path("<str:key_id>/rotate/", views.rotate, name="rotate-key"),
    path("<str:key_id>/revoke/", views.revoke, name="revoke-key"),
]
