"""A database connection that is given back serves the next who needs one, as long as it is open and unspent."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.db import DatabaseError, connection, transaction

from config import idle_connections
from config.sqlite3.base import DatabaseWrapper as Files

pytestmark = pytest.mark.django_db(transaction=True)
idle: idle_connections.IdleConnections = connection.idle  # type: ignore[attr-defined]


def ask_who() -> Any:
    """The server's process behind this thread's connection, or when it opened the file."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT count(*) FROM billing_account")
            return connection.connection.made_at
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


def in_a_thread(work: Callable[[], Any]) -> Any:
    """What it returns there; its connection is given back, as at the end of a request."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(work())
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    return found[0]


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    connection.close()
    idle.clear()
    yield
    connection.close()
    idle.clear()


class TestAConnectionGivenBack:
    def test_serves_the_next_thread(self) -> None:
        assert len({in_a_thread(ask_who) for _ in range(3)}) == 1

    def test_is_nobody_elses_while_it_is_used(self) -> None:
        mine = ask_who()
        assert in_a_thread(ask_who) != mine
        assert ask_who() == mine

    @pytest.mark.postgres
    def test_that_the_server_has_closed_is_not_handed_on(self, on_postgres: None) -> None:
        first = in_a_thread(ask_who)
        parameters = {name: value for name, value in connection.get_connection_params().items() if name != "context"}
        with psycopg.connect(**parameters, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [first])
        assert in_a_thread(ask_who) != first

    def test_after_an_error_is_closed(self) -> None:
        def stumble() -> Any:
            who = ask_who()
            with pytest.raises(DatabaseError), connection.cursor() as cursor:
                cursor.execute("SELECT no_such_column")
            return who

        assert in_a_thread(stumble) != in_a_thread(ask_who)

    def test_in_the_middle_of_a_transaction_is_closed_and_what_it_wrote_is_gone(self) -> None:
        def leave() -> Any:
            connection.set_autocommit(False)
            return ask_who()

        assert in_a_thread(leave) != in_a_thread(ask_who)

    def test_carries_no_transaction_along(self) -> None:
        def write() -> Any:
            with transaction.atomic():
                return ask_who()

        first = in_a_thread(write)
        assert ask_who() == first
        assert connection.get_autocommit()

    @pytest.mark.postgres
    def test_with_rows_left_at_the_server_is_closed(self, on_postgres: None) -> None:
        """A later reader of the same name would be told that his cursor exists already."""
        left = []

        def begin_to_read() -> Any:
            rows = Permission.objects.iterator(chunk_size=1)
            left.append((next(rows), rows))
            return ask_who()

        assert in_a_thread(begin_to_read) != in_a_thread(ask_who)

    @pytest.mark.postgres
    def test_with_all_rows_read_is_handed_on(self, on_postgres: None) -> None:
        def read() -> Any:
            assert list(Permission.objects.iterator(chunk_size=1))
            return ask_who()

        assert in_a_thread(read) == in_a_thread(ask_who)

    def test_grows_old(self, monkeypatch: pytest.MonkeyPatch) -> None:
        first = in_a_thread(ask_who)
        monkeypatch.setattr(idle_connections, "IDLE_SECONDS", 0.0)
        assert in_a_thread(ask_who) != first

    def test_is_one_of_a_few(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(idle, "most", 0)
        assert in_a_thread(ask_who) != in_a_thread(ask_who)

    def test_stays_with_its_process(self) -> None:
        in_a_thread(ask_who)
        child = os.fork()
        if child == 0:
            os._exit(0 if not idle._idle else 1)
        assert os.waitpid(child, 0)[1] == 0


@pytest.fixture
def file(tmp_path: Any) -> Iterator[Callable[[], Any]]:
    """A database in a file, as a thread of the embedded default has it: each call is another thread's."""
    path = tmp_path / "db.sqlite3"
    named = {**settings.DATABASES["default"], "ENGINE": "config.sqlite3", "NAME": str(path)}
    named |= {
        "OPTIONS": {"init_command": "PRAGMA journal_mode=WAL"},
        "TIME_ZONE": None,
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": False,
        "AUTOCOMMIT": True,
    }
    made: list[Files] = []

    def open_another() -> Files:
        made.append(Files(named, "file"))
        return made[-1]

    with open_another().cursor() as cursor:
        cursor.execute("CREATE TABLE word (said)")
    made[0].close()
    Files.idle.clear()
    yield open_another
    for one in made:  # what is left open warns in whichever test it is forgotten
        one.close()
    Files.idle.clear()


