"""Nothing in the admin is written by looking at it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from billing.models import AuditEvent
from tests.admin_lists import list_admins
from tests.sign_in.pages import list_addresses
from tests.sign_in.people import Browser, make_user
from tests.sign_in.populated import populate

WRITES = re.compile(r'\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|REPLACE\s+INTO|TRUNCATE)\s+"?(\w+)', re.IGNORECASE)
# What a look may leave behind: that the session was used, and that evidence was seen.
ALLOWED = {"django_session", "billing_auditevent", "billing_audithead"}


class Written(Exception):
    """Something was written."""


@contextmanager
def only_reading() -> Iterator[None]:
    def guard(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if written := set(WRITES.findall(sql)) - ALLOWED - {"OF", "SKIP"}:
            raise Written(f"{written}: {sql[:200]}")
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(guard):
        yield


@pytest.fixture
def root(switches: None) -> Browser:
    """A superuser, who reaches every page, in an installation that has something on each."""
    browser = Browser()
    browser.sign_in(make_user(is_superuser=True).username)
    populate()
    return browser


class TestEveryPage:
    def test_is_read_without_writing(self, root: Browser) -> None:
        addresses = list_addresses()
        assert len(addresses) > 130
        named = {name for name, _ in addresses}
        for model in list_admins():
            assert f"admin:{model._meta.app_label}_{model._meta.model_name}_change" in named
        answers = {}
        with only_reading():
            for name, address in addresses:
                if "logout" not in name:
                    answers[name] = root.get(address).status_code
        strange = {name: status for name, status in answers.items() if status not in (200, 302, 403, 404, 405)}
        assert strange == {}
        assert sum(status == 200 for status in answers.values()) > 90

    def test_that_ends_a_session_asks_first(self, root: Browser) -> None:
        with only_reading():
            assert root.get("/admin/logout/").status_code == 200
        assert root.get("/admin/").status_code == 200

    def test_that_shows_evidence_leaves_a_line_about_who_saw_it(self, root: Browser) -> None:
        for name, address in list_addresses():
            if "scrapeattempt_change" in name or "attempt_page" in name:
                assert root.get(address).status_code == 200
                event = AuditEvent.objects.first()
                assert event is not None
                assert (event.kind, event.subject) == ("evidence_seen", address) or name.endswith("changelist")
        assert AuditEvent.objects.filter(kind="evidence_seen").count() == 2

    def test_would_be_caught_writing(self, root: Browser) -> None:
        with only_reading(), pytest.raises(Written):
            make_user()
