"""Nobody waits for ever for a database that has stopped talking."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection, transaction

from config.celery import WHOLE_TABLES, WHOLE_TABLES_SECONDS, app, set_patience
from config.patience import patience

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def patient() -> Iterator[None]:
    """Whatever the test sets, the next one waits as usual."""
    token = patience.set(None)
    yield
    patience.reset(token)


def sleep(seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(%s)", [seconds])


@pytest.mark.postgres
@pytest.mark.usefixtures("on_postgres", "patient")
class TestAStatement:
    """That takes its time."""

    def test_is_given_up_with_its_connection(self) -> None:
        sleep(0)
        before = connection.connection
        patience.set(0.2)
        with pytest.raises(OperationalError, match=r"did not answer within 0\.2 s"):
            sleep(60)
        connection.close_if_unusable_or_obsolete()  # as the end of a request does
        patience.set(None)
        sleep(0)
        assert connection.connection is not before

    def test_in_a_transaction_takes_all_of_it_back(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE IF NOT EXISTS waited (n int)")
        try:
            patience.set(0.2)
            with pytest.raises(OperationalError, match="did not answer"):
                self.write_and_sleep()
            patience.set(None)
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM waited")
                assert cursor.fetchone() == (0,)
        finally:
            patience.set(None)
            connection.cursor().execute("DROP TABLE waited")

    @transaction.atomic
    def write_and_sleep(self) -> None:
        connection.cursor().execute("INSERT INTO waited VALUES (1)")
        sleep(60)

    def test_is_not_worked_on_any_longer(self) -> None:
        patience.set(0.2)
        with pytest.raises(OperationalError, match="did not answer"):
            sleep(60)
        connection.close_if_unusable_or_obsolete()
        patience.set(None)
        with connection.cursor() as cursor:
            for _ in range(600):
                cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60%'")
                if cursor.fetchone() == (0,):
                    return
                time.sleep(0.1)
        pytest.fail("the server is still busy with it")

    def test_of_an_operators_command_is_waited_for(self) -> None:
        sleep(0.5)

    @pytest.mark.parametrize(
        ("name", "value"),
        [("statement_timeout", "15min"), ("lock_timeout", "30s"), ("idle_in_transaction_session_timeout", "5min")],
    )
    def test_ends_on_the_server_too_some_day(self, name: str, value: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SHOW {name}")
            assert cursor.fetchone() == (value,)


@pytest.mark.usefixtures("patient")
class TestATask:
    """Of the clock's."""

    @pytest.fixture(autouse=True)
    def tasks(self) -> None:
        app.loader.import_default_modules()

    def test_that_reads_whole_tables_may_take_its_time(self) -> None:
        assert set(app.tasks) >= WHOLE_TABLES
        set_patience(task=app.tasks["billing.tasks.reconcile_whole"])
        assert patience.get() == WHOLE_TABLES_SECONDS

    def test_that_does_not_is_as_impatient_as_a_request(self) -> None:
        set_patience(task=app.tasks["billing.tasks.expire_holds"])
        assert patience.get() == 20
