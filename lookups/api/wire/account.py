"""The replies about an account: its balance, its ledger, its preferences, its top-ups and webhooks."""

from __future__ import annotations

from typing import Annotated

from lookups.api.wire.shape import LIVEMODE, Moment, Shape, about
from lookups.api.wire.words import AccountType, Channel, DeliveryStatus, EntryKind, EventType, TopUpStatus


class Balance(Shape):
    """What is left."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    type: Annotated[AccountType, about("Whose account it is.")]
    balanceStored: Annotated[int, about("Available, in 1/10,000 USD; 0 while something is owed.")]
    owedStored: Annotated[
        int,
        about(
            "Owed, in 1/10,000 USD: so much was spent of payments that were refunded or disputed since. What is paid "
            "in goes there first, and nothing can be bought before."
        ),
    ]
    balanceDisplay: Annotated[str, about("The same for people, rounded to cents.")]
    lookupsRemaining: Annotated[int, about("How many lookups it covers.")]
    pricePerLookup: Annotated[float, about("USD.")]
    topUpUrl: Annotated[str, about("Where credit is bought.", format="uri")]


class UsageEntry(Shape):
    """One movement of money; what is counted in 1/10,000 USD is a whole number."""

    id: Annotated[str, about("Names the entry.")]
    createdAt: Annotated[Moment, about("When it was written, UTC.")]
    kind: Annotated[EntryKind, about("What sort of movement it is.")]
    amount: Annotated[float, about("USD.")]
    amountStored: Annotated[int, about("The same in 1/10,000 USD.")]
    availableChangeStored: Annotated[
        int, about("By how much this changed what is available, in 1/10,000 USD; negative: less.")
    ]
    availableAfterStored: Annotated[int, about("Available afterwards, in 1/10,000 USD; negative: owed.")]
    heldAfterStored: Annotated[int, about("Held afterwards, in 1/10,000 USD.")]
    reference: Annotated[str | None, about("What it was for.")]
    reason: Annotated[str | None, about("Why money was released, given or taken.")]
    key: Annotated[str | None, about("First characters of the API key that was used.")]
    requestId: Annotated[
        str | None, about("The `X-Request-Id` of the request that asked for it; null where there was none.")
    ]


class Usage(Shape):
    """A page of the ledger."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    entries: Annotated[list[UsageEntry], about("Newest first.")]
    nextCursor: Annotated[str | None, about("Send it as `cursor` for the next page; null on the last one.")]


class AccountSettings(Shape):
    """The preferences as they are now."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    maxCacheAgeDays: Annotated[int | None, about("How old a stored record may be; null: the service's default.")]
    cacheFirstDefault: Annotated[bool, about("Whether `source: auto` is answered from stored records first.")]
    monthlyBudget: Annotated[float | None, about("The most to spend in a month (UTC), in USD; null: no limit.")]
    webhookUrl: Annotated[
        str | None, about("Where finished jobs of the key's mode are reported; null: nowhere.", format="uri")
    ]


class TopUpReply(Shape):
    """A top-up that was started, or is paid."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    status: Annotated[TopUpStatus, about("How far it is.")]
    amount: Annotated[float, about("USD.")]
    amountStored: Annotated[int, about("The same in 1/10,000 USD.")]
    lookups: Annotated[int, about("How many lookups the amount buys.")]
    checkoutUrl: Annotated[str | None, about("The card provider's page; null when it is paid.", format="uri")]
    balanceStored: Annotated[int, about("Available now, in 1/10,000 USD.")]
    lookupsRemaining: Annotated[int, about("How many lookups that covers.")]


class WebhookSecretReply(Shape):
    """A new secret that webhooks are signed with."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    webhookSecret: Annotated[str, about("`whsec_` and base64. Shown in this reply alone: keep it.")]
    previousValidUntil: Annotated[
        Moment | None,
        about("Until then webhooks carry a signature of the secret before as well; null when there was none."),
    ]


class WebhookTestReply(Shape):
    """How a test went."""

    success: Annotated[bool, about("The test was made; `delivered` says whether it arrived.")]
    livemode: Annotated[bool, LIVEMODE]
    delivered: Annotated[bool, about("Your server answered 2xx.")]
    status: Annotated[int | None, about("What your server answered; null without an answer.")]
    error: Annotated[str | None, about("Why it is not delivered, in words; null when it is.")]
    durationMs: Annotated[int, about("How long your server took, in milliseconds.")]
    webhookId: Annotated[str, about("The `webhook-id` that was sent.")]


class AccountDelivery(Shape):
    """One message that was sent unasked, and how far it is."""

    id: Annotated[str, about("The `webhook-id`, the same in every try.")]
    livemode: Annotated[bool, LIVEMODE]
    type: Annotated[EventType, about("What it tells.")]
    channel: Annotated[Channel, about("How it is sent.")]
    address: Annotated[str, about("Where it goes, without user name, password and query string.")]
    status: Annotated[DeliveryStatus, about("Whether it has arrived.")]
    attempts: Annotated[int, about("Tries since it was written, or was sent again by the operator.")]
    lastAnswer: Annotated[
        str | None, about("What came of the last try: the status answered, or why none was; null before it.")
    ]
    nextAt: Annotated[Moment | None, about("When it is tried next; null once it is over.")]
    createdAt: Annotated[Moment, about("When what it tells of happened.")]
    deliveredAt: Annotated[Moment | None, about("When it arrived; null when it has not.")]
    jobId: Annotated[str | None, about("The job it tells of, if it does of one.")]
    bulkJobId: Annotated[str | None, about("The bulk job (`job_id`) it tells of, if it does of one.")]


class AccountDeliveries(Shape):
    """A page of the messages of the key's mode."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    deliveries: Annotated[list[AccountDelivery], about("The newest first.")]
    nextCursor: Annotated[str | None, about("Send it as `cursor` for the next page; null on the last one.")]
