"""A field that is added to a shape is found everywhere, and nothing else has to be edited for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pretended import run

INSIDE = "tests/contract/with_pretended_field.py"


@pytest.mark.slow
class TestAPretendedField:
    """One more line in one shape."""

    def test_is_found_everywhere(self, tmp_path: Path) -> None:
        done = run(INSIDE, tmp_path, "-p", "tests.contract.pretended_field")
        assert done.returncode == 0, done.stdout + done.stderr

    def test_is_missed_where_nobody_has_added_it(self, tmp_path: Path) -> None:
        done = run(INSIDE, tmp_path)
        assert "9 failed" in done.stdout or "8 failed" in done.stdout, done.stdout + done.stderr
