"""What somebody has who would forge evidence: all of it but our keys."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import rfc8785
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

OURS = "sos-lookup/"


def make_archive_key() -> ec.EllipticCurvePrivateKey:
    """A key that nobody knows."""
    return ec.generate_private_key(ec.SECP384R1())


def to_base64(key: ec.EllipticCurvePrivateKey) -> str:
    """Its public half, as a list of keys has it."""
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(public).decode()


def sign(package: bytes, created: str, key: ec.EllipticCurvePrivateKey) -> dict[str, Any]:
    """The signature of a package."""
    named = f"sha256:{hashlib.sha256(package).hexdigest()}"
    r, s = utils.decode_dss_signature(key.sign(named.encode(), ec.ECDSA(hashes.SHA256())))
    return {
        "hash": named,
        "created": created,
        "software": "SOS Lookup",
        "version": "0.1.0",
        "signature": base64.b64encode(r.to_bytes(48) + s.to_bytes(48)).decode(),
        "publicKey": to_base64(key),
    }


def rewrite_archive(packed: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """A WARC with its records changed one by one; `change` returns nothing of a record that is left out."""
    records = []
    while packed:
        unpacker = zlib.decompressobj(zlib.MAX_WBITS + 16)
        records.append(unpacker.decompress(packed))
        packed = unpacker.unused_data
    return b"".join(packed_alike(new) for new in map(change, records) if new)


def packed_alike(record: bytes) -> bytes:
    """One record packed by itself, as ours are."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS + 16)
    return compressor.compress(record) + compressor.flush()


def is_kind(record: bytes, kind: str) -> bool:
    """Whether a record is of this kind."""
    return f"WARC-Type: {kind}\r\n".encode() in record


def read_files(raw: bytes) -> dict[str, bytes]:
    """The files in an archive by name."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {one.filename: archive.read(one) for one in archive.infolist()}


def pack(files: dict[str, bytes]) -> bytes:
    """An archive of these files, as ours are made."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def list_doubled(raw: bytes, other: bytes) -> list[bytes]:
    """Files that are `raw` to a program that looks for an archive's end, and have `other` for one that does not.

    Before it; before it and where its own list of files says that they lie; in a remark behind; in its middle.
    """
    at = raw.index(b"PK\5\6") + 16
    begins = int.from_bytes(raw[at : at + 4], "little")
    remark = raw[:-2] + len(other[:60_000]).to_bytes(2, "little") + other[:60_000]
    gap = raw[:begins] + other + raw[begins:at] + (begins + len(other)).to_bytes(4, "little") + raw[at + 4 :]
    return [other + raw, other.ljust(begins) + raw, remark, gap]


def list_stretched(raw: bytes) -> list[bytes]:
    """Files in which all is as it was, and one, the web archive, is longer or named otherwise to some other programs.

    By its packed length, at both places and in the list of files alone; by its unpacked one; by a remark that names it
    (Info-ZIP's field of a Unicode path); by how it is packed, which its own header says.
    """
    named = b"up" + struct.pack("<HBL", 9, 1, zlib.crc32(b"archive/data.warc.gz")) + b"else"
    files = read_files(raw)
    files["archive/data.warc.gz"] = files.pop("archive/data.warc.gz")  # the last, before the list
    return [
        _lay(dict(files), **how)
        for how in (
            {"packed": (60, 60)},
            {"packed": (0, 60)},
            {"more": packed_alike(b"WARC/1.1\r\nWARC-Type: response\r\n")},
            {"extra": named},
            {"method": 8},
        )
    ]


def _lay(
    files: dict[str, bytes],
    packed: tuple[int, int] = (0, 0),
    more: bytes = b"",
    extra: bytes = b"",
    method: int = 0,
) -> bytes:
    """An archive written by hand, its last file with what is given: `packed` is added to its lengths."""
    name, content = files.popitem()
    start = pack(files)[: -22 - sum(46 + len(one) for one in files)]
    listed = pack(files)[len(start) : -22]
    path, sizes = name.encode(), len(content) + len(more)
    own, theirs = (
        struct.pack("<HLLLHH", 33, zlib.crc32(content), len(content) + longer, sizes, len(path), len(extra))
        for longer in packed
    )
    body = b"PK\3\4" + struct.pack("<4H", 20, 0, method, 0) + own + path + extra + content + more
    listed += b"PK\1\2" + struct.pack("<5H", 20, 20, 0, 0, 0) + theirs + struct.pack("<3HLL", 0, 0, 0, 0, len(start))
    listed += path + extra
    count = len(files) + 1
    end = b"PK\5\6" + struct.pack("<4HLLH", 0, 0, count, count, len(listed), len(start) + len(body), 0)
    return start + body + listed + end


