"""Addresses of the team."""

from django.urls import path

from lookups.workspace.team import views

urlpatterns = [
    path("", views.team_page, name="team"),
    path("invite/", views.invite, name="team-invite"),
    path("join/", views.join, name="team-join"),
    path("invitations/<int:number>/withdraw/", views.withdraw, name="team-withdraw"),
    path("<int:number>/role/", views.change_role, name="team-role"),
    path("<int:number>/remove/", views.remove, name="team-remove"),
]
