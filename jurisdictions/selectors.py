"""Reads of the switches."""

from __future__ import annotations

from django.db.models import QuerySet

from jurisdictions.models import Jurisdiction


def get_jurisdiction(code: str) -> Jurisdiction:
    """The row of a jurisdiction; Jurisdiction.DoesNotExist when `sync_jurisdictions` was never run."""
    return Jurisdiction.objects.get(pk=code)


def list_jurisdictions() -> list[Jurisdiction]:
    """All rows, by code."""
    return list(Jurisdiction.objects.all())


def list_off() -> QuerySet[Jurisdiction]:
    """Those that are switched off; may become part of another query."""
    return Jurisdiction.objects.filter(enabled=False)
