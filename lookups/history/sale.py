"""Who may read a company's history: free where a reading of it was bought, else at the price of a stored lookup.

It is sold as a stored answer to the question for the company's identifier, by the one road of money; so it is a lookup
of its own, with a row and evidence, and from then on the history is free. No registry is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from billing import locks
from billing.ledger_errors import InsufficientFunds
from lookups.history.versions import History, Wanted, find_entity, find_version, get_history, is_mixed
from lookups.lookup import rows, settlement
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import OutOfFunds
from lookups.lookup.questions import Question
from lookups.lookup.storage import MATCH_BY_ID
from lookups.models import Entity, Lookup, RecordVersion, StoredAnswer
from lookups.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Shown:
    """A history that this customer may read; `lookup` is what it was bought with, `cost` what this request cost."""

    version: RecordVersion
    history: History
    lookup: Lookup
    cost: int


@dataclass(frozen=True, slots=True)
class NothingKept:
    """Nothing was ever read of such a company; `entity`: of this one not by the day that was asked for. Free."""

    entity: Entity | None = None


class Mixed:
    """Several companies bear the number, and nobody knows whose history it is. Free."""


def read_history(*, ask: Ask, wanted: Wanted, now: datetime) -> Shown | NothingKept | Mixed | OutOfFunds:
    """The history of the company whose identifier is asked for, sold where it has to be."""
    question = ask.question
    assert question.entity_id is not None
    entity = find_entity(state=question.state, entity_id=question.entity_id, sandbox=ask.sandbox)
    if entity is None:
        return NothingKept()
    if is_mixed(entity):
        return Mixed()
    version = find_version(entity, as_of=wanted.as_of)
    if version is None:
        return NothingKept(entity)
    mine = replace(ask, question=Question(entity.state, entity_id=entity.entity_id), apart=True)
    lookup = find_bought(mine, entity) or _sell(mine, entity, now=now)
    if isinstance(lookup, OutOfFunds):
        return lookup
    cost = lookup.charged if lookup.ask_id == ask.ask_id else 0
    return Shown(version, get_history(entity, wanted), lookup, cost)


def find_reading(*, account_id: int, state: str, entity_id: str, sandbox: bool) -> Lookup | None:
    """The last lookup that brought this account a reading of the company; None without one."""
    entity = find_entity(state=state, entity_id=entity_id, sandbox=sandbox)
    mine = Lookup.objects.whole().filter(account_id=account_id, sandbox=sandbox, verdict=Verdict.FOUND.value)
    return mine.filter(version__entity=entity).order_by("-pk").first() if entity is not None else None


def find_bought(ask: Ask, entity: Entity) -> Lookup | None:
    """The lookup that brought this customer a reading of the company: this very ask's, or else the last one."""
    mine = Lookup.objects.filter(account=ask.account, sandbox=ask.sandbox, verdict=Verdict.FOUND.value)
    bought = mine.filter(version__entity=entity).select_related("payment")
    return bought.filter(ask_id=ask.ask_id).first() or bought.order_by("-pk").first()


def _sell(ask: Ask, entity: Entity, *, now: datetime) -> Lookup | OutOfFunds:
    """Sell its record of today as a stored answer, unless another request of the account bought it this moment.

    Of today also where an earlier day is shown: who asks for the stored record next is told of this lookup again.
    """
    version = find_version(entity, as_of=None)
    assert version is not None
    try:
        with transaction.atomic():
            if ask.account is not None and ask.stored_price and not ask.sandbox:
                locks.lock_account(ask.account.pk)
                if bought := find_bought(ask, entity):
                    return bought
            row = rows.draft(ask, now=now)
            return settlement.sell_stored(ask, row, _to_answer(version, ask.question), stopwatch=Stopwatch(now))
    except InsufficientFunds as short:
        return settlement.out_of_funds(short)


def _to_answer(version: RecordVersion, question: Question) -> StoredAnswer:
    """The version as the answer to the question for its company; not written anywhere."""
    return StoredAnswer(
        state=question.state,
        kind=question.kind,
        question=question.digest,
        sandbox=version.entity.sandbox,
        asked=question.words,
        version=version,
        match=MATCH_BY_ID,
        evidence=version.evidence,
        reading_id=version.reading_id,
        retrieved_at=version.last_read_at,
        as_of=version.as_of,
        reader_version=version.reader_version,
        reader_built_at=version.reader_built_at,
    )
