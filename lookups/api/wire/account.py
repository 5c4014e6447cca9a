"""The replies about an account: its balance, its ledger, its preferences, its top-ups and webhooks."""

from __future__ import annotations

from typing import Annotated

from lookups.api.wire.shape import Moment, Shape, about
from lookups.api.wire.words import AccountType, EntryKind, TopUpStatus


class Balance(Shape):
    """What is left."""

    success: Annotated[bool, about("Always true.")]
    type: Annotated[AccountType, about("Whose account it is.")]
    balanceStored: Annotated[int, about("Available, in 1/10,000 USD.")]
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
    availableChange: Annotated[int, about("By how much this changed what is available, in 1/10,000 USD.")]
    availableAfter: Annotated[int, about("Available afterwards, in 1/10,000 USD.")]
    heldAfter: Annotated[int, about("Held afterwards, in 1/10,000 USD.")]
    reference: Annotated[str | None, about("What it was for.")]
    reason: Annotated[str | None, about("Why money was released, given or taken.")]
    key: Annotated[str | None, about("First characters of the API key that was used.")]


class Usage(Shape):
    """A page of the ledger."""

    success: Annotated[bool, about("Always true.")]
    entries: Annotated[list[UsageEntry], about("Newest first.")]
    nextCursor: Annotated[str | None, about("Send it as `cursor` for the next page; null on the last one.")]


class AccountSettings(Shape):
    """The preferences as they are now."""

    success: Annotated[bool, about("Always true.")]
    maxCacheAgeDays: Annotated[int | None, about("How old a stored record may be; null: the service's default.")]
    cacheFirstDefault: Annotated[bool, about("Whether `source: auto` is answered from stored records first.")]
    monthlyBudget: Annotated[float | None, about("The most to spend in a month (UTC), in USD; null: no limit.")]
    webhookUrl: Annotated[str | None, about("Where finished jobs are reported; null: nowhere.", format="uri")]


class TopUpReply(Shape):
    """A top-up that was started, or is paid."""

    success: Annotated[bool, about("Always true.")]
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
    webhookSecret: Annotated[str, about("`whsec_` and base64. Shown in this reply alone: keep it.")]
    previousValidUntil: Annotated[
        Moment | None,
        about("Until then webhooks carry a signature of the secret before as well; null when there was none."),
    ]


class WebhookTestReply(Shape):
    """How a test went."""

    success: Annotated[bool, about("The test was made; `delivered` says whether it arrived.")]
    delivered: Annotated[bool, about("Your server answered 2xx.")]
    status: Annotated[int | None, about("What your server answered; null without an answer.")]
    error: Annotated[str | None, about("Why it is not delivered, in words; null when it is.")]
    durationMs: Annotated[int, about("How long your server took, in milliseconds.")]
    webhookId: Annotated[str, about("The `webhook-id` that was sent.")]
