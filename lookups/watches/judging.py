"""From the lookup of a check to what follows from it: its price, its result, and the events that are told.

The price is asked for while the lookup is settled, the rest follows in a transaction of its own: whoever comes first
after the lookup has ended writes it, under the locks of the account and of the watch, and everybody else finds it done.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Min

from billing import locks
from lookups.lookup import storage
from lookups.lookup.outcomes import Found
from lookups.lookup.questions import to_searched
from lookups.models import Job, Lookup, RecordVersion, Watch, WatchBaseline, WatchCheck, WatchEvent
from lookups.privacy import suppression
from lookups.verdicts import Verdict
from lookups.watches import bodies, comparing, messages, readings, replaying, schedule
from lookups.watches.comparing import Absence, Judgement, Memory, Result
from lookups.watches.readings import LIENS, PARTS, Facts, Reading
from lookups.watches.taxonomy import Category, Notice
from scrapers import discovery, numbers
from scrapers.evidence.revision import find_revision
from scrapers.sandbox.changing import split_name

log = logging.getLogger(__name__)
AT_A_TIME = 500
UNCLEAR_FOR = timedelta(days=7)  # until the customer is told that nothing can be read
WHOLE = ("watch", "lookup__version__entity", "lookup__filing_set", "lookup__reading")
ANSWERED_BY = ("evidence", "version", "filing_set", "note", "total", "reader_version", "reading")
"""What a lookup takes from its answer when it ends, as far as a check looks at it."""


def find_price(job: Job) -> Callable[[Found, int], int] | None:
    """How much of the quoted price a watch's answer costs; None for what no watch has asked."""
    if job.watch_id is None:
        return None
    check = WatchCheck.objects.select_related(*WHOLE).get(lookup=job.lookup_id)
    return partial(_price, check, _look_back(check, _name_todays_reader(check.lookup)))


def judge_ended(*, now: datetime, lookup_id: int | None = None) -> int:
    """Judge the checks whose lookup has ended (one, or all that a lost process has left); returns how many."""
    left = WatchCheck.objects.filter(ended_at__isnull=True, lookup__verdict__isnull=False)
    if lookup_id is not None:
        left = left.filter(lookup=lookup_id)
    rows = left.order_by("pk").values_list("pk", "watch__account", "watch")[:AT_A_TIME]
    return sum(_judge_one(*row, now=now) for row in list(rows))


def remember(watch: Watch, lookup: Lookup) -> None:
    """Begin a watch with a reading that was made before: its first check compares with that."""
    reading = _read(watch, lookup, lookup.version)
    judgement = comparing.judge(Memory(), reading, categories=watch.categories, reread=lambda _: None)
    _write_memory(watch, lookup.kind, judgement.memory)


def _judge_one(check_id: int, account_id: int, watch_id: uuid.UUID, *, now: datetime) -> bool:
    """Judge one; what fails on it keeps no other check waiting, and is tried again the next time."""
    try:
        return _judge(check_id, account_id, watch_id, now=now)
    except Exception:
        log.exception("Check %s of a watch could not be judged.", check_id)
        return False


def _judge(check_id: int, account_id: int, watch_id: uuid.UUID, *, now: datetime) -> bool:
    ended = WatchCheck.objects.select_related(*WHOLE).get(pk=check_id)
    reread = _look_back(ended, _name_reader(ended.lookup))
    with transaction.atomic():
        locks.lock_account(account_id)  # first the account, then the watch, everywhere: events are numbered under it
        watch = Watch.objects.select_for_update(of=("self",)).select_related("account", "key").get(pk=watch_id)
        check = WatchCheck.objects.select_related(*WHOLE).filter(pk=check_id, ended_at__isnull=True).first()
        if check is None:
            return False
        check.watch = watch
        judgement = _compare(check, check.lookup.version, reread)
        check.result, check.not_checked, check.ended_at = judgement.result.value, judgement.not_checked, now
        check.save(update_fields=["result", "not_checked", "ended_at"])
        _write_memory(watch, check.kind, judgement.memory)
        _learn(watch, check, judgement, now=now)
        if watch.deleted_at is None:
            messages.tell(watch, check, judgement.findings, now=now)
            if judgement.result is Result.UNCHANGED and watch.tell_unchanged:
                messages.notice(watch, Notice.UNCHANGED, check=check, now=now)
            silent = [Result.UNCLEAR] if judgement.memory.facts is not None else [Result.UNCLEAR, Result.ABSENT]
            if judgement.result in silent and _is_news_that_it_is_unclear(check, silent, now=now):
                messages.notice(watch, Notice.UNCLEAR, check=check, before=judgement.memory.lookup, now=now)
    return True


