"""The operators' view of lookups: one room for each thing they look after."""

from lookups.admin import answers, deliveries, jobs

__all__ = ["answers", "deliveries", "jobs"]
