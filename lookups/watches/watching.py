"""What a customer does with watches: makes them, one or many, finds, changes, pauses and deletes them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from billing import locks
from billing.models import ApiKey
from lookups import idempotency
from lookups.jobs import lifecycle, runner
from lookups.lookup import checks
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Cancelled, Refused
from lookups.lookup.payers import KeyPayer
from lookups.models import BulkJob, Job, Lookup, Watch, WatchCheck, WatchEvent
from lookups.models.places import Place, is_after
from lookups.verdicts import Verdict
from lookups.watches import judging, schedule, ticking
from lookups.watches.taxonomy import Category
from scrapers import discovery, numbers
from scrapers.refusals import Refusal

MOST_IN_TEST = 100
"""Watches of an account in test mode: what costs nothing is looked at every day all the same."""
_SETTINGS = ("every", "categories", "webhook_url", "email_digest", "tell_unchanged", "max_per_month", "ref")


class TooMany(Exception):
    """The account has as many watches in test mode as it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A watch that is to be made. `seen`: a reading of the company that the first check is compared with."""

    state: str
    entity_id: str = ""
    entity_name: str = ""
    every: str
    categories: list[str]
    webhook_url: str = ""
    email_digest: bool = False
    tell_unchanged: bool = False
    max_per_month: int | None = None
    ref: str | None = None
    seen: Lookup | None = None


class UsedUp(Exception):
    """The watch has made as many checks as it may in this month."""


@dataclass(frozen=True, slots=True)
class Made:
    """The watches that were wanted, each once, and how many of them are new."""

    watches: list[Watch]
    created: int


def create(
    *, wanted: Sequence[Wanted], key: ApiKey, now: datetime, request_id: str, named: uuid.UUID | None = None
) -> Made:
    """Make watches, all or none; one that is there just so is not made again.

    `named`: what the request is called. Called so again it makes nothing, and gets what it made, whatever became of
    that. Raises TooMany.
    """
    made: list[Watch] = []
    with transaction.atomic():
        locks.lock_account(key.account_id)
        known = _read_known(wanted, key)
        marked = [_list_marks(one, sandbox=key.is_test) for one in wanted]
        names = [_name(marks[0], named, alone=len(wanted) == 1) for marks in marked]
        before = Watch.objects.in_bulk(names) if named else {}
        if before:
            found = [before.get(name) or known.get(marks[0]) for name, marks in zip(names, marked, strict=True)]
            return Made(list(dict.fromkeys(filter(None, found))), len(before))
        fresh = 0
        for one, marks, name in zip(wanted, marked, names, strict=True):
            watch = known.get(marks[0])
            if watch is None:
                watch = _make(one, key, now=now, request_id=request_id, named=name)
                known.update(dict.fromkeys(marks, watch))
                fresh += 1
            made.append(watch)
        if key.is_test and Watch.objects.kept().filter(account=key.account_id, sandbox=True).count() > MOST_IN_TEST:
            raise TooMany
        if fresh:
            transaction.on_commit(ticking.wake)
    return Made(list(dict.fromkeys(made)), fresh)


def list_found(bulk: BulkJob) -> list[Lookup]:
    """The companies that a bulk job found, each once, by the first row that found it."""
    rows = Lookup.objects.whole().rows_of(bulk).filter(verdict=Verdict.FOUND.value, version__isnull=False)
    found: dict[tuple[str, str], Lookup] = {}
    for row in rows:
        assert row.version is not None
        found.setdefault((row.state, row.version.entity.entity_id), row)
    return list(found.values())


def find_objection(one: Wanted, key: ApiKey, *, now: datetime) -> Refused | None:
    """Why a registry does not take what this watch would ask; None where it does, or cannot be asked just now."""
    draft = Watch(
        state=one.state,
        entity_id=one.entity_id,
        entity_name=one.entity_name,
        name=one.entity_name or one.entity_id,  # stands for the one that the first check finds
        categories=one.categories,
        sandbox=key.is_test,
    )
    for question in ticking.list_questions(draft):
        objection = checks.find_objection(Ask(question=question, payer=KeyPayer(key)), now=now)
        if isinstance(objection, Refused):
            return objection
    portal = discovery.find_portal(one.state, sandbox=key.is_test)
    if portal is not None and Category.LIEN in one.categories and not portal.lists_all_liens:
        return Refused(Refusal.LIENS_NEVER_WHOLE)
    return None if one.entity_name or ticking.is_asked_by_id(draft) else Refused(Refusal.NOT_BY_IDENTIFIER)


def find(public_id: str, *, key: ApiKey) -> Watch | None:
    """The watch of this key's account and mode by its public id; None for others' and for what was deleted."""
    watch_id = lifecycle.read_id(public_id, "watch")
    return _own(key).filter(pk=watch_id).first() if watch_id else None


def list_own(
    key: ApiKey, *, state: str | None = None, status: str | None = None, after: Place | None = None
) -> QuerySet[Watch]:
    """The watches of this key's account and mode, the newest first."""
    rows = _own(key)
    if state is not None:
        rows = rows.filter(state=state)
    if status is not None:
        rows = rows.filter(status=status)
    if after is not None:
        rows = rows.filter(is_after(after))
    return rows.order_by("-created_at", "-pk")


