"""Runs the tests of each change in a fork of one warmed pytest: a change costs its tests' time and nothing else.

First all tests run once, unchanged, and it is noted how long each takes and which lines it runs. A change is then
tried by the tests that run its line, those that noticed most in their time so far first, then the fastest, until one
fails.
"""

from __future__ import annotations

import os
import pickle
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import coverage
import psycopg
import pytest
import redis
from django.conf import settings
from django.db import connection, connections

from jurisdictions.prepared import Prepared
from tests.mutants.changes import Change
from tests.mutants.install import install

ROOT = Path(__file__).resolve().parents[2]
LONGEST_RUN = 1800.0
Lines = dict[int, set[str]]


class Trials:
    """A pytest plugin that tries `changes` in place of pytest's own loop; `unnoticed` are those no test noticed."""

    def __init__(self, changes: Sequence[Change], say: Callable[[str], None]) -> None:
        self.changes, self.say = changes, say
        self.unnoticed: list[tuple[Change, str]] = []
        self.seconds: Counter[str] = Counter()
        self.failed: list[str] = []
        self.noticed_by: Counter[str] = Counter()
        self.took: Counter[str] = Counter()  # seconds of the trials that a test ended

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.append(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed:
            return None  # some cannot even be read: pytest's own loop says so, and ends
        self.items = {item.nodeid: item for item in session.items}
        with_database = [item for item in session.items if "django_db_setup" in getattr(item, "fixturenames", ())]
        first = [*with_database, *session.items][0]
        session.config.hook.pytest_runtest_protocol(item=first, nextitem=session.items[-1])  # now the database is there
        connections.close_all()
        kept = _Kept()
        self.seconds, self.failed, lines = _in_fork(self._run_unchanged, LONGEST_RUN) or sys.exit("The tests hang.")
        kept.restore()
        if self.failed:
            self.say(f"  left out, for they fail without a change: {', '.join(sorted(set(self.failed)))}")
        for number, change in enumerate(self.changes):
            tests = self._choose(change, lines[change.module])
            limit = 60 + 4 * sum(self.seconds[test] for test in tests)
            begun = time.monotonic()
            found = _in_fork(lambda change=change, tests=tests: self._try(change, tests), limit) if tests else ""
            took = time.monotonic() - begun
            if found is None or found:
                self.noticed_by[found or ""] += 1
                self.took[found or ""] += took
            else:
                self.unnoticed.append((change, f"{len(tests)} tests" if tests else "no test runs it"))
            kept.restore()
            word = "  " if found is None or found else "!!"
            self.say(f"{word} {number + 1}/{len(self.changes)} {took:.1f}s {change} [{found}]")
        return True

    def _choose(self, change: Change, lines: Lines) -> list[str]:
        first, last = change.lines
        covering = {test for line in range(first, last + 1) for test in lines.get(line, ())} - {""}
        # It was run when it was loaded, or, as the query of a planned statement, by the first test that met it
        once = not change.place or (not covering and (change.place[:1].isupper() or _is_header(change)))
        if once:
            covering = {test for tests in lines.values() for test in tests} - {""}
        covering -= set(self.failed)
        return sorted(covering, key=lambda test: (-self.noticed_by[test] / (1 + self.took[test]), self.seconds[test]))

    def _run(self, items: list[pytest.Item], before: Callable[[pytest.Item], None] | None = None) -> str:
        """Run tests until one fails; return its name. What the last one leaves is not cleared away: a fork ends."""
        self.failed.clear()
        for item, following in zip(items, [*items[1:], items[-1]], strict=True):
            item.session._setupstate.teardown_exact(item)
            if before:
                before(item)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed and not before:
                return self.failed[0]
        return ""

    def _try(self, change: Change, tests: list[str]) -> str:
        try:
            install(change.module.removesuffix(".py").replace("/", "."), change.text)
        except Exception as problem:  # the module cannot even be loaded
            return type(problem).__name__
        return self._run([self.items[test] for test in tests])

    def _run_unchanged(self) -> tuple[Counter[str], list[str], dict[str, Lines]]:
        paths = {change.module: str(ROOT / change.module) for change in self.changes}
        names = {path.removesuffix(".py").replace("/", ".") for path in paths}
        known = [value for name in names for value in vars(sys.modules[name]).values()]
        cached = [value for value in known if hasattr(value, "cache_clear")]
        planned = [value for value in known if type(value).__module__ == Prepared.__module__]
        measured = coverage.Coverage(data_file=None, include=list(paths.values()), config_file=False)
        measured.start()

        def before(item: pytest.Item) -> None:
            for value in cached:
                value.cache_clear()
            for value in planned:  # else only the first test that met it would be seen to run what writes it
                value._written.clear()
            measured.switch_context(item.nodeid)

        self._run(list(self.items.values()), before)
        measured.stop()
        data = measured.get_data()
        lines = {module: data.contexts_by_lineno(path) for module, path in paths.items()}
        return (
            self.seconds,
            self.failed,
            {module: {line: set(tests) for line, tests in found.items()} for module, found in lines.items()},
        )


def _is_header(change: Change) -> bool:
    """Whether it stands among a function's parameters."""
    return change.text.splitlines()[change.lines[0] - 1].lstrip().startswith("def ")


def _in_fork(work: Callable[[], Any], seconds: float) -> Any:
    """Return what `work` returns in a process of its own; None when that takes too long or breaks down."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(pickle.dumps(work()))
        finally:
            os._exit(0)
    os.close(writing)
    answer, deadline = b"", time.monotonic() + seconds
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0, deadline - time.monotonic()))[0]:
            part = pipe.read(65536)
            if not part:
                break
            answer += part
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return pickle.loads(answer) if answer else None


class _Kept:
    """The database, the files and the queue as they were before the first test; put back after each change."""

    def __init__(self) -> None:
        self.folder = Path(settings.VAR_DIR)
        self.copy = Path(tempfile.mkdtemp(dir=self.folder.parent)) / "var"
        shutil.copytree(self.folder, self.copy)
        self.database = connection.settings_dict["NAME"] if connection.vendor == "postgresql" else ""
        if self.database:
            self._recreate("kept", self.database)

    def restore(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self.copy, self.folder)
        if self.database:
            self._recreate(self.database, "kept")
            redis.Redis.from_url(settings.REDIS_URL).flushdb()

    def _recreate(self, name: str, template: str) -> None:
        connections.close_all()
        connection.close_pool()  # nobody may use what is copied
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
            server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
