"""Addresses of the public pages."""

from django.urls import path

from lookups.pages import pricing, views

urlpatterns = [
    path("", views.home, name="home"),
    path("states/", views.states, name="states"),
    path("entity/<slug:state_slug>/<slug:entity_slug>/", views.entity, name="entity"),
    path("pricing/", pricing.pricing, name="pricing"),
    path("topup/done/", pricing.done, name="topup-done"),
    path("topup/cancelled/", pricing.cancelled, name="topup-cancelled"),
    path("robots.txt", views.robots, name="robots"),
]
