"""`make audit`: a weakness that is known fails it, and an index that knows of none is never taken for a clean one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLEAN = "No known vulnerabilities found"
FOUND = "Found 1 known vulnerability in 1 package"
UNKNOWN = "waitress  Dependency not found on PyPI and could not be audited: waitress (3.0.2)"


def audit(folder: Path, *, said: str, code: int, where_answered: bool = False) -> subprocess.CompletedProcess[str]:
    """Run it with a tool that says this."""
    for name, script in (("bin/python", "exit 0"), ("audit/bin/pip-audit", f"echo '{said}'; exit {code}")):
        program = folder / name
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    command = ["make", "audit", f"VENV={folder}", *(["WHERE_ANSWERED=1"] if where_answered else [])]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
class TestTheAuditOfPackages:
    """As a person asks for it, and as every change does where an index answers."""

    @pytest.mark.parametrize("where_answered", [False, True])
    def test_passes_where_nothing_is_known(self, tmp_path: Path, where_answered: bool) -> None:
        done = audit(tmp_path, said=CLEAN, code=0, where_answered=where_answered)
        assert done.returncode == 0
        assert "NOT AUDITED" not in done.stdout

    @pytest.mark.parametrize("where_answered", [False, True])
    @pytest.mark.parametrize("said", [FOUND, f"{FOUND}\n{UNKNOWN}"])
    def test_fails_where_a_weakness_is_known(self, tmp_path: Path, said: str, where_answered: bool) -> None:
        done = audit(tmp_path, said=said, code=1, where_answered=where_answered)
        assert done.returncode != 0
        assert FOUND in done.stdout

    @pytest.mark.parametrize(("said", "code"), [(f"{UNKNOWN}\n{CLEAN}", 0), ("Connection refused", 1)])
    def test_says_when_nobody_could_tell(self, tmp_path: Path, said: str, code: int) -> None:
        for where_answered, fails in ((False, True), (True, False)):
            done = audit(tmp_path / str(where_answered), said=said, code=code, where_answered=where_answered)
            assert "NOT AUDITED" in done.stdout
            assert (done.returncode != 0) is fails
