"""Addresses of the settings."""

from django.urls import path

from lookups.workspace.preferences import account, person, views

urlpatterns = [
    path("", views.settings_page, name="settings"),
    path("passkeys/", person.add_passkey, name="passkey-add"),
    path("passkeys/options/", person.passkey_options, name="passkey-options"),
    path("passkeys/<int:number>/remove/", person.remove_passkey, name="passkey-remove"),
    path("sessions/end/", person.end_sessions, name="sessions-end"),
    path("export/", account.export, name="export"),
    path("erase/", account.erase, name="erase"),
]