def flip(content: bytes, at: int, bit: int = 1) -> bytes:
    """The same with one bit turned."""
    return content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :]


def seal_anew(files: dict[str, bytes], key: ec.EllipticCurvePrivateKey | None = None) -> dict[str, bytes]:
    """The package and its digest written to fit the files, signed by nobody known."""
    key = key or make_archive_key()
    package = json.loads(files["datapackage.json"])
    inside = {name: content for name, content in files.items() if not name.startswith("datapackage")}
    package["resources"] = [
        {"name": name.rpartition("/")[2], "path": name, "hash": named_hash(content), "bytes": len(content)}
        for name, content in inside.items()
    ]
    written = json.dumps(package).encode()
    return {
        **inside,
        "datapackage.json": written,
        "datapackage-digest.json": rfc8785.dumps(
            {
                "path": "datapackage.json",
                "hash": named_hash(written),
                "signedData": sign(written, package["created"], key),
            }
        ),
    }


def named_hash(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def forge_wholly(raw: bytes, named: str = "") -> bytes:
    """Another verdict, signed anew from the manifest to the package, with a list of keys to match.

    `named`: the id that the forger's key is given in place of its own.
    """
    files = read_files(raw)
    private = Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    own = hashlib.sha256(public).hexdigest()[:16]
    key = {"keyId": named or own, "publicKey": base64.b64encode(public).decode()}

    def signed(document: bytes) -> str:
        return base64.b64encode(private.sign(document)).decode()

    document = files[f"{OURS}manifest.json"].replace(b'"found"', b'"taken"')
    sha256 = hashlib.sha256(document).hexdigest()
    chain = json.loads(files[f"{OURS}chain.json"])
    chain["entry"]["manifest"] = sha256
    chain["entry"]["hash"] = hashlib.sha256(bytes.fromhex(chain["entry"]["previous"] + sha256)).hexdigest()
    chain["head"] = None
    keys = json.loads(files[f"{OURS}keys.json"])
    keys["keys"][0] |= {"id": key["keyId"], "publicKey": key["publicKey"]}
    files |= {
        f"{OURS}manifest.json": document,
        f"{OURS}signature.json": json.dumps({**key, "sha256": sha256, "signature": signed(document)}).encode(),
        f"{OURS}chain.json": json.dumps(chain).encode(),
        f"{OURS}keys.json": json.dumps(keys).encode(),
    }
    return pack(seal_anew(files))


def forge_head(raw: bytes, **stated: Any) -> bytes:
    """An older head over an entry that is ours, and the forger's keys on the file's own list of keys.

    `stated`: what that list says of the forger's key beside.
    """
    files = read_files(raw)
    private, archive_key = Ed25519PrivateKey.generate(), make_archive_key()
    public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    key = {"id": hashlib.sha256(public).hexdigest()[:16], "publicKey": base64.b64encode(public).decode()}
    chain, keys = (json.loads(files[f"{OURS}{name}.json"]) for name in ("chain", "keys"))
    document = chain["head"]["document"].replace('"at":"20', '"at":"19')
    signature = base64.b64encode(private.sign(document.encode())).decode()
    chain["head"] |= {"document": document, "signature": signature, "keyId": key["id"], "publicKey": key["publicKey"]}
    made = {"archivePublicKey": to_base64(archive_key), "validFrom": "1900-01-01T00:00:00.000Z", "number": 2}
    keys["keys"].append({**keys["keys"][0], **key, **made, "previous": None, "signature": None, **stated})
    files |= {f"{OURS}chain.json": json.dumps(chain).encode(), f"{OURS}keys.json": json.dumps(keys).encode()}
    return pack(seal_anew(files, archive_key))
