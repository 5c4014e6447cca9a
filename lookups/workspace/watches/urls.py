"""Addresses of watches and events."""

from django.urls import path

from lookups.workspace.watches import events, views

urlpatterns = [
    path("watches/", views.watches, name="watches"),
    path("watches/new/", views.new, name="watch-new"),
    path("watches/many/", views.many, name="watch-many"),
    path("watches/<str:public_id>/", views.watch, name="watch"),
    path("watches/<str:public_id>/delete/", views.delete, name="watch-delete"),
    path("watches/<str:public_id>/<str:what>/", views.act, name="watch-act"),
    path("events/", events.events, name="events"),
]
