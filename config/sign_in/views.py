"""Changing one's own password: Django's page, and a line in the audit log."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from billing import audit


def change_password(request: HttpRequest) -> HttpResponse:
    """It asks for the present one first."""
    response = admin.site.password_change(request)
    if response.status_code == 302 and request.user.is_authenticated:
        detail = "Changed their own password."
        audit.record(audit.Kind.USER_CHANGED, subject=request.user, detail=detail, now=timezone.now())
    return response
