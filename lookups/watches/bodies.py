"""From what is kept of watches to the shapes of the wire: the same for who asks, for webhooks and for mails."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from django.db.models import Max

from billing import money, prices
from lookups.api.wire.shape import fill
from lookups.api.wire.watching import events as wire
from lookups.api.wire.watching import watches as wire_watches
from lookups.api.wire.words import SearchType
from lookups.lookup.storage import wire_time
from lookups.models import Lookup, Watch, WatchBaseline, WatchCheck, WatchEvent
from lookups.privacy import suppression
from lookups.watches.readings import PART_OF, PARTS, Facts
from lookups.watches.taxonomy import CODES, Category

TAXONOMY_VERSION = 1


def of_watch(watch: Watch, checks: Iterable[WatchCheck]) -> wire_watches.Watch:
    """A watch with its last checks."""
    price = prices.LOOKUP if watch.livemode else 0
    kept = {name: getattr(watch, name) for name in ("every", "email_digest", "tell_unchanged", "max_per_month", "ref")}
    return fill(
        wire_watches.Watch,
        kept,
        id=watch.public_id,
        livemode=watch.livemode,
        state=watch.state,
        entity_id=watch.entity_id or None,
        entity_name=watch.entity_name or None,
        name=watch.name or None,
        on=watch.categories,
        webhook=watch.webhook_url or None,
        status=watch.status,
        pauseReason=watch.pause_reason or None,
        pausedAt=wire_time(watch.paused_at),
        nextCheckAt=wire_time(watch.next_at),
        lastChecks=[of_check(one) for one in checks],
        pricePerCheck=money.to_json_number(price),
        pricePerUnchangedCheck=money.to_json_number(min(price, prices.UNCHANGED)),
        pricePerCheckFromCopy=money.to_json_number(min(price, prices.CHECK_FROM_COPY)),
        createdAt=wire_time(watch.created_at),
    )


def of_watches(watches: list[Watch]) -> list[wire_watches.Watch]:
    """Several, with their last checks in one query."""
    newest = list_last_checks(watches)
    return [of_watch(watch, newest.get(watch.pk, {}).values()) for watch in watches]


def list_last_checks(watches: list[Watch]) -> dict[Any, dict[str, WatchCheck]]:
    """The last check of each kind of each watch, by the watch's id, in one query."""
    newest: dict[Any, dict[str, WatchCheck]] = {}
    of_kind = WatchCheck.objects.filter(watch__in=watches).order_by().values("watch", "kind")
    last = of_kind.annotate(last=Max("pk")).values("last")
    for check in WatchCheck.objects.select_related("lookup").filter(pk__in=last).order_by("kind"):
        newest.setdefault(check.watch_id, {})[check.kind] = check
    return newest


def of_check(check: WatchCheck) -> wire_watches.WatchCheck:
    """One look."""
    return fill(
        wire_watches.WatchCheck,
        {},
        lookupId=check.lookup.public_id,
        verdict=check.lookup.verdict,
        searchType=SearchType(check.kind),
        result=check.result or None,
        notChecked=check.not_checked,
        cost=money.to_json_number(check.lookup.cost),
        createdAt=wire_time(check.created_at),
        endedAt=wire_time(check.ended_at),
    )


def of_event(event: WatchEvent) -> wire.CompanyEvent:
    """One event, without what people have asked to be left out since."""
    watch = event.watch
    return fill(
        wire.CompanyEvent,
        {name: getattr(event, name) for name in ("category", "code", "severity")},
        id=event.public_id,
        livemode=not event.sandbox,
        watchId=watch.public_id,
        ref=watch.ref,
        state=watch.state,
        entityId=watch.entity_id or None,
        entityName=watch.name or watch.entity_name or None,
        meaning=CODES[event.code].meaning,
        reason=event.reason or None,
        changes=withhold(event),
        evidence={"before": _of_reading(event.before), "after": _of_reading(event.after)},
        createdAt=wire_time(event.created_at),
    )


def of_taxonomy() -> wire.Taxonomy:
    """The whole table."""
    codes = [
        wire.TaxonomyCode(code=code, category=one.category.value, severity=one.severity, meaning=one.meaning)
        for code, one in CODES.items()
    ]
    return wire.Taxonomy(success=True, version=TAXONOMY_VERSION, codes=codes)


def _of_reading(lookup: Lookup | None) -> dict[str, Any] | None:
    if lookup is None:
        return None
    address = f"/v1/lookups/{lookup.public_id}"
    return {"lookupId": lookup.public_id, "url": address, "evidence": lookup.evidence}


def withhold_facts(baseline: WatchBaseline) -> Facts | None:
    """What is known of a company or its liens, without what somebody has asked to be left out."""
    facts, watch = baseline.facts, baseline.watch
    if facts is None:
        return None
    data: dict[str, Any] = facts.get("data", {})
    if baseline.kind == SearchType.UCC:
        return {"data": {"filings": suppression.withhold_parties(data.get("filings", []), state=watch.state)[0]}}
    shown = suppression.withhold(data | {"entityId": watch.entity_id}, facts.get("normalized", {}), state=watch.state)
    return {"data": shown.data, "normalized": shown.normalized}


