"""The web server in a hurry, with a tiny application: what takes half a minute with the real one takes a second here.

gunicorn loads both names of this module, the application and the worker; so each of its processes is told.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterable
from typing import Any, cast

import django

from config.launch import buffering_worker
from config.launch.buffering_worker import BufferingWorker as HurriedWorker  # noqa: F401  (loaded by its name)

django.setup()
buffering_worker.REQUEST_SECONDS = 1.5
buffering_worker.REPLY_SECONDS = 3.0
buffering_worker.MOST_CONNECTIONS = 30
buffering_worker.LARGEST_HEADER = 10_000
buffering_worker.LARGEST_BODY = 100_000
LARGE = b"x" * 8 * 1024 * 1024


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """/echo tells how much came in, /large sends much, /slow takes two seconds, all else answers at once.

    /late begins its reply after longer than a client may take for one, and ends it a second later. /file hands the
    server a file, and /pieces does not say beforehand how long it will be.
    """
    path, body = environ["PATH_INFO"], environ["wsgi.input"].read()
    if path == "/slow":
        time.sleep(2)
    echo = f"{len(body)} {environ.get('HTTP_X_FORWARDED_FOR')}".encode()
    said = {"/large": LARGE, "/late": LARGE, "/echo": echo}.get(path, b"well")
    length = [] if path == "/pieces" else [("Content-Length", str(len(said)))]
    start_response("200 OK", [("Content-Type", "text/plain"), *length])
    if path == "/file" and "wsgi.file_wrapper" in environ:
        return cast("Iterable[bytes]", environ["wsgi.file_wrapper"](io.BytesIO(said)))
    if path == "/pieces":
        return iter([said[:1], said[1:]])
    return _late(said) if path == "/late" else [said]


def _late(said: bytes) -> Iterable[bytes]:
    time.sleep(buffering_worker.REPLY_SECONDS + 0.5)
    yield said[:-1]
    time.sleep(1)
    yield said[-1:]
