"""The tables of what was asked and what was answered."""

from lookups.models.answers import StoredAnswer
from lookups.models.bulk import BulkDraft, BulkJob, RowAnswer
from lookups.models.deliveries import Delivery, DeliveryAttempt, WebhookAddress, WebhookSecret
from lookups.models.entities import Entity, FilingSet, FormerSlug, Identifiers, RecordVersion
from lookups.models.evidence import ChainEntry, ChainHead, ChainTip, Manifest, SigningKey
from lookups.models.heartbeats import Heartbeat
from lookups.models.idempotency import IdempotencyRecord
from lookups.models.jobs import Job
from lookups.models.lookups import DayCount, Lookup, UsageSum
from lookups.models.privacy import RemovalRequest, Suppression
from lookups.models.shared_fetches import SharedFetch
from lookups.models.watching.events import WatchEvent
from lookups.models.watching.watches import Watch, WatchBaseline, WatchCheck

__all__ = [
    "BulkDraft",
    "BulkJob",
    "ChainEntry",
    "ChainHead",
    "ChainTip",
    "DayCount",
    "Delivery",
    "DeliveryAttempt",
    "Entity",
    "FilingSet",
    "FormerSlug",
    "Heartbeat",
    "IdempotencyRecord",
    "Identifiers",
    "Job",
    "Lookup",
    "Manifest",
    "RecordVersion",
    "RemovalRequest",
    "RowAnswer",
    "SharedFetch",
    "SigningKey",
    "StoredAnswer",
    "Suppression",
    "UsageSum",
    "Watch",
    "WatchBaseline",
    "WatchCheck",
    "WatchEvent",
    "WebhookAddress",
    "WebhookSecret",
]
