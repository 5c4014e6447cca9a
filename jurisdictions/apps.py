"""The bottom layer: imports nobody."""

from django.apps import AppConfig


class JurisdictionsConfig(AppConfig):
    """States, districts and territories."""

    name = "jurisdictions"
    verbose_name = "Jurisdictions"
