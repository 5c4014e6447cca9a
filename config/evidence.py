"""Where the bytes of evidence lie, from the one variable that says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured


def evidence_storage(store: str, *, folder: Path) -> dict[str, Any]:
    """The storage of `EVIDENCE_STORE`: empty (`folder`), an absolute path, "database", or "s3://bucket/prefix".

    With "database" the rows hold the bytes and the storage is not asked. What S3 wants besides (region, credentials, an
    address of its own) is taken from the usual AWS_… variables.
    """
    if store.startswith("s3://"):
        parts = urlsplit(store)
        if not parts.netloc:
            raise ImproperlyConfigured("EVIDENCE_STORE names no bucket.")
        bucket = {"bucket_name": parts.netloc, "location": parts.path.strip("/"), "file_overwrite": True}
        options = bucket | {"client_config": _patience()}
        return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    if store not in ("", "database") and not Path(store).is_absolute():
        raise ImproperlyConfigured("EVIDENCE_STORE must be empty, an absolute folder, database, or s3://bucket/prefix.")
    place = folder if store in ("", "database") else Path(store)
    return {"BACKEND": "scrapers.evidence.bodies.FolderStorage", "OPTIONS": {"location": str(place)}}


def _patience() -> Any:
    """How long a lookup waits for the service: without it nothing is answered, and a customer waits meanwhile."""
    try:
        from botocore.config import Config
    except ImportError as error:
        raise ImproperlyConfigured(
            "EVIDENCE_STORE=s3://… wants the libraries of config/requirements/s3.txt."
        ) from error
    return Config(connect_timeout=5, read_timeout=10, retries={"total_max_attempts": 2})
