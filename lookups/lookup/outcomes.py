"""How a lookup can end. Plain data, no HTTP: the API's table says what each of them is on the wire."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lookups.models import StoredAnswer


@dataclass(frozen=True, slots=True)
class Delivered:
    """An answer, sold. `cost` was charged and `balance` is left (units of 1/10,000 USD; None: no balance paid).

    `live` is False for a stored answer, which then serves until `expires_at`. `receipt` is for whoever paid with the
    request itself.
    """

    answer: StoredAnswer
    live: bool
    cost: int
    balance: int | None
    expires_at: datetime | None = None
    receipt: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on a name, sold whichever it is; never stored. `verdict` is in the wire's form."""

    verdict: dict[str, Any]
    cost: int
    balance: int | None


@dataclass(frozen=True, slots=True)
class NothingFound:
    """The registry answered in full and has no such record. Not charged.

    `suggestions` are near misses in the wire's form; `ambiguous` says that several of them fit equally well.
    """

    suggestions: list[dict[str, Any]] = field(default_factory=list)
    ambiguous: bool = False
    note: str | None = None
    evidence: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Unavailable:
    """The registry could not be asked, so nothing is known. Not charged. `retry_after` is in seconds.

    `note` names another way to an answer, where there is one.
    """

    state: str
    reason: str
    retryable: bool = True
    retry_after: float | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """The registry does not take this question; `field` of it has to change, `text` says why. Not charged.

    `unsupported`: no question of this sort can be asked of this state.
    """

    field: str
    text: str
    unsupported: bool = False


@dataclass(frozen=True, slots=True)
class OutOfFunds:
    """The account has less than the lookup costs (units of 1/10,000 USD). Nobody was asked."""

    available: int
    needed: int
    by_budget: bool = False


@dataclass(frozen=True, slots=True)
class TooManyAtOnce:
    """The key runs as many lookups as it may. Nobody was asked."""

    limit: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """The registry is slow: the answer comes later, under this job's name. The price is held."""

    job_id: str
    estimated_seconds: int


Outcome = Accepted | Delivered | Judged | NothingFound | Unavailable | Refused | OutOfFunds | TooManyAtOnce
