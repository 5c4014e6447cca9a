"""A company as its registry shows it, with our reading of it beside the state's own text."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from lookups.api.wire.shape import LIVEMODE, LOOKUP_ID, Day, Moment, Shape, about
from lookups.api.wire.words import (
    Availability,
    EntityTypeClass,
    MatchKind,
    PartyKind,
    StatusClass,
    VersionReason,
)


class Evidence(Shape):
    """Where, when and what was read."""

    sourceUrl: Annotated[str, about("Where it was read.")]
    retrievedAt: Annotated[Moment, about("When it was read, UTC.")]
    sha256: Annotated[
        str,
        about(
            "SHA-256 in hexadecimal digits: of the lookup's manifest, which `GET /v1/lookups/{lookupId}/evidence` has; "
            "of a kept version, or an identifier, over what was read of its source."
        ),
    ]
    fromRegister: Annotated[
        bool, about("Whether a loaded copy of the state's published register was read, not the portal.")
    ] = False
    dataAsOf: Annotated[
        Moment | UnsetType, about("The day of that copy, also where nothing was found in it; missing of a portal.")
    ] = UNSET
    leftOut: Annotated[
        list[str] | UnsetType,
        about(
            "Control and format characters that the registry's text has and this reply has not, such as `U+202E`; "
            "missing where there are none."
        ),
    ] = UNSET


class Match(Shape):
    """How sure it is that this is the company that was asked for."""

    score: Annotated[float, about("From 0 to 1.", minimum=0, maximum=1)]
    kind: Annotated[MatchKind, about("What made the match.")]
    features: Annotated[list[str], about("What tells the two names apart, if anything.")]


class Officer(Shape):
    """Somebody who runs the company."""

    name: Annotated[str, about("As the registry writes it.")]
    title: Annotated[str | None, about("The registry's word for what the officer is.")]
    address: Annotated[str | None, about("In one line.")]


class OfficerName(Shape):
    """The name of an officer, in parts."""

    givenName: Annotated[str | None, about("First name; null for an organization, and where the name is unclear.")]
    familyName: Annotated[str | None, about("Last name; null for an organization, and where the name is unclear.")]
    kind: Annotated[PartyKind, about("Whether it is a person.")]


class RegisteredAgent(Shape):
    """What we make of the registered agent."""

    kind: Annotated[PartyKind, about("Whether it is a person.")]
    commercial: Annotated[bool, about("Whether the agent is known to do this as its business.")]
    zip: Annotated[str | None, about("The ZIP code as five digits, or five and four.")]


class ProcessReceiver(Shape):
    """Whom a state sends the legal papers on to that it accepts for the company itself."""

    name: Annotated[str, about("As the registry writes it; often the company's own.")]
    kind: Annotated[PartyKind, about("Whether it is a person.")]


class HistoryEntry(Shape):
    """One document of the company's filing history."""

    date: Annotated[str | None, about("ISO date; as the state writes it where that cannot be read.")]
    title: Annotated[str, about("The state's name for the document.")]


class RelatedResult(Shape):
    """Another match of the search."""

    entityName: Annotated[str, about("As the registry's list shows it.")]
    entityId: Annotated[str | None, about("Null where the registry's list shows none.")]
    entityType: Annotated[str | None, about("The state's own word.")]
    status: Annotated[str | None, about("The state's own word.")]
    sosUrl: Annotated[str | None, about("Its page at the registry.")]


class Suggestion(Shape):
    """A near miss, or one of several companies that fit equally well."""

    entityName: Annotated[str, about("As the registry's list shows it.")]
    entityId: Annotated[str | None, about("Null where the registry's list shows none.")]
    status: Annotated[str | None, about("The state's own word.")]
    score: Annotated[float, about("How near the name is, from 0 to 1.", minimum=0, maximum=1)]
    features: Annotated[list[str], about("What tells the two names apart.")]
    sosUrl: Annotated[str | None, about("Its page at the registry.")]


class Normalized(Shape):
    """Our reading of the state's text."""

    statusClass: Annotated[StatusClass, about("What the status word means.")]
    statusReason: Annotated[
        str | None,
        about("Qualifies the class, the same in every state: not_in_good_standing, merged, unrecognised_status …"),
    ]
    standing: Annotated[str | None, about("A second word that some states give beside the status.")]
    formationDate: Annotated[Day | None, about("ISO date.")]
    entityTypeClass: Annotated[EntityTypeClass | None, about("The legal form, or what else the row is.")]
    domestic: Annotated[bool | None, about("Whether it was formed in this state; null where that is not known.")]
    officers: Annotated[list[OfficerName], about("The officers of `data`, in the same order.")]
    registeredAgent: Annotated[RegisteredAgent | None, about("What we make of the agent; null without one.")]
    serviceOfProcess: Annotated[
        ProcessReceiver | None,
        about(
            "Who gets legal papers by way of the state, at the mailing address, whether or not there is a registered "
            "agent (New York); null where the registry names nobody."
        ),
    ]
    formerNames: Annotated[list[str], about("Names it had before.")]
    assumedNames: Annotated[list[str], about("Names it trades under.")]
    identifiers: Annotated[dict[str, str], about("Other numbers that the state gives it, by kind.")]
    filings: Annotated[list[HistoryEntry], about("Its history, where the state shows it.")]
    match: Annotated[Match, about("How well it fits what was asked.")]
    fieldAvailability: Annotated[
        dict[str, Availability], about("For each field of `data` whether it is there, and if not, why not.")
    ]


