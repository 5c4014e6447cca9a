"""One question of one customer, and the stopwatch that runs while it is answered."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from billing import prices
from billing.models import Account
from lookups.lookup.outcomes import Found
from lookups.lookup.payers import Bill, Payer
from lookups.lookup.questions import Question


@dataclass(frozen=True, slots=True)
class Ask:
    """Who asks what. The same `ask_id` is never charged twice; `resumed`: an earlier try under it broke off."""

    question: Question
    payer: Payer
    accepts_stored: bool = False
    price: int = field(default_factory=lambda: prices.LOOKUP)  # quoted when it is accepted, in 1/10,000 USD
    stored_price: int = field(default_factory=lambda: prices.STORED)  # the same, for an answer from before
    ref: str | None = None  # the customer's own mark
    asked_by_id: int | None = None  # the person, where one asked in the workspace
    patience: timedelta | None = None  # how long the caller waits before it becomes a job, where less than usual
    max_wait: timedelta | None = None  # how long it may take as a job, where the caller says so
    ask_id: uuid.UUID = field(default_factory=uuid.uuid4)
    request_id: str = ""
    resumed: bool = False
    apart: bool = False  # an Idempotency-Key tells it from the same question asked before
    shares_hold: bool = False  # its price is part of a larger hold
    claim: uuid.UUID | None = None  # under which a worker answers it as a job
    find_price: Callable[[Found, int], int] | None = None  # less than the price, where the answer decides on it

    @property
    def sandbox(self) -> bool:
        """Whether the fictional registry is asked."""
        return self.payer.sandbox

    @property
    def account(self) -> Account | None:
        """Whose preferences count; None for a customer who pays by the request."""
        return self.payer.account

    @property
    def may_wait(self) -> bool:
        """Whether it may be answered later, as a job."""
        return self.payer.waits and self.question.may_wait

    @property
    def bill(self) -> Bill:
        """Its price, and the words in the statement."""
        return Bill(
            ask_id=self.ask_id,
            price=self.price,
            reference=self.question.title[:200],
            request_id=self.request_id,
            shares_hold=self.shares_hold,
        )


class Stopwatch:
    """Time since the request came in, counted on from the moment its edge read the clock."""

    def __init__(self, begun: datetime) -> None:
        self.begun = begun
        self._started = time.monotonic()

    @property
    def now(self) -> datetime:
        """The present moment."""
        return self.begun + timedelta(seconds=self.seconds)

    @property
    def seconds(self) -> float:
        """Seconds since the request came in."""
        return time.monotonic() - self._started
