"""The operators' view of lookups: one room for each thing they look after."""

from lookups.admin import answers, deliveries, jobs, privacy, questions, watches

__all__ = ["answers", "deliveries", "jobs", "privacy", "questions", "watches"]
