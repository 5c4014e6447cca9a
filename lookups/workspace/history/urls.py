"""Addresses of the history."""

from django.urls import path

from lookups.workspace.history import views

urlpatterns = [
    path("history/", views.history, name="history"),
    path("history/columns/", views.choose_columns, name="history-columns"),
    path("history/export.<str:form>", views.export, name="history-export"),
]
