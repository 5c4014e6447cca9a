"""Keeps the raw pages of a conversation in a folder, and plays them back in place of the portal.

The form of a golden case: `case.json` (the question, where the pages come from, one step a request) beside the
saved bodies. Playing back is strict: a request that no step expects is an error, not an empty answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from requests import ConnectTimeout, PreparedRequest, Response
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import HTTPResponse

from scrapers.transport.exchanges import Exchange, hide_in_address, sent_with, without_secrets

_KEPT_HEADERS = frozenset({"content-type", "location", "retry-after"})  # never a cookie: it is a stranger's session


class UnexpectedRequest(AssertionError):
    """The conversation left the recording: which request came, and which steps were left."""


@dataclass(frozen=True, slots=True)
class Step:
    """One request and its answer. `sent` is the form or JSON that must be in the request (None: not looked at).

    A `status` of 0: no answer came, and of the address no query is known.
    """

    method: str
    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    sent: Any = None

    def fits(self, request: PreparedRequest) -> bool:
        """Say whether the request is the one this step answers; what is never kept is not compared."""
        asked, address = _address(request.url or ""), _address(self.url)
        if request.method != self.method or (asked != address if self.status else asked[:2] != address[:2]):
            return False
        return self.sent is None or without_secrets(sent_with(request), ()) == without_secrets(self.sent, ())


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


def to_steps(exchanges: Iterable[Exchange]) -> list[Step]:
    """The steps of a conversation, as far as an answer came."""
    return [
        Step(
            heard.method,
            heard.url,
            heard.status,
            {name: text for name, text in heard.headers.items() if name in _KEPT_HEADERS},
            bytes(heard.body),
            heard.sent,
        )
        for heard in exchanges
        if heard.status is not None
    ]


def save_steps(
    folder: Path, steps: Iterable[Step], *, question: Mapping[str, Any], provenance: str, **more: Any
) -> None:
    """Write a case for review; `more` are further lines of its case.json that hold something."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, step in enumerate(steps, start=1):
        kind = next((value for name, value in step.headers.items() if name.lower() == "content-type"), "")
        name = f"{number}.{'json' if 'json' in kind else 'html'}"
        (folder / name).write_bytes(step.body)
        written.append(
            {
                "method": step.method,
                "url": step.url,
                "sent": step.sent,
                "status": step.status,
                "headers": dict(step.headers),
                "body": name,
            }
        )
    filled = {name: value for name, value in more.items() if value}
    case = {"provenance": provenance, "question": dict(question), **filled, "steps": written}
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
                if not step.status:
                    raise ConnectTimeout("no answer came then")
                return answer(request, status=step.status, headers=step.headers, body=step.body)
        raise UnexpectedRequest(f"{request.method} {request.url} {sent_with(request)}; left: {self.left}")

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
    parts = urlsplit(hide_in_address(url, ()))
    return parts.netloc, parts.path, sorted(parse_qsl(parts.query, keep_blank_values=True))
