"""A connection to PostgreSQL that is given back serves the next who needs one, as long as it is open and unspent."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from config.postgres import idle as idling

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def ask_who() -> int:
    """The server's process behind this thread's connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def in_a_thread(work: Callable[[], int]) -> int:
    """What it returns there; its connection is given back, as at the end of a request."""
    found: list[int] = []

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
def nothing_kept(on_postgres: None) -> Iterator[None]:
    connection.close()
    idling.idle.clear()
    yield
    connection.close()
    idling.idle.clear()


class TestAConnectionGivenBack:
    def test_serves_the_next_thread(self) -> None:
        assert len({in_a_thread(ask_who) for _ in range(3)}) == 1

    def test_is_nobody_elses_while_it_is_used(self) -> None:
        mine = ask_who()
        assert in_a_thread(ask_who) != mine
        assert ask_who() == mine

    def test_that_the_server_has_closed_is_not_handed_on(self) -> None:
        first = in_a_thread(ask_who)
        parameters = {name: value for name, value in connection.get_connection_params().items() if name != "context"}
        with psycopg.connect(**parameters, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [first])
        assert in_a_thread(ask_who) != first

    def test_after_an_error_is_closed(self) -> None:
        def stumble() -> int:
            who = ask_who()
            with pytest.raises(DatabaseError), connection.cursor() as cursor:
                cursor.execute("SELECT no_such_column")
            return who

        assert in_a_thread(stumble) != in_a_thread(ask_who)

    def test_in_the_middle_of_a_transaction_is_closed_and_what_it_wrote_is_gone(self) -> None:
        def leave() -> int:
            connection.set_autocommit(False)
            return ask_who()

        assert in_a_thread(leave) != in_a_thread(ask_who)

    def test_carries_no_transaction_along(self) -> None:
        def write() -> int:
            with transaction.atomic():
                return ask_who()

        first = in_a_thread(write)
        assert ask_who() == first
        assert connection.get_autocommit()

    def test_grows_old(self, monkeypatch: pytest.MonkeyPatch) -> None:
        first = in_a_thread(ask_who)
        monkeypatch.setattr(idling, "IDLE_SECONDS", 0.0)
        assert in_a_thread(ask_who) != first

    def test_is_one_of_a_few(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(idling, "MOST", 0)
        assert in_a_thread(ask_who) != in_a_thread(ask_who)

    def test_stays_with_its_process(self) -> None:
        first = in_a_thread(ask_who)
        child = os.fork()
        if child == 0:
            os._exit(0 if not idling.idle._idle else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert in_a_thread(ask_who) == first
