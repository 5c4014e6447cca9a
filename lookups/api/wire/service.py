"""The replies that anybody may read: what each jurisdiction can answer, and whether the service is well."""

from __future__ import annotations

from typing import Annotated

from lookups.api.wire.shape import Moment, Shape, about
from lookups.api.wire.words import (
    CanaryKind,
    CheckResult,
    ComponentStatus,
    ContactResult,
    HealthStatus,
    PortalStatus,
    Verification,
)


class ContactQuestion(Shape):
    """One of the names that the registry was asked for, to see whether it is read as it should be."""

    kind: Annotated[CanaryKind, about("What sort of name it is.")]
    result: Annotated[ContactResult, about("What came of it.")]


class LastContact(Shape):
    """What came of asking a registry for names that are known beforehand."""

    at: Annotated[Moment, about("When, UTC.")]
    result: Annotated[ContactResult, about("What came of it as a whole.")]
    seconds: Annotated[float, about("How long all questions took.")]
    questions: Annotated[list[ContactQuestion], about("Each question, in the order of asking.")]


class State(Shape, rename={"async_": "async"}):
    """One jurisdiction: its registry, whether it can be asked, what it shows and how fast it answers."""

    state: Annotated[str, about("Two letters.")]
    name: Annotated[str, about("The jurisdiction's name.")]
    status: Annotated[PortalStatus, about("How its search is doing.")]
    version: Annotated[str, about("Version of the reader of this state.")]
    lastTestedAt: Annotated[Moment | None, about("When it was last tried with a company that is surely there, UTC.")]
    available: Annotated[bool, about("Whether companies can be looked up now.")]
    uccAvailable: Annotated[bool, about("Whether UCC filings can be looked up now.")]
    registry: Annotated[str, about("The office's name.")]
    portalUrl: Annotated[str | None, about("Its search for people.")]
    region: Annotated[str, about("The part of the country.")]
    async_: Annotated[bool, about("Whether lookups of this state are answered as jobs.")]
    estimatedSeconds: Annotated[int | None, about("How long a lookup takes; null where none can be made.")]
    nameAvailabilityAvailable: Annotated[bool, about("Whether name checks ask this registry itself, live.")]
    nameAvailabilityFromCache: Annotated[
        bool, about("Whether name checks with `source: cache` are answered from a loaded copy.")
    ]
    uccSecuredParty: Annotated[bool, about("Whether UCC filings can be searched by secured party.")]
    uccDateFilter: Annotated[bool, about("Whether UCC filings can be searched by date.")]
    officers: Annotated[bool, about("Whether the registry shows officers.")]
    statusProvided: Annotated[bool, about("Whether the registry shows a status.")]
    verification: Annotated[Verification | None, about("How sure it is that the registry is read rightly.")]
    reason: Annotated[str | None, about("Why it is off or degraded.")]
    p50Ms: Annotated[int | None, about("Median answer time of the last 24 hours, in milliseconds.")]
    p95Ms: Annotated[int | None, about("What 95 of 100 answers of the last 24 hours took at most, in milliseconds.")]
    successRate24h: Annotated[float | None, about("Share of questions answered in the last 24 hours, 0 to 1.")]
    lastContact: Annotated[
        LastContact | None, about("What came of asking for known names last; null until it was asked for them.")
    ]


class HealthChecks(Shape):
    """What was looked at. The names are those of existing clients, whatever does the work behind them."""

    redis: Annotated[CheckResult, about("The queue: Redis, or the folder that stands in for it on a single machine.")]
    postgres: Annotated[
        CheckResult, about("The database: PostgreSQL, or the SQLite file that stands in for it on a single machine.")
    ]
    degraded_scrapers: Annotated[int, about("How many registries are degraded.")]
    lookups_today: Annotated[int, about("Live lookups since midnight UTC; those of test keys do not count.")]
    cache_hit_rate_pct: Annotated[float, about("Per cent of today's records that were stored ones.")]


class HealthComponent(Shape):
    """The processes of one kind: `web`, `worker` (single lookups, messages, upkeep), `bulk`, `beat` (the clock)."""

    name: Annotated[str, about("What they do.")]
    status: Annotated[ComponentStatus, about("How they do.")]
    processes: Annotated[int, about("How many have said within the last 30 seconds that they live.")]
    last_heartbeat_seconds: Annotated[
        int | None, about("How long ago one of them said so last; null when none has for an hour.")
    ]


class HealthOldestDue(Shape):
    """For how many seconds the oldest work could have been done already; null where none is due."""

    lookups: Annotated[int | None, about("Of lookups that are answered later.")]
    bulk_rows: Annotated[int | None, about("Of rows of bulk jobs: these wait for their registries' pace.")]
    messages: Annotated[int | None, about("Of webhooks and mails.")]


class Health(Shape):
    """Whether the service is well."""

    status: Annotated[HealthStatus, about("How the service is; it can serve in both cases.")]
    checks: Annotated[HealthChecks, about("What was looked at.")]
    components: Annotated[list[HealthComponent], about("Who works.")]
    oldest_due_seconds: Annotated[HealthOldestDue, about("What waits.")]
    timestamp: Annotated[Moment, about("Now, UTC.")]
