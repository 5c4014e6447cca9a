"""The scraping app: a plain-Python core with a thin Django edge."""

from django.apps import AppConfig


class ScrapersConfig(AppConfig):
    """How a state is read."""

    name = "scrapers"
    verbose_name = "Portals"
