"""Writes replies as JSON, or as a table or lines of JSON where `Accept` or `format` in the address wants that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from lookups import xlsx_export
from lookups.api import errors
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


class Negotiation(DefaultContentNegotiation):
    """Where there is a choice, `format` goes before `Accept`, which programs for tables cannot all set."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """The renderer and its media type; ApiError 400, NotAcceptable."""
        wanted, choice = request.query_params.get("format"), list(renderers)
        if wanted is None or len(choice) == 1:
            chosen: tuple[BaseRenderer, str] = super().select_renderer(request, choice, format_suffix)
            return chosen
        for one in choice:
            if one.format == wanted:
                return one, one.media_type
        raise errors.invalid({"format": [f"Use one of: {', '.join(one.format for one in choice)}."]})
