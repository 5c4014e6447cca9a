"""Questions to the layers of a map service on the ArcGIS platform, for open data that is published there.

Source: the platform's published API, and recorded answers (2026-09). Errors come with HTTP 200 and an `error` object; a
cut list says `exceededTransferLimit`; every field that was asked for is in every row, empty or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapers.failures import PageChanged, PortalUnavailable
from scrapers.parsing.fields import need, need_list, need_object
from scrapers.transport.session import PortalSession

Row = Mapping[str, Any]


def ask_rows(
    session: PortalSession, *, layer: str, where: str, order: str, limit: int, fields: str = "*"
) -> tuple[list[Row], bool]:
    """The attributes of the features that fit, and whether the service says that these are all."""
    page = session.get(
        f"{layer}/query",
        params={
            "where": where,
            "outFields": fields,
            "returnGeometry": "false",
            "resultRecordCount": limit,
            "resultOffset": 0,
            "orderByFields": f"{order} ASC",
            "f": "json",
        },
        headers={"Accept": "application/json"},
    )
    body = page.json()
    _refuse_errors(body, page.url)
    features = need_list(need(body, "features"), "'features'")
    rows = [need_object(need(feature, "attributes"), "the attributes of a feature") for feature in features]
    return rows, body.get("exceededTransferLimit") is not True


def _refuse_errors(body: Any, url: str) -> None:
    error = body.get("error") if isinstance(body, Mapping) else None
    if error is None:
        return
    code = error.get("code") if isinstance(error, Mapping) else None
    detail = f"{url}: the service answered with an error: {str(error)[:300]}"
    if isinstance(code, int) and code >= 500:
        raise PortalUnavailable(detail)
    raise PageChanged(detail)
