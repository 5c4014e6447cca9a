"""The shapes of replies. They describe and are never used to write a reply: tests hold real replies against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from lookups.api import errors
from scrapers.failures import list_unanswered

AVAILABILITY = ["provided", "not_published", "empty", "paywalled", "parse_failed"]
REASONS = [failure.value for failure in list_unanswered()]
ENTRY_KINDS = ["deposit", "free_grant", "hold", "capture", "release", "charge", "refund", "adjust"]


def text(about: str = "", **options: Any) -> serializers.CharField:
    """A text that is always there."""
    return serializers.CharField(help_text=about, **options)


def maybe(about: str = "", **options: Any) -> serializers.CharField:
    """A text, or null."""
    return serializers.CharField(allow_null=True, help_text=about, **options)


def moment(about: str = "", **options: Any) -> serializers.DateTimeField:
    """A time in UTC."""
    return serializers.DateTimeField(help_text=about, **options)


def number(about: str = "", **options: Any) -> serializers.FloatField:
    """A number."""
    return serializers.FloatField(help_text=about, **options)


def whole(about: str = "", **options: Any) -> serializers.IntegerField:
    """A whole number."""
    return serializers.IntegerField(help_text=about, **options)


def flag(about: str = "", **options: Any) -> serializers.BooleanField:
    """A boolean."""
    return serializers.BooleanField(help_text=about, **options)


def livemode(**options: Any) -> serializers.BooleanField:
    """Which of the two worlds a reply is of."""
    return flag("False for a test key: nothing of it is real, and nothing live is shown or changed.", **options)


def word(choices: list[str], about: str = "", **options: Any) -> serializers.ChoiceField:
    """One of a few words."""
    return serializers.ChoiceField(choices=choices, help_text=about, **options)


class Officer(serializers.Serializer[Any]):
    name = text()
    title = maybe()
    address = maybe()


class RelatedResult(serializers.Serializer[Any]):
    entityName = text()
    entityId = maybe("Null where the registry's list shows none.")
    entityType = maybe()
    status = maybe()
    sosUrl = maybe()


class Suggestion(serializers.Serializer[Any]):
    entityName = text()
    entityId = maybe("Null where the registry's list shows none.")
    status = maybe()
    score = number("How near the name is, 0 to 1.")
    features = serializers.ListField(child=serializers.CharField(), help_text="What tells the two names apart.")
    sosUrl = maybe()


class Evidence(serializers.Serializer[Any]):
    sourceUrl = text("Where it was read.")
    retrievedAt = moment("When it was read.")
    sha256 = text("SHA-256 over the raw bytes that were read.")
    fromRegister = flag("Whether a loaded copy of the state's published register was read, not the portal.")


class Match(serializers.Serializer[Any]):
    score = number("How sure it is that this is the company asked for, 0 to 1.")
    kind = word(["exact", "suffix_variant", "former_name", "close", "entity_id", "name_mismatch"])
    features = serializers.ListField(
        child=serializers.CharField(), help_text="What tells the two names apart, if anything."
    )


class Normalized(serializers.Serializer[Any]):
    statusClass = word(["active", "inactive", "neutral"])
    statusReason = maybe("Qualifies the class, such as not_in_good_standing or unrecognised_status.")
    standing = maybe("A second word some states give beside the status.")
    formationDate = serializers.DateField(allow_null=True)
    entityTypeClass = maybe()
    domestic = flag(allow_null=True)
    officers = serializers.ListField(child=serializers.DictField(), help_text="Names in parts, and whether a person.")
    registeredAgent = serializers.DictField(allow_null=True)
    formerNames = serializers.ListField(child=serializers.CharField())
    assumedNames = serializers.ListField(child=serializers.CharField())
    identifiers = serializers.DictField(child=serializers.CharField(), help_text="Other numbers the state gives it.")
    filings = serializers.ListField(child=serializers.DictField(), help_text="History, where the state shows it.")
    match = Match()
    fieldAvailability = serializers.DictField(
        child=serializers.ChoiceField(choices=AVAILABILITY), help_text="For each field of `data` why it is null, if so."
    )


class Entity(serializers.Serializer[Any]):
    entityName = text()
    entityType = maybe()
    entityId = text("The state's own identifier.")
    status = maybe("The state's own word.")
    formationDate = maybe("As the state writes it; `normalized.formationDate` is ISO.")
    registeredAgentName = maybe()
    registeredAgentAddress = maybe()
    registeredAgentCity = maybe()
    registeredAgentState = maybe()
    registeredAgentZip = maybe()
    principalAddress = maybe()
    principalCity = maybe()
    principalState = maybe()
    principalZip = maybe()
    mailingAddress = maybe()
    mailingCity = maybe()
    mailingState = maybe()
    mailingZip = maybe()
    officers = Officer(many=True)
    jurisdiction = maybe()
    feiEinNumber = maybe()
    sosUrl = maybe()
    scrapedAt = moment()
    cached = flag()
    cacheExpiresAt = moment(allow_null=True)
    relatedResults = RelatedResult(many=True, help_text="The other matches, at most 10.")
    entityPageUrl = text("Path of the public page of this record.")
    normalized = Normalized(help_text="Our reading of the state's text.")
    evidence = Evidence()


class Receipt(serializers.Serializer[Any]):
    """What every answer that was sold carries beside its data."""

    success = flag()
    cost = number("Charged, in USD; 0 for test keys.")
    source = word(["live", "cache"])  # type: ignore[assignment]
    cached = flag()
    stale = flag()
    dataAsOf = moment("The day the source says its data is from, or when it was read.")
    total_results = whole()
    state_scraper_version = text()
    scraper_built_at = text()
    walletBalance = maybe("What is left, in USD; null when the request itself was paid.")
    lookupsRemaining = whole(allow_null=True)
    note = maybe("What one must know of this source, such as that it lists active companies only.")


class EntityReply(Receipt):
    data = Entity()  # type: ignore[assignment]
    entity = Entity(required=False, help_text="The same as `data`; in replies from stored records only.")


class Party(serializers.Serializer[Any]):
    name = text()
    kind = word(["organization", "person"], allow_null=True)
    address = maybe()
    city = maybe()
    state = maybe()
    zip = maybe()


class Amendment(serializers.Serializer[Any]):
    fileNumber = text()
    fileDate = maybe()
    filingType = text()


class UccFiling(serializers.Serializer[Any]):
    fileNumber = text()
    fileDate = maybe("ISO date.")
    debtorName = maybe()
    securedParty = maybe()
    collateral = maybe()
    status = maybe()
    lapseDate = maybe("ISO date.")
    statusClass = word(
        ["active", "lapsed", "terminated", "unknown"],
        "The registry's word, or what the lapse date says where it has none.",
    )
    filingType = maybe()
    debtors = Party(many=True)
    securedParties = Party(many=True)
    amendments = Amendment(many=True)
    sosUrl = maybe()


class UccData(serializers.Serializer[Any]):
    filings = UccFiling(many=True)
    totalResults = whole()
    evidence = Evidence()


class UccReply(Receipt):
    data = UccData()  # type: ignore[assignment]


class Error(serializers.Serializer[Any]):
    success = flag()
    error = text("For people.")
    code = word(list(errors.CODES), "For programs.")
    cost = number("Always 0: errors are not charged.")
    retryable = flag("Whether the same request may succeed later.")
    requestId = text()


class InvalidRequest(Error):
    details = serializers.DictField(
        required=False, child=serializers.ListField(child=serializers.CharField()), help_text="Field to messages."
    )


class EntityNotFound(Error):
    suggestions = Suggestion(many=True, help_text="Near misses.")
    ambiguous = flag("Several companies fit equally well: ask again with the entity_id of one.")
    note = maybe()
    evidence = Evidence(allow_null=True)


class SourceUnavailable(Error):
    reason = word(REASONS)
    state = text()
    note = text("Another way to an answer, where there is one.", required=False)


class Accepted(serializers.Serializer[Any]):
    success = flag()
    jobId = text()
    message = text()
    pollInterval = whole("Milliseconds between two polls.")
    estimatedSeconds = whole()
    statusUrl = text("Where to ask, from the root of this host.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`async` is a word of Python, so it cannot be written as a name above."""
        return super().get_fields() | {"async": flag()}