def _is_news_that_it_is_unclear(check: WatchCheck, silent: list[Result], *, now: datetime) -> bool:
    """Whether nothing was read for a week, and nobody was told since it began. What was cancelled says nothing.

    `silent`: the results that bring nothing to compare with.
    """
    if check.lookup.verdict == Verdict.CANCELLED.value:
        return False
    alike = WatchCheck.objects.filter(watch=check.watch_id, kind=check.kind, ended_at__isnull=False)
    alike = alike.exclude(lookup__verdict=Verdict.CANCELLED.value)
    clear = alike.exclude(result__in=silent).order_by("-pk").values_list("pk", flat=True).first() or 0
    began = alike.filter(pk__gt=clear).aggregate(began=Min("created_at"))["began"]
    known = WatchEvent.objects.filter(watch=check.watch_id, watch_check__kind=check.kind, created_at__gte=began)
    return now - began >= UNCLEAR_FOR and not known.filter(code=Notice.UNCLEAR).exists()


def _look_back(check: WatchCheck, reader: str) -> comparing.Reread:
    """What `reader` makes of the pages that another one has read: now, for it takes a while and locks follow."""
    memory = _read_memory(_find_baseline(check))
    if not memory.is_by_another(reader):
        return replaying.reread
    if reader != _name_todays_reader(check.lookup):
        return lambda _: None  # what an older process read is in words that nobody here has for the old pages
    read = {lookup: replaying.reread(lookup) for lookup in memory.lookups}
    return lambda lookup: read[lookup] if lookup in read else replaying.reread(lookup)


def _price(check: WatchCheck, reread: comparing.Reread, outcome: Found, quoted: int) -> int:
    """The quoted price, or less: of a copy's answer, where nothing that is watched has changed, or nothing is known."""
    answer = outcome.answer
    price = min(quoted, check.copy_price) if answer.evidence.get("fromRegister") else quoted
    lookup = check.lookup
    lookup.verdict = Verdict.FOUND.value
    for name in ANSWERED_BY:
        setattr(lookup, name, getattr(answer, name))
    result = _compare(check, answer.version, reread).result
    if result is Result.UNCLEAR:
        return 0  # it found something, and nothing that the watch could use
    return min(price, check.unchanged_price) if result is Result.UNCHANGED else price


def _find_baseline(check: WatchCheck) -> WatchBaseline | None:
    return WatchBaseline.objects.select_related("lookup", "watch").filter(watch=check.watch_id, kind=check.kind).first()


def _compare(check: WatchCheck, version: RecordVersion | None, reread: comparing.Reread) -> Judgement:
    watch, lookup = check.watch, check.lookup
    baseline = _find_baseline(check)
    if baseline is not None and check.kind == "ucc" and _asks_otherwise(lookup, baseline.lookup):
        baseline = None  # the company has another name: its liens are not those on the name before
    memory, reading = _read_memory(baseline), _read(watch, lookup, version)

    def cut(facts: Facts | None) -> Facts | None:
        return _leave_out_as_before(facts, watch.state, since=memory.at) if check.kind == "ucc" else facts

    judgement = comparing.judge(
        replace(memory, facts=cut(memory.facts)),
        replace(reading, facts=cut(reading.facts) or {}),
        categories=watch.categories,
        reread=lambda earlier: cut(reread(earlier)),
        apart=timedelta() if watch.sandbox else comparing.APART,  # nobody waits a day for a made-up registry
    )
    kept = judgement.memory.facts
    if check.kind == "ucc" and judgement.memory.lookup != reading.lookup:
        kept = memory.facts
    elif check.kind == "ucc" and reading.verdict == "found":
        kept = reading.facts
    return replace(judgement, memory=replace(judgement.memory, facts=kept))


def _leave_out_as_before(facts: Facts | None, state: str, *, since: datetime | None) -> Facts | None:
    """Liens as they could be shown when they were read last: what is left out no more is no change."""
    if not facts or since is None:
        return facts
    filings = suppression.withhold_parties_of_before(facts["data"]["filings"], state=state, since=since)
    return {"data": {"filings": filings}}


def _asks_otherwise(lookup: Lookup, earlier: Lookup | None) -> bool:
    """Whether two searches for liens are for different words: an index lists what begins with them."""
    asked = [split_name((one.question or {}).get("name") or "")[0] for one in (lookup, earlier) if one is not None]
    return len({to_searched(name) for name in asked}) > 1


def _read(watch: Watch, lookup: Lookup, version: RecordVersion | None) -> Reading:
    """The reading behind a lookup that has ended."""
    unclear = Reading(kind=lookup.kind, verdict="unclear", at=lookup.created_at, lookup=lookup.pk)
    if lookup.verdict == Verdict.NOT_FOUND.value:
        if _is_asked_by_name_alone(watch, lookup):
            return unclear  # that nobody has the name proves nothing: the company may have taken another one
        return replace(unclear, verdict="absent", at=_read_at(lookup), reader=_name_reader(lookup))
    if lookup.verdict != Verdict.FOUND.value:
        return unclear
    read = {"verdict": "found", "at": _read_at(lookup), "reader": _name_reader(lookup)}
    if lookup.filing_set is not None:
        if lookup.total > len(lookup.filing_set.filings) or storage.MORE in lookup.note:
            return unclear  # a cut list; any other note is of the source, and says nothing of this list
        filings, _ = suppression.withhold_parties(lookup.filing_set.filings, state=lookup.state)
        facts = readings.of_liens(filings)
        return replace(unclear, **read, facts=facts, shown=frozenset({LIENS}))  # type: ignore[arg-type]
    if version is None or _is_of_another(watch, lookup, version):
        return unclear  # another company's record is nothing that is known of this one
    facts, shown, withheld = readings.of_record(version.data, version.normalized, never=_list_lacking(lookup))
    return replace(unclear, **read, facts=facts, shown=shown, withheld=withheld)  # type: ignore[arg-type]


