"""How much of the code one lookup walks through: files, calls, changes of file and queries, live and stored.

    python -m tests.bench.reading_path [--calls]

Asks New York's reader against a registry on loopback, through the whole stack of views and middleware, in a database of
its own that is thrown away. Only the project's own code is counted. The figures depend on no clock: they say what a
person has to read to follow a lookup, and are compared with those of another version. `--calls` lists the way itself.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, ClassVar

ROOT = Path(__file__).resolve().parents[2]
APPS = tuple(f"{ROOT / app}{os.sep}" for app in ("billing", "config", "jurisdictions", "lookups", "scrapers"))


@dataclass
class Walk:
    """Every call of the project's own functions, in order; comprehensions count as part of their function."""

    calls: list[CodeType] = field(default_factory=list)
    queries: int = 0

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """The profiler's hook."""
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(APPS) and not code.co_name.startswith("<"):
            self.calls.append(code)

    def note_query(self, execute: Callable[..., Any], *query: Any) -> Any:
        """The database's hook."""
        self.queries += 1
        return execute(*query)

    @property
    def files(self) -> list[str]:
        """The files that were entered, each once."""
        return sorted({code.co_filename for code in self.calls})

    @property
    def changes(self) -> int:
        """How often the next call was in another file than the one before."""
        names = [code.co_filename for code in self.calls]
        return sum(one != other for one, other in pairwise(names))


def set_up(folder: str) -> None:
    """An empty database in the folder, with the registries' switches."""
    os.environ |= {"DATABASE_URL": f"sqlite:///{folder}/db.sqlite3", "REDIS_URL": "", "VAR_DIR": folder}
    os.environ |= {"SOS_TEST_VAR": folder, "DJANGO_SETTINGS_MODULE": "config.settings.test"}
    import django

    futures.ThreadPoolExecutor = futures.thread.ThreadPoolExecutor = Followed  # type: ignore[misc]
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("sync_jurisdictions", verbosity=0)


class Followed(ThreadPoolExecutor):
    """A pool whose threads are followed while they work: a live lookup runs in one, which may be older than it."""

    walk: ClassVar[Walk]

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit the work together with its follower."""
        return super().submit(follow, self.walk, partial(fn, *args, **kwargs))


def follow(walk: Walk, work: Callable[[], Any]) -> Any:
    """Do the work and note every call and query of it in this thread."""
    from django.db import connection

    with connection.execute_wrapper(walk.note_query):
        sys.setprofile(walk.note)
        try:
            return work()
        finally:
            sys.setprofile(None)


def ask(secret: str, **body: Any) -> Walk:
    """Send one lookup; returns the way it took."""
    from django.test import Client

    walk = Followed.walk = Walk()
    send = partial(Client().post, "/v1/lookup", json.dumps(body), content_type="application/json")
    reply = follow(walk, partial(send, headers={"x-api-key": secret}))
    assert reply.status_code == 200, reply.content
    return walk


def main() -> None:
    """Ask once to warm up, once live and once for what is stored then; print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", action="store_true", help="list the calls of the live lookup, file by file")
    with_calls = parser.parse_args().calls
    with tempfile.TemporaryDirectory(prefix="sos-lookup-path-") as folder:
        set_up(folder)
        from django.conf import settings
        from django.utils import timezone

        from billing import accounts, keys
        from tests.lookups import registry_server

        account = accounts.open_account(name="path", now=timezone.now())
        _, secret = keys.issue(account=account, name="path", mode="live", now=timezone.now())
        with registry_server.serving() as registry:
            settings.PORTALS_URL = registry.url
            registry.rows = [
                registry_server.company(name, str(n)) for n, name in enumerate(("WARM UP", "ACME CORP."), 100001)
            ]
            ask(secret, entity_name="Warm Up", state="NY")
            ways = {
                "live": ask(secret, entity_name="Acme Corp", state="NY", fresh=True),
                "stored": ask(secret, entity_name="Acme Corp", state="NY", fresh=False),
            }
    for name, walk in ways.items():
        line = (
            f"{len(walk.files)} files, {len(walk.calls)} calls, {walk.changes} changes of file, {walk.queries} queries"
        )
        print(f"{name}: {line}")  # noqa: T201
    if with_calls:
        for code in ways["live"].calls:
            print(f"{Path(code.co_filename).relative_to(ROOT)}: {code.co_qualname}")  # noqa: T201


if __name__ == "__main__":
    main()
