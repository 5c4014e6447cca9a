"""The closed lists of words about watches."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from lookups.watches.taxonomy import Category, Notice
from lookups.watches.taxonomy import Severity as Severity

WatchCategory = Category
if TYPE_CHECKING:  # made of two others: to a checker of types it is text
    EventCategory: TypeAlias = str
else:
    EventCategory = StrEnum("EventCategory", {word: word for word in (*Category, *Notice)})


class Every(StrEnum):
    """How often a company is looked at."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class WatchStatus(StrEnum):
    """Whether a watch looks."""

    ACTIVE = "active"
    PAUSED = "paused"


class PauseReason(StrEnum):
    """Why it does not: as was asked for, no credit, the month's budget is spent, or its API key has ended."""

    REQUESTED = "requested"
    INSUFFICIENT_BALANCE = "insufficient_balance"
    BUDGET_EXCEEDED = "budget_exceeded"
    KEY_ENDED = "key_ended"


class WatchCheckResult(StrEnum):
    """What came of a look.

    `baseline`: the first reading, with which others are compared; `reader_changed`: so is this one, as our reader of
    the registry is another and the pages of before could not be read again. `absent`: a complete reading did not find
    it (`disappeared` follows at the second one, a day later; in the sandbox at the next check). `unclear`: the
    registry could not be asked, or its answer proves nothing.
    """

    BASELINE = "baseline"
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    READER_CHANGED = "reader_changed"
    ABSENT = "absent"
    UNCLEAR = "unclear"