class TestAFile:
    def test_is_opened_once_for_many_threads(self, file: Callable[[], Any]) -> None:
        opened = set()
        for _ in range(5):
            one = file()
            one.ensure_connection()
            opened.add(one.connection)
            one.close()
        assert len(opened) == 1

    def test_written_by_a_forked_process_keeps_what_it_wrote(self, file: Callable[[], Any]) -> None:
        """The child must not take the parent's lock for its own: whoever leaves as the last would end its log."""
        one = file()
        with one.cursor() as cursor:
            assert cursor.execute("SELECT said FROM word").fetchall() == []
        one.close()
        told_parent, told_child = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            try:
                with file().cursor() as cursor:
                    for number in range(2):
                        cursor.execute("INSERT INTO word VALUES (%s)", [number])
                        os.write(told_parent[1], b".")
                        os.read(told_child[0], 1)
                os._exit(0)
            finally:
                os._exit(1)
        path = one.settings_dict["NAME"]
        read = f"import sqlite3; c = sqlite3.connect({path!r}); print(c.execute('SELECT * FROM word').fetchall())"
        told = []
        for _ in range(2):
            os.read(told_parent[0], 1)
            Files.idle.clear()
            told.append(
                subprocess.run(
                    [sys.executable, "-c", f"{read}; c.close()"], capture_output=True, text=True, check=True
                ).stdout
            )
            os.write(told_child[1], b".")
        assert os.waitpid(child, 0)[1] == 0
        assert told == ["[(0,)]\n", "[(0,), (1,)]\n"]

    def test_is_on_the_disk_once_it_is_committed(self) -> None:
        """A power cut takes back no answer that was given and charged for."""
        options = settings.DATABASES["default"]["OPTIONS"] if connection.vendor == "sqlite" else {}
        if not options:
            pytest.skip("SQLite's")
        with connection.cursor() as cursor:
            assert cursor.execute("PRAGMA synchronous").fetchone() == (2,)

    def test_that_was_replaced_is_opened_anew(self, file: Callable[[], Any]) -> None:
        one, other = file(), file()
        with one.cursor() as cursor:
            cursor.execute("INSERT INTO word VALUES ('old')")
        one.close()
        path = one.settings_dict["NAME"]
        shutil.copy(path, f"{path}.new")
        os.replace(f"{path}.new", path)
        with other.cursor() as cursor:
            cursor.execute("UPDATE word SET said = 'new'")
        other.close()
        Files.idle.clear()
        with file().cursor() as cursor:
            assert cursor.execute("SELECT said FROM word").fetchall() == [("new",)]

    def test_somebody_is_in_the_middle_of_reading_is_not_handed_on(self, file: Callable[[], Any]) -> None:
        """His view of it would be the next one's, and no write of the others could be read or put in its place."""
        one, other = file(), file()
        with one.cursor() as cursor:
            cursor.executemany("INSERT INTO word VALUES (%s)", [(number,) for number in range(500)])
        reading = one.cursor()
        reading.execute("SELECT said FROM word")
        assert reading.fetchone() == (0,)
        used = one.connection
        one.close()
        other.ensure_connection()
        assert other.connection is not used
        with other.cursor() as cursor:
            cursor.execute("DELETE FROM word")
        other.close()

    def test_on_a_disk_that_takes_no_write_is_opened_anew(
        self, file: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """SQLite looks once, when it opens: the connection would go on refusing to write on a disk that is mended."""
        Files.idle.clear()
        one, other = file(), file()
        with monkeypatch.context() as read_only:  # root may write in spite of a file's mode
            read_only.setattr(os, "access", lambda path, mode: mode != os.W_OK)
            one.ensure_connection()
        used = one.connection
        one.close()
        other.ensure_connection()
        assert other.connection is not used
        other.close()

    def test_in_memory_is_nobody_else_s(self) -> None:
        named = {**settings.DATABASES["default"], "ENGINE": "config.sqlite3", "NAME": ":memory:", "OPTIONS": {}}
        one = Files(named, "memory")
        one.ensure_connection()
        assert not one.connection.is_clean()
        one.connection.close()
