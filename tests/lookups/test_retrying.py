"""Which failures of a registry are tried again, and when; and how long an answer is said to take."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache

from lookups.jobs import retries
from lookups.lookup import estimates
from lookups.lookup.outcomes import Unavailable
from scrapers import discovery
from scrapers.models import ScrapeAttempt

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def pause(reason: str, *, tries: int = 1, minutes: float = 15, retryable: bool = True, asked: float | None = None):
    failure = Unavailable("NY", reason, retryable, asked)
    return retries.find_pause(failure, tries=tries, now=NOW, deadline=NOW + timedelta(minutes=minutes))


class TestAFailure:
    """By its kind."""

    @pytest.mark.parametrize(("reason", "least"), [("down", 5), ("timeout", 10), ("rate_limited", 30)])
    def test_that_passes_is_tried_again_after_a_pause_with_chance_in_it(self, reason: str, least: float) -> None:
        seen = [pause(reason).total_seconds() for _ in range(50)]
        assert min(seen) >= least
        assert max(seen) <= least * 1.3
        assert len(set(seen)) > 10

    def test_that_stays_is_tried_later_each_time(self) -> None:
        least = [pause("down", tries=tries, minutes=999).total_seconds() for tries in range(1, 6)]
        assert all(5 * 2**number <= one <= 5 * 2**number * 1.3 for number, one in enumerate(least))

    @pytest.mark.parametrize("reason", ["layout_changed", "disabled"])
    def test_that_needs_a_person_is_reported_at_once(self, reason: str) -> None:
        assert pause(reason, retryable=False) is None
        assert pause(reason) is None

    def test_is_reported_when_no_time_is_left(self) -> None:
        assert pause("down", minutes=1) is None
        assert pause("blocked") is None
        assert pause("blocked", minutes=60) is not None

    def test_waits_as_long_as_the_registry_asked_for(self) -> None:
        assert pause("rate_limited", asked=300).total_seconds() >= 300
        assert pause("rate_limited", asked=3600) is None


@pytest.mark.django_db
class TestAnEstimate:
    """Of the seconds a fetch takes."""

    def measure(self, *seconds: float, hours_ago: float = 1, outcome: str = "found") -> None:
        for one in seconds:
            ScrapeAttempt.objects.create(
                state="NY",
                kind="business_entity",
                question="x",
                outcome=outcome,
                duration_ms=round(one * 1000),
                version="1.0",
                started_at=NOW - timedelta(hours=hours_ago),
            )

    def test_is_what_three_of_four_answers_needed(self) -> None:
        self.measure(1, 2, 3, 4, 40, 3.2, 3.5, 41)
        assert estimates.seconds(discovery.find_portal("NY"), now=NOW) == 4

    def test_is_what_the_portal_declares_where_little_was_measured(self) -> None:
        portal = discovery.find_portal("NY")
        self.measure(50, 50, 50, 50)
        self.measure(50, 50, hours_ago=25)
        self.measure(50, 50, outcome="down")
        assert estimates.seconds(portal, now=NOW) == portal.estimated_seconds

    def test_is_measured_once_a_minute(self, django_assert_num_queries: Any) -> None:
        self.measure(*[60] * 5)
        portal = discovery.find_portal("NY")
        assert estimates.seconds(portal, now=NOW) == 60
        self.measure(*[90] * 5)
        with django_assert_num_queries(0):
            assert estimates.seconds(portal, now=NOW) == 60
            assert estimates.outlasts("NY", 59, now=NOW)
        cache.clear()  # as a minute does
        assert estimates.seconds(portal, now=NOW) == 90

    def test_shrinks_while_one_waits_but_never_to_nothing(self) -> None:
        self.measure(*[60] * 5)
        assert estimates.still("NY", 20, now=NOW) == 40
        assert estimates.still("NY", 200, now=NOW) == 5
