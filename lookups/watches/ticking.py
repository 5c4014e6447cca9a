"""What the clock does with watches: those whose time has come are asked, like any other lookup, behind people's.

A tick is accepted in one transaction: its turn is taken, its price held, its lookup, job and check written. Two
processes that look at the same watch find its turn taken; a process that dies afterwards leaves a job, and that is
everybody's to do.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction

from billing import locks, prices
from billing.ledger_errors import BudgetExceeded, InsufficientFunds
from billing.models import ApiKey
from lookups.bulk import queue
from lookups.jobs import lifecycle
from lookups.jobs.calls import call
from lookups.lookup import rows
from lookups.lookup.asks import Ask
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import Job, Lookup, Watch, WatchBaseline, WatchCheck
from lookups.watches import judging, messages, schedule
from lookups.watches.taxonomy import Category, Notice
from scrapers import discovery
from scrapers.records import Kind
from scrapers.sandbox import changing, magic

log = logging.getLogger(__name__)
AT_A_TIME = 1000  # the next minute takes the rest
MAX_WAIT = timedelta(hours=3)  # for a registry that fails; then nothing is known of this check
KINDS = ("business_entity", "ucc")
AGAIN = (WatchCheck.Result.UNCLEAR, WatchCheck.Result.ABSENT)  # is looked at again on the next day
Reason = Watch.PauseReason


def tick(*, now: datetime) -> int:
    """Ask for the watches whose time has come, and judge what a lost process has left; returns how many were asked."""
    judging.judge_ended(now=now)
    due = Watch.objects.due(now).order_by("next_at").values_list("pk", "account", "next_at")[:AT_A_TIME]
    asked = 0
    for one in list(due):
        try:
            asked += _tick(*one, now=now)
        except Exception:  # it keeps no other watch waiting, and comes again with the next minute
            log.exception("Watch %s could not be asked.", one[0])
    if asked:
        queue.wake(asked)
    return asked


def wake() -> None:
    """Have the clock's work done at once."""
    call("tick_watches", queue="upkeep")


def _tick(watch_id: uuid.UUID, account_id: int, due_at: datetime | None, *, now: datetime) -> int:
    try:
        with transaction.atomic():
            locks.lock_account(account_id)
            turn = _take_turn(watch_id, due_at, now=now)
            return _ask(*turn, now=now) if turn is not None else 0
    except InsufficientFunds as short:
        why = Reason.BUDGET_EXCEEDED if isinstance(short, BudgetExceeded) else Reason.INSUFFICIENT_BALANCE
    except _KeyEnded:
        why = Reason.KEY_ENDED
    pause(watch_id, account_id=account_id, because=why, now=now)
    return 0


def pause(watch_id: uuid.UUID, *, account_id: int, because: Watch.PauseReason, now: datetime) -> None:
    """Look at it no more until somebody says so; where nobody has asked for that, its customer is told."""
    with transaction.atomic():
        locks.lock_account(account_id)
        held = Watch.objects.select_for_update(of=("self",)).select_related("account", "key")
        watch = held.filter(pk=watch_id, status=Watch.Status.ACTIVE, deleted_at__isnull=True).first()
        if watch is None:
            return
        watch.status, watch.pause_reason, watch.paused_at, watch.next_at = Watch.Status.PAUSED, because, now, None
        watch.save(update_fields=["status", "pause_reason", "paused_at", "next_at"])
        if because is not Reason.REQUESTED:
            messages.notice(watch, Notice.PAUSED, reason=because.value, now=now)


def list_questions(watch: Watch) -> list[Question]:
    """What a look at it asks: its record, and the liens on its name where these are watched."""
    asked: list[Question] = []
    if set(watch.categories) - {Category.LIEN}:
        entity_id = watch.entity_id if is_asked_by_id(watch) else ""
        asked.append(_question(watch, "business_entity", name=watch.entity_name or watch.name, entity_id=entity_id))
    name = watch.name or watch.entity_name
    if Category.LIEN in watch.categories and name:
        asked.append(_question(watch, "ucc", name=name, entity_id=""))
    return asked


def find_key(watch: Watch, *, now: datetime) -> ApiKey | None:
    """The key that pays for the watch, or the last of those that replaced it; None where none of them works."""
    key: ApiKey | None = ApiKey.objects.select_related("account").get(pk=watch.key_id)
    while key is not None and not key.may_ask(now):
        key = ApiKey.objects.select_related("account").filter(replaces=key).first()
    return key


def is_asked_by_id(watch: Watch) -> bool:
    """Whether its registry is asked for the number: it is known, and the registry can be."""
    if watch.sandbox:
        return bool(watch.entity_id)
    portal = discovery.find_portal(watch.state)
    return bool(watch.entity_id) and (portal is None or portal.capabilities.by_id)


class _KeyEnded(Exception):
    """Neither the key that pays for the watch nor a successor of it works."""


