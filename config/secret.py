"""Makes the signing key of an installation that was given none, so that none is ever shipped."""

from __future__ import annotations

import fcntl
import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def local_secret(folder: Path) -> str:
    """Return the installation's own key, made on first use and readable by its owner alone.

    `folder` may be read-only (a container that only collects static files): the key then lasts one process. Where
    there is one that this user may not read, another would sign what nobody believes.
    """
    path = folder / "secret_key"
    try:
        if key := path.read_text().strip():
            return key
    except FileNotFoundError:
        pass
    except OSError as problem:
        raise ImproperlyConfigured(
            f"{path} cannot be read ({problem.strerror}): be the user that the service runs as, or set SECRET_KEY."
        ) from problem
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return secrets.token_urlsafe(50)
    return _fill(path, handle)


def _fill(path: Path, handle: int) -> str:
    """Write a key into a file that has none, as where the disk was full; who comes second reads the first one's."""
    with os.fdopen(handle, "r+b", buffering=0) as file:  # what is buffered would be tried once more by its end
        fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
        if key := file.read().decode().strip():
            return key
        key = secrets.token_urlsafe(50)
        try:
            file.write(key.encode())
        except OSError as problem:
            raise ImproperlyConfigured(f"{path} cannot be written ({problem.strerror}).") from problem
    return key
