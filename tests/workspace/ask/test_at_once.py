"""One form sent twice at the same moment, and answers that take longer than a person waits at a form."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from billing import selectors
from lookups.lookup import handover
from lookups.models import IdempotencyRecord, Lookup
from lookups.workspace.ask import asking
from tests.lookups.conftest import PRICE, answers_when
from tests.lookups.conftest import at_once as at_once
from tests.lookups.conftest import register as register
from tests.lookups.registry_server import Register
from tests.workspace.conftest import Browser, open_office

pytestmark = pytest.mark.django_db(transaction=True)
WORD = "0" * 31 + "1"


@pytest.fixture(autouse=True)
def hurry(register: Register, monkeypatch: pytest.MonkeyPatch, no_workers: None) -> Iterator[threading.Event]:
    """Nobody waits at a form for more than a moment; at the end every thread has come home."""
    monkeypatch.setattr(asking, "PATIENCE", timedelta(seconds=0.3))
    pool = ThreadPoolExecutor(8)
    monkeypatch.setattr(handover, "_pool", lambda _: pool)
    register.may_go = threading.Event()
    yield register.may_go
    register.may_go.set()
    pool.shutdown(wait=True)


@pytest.fixture
def office(switches: None) -> Browser:
    return open_office()


def send(browser: Browser, word: str = WORD) -> Any:
    """The form, from a tab of its own."""
    tab = Browser(browser.member)
    return tab.post("/app/", {"name": "Acme Corp", "state": "NY", "kind": "company", "word": word})


def answer(browser: Browser) -> Lookup:
    """The lookup, once it has ended."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        [lookup] = Lookup.objects.all()
        if lookup.verdict is not None:
            return lookup
        time.sleep(0.02)
    raise AssertionError("It has not ended.")


class TestAForm:
    """/app/."""

    def test_sent_twice_at_once_is_one_question_and_is_paid_once(
        self, office: Browser, register: Register, at_once: Callable[..., list[Any]]
    ) -> None:
        both_came = answers_when(register, lambda: Lookup.objects.exists())
        first, second, _ = at_once(lambda: send(office), lambda: send(office), both_came)
        lookup = answer(office)
        page = f"/app/lookups/{lookup.public_id}/"
        record = IdempotencyRecord.objects.get()
        places = {first["Location"], second["Location"]}
        assert page in places
        assert places <= {page, f"/app/asked/{record.key}/"}
        assert office.get(f"/app/asked/{record.key}/")["Location"] == page
        assert selectors.get_balance(office.account.pk).spent == PRICE

    def test_of_two_tabs_at_once_is_one_question_within_five_minutes(
        self, office: Browser, register: Register, at_once: Callable[..., list[Any]]
    ) -> None:
        asked = answers_when(register, lambda: Lookup.objects.exists())
        first, second, _ = at_once(lambda: send(office), lambda: send(office, "0" * 31 + "2"), asked)
        assert first["Location"] == second["Location"] == f"/app/lookups/{answer(office).public_id}/"
        assert selectors.get_balance(office.account.pk).spent == PRICE


class TestASlowAnswer:
    """What takes longer than a person waits."""

    def test_has_its_page_at_once_and_is_there_when_the_registry_answers(
        self, office: Browser, register: Register, hurry: threading.Event
    ) -> None:
        reply = send(office)  # the registry does not answer before `hurry`
        page = office.get(reply["Location"]).content.decode()
        assert "Asking New York…" in page
        assert selectors.get_balance(office.account.pk).spent == 0
        hurry.set()
        assert answer(office).verdict == "found"
        assert office.get(f"{reply['Location']}progress/").status_code == 204
        assert "ACME CORP." in office.get(reply["Location"]).content.decode()
        assert selectors.get_balance(office.account.pk).spent == PRICE

    def test_beyond_the_places_of_the_team_is_not_taken_on(
        self, office: Browser, register: Register, settings: Any
    ) -> None:
        settings.CONCURRENT_LOOKUPS = 1
        assert send(office).status_code == 303
        tab = Browser(office.member)
        reply = tab.post("/app/", {"name": "Zebra Inc", "state": "NY", "kind": "company", "word": WORD})
        assert (reply.status_code, reply["Retry-After"]) == (429, "1")
        assert "as many as it may" in reply.content.decode()
        assert Lookup.objects.count() == 1
