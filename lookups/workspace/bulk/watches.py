"""Watching every company that a bulk job has found, by its row or by what was asked for it again."""

from __future__ import annotations

from datetime import datetime

from lookups.api.watches.requests import to_settings
from lookups.bulk import bulk_jobs, row_answers
from lookups.models import BulkJob, Lookup
from lookups.verdicts import Verdict
from lookups.watches import watching
from lookups.workspace.access import WorkspaceRequest
from lookups.workspace.watches.words import EVERY


def watch_found(bulk: BulkJob, *, every: str, request: WorkspaceRequest, now: datetime) -> watching.Made:
    """Watch each company once, from the reading that found it. Raises watching.TooMany."""
    settings = to_settings({"every": every if every in EVERY else "week", "on": None, "webhook": None})
    defaults = to_settings(
        {"every": None, "on": None, "email_digest": None, "tell_unchanged": None, "max_per_month": None}
    )
    found: dict[tuple[str, str], Lookup] = {}
    for row in _list_found(bulk):
        assert row.version is not None
        found.setdefault((row.state, row.version.entity.entity_id), row)
    wanted = [
        watching.Wanted(state=state, entity_id=entity_id, seen=row, **{**defaults, **settings, "ref": row.ref})
        for (state, entity_id), row in found.items()
    ]
    return watching.create(
        wanted=wanted, key=request.workspace_key, now=now, request_id=getattr(request, "request_id", "")
    )


def has_found(bulk: BulkJob) -> bool:
    """Whether there is a company to watch."""
    rows = bulk_jobs.list_rows(bulk).filter(verdict=Verdict.FOUND.value, version__isnull=False)
    return rows.exists() or bool(_list_found_again(bulk))


def _list_found(bulk: BulkJob) -> list[Lookup]:
    return [*watching.list_found(bulk), *_list_found_again(bulk)]


def _list_found_again(bulk: BulkJob) -> list[Lookup]:
    rows = list(bulk_jobs.list_rows(bulk).exclude(verdict=Verdict.FOUND.value))
    again = [one for several in row_answers.list_answers(rows).values() for one in several]
    return [one for one in again if one.version is not None and one.verdict == Verdict.FOUND.value]
