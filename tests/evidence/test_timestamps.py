"""The time-stamp of a head: asked for once an hour where the operator says so, and again while nobody answers."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lookups import tasks
from lookups.evidence import bundle, heads, signing, timestamps, verify
from lookups.models import ChainHead
from tests.evidence import authority as authorities
from tests.evidence.authority import Authority
from tests.evidence.conftest import FOUND, UNKNOWN, file_of, proof_of
from tests.evidence.test_file import run_program
from tests.lookups.conftest import NOW, Customer
from tests.scrapers import loopback

pytestmark = [pytest.mark.django_db, pytest.mark.skipif(not authorities.PROGRAM, reason="needs OpenSSL")]
HOUR = timedelta(hours=1)


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[Authority]:
    folder = tmp_path / "authority"
    folder.mkdir()
    with authorities.serving(folder) as served:
        yield served


@pytest.fixture
def asked(authority: Authority, settings: Any) -> Authority:
    """It is the one that the operator has named."""
    settings.TIMESTAMP_AUTHORITY = authority.url
    return authority


def stamp_of(raw: bytes, authority: Authority) -> verify.Finding:
    trusted = verify.Trusted(signing.list_published(), (authority.root,))
    return next(one for one in verify.judge(raw, trusted) if one.part == "time-stamp")


class TestATimeStamp:
    """Of the chain's head."""

    def test_is_not_asked_for_unless_the_operator_says_where(self, tester: Customer, authority: Authority) -> None:
        tester.lookup(FOUND, "DE")
        tasks.head_evidence()
        head = ChainHead.objects.get()
        assert (head.token, head.refusal, authority.asked) == (None, "", 0)

    def test_is_not_asked_for_before_there_is_a_head(self, asked: Authority, db: None) -> None:
        tasks.head_evidence()
        assert (heads.stamp(now=NOW), asked.asked) == (None, 0)

    def test_is_in_the_evidence_and_believed_by_who_trusts_the_authority(
        self, tester: Customer, asked: Authority, tmp_path: Path
    ) -> None:
        reply = tester.lookup(FOUND, "DE")
        tasks.head_evidence()
        proof = proof_of(tester, reply)
        assert base64.b64decode(proof["head"]["timeStamp"]) == bytes(ChainHead.objects.get().token or b"")
        assert proof["head"]["stampedAt"] is not None
        raw = file_of(tester, reply)
        assert stamp_of(raw, asked).holds is True
        done = run_program(raw, tmp_path, "--authority", str(asked.root_file))
        assert done.returncode == 0, done.stdout
        assert "An authority that you trust says" in done.stdout
        assert "give its certificate" in run_program(raw, tmp_path).stdout

    def test_is_believed_by_who_names_its_authority_twice(self, tester: Customer, asked: Authority) -> None:
        """Two lists of certificates in one file: what was genuine was called wrong."""
        reply = tester.lookup(FOUND, "DE")
        tasks.head_evidence()
        found = verify.judge(file_of(tester, reply), verify.Trusted(authorities=(asked.root, asked.root)))
        assert next(one for one in found if one.part == "time-stamp").holds is True

    def test_that_was_granted_with_changes_is_not_kept(
        self, tester: Customer, asked: Authority, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Who checks it takes only what was granted as asked for: the file would be called wrong for ever."""
        granted, changed = (b"\x30\x03\x02\x01" + status for status in (b"\0", b"\1"))
        answer = asked.answer
        monkeypatch.setattr(asked, "answer", lambda query: answer(query).replace(granted, changed, 1))
        reply = tester.lookup(FOUND, "DE")
        tasks.head_evidence()
        assert asked.asked == 1
        assert stamp_of(file_of(tester, reply), asked).holds is None
        assert ChainHead.objects.get().refusal == "granted with changes"

    def test_without_the_certificate_that_was_asked_for_is_not_kept(
        self, tester: Customer, asked: Authority, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nobody could check it: the file would be called wrong by whoever trusts the authority."""
        with_it, without = b"\x01\x01\xff", b"\x01\x01\x00"
        answer = asked.answer
        monkeypatch.setattr(asked, "answer", lambda query: answer(query.replace(with_it, without)))
        reply = tester.lookup(FOUND, "DE")
        tasks.head_evidence()
        assert stamp_of(file_of(tester, reply), asked).holds is None
        assert ChainHead.objects.get().refusal == "the answer has no certificate"

    def test_of_somebody_else_is_not_believed(self, tester: Customer, asked: Authority, tmp_path: Path) -> None:
        reply = tester.lookup(FOUND, "DE")
        tasks.head_evidence()
        other = tmp_path / "other"
        other.mkdir()
        with authorities.serving(other) as stranger:
            found = stamp_of(file_of(tester, reply), stranger)
        assert found.holds is False
        assert "not from an authority that you trust" in found.text

    def test_of_another_text_is_not_believed_either(self, tester: Customer, asked: Authority) -> None:
        """By whoever knows no authority at all: nobody has vouched for this head."""
        reply = tester.lookup(FOUND, "DE")
        tasks.head_evidence()
        stamped = verify.judge(file_of(tester, reply))
        ChainHead.objects.update(token=timestamps.ask(asked.url, b"another head").raw)
        found = verify.judge(file_of(tester, reply))
        assert [next(one for one in each if one.part == "time-stamp").holds for each in (stamped, found)] == [
            None,
            False,
        ]

    def test_with_a_bit_turned_is_not_believed(self, tester: Customer, asked: Authority) -> None:
        reply = tester.lookup(FOUND, "DE")
        tasks.head_evidence()
        head = ChainHead.objects.get()
        whole = bytes(head.token or b"")
        for at in (len(whole) - 20, len(whole) // 2, whole.index(b"\x04\x20") + 5):
            head.token = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
            head.save()
            assert stamp_of(file_of(tester, reply), asked).holds is False, at

    def test_waits_while_the_authority_is_down_and_comes_later(self, tester: Customer, asked: Authority) -> None:
        tester.lookup(FOUND, "DE")
        asked.status = 503
        heads.make(now=NOW)
        assert heads.stamp(now=NOW) is None
        assert ChainHead.objects.get().refusal == "answered 503"
        asked.status = 200
        stamped = heads.stamp(now=NOW + timedelta(minutes=10))
        assert stamped is not None
        assert (bool(stamped.token), stamped.refusal) == (True, "")
        assert heads.stamp(now=NOW + timedelta(minutes=20)) is None
        assert asked.asked == 2, "what is stamped is not asked about again"

    def test_of_a_later_head_stands_for_what_the_authority_missed(self, tester: Customer, asked: Authority) -> None:
        first = tester.lookup(FOUND, "DE")
        asked.status = 503
        heads.make(now=NOW)
        heads.stamp(now=NOW)
        assert proof_of(tester, first)["head"]["number"] == 1
        tester.lookup(UNKNOWN, "DE")
        asked.status = 200
        heads.make(now=NOW + HOUR)
        heads.stamp(now=NOW + HOUR)
        assert proof_of(tester, first)["head"]["number"] == 2
        assert stamp_of(file_of(tester, first), asked).holds is True
        assert asked.asked == 2, "one request an hour"

    def test_of_a_head_too_far_to_show_the_way_there_takes_no_nearer_one_away(
        self, tester: Customer, asked: Authority, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An operator names an authority a year after the first answers: those stay proven by the head they had."""
        monkeypatch.setattr(bundle, "MOST_LINKS", 1)
        first = tester.lookup(FOUND, "DE")
        asked.status = 503
        heads.make(now=NOW)
        for name in (UNKNOWN, "Granite Peak Holdings Inc"):
            tester.lookup(name, "DE")
        asked.status = 200
        heads.make(now=NOW + HOUR)
        heads.stamp(now=NOW + HOUR)
        assert proof_of(tester, first)["head"]["number"] == 1
        (found,) = [one for one in verify.judge(file_of(tester, first)) if one.part == "head"]
        assert "too far" not in found.text

    def test_that_comes_too_late_for_the_reader_alone_is_called_the_same(
        self, authority: Authority, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Two time-outs of one length race; here only that of the next byte is left."""
        monkeypatch.setattr(timestamps, "in_time", lambda work, *, deadline: work())
        authority.seconds = 2.0
        with pytest.raises(timestamps.NotStamped, match=r"no answer within 0\.5 s"):
            timestamps.ask(authority.url, b"a head", seconds=0.5)

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"seconds": 2.0}, "no answer within 0.5 s"),
            ({"status": 302}, "answered 302"),
            ({"body": b"<html>"}, "the answer is no time-stamp"),
            ({"body": b"\x30\x05\x30\x03\x02\x01\x02"}, r"refused \(status 2\)"),
            ({"body": b"0" * 70_000}, "the answer is too long"),
        ],
    )
    def test_is_nothing_else(self, authority: Authority, change: dict[str, Any], why: str) -> None:
        for name, value in change.items():
            setattr(authority, name, value)
        with pytest.raises(timestamps.NotStamped, match=why):
            timestamps.ask(authority.url, b"a head", seconds=0.5 if "seconds" in change else 15)

    @pytest.mark.parametrize("earlier", [b"another head", b"a head"], ids=["of another", "of before"])
    def test_of_another_question_is_refused(self, authority: Authority, earlier: bytes) -> None:
        authority.body = timestamps.ask(authority.url, earlier).raw
        with pytest.raises(timestamps.NotStamped, match="about something else"):
            timestamps.ask(authority.url, b"a head")

    def test_of_another_text_under_the_same_number_is_refused(
        self, authority: Authority, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked_about, answer = hashlib.sha256(b"a head").digest(), authority.answer
        monkeypatch.setattr(authority, "answer", lambda query: answer(query.replace(asked_about, bytes(32))))
        with pytest.raises(timestamps.NotStamped, match="about something else"):
            timestamps.ask(authority.url, b"a head")

    @pytest.mark.parametrize("head", ["content-length: 900", "content-encoding: gzip"])
    def test_that_breaks_off_or_cannot_be_unpacked_is_none(self, head: str) -> None:
        with loopback.serving() as server:
            server.answers = {
                "/tsr": [lambda wire: wire.raw(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\nno zip at all".encode())]
            }
            with pytest.raises(timestamps.NotStamped, match="not reached"):
                timestamps.ask(f"{server.url}/tsr", b"a head")

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_is_asked_of_nobody_to_whom_its_authority_leads(self, status: int) -> None:
        """Who answers at a plain address could have the service ask any machine within reach."""
        with loopback.serving() as server:
            server.answers = {
                "/tsr": [loopback.says(status, location="/elsewhere")],
                "/elsewhere": [loopback.says(200)],
            }
            with pytest.raises(timestamps.NotStamped, match=f"answered {status}"):
                timestamps.ask(f"{server.url}/tsr", b"a head")
            assert [one.path for one in server.received] == ["/tsr"]

    def test_is_not_there_where_nobody_is(self) -> None:
        with pytest.raises(timestamps.NotStamped, match="not reached"):
            timestamps.ask("http://127.0.0.1:9/tsr", b"a head")
