"""Whatever the document allows is accepted and answered as it says: schemathesis asks, and follows the links.

SCHEMATHESIS_EXAMPLES=200 asks more of every operation than the few of a normal run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.conf import settings as project

from tests.contract.valid_requests import follows_rules
from tests.lookups.conftest import Customer
from tests.lookups.messages import end_bulk, end_jobs

CONFIG = Path(__file__).with_name("schemathesis.toml")
SEED = 2
Asked = subprocess.CompletedProcess[str]
Ask = Callable[..., Asked]


@pytest.fixture
def ask(tester: Customer, live_server: Any, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> Ask:
    """Let schemathesis ask the running service in some phases; what is to be worked on is done at once."""
    working = threading.Lock()

    def work(*_: Any, **__: Any) -> None:
        if working.acquire(blocking=False):  # what the work itself hands over is done by it, too
            try:
                end_jobs()
                end_bulk()
            finally:
                working.release()

    monkeypatch.setattr(current_app, "send_task", work)
    monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
    settings.MAIL_CONFIGURED = True  # nothing is sent: nobody delivers here
    type(tester.key).objects.update(rate_limit_per_minute=10**6)

    def run(phases: str, examples: int, *more: str) -> Asked:
        examples = int(os.environ.get("SCHEMATHESIS_EXAMPLES", examples))
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG)]
        command += ["run", f"{live_server.url}/openapi.json", "--header", f"x-api-key: {tester.secret}"]
        command += ["--phases", phases, "--max-examples", str(examples), "--seed", str(SEED)]
        command += ["--warnings", "off", *more]
        environment = {**os.environ, "PYTHONPATH": str(project.BASE_DIR)}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def on_sqlite() -> None:
    """Skip on the other engine: what the document promises does not depend on it, and this takes a while."""
    if not project.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        pytest.skip("asked on SQLite: the document is the same on either engine")


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("on_sqlite")
@pytest.mark.django_db(transaction=True)
class TestSchemathesis:
    """With a test key, of the sandbox registry."""

    def test_finds_nothing_in_any_operation(self, ask: Ask) -> None:
        asked = ask("examples,coverage,fuzzing", 3)
        assert asked.returncode == 0, asked.stdout
        assert "Tested: 37" in asked.stdout

    def test_finds_nothing_behind_a_link(self, ask: Ask) -> None:
        asked = ask("stateful", 20)
        assert asked.returncode == 0, asked.stdout
        assert "API Links:    3 covered / 3 selected" in asked.stdout, asked.stdout

    def test_would_find_a_valid_request_that_is_refused(self, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("lookups.api.views.paging.LONGEST_PAGE", 50)
        asked = ask("coverage", 1, "--include-operation-id", "listUsage")
        assert asked.returncode == 1
        assert "Schema-valid request rejected" in asked.stdout


class TestARule:
    """Why a request may be refused that the schema allows."""

    def test_has_to_be_every_reason_of_a_refusal(self) -> None:
        lost = {"dateAfter": ["Only with searchType ucc."]}
        assert follows_rules(lost)
        assert follows_rules([{"index": 0, "error": "dateAfter: Only with searchType ucc."}])
        assert not follows_rules(lost | {"ref": ["Send text."]})
        assert not follows_rules(None)
