"""New York's register for people with a spreadsheet, asked without a pause; each test plays the worker itself."""

from __future__ import annotations

import pytest
from celery import current_app

from scrapers.states.new_york import NewYork
from scrapers.transport.pace import Pace
from tests.lookups.conftest import at_once, register

__all__ = ["at_once", "register"]


@pytest.fixture(autouse=True)
def played_worker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No message is sent, and New York is one of ours, wherever a test has to do with the database."""
    if request.node.get_closest_marker("django_db") is None:
        return
    request.getfixturevalue("register")
    monkeypatch.setattr(current_app, "send_task", lambda name, **_: None)
    monkeypatch.setattr(NewYork, "pace", Pace(seconds=0.0, concurrency=2))
