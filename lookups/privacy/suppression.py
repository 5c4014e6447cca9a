"""The one place that leaves something out of a record: when it is stored, and again whenever it is shown.

What was stored before somebody asked stays as it is, since nobody can change what a registry said; it is shown no more.
Nothing is left out silently: `fieldAvailability` says "withheld" of the field, and the reply has a sentence. What a
company is (its name, number, type, status and dates) is never touched.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import unquote_plus

from django.contrib.auth.models import AnonymousUser, User
from django.core.cache import cache
from django.db.models import Exists, OuterRef, Q, QuerySet

from lookups.models import Entity, Suppression
from lookups.models.privacy import to_person_key

WITHHELD = "withheld"
NOTE = "Left out at the request of a person it is about: {}."
PARTY_NOTE = NOTE.format("the address of a party")
Kind, Field = Suppression.Kind, Suppression.Field
_ADDRESSES = {Field.AGENT_ADDRESS: "registeredAgent", Field.PRINCIPAL: "principal", Field.MAILING: "mailing"}


class Record(NamedTuple):
    """A record's two halves, without what is left out."""

    data: dict[str, Any]
    normalized: dict[str, Any]

    @property
    def note(self) -> str:
        """The sentence that tells what is missing; empty when nothing is."""
        named = (self.normalized.get("fieldAvailability") or {}).items()
        left_out = [field for field, why in named if why == WITHHELD]
        return NOTE.format(", ".join(left_out)) if left_out else ""


