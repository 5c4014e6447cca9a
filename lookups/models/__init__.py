"""The tables of what was asked and what was answered."""

from lookups.models.answers import StoredAnswer, StoredEntity
from lookups.models.bulk import BulkJob, BulkRow
from lookups.models.deliveries import Delivery, DeliveryAttempt, WebhookAddress
from lookups.models.idempotency import IdempotencyRecord
from lookups.models.jobs import Job
from lookups.models.lookups import Lookup
from lookups.models.shared_fetches import SharedFetch
from lookups.models.webhooks import WebhookSecret

__all__ = [
    "BulkJob",
    "BulkRow",
    "Delivery",
    "DeliveryAttempt",
    "IdempotencyRecord",
    "Job",
    "Lookup",
    "SharedFetch",
    "StoredAnswer",
    "StoredEntity",
    "WebhookAddress",
    "WebhookSecret",
]
