"""The keys that evidence is signed with: made when needed, stored nowhere, rotated in public."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from billing.models import AuditEvent
from lookups.evidence import heads, signing, verify
from lookups.models import Manifest, SigningKey
from tests.billing.conftest import count_waiting, in_parallel
from tests.evidence.conftest import FOUND, file_of
from tests.failures.books import wait_until
from tests.lookups.conftest import NOW, Customer, later

pytestmark = pytest.mark.django_db


def published() -> Any:
    reply = Client().get("/.well-known/sos-lookup-keys.json")
    assert reply.status_code == 200
    return reply.json()


def public_key(text: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(base64.b64decode(text))


class TestASigningKey:
    """Of this installation."""

    def test_is_made_with_the_first_answer_and_kept(self, tester: Customer) -> None:
        assert not SigningKey.objects.exists()
        tester.lookup(FOUND, "DE")
        tester.lookup(FOUND, "DE")
        key = SigningKey.objects.get()
        assert set(Manifest.objects.values_list("key", flat=True)) == {key.pk}
        assert key.pk == hashlib.sha256(base64.b64decode(key.public_key)).hexdigest()[:16]

    def test_comes_of_its_secret_and_salt_as_in_every_release(self, settings: Any) -> None:
        """Made in another way, the keys of the list would sign nothing any more, and no file would be good."""
        keys = signing._keys_of("a" * 40, "5" * 32)
        assert signing._public(keys.signing) == "jE5WxH3REGc2AeQ7IwoU7VYkAOb+sYHl7y7f2FpcgfI="
        assert signing._archive_public(keys.archive) == (
            "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEhKMufzuJx6DUY2I0kW16QDw1WSZMvFg1GxmCiBZxRfprRFHrqWxlTzXKBjS6tP1UrrzusfyXKWNZ"
            "YSvGiGrv3+dZdvolddbI8SWML9b3hJRpZ27osAKXJ+B3jeGl16zg"
        )
        settings.SECRET_KEY = "k" * 50
        assert signing.derived_key() == "ecad90b3fb8cd9b7e47e677cd7557b856c94aea67fd1e0b4c39c0e88bcee2627"

    def test_is_nowhere_in_the_database(self, tester: Customer, settings: Any) -> None:
        tester.lookup(FOUND, "DE")
        row = SigningKey.objects.values().get()
        private = signing._keys_of(signing._secret(), row["salt"]).signing.private_bytes_raw()
        for spelled in (private.hex(), base64.b64encode(private).decode(), signing._secret()):
            assert spelled not in json.dumps(row, default=str)

    def test_is_another_with_another_secret_and_vouched_for_by_the_one_before(
        self, tester: Customer, settings: Any
    ) -> None:
        settings.SIGNING_SECRET = "a" * 40
        tester.lookup(FOUND, "DE")
        settings.SIGNING_SECRET, settings.SIGNING_SECRET_PREVIOUS = "b" * 40, "a" * 40
        cache.clear()
        tester.lookup(FOUND, "DE", ref="again")
        one, other = SigningKey.objects.order_by("number")
        assert other.previous == one
        public_key(one.public_key).verify(base64.b64decode(other.signature), rfc8785.dumps(signing.statement(other)))
        settings.SIGNING_SECRET = "a" * 40
        cache.clear()
        tester.lookup(FOUND, "DE", ref="a process with the old secret")
        assert SigningKey.objects.count() == 2, "two secrets at once make no key a minute"
        settings.SIGNING_SECRET, settings.SIGNING_SECRET_PREVIOUS = "d" * 40, "b" * 40
        cache.clear()
        tester.lookup(FOUND, "DE", ref="a third secret")
        last = SigningKey.objects.get(number=3)
        assert (last.previous, bool(last.signature)) == (other, True)
        assert (one.reason, other.reason, last.reason) == (signing.FIRST, signing.OTHER_SECRET, signing.OTHER_SECRET)

    def test_that_no_key_before_it_vouches_for_is_said_to_be_on_the_list_alone(
        self, tester: Customer, settings: Any
    ) -> None:
        settings.SIGNING_SECRET = "a" * 40
        old = file_of(tester, tester.lookup(FOUND, "DE"))
        settings.SIGNING_SECRET = "c" * 40  # and the one before is lost
        cache.clear()
        files = [old, file_of(tester, tester.lookup(FOUND, "DE", ref="again"))]
        call_command("rotate_signing_key", reason="Each year.")
        files.append(file_of(tester, tester.lookup(FOUND, "DE", ref="once more")))
        first, lost, _ = published()["keys"]
        assert (lost["previous"], lost["signature"]) == (first["id"], None)
        found = [verify.judge(one, verify.Trusted(published())) for one in files]
        assert all(verify.is_good(one) for one in found)
        of_keys = [next(one for one in each if one.part == "key") for each in found]
        assert [one.holds for one in of_keys] == [True, None, None]
        assert f"no key before it vouches for {lost['id']}" in of_keys[2].text

    def test_is_stated_as_in_every_release(self) -> None:
        """What was signed of a key is written anew for each list: in other words, no signature on it would fit."""
        key = SigningKey(pk="ab" * 8, number=2, public_key="P", archive_public_key="A", previous_id="cd" * 8)
        key.valid_from, key.reason = datetime(2026, 11, 30, 12, 0, 0, 5000, tzinfo=UTC), "Each year."
        assert rfc8785.dumps(signing.statement(key)) == (
            b'{"algorithm":"Ed25519","archivePublicKey":"A","id":"abababababababab","previous":"cdcdcdcdcdcdcdcd",'
            b'"publicKey":"P","reason":"Each year.","type":"sos-lookup/key","validFrom":"2026-11-30T12:00:00.005Z",'
            b'"version":1}'
        )

    def test_is_looked_for_once_and_another_from_its_making_on(
        self, django_capture_on_commit_callbacks: Any, django_assert_num_queries: Any
    ) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            first = signing.sign({}, now=NOW)
        with django_assert_num_queries(0):
            assert signing.sign({}, now=NOW).key_id == first.key_id
        made = signing.rotate(reason="It may have leaked.", now=NOW)
        assert signing.sign({}, now=NOW).key_id == made.pk != first.key_id

    @pytest.mark.django_db(transaction=True)
    def test_is_one_where_two_processes_need_the_first(self) -> None:
        """Both found none: the answer of the second would have been lost, after its registry was read."""
        if connection.vendor != "postgresql":
            pytest.skip("SQLite writes for one at a time")
        made, may_go = threading.Event(), threading.Event()

        def make(_: int) -> str:
            with transaction.atomic():
                signed = signing.sign({}, now=NOW)
                made.set()
                may_go.wait(60)
            return signed.key_id

        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(in_parallel, make, 1)
            assert made.wait(60)
            second = pool.submit(in_parallel, lambda _: signing.sign({}, now=NOW).key_id, 1)
            wait_until(lambda: count_waiting() == 1, what="the second waits for the key of the first", seconds=60)
            may_go.set()
            assert first.result(60) == second.result(60) == [SigningKey.objects.get().pk]

    def test_signs_nothing_of_before_it_where_the_clock_was_set_back(
        self, tester: Customer, django_capture_on_commit_callbacks: Any
    ) -> None:
        """A machine that started with its clock ahead: until that hour, every answer's file was called wrong."""
        ahead = timezone.now() + timedelta(hours=2)
        with django_capture_on_commit_callbacks(execute=True):
            signing.sign({}, now=ahead)  # and every process remembers the key for a minute
        files = [file_of(tester, tester.lookup(FOUND, "DE"))]
        signing.rotate(reason="By a machine whose clock is ahead.", now=ahead)
        files.append(file_of(tester, tester.lookup(FOUND, "DE", ref="again")))
        for raw in files:
            found = verify.judge(raw, verify.Trusted(published()))
            assert verify.is_good(found), found
        keys = list(SigningKey.objects.order_by("number").values_list("reason", flat=True))
        assert keys == [signing.FIRST, signing.SET_BACK, "By a machine whose clock is ahead."]
        assert set(SigningKey.objects.in_use(ahead + timedelta(hours=1)).values_list("number", flat=True)) == {3}

    def test_that_a_failed_transaction_made_signs_nothing(self, tester: Customer, monkeypatch: Any) -> None:
        from lookups.evidence import manifests

        def broken(*_: Any) -> None:
            raise RuntimeError("broken")

        with monkeypatch.context() as patch:
            patch.setattr(manifests, "keep", broken)
            assert tester.lookup(FOUND, "DE").status_code == 500
        assert tester.lookup(FOUND, "DE").status_code == 200
        assert Manifest.objects.get().key == SigningKey.objects.get()


