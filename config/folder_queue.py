"""The queue of the embedded default: kombu's folder of messages, whose messages appear whole or not at all.

kombu writes a message under its final name. A worker that looks in that instant reads an empty file, and ends (2 of 400
messages, with a reader that never rests); and `manage.py up` stops all processes when one ends.
"""

from __future__ import annotations

import logging
import os
import uuid
from pathlib import Path
from queue import Empty
from time import monotonic
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps

log = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """Writes beside and renames; steps over what cannot be read."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        """Add a message; its name puts it behind those before it."""
        name = f"{round(monotonic() * 1000):015}_{uuid.uuid4()}.{queue}"  # as text, 9 s would come after 10 s
        draft = Path(self.data_folder_out) / f"{name}.draft"  # readers take names that end in .msg
        draft.write_bytes(dumps(payload).encode())
        os.replace(draft, draft.with_name(f"{name}.msg"))

    def _get(self, queue: str) -> Any:  # type: ignore[override]
        """The oldest message. One that a full disk cut off is lost: the row it tells of is found by the sweep."""
        try:
            return super()._get(queue)
        except ValueError:
            log.warning("A message in the folder of queue %s could not be read and is dropped.", queue)
            raise Empty from None


class Transport(filesystem.Transport):
    """kombu's, with our way to write."""

    Channel = Channel
