"""A file of evidence with one thing changed, in every part: by accident (a bit), or by somebody who knows how."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.evidence.forging import OURS, flip, is_kind, pack, packed_alike, read_files, rewrite_archive, seal_anew

WARC = "archive/data.warc.gz"
Files = dict[str, bytes]


def list_flipped(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """For each file in it: its name, and the whole with a bit turned in the middle of that file."""
    files = read_files(raw)
    for name, content in files.items():
        at = content.index(b'"hash"') + 20 if name == "datapackage-digest.json" else len(content) // 2
        yield name, pack({**files, name: flip(content, at)})


def list_forged(raw: bytes) -> Iterator[tuple[str, str, bytes]]:
    """What is forged, the part that must be found wrong, and the whole with its package written anew to fit."""
    for what, part, change in FORGERIES:
        files = read_files(raw)
        change(files)
        yield what, part, pack(seal_anew(files))


def _set(name: str, *path: Any, to: Any) -> Callable[[Files], None]:
    """A value within a JSON file becomes another."""

    def change(files: Files) -> None:
        content = json.loads(files[OURS + name])
        inner = content
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = to(inner[path[-1]]) if callable(to) else to
        files[OURS + name] = json.dumps(content).encode()

    return change


def _replace(name: str, old: bytes, new: bytes) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        assert old in files[name], (name, old)
        files[name] = files[name].replace(old, new)

    return change


def _archive(kind: str, change: Callable[[bytes], bytes]) -> Callable[[Files], None]:
    """The records of one kind in the web archive become others."""

    def rewrite(files: Files) -> None:
        before = files[WARC]
        files[WARC] = rewrite_archive(before, lambda record: change(record) if is_kind(record, kind) else record)
        assert files[WARC] != before

    return rewrite


def _in_answer(old: bytes, new: bytes) -> Callable[[Files], None]:
    """What stands first of `old` within an answer becomes another, and the length of its record fits that."""

    def change(record: bytes) -> bytes:
        head, _, block = record.partition(b"\r\n\r\n")
        block = re.sub(old, new, block, count=1)
        return re.sub(rb"(Content-Length: )\d+", rb"\g<1>%d" % (len(block) - 4), head) + b"\r\n\r\n" + block

    return _archive("response", change)


def _before(name: bytes, more: bytes) -> Callable[[Files], None]:
    """More stands before a header of an answer's record."""
    return _archive("response", lambda one: one.replace(name, more + name, 1))


def _in_body(record: bytes) -> bytes:
    return flip(record, record.rindex(b"\r\n\r\n") - 5)


def _leave_only(kind: str) -> Callable[[Files], None]:
    """The web archive has its records of one kind, and no others."""

    def rewrite(files: Files) -> None:
        files[WARC] = rewrite_archive(files[WARC], lambda record: record if is_kind(record, kind) else b"")

    return rewrite


def _without_exchanges(files: Files) -> None:
    """As if no source had answered: neither their records nor their bytes are there."""
    _leave_only("warcinfo")(files)
    files[f"{OURS}exchanges.jsonl"] = b""


def _answer_twice(files: Files) -> None:
    """The last answer once more, at the end: a program for archives may show the later one."""
    answers: list[bytes] = []
    rewrite_archive(
        files[WARC], lambda record: answers.append(record) or record if is_kind(record, "response") else record
    )
    files[WARC] += packed_alike(answers[-1].replace(b"DOVER", b"DENVR"))


def _other_hex(text: str) -> str:
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def _other_base64(text: str) -> str:
    return ("B" if text[0] != "B" else "C") + text[1:]


