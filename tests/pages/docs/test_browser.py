"""The documentation in a browser: the language of examples and the search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import chromium
from tests.browser.fixtures import browser  # noqa: F401  (used by pytest)

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:  # noqa: F811
    """A reader at a desk."""
    context = chromium.person(browser)
    yield context.new_page()
    context.close()


def shown(page: Any) -> set[str]:
    """The languages of the examples that can be seen."""
    return set(
        page.eval_on_selector_all(
            ".sample", "all => all.filter(one => one.offsetParent).map(one => one.dataset.language)"
        )
    )


class TestAReader:
    """With a browser."""

    def test_chooses_the_language_once(self, page: Any, live_server: Any) -> None:
        page.goto(f"{live_server.url}/docs/guides/quick-start/")
        assert shown(page) == {"sh"}
        page.check("#language-python")
        assert shown(page) == {"python"}
        page.goto(f"{live_server.url}/docs/reference/lookup/")
        assert shown(page) == {"python"}
        assert page.is_checked("#language-python")

    def test_chooses_without_a_script_too(self, browser: Any, live_server: Any) -> None:  # noqa: F811
        context = chromium.person(browser, script=False)
        page = context.new_page()
        page.goto(f"{live_server.url}/docs/reference/lookup/")
        seen = page.locator(".docs-code > .samples > .sample")
        assert [seen.nth(at).is_visible() for at in range(3)] == [True, False, False]
        page.check("#language-js")
        assert [seen.nth(at).is_visible() for at in range(3)] == [False, False, True]
        context.close()

    def test_finds_while_writing(self, page: Any, live_server: Any) -> None:
        page.goto(f"{live_server.url}/docs/search/")
        page.keyboard.press("/")
        page.keyboard.type("ambiguous")
        page.wait_for_url("**/docs/search/?q=ambiguous")  # "amb" found the same before
        page.wait_for_selector('.hits a[href="/docs/errors/#ambiguous_name"]')

    def test_is_shown_what_was_asked_last_though_an_earlier_answer_is_late(self, page: Any, live_server: Any) -> None:
        held = []
        page.route("**/docs/search/?q=evidence", lambda route: held.append(route))
        page.goto(f"{live_server.url}/docs/search/")
        with page.expect_request("**/docs/search/?q=evidence"):
            page.fill("#docs-q", "evidence")
        page.fill("#docs-q", "ambiguous")
        page.wait_for_url("**/docs/search/?q=ambiguous")
        with page.expect_request_finished(lambda one: one.url.endswith("=evidence")):
            held[0].continue_()
        page.evaluate("new Promise(done => setTimeout(done))")  # whoever waited for it goes before
        assert page.url.endswith("?q=ambiguous")
        page.wait_for_selector('.hits a[href="/docs/errors/#ambiguous_name"]')

    def test_finds_without_a_script(self, browser: Any, live_server: Any) -> None:  # noqa: F811
        context = chromium.person(browser, script=False)
        page = context.new_page()
        page.goto(f"{live_server.url}/docs/")
        page.fill("#docs-q", "ambiguous")
        page.press("#docs-q", "Enter")
        page.click('.hits a[href="/docs/errors/#ambiguous_name"]')
        assert page.url.endswith("/docs/errors/#ambiguous_name")
        context.close()
