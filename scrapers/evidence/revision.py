"""Which program read a registry's pages: a mark that differs when any line that has to do with reading them differs."""

from __future__ import annotations

import functools
import hashlib
import sys
from pathlib import Path

from scrapers.portal import Portal

_ROOT = Path(__file__).resolve().parents[1]
# What every state's pages go through, whichever it is.
_SHARED = ("parsing", "normalize", "search", "name_rules", "transport", "records.py", "portal.py", "statuses.py")


def find_revision(portal: Portal) -> str:
    """The first 16 hex digits of the SHA-256 of the source of what reads this portal."""
    return _of_modules(tuple(one.__module__ for one in type(portal).__mro__ if one.__module__ != "builtins"))


@functools.lru_cache(maxsize=64)
def _of_modules(names: tuple[str, ...]) -> str:
    own = {Path(str(sys.modules[name].__file__)) for name in names}
    folders = {file.parent for file in own if file.parent.parent.name == "platforms"}
    files = {file for file in own if file.is_relative_to(_ROOT)} | {one for at in folders for one in at.glob("*.py")}
    found = hashlib.sha256(_of_shared())
    for file in sorted(files):
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


@functools.lru_cache(maxsize=1)
def _of_shared() -> bytes:
    found = hashlib.sha256()
    for name in _SHARED:
        at = _ROOT / name
        for file in sorted(at.rglob("*.py")) if at.is_dir() else [at]:
            found.update(file.read_bytes())
    return found.digest()
