"""What stops a start is said in one line, before anything is half done."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.checkout import ROOT, clean_environment, make, ready_virtualenv
from tests.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("processes")]


@pytest.fixture
def taken_port():
    """A port somebody else listens on."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen(1)
        yield other.getsockname()[1]


@pytest.fixture
def old_python(tmp_path: Path) -> Path:
    """A Python that is too old: it says so, and fails what asks for a newer one."""
    program = tmp_path / "python3.9"
    program.write_text('#!/bin/sh\n[ "$1" = -V ] && echo "Python 3.9.2" && exit 0\nexit 1\n')
    program.chmod(0o755)
    return program


def ours(said: str) -> list[str]:
    """Return the lines without those that make adds about itself."""
    return [line for line in said.splitlines() if line and not line.startswith("make: ")]


class TestARefusedStart:
    """`make run` where it cannot run."""

    def test_names_the_taken_port_and_a_way_out(self, tmp_path: Path, taken_port: int) -> None:
        place = {"VAR_DIR": str(tmp_path / "var"), "DATABASE_URL": "", "REDIS_URL": ""}
        done = make("run", f"PORT={taken_port}", f"VENV={ready_virtualenv()}", folder=ROOT, **place)
        assert done.returncode != 0
        said = ours(done.stdout + done.stderr)
        assert len(said) == 1
        assert f"Port {taken_port} on 127.0.0.1 is taken" in said[0]

    def test_names_the_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        folder = tmp_path / "read-only"
        folder.mkdir(mode=0o555)
        done = _without_root_rights(
            [sys.executable, str(ROOT / "manage.py"), "up", "--port", "1"], VAR_DIR=str(folder / "var")
        )
        assert done.returncode != 0
        said = ours(done.stdout + done.stderr)
        assert len(said) == 1
        assert f"The folder {folder / 'var'} cannot be written (Permission denied)" in said[0]

    def test_names_the_python_that_is_too_old(self, tmp_path: Path, old_python: Path) -> None:
        done = make("run", f"PYTHON={old_python}", f"VENV={tmp_path / 'venv'}", folder=ROOT)
        assert done.returncode != 0
        said = ours(done.stdout + done.stderr)
        assert len(said) == 1
        assert "Python 3.11 or newer is needed, with its venv module; found: Python 3.9.2" in said[0]
        assert not (tmp_path / "venv").exists()

    def test_names_a_database_that_does_not_answer(self, tmp_path: Path) -> None:
        done = make(
            "run",
            f"VENV={ready_virtualenv()}",
            f"PORT={free_port()}",
            folder=ROOT,
            VAR_DIR=str(tmp_path / "var"),
            DATABASE_URL="postgres://sos@127.0.0.1:1/nothing",
            REDIS_URL="",
        )
        assert done.returncode != 0
        said = ours(done.stdout + done.stderr)
        assert len(said) == 1
        assert "The database at DATABASE_URL cannot be used" in said[0]


class TestMakeAlone:
    """`make` without a word."""

    def test_explains_itself(self) -> None:
        done = make(folder=ROOT)
        assert done.returncode == 0
        assert "make run" in done.stdout
        assert "make test" in done.stdout


def _without_root_rights(command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    """Run `command` so that permission bits count, also when the tests run as root."""
    if os.geteuid() == 0:
        dropper = shutil.which("setpriv")
        if not dropper:
            pytest.skip("root writes everywhere, and there is no setpriv to give that up")
        command = [dropper, "--bounding-set", "-dac_override,-dac_read_search", *command]
    assert stat.S_IMODE(Path(more["VAR_DIR"]).parent.stat().st_mode) == 0o555
    return subprocess.run(command, env=clean_environment(more), capture_output=True, text=True, timeout=300)
