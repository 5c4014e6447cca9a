"""The tables of what was asked and what was answered."""

from lookups.models.answers import StoredAnswer, StoredEntity
from lookups.models.asked import Lookup
from lookups.models.bulk import BulkJob, BulkRow
from lookups.models.deliveries import Delivery, DeliveryAttempt, WebhookAddress
from lookups.models.flights import Flight
from lookups.models.idempotency import IdempotencyRecord
from lookups.models.jobs import Job
from lookups.models.webhooks import HookSecret

__all__ = [
    "BulkJob",
    "BulkRow",
    "Delivery",
    "DeliveryAttempt",
    "Flight",
    "HookSecret",
    "IdempotencyRecord",
    "Job",
    "Lookup",
    "StoredAnswer",
    "StoredEntity",
    "WebhookAddress",
]
