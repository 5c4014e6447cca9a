"""The menu beside every page of the admin: what to watch first, then every list the person may see.

Lists come from the admin itself, so that a new one stands in the menu without a word here.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

# Name of the page, its address, its sign, and the right that shows it (none: it shows each person what is theirs).
WATCHED = (
    ("Today", "index", "today", ""),
    ("Queue", "lookups_job_queue_page", "hourglass_empty", "lookups.view_job"),
    ("Registries", "jurisdictions_jurisdiction_registries_page", "monitor_heart", "jurisdictions.view_jurisdiction"),
    ("Finance", "billing_ledgerentry_finance_page", "payments", "billing.view_ledgerentry"),
)


def list_groups(request: HttpRequest) -> list[dict[str, Any]]:
    """The groups of the menu in the skin's form."""
    watched = [
        {"title": title, "link": reverse(f"admin:{name}"), "icon": icon}
        for title, name, icon, right in WATCHED
        if not right or request.user.has_perm(right)
    ]
    groups: list[dict[str, Any]] = [{"title": "Watch", "items": watched}]
    for app in admin.site.get_app_list(request):
        lists = [{"title": one["name"], "link": one["admin_url"]} for one in app["models"] if one["admin_url"]]
        groups.append({"title": app["name"], "separator": True, "collapsible": False, "items": lists})
    return groups
