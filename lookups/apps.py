"""The customer's side of the service; asks scrapers for records and billing for money."""

from django.apps import AppConfig


class LookupsConfig(AppConfig):
    """Lookups, stored records and their entity pages."""

    name = "lookups"
    verbose_name = "Lookups"
