"""The closed lists of words on the wire. Each is one component of the document, so a generated client has one class."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from lookups.verdicts import Breakdown
from lookups.verdicts import Verdict as Outcome
from lookups.watches.taxonomy import CODES as WATCHED
from scrapers.failures import list_unanswered
from scrapers.portal import CanaryKind as CanaryKind
from scrapers.portal import ContactResult as ContactResult
from scrapers.refusals import Refusal

CODES = {
    "invalid_request": "The request is not valid; `details` says where.",
    "unsupported_state": "There is no such jurisdiction, or it cannot be asked this.",
    "unauthorized": "No API key, or one that is not valid.",
    "forbidden": "The API key is valid, but may not do this.",
    "insufficient_balance": "The balance does not cover the lookup. Buy credit, or pay for the request itself.",
    "cancelled": "It was cancelled before its turn: its bulk request, or all that its key or account still had waiting "
    "(a revoked key, a closed account). Not charged.",
    "budget_exceeded": "The month's budget of the account or of the key is spent; credit does not help. "
    "Raise the budget, or wait for the next month (UTC).",
    "entity_not_found": "The registry answered in full and has no such company. Of a history: nothing was ever read "
    "about it here. Not charged.",
    "not_read_by_then": "Nothing had been read about the company by the day of `as_of`. Not charged.",
    "ambiguous_name": "The registry has several companies that fit equally well; we do not guess. Not charged. "
    "Ask again with the `entity_id` of one of the `suggestions`. Of a history: several companies bear the number.",
    "job_not_found": "There is no such job, or it is another account's.",
    "lookup_not_found": "There is no such lookup, or it is another account's or of the other mode.",
    "evidence_not_kept": "No evidence of this lookup is kept: it has not ended, says nothing about a registry, or is "
    "from before evidence was kept.",
    "key_not_found": "There is no such key, or it is another account's, or a live key and you asked with a test key.",
    "key_ended": "The key was already rotated (`replacedBy`), was revoked or has expired; nothing was changed.",
    "last_key": "The key is the last one that can create others of its mode; nothing was changed.",
    "too_many_keys": "The account has as many working keys of this mode as it may; nothing was changed.",
    "watch_not_found": "There is no such watch, or it is another account's or of the other mode, or was deleted.",
    "too_many_watches": "The account has as many watches in test mode as it may; nothing was created.",
    "watch_paused": "The watch is paused, and makes no checks until it is active again.",
    "checks_used_up": "The watch has made as many checks as it may this month (UTC): raise `max_per_month`, or wait.",
    "user_not_found": "The account of this key is gone.",
    "not_found": "There is no such address in this API.",
    "method_not_allowed": "The address is right, but does not accept this method.",
    "rate_limited": "Too many requests in this minute, or too many lookups at a time; see Retry-After.",
    "source_unavailable": "The registry could not be asked, so nothing is known. Not charged.",
    "payment_unavailable": "This way of paying is not available here, or the provider that has to confirm the "
    "payment does not answer. Not charged.",
    "payment_pending": "A payment for this request is in progress, its outcome is not known yet, or it is paid and not "
    "delivered yet. Do not pay again: send the same payment with the same body after Retry-After.",
    "idempotency_conflict": "The Idempotency-Key belongs to another request, or to one still running.",
    "payload_too_large": "The body is larger than is accepted here.",
    "internal_error": "An error on our side. Not charged; please report it with the requestId.",
}
VERDICTS = {verdict.value: verdict.facts.customer for verdict in Outcome}
REASONS = {failure.value: failure.facts.customer for failure in list_unanswered()}
VERDICTS_WANTED = {**VERDICTS, "open": "It has not ended yet."}
WATCH_EVENT_CODES = {code: one.meaning for code, one in WATCHED.items()}
OUTCOME_REASONS = {
    **REASONS,
    **{refusal.value: refusal.facts.sentence for refusal in Refusal},
    **{breakdown.value: breakdown.facts.operator for breakdown in Breakdown},
}

if TYPE_CHECKING:  # enums that are made of a table: to a checker of types they are text
    Code: TypeAlias = str
    Reason: TypeAlias = str
    OutcomeReason: TypeAlias = str
    Verdict: TypeAlias = str
    VerdictWanted: TypeAlias = str
    WatchEventCode: TypeAlias = str
else:
    OutcomeReason = StrEnum("OutcomeReason", {word: word for word in OUTCOME_REASONS})
    Verdict = StrEnum("Verdict", {word: word for word in VERDICTS})
    VerdictWanted = StrEnum("VerdictWanted", {word: word for word in VERDICTS_WANTED})
    WatchEventCode = StrEnum("WatchEventCode", {code: code for code in WATCH_EVENT_CODES})
    Code = StrEnum("Code", {word: word for word in CODES})
    Reason = StrEnum("Reason", {word: word for word in REASONS})

TABLES = {
    "VerdictWanted": VERDICTS_WANTED,
    "Code": CODES,
    "Reason": REASONS,
    "OutcomeReason": OUTCOME_REASONS,
    "Verdict": VERDICTS,
    "WatchEventCode": WATCH_EVENT_CODES,
}
"""Enums whose words are explained one by one in the document."""


class Availability(StrEnum):
    """Why a field has its value, or none: `not_published` by this state, shown but `empty`, for money only…

    `withheld`: left out here, wholly or in part, at the request of a person it is about.
    """

    PROVIDED = "provided"
    NOT_PUBLISHED = "not_published"
    EMPTY = "empty"
    PAYWALLED = "paywalled"
    PARSE_FAILED = "parse_failed"
    WITHHELD = "withheld"


class BodyState(StrEnum):
    """What became of the bytes of an exchange: here, left out at a person's request, or not kept (any more)."""

    KEPT = "kept"
    WITHHELD = "withheld"
    NOT_KEPT = "not_kept"


