"""Starts the processes of the service, notices when one ends, and leaves none behind.

Each child leads a process group of its own: a Ctrl-C in the terminal reaches only the parent, which then ends
the others in order, and whatever a child has started is ended with it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Child:
    """One started process, and the file that takes its output."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def last_lines(self) -> list[str]:
        """Return the end of its output."""
        return self.log.read_text(errors="replace").splitlines()[-12:]


def _end_with_parent() -> None:
    """Ask the kernel to end this child when the parent is killed without a chance to do it itself (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def start(
    *,
    name: str,
    command: Sequence[str],
    folder: Path,
    logs: Path,
    environment: Mapping[str, str],
    files: Sequence[int] = (),
) -> Child:
    """Start `command` in `folder`; its output goes to `logs`/`name`.log, the earlier file is kept as .1.

    `files` are those of ours that stay open in it.
    """
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{name}.log"
    if log.exists():
        log.replace(log.with_suffix(".log.1"))
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603  (the commands are ours)
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=files,
            preexec_fn=_end_with_parent,
        )
    return Child(name, process, log)


def find_ended(children: Sequence[Child]) -> Child | None:
    """Return a child that is no longer running, or None while all are."""
    return next((child for child in children if child.process.poll() is not None), None)


def list_running(children: Sequence[Child]) -> list[Child]:
    """Return the children that still run."""
    return [child for child in children if child.process.poll() is None]


def stop(children: Sequence[Child], *, grace_seconds: float, hurry: Callable[[], bool]) -> list[str]:
    """End all children: ask, wait for all together up to `grace_seconds` or until `hurry`, then kill.

    Return the names of those that had to be killed.
    """
    for child in children:
        if child.process.poll() is None:
            child.process.terminate()
    deadline = time.monotonic() + grace_seconds
    while list_running(children) and time.monotonic() < deadline and not hurry():
        time.sleep(0.05)
    killed = [child.name for child in list_running(children)]
    for child in children:
        # Also when the child itself has ended: its group may hold what it has started.
        with suppress(ProcessLookupError, PermissionError):  # the group is gone; macOS answers "not permitted"
            os.killpg(child.process.pid, signal.SIGKILL)
        child.process.wait()
    return killed
