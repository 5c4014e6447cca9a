"""Writes replies as JSON, and tells content negotiation that lists are to be had as tables and as lines of JSON."""

from __future__ import annotations

from typing import Any

from rest_framework.renderers import BaseRenderer

from lookups import xlsx_export
from lookups.api.wire.shape import encode
from lookups.evidence import wacz


class ShapeRenderer(BaseRenderer):
    """JSON, as the shapes have it."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """The bytes of a reply; an error asked for as CSV is JSON all the same."""
        return b"" if data is None else encode(data)


class CsvRenderer(ShapeRenderer):
    """Only tells content negotiation that CSV is to be had; the view writes the rows itself."""

    media_type = "text/csv"
    format = "csv"


class NdjsonRenderer(CsvRenderer):
    """The same for one JSON object a line."""

    media_type = "application/x-ndjson"
    format = "ndjson"


class XlsxRenderer(CsvRenderer):
    """The same for a workbook."""

    media_type = xlsx_export.MEDIA_TYPE
    format = "xlsx"


class WaczRenderer(CsvRenderer):
    """The same for a file of evidence."""

    media_type = wacz.MEDIA_TYPE
    format = "wacz"
