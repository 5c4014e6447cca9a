"""What may come of a question: plain data, no HTTP. `rows` writes it to its lookup, from where it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lookups.models import Job, Lookup, StoredAnswer
from lookups.verdicts import Breakdown


@dataclass(frozen=True, slots=True)
class Found:
    """The registry has it: the answer as it is stored, live or from before."""

    answer: StoredAnswer
    stored: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on a name; `check` is JSON-ready (see `names.check`)."""

    check: dict[str, Any]


@dataclass(frozen=True, slots=True)
class NothingFound:
    """The registry answered in full and has no such record. Not charged.

    `candidates` are near misses, JSON-ready; `ambiguous` says that several of them fit equally well.
    """

    candidates: list[dict[str, Any]] = field(default_factory=list)
    ambiguous: bool = False
    note: str | None = None
    evidence: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Unavailable:
    """The registry could not be asked, so nothing is known. Not charged. `retry_after` is in seconds.

    `note` names another way to an answer, or is the operator's own sentence.
    """

    state: str
    reason: str
    retryable: bool = True
    retry_after: float | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """The registry does not take this question: the word of why, and the values its sentence names. Not charged.

    `note` names another way to an answer, where there is one.
    """

    refusal: str
    values: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """It ended here and not at the registry. Not charged."""

    reason: Breakdown


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Cancelled before its turn: by the customer, or because the key or the account has ended. Not charged."""


Outcome = Found | Judged | NothingFound | Unavailable | Refused | Failed | Cancelled


@dataclass(frozen=True, slots=True)
class Ended:
    """A lookup that has ended; `receipt` is for whoever paid with the request itself."""

    lookup: Lookup
    receipt: str | None = None
    repeated: bool = False  # it was asked before, and is told again


@dataclass(frozen=True, slots=True)
class Accepted:
    """The registry is slow: this job answers later. The price is held."""

    job: Job
    repeated: bool = False  # it was asked before


@dataclass(frozen=True, slots=True)
class OutOfFunds:
    """The account has less than the lookup costs (units of 1/10,000 USD). Nothing was accepted."""

    available: int
    needed: int
    by_budget: bool = False


@dataclass(frozen=True, slots=True)
class TooManyAtOnce:
    """The key runs as many lookups as it may, or (a limit of 0) the service itself does. Nothing was accepted."""

    limit: int


@dataclass(frozen=True, slots=True)
class NobodyAtWork:
    """It would be answered later, and no process lives that would do it. Nothing was accepted."""


Result = Ended | Accepted | OutOfFunds | TooManyAtOnce | NobodyAtWork
