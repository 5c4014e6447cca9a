"""An installation of version 1.3.0 upgrades, and nothing of what it holds is lost or changed."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import call_command

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BEFORE = [("billing", "0004_waiting_events"), ("lookups", "0007_deliveries"), ("scrapers", "0007_attempts_of_a_day")]

pytestmark = pytest.mark.django_db(transaction=True)


class TestAnInstallationOfTheLastVersion:
    """Its rows, after the upgrade."""

    def test_keeps_the_fetches_that_were_under_way_and_those_that_ended(self, before: Any) -> None:
        flight, one = before.get_model("lookups", "Flight"), uuid.uuid4()
        asks = {"state": "NY", "kind": "business_entity", "started_at": NOW, "lease_until": NOW, "pilot": one}
        flight.objects.create(question="open", **asks)
        flight.objects.create(question="ended", landed_at=NOW, landing={"kind": "not_found"}, **asks)
        call_command("migrate", verbosity=0)
        from lookups.models import SharedFetch

        rows = SharedFetch.objects.order_by("question").values_list("question", "leader", "ended_at", "result")
        assert list(rows) == [("ended", one, NOW, {"kind": "not_found"}), ("open", one, None, None)]

    def test_still_signs_with_the_secret_its_customer_has(self, before: Any) -> None:
        account = before.get_model("billing", "Account").objects.create(name="Acme", created_at=NOW)
        secret = before.get_model("lookups", "HookSecret")
        secret.objects.create(account_id=account.pk, salt="salt", made_at=NOW)
        call_command("migrate", verbosity=0)
        from lookups.notifications import webhook_secrets

        assert webhook_secrets.list_secrets(account_id=account.pk, livemode=True, now=NOW) == [
            webhook_secrets._secret(key, account.pk, "salt", True) for key in webhook_secrets._keys()
        ]

    def test_has_the_tables_that_the_code_expects(self) -> None:
        call_command("makemigrations", check=True, dry_run=True, verbosity=0)
