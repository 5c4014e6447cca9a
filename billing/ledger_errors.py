"""Why a verb of the ledger refused."""

from __future__ import annotations


class LedgerError(Exception):
    """A verb refused; nothing was written."""


class InsufficientFunds(LedgerError):
    """The account has less than was asked for; both in units of 1/10,000 USD."""

    def __init__(self, *, available: int, needed: int) -> None:
        super().__init__(f"{needed} units are needed and {available} are available.")
        self.available = available
        self.needed = needed


class BudgetExceeded(InsufficientFunds):
    """The credit would do, but the month's budget of account or key would not; `available` is what it leaves."""


class IdempotencyConflict(LedgerError):
    """The idempotency key was used before, for another request."""


class HoldEnded(LedgerError):
    """The hold was captured, released or expired before, and has less left than was asked for."""

    def __init__(self, *, state: str, remaining: int) -> None:
        super().__init__(f"The hold is {state} with {remaining} units remaining.")
        self.state = state
        self.remaining = remaining


class RefundTooLarge(LedgerError):
    """More would be given back than was charged; `refundable` units are left."""

    def __init__(self, *, refundable: int) -> None:
        super().__init__(f"Only {refundable} units of this charge can still be given back.")
        self.refundable = refundable