class TestRotating:
    """`manage.py rotate_signing_key --reason …`."""

    def test_makes_a_key_that_the_one_before_vouches_for(self, tester: Customer) -> None:
        tester.lookup(FOUND, "DE")
        call_command("rotate_signing_key", reason="A laptop was lost.")
        one, other = published()["keys"]
        assert (one["number"], other["number"], other["previous"]) == (1, 2, one["id"])
        assert one["retiredAt"] is not None
        assert other["retiredAt"] is None
        assert other["reason"] == "A laptop was lost."
        said = {name: other[name] for name in other if name not in ("number", "retiredAt", "signature")}
        public_key(one["publicKey"]).verify(base64.b64decode(other["signature"]), rfc8785.dumps(said))
        assert AuditEvent.objects.filter(kind="done", detail__contains="A laptop was lost.").exists()

    def test_signs_with_the_new_key_and_leaves_what_was_signed(self, tester: Customer) -> None:
        old = tester.lookup(FOUND, "DE")
        # By a machine whose clock is ahead, or while the answer waited to be written
        signing.rotate(reason="Once a year.", now=later(seconds=30))
        new = tester.lookup(FOUND, "DE", ref="new")
        log = published()
        for reply in (old, new):
            found = verify.judge(file_of(tester, reply), verify.Trusted(log))
            assert verify.is_good(found), found
        keys = list(Manifest.objects.order_by("pk").values_list("key", flat=True))
        assert keys == [one["id"] for one in log["keys"]]

    def test_leaves_a_file_of_later_good_by_a_list_of_before(self, tester: Customer) -> None:
        """Its head and its package have the new key, which the old one vouches for."""
        reply = tester.lookup(FOUND, "DE")
        before = published()
        signing.rotate(reason="Once a year.", now=timezone.now())
        assert heads.make(now=timezone.now())
        found = verify.judge(file_of(tester, reply), verify.Trusted(before))
        assert verify.is_good(found), found
        assert next(one for one in found if one.part == "head").holds
        before["keys"][-1]["retiredAt"] = before["keys"][-1]["validFrom"]  # then it vouches for nobody
        found = verify.judge(file_of(tester, reply), verify.Trusted(before))
        assert {"head", "archive signature"} <= {one.part for one in found if one.holds is False}

    def test_leaves_an_answer_of_later_good_by_a_list_of_before(self, tester: Customer) -> None:
        tester.lookup(FOUND, "DE")
        before = published()
        for days in (1, 2):
            signing.rotate(reason="Once a year.", now=timezone.now() - timedelta(days=3 - days))
        raw = file_of(tester, tester.lookup(FOUND, "DE", ref="new"))
        found = verify.judge(raw, verify.Trusted(before))
        assert verify.is_good(found), found
        assert next(one for one in found if one.part == "key").holds
        before["keys"][-1]["retiredAt"] = before["keys"][-1]["validFrom"]  # then it vouches for nobody
        assert not verify.is_good(verify.judge(raw, verify.Trusted(before)))

    def test_needs_a_reason(self, db: None) -> None:
        with pytest.raises(CommandError):
            call_command("rotate_signing_key")
        with pytest.raises(CommandError, match="Say why"):
            call_command("rotate_signing_key", reason=" ")
        with pytest.raises(CommandError, match="201 characters, and 200 at most"):
            call_command("rotate_signing_key", reason="x" * 201)
        with pytest.raises(CommandError, match="cannot be read"):
            call_command("rotate_signing_key", reason="Lost \udcff")  # as Python reads a byte that is no UTF-8
        assert not SigningKey.objects.exists()

    @pytest.mark.django_db(transaction=True)
    def test_by_two_at_once_makes_one_key_after_the_other(self) -> None:
        if connection.vendor != "postgresql":
            pytest.skip("SQLite writes for one at a time")
        signing.rotate(reason="The first.", now=NOW)
        held, may_go = threading.Event(), threading.Event()

        def hold(_: int) -> None:
            with transaction.atomic():
                SigningKey.objects.select_for_update().get(number=1)
                held.set()
                may_go.wait(60)

        with ThreadPoolExecutor(2) as pool:
            pool.submit(in_parallel, hold, 1)
            assert held.wait(60)
            two = pool.submit(in_parallel, lambda _: signing.rotate(reason="In a hurry.", now=NOW).number, 2)
            wait_until(lambda: count_waiting() == 2, what="both wait for the key in use", seconds=60)
            may_go.set()
            assert sorted(two.result(60)) == [2, 3]
        keys = published()["keys"]
        assert [one["previous"] for one in keys[1:]] == [one["id"] for one in keys[:2]]

    def test_of_an_installation_without_a_key_makes_its_first(self, db: None) -> None:
        assert signing.rotate(reason="Before the first answer.", now=NOW).number == 1


