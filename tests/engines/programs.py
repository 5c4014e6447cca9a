"""Finds PostgreSQL's and Redis's programs on this machine, or installs the distribution's packages.

Installing starts no service and leaves none running: the suite uses the programs alone, with a cluster of its own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("postgresql", "redis-server")
DEBIAN_FOLDERS = Path("/usr/lib/postgresql")
START_POLICY = Path("/usr/sbin/policy-rc.d")


class Missing(Exception):
    """A program is not there and cannot be installed; the message says why in one line."""


@dataclass(frozen=True)
class Programs:
    """Where the servers' programs are."""

    postgres: Path
    initdb: Path
    redis: Path

    def describe(self) -> str:
        """Return both names with their versions."""
        return f"PostgreSQL {_version(self.postgres)} + Redis {_version(self.redis)}"


def get_programs() -> Programs:
    """Return the programs, installed when that is possible here; raise Missing otherwise."""
    found = find_programs()
    if found is None:
        install()
        found = find_programs()
    if found is None:
        raise Missing(f"the packages {' and '.join(PACKAGES)} were installed, but their programs were not found")
    return found


def find_programs() -> Programs | None:
    """Return the newest PostgreSQL and the Redis of this machine, or None when one is missing."""
    newest = sorted(DEBIAN_FOLDERS.glob("*/bin"), key=lambda folder: float(folder.parent.name), reverse=True)
    places = os.pathsep.join([*map(str, newest), os.environ.get("PATH", os.defpath)])
    postgres, initdb, redis = (shutil.which(name, path=places) for name in ("postgres", "initdb", "redis-server"))
    if not (postgres and initdb and redis):
        return None
    return Programs(Path(postgres), Path(initdb), Path(redis))


def install(packages: Sequence[str] = PACKAGES) -> None:
    """Install both servers with the system's own package manager; raise Missing where that is not possible.

    Other packages, where they are named.
    """
    names = " and ".join(packages)
    if not shutil.which("apt-get"):
        raise Missing(f"{names} are not installed, and this system has no apt-get to install them")
    if os.geteuid() != 0:
        raise Missing(
            f"{names} are not installed, and only root may install them (apt-get install {' '.join(packages)})"
        )
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with _no_service_started():
        for step in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
            done = subprocess.run(
                ["apt-get", "--quiet", "--quiet", *step], env=environment, text=True, capture_output=True
            )
            if done.returncode != 0:
                last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
                raise Missing(f"apt-get {step[0]} failed: {last}")


@contextmanager
def _no_service_started() -> Iterator[None]:
    """Keep Debian's packages from starting their servers on the usual ports."""
    if START_POLICY.exists():
        yield
        return
    START_POLICY.write_text("#!/bin/sh\nexit 101\n")
    START_POLICY.chmod(0o755)
    try:
        yield
    finally:
        START_POLICY.unlink()


def _version(program: Path) -> str:
    said = subprocess.run([str(program), "--version"], text=True, capture_output=True, check=True).stdout
    found = re.search(r"\d+(\.\d+)+", said)
    return found.group() if found else said.strip()
