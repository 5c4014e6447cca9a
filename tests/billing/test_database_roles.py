"""On PostgreSQL the service works under a role that owns nothing: it sells and books, and cannot touch the books."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection, transaction

from billing import accounts, anchors, append_only, keys, ledger, limits, reconciliation
from billing.models import Account, LedgerEntry
from tests.billing.conftest import LATER, NOW
from tests.billing.tampering import list_differences
from tests.lookups.conftest import PRICE, open_customer, register

__all__ = ["register"]  # a fixture
pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("on_postgres"),
]


ON_THE_BOOKS = (
    "UPDATE {} SET id = id",
    "DELETE FROM {}",
    "TRUNCATE {} CASCADE",
    "SELECT * FROM {} FOR UPDATE",
    "ALTER TABLE {} DISABLE TRIGGER ALL",
    "DROP TRIGGER {0}_no_change ON {0}",
    "DROP TABLE {} CASCADE",
    "CREATE OR REPLACE FUNCTION {}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$",
    "CREATE RULE nothing AS ON INSERT TO {} DO INSTEAD NOTHING",
    "SELECT setval('{}_id_seq', 1)",
)
TO_BE_STRONGER = (
    "SET LOCAL session_replication_role = replica",
    "ALTER TABLE billing_account DROP CONSTRAINT account_sums_agree",
    "CREATE TABLE mine (id int)",
    "DELETE FROM django_migrations",
    "SET LOCAL ROLE {owner}",
)


@contextmanager
def connected_as(role: str) -> Iterator[None]:
    before = {name: connection.settings_dict[name] for name in ("USER", "PASSWORD")}
    connection.close()
    connection.settings_dict.update(USER=role, PASSWORD="their own")
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


def run(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def is_refused(statement: str) -> bool:
    """Whether the server refuses it for want of the right; what it does not refuse is taken back."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
            transaction.set_rollback(True)
    except ProgrammingError as refusal:
        return bool(re.search(r"permission denied|must be (the )?owner", str(refusal)))
    return False


@pytest.fixture
def role(settings: Any, switches: None) -> Iterator[str]:
    """The service's role, made by `manage.py migrate` as the owner; what the test does, it does as this role."""
    name = f"service_{secrets.token_hex(4)}"
    settings.MIGRATION_DATABASE = dict(connection.settings_dict)
    try:
        with connected_as(name):
            call_command("migrate", verbosity=0)
            call_command("migrate", verbosity=0)  # as before every start
            yield name
    finally:
        run(f"DROP OWNED BY {name}")
        run(f"DROP ROLE {name}")


class TestTheServicesRole:
    def test_opens_accounts_and_moves_money_in_every_way(self, role: str) -> None:
        account = accounts.open_account(name="Acme", now=NOW)
        named: dict[str, Any] = {"account_id": account.pk, "now": NOW}
        key = keys.issue(account=account, name="server", now=NOW)[0]
        ledger.deposit(amount=1000, idempotency_key="d", source="card", **named)
        of_hold: dict[str, Any] = {"amount": 100, "reference": "", "expires_at": LATER, "key": key, **named}
        held = [ledger.hold(idempotency_key=f"h{number}", **of_hold) for number in range(3)]
        ledger.capture(hold_id=held[0].pk, now=NOW)
        ledger.release(hold_id=held[1].pk, now=NOW, reason="not_found")
        charged = ledger.charge(amount=10, idempotency_key="c", reference="", **named)
        ledger.refund(entry_id=charged.pk, idempotency_key="r", reason="goodwill", now=NOW)
        ledger.adjust(amount=-5, idempotency_key="a", operator="Dana", reason="test", **named)
        assert ledger.expire_holds(now=LATER) == 1
        limits.prune(now=NOW)
        assert reconciliation.run(now=NOW).mismatches == []
        assert anchors.make(now=NOW).heads
        assert list_differences() == []

    @pytest.mark.usefixtures("register")
    def test_answers_lookups_and_is_paid_for_them(self, role: str) -> None:
        customer = open_customer()
        assert customer.lookup().status_code == 200
        assert customer.lookup(source="cache").status_code == 200
        assert customer.balance.spent == PRICE

    def test_cannot_touch_the_books_by_any_statement(self, role: str) -> None:
        statements = [statement.format(table) for table in append_only.TABLES for statement in ON_THE_BOOKS]
        assert [statement for statement in statements if not is_refused(statement)] == []

    def test_cannot_make_itself_stronger(self, role: str, settings: Any) -> None:
        owner = settings.MIGRATION_DATABASE["USER"]
        statements = [statement.format(owner=owner) for statement in TO_BE_STRONGER]
        assert [statement for statement in statements if not is_refused(statement)] == []

    def test_is_refused_when_it_could_do_what_the_owner_can(self, settings: Any) -> None:
        settings.MIGRATION_DATABASE = dict(connection.settings_dict)
        with pytest.raises(CommandError, match="is a superuser or owns the tables"):
            call_command("migrate", verbosity=0)
        assert not Account.objects.exists()

    def test_is_what_the_service_goes_back_to_after_a_migration(self, role: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_user")
            assert cursor.fetchone() == (role,)
        assert not LedgerEntry.objects.exists()