class Source(StrEnum):
    """Where an answer is from: the registry itself, asked now, or something stored here."""

    LIVE = "live"
    CACHE = "cache"


class SourceWanted(StrEnum):
    """Which answer will do."""

    AUTO = "auto"
    CACHE = "cache"
    LIVE = "live"


class SearchType(StrEnum):
    """What is looked up: a company's record, or the liens on a party."""

    BUSINESS_ENTITY = "business_entity"
    UCC = "ucc"


class SearchBy(StrEnum):
    """Which party of a lien has the name."""

    DEBTOR = "debtor"
    SECURED_PARTY = "secured_party"


class StatusClass(StrEnum):
    """What a registry's status word means."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    NEUTRAL = "neutral"


class Sureness(StrEnum):
    """How sure a state's rule is: `rule` as its statute or office says, `part` of it read, the rest as in `assumed`."""

    RULE = "rule"
    PART = "part"
    ASSUMED = "assumed"


class EntityTypeClass(StrEnum):
    """The legal form of a company, or what else a registry's row is."""

    CORPORATION = "corporation"
    NONPROFIT_CORPORATION = "nonprofit_corporation"
    PROFESSIONAL_CORPORATION = "professional_corporation"
    BENEFIT_CORPORATION = "benefit_corporation"
    COOPERATIVE = "cooperative"
    LLC = "llc"
    PROFESSIONAL_LLC = "professional_llc"
    SERIES_LLC = "series_llc"
    LP = "lp"
    LLP = "llp"
    LLLP = "lllp"
    GENERAL_PARTNERSHIP = "general_partnership"
    NONPROFIT_ASSOCIATION = "nonprofit_association"
    SOLE_PROPRIETORSHIP = "sole_proprietorship"
    TRUST = "trust"
    ASSUMED_NAME = "assumed_name"
    RESERVED_NAME = "reserved_name"
    OTHER = "other"


class VersionReason(StrEnum):
    """Why a version was written: the registry was `read` and had changed, or kept bytes were `read_anew`, and better.

    What changed with a version that was read anew has changed in our reading, not at the registry.
    """

    READ = "read"
    READ_ANEW = "read_anew"


class MatchKind(StrEnum):
    """What made the record the one that was asked for."""

    EXACT = "exact"
    SUFFIX_VARIANT = "suffix_variant"
    FORMER_NAME = "former_name"
    CLOSE = "close"
    ENTITY_ID = "entity_id"
    NAME_MISMATCH = "name_mismatch"


class PartyKind(StrEnum):
    """Whether a name is a person's."""

    ORGANIZATION = "organization"
    PERSON = "person"


