"""The admin's first page: what today came to, which registries fail, and what waits for a person.

Everybody sees what their rights let them see, each number leads to its rows, and nothing of the sandbox is counted.
What is read is bounded: a day's rows by the index of times, what is open by indexes of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from billing import finance, money
from billing.models import Difference
from config.admin import waiting
from lookups.operations import daily
from scrapers.models import Reading
from scrapers.operations import health
from scrapers.operations.health import RegistryHealth

DAYS = 30
MOST_FAILING = 8
WIDTH, HEIGHT = 720, 120  # of the chart, in its own units


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with what it is measured by, and the rows it is made of."""

    label: str
    value: str
    beside: str
    url: str
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class Failing:
    """A registry that fails, why, and where the last page is that it sent; empty to who may not see attempts."""

    row: RegistryHealth
    detail: str
    page: str


def fill(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add what the first page shows (the skin's callback)."""
    now = timezone.now()
    may = request.user.has_perm
    days = daily.list_days(until=now.date(), days=DAYS) if may("lookups.view_lookup") else []
    revenue = finance.list_revenue(until=now.date(), days=DAYS) if may("billing.view_ledgerentry") else []
    failing = list(_list_failing(request, now)) if may("jurisdictions.view_jurisdiction") else []
    return {
        **context,
        "title": f"Today, {now:%A %-d %B}",
        "now": now,
        "figures": [
            *_of_money(now, revenue),
            *_of_lookups(now, days),
            *_of_jobs(request, now),
            *_of_books(request, now),
        ],
        "sandbox": (days[-1].sandbox, _address("lookups_lookup", mode="sandbox", **_of_day(now))) if days else None,
        "failing": failing[:MOST_FAILING],
        "more_failing": max(0, len(failing) - MOST_FAILING),
        "sees_registries": may("jurisdictions.view_jurisdiction"),
        "may_switch": may("jurisdictions.change_jurisdiction"),
        "may_ask_again": may("lookups.change_job"),
        "may_refund": may("billing.move_money"),
        "waiting": waiting.list_waiting(request, now=now),
        "finds": _list_tasks(request),
        "chart": _draw(days, revenue) if days else None,
    }


def _of_money(now: datetime, revenue: list[int]) -> Iterator[Figure]:
    if revenue:
        rows = _address("billing_ledgerentry", moves="revenue", **_of_day(now))
        today, before = (f"{money.to_rounded_string(one)} USD" for one in reversed(revenue[-2:]))
        yield Figure("Revenue", today, f"yesterday {before}", rows)


def _of_lookups(now: datetime, days: list[daily.Day]) -> Iterator[Figure]:
    if not days:
        return
    before, today = days[-2:]
    day = _of_day(now)
    for label, name, more in (
        ("Lookups", "lookups", {}),
        ("Found", "found", {"verdict__exact": "found"}),
        ("Unavailable", "unavailable", {"verdict__exact": "unavailable"}),
    ):
        number = getattr(today, name)
        is_bad = name == "unavailable" and number * 10 > today.lookups
        beside = f"yesterday {getattr(before, name):,}"
        yield Figure(label, f"{number:,}", beside, _address("lookups_lookup", **day, **more), is_bad)


def _of_jobs(request: HttpRequest, now: datetime) -> Iterator[Figure]:
    if request.user.has_perm("lookups.view_job"):
        jobs = daily.count_open_jobs(now=now)
        beside = f"{jobs.stuck} stuck, " if jobs.stuck else ""
        beside += f"this time yesterday {jobs.a_day_ago:,}"
        rows = _address("lookups_job", age="stuck" if jobs.stuck else "open")
        yield Figure("Jobs waiting", f"{jobs.now:,}", beside, rows, bool(jobs.stuck))


def _of_books(request: HttpRequest, now: datetime) -> Iterator[Figure]:
    if request.user.has_perm("billing.view_difference"):
        then = now - timedelta(days=1)
        number = Difference.objects.filter(gone_at=None).count()
        before = Difference.objects.filter(Q(gone_at=None) | Q(gone_at__gt=then), first_seen_at__lte=then).count()
        rows = _address("billing_difference", gone_at__isempty=1)
        yield Figure("Differences", f"{number:,}", f"this time yesterday {before:,}", rows, bool(number))


def _list_failing(request: HttpRequest, now: datetime) -> Iterator[Failing]:
    """Registries that are asked and do not answer, the longest without a good answer first."""
    sees_pages = request.user.has_perm("scrapers.view_scrapeattempt")
    for row in health.list_registries(now=now):
        if row.is_failing:
            detail = row.failure.detail if row.failure and sees_pages else ""
            yield Failing(row, detail, _find_page(row.switch.code) if sees_pages else "")


def _find_page(state: str) -> str:
    """Where the last page stands that this registry sent when it failed; empty where none is kept."""
    kept = Reading.objects.failed().filter(state=state, sandbox=False).order_by("-read_at")
    found = kept.values_list("attempt_id", "exchanges").first()
    if found is None:
        return ""
    attempt, exchanges = found
    return reverse("admin:scrapers_scrapeattempt_change", args=[attempt], fragment=f"page-{max(1, len(exchanges))}")


def _list_tasks(request: HttpRequest) -> list[tuple[str, str]]:
    """What the box for finding leads to, beside the page of what is found."""
    tasks = [("grant", "Grant credit", "billing.move_money"), ("key", "Issue a key", "billing.add_apikey")]
    return [(word, label) for word, label, right in tasks if request.user.has_perm(right)]


def _draw(days: list[daily.Day], revenue: list[int]) -> dict[str, Any]:
    """Bars of lookups, the unavailable ones at their foot; numbers for whoever cannot see them."""
    busiest = max(day.lookups for day in days)
    most = max(busiest, 1)  # of the scale, which needs a height
    step = WIDTH / len(days)
    earned: list[int | None] = [*revenue] or [None] * len(days)
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "most": busiest,
        "bars": [
            {
                "day": day,
                "revenue": None if units is None else money.to_rounded_string(units),
                "x": round(number * step + 1, 1),
                "width": round(step - 2, 1),
                "y": round(HEIGHT - HEIGHT * day.lookups / most, 1),
                "height": round(HEIGHT * day.lookups / most, 1),
                "bad_y": round(HEIGHT - HEIGHT * day.unavailable / most, 1),
                "bad_height": round(HEIGHT * day.unavailable / most, 1),
            }
            for number, (day, units) in enumerate(zip(days, earned, strict=True))
        ],
    }


def _address(table: str, **narrowed: Any) -> str:
    return reverse(f"admin:{table}_changelist", query=narrowed)


def _of_day(day: datetime) -> dict[str, int]:
    return {"created_at__year": day.year, "created_at__month": day.month, "created_at__day": day.day}
