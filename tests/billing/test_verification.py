"""Whatever the tables' own owner changes in the books with the triggers off, the verification finds."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from billing import accounts, anchors, append_only, chain, keys, ledger, reconciliation, tasks
from billing.accounting import closing, receipts
from billing.models import Account, ApiKey, AuditEvent, Hold, LedgerAnchor, LedgerEntry
from lookups.evidence import chain as evidence
from lookups.evidence import manifests, signing
from lookups.models import Lookup
from tests.billing.conftest import NOW
from tests.billing.tampering import chain_anew, change, list_differences, remove, triggers_off

HOUR = timedelta(hours=1)


@pytest.fixture
def busy(account: Account, key: ApiKey, hold: Callable[..., Hold]) -> Account:
    """An account with an entry of every kind, and one beside it."""
    kept = hold(314, key=key, request_id="req_1")
    hold(628, key=key)
    ledger.release(hold_id=hold(100).pk, now=NOW, reason="not_found")
    sold = ledger.capture(hold_id=kept.pk, now=NOW)
    ledger.charge(account_id=account.pk, amount=10, idempotency_key="c", reference='é \\ "quoted"', now=NOW, key=key)
    by: dict[str, Any] = {"operator": "Dana", "reason": "goodwill", "now": NOW}
    ledger.refund(entry_id=sold.pk, amount=4, idempotency_key="r", note="they waited", **by)
    ledger.adjust(account_id=account.pk, amount=-7, idempotency_key="a", **by)
    ledger.deposit(account_id=account.pk, amount=55, idempotency_key="d", source="card", reference="pi_1", now=NOW)
    other = accounts.open_account(name="Other", now=NOW)
    ledger.charge(account_id=other.pk, amount=10, idempotency_key="theirs", reference="", now=NOW)
    return account


def entries_of(account: Account) -> list[LedgerEntry]:
    return list(account.entries.order_by("pk"))


def verify(*arguments: str) -> tuple[int, list[str]]:
    """The command's exit code and its lines."""
    output = io.StringIO()
    try:
        call_command("verify_ledger", *arguments, stdout=output)
    except SystemExit as end:
        return int(end.code or 0), output.getvalue().splitlines()
    return 0, output.getvalue().splitlines()


class TestEachEntry:
    def test_follows_the_one_before_it_and_the_account_has_the_last(self, busy: Account) -> None:
        head = ""
        for entry in entries_of(busy):
            assert entry.previous_hash == head
            assert entry.hash == chain.hash_of(entry)
            head = entry.hash
        busy.refresh_from_db()
        assert busy.ledger_head == head
        assert list_differences() == []

    def test_is_returned_with_the_hash_that_was_written(self, account: Account, hold: Callable[..., Hold]) -> None:
        held = hold(314)
        entry = ledger.capture(hold_id=held.pk, now=NOW)
        assert entry.hash == LedgerEntry.objects.get(pk=entry.pk).hash == Account.objects.get().ledger_head != ""

    def test_is_hashed_as_it_always_was(self) -> None:
        """Entries of years rest on this text: whoever changes it, or a column's name, needs a new form."""
        entry = LedgerEntry(
            pk=7,
            account_id=3,
            kind="charge",
            amount=314,
            available_change=-314,
            spent_change=314,
            available_after=2826,
            held_after=0,
            spent_after=314,
            created_at=NOW,
            idempotency_key="é",
            fingerprint="f",
            hold_id=9,
            previous_hash="p",
            request_id="req_1",
            hash="not hashed itself",
        )
        text = (
            '{"account_id":3,"amount":314,"available_after":2826,"available_change":-314,'
            '"created_at":"2026-11-21T12:00:00.000000+00:00","fingerprint":"f","form":1,"held_after":0,"held_change":0,'
            '"idempotency_key":"\\u00e9","kind":"charge","previous_hash":"p","request_id":"req_1","spent_after":314,'
            '"spent_change":314,"id":'
        )
        assert chain.text_before_id(entry) == text
        assert chain.hash_of(entry) == "ba75cff1100d76b9e4eb6e7a8712e2c785d78182fc998cb9296c9c0fec056dca"


