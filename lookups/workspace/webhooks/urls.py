"""Addresses of the pages about webhooks."""

from django.urls import path

from lookups.workspace.webhooks import views

urlpatterns = [
    path("", views.webhooks, name="webhooks"),
    path("secret/", views.secret, name="webhook-secret"),
    path("test/", views.test, name="webhook-test"),
    path("<str:message_id>/", views.one, name="delivery"),
    path("<str:message_id>/body.json", views.body, name="delivery-body"),
    path("<str:message_id>/again/", views.again, name="delivery-again"),
]
