"""Whether the broker answers, and how many messages wait in it.

For operators only: the jobs' rows are the truth, a message only wakes a worker.
"""

from __future__ import annotations

import logging
from pathlib import Path

import redis
from celery import current_app
from django.conf import settings

log = logging.getLogger(__name__)

QUEUES = ("interactive", "bulk", "upkeep")
PATIENCE = 2.0  # seconds: a page must not wait for a broker that is gone


def list_depths() -> dict[str, int] | None:
    """Messages that wait, by queue; None when the broker cannot be asked. Those a worker has in hand do not count."""
    try:
        return _on_redis() if str(current_app.conf.broker_url).startswith("redis") else _in_folder()
    except (OSError, redis.RedisError):
        log.warning("The broker could not be asked how much waits in it.", exc_info=True)
        return None


def answers() -> bool:
    """Whether the queue can be reached: Redis, or the broker's folder of the embedded default."""
    if not settings.REDIS_URL:
        return Path(settings.VAR_DIR).is_dir()
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1.0, socket_connect_timeout=1.0) as client:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False


def _on_redis() -> dict[str, int]:
    address = str(current_app.conf.broker_url)
    with redis.Redis.from_url(address, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE) as broker:
        return {queue: int(broker.llen(queue)) for queue in QUEUES}


def _in_folder() -> dict[str, int]:
    """One file a message, named by its queue."""
    names = [path.name for path in Path(current_app.conf.broker_transport_options["data_folder_in"]).iterdir()]
    return {queue: sum(name.partition(".")[2] == f"{queue}.msg" for name in names) for queue in QUEUES}
