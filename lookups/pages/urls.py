"""Addresses of the public pages."""

from django.urls import path

from lookups.pages import entities, pricing, privacy, views

urlpatterns = [
    path("", views.home, name="home"),
    path("states/", views.states, name="states"),
    path("entity/<slug:state_slug>/<slug:entity_slug>/", entities.entity, name="entity"),
    path("pricing/", pricing.pricing, name="pricing"),
    path("topup/done/", pricing.done, name="topup-done"),
    path("topup/cancelled/", pricing.cancelled, name="topup-cancelled"),
    path("privacy/", privacy.ask, name="privacy"),
    path("privacy/<uuid:request_id>/", privacy.received, name="privacy-received"),
    path("robots.txt", views.robots, name="robots"),
]
