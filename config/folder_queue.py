"""The queue of the embedded default: kombu's folder of messages, whose files appear whole or not at all.

kombu writes a message, and the table that says which queues an exchange fills, under its final name. A worker that
looks in that instant reads an empty file, and ends (2 of 400 messages, with a reader that never rests; a table, where
three workers start at once); and `manage.py up` stops all processes when one ends. A reader of kombu's takes a message
by way of /tmp; where that is full it passes over all of them, and says nothing.
"""

from __future__ import annotations

import fcntl
import logging
import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty
from time import monotonic
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

Row = filesystem.exchange_queue_t  # routing key, pattern, queue

log = logging.getLogger(__name__)
MOST_NAMED = 100


class Channel(filesystem.Channel):
    """Writes beside and renames; steps over what cannot be read."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        for folder in (self.data_folder_in, self.control_folder):
            with suppress(OSError):  # who writes there hears of it
                Path(folder).mkdir(parents=True, exist_ok=True)

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        """Add a message; its name puts it behind those before it."""
        name = f"{round(monotonic() * 1000):015}_{uuid.uuid4()}.{queue}"  # as text, 9 s would come after 10 s
        _write(Path(self.data_folder_out) / f"{name}.msg", payload)  # readers take names that end in .msg

    def _get(self, queue: str) -> Any:  # type: ignore[override]
        """The oldest message. One that a full disk cut off is lost: the row it tells of is found by the sweep."""
        for name in self._list_names():
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            path = Path(self.data_folder_in) / name
            try:
                content = path.read_bytes()
                path.unlink()  # who removes it has it
            except FileNotFoundError:
                continue
            except OSError as problem:
                _step_over(path, problem)
                continue
            try:
                return loads(content.decode())
            except ValueError:
                log.warning("A message in the folder of queue %s could not be read and is dropped.", queue)
                break
        raise Empty

    def _list_names(self) -> list[str]:
        try:
            return sorted(os.listdir(self.data_folder_in))
        except OSError as problem:  # the worker connects again, which makes the folder where it is gone
            raise ChannelError(f"Cannot look into {self.data_folder_in}") from problem

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
        with suppress(OSError):
            draft.unlink()
        raise ChannelError(f"Cannot write {path}") from problem


_stepped_over: set[Path] = set()  # in this process


def _step_over(path: Path, problem: OSError) -> None:
    """Leave a message that cannot be taken to whoever mends its folder. It is looked at twenty times a second."""
    if path not in _stepped_over and len(_stepped_over) < MOST_NAMED:
        _stepped_over.add(path)
        log.warning("A message is left where it is, as it cannot be taken: %s", problem)


class Transport(filesystem.Transport):
    """kombu's, with our way to write."""

    Channel = Channel