class EntityFields(Shape):
    """The state's own text, in the flat names of the contract."""

    entityName: Annotated[str, about("The legal name.")]
    entityType: Annotated[str | None, about("The state's own word for the legal form.")]
    entityId: Annotated[str, about("The state's own identifier.")]
    status: Annotated[str | None, about("The state's own word.")]
    formationDate: Annotated[str | None, about("As the state writes it; `normalized.formationDate` is ISO.")]
    registeredAgentName: Annotated[str | None, about("Who takes legal papers for the company.")]
    registeredAgentAddress: Annotated[str | None, about("Street, or the whole address where it cannot be split.")]
    registeredAgentCity: Annotated[str | None, about("City of the registered agent.")]
    registeredAgentState: Annotated[
        str | None, about("State of the registered agent; abroad the country, if it has none.")
    ]
    registeredAgentZip: Annotated[str | None, about("ZIP code of the registered agent.")]
    principalAddress: Annotated[str | None, about("Street of the principal office.")]
    principalCity: Annotated[str | None, about("City of the principal office.")]
    principalState: Annotated[str | None, about("State of the principal office; abroad the country, if it has none.")]
    principalZip: Annotated[str | None, about("ZIP code of the principal office.")]
    mailingAddress: Annotated[str | None, about("Street of the mailing address.")]
    mailingCity: Annotated[str | None, about("City of the mailing address.")]
    mailingState: Annotated[str | None, about("State of the mailing address; abroad the country, if it has none.")]
    mailingZip: Annotated[str | None, about("ZIP code of the mailing address.")]
    officers: Annotated[list[Officer], about("Officers, members, managers or principals.")]
    jurisdiction: Annotated[str | None, about("Where it was formed, as the state writes it.")]
    feiEinNumber: Annotated[str | None, about("The federal number, where the state shows it.")]
    sosUrl: Annotated[str | None, about("Its page at the registry.")]


class Entity(EntityFields):
    """One company: the state's own text in flat fields, our reading under `normalized`."""

    scrapedAt: Annotated[Moment, about("When it was read, UTC.")]
    cached: Annotated[bool, about("Whether it was stored here before it was asked for.")]
    cacheExpiresAt: Annotated[Moment | None, about("Until when a stored record will do; null for a fresh one.")]
    relatedResults: Annotated[list[RelatedResult], about("The other matches.", maxItems=10)]
    entityPageUrl: Annotated[str, about("Path of the public page of this record; 404 where it is not shown.")]
    normalized: Annotated[Normalized, about("Our reading of the state's text.")]
    evidence: Annotated[Evidence, about("Where, when and what was read.")]


class RegistryHistory(Shape):
    """What the registry itself tells of the past, as the version in `data` has it."""

    formerNames: Annotated[list[str], about("Names that the registry says it had before.")]
    filings: Annotated[list[HistoryEntry], about("Documents on the registry's file, where it shows them.")]


class Version(Shape):
    """What the registry said from one reading to another, as far as it was read."""

    number: Annotated[int, about("1 for the first.")]
    reason: Annotated[VersionReason, about("Why it was written.")]
    firstReadAt: Annotated[Moment, about("The first reading that said so, UTC.")]
    lastReadAt: Annotated[Moment, about("The last reading that said so, UTC.")]
    readerVersion: Annotated[str, about("Version of the reader of this state, at the last reading.")]
    readerBuiltAt: Annotated[str, about("When that version was made.")]
    readerRevision: Annotated[
        str | None,
        about(
            "Of the source of that reader, in hexadecimal digits; null where no conversation was kept yet, "
            "and of a correction (`read_anew`)."
        ),
    ]
    evidence: Annotated[Evidence, about("Where, when and what was read, at the last reading.")]


class Change(Shape):
    """One difference between two versions. When it came about is known only to lie between two readings."""

    path: Annotated[
        str,
        about(
            "Where: `data.` is the state's own text and `normalized.` our reading of it. In brackets is what a thing "
            "in a list is known by: `data.officers[ADA MERRILL].title`, `normalized.filings[2026-02-01 Annual Report]`."
        ),
    ]
    before: Annotated[Any, about("What it was; null where it was not there.")]
    after: Annotated[Any, about("What it is; null where it is there no more.")]
    version: Annotated[int, about("The `number` of the version that has `after`.")]
    reason: Annotated[VersionReason, about("Whether the registry or our reading has changed.")]
    lastSeenBefore: Annotated[Moment, about("The last reading that still had `before`, UTC.")]
    firstSeenAfter: Annotated[Moment, about("The first reading that had `after`, UTC.")]


class EntityHistory(Shape):
    """A company as it was read last, every version of it that was read here, and what changed between them."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    lookupId: Annotated[str, LOOKUP_ID]
    cost: Annotated[float, about("Charged for this request, in USD; 0 where a reading of it was bought before.")]
    state: Annotated[str, about("The jurisdiction.")]
    entityId: Annotated[str, about("The state's own identifier.")]
    asOf: Annotated[Day | None, about("The day that was asked for (UTC); null for what is known today.")]
    data: Annotated[Entity, about("The record as it was read last, or last by the end of that day.")]
    note: Annotated[str | None, about("What is left out of the record, if anything.")]
    registryHistory: Annotated[RegistryHistory, about("The registry's own history; what we saw change is `changes`.")]
    versions: Annotated[list[Version], about("What was read here, the newest first.")]
    changes: Annotated[
        list[Change],
        about(
            "What changed between these versions, the newest first. Another case, punctuation, order or way of writing "
            "an address is no change (`noise=true` shows it). A field that one of two readings does not show is "
            "compared with nothing: then `normalized.fieldAvailability` is what has changed."
        ),
    ]
    nextCursor: Annotated[str | None, about("For older versions; null where there are none.")]
