"""A small day of mixed movements of money; in full it is `python -m tests.failures.money_day`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import psycopg
import pytest
from django.conf import settings

from tests.engines import programs
from tests.failures.money_day import check, day
from tests.failures.money_day.__main__ import table
from tests.failures.money_day.clients import MIX
from tests.failures.money_day.day import Day

pytestmark = [
    pytest.mark.slow,
    pytest.mark.postgres,
    pytest.mark.redis,
    pytest.mark.xdist_group("money day"),
    pytest.mark.timeout(900),
]
OPERATIONS, CLIENTS, KILL_EVERY = 100, 12, 22


@pytest.fixture
def its(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    """The day, over, with nothing under way."""
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3") or not settings.REDIS_URL:
        pytest.skip("real processes on PostgreSQL and Redis: part of the second engine run")
    if programs.find_programs() is None:
        pytest.skip("starts a PostgreSQL and a Redis of its own, whose programs are not on this machine")
    with day.running(tmp_path_factory.mktemp("money"), clients=CLIENTS, seed=OPERATIONS) as started:
        started.live(OPERATIONS, kill_every=KILL_EVERY)
        started.end()
        yield started


def change_an_entry(its: Day) -> None:
    """As the owner of the table can, with its triggers off."""
    with psycopg.connect(its.service.books.url) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "UPDATE billing_ledgerentry SET reference = 'another' WHERE id = (SELECT max(id) FROM billing_ledgerentry)"
        )


def charge_a_card(its: Day) -> None:
    """For which nobody was credited."""
    its.provider.move("charge", "pi_forged", 100, datetime.now(UTC))


def send_a_transfer(its: Day) -> None:
    """To our address, for no challenge."""
    its.chain.logs.append({**its.chain.logs[0], "transactionHash": "0x" + "f" * 64})


def tell_a_price(its: Day) -> None:
    """That nobody was charged."""
    its.clients[0].record.lookups["lk_" + "f" * 32] = check.PRICE


FORGERIES: list[tuple[Callable[[Day], None], set[str]]] = [  # and which comparisons find it
    (change_an_entry, {"chain"}),
    (charge_a_card, {"reconciliation"}),
    (send_a_transfer, {"reconciliation", "clients"}),
    (tell_a_price, {"clients", "balances"}),
]


class TestASmallDay:
    """Everything that moves money, by a dozen clients, while every kind of process is killed."""

    def test_ends_with_all_books_the_same_and_a_forged_one_is_found(self, its: Day) -> None:
        findings = check.compare(its)
        print(table(its, findings))  # noqa: T201
        assert not any(findings.values()), findings
        assert (its.done.total(), set(its.done), its.service.stops) == (OPERATIONS, set(MIX), 1)
        assert set(its.kills) == set(day.KILLED)
        told = check.count_compared(its)
        assert min(told.values()) > 0, told
        for forge, expected in FORGERIES:
            before, findings = findings, {}
            forge(its)
            findings = check.compare(its)
            assert {name for name, lines in findings.items() if len(lines) > len(before[name])} == expected