class TestTheVerification:
    def test_reads_everything_and_says_so(self, busy: Account) -> None:
        tasks.anchor_ledger()
        assert verify() == (
            0,
            [
                f"{LedgerEntry.objects.count()} entries, 2 accounts, 1 anchors and"
                f" {AuditEvent.objects.count()} audit events read, 0 differences."
            ],
        )

    @pytest.mark.parametrize("column", [field.attname for field in LedgerEntry._meta.concrete_fields])
    def test_finds_a_change_of_any_column(self, busy: Account, column: str) -> None:
        charge = busy.entries.get(kind="charge")
        kept = getattr(charge, column)
        others = {
            "id": 10**6,
            "account_id": Account.objects.exclude(pk=busy.pk).get().pk,
            "kind": "capture",
            "hold_id": Hold.objects.order_by("pk")[0].pk,
            "key_id": keys.issue(account=busy, name="other", now=NOW)[0].pk,
            "refunds_id": entries_of(busy)[0].pk,
            "created_at": NOW + timedelta(microseconds=1),
        }
        change(charge, **{column: others.get(column, kept + 1 if isinstance(kept, int) else f"{kept}x"[-60:])})
        assert list_differences() != []
        code, lines = verify()
        assert code == 1
        assert f"account {busy.pk}: " in lines[0]

    @pytest.mark.parametrize("number", [0, 3, -1])
    def test_finds_the_removal_of_an_entry(self, busy: Account, number: int) -> None:
        removed = entries_of(busy)[number]
        for entry in busy.entries.filter(refunds=removed) if number else []:
            remove(entry)
        remove(removed)
        assert any(line.startswith(f"account {busy.pk}: ") for line in list_differences())

    def test_finds_the_removal_of_all_entries(self, account: Account) -> None:
        remove(account.entries.get())
        assert list_differences() == [
            f"account {account.pk}: it has no entry, which is not the head that it had: entries were removed or added",
            f"account {account.pk}: available is 3140, and 0 by its entries",
        ]

    def test_finds_a_doubled_entry(self, busy: Account) -> None:
        doubled = entries_of(busy)[-1]
        with triggers_off():
            doubled.pk, doubled.idempotency_key = None, "again"
            doubled.save(force_insert=True)
        assert any(f"account {busy.pk}: entry {doubled.pk} " in line for line in list_differences())

    def test_finds_a_sum_that_its_entries_do_not_give(self, busy: Account) -> None:
        Account.objects.filter(pk=busy.pk).update(available=9999, deposited=9999 + 628 + 320)
        assert [line for line in list_differences() if "available is 9999" in line]

    def test_finds_an_entry_that_was_moved_to_another_account(self, busy: Account) -> None:
        other = Account.objects.exclude(pk=busy.pk).get()
        change(other.entries.latest("pk"), account_id=busy.pk)
        for account in (busy, other):
            assert list_differences(account_id=account.pk) != []

    def test_takes_an_entry_that_was_sealed_anew_for_changed_too(self, busy: Account) -> None:
        entry = entries_of(busy)[2]
        entry.note = "forged"
        change(entry, note="forged", hash=chain.hash_of(entry))
        [line] = list_differences()
        assert line.endswith(f"does not follow entry {entry.pk}: one was removed, added or changed")

    def test_of_one_account_leaves_the_others_alone(self, busy: Account) -> None:
        other = Account.objects.exclude(pk=busy.pk).get()
        change(entries_of(busy)[1], note="forged")
        assert verify("--account", str(other.pk))[0] == 0
        assert verify("--account", str(busy.pk))[0] == 1
        with pytest.raises(CommandError, match="no account 999999"):
            verify("--account", "999999")

    def test_since_a_moment_leaves_what_was_before_alone(self, busy: Account) -> None:
        ledger.charge(account_id=busy.pk, amount=1, idempotency_key="late", reference="", now=NOW + HOUR)
        change(entries_of(busy)[1], note="forged")
        assert verify("--since", "2026-11-21T12:30")[0] == 0
        assert verify("--since", "2026-11-22")[0] == 0
        assert verify("--since", "2026-11-21")[0] == 1
        change(entries_of(busy)[-1], note="forged")
        assert verify("--since", "2026-11-21T12:30")[0] == 1


