"""A field that is added to a shape is found everywhere, and nothing else has to be edited for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

INSIDE = "tests/contract/with_pretended_field.py"


def run(tmp_path: Path, *plugin: str) -> subprocess.CompletedProcess[str]:
    """Run the tests inside in a process of their own, on the embedded engine."""
    surroundings = {
        **{name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL", "VAR_DIR")},
        "SOS_TEST_VAR": str(tmp_path),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, INSIDE]
    return subprocess.run(
        command, cwd=settings.BASE_DIR, env=surroundings, capture_output=True, text=True, timeout=400, check=False
    )


@pytest.mark.slow
class TestAPretendedField:
    """One more line in one shape."""

    def test_is_found_everywhere(self, tmp_path: Path) -> None:
        done = run(tmp_path, "-p", "tests.contract.pretended_field")
        assert done.returncode == 0, done.stdout + done.stderr

    def test_is_missed_where_nobody_has_added_it(self, tmp_path: Path) -> None:
        done = run(tmp_path)
        assert "8 failed" in done.stdout or "7 failed" in done.stdout, done.stdout + done.stderr
