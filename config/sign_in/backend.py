"""Who may sign in: staff. Nobody else has a page to go to, and nobody else is told whether a password is right."""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, User


class StaffBackend(ModelBackend):
    """Django's users and rights; a user who is no staff any more is signed out with the next request."""

    def user_can_authenticate(self, user: User | AnonymousUser | None) -> bool:
        return super().user_can_authenticate(user) and bool(getattr(user, "is_staff", False))
