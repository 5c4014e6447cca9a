"""The fictional registry behind test keys: every jurisdiction, no network, the same answers every time."""

from scrapers.sandbox.magic import DEMO_QUESTION, MAGIC

__all__ = ["DEMO_QUESTION", "MAGIC"]
