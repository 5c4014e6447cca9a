"""Addresses of signing in and out, and of the switches between accounts, and the registries and the sandbox."""

from django.urls import path

from lookups.workspace.entrance import leaving, views

urlpatterns = [
    path("sign-in/", views.ask, name="sign-in"),
    path("sign-in/sent/", views.sent, name="sign-in-sent"),
    path("sign-in/passkey/", views.passkey, name="sign-in-passkey"),
    path("sign-in/<str:token>/", views.link, name="sign-in-link"),
    path("sign-out/", leaving.sign_out, name="sign-out"),
    path("mode/", leaving.switch_mode, name="mode"),
    path("account/", leaving.switch_account, name="account"),
]
