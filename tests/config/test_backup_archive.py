"""The file that a backup is: whole or not there, for its owner alone, and nothing in it can be changed unseen."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config.backup import Refused, archive, manifest, sealing
from config.backup.manifest import Manifest, Snapshot
from tests.billing.conftest import NOW

PASSPHRASE = "correct horse battery staple"
CONTENT = bytes(range(256)) * 40


def write(path: Path, *, passphrase: str = "", content: bytes = CONTENT) -> Manifest:
    with archive.writing(path, passphrase=passphrase) as writer:
        writer.add_bytes("database", content)
        writer.add_bytes("files/a/b.txt", b"kept")
        snapshot = Snapshot({"billing_account": 2}, {"billing": "0001_initial"})
        about = manifest.make(snapshot, parts=dict(writer.parts), left_out={}, now=NOW)
        writer.add_bytes(archive.MANIFEST, about.to_json())
    return about


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guesses are made slow on purpose; here they are the test's own."""
    monkeypatch.setitem(sealing.SCRYPT, "n", 2**10)


@pytest.fixture(params=["", PASSPHRASE], ids=["plain", "encrypted"])
def passphrase(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class TestAnArchive:
    """As it is written and read again."""

    @pytest.mark.parametrize("size", [0, 1, sealing.CHUNK - 1, sealing.CHUNK, 3 * sealing.CHUNK])
    def test_gives_back_what_was_put_in(self, size: int, passphrase: str, tmp_path: Path) -> None:
        content = os.urandom(size)
        about = write(tmp_path / "a", passphrase=passphrase, content=content)
        assert archive.unpack(tmp_path / "a", into=tmp_path / "new", passphrase=passphrase) == about
        assert (tmp_path / "new" / "database").read_bytes() == content
        assert (tmp_path / "new" / "files" / "a" / "b.txt").read_bytes() == b"kept"

    def test_is_for_its_owner_alone(self, passphrase: str, tmp_path: Path) -> None:
        write(tmp_path / "a", passphrase=passphrase)
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600

    def test_shows_nothing_of_its_content_when_encrypted(self, tmp_path: Path) -> None:
        write(tmp_path / "a", passphrase=PASSPHRASE)
        write(tmp_path / "b", passphrase=PASSPHRASE)
        first, second = (tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()
        assert b"manifest" not in first
        rest = len(sealing.MAGIC)
        assert first[rest : rest + 200] != second[rest : rest + 200]  # a key of its own each time

    def test_never_takes_the_place_of_another_file(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("another")
        with pytest.raises(Refused, match="is there already"):
            write(tmp_path / "a")
        assert (tmp_path / "a").read_text() == "another"

    def test_is_written_by_one_at_a_time(self, tmp_path: Path) -> None:
        (tmp_path / "a.part").write_text("another's")
        with pytest.raises(Refused, match="another backup is under way"):
            write(tmp_path / "a")
        assert (tmp_path / "a.part").read_text() == "another's"

    def test_is_not_there_when_writing_it_failed(self, passphrase: str, tmp_path: Path) -> None:
        def fail() -> None:
            with archive.writing(tmp_path / "a", passphrase=passphrase) as writer:
                writer.add_bytes("database", CONTENT)
                writer.add("files/gone", tmp_path / "gone")

        with pytest.raises(FileNotFoundError):
            fail()
        assert list(tmp_path.iterdir()) == []

    def test_asks_for_a_passphrase_that_is_no_word(self, tmp_path: Path) -> None:
        with pytest.raises(Refused, match="too short"):
            write(tmp_path / "a", passphrase="secret")
        assert list(tmp_path.iterdir()) == []


class TestReadingAnArchive:
    """Of a wrong passphrase, a changed byte, a cut off end, one line tells."""

    def test_tells_a_wrong_passphrase(self, tmp_path: Path) -> None:
        write(tmp_path / "a", passphrase=PASSPHRASE)
        with pytest.raises(Refused, match="is not the one that the archive was encrypted with"):
            archive.unpack(tmp_path / "a", into=tmp_path, passphrase=PASSPHRASE + "r")
        with pytest.raises(Refused, match="is encrypted"):
            archive.unpack(tmp_path / "a", into=tmp_path, passphrase="")

    def test_tells_an_archive_that_is_not_encrypted_though_ours_are(self, tmp_path: Path) -> None:
        write(tmp_path / "a")
        with pytest.raises(Refused, match="was it exchanged"):
            archive.unpack(tmp_path / "a", into=tmp_path, passphrase=PASSPHRASE)

    def test_tells_any_changed_byte(self, passphrase: str, tmp_path: Path) -> None:
        """Not encrypted, a few bits mean nothing (gzip's date, another way to the same bytes): all is as it was."""
        about = write(tmp_path / "a", passphrase=passphrase)
        whole = (tmp_path / "a").read_bytes()
        unseen, refused = 0, 0
        for place in range(0, len(whole), 7):
            (tmp_path / "b").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            try:
                same = archive.unpack(tmp_path / "b", into=tmp_path / f"{place}", passphrase=passphrase) == about
                assert same
                assert (tmp_path / f"{place}" / "database").read_bytes() == CONTENT
                unseen += 1
            except Refused:
                refused += 1
        assert refused > 50
        assert unseen == 0 or not passphrase

    def test_tells_where_it_was_cut_off(self, passphrase: str, tmp_path: Path) -> None:
        write(tmp_path / "a", passphrase=passphrase, content=os.urandom(2 * sealing.CHUNK))
        whole = (tmp_path / "a").read_bytes()
        ends = [0, 10, 30, 60, 5000, sealing.CHUNK, *range(len(whole) - 20, len(whole))]
        chunk = len(sealing.MAGIC) + sealing.SALT + sealing.TAG + sealing.CHUNK + sealing.TAG
        for end in (*ends, chunk, 2 * chunk - len(sealing.MAGIC) - sealing.SALT - sealing.TAG):
            (tmp_path / "b").write_bytes(whole[:end])
            with pytest.raises(Refused):
                archive.unpack(tmp_path / "b", into=tmp_path / f"{end}", passphrase=passphrase)

    def test_tells_exchanged_chunks(self, tmp_path: Path) -> None:
        write(tmp_path / "a", passphrase=PASSPHRASE, content=os.urandom(3 * sealing.CHUNK))
        whole = (tmp_path / "a").read_bytes()
        head, one = len(sealing.MAGIC) + sealing.SALT + sealing.TAG, sealing.CHUNK + sealing.TAG
        first, second, rest = whole[head : head + one], whole[head + one : head + 2 * one], whole[head + 2 * one :]
        (tmp_path / "b").write_bytes(whole[:head] + second + first + rest)
        with pytest.raises(Refused, match="was changed"):
            archive.unpack(tmp_path / "b", into=tmp_path / "new", passphrase=PASSPHRASE)

    def test_tells_a_part_that_is_not_what_the_manifest_says(self, tmp_path: Path) -> None:
        with archive.writing(tmp_path / "a", passphrase="") as writer:
            writer.add_bytes("database", CONTENT)
            parts = writer.parts | {"database": writer.parts["database"] | {"sha256": "0" * 64}}
            about = manifest.make(Snapshot({}, {}), parts=parts, left_out={}, now=NOW)
            writer.add_bytes(archive.MANIFEST, about.to_json())
        with pytest.raises(Refused, match="database is not what was written"):
            archive.unpack(tmp_path / "a", into=tmp_path / "new", passphrase="")

    @pytest.mark.parametrize("name", ["../outside", "/tmp/outside", "files/../../outside", "files//x"])
    def test_writes_nothing_outside_its_folder(self, name: str, tmp_path: Path) -> None:
        with archive.writing(tmp_path / "a", passphrase="") as writer:
            writer.add_bytes(name, b"x")
        (tmp_path / "new").mkdir()
        with pytest.raises(Refused, match="which no backup writes"):
            archive.unpack(tmp_path / "a", into=tmp_path / "new", passphrase="")
        assert [path.name for path in tmp_path.iterdir() if path.name == "outside"] == []

    def test_tells_something_else(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"a letter to a friend, long enough")
        with pytest.raises(Refused, match="no backup of this product"):
            archive.unpack(tmp_path / "a", into=tmp_path, passphrase="")


MEMORY = """
import resource, sys
from pathlib import Path
import django
django.setup()
from config.backup import archive, sealing
sealing.SCRYPT["n"] = 2**10
folder = Path(sys.argv[1])
with archive.writing(folder / "a", passphrase="correct horse battery staple") as writer:
    writer.add_bytes("warm", b"x" * 3_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with archive.writing(folder / "b", passphrase="correct horse battery staple") as writer:
    writer.add("database", folder / "large")
try:
    archive.unpack(folder / "b", into=folder / "new", passphrase="correct horse battery staple")
except Exception as problem:
    assert "no manifest" in str(problem), problem
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


class TestALargeArchive:
    """Larger than anybody wants in memory."""

    def test_passes_through_in_pieces(self, tmp_path: Path) -> None:
        with (tmp_path / "large").open("wb") as file:
            for _ in range(8):
                file.write(os.urandom(16 * 1024 * 1024))
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, str(tmp_path)],
            cwd=settings.BASE_DIR,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) < 32 * 1024  # kilobytes, of 128 MB
        assert (tmp_path / "new" / "database").stat().st_size == 128 * 1024 * 1024
