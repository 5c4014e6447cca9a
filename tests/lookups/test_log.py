"""What an operator finds in the log: what broke here, not buried under every registry that was down."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lookups.conftest import Customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db


def errors(caplog: pytest.LogCaptureFixture) -> list[Any]:
    return [record for record in caplog.records if record.name == "django.request"]


class TestTheLog:
    """Of requests."""

    def test_is_silent_about_a_registry_that_is_down(
        self, customer: Customer, register: Register, caplog: pytest.LogCaptureFixture
    ) -> None:
        register.status = 403
        assert customer.lookup().status_code == 503
        assert errors(caplog) == []

    def test_tells_of_a_crash_with_its_place(
        self, customer: Customer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("lookups.api.views.lookup.perform", lambda **_: 1 / 0)
        reply = customer.lookup()
        assert (reply.status_code, reply.json()["code"]) == (500, "internal_error")
        [told] = errors(caplog)
        assert told.exc_info[0] is ZeroDivisionError