def _take_turn(watch_id: uuid.UUID, due_at: datetime | None, *, now: datetime) -> tuple[Watch, set[str]] | None:
    """The watch, if it is still due at this very time, and what is not asked: of several who come, one gets it."""
    held = Watch.objects.due(now).filter(pk=watch_id, next_at=due_at)
    watch = held.select_for_update(of=("self",)).select_related("account").first()
    if watch is None:
        return None
    later = _list_later(watch, now=now)
    watch.next_at = min([_find_next(watch, after=now), *later.values()])
    if is_used_up(watch, set(later), now=now):
        watch.next_at = schedule.find_next(watch.pk, watch.every, after=schedule.begin_next_month(now))
        watch.save(update_fields=["next_at"])
        return None
    watch.turns += 1
    key = find_key(watch, now=now)
    if key is None:
        raise _KeyEnded
    watch.key = key
    watch.save(update_fields=["next_at", "turns", "key"])
    return watch, set(later)


def _list_later(watch: Watch, *, now: datetime) -> dict[str, datetime]:
    """What is not asked at a turn that another question of the watch has for itself, and when it is to be asked.

    What was missed or unclear is looked at again on the next day (`judging`), and at once what is asked for the first
    time: liens, where a watch begins with a reading of the company alone or is set to tell of them. What was read is
    not paid for again then.
    """
    checks = WatchCheck.objects.filter(watch=watch)
    newest = [one for kind in KINDS if (one := checks.filter(kind=kind).order_by("-pk").first()) is not None]
    again = [one for one in newest if one.result in AGAIN]
    times = _list_begun(watch, besides={one.kind for one in newest})
    times |= {one.kind: _find_next(watch, after=one.created_at) for one in newest if one not in again}
    if asks_anew(watch):
        own_time = _find_next(watch, after=now)
        return {kind: at for kind, at in times.items() if at == own_time}
    if not any(one.ended_at + schedule.DAY == watch.next_at for one in again if one.ended_at is not None):
        return {}  # its own time, or somebody has it look at once
    return {kind: at for kind, at in times.items() if at > now}


def asks_anew(watch: Watch) -> bool:
    """Whether it asks what it has never looked at, nor begun with a reading of."""
    of_watch = [rows.filter(watch=watch) for rows in (WatchBaseline.objects, WatchCheck.objects)]
    return any(not any(rows.filter(kind=one.kind).exists() for rows in of_watch) for one in list_questions(watch))


def _list_begun(watch: Watch, *, besides: Collection[str]) -> dict[str, datetime]:
    """When to ask what the watch began with a reading of, where no check has asked it since."""
    asked = {one.kind for one in list_questions(watch)} - set(besides)
    read = WatchBaseline.objects.filter(watch=watch, kind__in=asked)
    return {one.kind: _find_next(watch, after=one.read_at) for one in read if one.read_at is not None}


def _find_next(watch: Watch, *, after: datetime) -> datetime:
    """Its time after a look: what was looked at by the way is not looked at again within half a period."""
    return schedule.find_next(watch.pk, watch.every, after=after + schedule.half_of(watch.every))


def is_used_up(watch: Watch, later: Collection[str], *, now: datetime) -> bool:
    """Whether a look at all but `later` would be more checks than it may make in this month."""
    if watch.max_per_month is None:
        return False
    made = WatchCheck.objects.filter(watch=watch, created_at__gte=schedule.begin_month(now)).count()
    return made + sum(one.kind not in later for one in list_questions(watch)) > watch.max_per_month


def _ask(watch: Watch, later: set[str], *, now: datetime) -> int:
    """Accept its questions, but those of later; one whose lookup of before has not ended is left out."""
    if watch.sandbox and magic.find_played(watch.entity_name) == "no_funds":
        raise InsufficientFunds(available=0, needed=prices.LOOKUP)
    under_way = set(WatchCheck.objects.filter(watch=watch, ended_at__isnull=True).values_list("kind", flat=True))
    questions = [one for one in list_questions(watch) if one.kind not in under_way | later]
    for question in questions:
        _accept(watch, question, now=now)
    return len(questions)


def _accept(watch: Watch, question: Question, *, now: datetime) -> None:
    """Hold the price and write the lookup, its job and the check. Raises InsufficientFunds."""
    ask = Ask(
        question=question,
        payer=KeyPayer(watch.key),
        ref=watch.ref,
        request_id=watch.request_id,
        max_wait=MAX_WAIT,
        apart=True,
    )
    lookup = rows.draft(ask, now=now, origin=Lookup.Origin.WATCH)
    rows.accept(ask, lookup, now=now, hold_for=lifecycle.hold_for(ask))
    Job.objects.create(
        account_id=watch.account_id,
        key=watch.key,
        hold=lookup.hold,
        watch=watch,
        lookup=lookup,
        ask_id=lookup.ask_id,
        state=lookup.state,
        estimated_seconds=1,
        request_id=watch.request_id,
        created_at=now,
        deadline=now + MAX_WAIT,
    )
    WatchCheck.objects.create(
        watch=watch,
        kind=lookup.kind,
        lookup=lookup,
        turn=watch.turns - 1,
        unchanged_price=prices.UNCHANGED,
        copy_price=prices.CHECK_FROM_COPY,
        created_at=now,
    )


def _question(watch: Watch, kind: Kind, *, name: str, entity_id: str) -> Question:
    if watch.sandbox and watch.turns:  # a company that changes by turns
        name = changing.at_turn(name, watch.turns) if kind == "ucc" else name
        entity_id = changing.at_turn(entity_id, watch.turns)
    if entity_id:
        beside = None if watch.name else watch.entity_name or None  # until it is found: whether both are of one company
        return Question(state=watch.state, name=beside, entity_id=entity_id)
    return Question(state=watch.state, name=name, kind=kind)
