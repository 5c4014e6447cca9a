"""Prints the links that nobody mails where `make run` was typed: in no log, for a link that works is a secret."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import Error as DatabaseError
from django.urls import reverse
from django.utils import timezone

from billing.members import links


class NewLinks:
    """Each waiting link once, as somebody asks for it."""

    def __init__(self) -> None:
        self._last = 0

    def list_lines(self, address: str) -> Iterator[str]:
        """A line for each link that was asked for since the last time; none while the database is away."""
        try:
            for link in links.list_unmailed(now=timezone.now()).filter(pk__gt=self._last).order_by("pk"):
                self._last = link.pk
                token = links.read(link)
                if token:  # else SECRET_KEY was changed since
                    url = address + reverse("workspace:sign-in-link", args=[token])
                    yield f"Sign in as {link.email} until {link.expires_at:%H:%M} UTC: {url}"
        except DatabaseError:
            return