class TestAnAnchor:
    def forge(self, account: Account) -> None:
        """Take back a charge, and write all that came after it anew, as if it had never been."""
        change(account.entries.get(kind="charge"), reference="nothing of note")
        chain_anew(account)

    def test_tells_of_a_chain_that_was_written_anew(self, busy: Account) -> None:
        anchor = anchors.make(now=NOW)
        self.forge(busy)
        [line] = list_differences()
        last = entries_of(busy)[-1]
        assert line.startswith(f"account {busy.pk}: entry {last.pk} is not what anchor {anchor.pk} of 2026-11-21T12:00")

    def test_that_was_changed_to_fit_is_found_by_its_hash(self, busy: Account) -> None:
        anchor = anchors.make(now=NOW)
        self.forge(busy)
        self.write_anew(anchor)
        with triggers_off():
            LedgerAnchor.objects.filter(pk=anchor.pk).update(hash=anchor.hash)
        assert list_differences() == [f"anchor {anchor.pk}: was changed, its hash is not that of what it says"]

    def write_anew(self, anchor: LedgerAnchor) -> None:
        heads = [[pk, entries_of(owner)[-1].pk, owner.ledger_head] for pk, owner in Account.objects.in_bulk().items()]
        with triggers_off():
            fitting = LedgerAnchor.objects.get(pk=anchor.pk)
            fitting.heads = heads
            LedgerAnchor.objects.filter(pk=anchor.pk).update(heads=heads, hash=anchors.hash_of(fitting))

    def test_that_was_written_anew_as_well_is_not_the_logged_one(
        self, busy: Account, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.INFO):
            anchor = anchors.make(now=NOW)
        log = tmp_path / "service.log"
        log.write_bytes(b"something else\n\xff\xfe caf\xe9\n" + caplog.text.encode())
        assert verify("--anchors", str(log))[0] == 0
        self.forge(busy)
        self.write_anew(anchor)
        assert verify()[0] == 0  # within the database nothing contradicts it any more
        code, lines = verify("--anchors", str(log))
        assert code == 1
        assert lines[0] == f"anchor {anchor.pk}: is not the one that was logged: the books were written anew"

    def test_that_was_removed_is_missed_by_the_log_and_by_the_next(self, busy: Account) -> None:
        first, second = anchors.make(now=NOW), anchors.make(now=NOW + HOUR)
        with triggers_off():
            first.delete()
        first.pk = second.pk - 1
        assert list_differences() == [f"anchor {second.pk}: does not follow the one before it"]
        assert list_differences(first, second)[-1] == f"anchor {first.pk}: was logged and is missing"

    def test_covers_what_has_changed_since_the_one_before(self, busy: Account) -> None:
        first = anchors.make(now=NOW)
        assert [head[0] for head in first.heads] == sorted(Account.objects.values_list("pk", flat=True))
        ledger.charge(account_id=busy.pk, amount=1, idempotency_key="late", reference="", now=NOW)
        busy.refresh_from_db()
        for hour in range(1, 5):
            made = anchors.make(now=NOW + hour * HOUR)
            expected = [[busy.pk, entries_of(busy)[-1].pk, busy.ledger_head]] if hour == 1 else []
            assert (made.heads, made.last_entry) == (expected, entries_of(busy)[-1].pk)
        assert list_differences() == []

    def test_covers_an_entry_that_was_numbered_before_the_last_one_and_seen_after_it(self, busy: Account) -> None:
        """A transaction that was under way: its entry has a number below the one that the anchor had seen."""
        late = entries_of(busy)[-1]
        with triggers_off():
            LedgerEntry.objects.filter(pk=late.pk).delete()
        anchors.make(now=NOW)
        with triggers_off():
            late.save(force_insert=True)
        assert anchors.make(now=NOW + HOUR).heads == [[busy.pk, late.pk, late.hash]]

    def test_needs_a_day_that_there_is(self, busy: Account) -> None:
        with pytest.raises(CommandError, match="'2026-11-31' is no day or moment such as 2026-11-01T13:00"):
            verify("--since", "2026-11-31")

    def test_needs_a_log_that_tells_of_one(self, busy: Account, tmp_path: Path) -> None:
        (tmp_path / "empty.log").write_text("nothing")
        with pytest.raises(CommandError, match="tells of no anchor"):
            verify("--anchors", str(tmp_path / "empty.log"))


