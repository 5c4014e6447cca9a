"""Addresses of the door for spreadsheets."""

from django.urls import path

from lookups.reconcile import views

urlpatterns = [
    path("<str:secret>/", views.service, name="reconcile"),
    path("<str:secret>", views.service),
    path("<str:secret>/suggest/<str:what>", views.suggest),
    path("<str:secret>/properties", views.properties),
    path("<str:secret>/preview/<str:number>", views.preview),
    path("<str:secret>/view/<str:number>", views.view),
]