FORGERIES: list[tuple[str, str, Callable[[Files], None]]] = [
    ("the verdict in the manifest", "signature", _replace(f"{OURS}manifest.json", b'"found"', b'"taken"')),
    (
        "the time in the manifest",
        "signature",
        _replace(f"{OURS}manifest.json", b'"answeredAt":"20', b'"answeredAt":"19'),
    ),
    ("the signature", "signature", _set("signature.json", "signature", to=_other_base64)),
    ("the key beside the signature", "signature", _set("signature.json", "publicKey", to=_other_base64)),
    ("the name of the key", "key", _set("signature.json", "keyId", to=_other_hex)),
    ("the facts", "facts", _replace(f"{OURS}facts.json", b"HARBOR AGENTS", b"HARBOR AGENCY")),
    ("the record of an exchange", "exchanges", _replace(f"{OURS}exchanges.jsonl", b'"GET"', b'"PUT"')),
    ("the bytes that were read", "bytes", _archive("response", _in_body)),
    (
        "the status of an answer",
        "bytes",
        _archive("response", lambda one: one.replace(b"HTTP/1.1 200", b"HTTP/1.1 203", 1)),
    ),
    ("where an answer came from", "bytes", _archive("response", lambda one: one.replace(b"invalid", b"inva1id"))),
    (
        "when an answer was read",
        "bytes",
        _archive("response", lambda one: one.replace(b"WARC-Date: 20", b"WARC-Date: 19", 1)),
    ),
    ("how it was asked for", "bytes", _archive("request", lambda one: one.replace(b"\r\nGET ", b"\r\nPUT ", 1))),
    (
        "the page that was asked for",
        "bytes",
        _archive(
            "request", lambda one: re.sub(rb"(\r\n[A-Z]+ /[^ ]*) HTTP/1.1\r\n", rb"\1x HTTP/1.1\r\n", one, count=1)
        ),
    ),
    (
        "the machine that was asked",
        "bytes",
        _archive("request", lambda one: one.replace(b"\r\nHost: ", b"\r\nHost: x", 1)),
    ),
    (
        "a header of an answer",
        "bytes",
        _archive("response", lambda one: one.replace(b"; charset=utf-8", b"; charset=utf-7", 1)),
    ),
    ("a second address", "bytes", _before(b"WARC-Target-URI: ", b"WARC-Target-URI: https://other.invalid/\r\n")),
    ("an address without its space", "bytes", _before(b"WARC-Target-URI: ", b"WARC-Target-URI:https://b.invalid/\r\n")),
    (
        "an address within a header",
        "bytes",
        _before(b"WARC-Date: ", b"More: 1\nWARC-Target-URI: https://b.invalid/\r\n"),
    ),
    ("a second length", "bytes", _before(b"Content-Length: ", b"Content-Length: 90\r\n")),
    (
        "a length that is none",
        "bytes",
        _archive("response", lambda one: re.sub(rb"Content-Length: \d+", b"Content-Length: -4", one, count=1)),
    ),
    ("how long a page is", "bytes", _in_answer(rb"content-length: \d+", b"content-length: 10")),
    ("what is behind a status", "bytes", _in_answer(b"200 OK", b"200 OK\nLocation: https://other.invalid/")),
    ("what a page is spoken in", "bytes", _in_answer(b"HTTP/1.1", b"HTTP/0.9")),
    ("that a source was asked", "exchanges", _without_exchanges),
    ("an exchange less in the archive", "bytes", _leave_only("warcinfo")),
    ("the record in the archive", "bytes", _archive("metadata", _in_body)),
    ("an answer more than there was", "bytes", _answer_twice),
    ("the place in the chain", "chain", _set("chain.json", "entry", "hash", to=_other_hex)),
    ("the manifest in the chain", "chain", _set("chain.json", "entry", "manifest", to=_other_hex)),
    (
        "the head of the chain",
        "head",
        _set("chain.json", "head", "document", to=lambda text: text.replace('"at":"20', '"at":"19')),
    ),
    (
        "the service of the head",
        "head",
        _set("chain.json", "head", "document", to=lambda text: text.replace('"service":"http', '"service":"httq')),
    ),
    ("the way to the head", "head", _set("chain.json", "links", to=lambda links: [*links, "0" * 64])),
]
