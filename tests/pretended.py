"""Tests that need one more member of a shape or an enum run in a process of their own, which adds it first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings

from tests.migrated_once import RUN, copy_migrated


def run(inside: str, tmp_path: Path, *plugin: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of the file `inside`, on the embedded engine."""
    copy_migrated(tmp_path / f"migrated-{RUN}.sqlite3")  # where it looks for what another process has kept
    surroundings = {
        **{name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL", "VAR_DIR")},
        "SOS_TEST_VAR": str(tmp_path),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, inside]
    return subprocess.run(
        command, cwd=settings.BASE_DIR, env=surroundings, capture_output=True, text=True, timeout=400, check=False
    )
