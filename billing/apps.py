"""Makes `billing` a Django app."""

from django.apps import AppConfig


class BillingConfig(AppConfig):
    """What is owed."""

    name = "billing"
    verbose_name = "Billing"