class TestTheListOfKeys:
    """As the program reads it."""

    @pytest.fixture
    def log(self, tester: Customer) -> Any:
        tester.lookup(FOUND, "DE")
        signing.rotate(reason="Once a year.", now=later(days=1))
        return published()

    @pytest.fixture
    def raw(self, tester: Customer, log: Any) -> bytes:
        lookup = Manifest.objects.get().lookup
        told = tester.get(f"/v1/lookups/{lookup.public_id}/evidence.wacz")
        return bytes(told.content)

    def test_is_believed_as_it_is(self, raw: bytes, log: Any) -> None:
        assert verify.is_good(verify.judge(raw, verify.Trusted(log)))

    @pytest.mark.parametrize(
        ("number", "change"),
        [
            (1, {"reason": "Another one."}),
            (1, {"validFrom": "2020-01-01T00:00:00.000Z"}),
            (1, {"archivePublicKey": "AAAA"}),
            (0, {"id": "0" * 16}),
            (0, {"validFrom": "2999-01-01T00:00:00.000Z"}),
            (0, {"retiredAt": "2020-01-01T00:00:00.000Z"}),
        ],
    )
    def test_is_not_believed_with_a_word_changed(
        self, raw: bytes, log: Any, number: int, change: dict[str, str]
    ) -> None:
        log["keys"][number] |= change
        found = verify.judge(raw, verify.Trusted(log))
        assert next(one for one in found if one.part == "key").holds is False

    def test_believes_no_package_that_was_made_after_its_key_had_ended(self, raw: bytes, log: Any) -> None:
        """Whoever got hold of a key that is used no more packs what was answered then anew, as he likes."""
        answered = json.loads(Manifest.objects.get().document)["answeredAt"]
        for key in log["keys"]:
            key["retiredAt"] = answered
        found = {one.part: one for one in verify.judge(raw, verify.Trusted(log))}
        assert found["key"].holds
        assert found["archive signature"].holds is False
        assert "was not in use on" in found["archive signature"].text

    def test_tells_nothing_that_could_sign(self, log: Any) -> None:
        assert "salt" not in json.dumps(log)
        assert timedelta(minutes=1) == signing.REMEMBERED
