"""What an installation offers to whoever has no key, before anybody has configured anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

ASKS = """
import django
django.setup()
from billing.payments import checkout, methods
print(checkout.is_open("lookup", secure=True), all(one.is_sandbox for one in methods.list_methods("lookup")))
"""
PRODUCTION = {
    "SECRET_KEY": "production-0123456789-" * 3,
    "ALLOWED_HOSTS": "a.example.com",
    "CONTACT": "ops@example.com",
}


@pytest.mark.slow
class TestAnInstallation:
    """Started with its own settings."""

    @pytest.mark.parametrize(
        ("module", "variables", "offers"),
        [
            ("dev", {}, "True True"),  # pretended payments, which the sandbox registry answers
            ("dev", {"SANDBOX_PAYMENTS": "false"}, "False True"),
            ("prod", PRODUCTION, "False True"),
        ],
    )
    def test_offers_pretended_payments_unless_it_is_production(
        self, tmp_path: Path, module: str, variables: dict[str, str], offers: str
    ) -> None:
        ours = ("DATABASE_URL", "REDIS_URL", "SOS_TEST_VAR", "SANDBOX_PAYMENTS", "TEMPO_RECIPIENT", "TEMPO_RPC_URL")
        surroundings = {name: value for name, value in os.environ.items() if name not in ours}
        surroundings |= {"VAR_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": f"config.settings.{module}", **variables}
        run = subprocess.run(
            [sys.executable, "-c", ASKS],
            cwd=settings.BASE_DIR,
            env=surroundings,
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == offers
