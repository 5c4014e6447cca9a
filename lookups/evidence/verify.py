#!/usr/bin/env python3
"""Checks a file of evidence (.wacz) of SOS Lookup without the service, and without any code of it but this page.

    pip install cryptography rfc3161-client
    python verify.py lk_….wacz --keys sos-lookup-keys.json --authority root.pem

Every line says what was checked and how it came out; it ends with 0 when nothing is wrong, else 1. `--keys` is the list
of the service's keys, from its address or kept since before; `--authority`: certificates you trust for time-stamps.

What it can show: that whoever holds the key has signed that these bytes came from these addresses at this time, and
gave this answer; and that nothing was changed since. What no file can show: that the registry's server sent them.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import dropwhile
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils

PACKAGE, DIGEST, WARC, OURS = "datapackage.json", "datapackage-digest.json", "archive/data.warc.gz", "sos-lookup/"
MOST_FILES, MOST_BYTES, MOST_RECORD = 50, 256 * 1024 * 1024, 12 * 1024 * 1024  # unpacked; a page has 10 MB at most
DEEPEST, MOST_LINES, _OTHERS = 100, 1_000, bytes(set(range(256)) - set(b'"[]{}'))  # levels of JSON; lines of a head
Outcome = tuple[bool | None, str]
WHY_NOT = {"withheld": "left out at the request of a person they are about", "not_kept": "not kept (any more)"}


class Finding(NamedTuple):
    """What came of one check. `holds`: True it does, False it does not, None it cannot be told from this file."""

    part: str
    holds: bool | None
    text: str


class Wrong(Exception):
    """A part is not what it has to be; the message says how."""


class Trusted(NamedTuple):
    """What the reader knows from elsewhere: the service's list of keys, and authorities of time-stamps."""

    keys: Mapping[str, Any] | None = None
    authorities: tuple[x509.Certificate, ...] = ()


def judge(raw: bytes, trusted: Trusted = Trusted()) -> list[Finding]:  # noqa: B008 - nobody changes it
    """Check everything in a file, one finding for each part; nothing is raised for what is in it."""
    try:
        files = _unpack(raw)
    except Exception as wrong:
        return [Finding("file", False, f"It cannot be read as a file of evidence: {wrong}.")]
    signed = _attempt("archive signature", lambda: _check_archive_signature(files, trusted))
    found = [_attempt("file", lambda: _check_package(files)), signed]
    try:
        manifest, signature, contents = (_read(files, f"{one}.json") for one in ("manifest", "signature", "contents"))
    except Wrong as wrong:
        return [*found, Finding("manifest", False, str(wrong))]
    return [
        *found,
        _attempt("signature", lambda: _check_signature(files[OURS + "manifest.json"], signature)),
        _attempt("key", lambda: _check_key(files, manifest, signature, trusted)),
        _attempt("exchanges", lambda: _check_exchanges(files, manifest)),
        *_check_archive(files, contents),
        _attempt("facts", lambda: _check_facts(files, manifest)),
        _attempt("chain", lambda: _check_entry(_read(files, "chain.json")["entry"], files[OURS + "manifest.json"])),
        _attempt("head", lambda: _check_head(files, trusted, **_read(files, "chain.json"))),
        _attempt("time-stamp", lambda: _check_stamp(_read(files, "chain.json")["head"], trusted)),
    ]


def is_good(found: list[Finding]) -> bool:
    """Whether nothing in the file is wrong."""
    return all(one.holds is not False for one in found)


def _attempt(part: str, check: Any) -> Finding:
    try:
        return Finding(part, *check())
    except Exception as error:  # whatever a stranger wrote, it is no more than wrong
        text = str(error) if isinstance(error, Wrong) else f"It is not written as ours are ({type(error).__name__})."
        return Finding(part, False, text)


