"""What the tests of scraping share."""

from __future__ import annotations

import time

import pytest


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds, each time that somebody was to sleep; nobody does: how long a machine takes is no part of a promise."""
    asked: list[float] = []
    monkeypatch.setattr(time, "sleep", asked.append)
    return asked
