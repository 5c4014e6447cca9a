"""First contact: every canary of one state after the other, politely, and what came of the state as a whole.

An operator's first hour with a network begins here (`manage.py first_contact`), and the clock asks again every week.
What came of it last stands in the jurisdiction's row: `/v1/states` and the pages tell it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from jurisdictions import selectors
from jurisdictions import services as jurisdictions
from jurisdictions.codes import PLACES
from scrapers import discovery
from scrapers.operations import breaker, canaries
from scrapers.operations.canaries import STOPS, Asked
from scrapers.portal import CanaryKind, ContactResult, Portal

TROUBLE = "Asked for a company that it surely has, this registry gave an answer that could not be used."
Progress = Callable[[str, CanaryKind | None], None]


@dataclass(frozen=True, slots=True)
class Contact:
    """What came of one state; `asked` has every canary, also those that were not asked any more.

    `was_live`: its active canary was read before, so that a registry without it is the registry's change, and not the
    wrong canary.
    """

    portal: Portal
    at: datetime
    asked: tuple[Asked, ...]
    seconds: float
    was_live: bool

    @property
    def result(self) -> ContactResult:
        """That of the first question, unless a later one shows that something differs."""
        first = self.asked[0].result if self.asked else ContactResult.NOT_ASKED
        if first is ContactResult.READ and any(one.result is not ContactResult.READ for one in self.asked):
            return ContactResult.DIFFERS
        return first

    @property
    def is_live(self) -> bool:
        """Whether a real answer was read as expected, and nobody was found who cannot be there."""
        active = self._find(CanaryKind.ACTIVE)
        right = active is not None and active.reached and active.outcome == "found" and not active.is_lasting
        return right and not self._has_wrong_find

    @property
    def trouble(self) -> str:
        """What customers are told where only a person can mend it; empty where it may be well by itself."""
        active = self._find(CanaryKind.ACTIVE)
        ill = active is not None and active.is_lasting and (self.was_live or active.result is ContactResult.NOT_READ)
        return TROUBLE if ill or self._has_wrong_find else ""

    @property
    def _has_wrong_find(self) -> bool:
        """Whether somebody was found who cannot be there, or the page of nobody could not be read."""
        absent = self._find(CanaryKind.ABSENT)
        return absent is not None and absent.is_lasting

    @property
    def findings(self) -> tuple[str, ...]:
        """Those of every question; of a registry that no program can ask, why."""
        if not self.asked and self.portal.verification == "unsupported":
            return (self.portal.off_reason,)
        return tuple(finding for one in self.asked for finding in one.findings)

    def summary(self) -> dict[str, Any]:
        """What is kept of it, JSON-ready."""
        return {
            "at": self.at.isoformat(timespec="seconds"),
            "result": self.result.value,
            "seconds": self.seconds,
            "questions": [{"kind": one.kind.value, "result": one.result.value} for one in self.asked],
            "findings": list(self.findings),
        }

    def _find(self, kind: CanaryKind) -> Asked | None:
        return next((one for one in self.asked if one.kind is kind), None)


def list_portals(*, others: bool = False) -> list[Portal]:
    """The portals that are on; with `others` those that are off too, but none whose owner forbids programs."""
    on = {row.code for row in selectors.list_jurisdictions() if row.enabled}
    return [portal for portal in discovery.list_portals() if portal.code in on or (others and _may_be_tried(portal))]


def _may_be_tried(portal: Portal) -> bool:
    """Whether its owner leaves it open to programs, as far as is known; who knows better names the state."""
    terms = portal.terms
    forbidden = terms.automated == "forbidden" or terms.robots.startswith("disallows")
    return portal.verification != "unsupported" and not forbidden


def list_due() -> list[Portal]:
    """The portals that the clock asks: all that are on, the longest untested first.

    Nobody before an operator has brought one of them to life: an installation that only tries the product sends
    nothing by itself.
    """
    on = [row for row in selectors.list_jurisdictions() if row.enabled]
    if not any(row.verified_live_at for row in on):
        return []
    tested = {row.code: row.last_tested_at.timestamp() if row.last_tested_at else 0.0 for row in on}
    portals = [portal for portal in discovery.list_portals() if portal.code in tested]
    return sorted(portals, key=lambda portal: tested[portal.code])


def meet(
    portals: Iterable[Portal],
    *,
    now: datetime,
    kinds: Collection[CanaryKind] = tuple(CanaryKind),
    within: float | None = None,
    pause: float = 0.0,
    progress: Progress = lambda state, kind: None,
) -> Iterator[Contact]:
    """Ask one state after the other, each at its own pace, and note each as soon as it is done.

    `within`: seconds after which no further state is begun; `pause`: so many times the portal's own distance lies
    between two questions, for customers to come in between. `progress` hears of each question before it is put.
    """
    began = time.monotonic()
    for portal in portals:
        elapsed = time.monotonic() - began
        if within is not None and elapsed > within:
            return
        contact = _meet(portal, now=now + timedelta(seconds=elapsed), kinds=kinds, pause=pause, progress=progress)
        progress(portal.code, None)
        if any(one.result is not ContactResult.NOT_ASKED for one in contact.asked):
            jurisdictions.note_contact(
                code=portal.code,
                contact=contact.summary(),
                is_live=contact.is_live,
                trouble=contact.trouble,
                now=contact.at,
            )
        yield contact


def _meet(portal: Portal, *, now: datetime, kinds: Collection[CanaryKind], pause: float, progress: Progress) -> Contact:
    asked: list[Asked] = []
    started, why = time.monotonic(), _why_not(portal, now)
    was_live = selectors.get_jurisdiction(portal.code).verified_live_at is not None
    for kind, name in canaries.list_questions(portal).items():
        if kind not in kinds:
            continue
        if why:
            asked.append(Asked(kind, name, ContactResult.NOT_ASKED, findings=(why,)))
            continue
        if asked and pause:
            time.sleep(pause * portal.pace.seconds)
        progress(portal.code, kind)
        asked.append(canaries.try_canary(portal, kind, name))
        if asked[-1].result in STOPS:
            why = "left alone after it gave no answer to the question before"
    return Contact(portal, now, tuple(asked), round(time.monotonic() - started, 1), was_live)


def _why_not(portal: Portal, now: datetime) -> str:
    """Why nobody asks this portal now; empty when it may be asked."""
    if portal.verification == "unsupported":
        return f"no search of {PLACES[portal.code].name} is known that a program may use"
    rest = breaker.find_rest(state=portal.code, now=now)
    return rest.detail if rest else ""
