"""The service's own judgement of a file of evidence: the published program's, and what only the service can add.

It has the list of its keys at hand, and its own chain: a file that was signed with a stolen key and stands nowhere in
the chain is found here.
"""

from __future__ import annotations

import io
import zipfile

from django.conf import settings

from lookups.evidence import signing, verify
from lookups.evidence.verify import Finding
from lookups.models import ChainEntry

FROM_ELSEWHERE = "It says that it is from {}: whether its key is theirs, ask there."


def judge(raw: bytes) -> list[Finding]:
    """One finding for each part of the file, in the words of the program."""
    said, keys = _read(raw, "manifest.json").get("service"), signing.list_published()
    # Also what was signed before the service moved to another address
    is_ours = _read(raw, "signature.json").get("keyId") in [one["id"] for one in keys["keys"]]
    if said is not None and said != settings.PUBLIC_URL and not is_ours:
        return [*verify.judge(raw), Finding("our chain", None, FROM_ELSEWHERE.format(str(said)[:100]))]
    found = verify.judge(raw, verify.Trusted(keys))
    return [*found, _compare_chain(_read(raw, "chain.json").get("entry"))]


def _compare_chain(entry: object) -> Finding:
    if not isinstance(entry, dict) or not isinstance(number := entry.get("number"), int) or not 0 < number < 2**63:
        return Finding("our chain", False, "It names no place in the chain.")
    ours = ChainEntry.objects.filter(number=number).first()
    if ours is None or (ours.hash, ours.manifest_sha256) != (entry.get("hash"), entry.get("manifest")):
        return Finding("our chain", False, f"Entry {number} of our chain is another one.")
    return Finding("our chain", True, f"Entry {number} of our chain is this one.")


def _read(raw: bytes, name: str) -> dict[str, object]:
    """A part of the file that the program has judged, or will; empty where it cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            part = archive.getinfo(f"{verify.OURS}{name}")
            if part.compress_type != zipfile.ZIP_STORED:
                return {}
            content = verify.load(archive.read(part))
    except Exception:  # the program says what is wrong with it
        return {}
    return content if isinstance(content, dict) else {}
