"""What whoever types a command waits for."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.core.management import call_command, load_command_class

from tests.journeys.checkout import ROOT, clean_environment

PAGES_LOADED = """
import runpy
import sys
runpy.run_path("manage.py", run_name="__main__")
print("config.urls" in sys.modules)
"""


AWAY = "postgres://nobody@127.0.0.1:1/nothing"  # a port that nobody listens on


def run(*words: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """What a Python of its own does with these words."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=clean_environment(environment),
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.once
class TestACommand:
    """`manage.py` and a word."""

    @pytest.mark.parametrize(("word", "loaded"), [("showmigrations", False), ("check", True)])
    def test_loads_the_pages_only_to_check_them(self, tmp_path: Path, word: str, loaded: bool) -> None:
        ended = run("-c", PAGES_LOADED, word, environment={"VAR_DIR": str(tmp_path)})
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.split()[-1] == str(loaded)

    def test_says_what_it_does_to_whoever_asks_for_help(self) -> None:
        paths = [path for path in ROOT.glob("*/management/commands/*.py") if path.stem != "__init__"]
        words = {path.stem: load_command_class(path.parts[-4], path.stem).help for path in paths}
        assert len(words) > 15
        assert [name for name, text in words.items() if not text or list(words.values()).count(text) > 1] == []

    @pytest.mark.parametrize(("address", "why"), [(AWAY, "Connection refused"), ("", "no such table")])
    def test_that_finds_no_database_says_so_in_a_sentence(self, tmp_path: Path, address: str, why: str) -> None:
        ended = run("manage.py", "verify_evidence", environment={"VAR_DIR": str(tmp_path), "DATABASE_URL": address})
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr.startswith("The database cannot be used: ")
        assert why in ended.stderr
        assert len(ended.stderr.splitlines()) == 1

    @pytest.mark.parametrize("word", ["backup", "up"])
    def test_of_a_python_without_the_packages_says_which_one_has_them(self, tmp_path: Path, word: str) -> None:
        ended = run("-S", "manage.py", word, environment={"VAR_DIR": str(tmp_path)})  # a Python as the system has it
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr == "This Python has no Django. `make run` installs it into .venv: use .venv/bin/python.\n"

    @pytest.mark.parametrize("word", ["check", "up"])
    def test_with_a_variable_that_cannot_be_says_so_in_a_sentence(self, tmp_path: Path, word: str) -> None:
        wrong = {"VAR_DIR": str(tmp_path), "RATE_LIMIT_PER_MINUTE": "many"}
        ended = run("manage.py", word, environment=wrong)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr == "RATE_LIMIT_PER_MINUTE must be a whole number from 0 on, not 'many'.\n"

    def test_of_a_service_that_is_set_up_wrongly_says_so_in_a_sentence(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        ended = run("manage.py", "check", environment={"VAR_DIR": str(tmp_path / "file")})
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr == f"VAR_DIR must be a folder, which '{tmp_path / 'file'}' cannot be.\n"

    @pytest.mark.skipif(sys.platform != "linux", reason="a place where nobody makes a folder")
    def test_whose_folder_cannot_be_made_says_so_in_a_sentence(self) -> None:
        ended = run("manage.py", "verify_ledger", environment={"VAR_DIR": "/proc/var"})
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr.startswith("The folder /proc/var/broker cannot be made (No such file or directory): ")
        assert len(ended.stderr.splitlines()) == 1

    @pytest.mark.parametrize(("address", "why"), [(AWAY, "Connection refused"), ("", "no such table")])
    def test_that_looks_for_a_process_says_in_a_line_that_the_database_is_away(
        self, tmp_path: Path, address: str, why: str
    ) -> None:
        """Each health check of a container left a stack trace."""
        ended = run("-m", "config.probe", "worker", environment={"VAR_DIR": str(tmp_path), "DATABASE_URL": address})
        assert (ended.returncode, ended.stderr) == (1, "")
        assert ended.stdout.startswith("worker: the database cannot be asked: ")
        assert why in ended.stdout
        assert len(ended.stdout.splitlines()) == 1

    def test_is_stopped_by_ctrl_c_without_a_stack_trace(self, tmp_path: Path) -> None:
        running = subprocess.Popen(
            [sys.executable, "manage.py", "mcp"],
            cwd=ROOT,
            env=clean_environment({"VAR_DIR": str(tmp_path)}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        running.stdin.flush()
        assert '"id": 1' in running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, trace = running.communicate(timeout=60)
        assert (running.returncode, trace) == (130, "")


class TestTheCode:
    """What no command checks any more."""

    def test_has_nothing_that_the_framework_objects_to(self) -> None:
        call_command("check", fail_level="WARNING")
