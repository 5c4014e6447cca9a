"""Opens the accounts of an installation, whose tables are made once in a run: all others begin with a copy of them.

To make them takes five seconds of a processor, each time; a copy is the same file, or the same folder of PostgreSQL's.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from tests.engines import servers
from tests.engines.programs import Programs
from tests.journeys.checkout import ROOT, clean_environment
from tests.migrated_once import RUN, copy_file, one_at_a_time

SETTINGS = {"DJANGO_SETTINGS_MODULE": "tests.failures.settings", "CONTACT": "copies@example.test"}


def open_accounts(environment: Mapping[str, str], number: int) -> list[dict[str, Any]]:
    """Accounts with credit, as `tests.failures.customers` prints them; an embedded installation begins with a copy."""
    if RUN and not environment.get("DATABASE_URL"):
        shutil.copy(_keep("installed.sqlite3", _make_file), Path(environment["VAR_DIR"]) / "db.sqlite3")
    return _run(environment, number)


def find_cluster(programs: Programs) -> Path | None:
    """A folder of PostgreSQL's to copy, with all tables; none where a run has one process, which may need it once."""
    return _keep("installed-postgres", lambda kept: _make_cluster(programs, kept)) if RUN else None


def _keep(name: str, make: Callable[[Path], None]) -> Path:
    """Where it is kept for all processes of the run; the first that needs it makes it."""
    kept = Path(settings.VAR_DIR) / f"{RUN}-{name}"
    with one_at_a_time():
        if not kept.exists():
            make(kept)
    return kept


def _make_file(kept: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _run(clean_environment(SETTINGS | {"VAR_DIR": folder}), 0)
        copy_file(Path(folder) / "db.sqlite3", kept)


def _make_cluster(programs: Programs, kept: Path) -> None:
    with tempfile.TemporaryDirectory() as folder, servers.running(programs) as addresses:
        where = {"VAR_DIR": folder, "DATABASE_URL": addresses.database_url, "REDIS_URL": addresses.redis_url}
        _run(clean_environment(SETTINGS | where), 0)
        addresses.postgres.stop()
        servers.copy_cluster(addresses.postgres.log.parent / "postgres", kept)


def _run(environment: Mapping[str, str], number: int) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tests.failures.customers", str(number)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    opened: list[dict[str, Any]] = json.loads(done.stdout)
    return opened
