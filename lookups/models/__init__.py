"""The tables of what was asked and what was answered."""

from lookups.models.answers import StoredAnswer
from lookups.models.bulk import BulkJob
from lookups.models.deliveries import Delivery, DeliveryAttempt, WebhookAddress
from lookups.models.entities import Entity, FilingSet, FormerSlug, RecordVersion
from lookups.models.heartbeats import Heartbeat
from lookups.models.idempotency import IdempotencyRecord
from lookups.models.jobs import Job
from lookups.models.lookups import Lookup
from lookups.models.privacy import RemovalRequest, Suppression
from lookups.models.shared_fetches import SharedFetch
from lookups.models.webhooks import WebhookSecret

__all__ = [
    "BulkJob",
    "Delivery",
    "DeliveryAttempt",
    "Entity",
    "FilingSet",
    "FormerSlug",
    "Heartbeat",
    "IdempotencyRecord",
    "Job",
    "Lookup",
    "RecordVersion",
    "RemovalRequest",
    "SharedFetch",
    "StoredAnswer",
    "Suppression",
    "WebhookAddress",
    "WebhookSecret",
]
