"""Create the switch of every jurisdiction that has none yet; switches that operators set are left alone."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from jurisdictions import services
from scrapers import discovery


class Command(BaseCommand):
    """`manage.py sync_jurisdictions`: run after each migrate; safe to repeat."""

    help = "Create the switch of every jurisdiction that has none yet; those that operators set are left alone."

    def handle(self, *args: Any, **options: Any) -> None:
        defaults = {
            portal.code: services.Default(enabled=portal.on_by_default, reason=portal.off_reason)
            for portal in discovery.list_portals()
        }
        created = services.seed(defaults=defaults)
        if options["verbosity"]:
            self.stdout.write(f"{created} jurisdictions created.")