class JobStatus(serializers.Serializer[Any]):
    success = flag("False when the registry has no such company.")
    jobId = text()
    status = word(["pending", "processing", "complete"])
    pollInterval = whole("While it runs: milliseconds between two polls.", required=False)
    estimatedSeconds = whole("While it runs.", required=False)
    result = serializers.DictField(required=False, help_text="The whole reply, once complete.")
    data = serializers.DictField(required=False, allow_null=True, help_text="The result's `data`, once complete.")  # type: ignore[assignment]
    cost = number(required=False)
    error = text(required=False)


class JobFailed(Error):
    jobId = text()
    status = word(["failed"])
    reason = word(REASONS, allow_null=True)


class PaymentProblem(serializers.Serializer[Any]):
    type = text("A problem type of the Payment scheme, or of ours.")
    title = text()
    status = whole()
    detail = text()
    challengeId = maybe("The first offer of `WWW-Authenticate`; null where there is none.")


class PaymentRequired(PaymentProblem):
    """Without a key: the five words of the scheme. With a key whose balance does not do: ours beside them."""

    success = flag(required=False)
    error = text("For people.", required=False)
    code = word(["insufficient_balance"], "For programs.", required=False)
    cost = number(required=False)
    retryable = flag(required=False)
    requestId = text(required=False)
    balanceStored = whole("Available, in 1/10,000 USD.", required=False)
    pricePerLookup = number(required=False)
    lookupsRemaining = whole(required=False)
    topUpUrl = text(required=False)


