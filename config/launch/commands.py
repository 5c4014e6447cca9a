"""The four processes of the service as command lines, in their embedded and their production shape."""

from __future__ import annotations

import os
import sys
from pathlib import Path

EMBEDDED_THREADS = 16
PRODUCTION_THREADS = 12  # a process; each may hold one database connection
MOST_WEB_PROCESSES = 4
BULK_THREADS = 40  # they mostly wait: for two answers at a time from each of some twenty registries
NODES = {"worker": "celery@%h", "bulk": "bulk@%h"}
QUEUES = {"worker": "interactive,upkeep", "bulk": "bulk"}  # of their own, so that a thousand rows delay nobody's lookup


def web(*, host: str, port: int, production: bool) -> list[str]:
    """Return the web server's command: threads, because a lookup mostly waits for a portal.

    One process on SQLite, whose writers take turns anyway; one per core in production shape.
    """
    processes = min(MOST_WEB_PROCESSES, max(2, os.cpu_count() or 1)) if production else 1
    threads = PRODUCTION_THREADS if production else EMBEDDED_THREADS
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return [
        sys.executable,
        "-m",
        "gunicorn",
        "config.wsgi:application",
        "--bind",
        bind,
        "--worker-class",
        "gthread",
        "--workers",
        str(processes),
        "--threads",
        str(threads),
        "--timeout",
        "120",
        "--graceful-timeout",
        "10",
        "--no-control-socket",
    ]


def worker(name: str) -> list[str]:
    """Return the command of a queue worker, "worker" or "bulk": one process with threads."""
    threads = BULK_THREADS if name == "bulk" else EMBEDDED_THREADS
    return [
        sys.executable,
        "-m",
        "celery",
        "--app",
        "config.celery",
        "worker",
        "--pool",
        "threads",
        "--concurrency",
        str(threads),
        "--queues",
        QUEUES[name],
        "--hostname",
        NODES[name],
        "--loglevel",
        "INFO",
        "--without-gossip",
        "--without-mingle",
        "--without-heartbeat",
    ]


def beat(*, folder: Path) -> list[str]:
    """Return the clock's command; what it has done last stands in `folder`."""
    return [
        sys.executable,
        "-m",
        "celery",
        "--app",
        "config.celery",
        "beat",
        "--loglevel",
        "INFO",
        "--schedule",
        str(folder / "beat-schedule"),
        "--pidfile",
        "",
    ]
