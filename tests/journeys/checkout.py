"""A temporary copy of the checkout, and the README's command running in it as a person would run it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 240.0
KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "PYENV_ROOT")


def copy_checkout(folder: Path) -> Path:
    """Copy what git knows, and what is new and not ignored, into `folder`; nothing that was made here goes along."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():  # not when deleted and not yet committed
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@lru_cache(maxsize=1)
def ready_virtualenv() -> Path:
    """Return the virtualenv the tests run in: a journey reuses it (VENV=...), CI proves the install from nothing."""
    done = make("installed-run", f"VENV={sys.prefix}", folder=ROOT)  # nothing to do unless the list has just changed
    assert done.returncode == 0, done.stderr
    return Path(sys.prefix)


def clean_environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return what a person's shell has, without the variables of this test run, and `more`."""
    return {name: os.environ[name] for name in KEPT if name in os.environ} | dict(more)


def make(*arguments: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `make` to its end in `folder`."""
    return subprocess.run(
        ["make", *arguments], cwd=folder, env=clean_environment(more), capture_output=True, text=True, timeout=300
    )


class Running:
    """`make run` in a terminal of its own: read what it prints, press Ctrl-C, see what is left."""

    def __init__(self, folder: Path, *, port: int, environment: Mapping[str, str]) -> None:
        self.port = port
        self.printed = folder / "printed.txt"
        with self.printed.open("wb") as output:
            self.process = subprocess.Popen(
                ["make", "run", f"PORT={port}", f"VENV={ready_virtualenv()}"],
                cwd=folder,
                env=clean_environment(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.seen: set[int] = {self.process.pid}

    def text(self) -> str:
        """Return everything printed so far."""
        return self.printed.read_text()

    def wait_for(self, pattern: str) -> str:
        """Return the first match of `pattern` in what is printed; fail when the command ends or takes too long."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if found := re.search(pattern, self.text(), re.MULTILINE):
                self.seen |= descendants(self.process.pid)
                return found.group()
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError(f"Never printed {pattern!r}:\n{self.text()}")

    def curls(self) -> list[str]:
        """Return the lines to paste, in the order they are printed."""
        return re.findall(r"^\s*(curl .+)$", self.text(), re.MULTILINE)

    def press_ctrl_c(self) -> int:
        """Interrupt as a terminal does, the whole foreground group at once; return the exit code."""
        self.seen |= descendants(self.process.pid)
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=300)

    def left_over(self) -> list[int]:
        """Return the processes it ever started that still live."""
        return sorted(pid for pid in self.seen if is_alive(pid))

    def end(self) -> None:
        """Leave nothing behind, whatever the test came to."""
        self.seen |= descendants(self.process.pid)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=300)
        for pid in self.left_over():
            os.kill(pid, signal.SIGKILL)
        self.process.wait()


def descendants(pid: int) -> set[int]:
    """Return all processes below `pid`, by asking the kernel for the parent of each."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (state := _state(int(entry.name))):
            parents[int(entry.name)] = int(state[1])
    found, fresh = set(), {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found


def is_alive(pid: int) -> bool:
    """Return whether `pid` runs; one that ended and was not yet fetched by its parent does not."""
    state = _state(pid)
    return bool(state) and state[0] != "Z"


def _state(pid: int) -> list[str]:
    """Return the state letter and the parent of `pid`, or nothing when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return []
