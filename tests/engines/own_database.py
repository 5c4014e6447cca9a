"""A database and a queue of its own for a test that starts whole processes, on the engine this run is on."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis

QUEUE_NUMBER = 11  # Redis databases are numbered; the suite itself uses the one in REDIS_URL


@contextmanager
def engine_variables() -> Iterator[dict[str, str]]:
    """Give DATABASE_URL and REDIS_URL as the service reads them; both empty on the embedded default.

    A new PostgreSQL database is made and dropped afterwards; the Redis database is emptied before and after.
    """
    database_url, redis_url = os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", "")
    if not (database_url and redis_url):
        yield {"DATABASE_URL": "", "REDIS_URL": ""}
        return
    name = f"journey_{secrets.token_hex(4)}"
    server = urlsplit(database_url)
    queue_url = urlunsplit(urlsplit(redis_url)._replace(path=f"/{QUEUE_NUMBER}"))
    with psycopg.connect(urlunsplit(server._replace(path="/postgres")), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        _empty(queue_url)
        try:
            yield {"DATABASE_URL": urlunsplit(server._replace(path=f"/{name}")), "REDIS_URL": queue_url}
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
            _empty(queue_url)


def _empty(queue_url: str) -> None:
    with redis.Redis.from_url(queue_url) as queue:
        queue.flushdb()
