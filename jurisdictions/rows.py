"""The row that a page of the admin is about, by the end of its address, which anybody may write by hand."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

Row = TypeVar("Row", bound=Model)


def get_row_or_404(rows: type[Row] | QuerySet[Row], object_id: Any) -> Row:
    """The row of this key; Http404 where there is none, or where nothing could have such a key."""
    try:
        return get_object_or_404(rows, pk=object_id)
    except (ValueError, ValidationError) as unfit:
        raise Http404 from unfit


def find_row(rows: type[Row] | QuerySet[Row], object_id: Any) -> Row | None:
    """The row of this key, or None."""
    with suppress(Http404):
        return get_row_or_404(rows, object_id)
    return None
