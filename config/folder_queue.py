"""The queue of the embedded default: kombu's folder of messages, whose files appear whole or not at all.

kombu writes a message, and the table that says which queues an exchange fills, under its final name. A worker that
looks in that instant reads an empty file, and ends (2 of 400 messages, with a reader that never rests; a table, where
three workers start at once); and `manage.py up` stops all processes when one ends.
"""

from __future__ import annotations

import fcntl
import logging
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from queue import Empty
from time import monotonic
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps

Row = filesystem.exchange_queue_t  # routing key, pattern, queue

log = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """Writes beside and renames; steps over what cannot be read."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        """Add a message; its name puts it behind those before it."""
        name = f"{round(monotonic() * 1000):015}_{uuid.uuid4()}.{queue}"  # as text, 9 s would come after 10 s
        _write(Path(self.data_folder_out) / f"{name}.msg", payload)  # readers take names that end in .msg

    def _get(self, queue: str) -> Any:  # type: ignore[override]
        """The oldest message. One that a full disk cut off is lost: the row it tells of is found by the sweep."""
        try:
            return super()._get(queue)
        except ValueError:
            log.warning("A message in the folder of queue %s could not be read and is dropped.", queue)
            raise Empty from None

    def get_table(self, exchange: str) -> list[Row]:  # type: ignore[override]
        """The queues that an exchange fills. One that a full disk cut off is empty: workers add their queues again."""
        try:
            return super().get_table(exchange)
        except ValueError:
            return []

    def _queue_bind(self, exchange: str, routing_key: Any, pattern: Any = None, queue: Any = None) -> None:
        row = Row(routing_key or "", pattern or "", queue or "")
        self._change_table(exchange, lambda table: table if row in table else [row, *table])

    def _delete(self, queue: str, exchange: str, routing_key: Any, pattern: Any, **_: Any) -> None:
        self._purge(queue)
        row = Row(routing_key or "", pattern or "", queue or "")
        self._change_table(exchange, lambda table: [other for other in table if other != row])

    def _change_table(self, exchange: str, change: Callable[[list[Row]], list[Row]]) -> None:
        """Write what `change` makes of a table, while nobody else changes one."""
        path: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]
        with open(self.control_folder / "tables.lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed, which a kill does, too
            table = self.get_table(exchange)
            changed = change(table)
            if changed != table:
                _write(path, changed)


def _write(path: Path, content: Any) -> None:
    """Write a file as JSON beside its place and move it there."""
    draft = path.with_suffix(".draft")
    try:
        draft.write_bytes(dumps(content).encode())
        os.replace(draft, path)
    except OSError as problem:
        raise ChannelError(f"Cannot write {path}") from problem


class Transport(filesystem.Transport):
    """kombu's, with our way to write."""

    Channel = Channel