def withhold(event: WatchEvent) -> list[dict[str, Any]]:
    """Its changes; what somebody has asked to be left out is not in them, and they say so."""
    watch = event.watch
    if event.category == Category.LIEN:
        return [_withhold_parties(change, watch.state) for change in event.changes]
    left_out = _find_left_out(event, watch)
    return [
        {**change, "withheld": False}
        if _part(change) not in left_out
        else {"path": change["path"].partition("[")[0], "before": None, "after": None, "withheld": True}
        for change in event.changes
    ]


def _find_left_out(event: WatchEvent, watch: Watch) -> set[str]:
    """The parts of a record that are not to be shown: asked of the one place that decides it, by a record of these."""
    changes: list[dict[str, Any]] = event.changes
    shown = [part for change in changes if (part := _part(change))]
    people = [name for change in changes if _part(change) == "officers" for name in _list_names(change)]
    filed = [one for one in changes if _part(one) == "filings"]
    filings = [{"title": f"{one['path']} {one['before']} {one['after']}"} for one in filed]
    found: set[str] = set()
    for agent, receiver in product(*_list_whose(event, shown)):
        data: dict[str, Any] = {field: "shown" for part in shown for field in PARTS[part].data}
        data |= {"entityId": watch.entity_id, "registeredAgentName": agent}
        data["officers"] = [{"name": one} for one in people]
        normalized = {"fieldAvailability": {}, "serviceOfProcess": {"name": receiver}, "filings": filings}
        why = suppression.withhold(data, normalized, state=watch.state).normalized["fieldAvailability"]
        found |= {
            part for part in shown for field in (*PARTS[part].data, part) if why.get(field) == suppression.WITHHELD
        }
    return found


def _list_whose(event: WatchEvent, shown: list[str]) -> tuple[set[str], set[str]]:
    """The agents and the receivers of legal papers that its changes name, or whose addresses they may be of."""
    agents = {value for change in event.changes if _part(change) == "registeredAgentName" for value in _values(change)}
    receivers = {name for change in event.changes if _part(change) == "serviceOfProcess" for name in _names_in(change)}
    if not _OF_SOMEBODY.isdisjoint(shown):  # an address says only in its record whose it is
        for version in [one.version for one in (event.before, event.after) if one and one.version]:
            agents.add(version.data.get("registeredAgentName") or "")
            receivers.add((version.normalized.get("serviceOfProcess") or {}).get("name") or "")
    return agents or {""}, receivers or {""}


_OF_SOMEBODY = frozenset({"registeredAgentAddress", "serviceOfProcess", "mailingAddress"})


def _part(change: Mapping[str, Any]) -> str:
    path: str = change["path"].partition("[")[0]
    return PART_OF.get(".".join(path.split(".")[:2]), "")


def _values(change: Mapping[str, Any]) -> list[str]:
    return [value for value in (change["before"], change["after"]) if isinstance(value, str)]


def _names_in(change: Mapping[str, Any]) -> list[str]:
    """Whom a change of who gets legal papers names: the name alone, or with what kind it is."""
    sides = (change["before"], change["after"])
    return [one["name"] if isinstance(one, Mapping) else one for one in sides if isinstance(one, Mapping | str)]


def _list_names(change: Mapping[str, Any]) -> list[str]:
    """Whom a change of the officers is about: in its path, and in what was there before and after."""
    inside = change["path"].partition("[")[2].rpartition("]")[0]
    people = [value["name"] for value in (change["before"], change["after"]) if isinstance(value, Mapping)]
    return [name for name in (inside, *people) if name]


def _withhold_parties(change: dict[str, Any], state: str) -> dict[str, Any]:
    """A lien's change without the addresses of people who asked for that."""
    if one := _OF_PARTY.search(change["path"]):
        return _withhold_party(change, state, name=one["name"], field=one["field"])
    shown, left_out = {}, ""
    for side in ("before", "after"):
        value = change[side]
        whole = isinstance(value, dict)
        parties = value if whole else {"debtors": value} if isinstance(value, list) else None
        if parties is None or not all(isinstance(one, dict) and "name" in one for one in parties.get("debtors") or []):
            shown[side] = value
            continue
        [kept], note = suppression.withhold_parties([parties], state=state)
        shown[side], left_out = (kept if whole else kept["debtors"]), left_out or note
    return {"path": change["path"], **shown, "withheld": bool(left_out)}


_OF_PARTY = re.compile(r"\.(?:debtors|securedParties)\[(?P<name>.*)\](?:\.(?P<field>\w+))?$")


def _withhold_party(change: dict[str, Any], state: str, *, name: str, field: str | None) -> dict[str, Any]:
    """The same of a change of one party, which is named in its path: a field of it, or that it came or went."""
    shown, left_out = {}, ""
    for side in ("before", "after"):
        value = change[side]
        party = {"name": name, field: value} if field else value
        [kept], note = suppression.withhold_parties([{"debtors": [party] if party else []}], state=state)
        [told] = kept["debtors"] or [None]
        shown[side] = told[field] if field and told else told
        left_out = left_out or (note if field in (None, "address", "city", "state", "zip") else "")
    return {"path": change["path"], **shown, "withheld": bool(left_out)}