def list_checks(watch: Watch, *, before: int | None = None) -> QuerySet[WatchCheck]:
    """Its checks, the newest first."""
    rows = WatchCheck.objects.select_related("lookup").filter(watch=watch).order_by("-pk")
    return rows if before is None else rows.filter(pk__lt=before)


def list_events(
    key: ApiKey, *, after: int, category: str | None = None, state: str | None = None, watch: Watch | None = None
) -> QuerySet[WatchEvent]:
    """The events of this key's account and mode in the order they were seen, from the one after that number on."""
    rows = _events(key, watch=watch, category=category, watch__state=state)
    return rows.filter(number__gt=after).order_by("number")


def list_newest_events(
    key: ApiKey, *, before: int | None = None, watch: Watch | None = None, **fits: str | None
) -> QuerySet[WatchEvent]:
    """The same the newest first, from before that number on; `fits`: category, severity, watch__state."""
    return _events(key, watch=watch, number__lt=before, **fits).order_by("-number")


def tells_of(lookup: Lookup) -> bool:
    """Whether a check or an event of a watch leads to this lookup."""
    events = WatchEvent.objects.filter(Q(before=lookup) | Q(after=lookup))
    return WatchCheck.objects.filter(lookup=lookup).exists() or events.exists()


def _events(key: ApiKey, **fits: Any) -> QuerySet[WatchEvent]:
    """Those of its account and mode that fit; None: whatever it is."""
    rows = WatchEvent.objects.filter(account_id=key.account_id, sandbox=key.is_test)
    rows = rows.filter(**{name: value for name, value in fits.items() if value is not None})
    return rows.select_related("watch", "before__version", "after__version")


def change(watch: Watch, *, by: ApiKey, now: datetime, **changes: Any) -> Watch:
    """Write other settings; `status` pauses it, or takes it up again. Returns the watch as it is then.

    Where the key that paid for it has ended, the one that takes it up again pays from then on.
    """
    status = changes.pop("status", None)
    if wrong := set(changes) - set(_SETTINGS):
        raise TypeError(f"Not a setting of a watch: {', '.join(sorted(wrong))}")
    with transaction.atomic():
        held = Watch.objects.select_for_update(of=("self",)).get(pk=watch.pk)
        if changes.get("every", held.every) != held.every and _waits_for_its_time(held, now=now):
            held.next_at = schedule.find_next(held.pk, changes["every"], after=now)
        was_used_up = ticking.is_used_up(held, (), now=now)
        for name, value in changes.items():
            setattr(held, name, value)
        if was_used_up and held.next_at is not None and not ticking.is_used_up(held, (), now=now):
            held.next_at = min(held.next_at, schedule.find_next(held.pk, held.every, after=now))
        if status == Watch.Status.ACTIVE and held.status == Watch.Status.PAUSED and held.deleted_at is None:
            asked = held.pause_reason == Watch.PauseReason.REQUESTED  # otherwise its turn was missed
            held.next_at = schedule.find_next(held.pk, held.every, after=now) if asked else now
            held.status, held.pause_reason, held.paused_at = Watch.Status.ACTIVE, "", None
            held.key = ticking.find_key(held, now=now) or by
            transaction.on_commit(ticking.wake)
        if held.next_at is not None and ticking.asks_anew(held):
            held.next_at = now  # what comes until its own time would be where it begins, and never told
            transaction.on_commit(ticking.wake)
        held.save()
    if status == Watch.Status.PAUSED:
        ticking.pause(watch.pk, account_id=watch.account_id, because=Watch.PauseReason.REQUESTED, now=now)
        _cancel(watch, now=now)
    return Watch.objects.get(pk=watch.pk)


