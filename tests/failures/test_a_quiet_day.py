"""Before the storms: the same customers and the same accountant when nothing fails."""

from __future__ import annotations

import pytest

from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("failures")]


class TestAQuietDay:
    """Nothing fails."""

    def test_every_lookup_is_answered_and_paid_for_once(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        calls = customer.ask(customer.questions(12))
        customer.ask_bulk(customer.questions(12), twice=3)
        assert {call.status for call in calls} <= {200, 202, 404}
        assert settled(customer).found == 20
