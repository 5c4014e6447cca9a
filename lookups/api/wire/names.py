"""The reply of a name check."""

from __future__ import annotations

from typing import Annotated

from lookups.api.wire.entities import Evidence
from lookups.api.wire.shape import LIVEMODE, LOOKUP_ID, VERDICT, Moment, Shape, about
from lookups.api.wire.words import Source, StatusClass, Sureness, Verdict


class ConflictingEntity(Shape):
    """An entity that has the name, or had it."""

    entityName: Annotated[str, about("As the registry shows it.")]
    entityId: Annotated[str | None, about("The state's own identifier; null where its list shows none.")]
    status: Annotated[str | None, about("The state's own word.")]
    statusClass: Annotated[StatusClass, about("What that word means.")]
    sosUrl: Annotated[str | None, about("Its page at the registry.")]
    entityPageUrl: Annotated[
        str | None, about("The entity's page here, once its record has been fetched and is shown.")
    ]


class NameRule(Shape):
    """A rule of the state, in plain words."""

    text: Annotated[str, about("What it says.")]
    source: Annotated[str, about("Where it was read; `assumed` and what was assumed where it was not.")]
    sure: Annotated[Sureness, about("How sure it is.")]


class RegistryVerdict(Shape):
    """What the registry's own availability search says."""

    source: Annotated[str, about("The registry's search that was asked.")]
    available: Annotated[
        bool | None, about("What the registry itself says; null where it lists names and gives no verdict.")
    ]
    said: Annotated[str | None, about("Its own words.")]


class NameReply(Shape):
    """Whether a name is free."""

    success: Annotated[bool, about("Always true.")]
    lookupId: Annotated[str, LOOKUP_ID]
    verdict: Annotated[Verdict, VERDICT]
    livemode: Annotated[bool, LIVEMODE]
    available: Annotated[
        bool,
        about(
            "True for the verdict `free` alone: nothing that counts by the state's rule has the name, and the "
            "registry's own name check does not say no."
        ),
    ]
    searchedName: Annotated[str, about("The name that was asked for.")]
    state: Annotated[str, about("The jurisdiction.")]
    conflictingEntities: Annotated[
        list[ConflictingEntity],
        about("Active, then neutral, then inactive; empty when available.", maxItems=10),
    ]
    variationNote: Annotated[str | None, about("The same name with another legal form is active.")]
    warning: Annotated[
        str | None,
        about(
            "A suspended or revoked entity used the name; who has it without being active or ended, and why that is "
            "`taken` or `cannot_say`; who has it and does not count."
        ),
    ]
    statusNote: Annotated[str | None, about("What this registry does not show.")]
    cost: Annotated[float, about("Charged, in USD; 0 for test keys.")]
    data_source: Annotated[
        Source, about("`cache` only when it was asked for: a loaded copy of the state's published register.")
    ]
    dataAsOf: Annotated[Moment | None, about("The day of the copy that was read; null when live.")]
    walletBalance: Annotated[str | None, about("What is left, in USD.")]
    lookupsRemaining: Annotated[int | None, about("How many lookups that covers.")]
    designatorNote: Annotated[str, about("What a name must contain in this state.")]
    normalizedName: Annotated[str, about("The name as the filing office compares it.")]
    rule: Annotated[
        NameRule | None, about("When two names are the same; null in a reply that was kept before this was told.")
    ]
    ownerRule: Annotated[NameRule | None, about("Whose names count; null like `rule`.")]
    registryVerdict: Annotated[
        RegistryVerdict | None,
        about("Set where the registry has an availability search of its own, which was asked too."),
    ]
    evidence: Annotated[Evidence, about("Where, when and what was read.")]
