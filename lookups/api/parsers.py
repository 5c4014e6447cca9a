"""Reads request bodies the strict way: what is not plainly one JSON object is refused before anybody looks at it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import IO, Any

from rest_framework.parsers import BaseParser

from jurisdictions import nesting
from lookups.api import errors
from lookups.bulk import input as bulk_input

LIMIT = 64 * 1024  # bytes; the longest honest lookup is a fiftieth of it
PACKED = "Send it as it is, without Content-Encoding."
BESIDE_A_TABLE = "Goes into the query string only with a table. Send it in the body."
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


class StrictJSONParser(BaseParser):
    """JSON as RFC 8259 has it, and then some: one object, no duplicate names, no NaN, whole characters, a size limit.

    Numbers with a fraction or exponent come as Decimal, so that nothing is rounded or becomes infinite on the way.
    """

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the object in the body; raises ApiError 400 or 413."""
        return read_object(_read_bytes(stream, parser_context or {}))


class JSONBesideTableParser(StrictJSONParser):
    """JSON where a table may be sent as well, for which words in the query string speak: beside JSON they would say
    nothing, and whoever wrote them waits for what was never asked."""

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the object in the body; raises ApiError 400 for a word of a table's, or 413."""
        context = parser_context or {}
        found = super().parse(stream, media_type, context)
        beside = [word for word in context["view"].words_of_a_table if word in context["request"].query_params]
        if beside:
            problems = [{"index": None, "error": f"{word}: {BESIDE_A_TABLE}"} for word in beside]
            raise errors.invalid_rows(problems)
        return found


class CsvParser(BaseParser):
    """A bulk request as a table; what is said of the whole request stands in the query string then."""

    media_type = "text/csv"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The rows under `entities`, and the words of the query string; ApiError 400 or 413."""
        context = parser_context or {}
        rows = read_table(stream, context, most=bulk_input.MOST_ROWS, headers=bulk_input.HEADERS)
        return {**_query_words(context.get("request")), "entities": rows}


def read_table(
    stream: IO[bytes], context: Mapping[str, Any], *, most: int, headers: Mapping[str, Sequence[str]]
) -> list[bulk_input.Row]:
    """The rows of the CSV in the body; raises ApiError 400 or 413."""
    try:
        return bulk_input.read_csv(_read_bytes(stream, context), most=most, headers=headers)
    except bulk_input.Unreadable as wrong:
        raise errors.invalid_rows([{"index": None, "line": wrong.line, "error": str(wrong)}]) from None


def _query_words(request: Any) -> dict[str, Any]:
    """What a table cannot say: numbers and flags are read from their words."""
    asked: dict[str, Any] = dict(request.query_params.items()) if request is not None else {}
    seconds = str(asked.get("max_wait_seconds", ""))
    if seconds.isascii() and seconds.isdigit() and len(seconds) < 10:  # what is longer is refused as it stands
        asked["max_wait_seconds"] = int(seconds)
    if "include" in asked:
        asked["include"] = asked["include"].split(",")
    if asked.get("email_results") in ("true", "false"):
        asked["email_results"] = asked["email_results"] == "true"
    return asked


def _read_bytes(stream: IO[bytes], context: Mapping[str, Any]) -> bytes:
    """The body as its view takes it; ApiError 413 for more."""
    limit: int = getattr(context.get("view"), "body_limit", LIMIT)
    request = context.get("request")
    if request is not None:
        _refuse_packed(request)
        if _length(request) > limit:
            raise too_large(limit)
    raw = stream.read(limit + 1)
    if len(raw) > limit:
        raise too_large(limit)
    return raw


def raw_body(request: Any) -> bytes:
    """The body's bytes as they came, for what is bound to them; ApiError 413 for more than LIMIT."""
    _refuse_packed(request)
    if _length(request) > LIMIT:
        raise too_large(LIMIT)
    return bytes(request.body)


def is_packed(request: Any) -> bool:
    """Whether the body is in a Content-Encoding: nothing here unpacks one."""
    return request.META.get("HTTP_CONTENT_ENCODING", "").strip().lower() not in ("", "identity")


def _refuse_packed(request: Any) -> None:
    if is_packed(request):
        raise errors.ApiError(415, "invalid_request", errors.INVALID_BODY, details={"body": [PACKED]})


def read_object(raw: bytes) -> dict[str, Any]:
    """Read one JSON object from its bytes; raises ApiError 400 with the reason."""
    found = read_json(raw)
    if not isinstance(found, dict):
        raise errors.invalid({"body": ["Send one JSON object."]})
    return found


def read_json(raw: bytes) -> Any:
    """Read JSON of any kind as strictly; raises ApiError 400 with the reason."""
    try:
        text = raw.decode("utf-8-sig")
        nesting.refuse_deep(text)
        found = json.loads(text, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_no_doubles)
        if _SURROGATE_ESCAPE.search(raw):
            # Half a character would pass as text until it is stored or sent, and break there.
            json.dumps(found, ensure_ascii=False, default=str).encode("utf-8")
    except (UnicodeError, RecursionError, ArithmeticError, ValueError) as error:
        raise errors.invalid({"body": [_reason(error)]}) from None
    return found


def too_large(limit: int) -> errors.ApiError:
    """The refusal of a body over the limit."""
    text = f"At most {limit // 1024} KB are accepted here."
    return errors.ApiError(413, "payload_too_large", "Request body too large", details={"body": [text]})


class _Refused(ValueError):
    """A reason in our own words."""


def _reason(error: Exception) -> str:
    match error:
        case _Refused():
            return str(error)
        case UnicodeError():
            return "Not valid UTF-8 text."
        case RecursionError() | nesting.TooDeep():
            return "Nested too deeply."
        case ArithmeticError():
            return "A number in it is too long."
        case json.JSONDecodeError():
            return f"Not valid JSON at character {error.pos + 1}."
    return "Not valid JSON."


def _no_constant(word: str) -> Any:
    raise _Refused(f"{word} is not JSON.")


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Refused("A name occurs twice in one object.")
    return found


def _length(request: Any) -> int:
    text = request.META.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