def _is_of_another(watch: Watch, lookup: Lookup, version: RecordVersion) -> bool:
    """Whether a name found another company than the one that is watched; a number finds its own, however written."""
    if not _is_asked_by_name_alone(watch, lookup):
        return False
    found, watched = (
        numbers.read(number, state=watch.state, sandbox=watch.sandbox)
        for number in (version.entity.entity_id, watch.entity_id)
    )
    return found != watched


def _is_asked_by_name_alone(watch: Watch, lookup: Lookup) -> bool:
    """Whether a company of known number was looked for by its name, since its registry takes no numbers."""
    by_number = (lookup.question or {}).get("entity_id")
    return lookup.kind != "ucc" and bool(watch.entity_id) and not by_number


def _read_at(lookup: Lookup) -> datetime:
    """The moment that a reading is of: a copy's day, however often that is read."""
    evidence = lookup.evidence or {}
    at = evidence.get("dataAsOf") or evidence.get("retrievedAt")
    return datetime.fromisoformat(at) if at else lookup.created_at


def _name_reader(lookup: Lookup) -> str:
    """Which reader it was, in which revision where that is known."""
    revision = lookup.reading.reader_revision if lookup.reading is not None else ""
    return f"{lookup.reader_version} {revision}".strip()


def _name_todays_reader(lookup: Lookup) -> str:
    """The same of the reader that this process has."""
    portal = discovery.find_portal(lookup.state, sandbox=lookup.sandbox)
    return f"{portal.version} {find_revision(portal)}" if portal is not None else ""


def _list_lacking(lookup: Lookup) -> frozenset[str]:
    """The parts that this registry has not got and of which `fieldAvailability` does not speak."""
    portal = discovery.find_portal(lookup.state, sandbox=lookup.sandbox)
    if portal is None:
        return frozenset({"filings", "formerNames", "assumedNames"})
    lacks = portal.list_lacking(from_copy=lookup.is_from_copy)
    has = {
        "filings": portal.capabilities.filings and "filings" not in lacks,
        "formerNames": portal.capabilities.former_names and "former_names" not in lacks,
        "assumedNames": portal.capabilities.assumed_names and "assumed_names" not in lacks,
    }
    return frozenset(name for name in has if not has[name])


def _learn(watch: Watch, check: WatchCheck, judgement: Judgement, *, now: datetime) -> None:
    """What the watch itself knows after a check: whom it watches, and when it has to look again sooner."""
    lookup, changed = check.lookup, []
    if check.kind != "ucc" and lookup.version is not None and judgement.result is not Result.UNCLEAR:
        if not (watch.name or watch.entity_name) and Category.LIEN in watch.categories and watch.next_at is not None:
            watch.next_at = now  # its liens could not be asked for without a name
            changed = ["next_at"]
        watch.entity_id = lookup.version.entity.entity_id  # as the registry writes it
        watch.name = lookup.version.data["entityName"][:500]
        changed += ["entity_id", "name"]
    waits = judgement.memory.absence is not None and not judgement.memory.is_gone
    if (waits or judgement.result is Result.UNCLEAR) and watch.next_at is not None:
        soon = now + schedule.DAY  # what is missed, or could not be read, is looked at again on the next day
        if soon < watch.next_at or waits:
            watch.next_at = soon
            changed.append("next_at")
    if changed:
        watch.save(update_fields=changed)


def _read_memory(kept: WatchBaseline | None) -> Memory:
    if kept is None:
        return Memory()
    absence = None
    if kept.absent_at is not None and kept.absent_lookup_id is not None:
        absence = Absence(kept.absent_at, kept.absent_reader, kept.absent_lookup_id)
    return Memory(
        facts=bodies.withhold_facts(kept) if kept.kind == "ucc" else kept.facts,  # an address left out is no change
        known=PARTS.keys() & kept.known,  # a process of another version may know others
        carried={part: lookup for part, lookup in kept.carried.items() if part in PARTS},
        lookup=kept.lookup_id,
        reader=kept.reader,
        at=kept.read_at,
        absence=absence,
        is_gone=kept.is_gone,
    )


def _write_memory(watch: Watch, kind: str, memory: Memory) -> None:
    absence = memory.absence
    WatchBaseline.objects.update_or_create(
        watch=watch,
        kind=kind,
        defaults={
            "facts": memory.facts,
            "known": sorted(memory.known),
            "carried": memory.carried,
            "lookup_id": memory.lookup,
            "reader": memory.reader,
            "read_at": memory.at,
            "absent_at": absence.at if absence else None,
            "absent_reader": absence.reader if absence else "",
            "absent_lookup_id": absence.lookup if absence else None,
            "is_gone": memory.is_gone,
        },
    )
