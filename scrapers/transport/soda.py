"""Questions to open data sets on the Socrata platform (SODA 2.1), for every state that reads one.

Source: the platform's published API. Absent values are absent keys; an error is a JSON object, mostly with 4xx; a
question that takes too long is a 202 or an error that says so; a header names all columns there are, the empty ones
too. It stands in the transport because a platform, states with portals of their own and lien searches need it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from scrapers.failures import Failure, PageChanged, PortalUnavailable
from scrapers.parsing.fields import need_list, text
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

Row = Mapping[str, Any]


class NoSuchColumn(PageChanged):
    """The data set has no column of a name that the question used."""


def ask_rows(session: PortalSession, *, domain: str, dataset: str, where: str, order: str, limit: int) -> list[Row]:
    """Ask one data set; a list of rows, each a mapping of the columns that are not empty."""
    token = session.key("socrata")
    params: dict[str, str | int] = {"$where": where, "$limit": limit, "$order": order}
    page = session.get(
        f"https://{domain}/resource/{dataset}.json",
        params=params,
        headers={"Accept": "application/json"} | ({"X-App-Token": token} if token else {}),
        expect=(200, 202, 400),
    )
    rows = need_list(_body_of(page), "the answer")
    if not all(isinstance(row, Mapping) for row in rows):
        raise PageChanged("a row is no object")
    return rows


def _body_of(page: Page) -> Any:
    if page.status == 202:
        raise PortalUnavailable(f"{page.url}: the question was accepted, the answer is not ready")
    body = page.json()
    error = body if isinstance(body, Mapping) else {}
    if page.status == 200 and not error.get("error"):
        return body
    reason = f"{error.get('code') or error.get('errorCode') or ''} {error.get('message') or ''}"
    if re.search(r"time.?out|timed out|unavailable|too.?busy", reason, flags=re.IGNORECASE):
        raise PortalUnavailable(f"{page.url}: {reason.strip()[:300]}", reason=Failure.TIMEOUT)
    if "no-such-column" in reason or "No such column" in reason:
        raise NoSuchColumn(f"{page.url}: {reason.strip()[:300]}")
    raise PageChanged(f"{page.url}: the data set refused the question: {reason.strip()[:300]}")


def list_columns(page: Page) -> frozenset[str]:
    """The columns of the data set that was asked, filled or not; none where the answer has no header with them.

    The platform documents the header and leaves it out where it would be longer than 4 KB.
    """
    try:
        found = json.loads(page.headers.get("x-soda2-fields") or "[]")
    except ValueError:
        return frozenset()
    return (
        frozenset(str(name) for name in found if not str(name).startswith(":"))
        if isinstance(found, list)
        else frozenset()
    )


def modified(page: Page) -> datetime | None:
    """The moment the data set was last changed, as the answer's header says; None when it does not."""
    raw = page.headers.get("x-soda2-truth-last-modified") or page.headers.get("last-modified")
    try:
        found = parsedate_to_datetime(raw) if raw else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found and found.tzinfo is None else found


def value(row: Row, column: str) -> str | None:
    """A column that may be empty (empty columns are left out)."""
    return text(row.get(column))


def flag(row: Row, column: str) -> bool | None:
    """A yes-no column, as JSON boolean or as text; PageChanged for anything else."""
    raw = row.get(column)
    if raw is None or isinstance(raw, bool):
        return raw
    word = str(raw).strip().casefold()
    if word in ("true", "false", ""):
        return {"true": True, "false": False}.get(word)
    raise PageChanged(f"{column!r} is neither true nor false: {raw!r}")
