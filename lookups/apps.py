"""The customer's side of the service; asks scrapers for records and billing for money."""

from django.apps import AppConfig


class LookupsConfig(AppConfig):
    """Lookups, stored records and their entity pages."""

    name = "lookups"
    verbose_name = "Lookups"

    def ready(self) -> None:
        """Have the ledger compared with what was sold."""
        from billing.accounting.reconciling import findings
        from lookups.reconciling import charges

        findings.add_check(charges.NAMES, charges.compare)
