"""The replies about API keys: what one is, without its secret, and a new one with it."""

from __future__ import annotations

from typing import Annotated

from lookups.api.wire.shape import LIVEMODE, Moment, Shape, about
from lookups.api.wire.words import KeyMode, KeyStatus, Scope


class KeyLimits(Shape):
    """How fast and how much."""

    requestsPerMinute: Annotated[int, about("Requests a minute; all keys of an account have four times that together.")]
    concurrentLookups: Annotated[int, about("Lookups at a time.")]
    monthlyBudget: Annotated[
        float | None,
        about("The most it may spend in a month (UTC), in USD, with those it replaced; null: no limit of its own."),
    ]


class Key(Shape):
    """An API key; nobody can read its secret again."""

    id: Annotated[str, about("Names the key; it is no secret.")]
    name: Annotated[str, about("Who or what uses it.")]
    mode: Annotated[KeyMode, about("Whether it asks the registries, or the sandbox registry.")]
    prefix: Annotated[str, about("The first characters of its secret, enough to recognize it.")]
    status: Annotated[KeyStatus, about("Whether it works now.")]
    scopes: Annotated[
        list[Scope] | None, about("What it may be used for; null: everything, also what is added to the API later.")
    ]
    allowedNetworks: Annotated[list[str], about("The only networks it may be used from; empty: everywhere.")]
    limits: Annotated[KeyLimits, about("How fast and how much it may ask.")]
    createdAt: Annotated[Moment, about("When it was made.")]
    expiresAt: Annotated[Moment | None, about("When it stops working by itself; null: never.")]
    revokedAt: Annotated[
        Moment | None, about("Since when it is refused; of a key that was rotated, until when it works on.")
    ]
    lastUsedAt: Annotated[Moment | None, about("When it was last used, to the minute; null: never.")]
    replaces: Annotated[str | None, about("The `id` of the key whose successor it is.")]
    replacedBy: Annotated[str | None, about("The `id` of its successor.")]


class KeyReply(Shape):
    """One key."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    key: Annotated[Key, about("The key as it is now.")]


class NewKeyReply(Shape):
    """A key that was made, with its secret."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    key: Annotated[Key, about("The new key.")]
    secret: Annotated[
        str | None,
        about(
            "What `x-api-key` is to be. Shown in this reply alone: keep it. Null when this request was answered before "
            "(`Idempotency-Key`): rotate the key if that reply was lost."
        ),
    ]
    previousValidUntil: Annotated[
        Moment | None, about("Until then the key that was rotated works on; null where none was.")
    ]


class KeyList(Shape):
    """A page of the keys that the key which asks may see."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    keys: Annotated[list[Key], about("Newest first, those that were revoked too.")]
    nextCursor: Annotated[str | None, about("Send it as `cursor` for the next page; null on the last one.")]