def _unpack(raw: bytes) -> dict[str, bytes]:
    """The files in the archive by name; ours are not packed, lie one behind the other, and two have two names."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        listed = archive.infolist()
        if len(raw) > MOST_BYTES or len(listed) > MOST_FILES or len({one.filename for one in listed}) != len(listed):
            raise Wrong("it is too large, or has too many files, or two of one name")
        laid, at = True, 0
        for one in listed:
            laid &= (one.compress_type, one.extra, one.compress_size, one.header_offset) == (0, b"", one.file_size, at)
            laid, at = laid & raw.startswith(one.FileHeader(), at), at + len(one.FileHeader()) + one.file_size
        end = (b"PK\5\6", len(listed), len(listed), len(raw) - at - 22, at, 0)
        if not laid or struct.unpack("<4s4x2H2LH", raw[-22:]) != end:
            raise Wrong("its files are packed, or do not lie as ours do: other programs may find others in it")
        return {one.filename: archive.read(one) for one in listed}


def _check_package(files: Mapping[str, bytes]) -> tuple[bool, str]:
    if {PACKAGE, DIGEST} - set(files) or load(files[DIGEST])["hash"] != _named_hash(files[PACKAGE]):
        raise Wrong(f"{PACKAGE} is missing or was changed: it has another hash than {DIGEST} says.")
    listed = {one["path"]: one for one in load(files[PACKAGE])["resources"]}
    if set(listed) != set(files) - {PACKAGE, DIGEST}:
        raise Wrong("The files are not those that the package lists.")
    for path, one in sorted(listed.items()):
        if one["hash"] != _named_hash(files[path]) or one["bytes"] != len(files[path]):
            raise Wrong(f"{path} was changed: it has another hash than the package says.")
    return True, f"All {len(listed)} files are as they were packed."


def _check_archive_signature(files: Mapping[str, bytes], trusted: Trusted) -> Outcome:
    signed, package = load(files[DIGEST]).get("signedData") or {}, load(files[PACKAGE])
    fixed = {**signed, "software": package.get("software"), "version": "0.1.0"}
    if len(fixed) != 6 or files[DIGEST] != _canonical({"path": PACKAGE, "hash": signed["hash"], "signedData": fixed}):
        raise Wrong(f"{DIGEST} was changed.")
    if signed.get("hash") != _named_hash(files[PACKAGE]) or signed.get("created") != package.get("created"):
        raise Wrong("What is signed is another package, or was signed at another time than it says.")
    halves = struct.unpack("48s48s", base64.b64decode(signed["signature"], validate=True))  # and no byte more
    written = utils.encode_dss_signature(*(int.from_bytes(half, "big") for half in halves))
    key = serialization.load_der_public_key(base64.b64decode(signed["publicKey"], validate=True))
    try:
        key.verify(written, signed["hash"].encode(), ec.ECDSA(hashes.SHA256()))  # type: ignore[union-attr,call-arg,arg-type]
    except InvalidSignature:
        raise Wrong("The signature of the package does not fit it.") from None
    known = {one["archivePublicKey"]: {**one, "keyId": one["id"]} for one in _list_keys(files, trusted)}
    own = _find_key([*known.values()], known.get(signed["publicKey"], {"keyId": "of the package"}), signed["created"])
    return True if trusted.keys else None, f"It was signed on {signed['created']} with {own['id']}."


def _check_signature(document: bytes, signature: Mapping[str, Any]) -> tuple[bool, str]:
    if signature["sha256"] != (sha256 := hashlib.sha256(document).hexdigest()):
        raise Wrong(f"The manifest was changed: its hash is {sha256}, and {signature['sha256']} was signed.")
    _verify(document, signature, "the manifest")
    return True, f"The manifest {sha256} is signed with the key {signature['keyId']}."


def _check_key(files: Mapping[str, bytes], manifest: Any, signature: Mapping[str, Any], trusted: Trusted) -> Outcome:
    """Whether the key is of the list or vouched for by its last, was in use then, and each is by the one before it."""
    log, keys = trusted.keys or load(files[OURS + "keys.json"]), _list_keys(files, trusted)
    for before, one in zip([None, *keys], keys, strict=False):
        if before is not None and one["signature"]:
            _check_vouched(one, before)
        if one["id"] != hashlib.sha256(base64.b64decode(one["publicKey"])).hexdigest()[:16]:
            raise Wrong(f"The key {one['id']} is listed under another's name.")
    own = _find_key(keys, signature, manifest["answeredAt"])
    if trusted.keys is None:
        return None, f"Whose {own['id']} is: compare it with {manifest['service']}/.well-known/sos-lookup-keys.json."
    if alone := [one["id"] for one in keys[1 : keys.index(own) + 1] if not one["signature"]]:
        return None, f"The key {own['id']} is on the list alone: no key before it vouches for {alone[-1]}."
    return True, f"The key {own['id']} is {log['service']}'s, and was in use then."


def _find_key(keys: list[Mapping[str, Any]], signed: Mapping[str, Any], at: str) -> Mapping[str, Any]:
    own = next((one for one in keys if one["id"] == signed["keyId"]), None)
    if own is None or own["publicKey"] != signed["publicKey"]:
        raise Wrong(f"The key {signed['keyId']} is none of the service's.")
    if at < own["validFrom"] or (own["retiredAt"] and at > own["retiredAt"]):
        raise Wrong(f"The key {own['id']} was not in use on {at}.")
    return own


def _list_keys(files: Mapping[str, bytes], trusted: Trusted) -> list[Mapping[str, Any]]:
    """The keys that may have signed: the reader's, and what the last of them vouches for since."""
    listed = load(files[OURS + "keys.json"])["keys"]
    known = list(listed if trusted.keys is None else trusted.keys["keys"])
    for one in [] if known[-1]["retiredAt"] else listed:
        if one["previous"] == known[-1]["id"] and one["signature"]:
            _check_vouched(one, known[-1])
            known.append(one)
    return known


