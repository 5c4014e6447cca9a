"""Fetches a file of bulk data: large, in pieces, going on where a broken download stopped.

The same identity, hosts, TLS and pace as any other request; only the size limit is another.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import BinaryIO

import requests

from scrapers.failures import Failure, PageChanged, PortalBlocked, PortalUnavailable
from scrapers.transport.page import joined
from scrapers.transport.session import PortalSession

_CHUNK = 1024 * 1024
_MAX_BYTES = 4 * 1024**3
_MAX_REDIRECTS = 5


class DownloadSession(PortalSession):
    """A conversation that fetches one file. Its deadline is for the whole file."""

    def download(self, url: str, *, to: Path, now: datetime) -> datetime:
        """Write the file to `to` and return the day it is from (Last-Modified, else `now`).

        A piece left by a broken download is gone on with when the server says that it has the same file still.
        """
        part = to.with_suffix(to.suffix + ".part")
        note = part.with_suffix(".version")  # which file the piece is of, as the server says
        with _alone(part) as file:
            version = _noted(note)
            have = file.tell() if version else file.truncate(0)  # what is not known again is not gone on with
            with self._cut_off(), self._open(url, offset=have, version=version) as response:
                if response.status_code == 200:
                    have = file.truncate(0)  # the server sends all of it again
                if not have:
                    note.write_text(_version(response))
                for chunk in self._pieces(response, url):
                    file.write(chunk)
                    have += len(chunk)
                    if have > _MAX_BYTES:
                        raise PageChanged(f"{url} is longer than {_MAX_BYTES} bytes")
                    if time.monotonic() > self._deadline:
                        break
                if time.monotonic() > self._deadline:  # also when the wire was cut: what came is no whole file
                    raise PortalUnavailable(f"{url}: the time allowed is used up", reason=Failure.TIMEOUT)
                dated = _dated(response, now)
            file.flush()
            part.replace(to)
            note.unlink(missing_ok=True)
        return dated

    def _open(self, url: str, *, offset: int, version: str) -> requests.Response:
        headers = _rest_of(offset, version) if offset else {}
        for _ in range(_MAX_REDIRECTS):
            self._allow(url)
            self._pacer.wait_turn(self._portal, self._pace, deadline=self._deadline)
            try:
                response = self._http.get(
                    self._address(url),
                    headers=headers,
                    stream=True,
                    allow_redirects=False,
                    timeout=(self._settings.connect_seconds, self._settings.read_seconds),
                )
            except requests.exceptions.RequestException as error:
                raise PortalUnavailable(f"{url}: {type(error).__name__}") from error
            if response.is_redirect:
                url = joined(url, response.headers["location"])
                response.close()
                continue
            if response.status_code == 416 and headers:  # the piece is all of it already, or of a longer file
                headers = {}
                response.close()
                continue
            return self._accepted(response, url)
        raise PageChanged(f"too many redirects from {url}")

    def _accepted(self, response: requests.Response, url: str) -> requests.Response:
        kind = response.headers.get("content-type", "")
        if response.status_code in (200, 206) and not kind.startswith("text/html"):
            return response
        response.close()
        if response.status_code in (401, 403, 429) or kind.startswith("text/html"):
            raise PortalBlocked(f"{url} answered {response.status_code} {kind} where a file should be")
        if response.status_code >= 500:
            raise PortalUnavailable(f"{url} answered {response.status_code}")
        raise PageChanged(f"{url} answered {response.status_code}")

    def _pieces(self, response: requests.Response, url: str) -> Iterator[bytes]:
        try:
            yield from response.iter_content(_CHUNK)
        except requests.exceptions.RequestException as error:
            late = Failure.TIMEOUT if time.monotonic() > self._deadline else None
            raise PortalUnavailable(f"{url} broke off: {type(error).__name__}", reason=late) from error


@contextmanager
def _alone(part: Path) -> Iterator[BinaryIO]:
    """The piece that came so far, for one download at a time: two would write into one another's."""
    taken = PortalUnavailable(f"another download of {part.stem} is under way")
    with part.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise taken from error
        if not part.exists():  # the other one has just ended
            raise taken
        yield file


def _rest_of(offset: int, version: str) -> dict[str, str]:
    """Headers that ask for what is missing: bytes as they lie here, unpacked, and of the same file, else all of it."""
    return {"Range": f"bytes={offset}-", "Accept-Encoding": "identity", "If-Range": version}


def _version(response: requests.Response) -> str:
    """By what the server would know its file again; empty where it says nothing of the kind."""
    tag = response.headers.get("etag", "")
    return tag if tag.startswith('"') else response.headers.get("last-modified", "")  # a weak tag is of no bytes


def _noted(note: Path) -> str:
    return note.read_text() if note.exists() else ""


def _dated(response: requests.Response, now: datetime) -> datetime:
    raw = response.headers.get("last-modified")
    try:
        return min(now, parsedate_to_datetime(raw).astimezone(UTC)) if raw else now  # a server's clock may be ahead
    except ValueError:
        return now
