"""What the lists of every room's admin share: live and sandbox told apart, and history that nobody edits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin


class ReadOnly:
    """Looked at and not edited."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, ModelAdmin):  # type: ignore[misc]
    """A list to look at."""


class ReadOnlyInline(ReadOnly):
    """Rows beneath another, without a title each that says once more what they say."""

    extra = 0
    hide_title = True


class ModeFilter(admin.SimpleListFilter):
    """Live rows unless somebody wants others: what is made up stands in no list of what is real.

    `sandbox` is the condition of rows that are not live.
    """

    title, parameter_name = "mode", "mode"
    sandbox = Q(sandbox=True)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("sandbox", "Sandbox"), ("both", "Both")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Where Django says "All", the list is of live ones."""
        for number, choice in enumerate(super().choices(changelist)):
            yield {**choice, "display": "Live"} if number == 0 else choice

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "both":
                return queryset
            case "sandbox":
                return queryset.filter(self.sandbox)
        return queryset.exclude(self.sandbox)


class KeyModeFilter(ModeFilter):
    """Of rows that know it by their key."""

    sandbox = Q(key__mode="test")


class LivemodeFilter(ModeFilter):
    """Of rows that have the wire's word."""

    sandbox = Q(livemode=False)


class PretendedFilter(ModeFilter):
    """Of payments: the sandbox's are pretended."""

    sandbox = Q(is_sandbox=True)
