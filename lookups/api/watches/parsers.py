"""Many watches as a table: the rows of a CSV file, and in the query string what holds for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from lookups.api import parsers
from lookups.api.watches.requests import MOST_WATCHES
from lookups.bulk import input as bulk_input

_FLAGS = ("email_digest", "tell_unchanged")
HEADERS = {
    **{name: bulk_input.HEADERS[name] for name in ("entity_name", "state", "entity_id", "ref")},
    "every": ("every", "howoften"),
    "on": ("on", "changes", "categories"),
    "webhook": ("webhook", "webhookurl"),
    "max_per_month": ("maxpermonth",),
    **{flag: (flag.replace("_", ""),) for flag in _FLAGS},
}


class WatchTableParser(BaseParser):
    """A table of companies to be watched."""

    media_type = "text/csv"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The rows under `watches`, and the words of the query string; ApiError 400 or 413."""
        context = parser_context or {}
        rows = parsers.read_table(stream, context, most=MOST_WATCHES, headers=HEADERS)
        request = context.get("request")
        asked = dict(request.query_params.items()) if request is not None else {}
        return {**_read_words(asked), "watches": [_in_types(row) for row in rows]}


JSON_OR_CSV = (parsers.JSONBesideTableParser, WatchTableParser)


def _in_types(row: bulk_input.Row) -> bulk_input.Row:
    return bulk_input.Row(_read_words(row.fields), row.line, row.columns)


def _read_words(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Text as the types that JSON has for it; what does not fit stays text, and is refused as such."""
    found = dict(asked)
    number = str(found.get("max_per_month", ""))
    if number.isascii() and number.isdigit() and len(number) < 10:
        found["max_per_month"] = int(number)
    if "on" in found:
        found["on"] = str(found["on"]).replace(";", " ").replace("|", " ").replace(",", " ").split()
    for flag in _FLAGS:
        if (word := str(found.get(flag)).lower()) in ("true", "false"):  # spreadsheets write TRUE
            found[flag] = word == "true"
    return found
