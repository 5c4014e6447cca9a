"""How pages write days, long texts and sentences of the wire, and how much of a long list they show."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Generic, TypeVar

from lookups.names.check import COPY_KEPT
from lookups.privacy import suppression
from scrapers.normalize.hidden import visible

Item = TypeVar("Item")
AT_ONCE = 10
LONGEST = 400  # characters of one text; registries write two lines, and whoever attacks us a book
COPY_HERE = "A copy of its register is loaded here, and can answer instead."
WHY_EMPTY = {
    "not_published": "not published by this source",
    "empty": "blank in the registry",
    "paywalled": "only sold by the registry",
    suppression.WITHHELD: "left out at the request of a person it is about",
    "parse_failed": "shown by the registry in a form we could not split",
    "hidden": "not shown on this page",
}


@dataclass(frozen=True, slots=True)
class Some(Generic[Item]):
    """As much of a list as fits on the page, and how many more there are."""

    items: list[Item]
    more: int = 0
    on_paper: int = AT_ONCE

    def __bool__(self) -> bool:
        return bool(self.items)

    @property
    def first(self) -> list[Item]:
        """What is seen at once."""
        return self.items[:AT_ONCE]

    @property
    def rest(self) -> list[Item]:
        """What opens at a click."""
        return self.items[AT_ONCE:]

    @property
    def not_on_paper(self) -> int:
        """How many there are beyond what a page of paper has room for."""
        return max(0, len(self.items) - self.on_paper) + self.more


def some(
    items: Iterable[Item], *, size: Callable[[Item], int], room: int, most: int = 400, on_paper: int = AT_ONCE
) -> Some[Item]:
    """The first ones that fit into so many bytes, at least one of them."""
    everything = list(items)
    shown: list[Item] = []
    for item in everything[:most]:
        room -= size(item)
        if room < 0 and shown:
            break
        shown.append(item)
    return Some(shown, len(everything) - len(shown), on_paper)


def weight(*texts: str | None) -> int:
    """How many bytes these texts are on a page."""
    return sum(len(html.escape(text).encode("utf-8", "replace")) for text in texts if text)


def day(moment: date | datetime | str | None) -> str | None:
    """A day as the dossier writes it: 14 March 2011. What is no ISO date stays as the state wrote it."""
    if isinstance(moment, datetime):
        moment = moment.astimezone(UTC).date()
    if isinstance(moment, str):
        try:
            moment = date.fromisoformat(moment[:10]) if len(moment) in (10, 24) else moment
        except ValueError:
            return clip(moment)
    return f"{moment.day} {moment:%B %Y}" if isinstance(moment, date) else clip(moment)


def clip(value: Any, longest: int = LONGEST) -> str | None:
    """A text in one page's measure; None where there is none."""
    text = "" if value is None else visible(str(value)).strip()
    if len(text) <= longest:
        return text or None
    return f"{text[:longest].rstrip()} … ({len(text) - longest:,} more characters)"


def write_for_people(text: str) -> str:
    """A sentence that names fields of the wire, as people read it."""
    return text.replace(COPY_KEPT, COPY_HERE).replace("the entity_id", "the state's identifier")


def count(number: int, singular: str) -> str:
    """A number with its unit."""
    return f"{number:,} {singular if number == 1 else f'{singular}s'}"


def web_link(address: Any, *, sandbox: bool) -> str | None:
    """What may be a link: a web address, and never one of the fictional registry."""
    text = str(address or "")
    return text if text.startswith(("https://", "http://")) and len(text) <= 2_000 and not sandbox else None
