"""What a browser may load and run: every page says so, and a real browser shows every page within it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from config import content_policy
from tests.sign_in import chromium
from tests.sign_in.pages import list_addresses
from tests.sign_in.people import Browser, make_user, new_address
from tests.sign_in.populated import populate

PUBLIC = ["/", "/states/", "/pricing/", "/topup/done/", "/docs/", "/docs/errors/", "/robots.txt", "/no/such/page"]


def directives(reply: Any) -> dict[str, list[str]]:
    return {words[0]: words[1:] for words in map(str.split, reply[content_policy.HEADER].split(";"))}


class TestEveryPage:
    @pytest.mark.parametrize("path", [*PUBLIC, "/admin/", "/admin/login/", "/admin/no/such/page/", "/openapi.json"])
    def test_has_a_policy_without_scripts_in_the_page_or_from_elsewhere(self, switches: None, path: str) -> None:
        policy = directives(Client().get(path))
        assert policy["default-src"] == ["'none'"]
        assert policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
        scripts = policy.get("script-src", [])
        assert set(scripts) <= {"'self'", *(["'unsafe-eval'"] if path.startswith("/admin/") else [])}
        leads = policy.pop("form-action")  # the prices lead to the card provider's page, wherever that is
        assert leads == (["'self'", "https:"] if path == "/pricing/" else ["'self'"])
        assert not [word for words in policy.values() for word in words if "*" in word or "http" in word]

    def test_of_the_api_is_no_page(self, db: None) -> None:
        assert content_policy.HEADER not in Client().get("/v1/health").headers

    def test_that_hands_out_what_a_portal_sent_keeps_its_own(self, switches: None) -> None:
        browser = Browser()
        browser.sign_in(make_user(is_superuser=True).username)
        populate()
        address = next(address for name, address in list_addresses() if name == "admin:scrapers_attempt_page")
        assert directives(browser.get(address)) == {"default-src": ["'none'"], "sandbox": []}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not chromium.PROGRAM, reason="needs Chromium")
class TestABrowser:
    @pytest.fixture
    def page(self, live_server: Any, transactional_db: None, tmp_path: Path) -> Any:
        """Signed in, in an installation that has something on each page."""
        call_command("sync_jurisdictions", verbosity=0)
        browser = Browser(REMOTE_ADDR=new_address())
        browser.sign_in(make_user(is_superuser=True).username)
        populate()
        with chromium.started(tmp_path) as page:
            cookie = browser.cookies["sessionid"].value
            page.call("Network.setCookie", name="sessionid", value=cookie, url=live_server.url)
            yield page

    def test_refuses_nothing_on_any_page_and_meets_no_error(self, page: chromium.Page, live_server: Any) -> None:
        files = ("jsi18n", "autocomplete", "logout", "search", "page/1", "download", "codes/", "journal")
        pages = [address for _, address in list_addresses() if not any(word in address for word in files)]
        trouble = {}
        for address in [*pages, *PUBLIC]:
            complaints = [one for one in page.show(live_server.url + address) if "status of 40" not in one]
            if complaints:
                trouble[address] = complaints
        assert trouble == {}
        assert len(pages) > 120

    def test_would_say_what_it_refuses(self, page: chromium.Page, live_server: Any) -> None:
        page.show(f"{live_server.url}/admin/")
        page.run("document.body.insertAdjacentHTML('beforeend', '<img src=https://x.test/ onerror=alert(1)>')")
        page.run(
            "{const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)}"
        )
        page.run("new Promise(done => setTimeout(done, 300))")
        assert {one.partition(":")[0] for one in page.run("window.refused")} >= {"img-src", "script-src-elem"}
        assert page.run("window.ran") is None
