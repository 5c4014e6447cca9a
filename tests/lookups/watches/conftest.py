"""A customer who watches, in a service whose clock and workers are the test's own."""

from __future__ import annotations

import pytest
from celery import current_app

from tests.lookups.conftest import at_once, customer, register, tester  # noqa: F401  (used by pytest)


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages that would have gone to workers; each test plays the worker itself."""
    sent: list[str] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, **_: sent.append(name))
    return sent
