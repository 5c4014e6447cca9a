"""Every way a portal can fail, in one enum with all that follows from it; everything else is derived from here.

One more reason is one more member, and the migration that `makemigrations` writes of it (an index holds the words).
"Nothing found" is not among them: it is an answer. None of these is ever turned into it, because that would be
a false statement about a company.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Any, ClassVar, Literal, Self


class Health(Enum):
    """What a failure says of the portal's health: how it is measured, and whether the breaker counts it."""

    WELL = auto()  # a refusal is an answer
    UNKNOWN = auto()  # nobody was asked
    ILL = auto()
    ILL_IF_PATIENT = auto()  # only where it had its time: less of it is our own hurry
    ILL_IF_ITS_OWN = auto()  # only where the portal said so (PortalBlocked): else our own pace had no turn for us
    ILL_BY_QUESTION = auto()  # not twice for one question: an odd company says nothing of the others


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What follows from a failure.

    `customer` and `operator` are what each of them reads. `retry_after` is what the customer is asked to wait where the
    portal named no time itself (None: no time helps), and `pause` what a job waits before its second try, each further
    one twice as long (None: no try may help); both in seconds. `repeats`: the same request is sent once more
    at once. `slows`: the portal is asked at a lower pace from then on. `label` is what operators choose it by, where
    its word does not do. `sandbox`: the outcome whose magic name makes the sandbox registry fail so, if there is one.
    """

    customer: str
    operator: str
    retry_after: int | None
    pause: float | None
    sandbox: str | None
    repeats: bool = False
    health: Health = Health.ILL
    slows: bool = False
    alarm: Literal["info", "warning", "danger"] = "danger"
    label: str = ""

    @property
    def retryable(self) -> bool:
        """Whether the same question may be answered later."""
        return self.pause is not None


class WordWithFacts(StrEnum):
    """A closed list of words, each with what follows from it."""

    facts: Any

    def __new__(cls, word: str, facts: Any) -> Self:
        """A member is its word, and has its facts."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.facts = facts
        return member


class Failure(WordWithFacts):
    """A reason by its word on the wire, in the order of the API's document."""

    facts: Facts

    DOWN = (
        "down",
        Facts(
            customer="The registry's site does not answer.",
            operator="The registry's site did not answer.",
            retry_after=30,
            pause=5.0,
            repeats=True,
            sandbox="portal_down",
        ),
    )
    BLOCKED = (
        "blocked",
        Facts(
            customer="The registry's site turns programs away.",
            operator="The registry's site turned us away: a wall, a captcha or a refusal. Do not go around it.",
            retry_after=900,
            pause=900.0,
            slows=True,
            sandbox="blocked",
        ),
    )
    LAYOUT_CHANGED = (
        "layout_changed",
        Facts(
            customer="The registry's pages have changed and cannot be read until we have looked into it.",
            operator="The registry answered with a page that cannot be read: it changed, or it is no answer at all.",
            retry_after=None,
            pause=None,
            health=Health.ILL_BY_QUESTION,
            sandbox="page_changed",
        ),
    )
    RATE_LIMITED = (
        "rate_limited",
        Facts(
            customer="The registry may not be asked again so soon.",
            operator="The registry's site asked us to come back later, or our own pace had no turn in time,"
            " or it was unknown as Redis (or its folder) was away: the try says which.",
            retry_after=60,
            pause=30.0,
            health=Health.ILL_IF_ITS_OWN,
            slows=True,
            alarm="warning",
            sandbox="rate_limited",
        ),
    )
    DISABLED = (
        "disabled",
        Facts(
            customer="This state is switched off here.",
            operator="This state is switched off here, or what it publishes is not loaded.",
            retry_after=None,
            pause=None,
            health=Health.UNKNOWN,
            alarm="info",
            label="switched off",
            sandbox=None,
        ),
    )
    TIMEOUT = (
        "timeout",
        Facts(
            customer="The registry's site does not answer in time.",
            operator="The registry's site did not answer in time,"
            " or nobody came to ask it before the job's time was over.",
            retry_after=30,
            pause=10.0,
            health=Health.ILL_IF_PATIENT,
            alarm="warning",
            sandbox="timeout",
        ),
    )
    REFUSED = (
        "refused",
        Facts(
            customer="The registry does not accept this question: too short, too broad, or not of this kind.",
            operator="The registry does not accept this question: too short, too broad, or not of this kind.",
            retry_after=None,
            pause=None,
            health=Health.WELL,
            alarm="info",
            label="refused by the registry",
            sandbox="too_many",
        ),
    )

    @property
    def plain(self) -> str:
        """Its word as people write it."""
        return self.value.replace("_", " ")

    @property
    def label(self) -> str:
        """What operators choose it by."""
        return self.facts.label or self.plain

    @property
    def is_answer(self) -> bool:
        """Whether the registry answered, though not with a record."""
        return self.facts.health is Health.WELL


_BY_WORD = {failure.value: failure for failure in Failure}


def find_failure(word: str) -> Failure | None:
    """The failure of this word; None for one that another version wrote down, and for what is no failure."""
    return _BY_WORD.get(word)


def list_unanswered() -> list[Failure]:
    """The failures after which nothing is known, in their order."""
    return [failure for failure in Failure if not failure.is_answer]


class PortalError(Exception):
    """A question was not answered. `reason` says how and what follows; `detail` is for operators."""

    usual: ClassVar[Failure] = Failure.DOWN

    def __init__(self, detail: str, *, reason: Failure | None = None, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.reason = reason or self.usual
        self.retry_after = retry_after if self.retryable else None  # seconds; what the portal asked for, when it did
        self.attempt_id: int | None = None  # the row that tells of the attempt, once it is written
        self.reading_id: int | None = None  # and of what the registry answered in it

    @property
    def retryable(self) -> bool:
        """Whether the same question may be answered later."""
        return self.reason.facts.retryable


class PortalUnavailable(PortalError):
    """Time-out, 5xx, reset, maintenance page: worth another try soon."""


class PortalResting(PortalUnavailable):
    """Left alone after it failed for `reason`: it may be asked again when its rest is over, whatever the reason was."""

    @property
    def retryable(self) -> bool:
        """Always: there is a moment at which it ends."""
        return True


class PortalBlocked(PortalError):
    """A wall, a captcha, 403 or 429: worth another try later, at a lower pace."""

    usual = Failure.BLOCKED


class PageChanged(PortalError):
    """The page no longer fits the field map: nothing on it can be trusted until a person has looked."""

    usual = Failure.LAYOUT_CHANGED


class PortalDisabled(PortalUnavailable):
    """Nobody was asked: the jurisdiction is switched off. `detail` is the operator's sentence, which callers read."""

    usual = Failure.DISABLED
