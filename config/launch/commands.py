"""The four processes of the service as command lines, in their embedded and their production shape."""

from __future__ import annotations

import math
import os
import shutil
import sys
from pathlib import Path

from config import env

MOST_WEB_PROCESSES = 4
THREADS = {
    "worker": 16,
    "bulk": 40,  # they mostly wait: for two answers at a time from each of some twenty registries
}
NODES = {"worker": "celery@%h", "bulk": "bulk@%h"}
QUEUES = {"worker": "interactive,upkeep", "bulk": "bulk"}  # of their own, so that a thousand rows delay nobody's lookup


def web(*, host: str, port: int, production: bool) -> list[str]:
    """Return the web server's command: threads, because a lookup mostly waits for a portal.

    One process on SQLite, whose writers take turns anyway; one per core in production shape.
    """
    processes = min(MOST_WEB_PROCESSES, max(2, os.cpu_count() or 1)) if production else 1
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return [
        sys.executable,
        "-m",
        "gunicorn",
        "config.wsgi:application",
        "--bind",
        bind,
        "--worker-class",
        "config.launch.buffering_worker.BufferingWorker",
        "--workers",
        str(processes),
        "--threads",
        str(env.WEB_THREADS),
        "--timeout",
        "120",
        "--graceful-timeout",
        str(stop_seconds()),
        "--no-control-socket",
    ]


def list_all(*, host: str, port: int) -> dict[str, list[str]]:
    """Return the command of each process of the service by its name, in the shape that the environment asks for."""
    production = bool(env.REDIS_URL) and not env.DATABASE_URL.startswith("sqlite")
    return {
        "web": web(host=host, port=port, production=production),
        "worker": worker("worker"),
        "bulk": worker("bulk"),
        "beat": beat(folder=env.VAR_DIR),
    }


def count_together(folder: Path) -> dict[str, str]:
    """Return what the web server's processes need to count together, in a folder that is empty at each start."""
    counts = folder / "metrics"
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir(parents=True)
    return {"PROMETHEUS_MULTIPROC_DIR": str(counts)}


def stop_seconds() -> int:
    """How long the web server may take to stop: a lookup that has just begun is answered, by a 202 at the latest."""
    return math.ceil(env.SYNC_BUDGET_SECONDS) + 10


def worker(name: str) -> list[str]:
    """Return the command of a queue worker, "worker" or "bulk": one process with threads."""
    return [sys.executable, "-m", "config.launch.queues", name]


def beat(*, folder: Path) -> list[str]:
    """Return the clock's command; what it has done last stands in `folder`."""
    return [sys.executable, "-m", "config.launch.queues", "beat", "--schedule", str(folder / "beat-schedule")]
