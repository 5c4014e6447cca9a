"""A stranger starts the service with the README's command, pastes the printed lines, and presses Ctrl-C."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from tests.engines.own_database import engine_variables
from tests.journeys import open_data
from tests.journeys.checkout import ROOT, Running, clean_environment, copy_checkout
from tests.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("processes")]

FREE = 10 * 314
READY = r"^Ctrl-C stops everything\.$"


@dataclass
class Place:
    """A copy of the checkout, with nothing made in it before the first start, and `make run` in it."""

    folder: Path
    environment: dict[str, str]
    port: int = field(default_factory=free_port)
    service: Running | None = None

    def start(self) -> Running:
        """Run it and wait until it is ready."""
        self.service = Running(self.folder, port=self.port, environment=self.environment)
        self.service.wait_for(READY)
        return self.service


@dataclass(frozen=True)
class Ended:
    """What a start printed, which processes it had, and which of them were there after its end."""

    exit_code: int
    text: str
    curls: list[str]
    seen: set[int]
    left_over: list[int]

    @classmethod
    def write(cls, service: Running, exit_code: int) -> Ended:
        """Keep it: the next start prints into the same file."""
        return cls(exit_code, service.text(), service.curls(), service.seen, service.left_over())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """On this run's engine, with New York's open data on loopback."""
    folder = tmp_path_factory.mktemp("first minutes") / "checkout"
    with engine_variables() as variables, open_data.running() as portals:
        made = Place(copy_checkout(folder), variables | {"PORTALS_URL": portals})
        try:
            yield made
        finally:
            if made.service:
                made.service.end()
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def running(place: Place) -> Running:
    """The first `make run`, ready."""
    return place.start()


@pytest.fixture(scope="module")
def first_answers(running: Running) -> dict[str, dict]:
    """What the two lines show that are pasted first of all, and what is left to spend afterwards."""
    sandbox_line, live_line = running.curls()
    return {
        "fictional": paste(sandbox_line),
        "fictional balance": ask_balance(sandbox_line),
        "real": paste(live_line),
        "real balance": ask_balance(live_line),
    }


@pytest.fixture(scope="module")
def signed_up(running: Running) -> tuple[str, str]:
    """The page that somebody comes to who signs up, and the link that leads there."""
    own = build_opener(HTTPCookieProcessor())

    def send(address: str, **typed: str) -> str:
        page = own.open(address).read().decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token, page
        form = urlencode({"csrfmiddlewaretoken": token[1], **typed}).encode()
        return str(own.open(address, form).read().decode())

    send(f"http://127.0.0.1:{running.port}/app/sign-in/", email="ada@quay.test")
    link = running.wait_for(r"^Sign in as ada@quay\.test until .+$").split()[-1]
    return send(link), link


@pytest.fixture(scope="module")
def interrupted(running: Running, first_answers: dict[str, dict], signed_up: tuple[str, str]) -> Ended:
    """Ctrl-C was pressed once all else was done: so the whole story has two starts, whatever test comes first."""
    return Ended.write(running, running.press_ctrl_c())


@pytest.fixture(scope="module")
def second(place: Place, interrupted: Ended) -> Ended:
    """Started again, until one of its processes died."""
    again = place.start()
    subprocess.run(["pkill", "-KILL", "--parent", str(_up(again)), "--full", " beat "], check=True)
    again.wait_for(r"The process beat ended")
    return Ended.write(again, again.process.wait(timeout=300))


def paste(line: str) -> dict:
    """Run a printed line in a shell, as a person does by pasting it; return the JSON it shows."""
    done = subprocess.run(
        line, shell=True, cwd="/", env=clean_environment({}), capture_output=True, text=True, timeout=200
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

    def test_a_pasted_line_gets_a_company_record(self, first_answers: dict[str, dict]) -> None:
        fictional = first_answers["fictional"]
        assert fictional["success"] is True
        assert fictional["data"]["entityName"].casefold() == "blue heron logistics llc"
        assert fictional["data"]["entityId"].startswith("SB-")
        assert shown_in_the_readme() == as_much_as(shown_in_the_readme(), fictional)
        assert first_answers["fictional balance"]["balanceStored"] == 0  # test mode has no balance

        real = first_answers["real"]
        assert real["success"] is True
        assert real["data"]["entityName"] == open_data.ROW["current_entity_name"]
        assert real["data"]["entityId"] == open_data.ROW["dos_id"]
        assert real["data"]["normalized"]["formationDate"] == "1911-06-16"
        assert (real["cost"], real["source"], real["lookupsRemaining"]) == (0.0314, "live", 9)
        assert first_answers["real balance"]["balanceStored"] == FREE - 314

    def test_ctrl_c_leaves_no_process(self, interrupted: Ended) -> None:
        assert len(interrupted.seen) >= 6  # make, the command, web and its worker, two queue workers, beat
        assert interrupted.left_over == []
        assert "Stopped." in interrupted.text
        assert "Traceback" not in interrupted.text

    def test_a_second_start_shows_the_same_login_and_keys(self, interrupted: Ended, second: Ended) -> None:
        before, after = (re.search(r"login: .+$", one.text, re.MULTILINE) for one in (interrupted, second))
        assert before
        assert after
        assert (after.group(), second.curls) == (before.group(), interrupted.curls)

    @pytest.mark.usefixtures("first_answers")  # for which the lines with the keys were pasted
    def test_the_secrets_are_for_the_owner_alone_and_in_no_log(self, place: Place) -> None:
        kept = place.folder / "var" / "first_accounts.json"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        secrets = [json.loads(kept.read_text())[name] for name in ("password", "test_key", "live_key")]
        logs = sorted((place.folder / "var" / "log").iterdir())
        assert {log.name for log in logs} >= {"web.log", "worker.log", "bulk.log", "beat.log"}
        assert [log.name for log in logs for secret in secrets if secret in log.read_text()] == []

    def test_signing_up_prints_a_link_that_stands_in_no_log(self, signed_up: tuple[str, str], place: Place) -> None:
        page, link = signed_up
        assert "10 free lookups" in page
        assert link.split("/")[-2] not in "".join(log.read_text() for log in (place.folder / "var" / "log").iterdir())

    def test_one_dead_process_ends_all_and_is_named(self, second: Ended) -> None:
        assert "The process beat ended" in second.text
        assert second.exit_code != 0
        assert second.left_over == []


def _up(running: Running) -> int:
    """Return the process of `manage.py up`: the child of make."""
    listed = subprocess.run(["pgrep", "--parent", str(running.process.pid)], capture_output=True, text=True, check=True)
    return int(listed.stdout.split()[0])
