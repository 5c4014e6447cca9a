"""Exchanges with a registry as a web archive (WARC 1.1): what any program for such archives opens.

Of each exchange there is its signed record, what was asked, and the answer, where its bytes are handed out. Rows of a
loaded copy were no conversation: they are a resource under the published file's address.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import datetime
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from lookups.evidence.bundle import Exchange

FILE = "data.warc.gz"


class Indexed(NamedTuple):
    """Where an answer lies in the archive, as a line of its index (CDXJ)."""

    url: str
    at: str
    line: str


class Archive(NamedTuple):
    """A web archive, and where its answers lie in it."""

    content: bytes
    answers: list[Indexed]


def write(exchanges: list[Exchange], *, software: str) -> Archive:
    """Write an archive of them, in their order."""
    out, index = io.BytesIO(), list[Indexed]()
    writer = WARCWriter(out, gzip=True, warc_version="1.1")
    writer.write_record(writer.create_warcinfo_record(FILE, {"software": software, "format": "WARC File Format 1.1"}))
    for one in exchanges:
        for record in _records(writer, one):
            start = out.tell()
            writer.write_record(record)
            if record.rec_type in ("response", "resource"):
                index.append(_indexed(one, start, out.tell() - start))
    return Archive(out.getvalue(), index)


def _records(writer: WARCWriter, one: Exchange) -> Iterator[Any]:
    """The signed record, what was asked, and the answer."""
    url, named = one.record["url"], {"WARC-Date": one.record["at"]}

    def record(kind: str, content: bytes = b"", **more: Any) -> Any:
        payload = io.BytesIO(content)
        return writer.create_warc_record(
            url, kind, payload=payload, length=len(content), warc_headers_dict=dict(named), **more
        )

    yield record("metadata", one.document, warc_content_type="application/json")
    is_copy = one.record["copy"] is not None
    if not is_copy and url.isascii():  # as a page wrote it, and nobody answered: it was sent in another spelling
        yield record("request", http_headers=_asked(one))
    if one.body is None:
        return
    named["WARC-Payload-Digest"] = f"sha256:{one.record['body']['sha256']}"
    if not one.record["body"]["whole"]:
        named["WARC-Truncated"] = "length"
    if is_copy:
        yield record("resource", one.body, warc_content_type=_content_type(one))
    else:
        yield record("response", one.body, http_headers=_answered(one, len(one.body)))


def _asked(one: Exchange) -> StatusAndHeaders:
    parts = urlsplit(one.record["url"])
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    line = f"{one.record['method']} {path} HTTP/1.1"
    return StatusAndHeaders(line, [("Host", parts.netloc)], is_http_request=True)


def _answered(one: Exchange, length: int) -> StatusAndHeaders:
    """The status and the headers that were kept; one that a program would write otherwise is in the record alone."""
    status = one.record["status"]
    headers = sorted(one.record["headers"].items())
    plain = [(name, text) for name, text in headers if text.isascii() and text.isprintable()]
    return StatusAndHeaders(
        f"{status} {_phrase(status)}", [*plain, ("content-length", str(length))], protocol="HTTP/1.1"
    )


def _content_type(one: Exchange) -> str:
    default = "application/json" if one.record["copy"] else "application/octet-stream"
    return str(one.record["headers"].get("content-type", default))


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def _indexed(one: Exchange, start: int, length: int) -> Indexed:
    record = one.record
    at = datetime.fromisoformat(record["at"]).strftime("%Y%m%d%H%M%S")
    place = {
        "url": record["url"],
        "mime": _content_type(one).partition(";")[0].strip(),
        "status": str(record["status"] or 200),
        "digest": f"sha256:{record['body']['sha256']}",
        "length": str(length),
        "offset": str(start),
        "filename": FILE,
    }
    return Indexed(record["url"], record["at"], f"{_sort_key(record['url'])} {at} {json.dumps(place)}")


def _sort_key(url: str) -> str:
    """An address from its widest part on, as the index is sorted: `gov,ny,dos)/search?q=a`."""
    parts = urlsplit(url.lower())
    host = ",".join(reversed((parts.hostname or "").removeprefix("www.").split(".")))
    return f"{host}){parts.path or '/'}{'?' + parts.query if parts.query else ''}".replace(" ", "%20")
