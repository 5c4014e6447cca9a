"""The addresses of signing in. What is not here has no address: sign-up, e-mail, passwords by mail."""

from allauth.account import views as account
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.urls import path

from config.sign_in import views
from config.sign_in.throttle import PASSWORD, SIGN_IN, counted

CONFIRM = "confirmation of who it is"

urlpatterns = [
    path("login/", counted(SIGN_IN, account.login), name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("password_change/", counted(PASSWORD, views.change_password), name="change_password"),
    path("confirm/password/", counted(CONFIRM, account.reauthenticate), name="account_reauthenticate"),
    path("confirm/code/", counted(CONFIRM, factors.reauthenticate), name="mfa_reauthenticate"),
    path("confirm/key/", counted(CONFIRM, webauthn.reauthenticate_webauthn), name="mfa_reauthenticate_webauthn"),
    path("login/factor/", counted("second factor", views.SecondFactor.as_view()), name="mfa_authenticate"),
    path("factors/", factors.index, name="mfa_index"),
    path("factors/app/activate/", totp.activate_totp, name="mfa_activate_totp"),
    path("factors/app/deactivate/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("factors/codes/", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("factors/codes/generate/", recovery_codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("factors/codes/download/", recovery_codes.download_recovery_codes, name="mfa_download_recovery_codes"),
    path("factors/keys/", webauthn.list_webauthn, name="mfa_list_webauthn"),
    path("factors/keys/add/", webauthn.add_webauthn, name="mfa_add_webauthn"),
    path("factors/keys/<int:pk>/edit/", webauthn.edit_webauthn, name="mfa_edit_webauthn"),
    path("factors/keys/<int:pk>/remove/", webauthn.remove_webauthn, name="mfa_remove_webauthn"),
]
