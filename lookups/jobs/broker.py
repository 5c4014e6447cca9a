"""Whether the broker takes messages, and how many wait in it.

For operators only: the jobs' rows are the truth, a message only wakes a worker.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from celery import current_app
from django.conf import settings

if TYPE_CHECKING:
    from redis import Redis

log = logging.getLogger(__name__)

QUEUES = ("interactive", "bulk", "upkeep")
PATIENCE = 2.0  # seconds: a page must not wait for a broker that is gone


def list_depths() -> dict[str, int] | None:
    """Messages that wait, by queue; None when the broker cannot be asked. Those a worker has in hand do not count."""
    try:
        return _on_redis() if str(current_app.conf.broker_url).startswith("redis") else _in_folder()
    except OSError:
        log.warning("The broker could not be asked how much waits in it.", exc_info=True)
        return None


def answers() -> bool:
    """Whether something can be written to Redis, or the broker's folder: one that is full or read-only takes no call.

    Redis is where the pace of the registries is agreed, too.
    """
    try:
        return _write_to_redis() if settings.REDIS_URL else _write_to_folder()
    except OSError as problem:
        log.warning("The broker takes nothing: %s", problem)
        return False


@contextmanager
def _redis(address: str, seconds: float) -> Iterator[Redis]:
    """Redis, whose failures are told as those of a folder."""
    from redis import Redis, RedisError  # here: without Redis its client is 6 MB for nothing

    try:
        with Redis.from_url(address, socket_timeout=seconds, socket_connect_timeout=seconds) as client:
            yield client
    except RedisError as failure:
        raise OSError(str(failure)) from failure


def _write_to_redis() -> bool:
    with _redis(settings.REDIS_URL, 1.0) as client:
        return bool(client.set("sos:answers", 1, ex=60))


def _write_to_folder() -> bool:
    with TemporaryFile(dir=settings.VAR_DIR, buffering=0) as file:
        return bool(file.write(b"x"))


def _on_redis() -> dict[str, int]:
    with _redis(str(current_app.conf.broker_url), PATIENCE) as broker:
        return {queue: int(broker.llen(queue)) for queue in QUEUES}


def _in_folder() -> dict[str, int]:
    """One file a message, named by its queue."""
    names = [path.name for path in Path(current_app.conf.broker_transport_options["data_folder_in"]).iterdir()]
    return {queue: sum(name.partition(".")[2] == f"{queue}.msg" for name in names) for queue in QUEUES}
