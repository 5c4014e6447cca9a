"""What a registry publishes as files, as its portal states it: where they are, what is in them, and what they are for.

Some states wall their search but publish the whole registry. A dated copy of it is honest as long as the answer
says so (`dataAsOf`, `source: cache`), and asks nothing of the portal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scrapers.records import EntityRecord
from scrapers.transport.session import PortalSession

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class BulkData:
    """`url` of one file, its `kind`, the least entities a whole copy has, and how a row of it is read.

    `record` gives None for rows that are no entity (named kinds only, never a guess). `least_rows` guards the switch: a
    copy that is suddenly much smaller is a broken download, not a state that lost its companies. The loaded copy
    answers instead of the portal; with `beside_live` the portal answers, and the copy only where its list was cut.
    With `active_only` it lacks entities that have ended, and whoever is answered from it is told so; beside a live
    search, which knows them, it is read only by whoever asks for a copy.
    """

    url: str
    kind: Literal["csv", "csv-zip", "ndjson-zip", "fixed-zip"]
    least_rows: int
    record: Callable[[Row], EntityRecord | None]
    columns: frozenset[str] = frozenset()  # columns the file must have
    known: re.Pattern[str] | None = None  # columns it may have beside them; None where others do not matter
    members: tuple[str, ...] = ()
    encoding: str = "utf-8-sig"
    width: int = 0  # characters a line, for fixed width
    more: tuple[str, ...] = ()  # further files: the download is then a folder
    joined: Callable[[Path], Iterator[Row]] | None = None  # reads the download whose files, or tables, belong together
    asked_before: Callable[[PortalSession], None] | None = None  # what a visitor has to answer before the download
    supplied: bool = False  # an operator brings it: for holders of an account, for a fee, or behind another host
    walled: bool = False  # the portal's own search turns programs away
    beside_live: bool = False
    active_only: bool = False
    entities_alone: bool = False  # of its rows, or beside it: no reserved names and others that are no entity's
    lacks: frozenset[str] = frozenset()  # fields of a record that the portal shows and no file holds
    most_rows: int = 200  # of one name
