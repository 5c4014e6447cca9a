"""The command behind `make test`: which engines it runs, and what it says when it cannot run one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import psycopg
import pytest
import redis

from tests.engines import __main__ as command
from tests.engines import programs, servers
from tests.failures.books import wait_until

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="2" skipped="3" tests="10" time="1"/></testsuites>"""
PASSED = {"passed": 5, "failed": 0, "errors": 0, "skipped": 0}


@pytest.fixture
def embedded_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without servers, on which the embedded half passes."""

    def missing() -> programs.Programs:
        raise programs.Missing("postgresql and redis-server are not installed, and only root may install them")

    monkeypatch.setattr(programs, "get_programs", missing)
    monkeypatch.setattr(command, "run_suite", lambda engine, **_: command.Result(engine, 0, PASSED))
    for name in ("TEST_DATABASE_URL", "TEST_REDIS_URL", "CI"):
        monkeypatch.delenv(name, raising=False)


class TestTheClosingLine:
    """The last line of `make test`."""

    def test_counts_what_pytest_reported(self, tmp_path: Path) -> None:
        (tmp_path / "report.xml").write_text(REPORT)
        counts = command.read_counts(tmp_path / "report.xml")
        assert counts == {"passed": 4, "failed": 2, "errors": 1, "skipped": 3}
        told = command.Result("SQLite", 1, counts).describe()
        assert told == "SQLite: 4 passed, 2 failed, 1 errors, 3 skipped"

    def test_does_not_hide_that_nothing_ran(self, tmp_path: Path) -> None:
        assert (
            command.Result("SQLite", 4, command.read_counts(tmp_path / "none.xml")).describe() == "SQLite: no test ran"
        )

    @pytest.mark.usefixtures("embedded_only")
    def test_says_plainly_that_the_second_half_did_not_run(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main([]) == 0
        said = capsys.readouterr().out.splitlines()[-1]
        assert "SQLite + filesystem broker: 5 passed; PostgreSQL + Redis: NOT RUN (postgresql and redis-server" in said

    @pytest.mark.usefixtures("embedded_only")
    def test_is_a_failure_where_both_halves_must_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert command.main(["--only", "servers"]) == 1
        monkeypatch.setenv("CI", "true")
        assert command.main([]) == 1

    @pytest.mark.parametrize("failing", ["SQLite", "PostgreSQL"])
    def test_names_both_halves_and_follows_the_one_that_failed(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failing: str
    ) -> None:
        def run(engine: str, *, out: Any = None, **_: Any) -> command.Result:
            command.say(f"the lines of {engine}", out)
            return command.Result(engine, int(engine.startswith(failing)), PASSED)

        monkeypatch.setattr(command, "run_suite", run)
        for name in ("TEST_DATABASE_URL", "TEST_REDIS_URL"):
            monkeypatch.setenv(name, "named")
        assert command.main([]) == 1
        first, second, *_, last = capsys.readouterr().out.split("\n")[:-1]
        assert (first, second) == (
            "the lines of SQLite + filesystem broker",
            "the lines of PostgreSQL + Redis as named",
        )
        assert "broker: 5 passed; PostgreSQL + Redis as named: 5 passed" in last

    def test_in_the_background_of_a_shell_has_processes_that_ctrl_c_ends(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Such a shell has what it starts ignore it, and each process has that from the one that starts it."""
        told = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"

        def run(engine: str, **_: Any) -> command.Result:
            started = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
            return command.Result(engine, int(started.stdout != "True\n"), PASSED)

        monkeypatch.setattr(command, "run_suite", run)
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            assert command.main(["--only", "embedded"]) == 0
        finally:
            signal.signal(signal.SIGINT, before)

    def test_ended_by_the_system_waits_for_no_engine(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def run(engine: str, **_: Any) -> command.Result:
            command._run([sys.executable, "-c", "import time; time.sleep(600)"], dict(os.environ), None)
            return command.Result(engine, 0, PASSED)

        def end() -> None:
            wait_until(lambda: len(command._running) == 2, what="both run")
            started.extend(command._running)
            os.kill(os.getpid(), signal.SIGTERM)

        started: list[subprocess.Popen[bytes]] = []
        monkeypatch.setattr(command, "run_suite", run)
        for name in ("TEST_DATABASE_URL", "TEST_REDIS_URL"):
            monkeypatch.setenv(name, "named")
        before = signal.getsignal(signal.SIGTERM)
        try:
            beside = Thread(target=end)
            beside.start()
            with pytest.raises(SystemExit):
                command.main([])
            beside.join()
        finally:
            signal.signal(signal.SIGTERM, before)
        assert [one.poll() for one in started] == [-signal.SIGTERM, -signal.SIGTERM]

    def test_follows_a_failed_half(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(command, "run_suite", lambda engine, **_: command.Result(engine, 1, PASSED))
        assert command.main(["--only", "embedded"]) == 1


class TestInstallingServers:
    """Servers that are not on this machine."""

    def test_needs_root(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "apt-get").write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / "apt-get").chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        with pytest.raises(programs.Missing, match="only root may install them"):
            programs.install()

    def test_needs_a_system_with_such_packages(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(programs.Missing, match="no apt-get"):
            programs.install()

    def test_passes_on_why_it_failed(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "apt-get").write_text("#!/bin/sh\necho 'E: no space left' >&2\nexit 100\n")
        (tmp_path / "apt-get").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        monkeypatch.setattr(programs, "START_POLICY", tmp_path / "policy")
        with pytest.raises(programs.Missing, match="apt-get update failed: E: no space left"):
            programs.install()
        assert not (tmp_path / "policy").exists()


class TestThrowAwayServers:
    """PostgreSQL and Redis for one run."""

    def test_answer_while_they_run_and_leave_nothing(self) -> None:
        found = programs.find_programs()
        if found is None:
            pytest.skip("PostgreSQL and Redis are not on this machine")
        with servers.running(found) as addresses:
            with psycopg.connect(addresses.database_url) as connection:
                (folder,) = connection.execute("SHOW data_directory").fetchone()
            with redis.Redis.from_url(addresses.redis_url) as queue:
                assert queue.ping()
                assert queue.config_get("save")["save"] == ""
        assert not Path(folder).parent.exists()
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(addresses.database_url)
