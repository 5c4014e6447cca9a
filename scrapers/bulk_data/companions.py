"""Rows that stand beside entities in tables of their own (officers, other names), found again by the entity's number.

Nobody promises in what order the files of one publication are, and they are too large for memory: they wait on disk, in
a file that has lost its name already, so that nothing of it outlives the load, however that ends. Not in the database:
two copies that must be switched at once would be the price of a question that is rarely asked.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from scrapers.failures import PageChanged

Cells = tuple[str, ...]
_MOST = 5_000  # rows of one entity in one table; the most that were seen are 722
_TABLE = "CREATE TABLE beside (number TEXT NOT NULL, kind TEXT NOT NULL, cells TEXT NOT NULL)"


@contextmanager
def companions(
    folder: Path, tables: Mapping[str, Iterable[tuple[str, Cells]]]
) -> Iterator[Callable[[str], dict[str, str]]]:
    """Read the tables of (entity number, cells); what is yielded gives all of one number, by table, as JSON lists.

    `folder` is where they wait, where it can be written to: they may be larger than what is kept for short-lived files.
    """
    with NamedTemporaryFile(dir=folder if os.access(folder, os.W_OK) else None) as file:
        database = sqlite3.connect(file.name, check_same_thread=False)
    with closing(database):
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -8000"):
            database.execute(f"PRAGMA {setting}")
        database.execute(_TABLE)
        for kind, rows in tables.items():
            lines = ((number, kind, json.dumps(cells, ensure_ascii=False)) for number, cells in rows)
            database.executemany("INSERT INTO beside VALUES (?, ?, ?)", lines)
        database.execute("CREATE INDEX by_number ON beside (number, kind)")

        def find(number: str) -> dict[str, str]:
            return {kind: _list(database, number, kind) for kind in tables}

        yield find


def _list(database: sqlite3.Connection, number: str, kind: str) -> str:
    question = "SELECT cells FROM beside WHERE number = ? AND kind = ? ORDER BY rowid LIMIT ?"
    found = [cells for (cells,) in database.execute(question, (number, kind, _MOST))]
    if len(found) == _MOST:
        raise PageChanged(f"{number} has {_MOST} {kind} or more")
    return f"[{','.join(found)}]"
