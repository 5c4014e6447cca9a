"""The chain over all manifests: whole with many writers, unchangeable, and found out where somebody changes it."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from billing import append_only
from lookups import tasks
from lookups.evidence import chain, heads, signing
from lookups.lookup.questions import Question
from lookups.models import ChainEntry, ChainHead, ChainTip, Lookup, Manifest
from lookups.privacy import erasure
from tests.evidence.conftest import FOUND, UNKNOWN, proof_of
from tests.lookups.conftest import NOW, Customer, later, open_customer

HOUR = timedelta(hours=1)


def ask(tester: Customer, times: int = 3) -> list[Any]:
    return [tester.lookup(FOUND, "DE", ref=str(number)) for number in range(times)]


@pytest.mark.django_db
class TestTheChain:
    """As it grows."""

    def test_links_each_manifest_to_the_one_before_it(self, tester: Customer) -> None:
        ask(tester)
        assert chain.append() == 3
        before, entries = "0" * 64, list(ChainEntry.objects.all())
        assert [entry.number for entry in entries] == [1, 2, 3]
        assert [entry.manifest_id for entry in entries] == sorted(Manifest.objects.values_list("pk", flat=True))
        for entry in entries:
            joined = bytes.fromhex(before) + bytes.fromhex(entry.manifest.sha256)
            assert entry.hash == hashlib.sha256(joined).hexdigest()
            before = entry.hash
        assert chain.append() == 0

    def test_is_written_on_each_minute_by_the_clock(self, tester: Customer) -> None:
        ask(tester)
        assert tasks.chain_evidence() == 3
        assert ChainTip.objects.get().number == 3

    def test_is_written_on_for_who_asks_before_that(self, tester: Customer) -> None:
        first, last = ask(tester, 2)
        assert proof_of(tester, last)["chain"]["number"] == 2
        assert proof_of(tester, first)["chain"]["number"] == 1

    def test_goes_on_over_more_than_one_batch(self, tester: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(chain, "BATCH", 2)
        ask(tester, 5)
        assert chain.append() == 5
        assert chain.find_difference() is None

    def test_misses_no_manifest_that_waits_for_its_place(self, tester: Customer) -> None:
        ask(tester, 1)
        chain.append()
        ask(tester, 2)
        assert Manifest.objects.filter(is_chained=False).exists()
        assert chain.find_difference() is None

    @pytest.mark.parametrize("statement", ["UPDATE {} SET hash = hash", "DELETE FROM {}"])
    def test_is_never_changed_by_anybody(self, tester: Customer, statement: str) -> None:
        ask(tester, 1)
        chain.append()
        with (
            connection.cursor() as cursor,
            pytest.raises(DatabaseError, match="never changed or removed"),
            transaction.atomic(),
        ):
            cursor.execute(statement.format("lookups_chainentry"))

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            ({"hash": "1" * 64}, "Entry 2 does not follow"),
            ({"previous_hash": "1" * 64}, "Entry 2 does not follow"),
            ({"manifest_sha256": "1" * 64}, "Entry 2 does not follow"),
            ({"number": 7}, "Entry 2 is missing"),
        ],
    )
    def test_tells_where_it_was_changed_with_the_triggers_off(
        self, tester: Customer, change: dict[str, Any], told: str
    ) -> None:
        ask(tester)
        chain.append()
        assert chain.find_difference() is None
        append_only.unprotect(connection, [append_only.EVIDENCE])
        ChainEntry.objects.filter(number=2).update(**change)
        append_only.protect(connection, [append_only.EVIDENCE])
        assert str(chain.find_difference()).startswith(told)

    def test_tells_which_manifest_was_changed_and_that_its_end_was_cut_off(self, tester: Customer) -> None:
        ask(tester)
        chain.append()
        second = Manifest.objects.get(entry__number=2)
        Manifest.objects.filter(pk=second.pk).update(document=str(second.document).replace("found", "taken"))
        assert chain.find_difference() == "The manifest of entry 2 was changed."
        Manifest.objects.filter(pk=second.pk).update(document=second.document)
        Manifest.objects.filter(pk=second.pk).update(sha256="1" * 64)
        assert chain.find_difference() == "The manifest of entry 2 is not the one that was chained."
        Manifest.objects.filter(pk=second.pk).update(sha256=second.sha256)
        assert chain.find_difference() is None
        ChainTip.objects.update(number=4)
        assert chain.find_difference() == "The chain ends at entry 3, and had 4."
        ChainTip.objects.update(number=3, hash="1" * 64)
        assert str(chain.find_difference()).startswith("The chain ends at entry 3")
        ChainTip.objects.all().delete()
        assert chain.find_difference() == "Entry 1 stands behind the end of the chain."

    def test_is_as_it_was_written_though_it_is_written_on_while_it_is_read(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each minute, by the clock: what takes longer to read was said to have been changed."""
        ask(tester)
        assert heads.make(now=NOW)
        read = chain._entries

        def meanwhile(**named: Any) -> Any:
            yield from read(**named)
            tester.lookup(UNKNOWN, "DE")
            assert chain.append() == 1

        monkeypatch.setattr(chain, "_entries", meanwhile)
        assert chain.find_difference() is None
        assert ChainTip.objects.get().number == 4

    def test_tells_of_a_manifest_that_was_signed_and_is_no_more(self, tester: Customer) -> None:
        """Its file is wrong to everybody who checks it, and the operator was told that nothing was changed."""
        ask(tester)
        chain.append()
        other = signing.rotate(reason="Once a year.", now=NOW)
        for change in ({"signature": Manifest.objects.get(entry__number=1).signature}, {"key": other}):
            second = Manifest.objects.get(entry__number=2)
            Manifest.objects.filter(pk=second.pk).update(**change)
            assert chain.find_difference() == "The signature of the manifest of entry 2 was changed."
            second.save()
        assert chain.find_difference() is None

    def test_tells_of_a_manifest_that_was_cut_off_before_a_head_was_signed(self, tester: Customer) -> None:
        ask(tester)
        chain.append()
        last = Manifest.objects.get(entry__number=3)
        append_only.unprotect(connection, [append_only.EVIDENCE])
        ChainEntry.objects.filter(number=3).delete()
        append_only.protect(connection, [append_only.EVIDENCE])
        ChainTip.objects.update(number=2, hash=ChainEntry.objects.get(number=2).hash)
        assert chain.find_difference() == f"The manifest {last.sha256} had a place in the chain, and has none."

    def test_tells_that_it_was_written_anew_by_a_head_that_was_signed(self, tester: Customer) -> None:
        """Each entry followed from the one before it, and the tip was theirs: nobody compared what was signed."""
        ask(tester)
        assert heads.make(now=NOW)
        assert chain.find_difference() is None
        append_only.unprotect(connection, [append_only.EVIDENCE])
        ChainEntry.objects.all().delete()
        ChainTip.objects.all().delete()
        Manifest.objects.filter(pk=Manifest.objects.latest("pk").pk).delete()
        Manifest.objects.update(is_chained=False)
        assert chain.append() == 2
        assert chain.find_difference() == "The head at entry 3 is of another chain."
        tip, head = ChainTip.objects.get(), ChainHead.objects.get()
        signed = {**json.loads(head.document), "number": 2, "hash": tip.hash}
        ChainHead.objects.update(number=2, document=json.dumps(signed))
        assert chain.find_difference() == "The head at entry 2 was changed."

    def test_outlives_an_erased_account(self, tester: Customer) -> None:
        reply = ask(tester)[1]
        chain.append()
        erasure.erase(account=tester.account, give_up_credit=True, now=later(days=1))
        assert not Manifest.objects.filter(document__isnull=False).exists()
        assert chain.find_difference() is None
        assert ChainEntry.objects.count() == 3
        assert reply.json()["lookupId"] not in json.dumps(list(Manifest.objects.values("document", "sha256")))

    def test_is_in_what_an_account_is_handed_of_itself(self, tester: Customer) -> None:
        from lookups.privacy import account_data

        ask(tester, 1)
        told = json.loads("".join(account_data.write_json(tester.account)))
        assert json.loads(told["lookups.manifest"][0]["document"])["verdict"] == "found"