def _check_vouched(key: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    stated = {name: key[name] for name in key if name not in ("number", "retiredAt", "signature")}
    _verify(_canonical(stated), {**key, "publicKey": before["publicKey"]}, f"the key {key['id']}")


def _check_exchanges(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> tuple[bool, str]:
    hashed = [hashlib.sha256(line).hexdigest() for line in files[OURS + "exchanges.jsonl"].splitlines()]
    if len(hashed) != len(manifest["exchanges"]):
        raise Wrong(f"{len(hashed)} exchanges are in the file, and {len(manifest['exchanges'])} were signed.")
    if wrong := [number for number, here in enumerate(hashed) if here != manifest["exchanges"][number]]:
        raise Wrong(f"The record of exchange {wrong[0] + 1} was changed.")
    return True, f"{len(hashed)} exchanges with the source, as they were signed." if hashed else "No source answered."


def _check_archive(files: Mapping[str, bytes], contents: Mapping[str, Any]) -> list[Finding]:
    """The bytes that were read: each record of the WARC belongs to an exchange and says what that says."""
    held: set[int] = set()
    found = [_attempt("bytes", lambda: _check_records(files, held))]
    if not found[0].holds:
        return found
    said, count = contents.get("bodies"), len(files[OURS + "exchanges.jsonl"].splitlines())
    states = [*(said if isinstance(said, list) else []), *[None] * count][:count]
    whys = [(at, WHY_NOT.get(str(state), "not here")) for at, state in enumerate(states) if at not in held]
    return found + [Finding("bytes", None, f"The bytes of exchange {at + 1} are {why}.") for at, why in whys]


def _check_records(files: Mapping[str, bytes], held: set[int]) -> tuple[bool, str]:
    lines, number, record = files[OURS + "exchanges.jsonl"].splitlines(), -1, dict[str, Any]()
    for kind, headers, block in dropwhile(lambda one: one[0] == "warcinfo", _list_records(files[WARC])):
        if kind == "metadata":
            number += 1
            if number >= len(lines) or block != lines[number]:
                raise Wrong(f"The archive has another record of exchange {number + 1} than was signed.")
            record = load(block)
        elif number < 0 or (number in held and kind != "request"):
            raise Wrong(f"The archive has a {kind} that belongs to no exchange.")
        if headers.get("warc-target-uri") != record["url"] or headers.get("warc-date") != record["at"]:
            raise Wrong(f"The {kind} of exchange {number + 1} names another address or time than was signed.")
        at = urlsplit(record["url"])
        asked = f"{record['method']} {at.path or '/'}{at.query and '?' + at.query} HTTP/1.1\r\nHost: {at.netloc}"
        if kind == "request" and block != f"{asked}\r\n\r\n".encode():
            raise Wrong(f"The request of exchange {number + 1} is another one.")
        if kind not in ("metadata", "request"):
            _check_answer(kind, block, record, number + 1)
            held.add(number)
    if number + 1 != len(lines):
        raise Wrong(f"The archive has {number + 1} exchanges, and {len(lines)} were signed.")
    return True, f"The bytes of {len(held)} of {len(lines)} exchanges are here, and are those that were signed."


def _check_answer(kind: str, block: bytes, record: Mapping[str, Any], number: int) -> None:
    if kind not in ("response", "resource") or (kind == "resource") != (record["copy"] is not None):
        raise Wrong(f"The archive has a {kind} where none belongs.")
    head, _, payload = block.partition(b"\r\n\r\n") if kind == "response" else (b"", b"", block)
    if kind == "response":
        first, headers = _read_head(head)
        if first.split(" ")[:2] != ["HTTP/1.1", str(record["status"])]:
            raise Wrong(f"The answer of exchange {number} has another status than was signed.")
        if other := headers.items() - (record["headers"] | {"content-length": str(len(payload))}).items():
            raise Wrong(f"The answer of exchange {number} has another {min(other)[0]} than was signed.")
    if hashlib.sha256(payload).hexdigest() != record["body"]["sha256"] or len(payload) != record["body"]["size"]:
        raise Wrong(f"The bytes of exchange {number} were changed.")


def _check_facts(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> Outcome:
    if (facts := files.get(OURS + "facts.json")) is None:
        return None, "The facts are left out at the request of a person they are about."
    if hashlib.sha256(facts).hexdigest() != manifest["facts"]["sha256"]:
        raise Wrong("The facts were changed: they are not those that were signed.")
    if load(facts)["verdict"] != manifest["verdict"]:
        raise Wrong("The facts have another verdict than the manifest.")
    source = "" if manifest["livemode"] else ", by a fictional registry, for a test"
    return True, f"The answer was: {manifest['verdict']}{source}. Its facts are those that were signed."


def _check_entry(entry: Mapping[str, Any], document: bytes) -> tuple[bool, str]:
    if entry["manifest"] != hashlib.sha256(document).hexdigest():
        raise Wrong("The chain has another manifest in this place.")
    if entry["hash"] != _link(entry["previous"], entry["manifest"]):
        raise Wrong("The entry of the chain does not follow from the one before it.")
    return True, f"It is entry {entry['number']} of the chain."


def _check_head(files: Any, trusted: Trusted, entry: Any, links: list[str] | None, head: Any) -> Outcome:
    if head is None:
        return None, "The chain had no head over this entry yet when the file was made; a later file has."
    _verify(head["document"].encode(), head, "the head")
    said = load(head["document"])
    _find_key(_list_keys(files, trusted), head, said["at"])
    if links is None:
        return None, f"The head at entry {said['number']} is too far to show the way there."
    if (said["number"], said["hash"]) != (entry["number"] + len(links), reduce(_link, links, entry["hash"])):
        raise Wrong("The chain does not lead from this entry to its head.")
    return True if trusted.keys else None, f"Its head, {said['number']}, was signed {said['at']} with {head['keyId']}."


def _check_stamp(head: Mapping[str, Any] | None, trusted: Trusted) -> Outcome:
    if head is None or not head["token"]:
        return None, "No outside authority has vouched for the time."
    return check_timestamp(base64.b64decode(head["token"]), head["document"].encode(), trusted.authorities)


def check_timestamp(token: bytes, document: bytes, authorities: tuple[x509.Certificate, ...]) -> Outcome:
    """Whether a reply of an authority (RFC 3161) is about this text; its signature where the authority is trusted."""
    try:
        from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response
    except ImportError:
        return None, "Install rfc3161-client to check the time-stamp."
    reply = decode_timestamp_response(token)
    if reply.tst_info.message_imprint.message != hashlib.sha256(document).digest():
        raise Wrong("The time-stamp is of something else.")
    at = reply.tst_info.gen_time.isoformat()
    if not authorities:
        return None, f"An authority says that the head was there on {at}; give its certificate to check who it is."
    try:
        VerifierBuilder(roots=list(authorities)).build().verify_message(reply, document)
    except VerificationError as error:
        raise Wrong(f"The time-stamp is not from an authority that you trust ({error}).") from None
    return True, f"An authority that you trust says that the head was there on {at}."


def _list_records(packed: bytes) -> Iterator[tuple[str, dict[str, str], bytes]]:
    """The records of a WARC, each packed by itself: kind, headers by their lower-case names, and the block."""
    left, at = MOST_BYTES, 0
    while at < len(packed):
        unpacker, text, room = zlib.decompressobj(zlib.MAX_WBITS + 16), bytearray(), min(left, MOST_RECORD)
        while at < len(packed) and not unpacker.eof and len(text) < room:
            text += unpacker.decompress(packed[at : at + 4096], room - len(text))
            at = min(at + 4096, len(packed)) - len(unpacker.unused_data or unpacker.unconsumed_tail)
        if not unpacker.eof:
            raise Wrong("The archive is cut off or too large.")
        left, (head, _, rest) = left - len(text), bytes(text).partition(b"\r\n\r\n")
        first, headers = _read_head(head)
        if (first, rest[-4:], headers["content-length"]) != ("WARC/1.1", b"\r\n\r\n", str(len(rest) - 4)):
            raise Wrong("The archive has a record of another length than it says.")
        yield headers["warc-type"], headers, rest[:-4]


def _read_head(head: bytes) -> tuple[str, dict[str, str]]:
    """The first line of a record or an answer, and its headers by their lower-case names, each of them once."""
    first, *lines = head.decode("utf-8").split("\r\n", MOST_LINES)
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    if len(headers) < max(map(head.count, (b"\r", b"\n"))) or not "".join(headers).replace("-", "").isalnum():
        raise Wrong("The archive has a header that other programs may read otherwise.")
    return first, headers


def _verify(document: bytes, signature: Mapping[str, Any], what: str) -> None:
    public, signed = (base64.b64decode(signature[name], validate=True) for name in ("publicKey", "signature"))
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(public).verify(signed, document)
    except InvalidSignature:
        raise Wrong(f"The signature does not fit {what}.") from None


def _link(previous: str, manifest: str) -> str:
    return hashlib.sha256(bytes.fromhex(previous) + bytes.fromhex(manifest)).hexdigest()


def _canonical(content: Mapping[str, Any]) -> bytes:
    """RFC 8785, for text and whole numbers under ASCII names: all that a key's statement or a digest has."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _read(files: Mapping[str, bytes], name: str) -> dict[str, Any]:
    try:
        content = load(files[OURS + name])
    except (KeyError, ValueError):
        content = None
    if not isinstance(content, dict):
        raise Wrong(f"{OURS}{name} is missing or cannot be read.")
    return content


def load(text: str | bytes) -> Any:
    """What is written as JSON. Nested too deeply, it may end the whole program and not this check alone."""
    raw, level, is_text = text.encode() if isinstance(text, str) else text, 0, False
    for sign in raw.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _OTHERS):
        is_text ^= sign == 34  # a quotation mark: what stands between two nests nothing
        level += 0 if is_text or sign == 34 else 1 if sign in b"[{" else -1
        if level > DEEPEST:
            raise Wrong(f"It is nested more than {DEEPEST} levels deep.")
    return json.loads(raw.decode())


def _named_hash(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def main() -> int:
    """Judge the file that is named, and say so."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", type=argparse.FileType("rb"))
    options.add_argument("--keys", type=argparse.FileType("rb"), help="the service's public list of its keys")
    options.add_argument("--authority", type=argparse.FileType("rb"), help="PEM certificates of time-stamp authorities")
    asked = options.parse_args()
    try:
        authorities = x509.load_pem_x509_certificates(asked.authority.read()) if asked.authority else []
        keys = json.load(asked.keys) if asked.keys else None
        if asked.keys and not (isinstance(keys, dict) and keys.get("keys")):
            raise ValueError("there is no list of a service's keys in it")
    except ValueError as wrong:
        options.error(f"--keys or --authority cannot be read: {wrong}")
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr] # whatever a file says, anywhere
    for one in (found := judge(asked.file.read(), Trusted(keys, tuple(authorities)))):
        print(f"{ {True: 'good ', False: 'WRONG', None: 'open '}[one.holds] }  {one.part}: {one.text}")  # noqa: T201
    return 0 if is_good(found) else 1


if __name__ == "__main__":
    sys.exit(main())
