"""The browser as a fixture: one a module, for it takes a second to start."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium without a window (`tests.browser.chromium`); where there is none, the test is skipped."""
    if not (shutil.which("chromium") or shutil.which("google-chrome")):
        pytest.skip("needs Chromium")
    from tests.browser import chromium  # takes a while to import, and few tests need it

    with chromium.started() as started:
        yield started
