"""From a request to the watches it wants: one, rows of their own, or those of a bulk job; all or none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils import timezone

from billing.models import ApiKey
from lookups.api import errors, replies
from lookups.api.requests.serializers import read
from lookups.api.watches.requests import (
    MOST_WATCHES,
    ManyWatchesRequest,
    WatchChanges,
    WatchRequest,
    WatchSettings,
    to_settings,
)
from lookups.api.wire.watching.words import WatchCategory
from lookups.bulk import bulk_jobs
from lookups.bulk.input import Row
from lookups.models import Watch
from lookups.notifications import result_mail
from lookups.watches import watching
from lookups.watches.watching import Wanted

NO_MAILS = "This service has no mail server. Name a webhook, or ask /v1/events."
LIENS_BY_NAME = "Liens are kept by name: send entity_name, or watch more of the company than these."
TWO_AT_A_TIME = "A look at a company and at its liens is two checks: allow two or more."
_SETTINGS = tuple(WatchSettings().fields)


def read_one(body: Any, key: ApiKey) -> Wanted:
    """The one watch that a body wants; ApiError 400."""
    asked = read(WatchRequest, body)
    refuse_mail(asked, key)
    wanted = _to_wanted(asked)
    refuse_never(wanted.categories, wanted.max_per_month)
    refuse_question(wanted, key)
    return wanted


def read_many(body: Any, key: ApiKey) -> list[Wanted]:
    """All that a body wants; ApiError 400 that names each wrong row."""
    rows, bulk_name = body.get("watches"), body.get("bulk_job")
    if (rows is None) == (bulk_name is None):
        raise errors.invalid_rows([_problem("Send watches or bulk_job, one of the two.")])
    for_all = {name: body[name] for name in _SETTINGS if name in body}
    asked = read(ManyWatchesRequest, {**for_all, **({} if bulk_name is None else {"bulk_job": bulk_name})})
    refuse_mail(asked, key)
    if rows is None:
        return _read_bulk(asked, key)
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_WATCHES:
        raise errors.invalid_rows([_problem(f"watches: send a list of 1 to {MOST_WATCHES:,} rows.")])
    wanted: list[Wanted] = []
    wrong: list[dict[str, Any]] = []
    for index, row in enumerate(rows):
        written = row if isinstance(row, Row) else Row(row)
        try:
            wanted.append(_read_row(written, for_all, key))
        except errors.ApiError as refused:
            wrong.append(_problem(_first(refused.details), index) | ({"line": written.line} if written.line else {}))
    if wrong:
        raise errors.invalid_rows(wrong)
    return wanted


def read_changes(body: Any, watch: Watch, key: ApiKey) -> dict[str, Any]:
    """What a body changes of a watch, in the names of the service; ApiError 400."""
    asked = read(WatchChanges, body)
    refuse_mail(asked, key)
    changes = to_settings(asked)
    if {"categories", "max_per_month"} & set(changes):
        both = {name: changes.get(name, getattr(watch, name)) for name in ("categories", "max_per_month")}
        refuse_never(**both)
    if "categories" in changes:
        company = {name: getattr(watch, name) for name in ("state", "entity_id", "every")}
        named = watch.entity_name or watch.name
        refuse_question(Wanted(**company, entity_name=named, categories=changes["categories"]), key)
    if "status" in asked:
        changes["status"] = asked["status"]
    return changes


def refuse_mail(asked: dict[str, Any], key: ApiKey) -> None:
    """Raise ApiError 400 where a mail is wanted and none can be sent."""
    if asked.get("email_digest") and not (result_mail.is_configured() and key.account.email):
        raise errors.invalid({"email_digest": [result_mail.NO_ADDRESS if result_mail.is_configured() else NO_MAILS]})


def refuse_never(categories: list[str], max_per_month: int | None) -> None:
    """Raise ApiError 400 for a watch that would never look, as one look is more than it may make in a month."""
    if max_per_month == 1 and WatchCategory.LIEN in categories and len(categories) > 1:
        raise errors.invalid({"max_per_month": [TWO_AT_A_TIME]})


def refuse_question(wanted: Wanted, key: ApiKey) -> None:
    """Raise ApiError 400 where the registry does not take what the watch would ask."""
    refused = watching.find_objection(wanted, key, now=timezone.now())
    if refused is None:
        if wanted.categories == [WatchCategory.LIEN] and not wanted.entity_name:  # nothing else would find the name
            raise errors.invalid({"on": [LIENS_BY_NAME]})
        return
    refusal = replies.refusal(refused, state=wanted.state)
    details: Any = refusal.details
    texts = {("on" if name == "searchType" else name): several for name, several in details.items()}
    raise errors.invalid(texts, code=refusal.code)


def _read_row(row: Row, for_all: dict[str, Any], key: ApiKey) -> Wanted:
    if not isinstance(row.fields, dict):
        raise errors.invalid({"row": ["Send an object."]})
    return read_one({**for_all, **row.fields}, key)


def _read_bulk(asked: dict[str, Any], key: ApiKey) -> list[Wanted]:
    bulk = bulk_jobs.find(asked["bulk_job"], key=key)
    if bulk is None:
        raise errors.ApiError(404, "job_not_found", "Job not found")
    settings = to_settings({"every": None, "on": None, **asked})
    refuse_never(settings["categories"], settings.get("max_per_month"))
    wanted: list[Wanted] = []
    wrong: list[dict[str, Any]] = []
    for row in watching.list_found(bulk):
        assert row.version is not None
        own = {**settings, "ref": settings.get("ref") or row.ref}
        wanted.append(Wanted(state=row.state, entity_id=row.version.entity.entity_id, seen=row, **own))
        try:
            refuse_question(replace(wanted[-1], entity_name=row.version.data["entityName"]), key)
        except errors.ApiError as refused:
            wrong.append(_problem(_first(refused.details), row.position))
    if wrong:
        raise errors.invalid_rows(wrong)
    if not wanted:
        raise errors.invalid({"bulk_job": ["It has found no company, or none yet."]})
    return wanted


def _to_wanted(asked: dict[str, Any]) -> Wanted:
    settings = to_settings({"every": None, "on": None, **asked})
    entity_id, entity_name = asked.get("entity_id") or "", asked.get("entity_name") or ""
    return Wanted(state=asked["state"], entity_id=entity_id, entity_name=entity_name, **settings)


def _problem(text: str, index: int | None = None) -> dict[str, Any]:
    return {"index": index, "error": text}


def _first(details: Any) -> str:
    """What is wrong first, and with which field."""
    name, messages = next(iter(details.items()))
    return f"{name}: {messages[0]}"
