"""The page that shows the health of the queue: the first look when customers say that nothing comes back."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from unfold.decorators import action

from lookups.jobs import broker, queue_status
from lookups.notifications import outbox_status


class QueuePage:
    """The list of jobs gets the page; whoever may see jobs may see it."""

    def has_look_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Reading only."""
        return bool(self.has_view_permission(request))  # type: ignore[attr-defined]

    @action(description="Queue", url_path="queue", permissions=["look"])
    def queue_page(self, request: HttpRequest) -> HttpResponse:
        """Depth, oldest job, what is stuck, and whether anybody works."""
        now = timezone.now()
        lines = queue_status.read(now=now)
        sees_messages = request.user.has_perm("lookups.view_delivery")
        context = {
            **admin.site.each_context(request),
            "title": "Queue",
            "now": now,
            "lines": lines,
            "quiet": [line for line in lines if line.is_quiet(now)],
            "depths": broker.list_depths(),
            "minutes": round(queue_status.OVER.total_seconds() / 60),
            "outgoing": outbox_status.read(now=now) if sees_messages else [],
            "sees_accounts": request.user.has_perm("billing.view_account"),
        }
        return render(request, "lookups/queue.html", context)