REPLACED = {
    append_only.ENTRIES: ("id", "idempotency_key"),
    append_only.ANCHORS: ("id", "previous_hash"),
    append_only.RECONCILIATIONS: ("id",),
    append_only.MONTHS: ("id", "month"),
    append_only.RECEIPTS: ("id", "entry_id", "number"),
    append_only.EVIDENCE: ("id", "number", "manifest_id", "previous_hash"),
}


class TestTheTablesOfTheBooks:
    @pytest.fixture(autouse=True)
    def rows(self, busy: Account) -> None:
        reconciliation.run(now=NOW)
        reconciliation.run(now=NOW)
        anchors.make(now=NOW)
        anchors.make(now=NOW + HOUR)
        change(busy.entries.earliest("pk"), created_at=NOW.replace(month=8))
        for month in (8, 9):
            closing.close(date(2026, month, 1), operator="dana", now=NOW)
        for number in range(2):
            paid = {"idempotency_key": f"receipt {number}", "source": "card", "now": NOW}
            receipts.issue(ledger.deposit(account_id=busy.pk, amount=1, **paid), now=NOW)
            lookup = Lookup.objects.create(account=busy, state="DE", kind="ucc", asked="", created_at=NOW)
            manifests.keep(signing.sign({"number": number}, now=NOW), lookup)
        evidence.append()
        connection.check_constraints()  # what is still to be checked would keep PostgreSQL from emptying a table

    @pytest.mark.parametrize("table", append_only.TABLES)
    @pytest.mark.parametrize("statement", ["UPDATE {} SET id = id", "DELETE FROM {}"])
    def test_refuse_change_and_removal(self, table: str, statement: str) -> None:
        self.refused(table, statement.format(table))

    @pytest.mark.parametrize("table", append_only.TABLES)
    def test_refuse_to_be_emptied(self, table: str) -> None:
        if connection.vendor == "postgresql":
            self.refused(table, f"TRUNCATE {table} CASCADE")

    @pytest.mark.parametrize(
        ("table", "column"), [(table, name) for table, names in REPLACED.items() for name in names]
    )
    def test_refuse_that_a_row_takes_the_place_of_another(self, table: str, column: str) -> None:
        if connection.vendor != "sqlite":
            return  # PostgreSQL has no OR REPLACE, and its ON CONFLICT DO UPDATE is an update
        with connection.cursor() as cursor:
            columns = [described.name for described in connection.introspection.get_table_description(cursor, table)]
        values = {name: name for name in columns}
        if column != "id":
            values["id"] = "1000000"
        for verb in ("INSERT OR REPLACE", "REPLACE"):
            insert = f"{verb} INTO {table} ({', '.join(values)}) SELECT {', '.join(values.values())} FROM {table}"
            self.refused(table, f"{insert} ORDER BY id LIMIT 1")
        self.refused(table, f"UPDATE OR REPLACE {table} SET id = (SELECT MIN(id) FROM {table}) WHERE id > 1")

    def refused(self, table: str, statement: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table} ORDER BY id")
            before = cursor.fetchall()
            with pytest.raises(DatabaseError, match="never changed or removed"), transaction.atomic():
                cursor.execute(statement)
            cursor.execute(f"SELECT * FROM {table} ORDER BY id")
            assert cursor.fetchall() == before
