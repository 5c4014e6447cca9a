"""The audit log: what was done stands in one chain, is exported as lines, and cannot be changed in silence."""

from __future__ import annotations

import hashlib
import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from billing import anchors, audit, chain, keys
from billing.models import Account, ApiKey, AuditEvent, AuditHead
from tests.billing.conftest import NOW, in_parallel
from tests.billing.tampering import list_differences, triggers_off

DAY = timedelta(days=1)


def exported(*arguments: str) -> list[dict[str, object]]:
    output = io.StringIO()
    call_command("export_audit", *arguments, stdout=output)
    return [json.loads(line) for line in output.getvalue().splitlines()]


@pytest.fixture
def three(db: None) -> list[AuditEvent]:
    return [audit.record(audit.Kind.DONE, detail=f"number {number}", now=NOW) for number in range(3)]


class TestAnEvent:
    def test_follows_the_one_before_it(self, three: list[AuditEvent]) -> None:
        head = ""
        for event in AuditEvent.objects.order_by("pk"):
            assert event.previous_hash == head
            assert event.hash == chain.hash_of(event)
            head = event.hash
        assert AuditHead.objects.get().hash == head == three[-1].hash

    def test_says_who_did_it_from_where_in_which_request(self, db: None) -> None:
        with audit.acting(lambda: audit.Actor("dana", "192.0.2.7", "req_1")):
            event = audit.record(audit.Kind.DONE, now=NOW)
        assert (event.actor, event.address, event.request_id) == ("dana", "192.0.2.7", "req_1")
        assert audit.record(audit.Kind.DONE, now=NOW).actor == "service"

    def test_is_cut_to_what_the_columns_hold_and_still_verifies(self, db: None) -> None:
        audit.record(audit.Kind.DONE, detail="é\x00" * 2000, actor=audit.Actor("x" * 999, "y" * 99), now=NOW)
        assert AuditEvent.objects.get().detail == "é" * 1000
        assert list_differences() == []

    def test_is_undone_with_what_it_tells_of(self, three: list[AuditEvent]) -> None:
        with transaction.atomic():
            audit.record(audit.Kind.DONE, now=NOW)
            transaction.set_rollback(True)
        assert AuditEvent.objects.count() == 3
        assert list_differences() == []

    @pytest.mark.parametrize("column", ["detail", "hash", "actor"])
    def test_is_never_changed_or_removed(self, three: list[AuditEvent], column: str) -> None:
        for act in (lambda rows: rows.update(**{column: "x"}), lambda rows: rows.delete()):
            with pytest.raises(DatabaseError, match="never changed or removed"), transaction.atomic():
                act(AuditEvent.objects.filter(pk=three[1].pk))


class TestKeys:
    def test_that_are_issued_rotated_and_revoked_stand_in_the_log_without_their_secret(self, account: Account) -> None:
        key, secret = keys.issue(account=account, name="server", now=NOW)
        new, other = keys.rotate(key=key, grace=DAY, now=NOW)
        keys.revoke(key=new, now=NOW)
        keys.revoke(key=new, now=NOW + DAY)  # it is revoked already
        events = list(AuditEvent.objects.order_by("pk"))
        assert [event.kind for event in events] == ["key_issued", "key_rotated", "key_revoked"]
        assert [event.subject for event in events] == [f"billing.apikey {pk}" for pk in (key.pk, key.pk, new.pk)]
        assert new.prefix in events[1].detail
        assert not [line for line in exported() if secret in str(line) or other in str(line)]

    def test_that_could_not_be_issued_leave_no_trace(self, account: Account) -> None:
        with pytest.raises(ValueError, match="Unknown scopes"):
            keys.issue(account=account, name="server", scopes=["everything"], now=NOW)
        assert not AuditEvent.objects.exists()
        assert not ApiKey.objects.exists()


class TestTheVerification:
    @pytest.mark.parametrize("column", [field.attname for field in AuditEvent._meta.concrete_fields])
    def test_finds_a_change_of_any_column(self, three: list[AuditEvent], column: str) -> None:
        value = {"id": 10**6, "at": NOW + DAY}.get(column, "changed")
        with triggers_off():
            AuditEvent.objects.filter(pk=three[1].pk).update(**{column: value})
        assert list_differences() != []

    @pytest.mark.parametrize("number", [0, 1, 2])
    def test_finds_that_one_was_removed(self, three: list[AuditEvent], number: int) -> None:
        with triggers_off():
            AuditEvent.objects.filter(pk=three[number].pk).delete()
        assert list_differences() != []

    def test_finds_that_all_were_removed(self, three: list[AuditEvent]) -> None:
        with triggers_off():
            AuditEvent.objects.all().delete()
        assert list_differences() == [
            "the audit log: its last event is not the head that it had: events were removed or added"
        ]

    def test_finds_by_the_anchor_that_the_log_was_written_anew(self, three: list[AuditEvent]) -> None:
        anchors.make(now=NOW)
        with triggers_off():
            AuditEvent.objects.all().delete()
        AuditHead.objects.all().delete()
        assert ["was removed, or the log was written anew" in line for line in list_differences()] == [True]

    def test_finds_nothing_when_the_log_has_grown_since_the_anchor(self, three: list[AuditEvent]) -> None:
        anchors.make(now=NOW)
        audit.record(audit.Kind.DONE, now=NOW)
        anchors.make(now=NOW + DAY)
        assert list_differences() == []


class TestTheExport:
    def test_has_every_event_in_order_and_its_chain_can_be_followed_by_others(self, three: list[AuditEvent]) -> None:
        lines = exported()
        assert [line["detail"] for line in lines] == ["number 0", "number 1", "number 2"]
        for line, before in zip(lines, [{"hash": ""}, *lines], strict=False):
            assert line["previous_hash"] == before["hash"]
            said = {name: value for name, value in line.items() if name not in ("id", "hash") and value != ""}
            text = json.dumps({"form": 1, **said}, separators=(",", ":"), sort_keys=True)
            assert hashlib.sha256(f'{text[:-1]},"id":{line["id"]}}}'.encode()).hexdigest() == line["hash"]

    def test_begins_where_it_is_asked_to(self, three: list[AuditEvent]) -> None:
        audit.record(audit.Kind.DONE, detail="later", now=NOW + DAY)
        assert [line["detail"] for line in exported("--since", "2026-11-22")] == ["later"]

    @pytest.mark.parametrize("moment", ["yesterday", "9999-12-31T23:59-12:00", "0001-01-01T00:00+14:00"])
    def test_begins_at_no_moment_that_there_is_not(self, db: None, moment: str) -> None:
        with pytest.raises(CommandError, match="no day or moment"):
            exported("--since", moment)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("on_postgres")
class TestManyAtOnce:
    def test_make_one_chain(self) -> None:
        in_parallel(lambda number: audit.record(audit.Kind.DONE, detail=str(number), now=NOW), 80)
        assert AuditEvent.objects.count() == 80
        assert list_differences() == []
