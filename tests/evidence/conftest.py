"""Lookups with their files of evidence, and what changes a byte of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.evidence.forging import pack, read_files, seal_anew
from tests.lookups.conftest import Customer, at_once, customer, register, tester  # noqa: F401  (used by pytest)

FOUND, UNKNOWN = "Blue Heron Logistics LLC", "Nobody Has This Name Inc"


def proof_of(who: Customer, reply: Any) -> dict[str, Any]:
    """What the service says of the evidence of a lookup."""
    told = who.get(f"/v1/lookups/{reply.json()['lookupId']}/evidence")
    assert told.status_code == 200, told.content
    return dict(told.json())


def file_of(who: Customer, reply: Any) -> bytes:
    """The file of evidence of a lookup."""
    told = who.get(f"/v1/lookups/{reply.json()['lookupId']}/evidence.wacz")
    assert told.status_code == 200, told.content
    return bytes(told.content)


@pytest.fixture
def evidence(tester: Customer) -> bytes:  # noqa: F811
    """The file of a company that was found in the sandbox."""
    return file_of(tester, tester.lookup(FOUND, "DE"))


@pytest.fixture
def repack(evidence: bytes) -> Callable[..., bytes]:
    """The file with a part changed, and the package written anew to fit: who forges one does no less."""

    def change(path: str, content: bytes | Callable[[bytes], bytes] | None) -> bytes:
        files = read_files(evidence)
        if content is None:
            del files[path]
        else:
            files[path] = content(files[path]) if callable(content) else content
        return pack(seal_anew(files))

    return change
