"""The file of evidence: what others' programs make of it, and that no change of it goes unseen."""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from django.conf import settings
from django.utils import timezone
from warcio.archiveiterator import ArchiveIterator

from lookups.evidence import bundle, chain, heads, judgement, signing, verify
from scrapers.sandbox.magic import MAGIC
from tests.evidence.conftest import FOUND, UNKNOWN, file_of
from tests.evidence.forging import (
    flip,
    forge_head,
    forge_wholly,
    is_kind,
    list_doubled,
    list_stretched,
    pack,
    read_files,
    rewrite_archive,
    seal_anew,
)
from tests.evidence.tampering import OURS, WARC, list_flipped, list_forged
from tests.lookups.conftest import Customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db
PROGRAM = settings.BASE_DIR / "docs" / "verify.py"


# It leaves files open, and breaks on some that are damaged: a process of its own, for several at once.
VALIDATE = """
import sys
from wacz.main import main
for path in sys.argv[1:]:
    try:
        good = main(["validate", "-f", path]) == 0
    except Exception:
        good = False
    print("judged:", good)
"""


def list_valid(raws: list[bytes], folder: Path) -> list[bool]:
    """What the format's own validator says of each."""
    paths = [folder / f"{number}.wacz" for number in range(len(raws))]
    for path, raw in zip(paths, raws, strict=True):
        path.write_bytes(raw)
    command = [sys.executable, "-c", VALIDATE, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=True)
    return [line == "judged: True" for line in done.stdout.splitlines() if line.startswith("judged: ")]