class Unclear(Exception):
    """What is to be left out is not named in full, or by too much; `field` of the form, and why."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field, self.sentence = field, sentence


def check(wanted: Mapping[str, Any]) -> None:
    """Raise Unclear unless these values name one thing: a company, one field of it, or a person."""
    kind = wanted.get("kind")
    of_company = kind in (Kind.COMPANY, Kind.FIELD)
    needed = {
        "state": of_company or bool(wanted.get("entity_id")),
        "entity_id": of_company,
        "field": kind == Kind.FIELD,
        "person": kind == Kind.PERSON,
    }
    allowed = {"state": True, "entity_id": True, "field": kind == Kind.FIELD, "person": kind == Kind.PERSON}
    for name, need in needed.items():
        if need and not wanted.get(name):
            raise Unclear(name, "This is needed to know what is meant.")
        if wanted.get(name) and not allowed[name]:
            raise Unclear(name, f"Not with this kind ({kind}): one entry leaves out one thing.")
    if kind == Kind.PERSON and not to_person_key(str(wanted["person"])):
        raise Unclear("person", "A name has letters.")


def add(wanted: Suppression, *, operator: User | AnonymousUser | None, now: datetime) -> Suppression:
    """Leave something out from now on. Raises Unclear."""
    check(vars(wanted))
    wanted.person_key = to_person_key(wanted.person)
    wanted.made_by, wanted.made_at = _named(operator), now
    wanted.save()
    cache.delete(_SUBJECTS)
    return wanted


def lift(kept: Suppression, *, operator: User | AnonymousUser | None, now: datetime) -> bool:
    """Leave it out no more; False when somebody else has lifted it."""
    return bool(Suppression.objects.active().filter(pk=kept.pk).update(lifted_by=_named(operator), lifted_at=now))


def is_kept_out(lifted: Suppression) -> bool:
    """Whether another entry still leaves out what this one did: one like it, or one that leaves out more."""
    fields = [lifted.field, *([Field.AGENT] if lifted.field == Field.AGENT_ADDRESS else [])]
    same = Q(field__in=fields, person_key=lifted.person_key) | Q(kind=Kind.COMPANY)
    place = {"state__in": ["", lifted.state], "entity_id__in": ["", lifted.entity_id]}
    return Suppression.objects.active().filter(same, **place).exists()


def _named(operator: User | AnonymousUser | None) -> User | None:
    return operator if isinstance(operator, User) else None


def has_page(entity: Entity) -> bool:
    """Whether the public page of a company is to be there."""
    same = Suppression.objects.active().filter(kind=Kind.COMPANY, state=entity.state, entity_id=entity.entity_id)
    return not same.exists()


def with_page(entities: QuerySet[Entity]) -> QuerySet[Entity]:
    """Those of which the public page is to be there."""
    same = Suppression.objects.active().filter(kind=Kind.COMPANY, state=OuterRef("state"))
    return entities.exclude(Exists(same.filter(entity_id=OuterRef("entity_id"))))


def withhold(data: dict[str, Any], normalized: dict[str, Any], *, state: str) -> Record:
    """The record as it may be stored and shown."""
    receiver = (normalized.get("serviceOfProcess") or {}).get("name") or ""
    people = [*(one["name"] for one in data.get("officers") or []), data.get("registeredAgentName") or "", receiver]
    keys = {key for key in map(to_person_key, people) if key} | _list_named(normalized.get("filings") or [])
    found = _find(state, data["entityId"], keys)
    if not found:
        return Record(data, normalized)
    fields = {one.field for one in found if one.kind == Kind.FIELD}
    if any(one.kind == Kind.COMPANY for one in found):
        fields = set(Field.values)
    people_out = {one.person_key for one in found if one.kind == Kind.PERSON}
    if to_person_key(data.get("registeredAgentName") or "") in people_out:
        fields.add(Field.AGENT.value)
    receives = to_person_key(receiver) in people_out
    if receives:
        fields.add(Field.MAILING.value)
    record = _without(Record({**data}, {**normalized}), fields, people_out)
    if receiver and (receives or Field.AGENT in fields):
        record.normalized["serviceOfProcess"] = None
        record.normalized["fieldAvailability"]["serviceOfProcess"] = WITHHELD
    return record


def withhold_parties(filings: list[dict[str, Any]], *, state: str) -> tuple[list[dict[str, Any]], str]:
    """Liens without the addresses of people who asked for that, and the sentence that says so.

    The name of a party stays: whom a lien is against is what it says.
    """
    keys = _list_parties(filings)
    people_out = {one.person_key for one in _find(state, "", keys) if one.kind == Kind.PERSON} if keys else set()
    return (_without_addresses(filings, people_out), PARTY_NOTE) if people_out else (filings, "")


def withhold_parties_of_before(filings: list[dict[str, Any]], *, state: str, since: datetime) -> list[dict[str, Any]]:
    """Liens without the addresses that were left out at that moment or later, and are left out no more."""
    people = Suppression.objects.filter(kind=Kind.PERSON, state__in=["", state], entity_id="", lifted_at__gt=since)
    people_out = set(people.filter(person_key__in=_list_parties(filings)).values_list("person_key", flat=True))
    return _without_addresses(filings, people_out) if people_out else filings


def _list_parties(filings: list[dict[str, Any]]) -> set[str]:
    parties = [party for filing in filings for side in _SIDES for party in filing.get(side) or []]
    return {key for key in (to_person_key(party["name"]) for party in parties) if key}


def _without_addresses(filings: list[dict[str, Any]], people: set[str]) -> list[dict[str, Any]]:
    return [
        filing | {side: [_without_address(one, people) for one in filing.get(side) or []] for side in _SIDES}
        for filing in filings
    ]


def names_anyone(text: str, *, state: str) -> bool:
    """Whether a page as a registry sent it may name a person or a company that something is left out of.

    Where the words of a name all stand on the page it is taken to be named, wherever they stand. A number is one of
    its own, not a part of a longer one.
    """
    if not cache.get_or_set(_SUBJECTS, _list_subjects, _REMEMBERED):
        return False
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), html.unescape(text))
    shown = " ".join([plain, *(unquote_plus(plain, charset) for charset in ("utf-8", "windows-1252"))])  # in links, too
    words = set(to_person_key(shown, most=None).split())
    for one in Suppression.objects.active().filter(state__in=["", state]).order_by():
        if one.kind == Kind.PERSON and words.issuperset(one.person_key.split()):
            return True
        if one.kind != Kind.PERSON and _to_pattern(one.entity_id).search(shown):
            return True
    return False


def _to_pattern(number: str) -> re.Pattern[str]:
    """A number however a page groups its signs ("6 512 345", "65-12345"), with zeros before it or without."""
    plain = _GROUPING.sub("", number)
    signs = [re.escape(sign) for sign in plain.lstrip("0") or plain]
    return re.compile(r"(?<!\d)0*" + r"[\s.-]*".join(signs) + r"(?!\d)", re.IGNORECASE)


_GROUPING = re.compile(r"[\s.-]+")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")  # as JSON writes letters
_SIDES = ("debtors", "securedParties")
_NOWHERE = dict.fromkeys(("address", "city", "state", "zip"))


_SUBJECTS, _REMEMBERED = "suppressed", 60  # a process learns within a minute what another has added
KNOWN_WITHIN = timedelta(seconds=2 * _REMEMBERED)  # by every process, also where adding it took a while to commit


def _find(state: str, entity_id: str, person_keys: Iterable[str]) -> list[Suppression]:
    """What is left out of one record. Who is not on the list costs no question, nor do a thousand rows."""
    subjects = _remembered()
    if subjects is not None and subjects.isdisjoint({(state, entity_id), *person_keys}):
        return []
    company = Q(state=state, entity_id=entity_id, person_key="")
    person = Q(person_key__in=person_keys, state__in=["", state], entity_id__in=["", entity_id])
    return list(Suppression.objects.active().filter(company | person).order_by())


def _list_named(filings: Collection[Mapping[str, Any]]) -> set[str]:
    """The people on the list whom the titles of these filings may name."""
    people = [one for one in (_remembered() if filings else None) or () if isinstance(one, str)]
    words = set().union(*map(_words_of, filings)) if people else set()
    return {one for one in people if words.issuperset(one.split())}


def _remembered() -> frozenset[str | tuple[str, str]] | None:
    return cache.get_or_set(_SUBJECTS, _list_subjects, _REMEMBERED)


def _list_subjects() -> frozenset[str | tuple[str, str]]:
    """Every company and person on the list."""
    listed = Suppression.objects.active().values_list("state", "entity_id", "person_key")
    return frozenset(person or (state, number) for state, number, person in listed)


def _without(record: Record, fields: set[str], people: set[str]) -> Record:
    data, normalized = record
    number = digits(data.get("feiEinNumber"))
    why = normalized["fieldAvailability"] = {**(normalized.get("fieldAvailability") or {})}
    agent = Field.AGENT in fields
    for field in {*fields, *([Field.AGENT_ADDRESS.value] if agent else [])} - {Field.OFFICERS.value}:
        for name in _names_of(field):
            if data.get(name):
                data[name], why[name] = None, WITHHELD
    if agent:
        normalized["registeredAgent"] = None
    elif Field.AGENT_ADDRESS in fields and normalized.get("registeredAgent"):
        normalized["registeredAgent"] = normalized["registeredAgent"] | {"zip": None}
    if Field.FEDERAL_NUMBER in fields:
        others = (normalized.get("identifiers") or {}).items()
        normalized["identifiers"] = {kind: text for kind, text in others if not number or digits(text) != number}
    _leave_out_officers(data, normalized, people, everybody=Field.OFFICERS in fields)
    _leave_out_titles(normalized, people)
    return Record(data, normalized)


def _leave_out_officers(data: dict[str, Any], normalized: dict[str, Any], people: set[str], *, everybody: bool) -> None:
    """Both lists are of the same people in the same order, and stay so."""
    officers = data.get("officers") or []
    stays = [not everybody and to_person_key(one["name"]) not in people for one in officers]
    if all(stays):
        return
    data["officers"] = [one for one, stay in zip(officers, stays, strict=True) if stay]
    parts = normalized.get("officers") or []
    same = len(parts) == len(officers)
    normalized["officers"] = [one for one, stay in zip(parts, stays, strict=True) if stay] if same else []
    normalized["fieldAvailability"]["officers"] = WITHHELD


def _leave_out_titles(normalized: dict[str, Any], people: set[str]) -> None:
    """That a document was filed stays, and its day."""
    filings = normalized.get("filings") or []
    titles = [
        WITHHELD if any(map(_words_of(one).issuperset, map(str.split, people))) else one["title"] for one in filings
    ]
    if titles != [one["title"] for one in filings]:
        normalized["filings"] = [one | {"title": title} for one, title in zip(filings, titles, strict=True)]
        normalized["fieldAvailability"]["filings"] = WITHHELD


def _words_of(filing: Mapping[str, Any]) -> set[str]:
    return set(to_person_key(filing["title"], most=None).split())


def _names_of(field: str) -> list[str]:
    prefix = next((prefix for one, prefix in _ADDRESSES.items() if one == field), None)
    return [f"{prefix}{part}" for part in ("Address", "City", "State", "Zip")] if prefix else [str(field)]


def _without_address(party: dict[str, Any], people: set[str]) -> dict[str, Any]:
    return party | _NOWHERE if to_person_key(party["name"]) in people else party


def digits(text: Any) -> str:
    """A number however it is typed: its digits alone."""
    return "".join(sign for sign in str(text or "") if sign.isdigit())
