"""An installation without ready-made roles, whose keys were known by their first characters: all keep their rights."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from config import roles

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BEFORE = [("billing", "0015_audit")]
SECRETS = [f"osd_{letter * 32}" for letter in "abc"]

pytestmark = pytest.mark.django_db(transaction=True)


def fill(before: Any) -> int:
    """Three keys, each in the place of the one before it, and a group of the operator's own; its number."""
    account = before.get_model("billing", "Account").objects.create(name="Acme", created_at=NOW)
    old = None
    for secret in SECRETS:
        hashed = hashlib.sha256(secret.encode()).hexdigest()
        known = {"prefix": secret[:10], "secret_hash": hashed, "created_at": NOW, "replaces": old}
        old = before.get_model("billing", "ApiKey").objects.create(account=account, name="server", **known)
    group = Group.objects.create(name="finance")
    table, _ = ContentType.objects.get_or_create(app_label="billing", model="account")
    group.permissions.add(Permission.objects.create(codename="view_account", name="see", content_type=table))
    return int(group.pk)


class TestAnInstallationWithKeys:
    """Its rows, after the upgrade."""

    def test_has_them_all_with_every_right_and_names_of_their_own(self, upgraded: int) -> None:
        for secret in SECRETS:
            told = Client().get("/v1/keys", headers={"x-api-key": secret}).json()["keys"]
            assert {(key["scopes"], tuple(key["allowedNetworks"])) for key in told} == {(None, ())}
            assert len({key["id"] for key in told}) == 3
        assert told[0]["replaces"] == told[1]["id"]


class TestAGroupOfTheOperatorsOwn:
    """Called as a role is from now on."""

    def test_keeps_its_rights_under_another_name(self, upgraded: int) -> None:
        own = Group.objects.get(pk=upgraded)
        assert (own.name, own.permissions.count()) == ("finance (own)", 1)
        assert Group.objects.get(name="finance").permissions.count() == len(roles.FINANCE)
