"""A question of somebody without an account, on the road that every lookup goes, to the fictional registry alone.

It is booked on an account of the service's own that is never charged, and writes what every lookup writes. So that
strangers do not fill the database with it: what was answered within the hour is shown again, a network asks a bounded
number of new questions in a day, all networks together another, and when that is used up what was answered within
the week does. Words that were typed are forgotten after that (`demo.forgetting`).
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

from billing import accounts, limits
from billing.models import Account
from lookups.lookup.asks import Ask
from lookups.lookup.flow import perform
from lookups.lookup.outcomes import Ended
from lookups.lookup.payers import Payer
from lookups.lookup.questions import Question
from lookups.models import Lookup

SHOWN_AGAIN = timedelta(hours=1)
KEPT_FOR = timedelta(days=7)  # as long as the bytes that the sandbox answered with
A_DAY = 86_400
NEW_OF_A_NETWORK = 60  # questions in a day
NEW_OF_ALL = 1_000
AT_A_TIME = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """A lookup that has ended; `again`: it was asked before, and is shown again."""

    lookup: Lookup
    again: bool


@dataclass(frozen=True, slots=True)
class Resting:
    """Nothing was asked: enough was, for `seconds` more."""

    seconds: int


class DemoPayer(Payer):
    """The service itself: no key, no balance, and never a live registry."""

    sandbox = True
    limit = AT_A_TIME

    def __init__(self, account: Account) -> None:
        self.account: Account = account

    def place(self, *, now: datetime) -> AbstractContextManager[bool]:
        """See Payer."""
        return limits.freeing(limits.occupy(subject="demo", limit=self.limit, now=now))


def ask(*, question: Question, network: str, request_id: str, now: datetime) -> Answer | Resting:
    """Answer a question from the sandbox registry. `network` is what its asker is counted by."""
    account = accounts.demo_account(now=now)
    known = _find(account, question, since=now - KEPT_FOR)
    if known is not None and known.created_at > now - SHOWN_AGAIN:
        return Answer(known, again=True)
    rate = _count(network, now=now)
    if not rate.allowed:
        return Answer(known, again=True) if known is not None else Resting(rate.retry_after)
    asked = Ask(question, DemoPayer(account), price=0, stored_price=0, request_id=request_id)
    result = perform(ask=asked, now=now)
    if isinstance(result, Ended):
        return Answer(result.lookup, again=False)
    return Answer(known, again=True) if known is not None else Resting(1)


def _find(account: Account, question: Question, *, since: datetime) -> Lookup | None:
    """The same question's last answer."""
    asked = Lookup.objects.whole().filter(account=account, verdict__isnull=False, created_at__gt=since)
    same = asked.filter(state=question.state, kind=question.kind, asked=question.words)
    return next((lookup for lookup in same if lookup.question == question.to_json()), None)


def _count(network: str, *, now: datetime) -> limits.Rate:
    """Count a new question; one that its own network may not ask is not counted for all."""
    mine = limits.count(subject=f"demo:{network}", limit=NEW_OF_A_NETWORK, now=now, seconds=A_DAY)
    if not mine.allowed:
        return mine
    return limits.count(subject="demo", limit=NEW_OF_ALL, now=now, seconds=A_DAY)
