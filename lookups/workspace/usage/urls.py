"""Addresses of the usage pages."""

from django.urls import path

from lookups.workspace.usage import views

urlpatterns = [
    path("", views.usage, name="usage"),
    path("usage.csv", views.export, name="usage-csv"),
]