class LienStatus(StrEnum):
    """What has become of a lien."""

    ACTIVE = "active"
    LAPSED = "lapsed"
    TERMINATED = "terminated"
    UNKNOWN = "unknown"


class JobState(StrEnum):
    """How far a lookup is that is answered later."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETE = "complete"
    FAILED = "failed"


class BulkState(StrEnum):
    """How far a bulk job is."""

    QUEUED = "queued"
    PROCESSING = "processing"
    COMPLETE = "complete"
    CANCELLED = "cancelled"


class RowState(StrEnum):
    """How far a row of a bulk job is, or how it ended."""

    QUEUED = "queued"
    PROCESSING = "processing"
    FOUND = "found"
    NOT_FOUND = "not_found"
    FAILED = "failed"
    CANCELLED = "cancelled"


class PortalStatus(StrEnum):
    """How a registry's search is doing."""

    ACTIVE = "active"
    DEGRADED = "degraded"
    INACTIVE = "inactive"


class Verification(StrEnum):
    """How sure it is that a registry is read rightly: seen live, against recorded pages, or by description."""

    LIVE = "live"
    RECORDED = "recorded"
    DOCUMENTED = "documented"
    UNSUPPORTED = "unsupported"


class HealthStatus(StrEnum):
    """How the service is."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"


class CheckResult(StrEnum):
    """How one check of the service went."""

    OK = "ok"
    ERROR = "error"


class ComponentStatus(StrEnum):
    """How the processes of one kind do: `stalled` is one that lives, and does not do what is due."""

    OK = "ok"
    DOWN = "down"
    STALLED = "stalled"


class AccountType(StrEnum):
    """Whose account it is: a customer's, or the operator's own."""

    USER = "user"
    INTERNAL = "internal"


class EntryKind(StrEnum):
    """What sort of movement an entry of the ledger is."""

    DEPOSIT = "deposit"
    FREE_GRANT = "free_grant"
    HOLD = "hold"
    CAPTURE = "capture"
    RELEASE = "release"
    CHARGE = "charge"
    REFUND = "refund"
    ADJUST = "adjust"
    REVERSAL = "reversal"


class TopUpStatus(StrEnum):
    """`created`: pay at `checkoutUrl`. `paid`: the balance has grown."""

    CREATED = "created"
    PAID = "paid"


class PayBy(StrEnum):
    """How credit is paid: on the card provider's `page`, for people, or by a `challenge` that an agent answers."""

    PAGE = "page"
    CHALLENGE = "challenge"


class KeyMode(StrEnum):
    """What a key asks: the registries, or the sandbox registry, which costs nothing."""

    LIVE = "live"
    TEST = "test"


class KeyStatus(StrEnum):
    """Whether a key works; one that was rotated is `active` until its overlap is over, and `revoked` then."""

    ACTIVE = "active"
    REVOKED = "revoked"
    EXPIRED = "expired"


class Scope(StrEnum):
    """What a key may be used for: lookups, bulk jobs, name checks, watches, account and webhooks, other keys;
    or, alone and in an address, for reconciling a spreadsheet."""

    LOOKUP = "lookup"
    BULK = "bulk"
    NAMES = "names"
    WATCHES = "watches"
    ACCOUNT = "account"
    KEYS = "keys"
    RECONCILE = "reconcile"


class Channel(StrEnum):
    """How a message is sent."""

    WEBHOOK = "webhook"
    EMAIL = "email"


class DeliveryStatus(StrEnum):
    """Whether a message has arrived; `pending` ones are tried again."""

    PENDING = "pending"
    DELIVERED = "delivered"
    GIVEN_UP = "given_up"


class EventType(StrEnum):
    """What a message is about; `watch.digest` is mailed alone."""

    LOOKUP_COMPLETE = "lookup.complete"
    LOOKUP_FAILED = "lookup.failed"
    BULK_COMPLETE = "bulk.complete"
    BULK_CANCELLED = "bulk.cancelled"
    WATCH_CHANGED = "watch.changed"
    WATCH_UNCHANGED = "watch.unchanged"
    WATCH_UNCLEAR = "watch.unclear"
    WATCH_PAUSED = "watch.paused"
    WATCH_DIGEST = "watch.digest"
    WEBHOOK_TEST = "webhook.test"
