"""One question of one customer, and the stopwatch that runs while it is answered."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from billing.models import Account, ApiKey, Payment
from lookups.lookup.payment import Bill
from lookups.lookup.questions import Question


@dataclass(frozen=True, slots=True)
class Ask:
    """Who asks what, and how it is paid: from the balance behind `key` (which comes with its account), or by `payment`.

    The same `ask_id` is never charged twice; `resumed` is set when an earlier try under it broke off.
    """

    question: Question
    key: ApiKey | None = None
    payment: Payment | None = None
    accepts_stored: bool = False
    ask_id: uuid.UUID = field(default_factory=uuid.uuid4)
    request_id: str = ""
    resumed: bool = False
    shares_hold: bool = False  # its price is part of a larger hold
    claim: uuid.UUID | None = None  # under which a worker answers it as a job

    @property
    def sandbox(self) -> bool:
        """Whether the fictional registry is asked: test keys and pretended payments reach nothing else."""
        if self.key is not None:
            return self.key.is_test
        assert self.payment is not None
        return self.payment.is_sandbox

    @property
    def account(self) -> Account | None:
        """Whose preferences count; None for a customer who pays by the request."""
        return self.key.account if self.key else None

    @property
    def bill(self) -> Bill:
        """Who pays, and the words in the statement."""
        reference = f"{self.question.state} {self.question.words}"[:200]
        return Bill(key=self.key, ask_id=self.ask_id, reference=reference, shares_hold=self.shares_hold)


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
