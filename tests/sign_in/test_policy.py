"""What a browser may load and run: every page says so; `tests/browser` shows every page within it in a real one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from config import content_policy
from tests.sign_in.pages import list_addresses
from tests.sign_in.people import Browser, make_user
from tests.sign_in.populated import populate

PUBLIC = [
    "/",
    "/states/",
    "/try/?name=Magic+Portal+Down+LLC&state=OH",
    "/pricing/",
    "/terms/",
    "/contact/",
    "/topup/done/",
    "/docs/",
    "/docs/errors/",
    "/docs/reference/lookup/",
    "/docs/search/",
    "/docs/swagger/",
    "/verify/",
    "/robots.txt",
    "/no/such/page",
]


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
        assert policy.pop("form-action") == ["'self'"]
        assert not [word for words in policy.values() for word in words if "*" in word or "http" in word]

    def test_runs_scripts_and_no_document_for_operators_denies_it(self, switches: None) -> None:
        """Whoever adds a policy at the proxy goes by what is written."""
        assert b"<script src=" in Client().get("/").content
        for name in ("runbook", "asvs", "threat-model"):
            text = (settings.BASE_DIR / "docs" / f"{name}.md").read_text().lower()
            assert not re.search(r"pages run no script|no page has a script|no script of ours writes", text), name

    def test_of_the_api_is_no_page(self, db: None) -> None:
        assert content_policy.HEADER not in Client().get("/v1/health").headers

    def test_that_hands_out_what_a_portal_sent_keeps_its_own(self, switches: None) -> None:
        browser = Browser()
        browser.sign_in(make_user(is_superuser=True).username)
        populate()
        address = next(address for name, address in list_addresses() if name == "admin:scrapers_attempt_page")
        assert directives(browser.get(address)) == {"default-src": ["'none'"], "sandbox": []}
