"""Keeps the raw pages of a conversation in a folder, and plays them back in place of the portal.

The form of a golden case: `case.json` (the question, where the pages come from, one step a request) beside the
saved bodies. Playing back is strict: a request that no step expects is an error, not an empty answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from requests import PreparedRequest, Response
from requests.adapters import BaseAdapter, HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import HTTPResponse

_KEPT_HEADERS = frozenset({"content-type", "location", "retry-after"})  # never a cookie: it is a stranger's session


class UnexpectedRequest(AssertionError):
    """The conversation left the recording: which request came, and which steps were left."""


@dataclass(frozen=True, slots=True)
class Step:
    """One request and its answer. `sent` is the form or JSON that must be in the request (None: not looked at)."""

    method: str
    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    sent: Mapping[str, Any] | None = None

    def fits(self, request: PreparedRequest) -> bool:
        """Say whether the request is the one this step answers."""
        if request.method != self.method or _address(request.url or "") != _address(self.url):
            return False
        return self.sent is None or _sent(request) == dict(self.sent)


def load_steps(folder: Path) -> list[Step]:
    """Read the steps of a golden case."""
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    return [
        Step(
            method=raw["method"],
            url=raw["url"],
            sent=raw.get("sent"),
            status=raw.get("status", 200),
            headers=raw.get("headers", {}),
            body=(folder / raw["body"]).read_bytes() if raw.get("body") else b"",
        )
        for raw in case["steps"]
    ]


class Recorder(HTTPAdapter):
    """Passes requests on to the portal and keeps every exchange, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[Step] = []

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        """Send, read the whole answer, keep it, and hand it on."""
        response = super().send(request, *args, **kwargs)
        body = response.content
        kept = {name: value for name, value in response.headers.items() if name.lower() in _KEPT_HEADERS}
        sent = _sent(request) if request.body else None
        self.steps.append(Step(str(request.method), str(request.url), response.status_code, kept, body, sent))
        again = answer(request, status=response.status_code, headers=kept, body=body)
        again.cookies.update(response.cookies)
        return again


def save_steps(
    folder: Path, steps: list[Step], *, question: Mapping[str, Any], provenance: str, replace: Mapping[str, str]
) -> None:
    """Write a case for review: `replace` swaps persons' names (and the like) in every body and address."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, step in enumerate(steps, start=1):
        kind = next((value for name, value in step.headers.items() if name.lower() == "content-type"), "")
        body = step.body
        for old, new in replace.items():
            body = body.replace(old.encode(), new.encode())
        name = f"{number}.{'json' if 'json' in kind else 'html'}"
        (folder / name).write_bytes(body)
        written.append(
            {
                "method": step.method,
                "url": step.url,
                "sent": dict(step.sent) if step.sent is not None else None,
                "status": step.status,
                "headers": dict(step.headers),
                "body": name,
            }
        )
    case = {"provenance": provenance, "question": dict(question), "steps": written}
    (folder / "case.json").write_text(json.dumps(case, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


class Replay(BaseAdapter):
    """Answers from steps, each used once and in any order; mounted in place of the network."""

    def __init__(self, steps: list[Step]) -> None:
        super().__init__()
        self.left = list(steps)

    def send(self, request: PreparedRequest, *_: Any, **__: Any) -> Response:
        """Answer the request from the first step that fits it."""
        for index, step in enumerate(self.left):
            if step.fits(request):
                del self.left[index]
                return answer(request, status=step.status, headers=step.headers, body=step.body)
        raise UnexpectedRequest(f"{request.method} {request.url} {_sent(request)}; left: {self.left}")

    def close(self) -> None:
        """Nothing to close."""


def answer(request: PreparedRequest, *, status: int, headers: Mapping[str, str], body: bytes) -> Response:
    """Build the response `requests` would have made of these bytes, cookies included."""
    raw = HTTPResponse(
        body=BytesIO(body),
        headers=dict(headers),
        status=status,
        preload_content=False,
        decode_content=False,
        request_url=request.url,
    )
    response = Response()
    response.status_code = status
    response.headers = CaseInsensitiveDict(headers)
    response.raw = raw
    response.url = request.url or ""
    response.request = request
    cookie = response.headers.get("set-cookie")
    if cookie:
        name, _, rest = cookie.partition("=")
        response.cookies.set(name, rest.partition(";")[0])
    return response


def _address(url: str) -> tuple[str, str, list[tuple[str, str]]]:
    parts = urlsplit(url)
    return parts.netloc, parts.path, sorted(parse_qsl(parts.query, keep_blank_values=True))


def _sent(request: PreparedRequest) -> dict[str, Any]:
    body = request.body or b""
    text = body.decode("utf-8") if isinstance(body, bytes) else str(body)
    if "json" in str(request.headers.get("Content-Type", "")):
        return dict(json.loads(text))
    return dict(parse_qsl(text, keep_blank_values=True))
