"""Look at pages of a running service: a picture of each at every width and in both colors, and what is wrong with it.

    python -m tests.browser.look URL... [--out FOLDER] [--cookie NAME=VALUE] [--no-script] [--widths 390,1440]

Prints what the browser, axe and html-validate find, and where the pictures are.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.browser import chromium


def main() -> int:
    """Take the pictures; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urls", nargs="+")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "pictures")
    parser.add_argument("--cookie", action="append", default=[])
    parser.add_argument("--no-script", action="store_true")
    parser.add_argument("--widths", default=",".join(map(str, chromium.WIDTHS)))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    documents: dict[str, str] = {}
    found: list[str] = []
    with chromium.started() as browser:
        for width in map(int, given.widths.split(",")):
            for color in chromium.COLORS:
                context = chromium.person(browser, width=width, color=color, script=not given.no_script)
                for url in given.urls:
                    found += _look(context, url, f"{width}-{color}", given, documents)
                context.close()
    if chromium.VALIDATOR.exists():
        with tempfile.TemporaryDirectory() as folder:
            found += chromium.validate(documents, Path(folder))
    sys.stdout.write("\n".join([*found, f"pictures: {given.out}", ""]))
    return 1 if found else 0


def _look(context: Any, url: str, how: str, given: argparse.Namespace, documents: dict[str, str]) -> Iterator[str]:
    """Take one picture; what is wrong there."""
    place = urlsplit(url)
    for name, _, value in (cookie.partition("=") for cookie in given.cookie):
        context.add_cookies([{"name": name, "value": value, "url": f"{place.scheme}://{place.netloc}"}])
    page = context.new_page()
    complaints = chromium.listen(page)
    reply = page.goto(url, wait_until="networkidle")
    name = re.sub(r"\W+", "-", f"{place.path} {place.query}").strip("-") or "home"
    page.screenshot(path=given.out / f"{name}-{how}.png", full_page=True)
    wrong = complaints + [f"overflow: {one}" for one in chromium.list_overflow(page)]
    wrong += [] if given.no_script else chromium.judge(page)
    documents[name] = reply.text() if reply is not None else ""
    page.close()
    yield from (f"{name} {how}: {one}" for one in wrong)


if __name__ == "__main__":
    raise SystemExit(main())
