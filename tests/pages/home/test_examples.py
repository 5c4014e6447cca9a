"""The lines of code on the first page do what they promise: each is run as it stands there on a running service."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
from typing import Any

import pytest

from lookups.pages.home.examples import PLACEHOLDER
from tests import plain_http
from tests.lookups.conftest import open_customer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lines(live_server: Any, switches: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The blocks of the page by their language, with a test key where the page says that one belongs."""
    page = plain_http.get(f"{live_server.url}/").text
    secret = open_customer(mode="test").secret
    blocks = dict(re.findall(r'<code id="(\w+)">(.*?)</code>', page, re.DOTALL))
    assert all(PLACEHOLDER in block for block in blocks.values())
    return {name: html.unescape(block).replace(PLACEHOLDER, secret) for name, block in blocks.items()}


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class TestTheFirstRequest:
    """curl, Python and JavaScript."""

    def test_has_three_lines_in_each_language(self, lines: dict[str, str]) -> None:
        assert {name: len(text.splitlines()) for name, text in lines.items()} == {
            "curl": 3,
            "python": 3,
            "javascript": 3,
        }

    @pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
    def test_by_curl_shows_the_record(self, lines: dict[str, str]) -> None:
        assert json.loads(run("sh", "-c", lines["curl"]))["data"]["entityId"] == "SB-DE-000123"

    def test_by_python_shows_the_status(self, lines: dict[str, str]) -> None:
        assert run(sys.executable, "-c", lines["python"]) == "Good Standing"

    @pytest.mark.skipif(not shutil.which("node"), reason="needs node")
    def test_by_javascript_shows_the_status(self, lines: dict[str, str]) -> None:
        assert run("node", "--input-type=module", "--eval", lines["javascript"]) == "Good Standing"
