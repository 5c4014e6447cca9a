"""The two judges of pages see what is wrong: a page that is meant to fail does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser import chromium

WRONG = """<!doctype html><html><head><title>Wrong</title></head><body><main><h1>A</h1>
<img src="data:,"><p style="color: #bbb; background: #fff; width: 3000px">Pale and wide</p>
<div><p>Open</div></main></body></html>
"""
RIGHT = """<!doctype html><html lang="en"><head><title>Right</title></head><body><main><h1>A</h1></main></body></html>
"""


@pytest.mark.skipif(not chromium.AXE.exists(), reason="needs npm")
class TestAxe:
    def test_names_what_keeps_people_out(self, browser: Any) -> None:
        page = chromium.person(browser, width=390).new_page()
        page.set_content(WRONG)
        rules = {one.partition(":")[0] for one in chromium.judge(page)}
        assert {"image-alt", "html-has-lang", "color-contrast"} <= rules
        assert chromium.list_overflow(page)

    def test_finds_nothing_in_a_page_that_is_right(self, browser: Any) -> None:
        page = chromium.person(browser, width=390).new_page()
        page.set_content(RIGHT)
        assert chromium.judge(page) == chromium.list_overflow(page) == []


@pytest.mark.parametrize("width", [390, 768])
def test_what_is_wider_than_the_window_is_named_on_a_phone_too(browser: Any, width: int) -> None:
    """A phone makes its window as wide as what is in it, so that nothing is beyond its edge."""
    page = chromium.person(browser, width=width).new_page()
    wrong = WRONG.replace("<head>", '<head><meta name="viewport" content="width=device-width">').replace("3000", "1000")
    page.set_content(wrong)
    measured, *named = chromium.list_overflow(page)
    assert measured.endswith(f" px in {width}")
    assert ["Pale and wide" in one for one in named] == [True]


@pytest.mark.skipif(not chromium.VALIDATOR.exists(), reason="needs npm")
def test_html_validate_names_what_is_no_html(tmp_path: Path) -> None:
    found = chromium.validate({"wrong": WRONG, "right": RIGHT}, tmp_path)
    assert any("no-inline-style" in one for one in found)
    assert any("no-implicit-close" in one for one in found)
    assert not [one for one in found if one.startswith("right:")]
