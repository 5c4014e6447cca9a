"""What somebody writes into the forms of watches, as the body that the API would be sent: one set of rules for both."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import IO, Any

from django.http import QueryDict

from billing.models import ApiKey
from lookups.api.errors import ApiError, invalid
from lookups.api.watches.parsers import WatchTableParser
from lookups.api.watches.wanted import read_changes, read_many, read_one
from lookups.history import sale
from lookups.models import Lookup, Watch
from lookups.watches import schedule
from lookups.watches.watching import Wanted

LARGEST_TABLE = 1024 * 1024
FIELDS = {"entity_name": "name", "on": "categories", "max_per_month": "cap"}  # where a form calls it otherwise


class Wrong(Exception):
    """It cannot be done like this; `texts` says why, by the form's field, `rows` by line of a table."""

    def __init__(self, refused: ApiError) -> None:
        super().__init__(refused.text)
        details = refused.details
        self.rows: list[str] = []
        self.texts: dict[str, list[str]] = {}
        if isinstance(details, list):
            self.rows = [f"Line {one['line']}: {one['error']}" if one.get("line") else one["error"] for one in details]
        else:
            told = details or {"form": [refused.text]}
            self.texts = {FIELDS.get(name, name): [str(text) for text in several] for name, several in told.items()}


def read_new(sent: QueryDict, key: ApiKey) -> Wanted:
    """The watch that a form wants; raises Wrong."""
    company = {"state": sent.get("state", "").strip(), "entity_id": sent.get("entity_id", "").strip()}
    company["entity_name"] = sent.get("name", "").strip()
    body = {name: text for name, text in company.items() if text}
    try:
        if not company["state"]:
            raise invalid({"state": ["Choose a state."]})
        if not company["entity_id"] and not company["entity_name"]:
            raise invalid({"entity_id": ["Name the company: by its identifier, or by its name."]})
        return read_one({**body, **_settings(sent)}, key)
    except ApiError as refused:
        raise Wrong(refused) from None


def read_settings(sent: QueryDict, watch: Watch, key: ApiKey) -> dict[str, Any]:
    """Other settings for a watch than the form was shown with, in the names of the service; raises Wrong.

    What is the same stays as it is by now: somebody else may have set it otherwise since.
    """
    try:
        wanted, shown = _settings(sent), _settings(QueryDict(str(sent["shown"]))) if "shown" in sent else {}
        changed = {name: one for name, one in wanted.items() if name not in shown or shown[name] != one}
        return read_changes(changed, watch, key)
    except ApiError as refused:
        raise Wrong(refused) from None


def read_table(file: IO[bytes], sent: QueryDict, key: ApiKey) -> list[Wanted]:
    """The watches of a table, with the form's settings where a row has none of its own; raises Wrong."""
    try:
        table = WatchTableParser().parse(file, parser_context={"view": SimpleNamespace(body_limit=LARGEST_TABLE)})
        return read_many({**_settings(sent), **table}, key)
    except ApiError as refused:
        raise Wrong(refused) from None


def find_reading(sent: Mapping[str, str], key: ApiKey) -> Lookup | None:
    """The reading of the company that this account has, last; None where it has none, or no company is named."""
    state, entity_id = sent.get("state", "").strip(), sent.get("entity_id", "").strip()
    if not state or not entity_id:
        return None
    return sale.find_reading(account_id=key.account_id, state=state, entity_id=entity_id, sandbox=key.is_test)


def is_recent(reading: Lookup, every: str, *, now: datetime) -> bool:
    """Whether a first check would only read the same again: the watch begins with this reading then."""
    read_at = reading.data_as_of or reading.created_at
    return now - read_at < max(schedule.half_of(every), timedelta(hours=1))


def _settings(sent: QueryDict) -> dict[str, Any]:
    """The settings as a body has them; ApiError 400 where nothing is to be told."""
    if not sent.getlist("categories"):
        raise invalid({"on": ["Choose at least one."]})
    cap, webhook, ref = (sent.get(name, "").strip() for name in ("cap", "webhook", "ref"))
    return {
        "every": sent.get("every") or None,
        "on": sorted(sent.getlist("categories")),
        "webhook": webhook or None,
        "email_digest": "email_digest" in sent,
        "tell_unchanged": "tell_unchanged" in sent,
        "max_per_month": (int(cap) if cap.isascii() and cap.isdigit() and len(cap) < 10 else cap) if cap else None,
        "ref": ref or None,
    }
