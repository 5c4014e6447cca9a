"""What the owner of the tables can do to the books: change them in silence, with the triggers lifted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from billing import append_only, chain
from billing.models import Account, LedgerAnchor, LedgerEntry
from billing.verification import Verification

CHECKS = ("entry_moves_as_its_kind", "entry_buys_nothing_on_debt")


@contextmanager
def triggers_off() -> Iterator[None]:
    """Lift the triggers, and the rules that an entry has to fit; for a test that is rolled back."""
    connection.check_constraints()  # what is still to be checked would keep PostgreSQL from changing the table
    append_only.unprotect(connection)
    _run(
        "PRAGMA ignore_check_constraints = ON",
        *(f"ALTER TABLE {append_only.ENTRIES} DROP CONSTRAINT IF EXISTS {name}" for name in CHECKS),
    )
    try:
        yield
    finally:
        connection.check_constraints()
        append_only.protect(connection)
        _run("PRAGMA ignore_check_constraints = OFF")


def change(entry: LedgerEntry, **columns: Any) -> None:
    with triggers_off():
        LedgerEntry.objects.filter(pk=entry.pk).update(**columns)


def remove(entry: LedgerEntry) -> None:
    with triggers_off():
        LedgerEntry.objects.filter(pk=entry.pk).delete()


def chain_anew(account: Account) -> None:
    """Write every hash of an account again, as somebody would who has read `billing.chain`."""
    head = ""
    with triggers_off():
        for entry in account.entries.order_by("pk"):
            entry.previous_hash = head
            head = entry.hash = chain.hash_of(entry)
            LedgerEntry.objects.filter(pk=entry.pk).update(previous_hash=entry.previous_hash, hash=head)
    Account.objects.filter(pk=account.pk).update(ledger_head=head)


def list_differences(*witnessed: LedgerAnchor, **named: Any) -> list[str]:
    """What the verification finds; `witnessed` are anchors as they were logged."""
    return list(Verification(**named).list_differences([(anchor.pk, anchor.hash) for anchor in witnessed]))


def _run(on_sqlite: str, *on_postgresql: str) -> None:
    with connection.cursor() as cursor:
        for statement in [on_sqlite] if connection.vendor == "sqlite" else on_postgresql:
            cursor.execute(statement)
