"""How well every registry is right now, for operators: which one has given no good answer for the longest time.

Its switch, its health, its breaker and its attempts in one row each, read in four queries however many there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import OuterRef, Subquery

from jurisdictions.codes import PLACES
from jurisdictions.models import Jurisdiction
from scrapers import discovery
from scrapers.models import ANSWERED, FAILED, Breaker, ScrapeAttempt
from scrapers.operations import metrics
from scrapers.operations.metrics import Measured

_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class RegistryHealth:
    """One registry. `verification` is how sure its reader is; times are None where there was never such an attempt.

    `failure` is the last attempt that did not bring an answer: since the last good one the registry may be well again.
    """

    switch: Jurisdiction
    verification: str
    last_good_at: datetime | None
    failure: ScrapeAttempt | None
    measured: Measured
    breaker: Breaker | None
    now: datetime

    @property
    def name(self) -> str:
        """The jurisdiction's name."""
        return PLACES[self.switch.code].name

    @property
    def fails_now(self) -> bool:
        """Whether its newest attempt failed."""
        return self.failure is not None and (self.last_good_at is None or self.failure.started_at > self.last_good_at)

    @property
    def open_until(self) -> datetime | None:
        """Until when it is left alone; None when it may be asked."""
        until = self.breaker.open_until if self.breaker else None
        return until if until and until > self.now else None

    @property
    def is_failing(self) -> bool:
        """Whether it is asked, and does not answer or is left alone."""
        return self.switch.enabled and (self.fails_now or self.open_until is not None)

    @property
    def success_pct(self) -> float | None:
        """The share of answered questions of the last 24 hours, in per cent."""
        rate = self.measured.success_rate
        return None if rate is None else round(100 * rate, 1)


def list_registries(*, now: datetime) -> list[RegistryHealth]:
    """Every jurisdiction: those that fail, then the others that are asked, then those that are not.

    Among each, the longest without a good answer comes first, and those that never gave any before all.
    """
    switches = list(
        Jurisdiction.objects.annotate(
            last_good_at=_newest("started_at", ANSWERED),
            last_failure=_newest("pk", FAILED),
        )
    )
    failures = ScrapeAttempt.objects.defer("stages").in_bulk([row.last_failure for row in switches if row.last_failure])
    breakers = Breaker.objects.in_bulk()
    seen = metrics.measure(now=now)
    rows = [
        RegistryHealth(
            switch=row,
            verification=find_verification(row),
            last_good_at=row.last_good_at,
            failure=failures.get(row.last_failure) if row.last_failure else None,
            measured=seen.get(row.code, Measured()),
            breaker=breakers.get(row.code),
            now=now,
        )
        for row in switches
    ]
    return sorted(rows, key=_rank)


def _rank(row: RegistryHealth) -> tuple[bool, bool, datetime, str]:
    return not row.is_failing, not row.switch.enabled, row.last_good_at or _BEFORE_ALL, row.switch.code


def _newest(field: str, outcomes: Iterable[str]) -> Subquery:
    """A field of each jurisdiction's newest attempt that ended so, by the index; the sandbox does not count."""
    mine = ScrapeAttempt.objects.filter(state=OuterRef("code"), sandbox=False, outcome__in=outcomes)
    return Subquery(mine.order_by("-started_at").values(field)[:1])


def find_verification(row: Jurisdiction) -> str:
    """How sure the reader is: live once a canary has read a real answer."""
    portal = discovery.find_portal(row.code)
    return "live" if row.verified_live_at else portal.verification if portal else "unsupported"
