"""The page where anybody checks a file: by the service without a script, and by the browser with ours."""

from __future__ import annotations

import base64
import gzip
import io
import json
import tracemalloc
import zipfile
import zlib
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, Page

from lookups.evidence import heads, signing, verify
from lookups.models import Manifest, SigningKey
from lookups.pages import evidence as page_of_evidence
from lookups.pages import views
from tests.browser import chromium
from tests.evidence.conftest import FOUND, UNKNOWN, file_of
from tests.evidence.forging import forge_head, forge_wholly, list_doubled, list_stretched, pack, read_files, seal_anew
from tests.evidence.tampering import FORGERIES, list_flipped, list_forged
from tests.evidence.test_file import run_program
from tests.lookups.conftest import Customer
from tests.sign_in.people import new_address

JUDGE = """
(async () => {
  const log = await (await fetch("/.well-known/sos-lookup-keys.json")).json();
  const found = await judge(Uint8Array.from(atob("%s"), sign => sign.charCodeAt(0)), log);
  return JSON.stringify(found.map(one => [one.part, one.holds, one.text]));
})()
"""


RECORD = b"WARC/1.1\r\nWARC-Type: warcinfo\r\n"


def zip_up(archive: bytes, exchanges: bytes = b"") -> bytes:
    """A file that looks like evidence as far as its archive is read."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as package:
        package.writestr(verify.WARC, archive)
        for name in ("manifest.json", "signature.json", "contents.json"):
            package.writestr(f"{verify.OURS}{name}", "{}")
        package.writestr(f"{verify.OURS}exchanges.jsonl", exchanges)
    return made.getvalue()


def lay_over_one_another(size: int) -> bytes:
    """A zip of fifty files, each of which has all that follow in it."""
    made, files, content = io.BytesIO(), [], bytes(size)
    for number in range(50):
        one = zipfile.ZipInfo(f"{number:02}")
        one.CRC, one.file_size, one.compress_size = zlib.crc32(content), len(content), len(content)
        content = one.FileHeader() + content
        files.insert(0, one)
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as package:
        for number, one in enumerate(files):
            one.header_offset = number * (len(content) - size) // 50
            package.filelist.append(one)
        package.start_dir = made.write(content)
        package._didModify = True
    return made.getvalue()


def send(raw: bytes, name: str = "answer.wacz", client: Client | None = None) -> Any:
    upload = SimpleUploadedFile(name, raw, content_type="application/wacz")
    return (client or Client()).post("/verify/", {"file": upload})


@pytest.mark.django_db
class TestThePage:
    """Without a script."""

    def test_says_that_nothing_was_changed(self, evidence: bytes) -> None:
        page = send(evidence)
        assert page.status_code == 200
        text = page.content.decode()
        assert "Nothing in this file was changed" in text
        assert "Entry 1 of our chain is this one." in text
        assert 'class="tag bad"' not in text

    def test_says_what_was_changed_by_a_bit(self, evidence: bytes) -> None:
        for name, raw in list_flipped(evidence):
            text = send(raw).content.decode()
            assert "This file was changed" in text, name
            assert name in text or "cannot be read" in text, name

    def test_accuses_nobody_where_another_file_was_chosen(self, db: None) -> None:
        for raw in (b"name,state\nBlue Heron Logistics LLC,DE\n", b"%PDF-1.7\n"):
            text = send(raw).content.decode()
            assert "This file was changed" not in text
            assert "This is no file of evidence" in text

    def test_says_what_was_forged(self, tester: Customer) -> None:
        reply = tester.lookup(FOUND, "DE")
        heads.make(now=timezone.now())
        for what, part, raw in list_forged(file_of(tester, reply)):
            text = send(raw).content.decode()
            assert "This file was changed" in text, what
            assert f"<strong>{part.capitalize()}</strong>" in text, what

    def test_is_not_taken_in_by_a_forger_with_a_key_of_his_own(self, evidence: bytes) -> None:
        text = send(forge_wholly(evidence)).content.decode()
        assert "This file was changed" in text
        assert "is none of the service" in text
        assert "Entry 1 of our chain is another one." in text

    def test_says_the_same_of_what_was_signed_under_another_address(self, evidence: bytes, settings: Any) -> None:
        """The service has moved since: who asked at the new address was sent to the old one."""
        settings.PUBLIC_URL = "https://moved.example"
        text = send(evidence).content.decode()
        assert "Nothing in this file was changed" in text
        assert "Entry 1 of our chain is this one." in text

    def test_does_not_speak_for_another_service(self, evidence: bytes, settings: Any) -> None:
        settings.PUBLIC_URL = "https://elsewhere.example"
        other = SigningKey.objects.get()  # it has a key of its own
        other.id, other.number = "0123456789abcdef", 2
        other.save(force_insert=True)
        Manifest.objects.update(key=other)
        SigningKey.objects.filter(number=1).delete()
        text = send(evidence).content.decode()
        assert "Not wholly checked" in text
        assert "ask there" in text

    def test_escapes_what_a_file_says(self, repack: Any) -> None:
        evil = b'{"service":"<script>alert(1)</script>","exchanges":[],"answeredAt":"2","facts":{"sha256":""}}'
        text = send(repack("sos-lookup/manifest.json", evil), name="<img src=x>.wacz").content.decode()
        assert "<script>alert" not in text
        assert "<img" not in text

    @pytest.mark.parametrize("name", ["manifest", "signature", "chain"])
    def test_shows_what_a_file_says_in_signs_that_nobody_can_write(
        self, evidence: bytes, repack: Any, name: str, tmp_path: Path
    ) -> None:
        """Half a letter, as JSON may name it and no page can hold it: the page broke down."""
        part = f"sos-lookup/{name}.json"
        half = json.loads(read_files(evidence)[part]) | {"service": "\ud800", "keyId": "\ud800"}
        if name == "chain":
            half["entry"]["number"] = "\ud800"
        raw = repack(part, json.dumps(half).encode())
        done = run_program(raw, tmp_path)
        assert (done.returncode, "time-stamp: " in done.stdout, done.stderr) == (1, True, "")
        page = send(raw)
        assert page.status_code == 200
        assert "This file was changed" in page.content.decode()

    @pytest.mark.parametrize("number", [0, -1, 2, 2**63, 10**400, "1", 1.0, None, [1]])
    def test_finds_it_nowhere_in_our_chain_but_in_its_place(self, evidence: bytes, number: Any) -> None:
        """What is signed with a stolen key is wrong nowhere else."""
        files = read_files(evidence)
        said = json.loads(files["sos-lookup/chain.json"])
        said["entry"]["number"] = number
        files["sos-lookup/chain.json"] = json.dumps(said).encode()
        page = send(pack(seal_anew(files))).content.decode()
        why = f"Entry {number} of our chain is another one." if number == 2 else "It names no place in the chain."
        assert why in page

    def test_asks_for_a_file_and_for_no_larger_one(self, monkeypatch: pytest.MonkeyPatch, db: None) -> None:
        assert Client().post("/verify/").status_code == 400
        monkeypatch.setattr(page_of_evidence, "MOST_BYTES", 100)
        assert send(b"0" * 101).status_code == 413

    def test_unpacks_no_more_of_a_small_file_than_a_page_has(self, db: None) -> None:
        """A quarter of a megabyte that is 240 when it is unpacked, and one in which fifty files are the same bytes."""
        size = 240 * 1024 * 1024
        packed = gzip.compress(b"%bContent-Length: %d\r\n\r\n%b\r\n\r\n" % (RECORD, size, bytes(size)), 1)
        for raw in (zip_up(packed), lay_over_one_another(5_000_000)):
            tracemalloc.start()
            try:
                page = send(raw).content.decode()
                most = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            assert "This file was changed" in page
            assert most < 100 * 1024 * 1024

    def test_reads_a_file_of_many_small_parts_once(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        """All that followed was copied for each of them: four megabytes took a minute and a half of a processor."""
        read = 0

        class Counting:
            def __init__(self, bits: int) -> None:
                self.real = zlib.decompressobj(bits)

            def decompress(self, packed: bytes, most: int) -> bytes:
                nonlocal read
                read += len(packed)
                return self.real.decompress(packed, most)

            def __getattr__(self, name: str) -> Any:
                return getattr(self.real, name)

        monkeypatch.setattr(verify, "zlib", SimpleNamespace(decompressobj=Counting, MAX_WBITS=zlib.MAX_WBITS))
        raw = zip_up(gzip.compress(RECORD + b"Content-Length: 0\r\n\r\n\r\n\r\n", mtime=0) * 5_000)
        assert "This file was changed" in send(raw).content.decode()
        assert 0 < read < 100 * len(raw)

    def test_reads_an_exchange_once_however_often_it_is_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its record was read anew for each request: four megabytes took half an hour of a processor."""
        line = json.dumps({"url": "https://x/", "at": "t", "method": "GET", "pad": [0] * 10_000}).encode()
        heads = b"WARC-Target-URI: https://x/\r\nWARC-Date: t\r\n"

        def pack_record(kind: bytes, block: bytes) -> bytes:
            head = b"WARC/1.1\r\nWARC-Type: %b\r\n%bContent-Length: %d" % (kind, heads, len(block))
            return gzip.compress(b"%b\r\n\r\n%b\r\n\r\n" % (head, block), mtime=0)

        archive = pack_record(b"metadata", line) + pack_record(b"request", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") * 100
        read, load = 0, verify.load

        def counting(text: str | bytes) -> Any:
            nonlocal read
            read += len(text)
            return load(text)

        monkeypatch.setattr(verify, "load", counting)
        [found] = [one for one in verify.judge(zip_up(archive, line)) if one.text.startswith("The bytes of 0 of 1")]
        assert found.holds
        assert 0 < read < 3 * len(line)

    def test_keeps_no_more_of_a_head_than_ours_have(self) -> None:
        """A record that was all header, of a million names, took half a gigabyte."""
        names = b"".join(b"%x: \r\n" % number for number in range(1_000_000))
        raw = zip_up(gzip.compress(b"%b%bContent-Length: 0\r\n\r\n\r\n\r\n" % (RECORD, names), 1))
        tracemalloc.start()
        try:
            found = verify.judge(raw)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert "The archive has a header that other programs may read otherwise." in [one.text for one in found]
        assert most < 100 * 1024 * 1024

    def test_is_refused_after_too_many_in_a_minute(self, settings: Any, evidence: bytes) -> None:
        settings.KEYLESS_PER_MINUTE, somebody = 1, Client(REMOTE_ADDR=new_address())
        assert send(evidence, client=somebody).status_code == 200
        assert send(evidence, client=somebody).status_code == 429

    def test_loads_nothing_from_elsewhere_and_is_kept_nowhere(self, evidence: bytes) -> None:
        for page in (Client().get("/verify/"), send(evidence)):
            assert page["Content-Security-Policy"] == views.POLICY
            assert page["Cache-Control"] == "no-store"
            assert "http://" not in page.content.decode().replace("http://127.0.0.1:8000", "").replace(
                "http://testserver", ""
            )

    def test_takes_no_form_from_another_site(self, evidence: bytes) -> None:
        assert send(evidence, client=Client(enforce_csrf_checks=True)).status_code == 403

    def test_hands_the_program_out(self, db: None) -> None:
        got = Client().get("/verify/verify.py")
        assert b"".join(got.streaming_content) == Path(verify.__file__).read_bytes()

    def test_is_led_to_from_every_page(self, db: None) -> None:
        assert 'href="/verify/"' in Client().get("/privacy/").content.decode()


@pytest.mark.django_db(transaction=True)
class TestTheBrowser:
    """With the page's own script, in a real one."""

    @pytest.fixture
    def raw(self, tester: Customer) -> bytes:
        reply = tester.lookup(FOUND, "DE")
        tester.lookup(UNKNOWN, "DE")
        heads.make(now=timezone.now())
        return file_of(tester, reply)

    @pytest.fixture
    def page(self, browser: Browser, live_server: Any, settings: Any) -> Page:
        settings.STORAGES = {
            **settings.STORAGES,
            "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
        }
        page = chromium.person(browser).new_page()
        complaints = chromium.listen(page)
        page.goto(f"{live_server.url}/verify/")
        assert complaints == []
        return page

    def test_finds_what_the_program_finds(self, raw: bytes, page: Page) -> None:
        """Two programs, written apart, on the same files: the good one, each with a bit turned, each forged."""
        good = judged(page, raw)
        assert {part for part, holds, _ in good if holds is False} == set(), good
        assert len([one for one in good if one[1]]) == 9
        assert ["facts", True, verify.judge(raw)[6].text] in good
        for name, flipped in list_flipped(raw):
            wrong = [(part, text) for part, holds, text in judged(page, flipped) if holds is False]
            assert any(name in text or part == "file" for part, text in wrong), (name, wrong)
        forged = 0
        for what, part, changed in list_forged(raw):
            found = judged(page, changed)
            assert part in {one for one, holds, _ in found if holds is False}, (what, found)
            forged += 1
        assert forged == len(FORGERIES)
        assert ["key", False] in [one[:2] for one in judged(page, forge_wholly(raw))]
        for number, doubled in enumerate([*list_doubled(raw, forge_wholly(raw)), *list_stretched(raw)]):
            assert False in [holds for _, holds, _ in judged(page, doubled)], number
        digest = read_files(raw)["datapackage-digest.json"].replace(b',"hash"', b',"domain":"sos.example.gov","hash"')
        observed = judged(page, pack(read_files(raw) | {"datapackage-digest.json": digest}))
        assert [part for part, holds, _ in observed if holds is False] == ["archive signature"]
        wrong = {part for part, holds, _ in judged(page, forge_head(raw)) if holds is False}
        assert wrong == {"archive signature", "head"}

    def test_takes_no_longer_signature_of_a_package_than_ours_are(self, raw: bytes, page: Page) -> None:
        """A zero before its second half is the same number, and another file: the program alone took it."""
        name = "datapackage-digest.json"
        files = read_files(raw)
        own = json.loads(files[name])["signedData"]["signature"]
        halves = base64.b64decode(own)
        for longer in (halves[:48] + b"\0" + halves[48:], b"\0" + halves, halves + b"\0"):
            changed = pack(files | {name: files[name].replace(own.encode(), base64.b64encode(longer))})
            known = verify.Trusted(signing.list_published())
            found = [[part, holds] for part, holds, _ in verify.judge(changed, known)]
            assert [part for part, holds in found if holds is False] == ["archive signature"]
            assert [part for part, holds, _ in judged(page, changed) if holds is False] == ["archive signature"]

    def test_says_of_a_key_that_none_before_it_vouches_for_that_it_is_on_the_list_alone(
        self, raw: bytes, page: Page, tester: Customer, settings: Any
    ) -> None:
        files = [raw]
        for secret in ("b" * 40, "c" * 40):  # the first is vouched for; it is lost before the second
            settings.SIGNING_SECRET = secret
            cache.clear()
            files.append(file_of(tester, tester.lookup(FOUND, "DE", ref=secret)))
        found = [next(one for one in judged(page, each) if one[0] == "key") for each in files]
        assert [one[1] for one in found] == [True, True, None]
        assert "on the list alone" in found[2][2]

    def test_finds_that_a_package_was_made_after_its_key_had_ended(self, raw: bytes, page: Page) -> None:
        answered = json.loads(read_files(raw)["sos-lookup/manifest.json"])["answeredAt"]
        SigningKey.objects.update(retired_at=datetime.fromisoformat(answered))
        found = {part: text for part, holds, text in judged(page, raw) if holds is False}
        assert set(found) == {"archive signature", "head"}
        assert "was not in use on" in found["archive signature"]

    def test_knows_the_service_by_its_key_after_a_move(
        self, raw: bytes, page: Page, settings: Any, tmp_path: Path
    ) -> None:
        (tmp_path / "old.wacz").write_bytes(raw)
        settings.PUBLIC_URL = "https://moved.example"
        page.set_input_files("#file", tmp_path / "old.wacz")
        page.get_by_text("old.wacz, checked by your browser").wait_for()
        assert page.text_content("#verdict") == "Nothing in this file was changed"

    def test_judges_a_chosen_file_and_sends_it_nowhere(self, raw: bytes, page: Page, tmp_path: Path) -> None:
        for name, content, expected in (
            ("good.wacz", raw, "Nothing in this file was changed"),
            ("bad.wacz", next(list_forged(raw))[2], "This file was changed"),
            ("cut.wacz", raw[:1000], "This file was changed"),
            ("suppliers.csv", b"name,state\nBlue Heron Logistics LLC,DE\n", "This is no file of evidence"),
        ):
            path = tmp_path / name
            path.write_bytes(content)
            asked: list[tuple[str, str]] = []
            page.on("request", lambda one, asked=asked: asked.append((one.method, one.url.rpartition("/")[2])))
            page.set_input_files("#file", path)
            page.get_by_text(f"{name}, checked by your browser").wait_for()
            assert page.text_content("#verdict") == expected
            # The page's own icon may come as late as this
            assert set(asked) - {("GET", "mark.svg")} == {("GET", "sos-lookup-keys.json")}

    def test_has_what_it_needs_in_the_file_alone(self, raw: bytes) -> None:
        assert "sos-lookup/keys.json" in read_files(raw)


def judged(page: Page, raw: bytes) -> list[list[Any]]:
    found = page.evaluate(JUDGE % base64.b64encode(raw).decode())
    assert found, "the script broke"
    return list(json.loads(found))