def check_now(watch: Watch, *, now: datetime, claim: idempotency.Claim | None = None) -> bool:
    """Have it look at once, beside its own times; False while it is paused. Raises UsedUp.

    The `claim` of the request is answered with it: repeated after a crash, it would pay for a second look.
    """
    if watch.status == Watch.Status.ACTIVE and ticking.is_used_up(watch, (), now=now):
        raise UsedUp
    with transaction.atomic():
        asked = Watch.objects.kept().filter(pk=watch.pk, status=Watch.Status.ACTIVE).update(next_at=now)
        if asked and claim is not None:
            idempotency.finish(claim)
    if asked:
        ticking.wake()
    return bool(asked)


def delete(watch: Watch, *, now: datetime) -> None:
    """Look no more, and end what has not begun. Its events stay."""
    Watch.objects.kept().filter(pk=watch.pk).update(deleted_at=now, next_at=None)
    _cancel(watch, now=now)


def _waits_for_its_time(watch: Watch, *, now: datetime) -> bool:
    """Whether it looks at its own time next: what is due, was asked for or was missed is not put off."""
    at = watch.next_at
    return at is not None and at > now and at == schedule.find_next(watch.pk, watch.every, after=at - schedule.DAY / 2)


def _cancel(watch: Watch, *, now: datetime) -> None:
    for job in Job.objects.filter(watch=watch, status=Job.Status.PENDING):
        runner.stop(job, because=Cancelled(), now=now)
        judging.judge_ended(now=now, lookup_id=job.lookup_id)


def _own(key: ApiKey) -> QuerySet[Watch]:
    return Watch.objects.kept().filter(account_id=key.account_id, sandbox=key.is_test)


def _name(mark: tuple[Any, ...], request: uuid.UUID | None, *, alone: bool) -> uuid.UUID:
    """The id of the watch that a request makes, the same whenever it is sent."""
    if request is None:
        return uuid.uuid4()
    return request if alone else uuid.uuid5(request, repr(mark))


def _make(one: Wanted, key: ApiKey, *, now: datetime, request_id: str, named: uuid.UUID) -> Watch:
    watch = Watch(
        id=named,
        account_id=key.account_id,
        key=key,
        sandbox=key.is_test,
        state=one.state,
        entity_id=one.entity_id,
        entity_name=one.entity_name,
        request_id=request_id,
        created_at=now,
        next_at=now,
        **{name: getattr(one, name) for name in _SETTINGS},
    )
    seen = one.seen
    if seen is None or seen.version is None:
        watch.save(force_insert=True)
        return watch
    watch.name = seen.version.data["entityName"][:500]
    if Category.LIEN not in watch.categories:  # of which the reading says nothing
        read_until = (seen.data_as_of or seen.created_at) + schedule.half_of(watch.every)
        watch.next_at = schedule.find_next(watch.pk, watch.every, after=max(now, read_until))
    watch.save(force_insert=True)
    judging.remember(watch, seen)
    return watch


def _list_marks(one: Wanted | Watch, *, sandbox: bool) -> list[tuple[Any, ...]]:
    """What makes two watches the same: whom they watch and how, all of it.

    By its number first, for several companies may have one name.
    """
    settings = [getattr(one, name) for name in _SETTINGS if name != "categories"]
    number = one.entity_id and numbers.read(one.entity_id, state=one.state, sandbox=sandbox)
    companies = (("number", number), ("name", one.entity_name.casefold()))
    return [(one.state, *company, tuple(sorted(one.categories)), *settings) for company in companies if company[1]]


def _read_known(wanted: Iterable[Wanted], key: ApiKey) -> dict[tuple[Any, ...], Watch]:
    """The watches that are there already, in the states that are wanted, by what makes them the same."""
    rows = _own(key).filter(state__in={one.state for one in wanted})
    return {mark: watch for watch in rows.iterator(chunk_size=500) for mark in _list_marks(watch, sandbox=key.is_test)}
