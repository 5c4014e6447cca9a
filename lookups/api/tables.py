"""Tells content negotiation that lists are to be had as CSV and as lines of JSON."""

from __future__ import annotations

from typing import Any

from rest_framework.renderers import BaseRenderer, JSONRenderer


class CsvRenderer(BaseRenderer):
    """Only tells content negotiation that CSV is to be had; the view writes the rows itself."""

    media_type = "text/csv"
    format = "csv"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """An error asked for as CSV is JSON all the same."""
        return JSONRenderer().render(data)


class NdjsonRenderer(CsvRenderer):
    """The same for one JSON object a line."""

    media_type = "application/x-ndjson"
    format = "ndjson"
