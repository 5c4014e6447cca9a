"""A database and a queue of its own for a test that starts whole processes, on the engine this run is on."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis

QUEUE_NUMBER = 11  # Redis databases are numbered; those above are the suite's own, and each process of it counts down


@contextmanager
def engine_variables(*, template: Mapping[str, str] | None = None) -> Iterator[dict[str, str]]:
    """Give DATABASE_URL and REDIS_URL as the service reads them; both empty on the embedded default.

    A new PostgreSQL database is made and dropped afterwards, as a copy of the one in `template` (such variables) where
    that is given; the Redis database is emptied before and after.
    """
    database_url, redis_url = os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", "")
    if not (database_url and redis_url):
        yield {"DATABASE_URL": "", "REDIS_URL": ""}
        return
    name = f"journey_{secrets.token_hex(4)}"
    server = urlsplit(database_url)
    queue = QUEUE_NUMBER - int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    queue_url = urlunsplit(urlsplit(redis_url)._replace(path=f"/{queue}"))
    origin = urlsplit(template["DATABASE_URL"]).path.strip("/") if template else "template1"
    with psycopg.connect(urlunsplit(server._replace(path="/postgres")), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{origin}"')
        _empty(queue_url)
        try:
            yield {"DATABASE_URL": urlunsplit(server._replace(path=f"/{name}")), "REDIS_URL": queue_url}
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
            _empty(queue_url)


def _empty(queue_url: str) -> None:
    with redis.Redis.from_url(queue_url) as queue:
        queue.flushdb()
