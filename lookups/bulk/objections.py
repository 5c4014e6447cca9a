"""Why registries would not take questions, before any is bought: each state is looked at once for all of them."""

from __future__ import annotations

from datetime import datetime

from billing.models import ApiKey
from lookups.lookup import checks
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Refused, Unavailable
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from scrapers import gateway
from scrapers.operations.readiness import Readiness


class Registries:
    """The registries as they are now, for one key."""

    def __init__(self, key: ApiKey, now: datetime) -> None:
        self._payer, self._now = KeyPayer(key), now
        self._known: dict[str, Readiness | None] = {}

    def find_objection(self, question: Question) -> Refused | Unavailable | None:
        """Why a question need not be asked at all; None when it may be."""
        state = question.state
        if state not in self._known:
            self._known[state] = gateway.look_at(state, sandbox=self._payer.sandbox)
        ask = Ask(question=question, payer=self._payer)
        return checks.find_objection(ask, now=self._now, known=self._known[state])
