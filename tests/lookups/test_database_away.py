"""A database that is stopped, frozen, full or open for reading alone is told as that: come again, nothing is lost.

As is a store of evidence that takes no page.
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, InterfaceError, InternalError, OperationalError
from django.test import Client

from config.evidence import evidence_storage
from lookups.evidence import manifests
from lookups.evidence.signing import Signed
from lookups.models import Lookup
from scrapers.evidence import bodies
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db


def read_only() -> DatabaseError:
    """As Django hands on what PostgreSQL says to a write where nobody may write."""
    error = InternalError("cannot execute INSERT in a read-only transaction")
    error.__cause__ = psycopg.errors.ReadOnlySqlTransaction()
    return error


def stop(monkeypatch: pytest.MonkeyPatch, place: str, error: Exception) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(place, fail)


AWAY = [
    OperationalError("the connection is lost"),
    OperationalError("database is locked"),
    OperationalError("could not extend file: No space left on device"),
    InterfaceError("the connection is closed"),
    read_only(),
]


class TestACallerOfTheApi:
    """POST /v1/lookup."""

    @pytest.mark.parametrize("error", AWAY, ids=str)
    @pytest.mark.parametrize("place", ["lookups.api.views.lookup.perform", "billing.keys.verify"])
    def test_gets_503_and_when_to_come_again(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch, error: Exception, place: str
    ) -> None:
        stop(monkeypatch, place, error)
        reply = customer.lookup()
        body = reply.json()
        assert (reply.status_code, reply["Retry-After"], reply["Content-Type"]) == (503, "15", "application/json")
        assert (body["success"], body["retryable"], body["cost"]) == (False, True, 0)
        assert body["requestId"] == reply["X-Request-Id"]

    def test_gets_500_for_a_fault_of_ours_as_before(self, customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        stop(monkeypatch, "lookups.api.views.lookup.perform", InternalError("something else"))
        assert customer.lookup().status_code == 500


class TestACallerWhosePagesCannotBeKept:
    """The folder of evidence lies on a full disk: the long pages of a registry are files there."""

    def test_gets_503_pays_nothing_and_is_answered_once_there_is_room(
        self,
        customer: Customer,
        register: Register,
        settings: Any,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(bodies, "SMALL", 0)  # every page is a long one
        settings.STORAGES = settings.STORAGES | {"evidence": evidence_storage("", folder=tmp_path)}
        before = customer.balance
        with monkeypatch.context() as disk:
            stop(disk, "scrapers.evidence.bodies.os.fsync", OSError(errno.ENOSPC, "No space left on device"))
            reply = customer.lookup()
        body = reply.json()
        assert (reply.status_code, reply["Retry-After"]) == (503, "15")
        assert (body["success"], body["retryable"], body["cost"]) == (False, True, 0)
        assert customer.balance == before
        assert customer.lookup().status_code == 200
        assert customer.balance != before


class TestACallerWhoseAnswerCannotBeKept:
    """The registry has answered, and the database is lost while that is written."""

    def test_gets_503_and_the_lookup_that_failed_has_nothing_of_the_answer(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def lose(signed: Signed | None, lookup: Lookup) -> None:
            if signed is not None:
                raise OperationalError("the connection is lost")

        with monkeypatch.context() as database:
            database.setattr(manifests, "keep", lose)
            assert customer.lookup().status_code == 503
        failed = Lookup.objects.get()
        assert (failed.verdict, failed.reason, failed.cost, customer.balance.held) == ("failed", "internal_error", 0, 0)
        assert (failed.version, failed.match, failed.evidence, failed.reading) == (None, None, None, None)
        assert (failed.data_as_of, failed.reader_version, failed.balance_after) == (None, "", None)
        assert customer.lookup().status_code == 200
        assert customer.balance.spent == PRICE


class TestAReaderOfPages:
    """With a browser."""

    @pytest.mark.parametrize("error", AWAY, ids=str)
    def test_gets_a_page_that_says_so(self, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
        stop(monkeypatch, "lookups.pages.home.coverage.selectors.list_states", error)
        page = Client(raise_request_exception=False).get("/states/")
        assert (page.status_code, page["Retry-After"]) == (503, "15")
        assert "The database, or the store of evidence, does not answer" in page.content.decode()
