"""The proof of one lookup as one file (WACZ 1.1.1): a web archive that is signed, with our manifest beside it.

Programs for web archives show the pages and check the package; what else is in it is for `docs/verify.py` and the page
`/verify/`, which check everything up to the chain.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from jurisdictions import canonical
from lookups.evidence import signing, warc
from lookups.evidence.bundle import Bundle, Place
from lookups.models import ChainHead

MEDIA_TYPE = "application/wacz"
SOFTWARE = "SOS Lookup"
VERSION = "1.1.1"
OURS = "sos-lookup/"


def write(bundle: Bundle, *, now: datetime) -> bytes:
    """The bytes of the file, made at `now`."""
    files = _list_files(bundle)
    created = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    package = _json(_package(files, bundle, created))
    named = _named_hash(package)
    signature, public = signing.sign_archive(named, now=now)
    signed = {
        "hash": named,
        "created": created,
        "software": SOFTWARE,
        "version": "0.1.0",
        "signature": signature,
        "publicKey": public,
    }
    digest = _json({"path": "datapackage.json", "hash": named, "signedData": signed})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for path, content in {**files, "datapackage.json": package, "datapackage-digest.json": digest}.items():
            archive.writestr(zipfile.ZipInfo(path, now.astimezone(UTC).timetuple()[:6]), content)
    return out.getvalue()


def _list_files(bundle: Bundle) -> dict[str, bytes]:
    archive = warc.write(bundle.exchanges, software=SOFTWARE)
    files = {
        f"archive/{warc.FILE}": archive.content,
        "indexes/index.cdx": _lines(sorted(one.line for one in archive.answers)),
        "pages/pages.jsonl": _pages(archive),
        f"{OURS}manifest.json": bundle.document.encode(),
        f"{OURS}signature.json": _json(_signature(bundle)),
        f"{OURS}exchanges.jsonl": b"".join(one.document + b"\n" for one in bundle.exchanges),
        f"{OURS}contents.json": _json(
            {
                "bodies": [one.state for one in bundle.exchanges],
                "facts": "withheld" if bundle.facts is None else "kept",
            }
        ),
        f"{OURS}chain.json": _json(_chain(bundle.place)),
        f"{OURS}keys.json": _json(signing.list_published()),
    }
    return files if bundle.facts is None else {**files, f"{OURS}facts.json": bundle.facts}


def _package(files: Mapping[str, bytes], bundle: Bundle, created: str) -> dict[str, Any]:
    said = bundle.content
    return {
        "profile": "data-package",
        "wacz_version": VERSION,
        "software": SOFTWARE,
        "title": f"{said['question']['state']} {said['question']['entityName'] or said['question']['entityId'] or ''}",
        "description": f"Evidence of the lookup {said['lookup']}: {said['verdict']}.",
        "created": created,
        "resources": [
            {
                "name": path.rpartition("/")[2].lower(),
                "path": path,
                "hash": _named_hash(content),
                "bytes": len(content),
                # An empty table is none to the library of those who made the format: where nobody answered
                **({} if content else {"format": "txt"}),
            }
            for path, content in files.items()
        ],
    }


def _pages(archive: warc.Archive) -> bytes:
    first = {"format": "json-pages-1.0", "id": "pages", "title": "What was read"}
    pages = [
        {"id": str(number), "url": one.url, "ts": one.at, "title": one.url}
        for number, one in enumerate(archive.answers, 1)
    ]
    return _lines([json.dumps(one) for one in (first, *pages)])


def _signature(bundle: Bundle) -> dict[str, Any]:
    manifest = bundle.manifest
    return {
        "algorithm": "Ed25519",
        "keyId": manifest.key_id,
        "publicKey": manifest.key.public_key,
        "sha256": manifest.sha256,
        "signature": manifest.signature,
    }


def _chain(place: Place) -> dict[str, Any]:
    entry = place.entry
    return {
        "entry": {
            "number": entry.number,
            "previous": entry.previous_hash,
            "manifest": entry.manifest_sha256,
            "hash": entry.hash,
        },
        "links": place.list_links(),
        "head": _head(place.head) if place.head else None,
    }


def _head(head: ChainHead) -> dict[str, Any]:
    return {
        "document": head.document,
        "signature": head.signature,
        "keyId": head.key_id,
        "publicKey": head.key.public_key,
        "token": None if head.token is None else base64.b64encode(bytes(head.token)).decode(),
    }


def _json(content: Mapping[str, Any]) -> bytes:
    return canonical.to_bytes(dict(content))


def _lines(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _named_hash(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