def run_program(raw: bytes, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The program as anybody runs it, in a folder where nothing of ours is."""
    (folder / "judged.wacz").write_bytes(raw)
    (folder / "verify.py").write_text(PROGRAM.read_text())
    command = [sys.executable, "-I", "verify.py", "judged.wacz", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def wrong_parts(found: list[verify.Finding]) -> set[str]:
    return {one.part for one in found if one.holds is False}


def trusted() -> verify.Trusted:
    return verify.Trusted(signing.list_published())


@pytest.fixture
def headed(tester: Customer) -> bytes:
    """A file under a signed head, with entries between."""
    reply = tester.lookup(FOUND, "DE")
    tester.lookup(UNKNOWN, "DE")
    assert heads.make(now=timezone.now())
    return file_of(tester, reply)


class TestAFileOfEvidence:
    """As it is downloaded."""

    def test_is_valid_to_those_who_made_the_format(self, headed: bytes, tmp_path: Path) -> None:
        assert list_valid([headed], tmp_path) == [True]

    def test_is_good_to_the_program_that_needs_nothing_of_ours(self, headed: bytes, tmp_path: Path) -> None:
        (tmp_path / "keys.json").write_text(json.dumps(signing.list_published()))
        done = run_program(headed, tmp_path, "--keys", "keys.json")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "WRONG" not in done.stdout
        assert done.stdout.count("good") == 9
        assert "No outside authority" in done.stdout

    def test_says_without_a_list_of_keys_that_it_cannot_say_whose_key_it_is(
        self, headed: bytes, tmp_path: Path
    ) -> None:
        done = run_program(headed, tmp_path)
        assert done.returncode == 0
        assert "compare it with" in done.stdout
        own = signing.list_published()["keys"][0]["id"]
        assert done.stdout.count(f"with {own}.") == 2
        # Of another hand, with a key of their own on the file's list: whose that is, cannot be told either
        for raw in (headed, forge_head(headed)):
            held = {one.part: one.holds for one in verify.judge(raw)}
            assert [held[part] for part in ("archive signature", "key", "head")] == [None, None, None]

    @pytest.mark.parametrize(
        ("option", "content"),
        [
            ("--keys", "{}"),
            ("--keys", "[]"),
            ("--keys", "no JSON"),
            ("--keys", '{"keys": []}'),
            ("--authority", "no PEM"),
        ],
    )
    def test_is_not_judged_by_what_trusts_nobody(
        self, headed: bytes, tmp_path: Path, option: str, content: str
    ) -> None:
        """A list without keys was passed over, and the file's own list taken for the service's."""
        (tmp_path / "trusted").write_text(content)
        done = run_program(headed, tmp_path, option, "trusted")
        assert (done.returncode, done.stdout) == (2, "")
        assert re.match(f"verify.py: error: .*{option}", done.stderr.splitlines()[-1])
        if option == "--keys" and content != "no JSON":
            found = verify.judge(headed, verify.Trusted(json.loads(content)))
            assert "key" in wrong_parts(found)

    def test_is_read_by_others_as_the_pages_that_were_read(self, customer: Customer, register: Register) -> None:
        files = read_files(file_of(customer, customer.lookup()))
        records = [json.loads(line) for line in files[f"{OURS}exchanges.jsonl"].splitlines()]
        answers = []
        for record in ArchiveIterator(io.BytesIO(files[WARC]), check_digests="raise"):
            if record.rec_type == "response":
                answers.append((record.rec_headers.get_header("WARC-Target-URI"), record.content_stream().read()))
        assert [url for url, _ in answers] == [one["url"] for one in records]
        assert [hashlib.sha256(body).hexdigest() for _, body in answers] == [one["body"]["sha256"] for one in records]
        assert any(b"ACME CORP." in body for _, body in answers)

    def test_lists_in_its_index_where_each_answer_lies(self, customer: Customer, register: Register) -> None:
        files = read_files(file_of(customer, customer.lookup()))
        lines = files["indexes/index.cdx"].decode().splitlines()
        assert lines == sorted(lines)
        pages = [json.loads(line) for line in files["pages/pages.jsonl"].decode().splitlines()[1:]]
        assert len(pages) == len(lines) > 0
        for line in lines:
            place = json.loads(line.split(" ", 2)[2])
            start = int(place["offset"])
            piece = files[WARC][start : start + int(place["length"])]
            (record,) = ArchiveIterator(io.BytesIO(piece))
            assert record.rec_headers.get_header("WARC-Target-URI") == place["url"]

    def test_is_good_though_the_chain_went_on_beyond_its_head(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reply = tester.lookup(FOUND, "DE")
        tester.lookup(UNKNOWN, "DE")
        assert heads.make(now=timezone.now())
        later = tester.lookup(UNKNOWN, "NV")
        assert chain.append() == 1
        found = judgement.judge(file_of(tester, later))  # which also compares the third entry of our own chain
        assert (verify.is_good(found), [one.holds for one in found if one.part == "head"]) == (True, [None])
        for most, holds in ((1, True), (0, None)):  # entries between, of which a file shows no more
            monkeypatch.setattr(bundle, "MOST_LINKS", most)
            found = verify.judge(file_of(tester, reply), trusted())
            assert verify.is_good(found), found
            assert next(one for one in found if one.part == "head").holds is holds

    def test_may_have_any_signs_in_its_texts(self) -> None:
        """Brackets in a name or a form were counted as if they nested something."""
        asked = {"question": {"entityName": 'Blue "Heron" \\' + "[{" * 60, "state": "DE"}}
        assert verify.load(json.dumps(asked)) == verify.load(rfc8785.dumps(asked)) == asked


class TestAFileOfAnAnswerFromACopy:
    """Rows of a published file that was loaded: no conversation, and no less to be checked."""

    def test_has_the_rows_under_the_address_of_the_published_file(self, tester: Customer, tmp_path: Path) -> None:
        raw = file_of(tester, tester.lookup(MAGIC["copy"], "DE"))
        assert verify.is_good(verify.judge(raw, trusted()))
        assert list_valid([raw], tmp_path) == [True]
        files = read_files(raw)
        records = [json.loads(line) for line in files[f"{OURS}exchanges.jsonl"].splitlines()]
        cited = next(one for one in records if one["method"] == "COPY")
        assert len(cited["copy"]["sha256"] or "") in (0, 64)
        kinds = [record.rec_type for record in ArchiveIterator(io.BytesIO(files[WARC]))]
        assert "resource" in kinds


class TestAChangedFile:
    """One bit, anywhere; or a forgery by somebody who has everything but our keys."""

    def test_is_noticed_by_both_programs_wherever_a_bit_is_turned(self, headed: bytes, tmp_path: Path) -> None:
        flipped = list(list_flipped(headed))
        assert len(flipped) == len(read_files(headed)) == 12
        for name, raw in flipped:
            wrong = [one for one in verify.judge(raw, trusted()) if one.holds is False]
            assert any(name in one.text or one.part == "file" for one in wrong), (name, wrong)
        assert list_valid([headed, *(raw for _, raw in flipped)], tmp_path) == [True, *[False] * len(flipped)]

    def test_is_noticed_where_its_package_was_written_anew(self, headed: bytes) -> None:
        for what, part, raw in list_forged(headed):
            found = verify.judge(raw, trusted())
            assert part in wrong_parts(found), (what, found)
            assert "archive signature" in wrong_parts(found), "the package is signed by nobody known"

    def test_is_judged_whatever_stands_in_it(self, evidence: bytes) -> None:
        """A sign more, one less or another one, anywhere, with the package written anew to fit: no check breaks."""
        chance, files = random.Random(16), read_files(evidence)
        for _ in range(600):
            name = chance.choice([one for one in files if files[one]])
            content, at = files[name], chance.randrange(len(files[name]))
            sign = bytes([chance.randrange(256)])
            changed = chance.choice(
                [
                    content[:at] + content[at + 1 :],
                    content[:at] + sign + content[at:],
                    content[:at] + sign + content[at + 1 :],
                ]
            )
            forged = {**files, name: changed}
            raw = pack(forged if name.startswith("datapackage") else seal_anew(forged))
            assert changed == content or not verify.is_good(verify.judge(raw, trusted())), name
        assert not verify.is_good(judgement.judge(raw))

    @pytest.mark.parametrize("name", ["manifest.json", "exchanges.jsonl", "facts.json"])
    def test_is_noticed_without_its_package_by_any_sign_of_what_was_signed(self, evidence: bytes, name: str) -> None:
        chance, files = random.Random(16), read_files(evidence)
        content = files[OURS + name]
        for at in chance.sample(range(len(content)), 40):
            files[OURS + name] = content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]
            assert wrong_parts(verify.judge(pack(seal_anew(files)), trusted())) > {"archive signature"}, at

    @pytest.mark.parametrize(
        ("name", "written", "parts"),
        [
            ("manifest", b"{}", {"signature", "key", "exchanges", "facts", "chain"}),
            ("signature", b"{}", {"signature", "key"}),
            ("chain", b"{}", {"chain", "head", "time-stamp"}),
            ("chain", b"[]", {"chain", "head", "time-stamp"}),
            ("manifest", b"[]", {"manifest"}),
            ("signature", b"{", {"manifest"}),
            ("contents", None, {"manifest"}),
            ("keys", b"{}", {"key", "head"}),
        ],
    )
    def test_is_wrong_in_each_part_that_cannot_be_read(
        self, headed: bytes, name: str, written: bytes | None, parts: set[str]
    ) -> None:
        files = read_files(headed)
        del files[f"{OURS}{name}.json"]
        files |= {} if written is None else {f"{OURS}{name}.json": written}
        assert wrong_parts(verify.judge(pack(seal_anew(files)), trusted())) == {*parts, "archive signature"}

    @pytest.mark.parametrize("bodies", [7, True, "kept", {"a": 1}, [], [[]], [{}], [None]])
    def test_is_judged_whatever_it_says_of_bytes_that_it_lacks(self, evidence: bytes, bodies: Any) -> None:
        files = read_files(evidence)
        files[WARC] = rewrite_archive(files[WARC], lambda one: b"" if is_kind(one, "response") else one)
        files[f"{OURS}contents.json"] = json.dumps({"bodies": bodies, "facts": "kept"}).encode()
        found = judgement.judge(pack(seal_anew(files)))
        assert wrong_parts(found) == {"archive signature"}
        lacking = [one.text for one in found if (one.part, one.holds) == ("bytes", None)]
        assert lacking == [f"The bytes of exchange {number} are not here." for number in (1, 2)]

    def test_has_no_byte_but_its_list_of_files_that_may_be_another(self, evidence: bytes) -> None:
        chance, inside = random.Random(16), list[range]()
        with zipfile.ZipFile(io.BytesIO(evidence)) as archive:
            for one in archive.infolist():
                start = one.header_offset + 30 + len(one.filename)
                inside.append(range(start, start + one.file_size))
        for _ in range(600):
            at = chance.randrange(len(evidence))
            found = verify.judge(flip(evidence, at, 1 << chance.randrange(8)), trusted())
            assert not verify.is_good(found) or not any(at in one for one in inside), at

    def test_is_noticed_by_the_program_as_people_run_it(self, headed: bytes, tmp_path: Path) -> None:
        for what, _, raw in list(list_forged(headed))[:3]:
            done = run_program(raw, tmp_path)
            assert done.returncode == 1, what
            assert "WRONG" in done.stdout

    def test_is_noticed_with_another_key_in_place_of_ours(self, headed: bytes) -> None:
        """Everything is signed anew, and the file names the forger's key: only the list of keys tells."""
        raw = forge_wholly(headed)
        assert "key" in wrong_parts(verify.judge(raw, trusted()))
        alone = verify.judge(raw)
        assert next(one for one in alone if one.part == "key").holds is None
        assert "our chain" in wrong_parts(judgement.judge(raw))

    def test_is_noticed_where_another_program_might_read_something_else(self, evidence: bytes) -> None:
        twice, packed, files = io.BytesIO(evidence), io.BytesIO(), read_files(evidence)
        name = f"{OURS}manifest.json"
        with zipfile.ZipFile(twice, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(zipfile.ZipInfo(name), files[name])
        with zipfile.ZipFile(packed, "w") as archive:
            for path, content in files.items():
                archive.writestr(path, content, zipfile.ZIP_DEFLATED if path == name else zipfile.ZIP_STORED)
        for raw in (twice.getvalue(), packed.getvalue()):
            assert "file" in wrong_parts(verify.judge(raw, trusted()))
            assert "file" in wrong_parts(judgement.judge(raw))

    def test_is_noticed_with_another_archive_where_other_programs_may_look(self, evidence: bytes) -> None:
        """A program that goes by the addresses in it, or from its beginning, showed another one than was judged."""
        for number, raw in enumerate([*list_doubled(evidence, forge_wholly(evidence)), *list_stretched(evidence)]):
            assert zipfile.is_zipfile(io.BytesIO(raw))
            assert "file" in wrong_parts(verify.judge(raw, trusted())), number
            assert "file" in wrong_parts(judgement.judge(raw)), number

    def test_is_noticed_with_a_file_more_or_less(self, evidence: bytes) -> None:
        files = read_files(evidence)
        more = pack(files | {"archive/more.warc.gz": files[WARC]})
        less = [pack({name: files[name] for name in files if name != left_out}) for left_out in files]
        for raw in (more, *less):
            assert "file" in wrong_parts(verify.judge(raw, trusted()))

    def test_is_noticed_with_a_digest_that_is_not_its_own(self, tester: Customer) -> None:
        """That of another file of ours, and its own with what nobody has signed."""
        name = "datapackage-digest.json"
        files, others = (read_files(file_of(tester, tester.lookup(one, "DE"))) for one in (FOUND, UNKNOWN))
        own = json.loads(files[name])
        later = own | {"signedData": own["signedData"] | {"created": "2099-01-01T00:00:00Z"}}
        elsewhere = own | {"signedData": own["signedData"] | {"domain": "sos.example.gov"}}  # shown as who observed it
        for digest in (others[name], *map(rfc8785.dumps, (later, elsewhere, own | {"more": "nobody signed"}))):
            found = wrong_parts(verify.judge(pack(files | {name: digest}), trusted()))
            assert found == {"archive signature", *({"file"} if digest == others[name] else ())}

    def test_is_noticed_with_another_key_under_the_name_of_ours(self, headed: bytes) -> None:
        ours, name = signing.list_published()["keys"][0], "datapackage-digest.json"
        raw = forge_wholly(headed, named=ours["id"])
        assert "key" in wrong_parts(verify.judge(raw, trusted()))
        files = read_files(raw)
        digest = json.loads(files[name])
        digest["signedData"]["publicKey"] = ours["archivePublicKey"]
        found = verify.judge(pack(files | {name: rfc8785.dumps(digest)}), trusted())
        assert next(one for one in found if one.part == "archive signature").text.endswith("does not fit it.")

    @pytest.mark.parametrize("part", ["datapackage.json", f"{OURS}manifest.json"])
    def test_ends_no_program_by_how_deep_it_is_nested(self, part: str, tmp_path: Path) -> None:
        """Other libraries raise Python's limit, and then its decoder would leave the machine's stack."""
        file = tmp_path / "deep.wacz"
        script = "import sys, runpy; sys.setrecursionlimit(10**7); runpy.run_path(sys.argv[0], run_name='__main__')"
        script = script.replace("runpy.run", "sys.argv.pop(0); runpy.run")
        command = [sys.executable, "-c", script, verify.__file__, str(file)]
        for hidden in (b"", b'["' + b"]" * 1_000_000 + b'\\\\",'):  # brackets in a text close nothing
            file.write_bytes(pack({"datapackage-digest.json": b"{}", part: hidden + b"[" * 1_000_000}))
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 1, done.stderr
            assert "WRONG  manifest" in done.stdout

    def test_is_noticed_under_a_head_of_another_hand(self, headed: bytes, tmp_path: Path) -> None:
        """What was signed stays, and is said to have been there years before: the file's own list had that key, too."""
        (tmp_path / "keys.json").write_text(json.dumps(signing.list_published()))
        done = run_program(forge_head(headed), tmp_path, "--keys", "keys.json")
        assert done.returncode == 1, done.stdout
        assert "WRONG  head: " in done.stdout
        assert "WRONG  archive signature: " in done.stdout
        vouched = {"previous": signing.list_published()["keys"][0]["id"], "signature": "A" * 86 + "=="}
        assert {"head", "archive signature"} <= wrong_parts(verify.judge(forge_head(headed, **vouched), trusted()))
        assert "head" in wrong_parts(judgement.judge(forge_head(headed)))

    @pytest.mark.parametrize(
        "raw",
        [
            b"",
            b"PK",
            b"%PDF-1.7",
            pack({}),
            pack({"datapackage.json": b"[" * 100_000}),
            pack({f"{OURS}manifest.json": b"[]"}),
            pack({f"{OURS}manifest.json": b"[" * 100_000}),
        ],
        ids=["nothing", "a beginning", "something else", "empty", "nested", "a list", "a nested manifest"],
    )
    def test_that_is_none_at_all_is_said_to_be_wrong(self, raw: bytes) -> None:
        assert not verify.is_good(verify.judge(raw))
        assert not verify.is_good(judgement.judge(raw))
