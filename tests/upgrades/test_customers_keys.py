"""An installation whose keys were known by their first characters alone: each has a name afterwards, and works on."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BEFORE = [("billing", "0016_roles")]

pytestmark = pytest.mark.django_db(transaction=True)


class TestAnInstallationWithKeys:
    """Its rows, after the upgrade."""

    def test_has_them_all_with_every_right_and_names_of_their_own(self, before: Any) -> None:
        model = before.get_model("billing", "ApiKey")
        account = before.get_model("billing", "Account").objects.create(name="Acme", created_at=NOW)
        secrets = [f"osd_{letter * 32}" for letter in "abc"]
        old = None
        for secret in secrets:
            hashed = hashlib.sha256(secret.encode()).hexdigest()
            known = {"prefix": secret[:10], "secret_hash": hashed, "created_at": NOW, "replaces": old}
            old = model.objects.create(account=account, name="server", **known)
        call_command("migrate", verbosity=0)
        for secret in secrets:
            told = Client().get("/v1/keys", headers={"x-api-key": secret}).json()["keys"]
            assert {(key["scopes"], tuple(key["allowedNetworks"])) for key in told} == {(None, ())}
            assert len({key["id"] for key in told}) == 3
        assert told[0]["replaces"] == told[1]["id"]
