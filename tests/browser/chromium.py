"""A Chromium without a window, and what it, axe and html-validate have to say of a page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

PATIENCE = 120_000  # ms: a page comes late on a busy machine
PROGRAM = shutil.which("chromium") or shutil.which("google-chrome")
# Chromium makes two pages of its address bar anew for each window, and a process for whatever comes next, which is a
# third of what our stories cost. It obeys the last such option alone: what playwright switches off stands here again
_WITHOUT = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay"),
    *("HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"),
    *("AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"),
    *("PreconnectToSearch",),
)
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--disable-features={','.join(_WITHOUT)}"]
WIDTHS = (390, 768, 1440)
COLORS = ("light", "dark")
NODE = Path(__file__).parents[2] / ".venv/node/node_modules"
AXE = NODE / "axe-core/axe.min.js"
VALIDATOR = NODE / ".bin/html-validate"
RULES = Path(__file__).parent / "html-validate.json"
# Chromium shows these for what a page is meant to answer with, and for the icon of an error
EXPECTED = ("Failed to load resource: the server responded with a status of 4",)


@contextmanager
def started() -> Iterator[Browser]:
    """A browser; playwright's loop runs in this thread, beside which Django would refuse to ask its database."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=OPTIONS)
        try:
            yield browser
        finally:
            browser.close()
            del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@contextmanager
def with_large_letters(browser: Browser) -> Iterator[Browser]:
    """The browser of somebody who has set its letters to twice their size."""
    options = [*OPTIONS, "--blink-settings=defaultFontSize=32"]
    large = browser.browser_type.launch(executable_path=PROGRAM, args=options)
    try:
        yield large
    finally:
        large.close()


def person(browser: Browser, *, width: int = 1440, color: str = "light", script: bool = True) -> BrowserContext:
    """Somebody with a window of this width, who prefers light or dark, with or without script; signed in nowhere."""
    size = {"width": width, "height": 900}
    context = browser.new_context(
        viewport=size,  # type: ignore[arg-type]
        color_scheme=color,  # type: ignore[arg-type]
        java_script_enabled=script,
        has_touch=width < 720,
        is_mobile=width < 720,
        reduced_motion="reduce",
        bypass_csp=False,
    )
    context.set_default_timeout(PATIENCE)
    return context


def enter(browser: Browser, member: Any, url: str, **more: Any) -> Page:
    """A page of a member who is signed in at `url`; `member` is Django's client, `more` as for a person."""
    context = person(browser, **more)
    token = member.cookies[settings.WORKSPACE_COOKIE_NAME].value
    context.add_cookies([{"name": settings.WORKSPACE_COOKIE_NAME, "value": token, "url": url}])
    return context.new_page()


REFUSED = """
window.refused = [];
document.addEventListener("securitypolicyviolation", event => window.refused.push(event.effectiveDirective));
"""


def try_script(page: Page) -> None:
    """Put a script and a picture from elsewhere into the page, as scraped text might: the policy refuses both."""
    page.evaluate(REFUSED)
    page.evaluate(
        """() => {
          document.body.insertAdjacentHTML('beforeend', '<img src=https://x.test/ onerror=alert(1)>');
          const script = document.createElement('script');
          script.textContent = 'window.ran = 1';
          document.body.append(script);
        }"""
    )
    until = time.monotonic() + 60  # `wait_for_function` would be refused as well
    while not page.evaluate("refused.includes('img-src') && refused.includes('script-src-elem')"):
        assert time.monotonic() < until, page.evaluate("refused")
        time.sleep(0.05)
    assert page.evaluate("window.ran") is None


def listen(page: Page) -> list[str]:
    """What the browser complains of on this page from now on: refused by the policy, failed, or not found."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda line: complaints.append(line.text) if line.type == "error" and not _is_expected(line.text) else None,
    )
    return complaints


def _is_expected(text: str) -> bool:
    return text.startswith(EXPECTED)


@cache
def _axe() -> str:
    return AXE.read_text()


def judge(page: Page) -> list[str]:
    """What axe finds wrong with the page as it is shown: the rule, and the first elements that break it.

    Nothing where npm could not install it: all else that a story sees is seen without it.
    """
    if not AXE.exists():
        return []
    page.evaluate(_axe())  # by the debugger, past the page's policy, which stays as it is
    run = "axe.run(document, {resultTypes: ['violations']}).then(all => all.violations)"
    found: list[dict[str, Any]] = page.evaluate(run)
    return [f"{one['id']}: {[node['html'][:160] for node in one['nodes'][:3]]}" for one in found]


def list_overflow(page: Page) -> list[str]:
    """What is wider than the window, so that the whole page moves sideways."""
    return page.evaluate(
        """() => {
          const {scrollWidth, clientWidth} = document.documentElement
          return scrollWidth <= clientWidth ? [] : [`${scrollWidth} px in ${clientWidth}`,
            ...[...document.querySelectorAll('body *:not(pre *, .scroll *)')]
            .filter(one => one.getBoundingClientRect().right > clientWidth + 1)
            .slice(0, 5).map(one => one.outerHTML.slice(0, 120))]
        }"""
    )


def validate(documents: dict[str, str], folder: Path, *, allowed: Collection[str] = ()) -> list[str]:
    """What html-validate finds in these documents, by name; all of them in one call, for it takes a second to start."""
    rules = folder / "rules.json"
    rules.write_text(json.dumps({"extends": [str(RULES)], "rules": dict.fromkeys(allowed, "off")}))
    for name, text in documents.items():
        (folder / f"{name}.html").write_text(text)
    command = [str(VALIDATOR), "--config", str(rules), "--formatter", "json", str(folder)]
    said = folder / "found.json"  # node leaves before a pipe has taken what is long
    with said.open("w") as file:
        ended = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, text=True, timeout=300)
    found = json.loads(said.read_text() or "[]")
    assert said.stat().st_size or ended.returncode == 0, ended.stderr
    return [
        f"{Path(file['filePath']).stem}:{line['line']} {line['ruleId']}: {line['message']}"
        for file in found
        for line in file["messages"]
    ]
