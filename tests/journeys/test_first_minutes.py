"""A stranger starts the service with the README's command, pastes the printed lines, and presses Ctrl-C."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.own_database import engine_variables
from tests.journeys import open_data
from tests.journeys.checkout import ROOT, Running, clean_environment, copy_checkout, free_port

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("processes")]

FREE = 10 * 314
READY = r"^Ctrl-C stops everything\.$"


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """The variables of this run's engine, and New York's open data on loopback."""
    with engine_variables() as variables, open_data.running() as portals:
        yield variables | {"PORTALS_URL": portals}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A copy of the checkout with nothing made in it yet."""
    yield copy_checkout(tmp_path / "checkout")
    shutil.rmtree(tmp_path / "checkout", ignore_errors=True)


@pytest.fixture
def running(folder: Path, environment: dict[str, str]) -> Iterator[Running]:
    """`make run`, ready."""
    service = Running(folder, port=free_port(), environment=environment)
    try:
        service.wait_for(READY)
        yield service
    finally:
        service.end()


def paste(line: str) -> dict:
    """Run a printed line in a shell, as a person does by pasting it; return the JSON it shows."""
    done = subprocess.run(
        line, shell=True, cwd="/", env=clean_environment({}), capture_output=True, text=True, timeout=40
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ask_balance(curl: str) -> dict:
    """Ask for the balance with the key in a printed line."""
    return paste(re.sub(r"/v1/lookup\b", "/v1/account/balance", curl).partition(" -d ")[0])


def shown_in_the_readme() -> dict:
    """Return the answer that the README shows, shortened as it is."""
    return json.loads(re.search(r"```json\n(.+?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1])


def as_much_as(shown: object, answered: object) -> object:
    """Return `answered` cut down to the parts that are shown; "106b…" stands for any text with that beginning."""
    if isinstance(shown, dict):
        return {name: as_much_as(value, answered[name]) for name, value in shown.items()}
    if isinstance(shown, list):
        return [as_much_as(one, other) for one, other in zip(shown, answered, strict=False)]
    short = isinstance(shown, str) and shown.endswith("…")
    return shown if short and answered.startswith(shown[:-1]) else answered


class TestTheFirstMinutes:
    """What a stranger sees, from the first command to the last key pressed."""

    def test_a_pasted_line_gets_a_company_record(self, running: Running) -> None:
        sandbox_line, live_line = running.curls()

        fictional = paste(sandbox_line)
        assert fictional["success"] is True
        assert fictional["data"]["entityName"].casefold() == "blue heron logistics llc"
        assert fictional["data"]["entityId"].startswith("SB-")
        assert shown_in_the_readme() == as_much_as(shown_in_the_readme(), fictional)
        assert ask_balance(sandbox_line)["balanceStored"] == 0  # test mode has no balance

        real = paste(live_line)
        assert real["success"] is True
        assert real["data"]["entityName"] == open_data.ROW["current_entity_name"]
        assert real["data"]["entityId"] == open_data.ROW["dos_id"]
        assert real["data"]["normalized"]["formationDate"] == "1911-06-16"
        assert (real["cost"], real["source"], real["lookupsRemaining"]) == (0.0314, "live", 9)
        assert ask_balance(live_line)["balanceStored"] == FREE - 314

    def test_ctrl_c_leaves_no_process(self, running: Running) -> None:
        assert len(running.seen) >= 6  # make, the command, web and its worker, two queue workers, beat
        running.press_ctrl_c()
        assert running.left_over() == []
        assert "Stopped." in running.text()
        assert "Traceback" not in running.text()

    def test_a_second_start_shows_the_same_login_and_keys(
        self, running: Running, folder: Path, environment: dict[str, str]
    ) -> None:
        before = running.curls()
        login = running.wait_for(r"login: .+$")
        running.press_ctrl_c()
        again = Running(folder, port=running.port, environment=environment)
        try:
            again.wait_for(READY)
            assert again.curls() == before
            assert again.wait_for(r"login: .+$") == login
        finally:
            again.end()

    def test_the_secrets_are_for_the_owner_alone_and_in_no_log(self, running: Running, folder: Path) -> None:
        for line in running.curls():
            paste(line)
        kept = folder / "var" / "first_accounts.json"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        secrets = [json.loads(kept.read_text())[name] for name in ("password", "test_key", "live_key")]
        logs = sorted((folder / "var" / "log").iterdir())
        assert {log.name for log in logs} >= {"web.log", "worker.log", "bulk.log", "beat.log"}
        assert [log.name for log in logs for secret in secrets if secret in log.read_text()] == []

    def test_one_dead_process_ends_all_and_is_named(self, running: Running) -> None:
        subprocess.run(["pkill", "-KILL", "--parent", str(_up(running)), "--full", " beat "], check=True)
        running.wait_for(r"The process beat ended")
        assert running.process.wait(timeout=30) != 0
        assert running.left_over() == []


def _up(running: Running) -> int:
    """Return the process of `manage.py up`: the child of make."""
    listed = subprocess.run(["pgrep", "--parent", str(running.process.pid)], capture_output=True, text=True, check=True)
    return int(listed.stdout.split()[0])
