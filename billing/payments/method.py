"""What a way to pay can do, and how it can fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


class Declined(Exception):
    """The payment was refused for good and no money moved; `word` is the scheme's, `detail` fit for the client."""

    def __init__(self, detail: str, *, word: str = "verification-failed") -> None:
        super().__init__(detail)
        self.detail = detail
        self.word = word


class OutcomeUnknown(Exception):
    """Money may have moved; nobody may be asked to pay again. The text is for operators."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A payload that fits the method: `reference` is known before the money moves where the method allows it.

    `payer` is who pays, where the payload proves it, and `funds` what that payer could spend in all, in units of
    1/10,000 USD (None: not known beforehand).
    """

    payload: dict[str, Any]
    reference: str = ""
    payer: str = ""
    funds: int | None = None


class Method(Protocol):
    """One way to pay."""

    name: str
    is_sandbox: bool

    def terms(self, amount: int) -> dict[str, Any]:
        """Return the `request` of a challenge for `amount` units of 1/10,000 USD."""
        ...

    def check(
        self, payload: Mapping[str, Any], *, amount: int, challenge_id: str, realm: str, issued: datetime, now: datetime
    ) -> Proof:
        """Return the proof in a payload, moving nothing; raise Declined (word invalid-payload or another).

        `issued` is when its challenge was made. Raises OutcomeUnknown when whoever has to be asked does not answer.
        """
        ...

    def settle(self, payload: Mapping[str, Any], *, amount: int, challenge_id: str) -> str:
        """Move the money; return the reference for the receipt. Raise Declined or OutcomeUnknown."""
        ...

    def find_outcome(
        self, payload: Mapping[str, Any], *, amount: int, challenge_id: str, since: datetime, now: datetime
    ) -> str | None:
        """Return the reference of a payment that did go through, None while nobody knows; raise Declined if not.

        Reads only: it never starts a payment. `since` is when the money was first asked for. Raises OutcomeUnknown
        when nobody can be asked, or the answer proves nothing.
        """
        ...
