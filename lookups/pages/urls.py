"""Addresses of the public pages."""

from django.urls import path

from lookups.pages import views

urlpatterns = [
    path("", views.home, name="home"),
    path("states/", views.states, name="states"),
    path("entity/<slug:state_slug>/<slug:entity_slug>/", views.entity, name="entity"),
    path("robots.txt", views.robots, name="robots"),
]
