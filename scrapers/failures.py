"""The four ways a portal can fail, sorted by what the caller should do next.

"Nothing found" is not among them: it is an answer. None of these is ever turned into it, because that would be
a false statement about a company.
"""

from __future__ import annotations


class PortalError(Exception):
    """A question was not answered. `reason` is the word the API tells; `detail` is for operators."""

    reason = "down"
    retryable = True

    def __init__(self, detail: str, *, reason: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.reason = reason or self.reason
        self.retry_after = retry_after  # seconds; what the portal asked for, when it did
        self.attempt_id: int | None = None  # the row that tells of the attempt, once it is written


class PortalUnavailable(PortalError):
    """Time-out, 5xx, reset, maintenance page: worth another try soon."""


class PortalBlocked(PortalError):
    """A wall, a captcha, 403 or 429: worth another try later, at a lower pace."""

    reason = "blocked"


class PageChanged(PortalError):
    """The page no longer fits the field map: nothing on it can be trusted until a person has looked."""

    reason = "layout_changed"
    retryable = False


class QueryRefused(PortalError):
    """The portal refuses this question (too short, too many results): the caller must ask another one."""

    reason = "refused"
    retryable = False


class PortalDisabled(PortalUnavailable):
    """Nobody was asked: the jurisdiction is switched off, or has no search that a program may use."""

    reason = "disabled"
    retryable = False
