"""A reason that is added to the enum of failures is found everywhere, and nothing else has to be edited for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pretended import run

INSIDE = "tests/lookups/with_pretended_reason.py"


@pytest.mark.slow
class TestAPretendedReason:
    """One more member of the enum."""

    def test_is_found_everywhere(self, tmp_path: Path) -> None:
        done = run(INSIDE, tmp_path, "-p", "tests.lookups.pretended_reason")
        assert done.returncode == 0, done.stdout + done.stderr

    def test_is_missed_where_nobody_has_added_it(self, tmp_path: Path) -> None:
        assert run(INSIDE, tmp_path).returncode != 0
