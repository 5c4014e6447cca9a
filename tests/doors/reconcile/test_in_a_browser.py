"""A page on another host asks the service from a browser, as OpenRefine does; the guide's pictures are taken of it.

    WRITE_PICTURES=1 .venv/bin/python -m pytest -n 0 tests/doors/reconcile/test_in_a_browser.py

takes them again; without that variable the page is played and no file is written.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db.models.functions import Now
from django.utils import timezone
from PIL import Image

from billing import keys
from lookups.bulk import queue
from lookups.models import Heartbeat
from lookups.pages.docs import contents
from lookups.reconcile import asking
from tests.browser import chromium
from tests.browser.fixtures import browser  # noqa: F401  (used by pytest)
from tests.lookups.conftest import Customer
from tests.serving import in_background

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
PICTURES = contents.ROOT / "lookups" / "static" / "lookups" / "reconcile"
NAMES = ("manifest", "candidates", "preview", "columns")
WIDTH, HEIGHT, MOST = 1020, 680, 100_000  # of the window; bytes of a picture


class Quiet(SimpleHTTPRequestHandler):
    """Serves the page's files."""

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The page's own host."""
    folder = Path(__file__).parent / "page"
    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))) as server:
        yield f"http://127.0.0.1:{server.server_port}/"


@pytest.fixture
def service(live_server: Any, tester: Customer, monkeypatch: pytest.MonkeyPatch) -> str:
    """An address with a key for it; while a batch waits, the bulk worker does its work."""

    def work(_: float) -> None:
        Heartbeat.objects.update(beat_at=Now())
        queue.work(now=timezone.now())

    monkeypatch.setattr(asking, "time", SimpleNamespace(sleep=work))
    account, now = tester.key.account, timezone.now()
    _, secret = keys.issue(account=account, name="suppliers", mode="test", scopes=["reconcile"], now=now)
    return f"{live_server.url}/reconcile/{secret}/"


@pytest.fixture
def page(browser: Any, elsewhere: str, service: str) -> Iterator[Any]:  # noqa: F811
    """The page, open at its first step."""
    from tests.browser.chromium import PATIENCE  # takes a while to import

    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=2)
    context.set_default_timeout(PATIENCE)
    opened = context.new_page()
    shown = "https://sos.example.com/reconcile/osd_…/"
    opened.goto(f"{elsewhere}?{urlencode({'service': service, 'shown': shown})}")
    yield opened
    context.close()


@pytest.fixture
def picture(page: Any) -> Callable[[str], None]:
    """Takes one for the guide, where that is wanted."""

    def take(name: str) -> None:
        if not os.environ.get("WRITE_PICTURES"):
            return
        PICTURES.mkdir(exist_ok=True)
        taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(64)
        taken.save(PICTURES / f"{name}.png", optimize=True)

    return take


class TestAPage:
    """On another host."""

    def test_reads_reconciles_previews_and_adds_columns(self, page: Any, picture: Callable[[str], None]) -> None:
        complaints = chromium.listen(page)
        page.click("#add")
        page.wait_for_selector("dd:has-text('Registered agent')")
        assert "0.2" in page.inner_text("#manifest")
        picture("manifest")

        page.evaluate("show('rows'); write()")
        page.click("#reconcile")
        page.wait_for_selector(".chosen")
        assert page.inner_text("#progress") == "2 of 5 rows reconciled"
        assert page.locator("td button").count() == 3
        assert page.locator("td .none >> text='no candidate'").count() == 1
        picture("candidates")

        for _ in range(2):
            page.locator("td button").first.click()
        assert page.inner_text("#progress") == "4 of 5 rows reconciled"
        page.locator(".chosen").first.click()
        inside = page.frame_locator("iframe")
        inside.locator("dt:has-text('Registered agent')").wait_for()
        assert inside.locator("h1").inner_text() == "BLUE HERON LOGISTICS LLC"
        assert "2011-03-14" in inside.locator("dd").all_inner_texts()
        picture("preview")

        page.evaluate("show('columns'); offer()")
        page.wait_for_selector("#offered :checked")
        page.click("#extend")
        page.wait_for_selector("#columns td")
        assert page.locator("#columns tbody tr").count() == 4
        assert "HARBOR AGENTS INC." in page.inner_text("#columns tbody")
        picture("columns")
        assert complaints == []


class TestThePictures:
    """Of the guide."""

    def test_are_there_small_and_of_one_form(self) -> None:
        if os.environ.get("WRITE_PICTURES"):
            pytest.skip("they are being taken")
        assert {path.stem for path in PICTURES.iterdir()} == set(NAMES)
        for name in NAMES:
            path = PICTURES / f"{name}.png"
            assert path.stat().st_size < MOST, name
            with Image.open(path) as taken:
                assert taken.size == (2 * WIDTH, 2 * HEIGHT), name
            assert f"lookups/reconcile/{name}.png)" in contents.by_slug()["reconcile"].path.read_text(encoding="utf-8")
