"""What `manage.py up` is made of, piece by piece; the whole of it is in tests/journeys."""

from __future__ import annotations

import http.server
import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.contrib.auth import get_user_model

from billing import keys, selectors
from billing.models import Account
from config import env, probe
from config.launch import first_accounts, preflight, processes, startup_message
from tests.ports import free_port
from tests.serving import in_background

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.mark.django_db
class TestTheFirstAccounts:
    """The login and the keys of a new installation."""

    def test_let_staff_log_in_and_both_keys_work(self, tmp_path: Path) -> None:
        first = first_accounts.prepare(folder=tmp_path, now=NOW)
        user = get_user_model().objects.get(username=first.username)
        assert user.is_superuser
        assert user.check_password(first.password)
        test, live = (keys.verify(secret=secret, now=NOW) for secret in (first.test_key, first.live_key))
        assert (test.is_test, live.is_test) == (True, False)
        assert test.account_id == live.account_id
        assert selectors.get_balance(live.account_id).available == 3140

    def test_are_the_same_at_the_next_start(self, tmp_path: Path) -> None:
        first = first_accounts.prepare(folder=tmp_path, now=NOW)
        assert first_accounts.prepare(folder=tmp_path, now=NOW) == first

    def test_are_made_again_where_the_first_start_was_killed_before_they_were_written_down(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as killed:
            killed.setattr(first_accounts, "_write", Mock(side_effect=SystemExit))
            with pytest.raises(SystemExit):
                first_accounts.prepare(folder=tmp_path, now=NOW)
        first = first_accounts.prepare(folder=tmp_path, now=NOW)
        assert get_user_model().objects.get(username=first.username).check_password(first.password)
        assert Account.objects.count() == 1

    def test_are_kept_for_their_owner_alone(self, tmp_path: Path) -> None:
        first_accounts.prepare(folder=tmp_path, now=NOW)
        (kept,) = tmp_path.iterdir()
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600

    def test_do_not_show_a_password_that_was_changed(self, tmp_path: Path) -> None:
        first = first_accounts.prepare(folder=tmp_path, now=NOW)
        user = get_user_model().objects.get(username=first.username)
        user.set_password("a password of my own")
        user.save()
        assert first_accounts.prepare(folder=tmp_path, now=NOW).password is None

    def test_replace_a_revoked_key_in_the_same_account(self, tmp_path: Path) -> None:
        first = first_accounts.prepare(folder=tmp_path, now=NOW)
        live = keys.verify(secret=first.live_key, now=NOW)
        keys.revoke(key=live, now=NOW)
        again = first_accounts.prepare(folder=tmp_path, now=NOW)
        assert again.test_key == first.test_key
        assert again.live_key != first.live_key
        assert keys.verify(secret=again.live_key, now=NOW).account_id == live.account_id

    def test_are_made_anew_for_another_database(self, tmp_path: Path) -> None:
        stranger = first_accounts.FirstAccounts("admin", "kept password", "osd_test_" + "a" * 32, "osd_" + "b" * 32)
        (tmp_path / first_accounts.FILE).write_text(json.dumps(stranger.__dict__))
        first = first_accounts.prepare(folder=tmp_path, now=NOW)
        assert first.password == "kept password"
        assert first.live_key != stranger.live_key

    def test_survive_a_file_that_is_damaged(self, tmp_path: Path) -> None:
        (tmp_path / first_accounts.FILE).write_text("{")
        assert first_accounts.prepare(folder=tmp_path, now=NOW).live_key.startswith("osd_")

    def test_never_use_a_closed_account(self, tmp_path: Path) -> None:
        first = first_accounts.prepare(folder=tmp_path, now=NOW)
        closed = keys.verify(secret=first.live_key, now=NOW).account
        Account.objects.filter(pk=closed.pk).update(is_active=False)
        again = first_accounts.prepare(folder=tmp_path, now=NOW)
        assert keys.verify(secret=again.live_key, now=NOW).account_id != closed.pk


class TestTheStartupMessage:
    """The text a person reads when the service has come up."""

    def test_has_lines_that_a_shell_reads_as_they_are_meant(self, tmp_path: Path) -> None:
        first = first_accounts.FirstAccounts("admin", "secret", "osd_test_x", "osd_y")
        said = startup_message.text(
            address="http://127.0.0.1:8000",
            first=first,
            free_lookups=10,
            logs=tmp_path,
            sandbox_question={"entity_name": 'O\'Neil & Sons, "The" LLC', "state": "DE"},
        )
        words = [shlex.split(line) for line in said.splitlines() if line.strip().startswith("curl ")]
        assert len(words) == 2
        assert json.loads(words[0][-1]) == {"entity_name": 'O\'Neil & Sons, "The" LLC', "state": "DE"}
        assert "x-api-key: osd_y" in words[1]

    def test_shows_no_key_where_none_was_made(self, tmp_path: Path) -> None:
        said = startup_message.text(
            address="http://127.0.0.1:8000", first=None, free_lookups=10, logs=tmp_path, sandbox_question={}
        )
        assert "curl" not in said
        assert "login" not in said


class TestWhatHasToBeThere:
    """What must be so before anything starts."""

    @pytest.mark.parametrize("port", [0, -1, 65536])
    def test_has_no_such_port(self, port: int) -> None:
        with pytest.raises(preflight.NotReady, match="from 1 to 65535"):
            preflight.require_free_port(host="127.0.0.1", port=port)

    def test_has_no_such_host(self) -> None:
        with pytest.raises(
            preflight.NotReady, match="The address 256.0.0.1 port 8000 cannot be used".replace(".", r"\.")
        ):
            preflight.require_free_port(host="256.0.0.1", port=8000)

    def test_is_a_redis_that_answers_or_the_person_reads_at_once_what_is_waited_for(self) -> None:
        said = preflight.find_silence(f"redis://:hunter2@127.0.0.1:{free_port()}/0")
        assert said.startswith("Waiting for Redis at REDIS_URL, which the workers and the clock need: ")
        assert "hunter2" not in said
        assert "\n" not in said
        assert preflight.find_silence("") == ""

    def test_lets_a_free_port_and_a_new_folder_pass(self, tmp_path: Path) -> None:
        preflight.require_free_port(host="127.0.0.1", port=free_port())
        preflight.require_writable(tmp_path / "new" / "var")
        assert (tmp_path / "new" / "var").is_dir()

    def test_is_a_folder_that_no_other_service_runs_in(self, tmp_path: Path) -> None:
        first, second = preflight.occupied(tmp_path), preflight.occupied(tmp_path)
        with first, pytest.raises(preflight.NotReady, match="The service runs already"), second:
            pass
        with preflight.occupied(tmp_path):  # the first has ended
            pass

    def test_says_that_a_file_is_in_the_way(self, tmp_path: Path) -> None:
        (tmp_path / "var").write_text("")
        with pytest.raises(preflight.NotReady, match="cannot be written"):
            preflight.require_writable(tmp_path / "var")


def child_of(tmp_path: Path, script: str) -> processes.Child:
    """Start a small Python script as a child and wait until it says that it is ready."""
    child = processes.start(
        name="child",
        command=[sys.executable, "-u", "-c", script],
        folder=tmp_path,
        logs=tmp_path / "log",
        environment=os.environ,
    )
    deadline = time.monotonic() + 60
    while "ready" not in child.log.read_text() and time.monotonic() < deadline:
        time.sleep(0.02)
    return child


class TestTheProcesses:
    """Children of `manage.py up`."""

    def test_end_when_asked(self, tmp_path: Path) -> None:
        child = child_of(tmp_path, "import time; print('ready'); time.sleep(60)")
        assert processes.find_ended([child]) is None
        assert processes.stop([child], grace_seconds=10, hurry=lambda: False) == []
        assert child.process.returncode == -signal.SIGTERM

    def test_are_killed_when_they_do_not_listen(self, tmp_path: Path) -> None:
        script = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready'); time.sleep(60)"
        child = child_of(tmp_path, script)
        assert processes.stop([child], grace_seconds=0.3, hurry=lambda: False) == ["child"]

    def test_are_killed_at_once_for_somebody_in_a_hurry(self, tmp_path: Path) -> None:
        script = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready'); time.sleep(60)"
        child = child_of(tmp_path, script)
        before = time.monotonic()
        assert processes.stop([child], grace_seconds=30, hurry=lambda: True) == ["child"]
        assert time.monotonic() - before < 30  # who is in no hurry waits so long

    def test_take_what_they_started_with_them(self, tmp_path: Path) -> None:
        script = (
            "import subprocess, sys, time; "
            "other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "
            "print('ready', other.pid); time.sleep(60)"
        )
        child = child_of(tmp_path, script)
        grandchild = int(child.log.read_text().split()[1])
        processes.stop([child], grace_seconds=10, hurry=lambda: False)
        deadline = time.monotonic() + 60
        while _runs(grandchild) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not _runs(grandchild)

    def test_leave_their_last_words(self, tmp_path: Path) -> None:
        child = child_of(tmp_path, "print('ready'); raise SystemExit('no database')")
        child.process.wait(timeout=300)
        assert processes.find_ended([child]) is child
        assert child.last_lines()[-1] == "no database"

    @pytest.mark.skipif(sys.platform != "linux", reason="the kernel's signal at a parent's death is Linux's own")
    def test_end_with_a_parent_that_was_killed(self, tmp_path: Path) -> None:
        script = (
            "import os, pathlib, sys, time; from config.launch import processes; "
            "child = processes.start(name='c', command=['sleep', '60'], folder=pathlib.Path(sys.argv[1]), "
            "logs=pathlib.Path(sys.argv[1]), environment=os.environ); "
            "print(child.process.pid, flush=True); time.sleep(60)"
        )
        parent = subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        with parent:
            child = int(parent.stdout.readline())
            parent.kill()
        deadline = time.monotonic() + 60
        while _runs(child) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class _Answer(http.server.BaseHTTPRequestHandler):
    answers: dict[str, tuple[int, bytes]] = {}

    def do_GET(self) -> None:
        status, body = self.answers.get(self.headers["Host"], (404, b""))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """A server that answers by the host name it is asked for."""
    _Answer.answers = {
        "well.test": (200, b'{"status": "healthy"}'),
        "ill.test": (503, b'{"status": "degraded"}'),
        "odd.test": (200, b"<html>"),
        "list.test": (200, b"[]"),
    }
    with in_background(http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answer)) as web:
        yield f"http://127.0.0.1:{web.server_port}"


class TestTheProbe:
    """Whoever asks a running service how it is."""

    def test_returns_what_a_service_that_can_serve_says(self, server: str) -> None:
        assert probe.ask(server, "/readyz", host="well.test") == {"status": "healthy"}

    @pytest.mark.parametrize("host", ["ill.test", "odd.test", "list.test", "unknown.test"])
    def test_takes_anything_else_for_no(self, server: str, host: str) -> None:
        assert probe.ask(server, "/readyz", host=host) is None

    @pytest.mark.parametrize(
        ("allowed", "host"),
        [([], None), (["*"], None), (["*", ".lookup.test"], "lookup.test"), (["a.test", "b.test"], "a.test")],
    )
    def test_asks_for_a_name_the_service_answers_to(
        self, monkeypatch: pytest.MonkeyPatch, allowed: list[str], host: str | None
    ) -> None:
        monkeypatch.setattr(env, "ALLOWED_HOSTS", allowed)
        assert probe.find_host() == host

    def test_takes_silence_for_no(self) -> None:
        assert probe.ask("http://127.0.0.1:1", "/readyz") is None