class State(serializers.Serializer[Any]):
    state = text()
    status = word(["active", "degraded", "inactive"])
    version = text()
    lastTestedAt = moment(allow_null=True)
    available = flag()
    uccAvailable = flag()
    name = text()
    registry = text()
    portalUrl = maybe()
    region = text()
    estimatedSeconds = whole(allow_null=True)
    nameAvailabilityAvailable = flag("Whether name checks ask this registry itself, live.")
    nameAvailabilityFromCache = flag("Whether name checks with `source: cache` are answered from a loaded copy.")
    uccSecuredParty = flag()
    uccDateFilter = flag()
    officers = flag()
    statusProvided = flag()
    verification = word(["live", "recorded", "documented", "unsupported"], allow_null=True)
    reason = maybe("Why it is off or degraded.")
    p50Ms = whole("Median answer time of the last 24 hours.", allow_null=True)
    p95Ms = whole(allow_null=True)
    successRate24h = number("Share of questions answered, 0 to 1.", allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`async` is a word of Python, so it cannot be written as a name above."""
        return super().get_fields() | {"async": flag("Whether lookups of this state are answered as jobs.")}


class HealthChecks(serializers.Serializer[Any]):
    redis = word(["ok", "error"])
    postgres = word(["ok", "error"])
    degraded_scrapers = whole()
    lookups_today = whole()
    cache_hit_rate_pct = number()


class Health(serializers.Serializer[Any]):
    status = word(["healthy", "degraded"])
    checks = HealthChecks()
    timestamp = moment()


class Balance(serializers.Serializer[Any]):
    success = flag()
    livemode = livemode()
    type = word(["user", "internal"])
    balanceStored = whole("Available, in 1/10,000 USD.")
    balanceDisplay = text()
    lookupsRemaining = whole()
    pricePerLookup = number()
    topUpUrl = text()


class UsageEntry(serializers.Serializer[Any]):
    id = text()
    createdAt = moment()
    kind = word(ENTRY_KINDS)
    amount = number("USD.")
    amountStored = whole("1/10,000 USD.")
    availableChangeStored = whole("By how much this changed what is available, in 1/10,000 USD; negative: less.")
    availableAfterStored = whole("What was available afterwards, in 1/10,000 USD.")
    heldAfterStored = whole("What was held afterwards, in 1/10,000 USD.")
    reference = maybe()
    reason = maybe()
    key = maybe("First characters of the API key that was used.")
    requestId = maybe("The `X-Request-Id` of the request that asked for it; null where there was none.")


class Usage(serializers.Serializer[Any]):
    success = flag()
    livemode = livemode()
    entries = UsageEntry(many=True)
    nextCursor = maybe("Send it as `cursor` for the next page; null on the last one.")


class AccountSettings(serializers.Serializer[Any]):
    success = flag()
    livemode = livemode()
    maxCacheAgeDays = whole(allow_null=True)
    cacheFirstDefault = flag()
    monthlyBudget = number("USD.", allow_null=True)
    webhookUrl = maybe("Of the key's mode.")
