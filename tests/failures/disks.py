"""A small disk of its own for a story: full while a block runs, or open for reading alone. Only root may mount one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Disk:
    """One in memory, mounted at `folder`."""

    folder: Path

    @contextmanager
    def full(self) -> Iterator[None]:
        """Not a byte is free while the block runs."""
        ballast = self.folder / "ballast"
        with ballast.open("wb", buffering=0) as file:
            try:
                while file.write(bytes(65_536)):
                    pass
            except OSError:
                pass
        try:
            yield
        finally:
            ballast.unlink()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Whoever opens a file from now on may read it, as after a fault of the disk; until the block ends."""
        mount("--bind", self.folder, self.folder)
        try:
            mount("-o", "remount,bind,ro", self.folder)
            yield
        finally:
            subprocess.run(["umount", "--lazy", self.folder], check=True)


@contextmanager
def small_disk(folder: Path, *, megabytes: float) -> Iterator[Disk]:
    """Mount one at an empty folder; the story is skipped where that is not allowed."""
    if os.geteuid() != 0:
        pytest.skip("a full disk has to be mounted, which root alone may do")
    made = mount("-t", "tmpfs", "-o", f"size={int(megabytes * 1024)}k,mode=0755", "none", folder, check=False)
    if made.returncode:
        pytest.skip(f"a full disk has to be mounted, which is not allowed here: {made.stderr.strip()}")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def mount(*arguments: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """The system's own command."""
    return subprocess.run(["mount", *arguments], check=check, capture_output=True, text=True)
