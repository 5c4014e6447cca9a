"""Makes the signing key of an installation that was given none, so that none is ever shipped."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def local_secret(folder: Path) -> str:
    """Return the installation's own key, made on first use and readable by its owner alone.

    `folder` may be read-only (a container that only collects static files): the key then lasts one process.
    """
    path = folder / "secret_key"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    except OSError:
        return secrets.token_urlsafe(50)
    with os.fdopen(handle, "w") as file:
        key = secrets.token_urlsafe(50)
        file.write(key)
    return key