@pytest.mark.django_db(transaction=True)
class TestManyWriters:
    """Lookups that end and processes that chain, all at once."""

    def test_leave_no_gap_and_no_fork(self, on_postgres: None, at_once: Any, at_work: None) -> None:
        customer = open_customer(mode="test")
        question = Question(state="DE", name=FOUND)

        def sell() -> None:
            for _ in range(10):
                with transaction.atomic():
                    _end_one(customer, question)
                chain.append()

        at_once(*[sell] * 6, *[chain.append] * 4)
        chain.append()
        assert Manifest.objects.count() == ChainEntry.objects.count() == ChainTip.objects.get().number == 60
        assert chain.find_difference() is None
        assert not Manifest.objects.filter(is_chained=False).exists()


def _end_one(customer: Customer, question: Question) -> None:
    from lookups.lookup import rows
    from lookups.lookup.asks import Ask, Stopwatch
    from lookups.lookup.outcomes import Unavailable
    from lookups.lookup.payers import KeyPayer

    now = datetime.now(UTC)
    lookup = rows.draft(Ask(question=question, payer=KeyPayer(customer.key)), now=now)
    rows.end(lookup, Unavailable("DE", "down", retryable=True), stopwatch=Stopwatch(now))


@pytest.mark.django_db
class TestAHead:
    """The chain's end, signed once an hour."""

    def test_is_over_all_that_was_chained(self, tester: Customer) -> None:
        replies = ask(tester)
        head = heads.make(now=NOW)
        assert head is not None
        said = json.loads(head.document)
        assert (said["number"], said["hash"]) == (3, ChainEntry.objects.get(number=3).hash)
        for reply in replies:
            assert proof_of(tester, reply)["head"]["number"] == 3

    def test_of_a_lookup_is_the_first_that_was_signed_over_it(self, tester: Customer) -> None:
        """A later one proves a later time, and may be too far to show the way there."""
        reply = ask(tester, 1)[0]
        assert heads.make(now=NOW)
        tester.lookup(UNKNOWN, "DE")
        assert heads.make(now=NOW + HOUR)
        assert proof_of(tester, reply)["head"]["number"] == 1
        ChainHead.objects.update(token=b"a time-stamp")
        assert proof_of(tester, reply)["head"]["number"] == 1

    def test_is_made_once_an_hour_where_anything_came(self, tester: Customer) -> None:
        ask(tester, 1)
        assert heads.make(now=NOW)
        ask(tester, 2)
        assert heads.make(now=NOW + HOUR / 2) is None
        assert heads.make(now=NOW + HOUR)
        assert heads.make(now=NOW + 2 * HOUR) is None
        assert list(ChainHead.objects.values_list("number", flat=True)) == [3, 1]

    def test_is_made_though_the_clock_was_set_back(self, tester: Customer) -> None:
        ask(tester, 1)
        assert heads.make(now=NOW)
        tester.lookup(UNKNOWN, "DE")
        assert heads.make(now=NOW - 5 * HOUR)

    def test_is_made_of_nothing_never(self, db: None) -> None:
        assert heads.make(now=NOW) is None

    def test_is_logged_for_who_keeps_the_log_elsewhere(
        self, tester: Customer, caplog: pytest.LogCaptureFixture
    ) -> None:
        ask(tester, 1)
        assert heads.make(now=NOW)
        assert f"evidence head 1 {ChainEntry.objects.get().hash}" in caplog.text

    def test_of_a_lookup_is_null_until_there_is_one(self, tester: Customer) -> None:
        reply = ask(tester, 1)[0]
        assert proof_of(tester, reply)["head"] is None
        assert Lookup.objects.count() == 1


@pytest.mark.django_db
class TestVerifyEvidence:
    """`manage.py verify_evidence`."""

    def test_ends_well_where_nothing_was_changed_and_with_1_where_something_was(
        self, tester: Customer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        ask(tester)
        chain.append()
        call_command("verify_evidence")
        assert "as it was written" in capsys.readouterr().out
        Manifest.objects.update(document="{}")
        with pytest.raises(SystemExit, match="1"):
            call_command("verify_evidence")
        assert "The manifest of entry 1 was changed." in capsys.readouterr().out
