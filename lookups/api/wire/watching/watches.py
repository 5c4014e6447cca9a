"""The replies about watches and their checks."""

from __future__ import annotations

from typing import Annotated

from lookups.api.wire.shape import LIVEMODE, LOOKUP_ID, VERDICT, Moment, Shape, about
from lookups.api.wire.watching.words import Every, PauseReason, WatchCategory, WatchCheckResult, WatchStatus
from lookups.api.wire.words import SearchType, Verdict


class WatchCheck(Shape):
    """One look at a company: a lookup, and what came of comparing it."""

    lookupId: Annotated[str, LOOKUP_ID]
    verdict: Annotated[Verdict | None, VERDICT]
    searchType: Annotated[SearchType, about("Whether its record was read, or the liens on its name.")]
    result: Annotated[WatchCheckResult | None, about("What came of it; null while it is under way.")]
    notChecked: Annotated[
        list[str],
        about("What is watched and the source did not show this time: nothing is known of it, changed or not."),
    ]
    cost: Annotated[float, about("Charged, in USD.")]
    createdAt: Annotated[Moment, about("When it was due, UTC.")]
    endedAt: Annotated[Moment | None, about("When it had been compared, UTC; null until then.")]


class Watch(Shape):
    """A company that is looked at again and again."""

    id: Annotated[str, about("Names the watch.")]
    livemode: Annotated[bool, LIVEMODE]
    state: Annotated[str, about("The jurisdiction.")]
    entity_id: Annotated[str | None, about("The state's identifier; null until the company was found by its name.")]
    entity_name: Annotated[str | None, about("The name that was asked for.")]
    name: Annotated[str | None, about("As the registry wrote it last; null until it was found.")]
    every: Annotated[Every, about("How often it is looked at.")]
    on: Annotated[list[WatchCategory], about("The changes that are told.")]
    webhook: Annotated[
        str | None, about("Where its events go; null: to the account's `webhookUrl`, if there is one.", format="uri")
    ]
    email_digest: Annotated[bool, about("Whether its events are mailed to the account, together, once a day.")]
    tell_unchanged: Annotated[bool, about("Whether a check that found nothing changed is an event, too.")]
    max_per_month: Annotated[int | None, about("Checks in a month (UTC) at most; null: as many as `every` makes.")]
    ref: Annotated[str | None, about("Your own mark.")]
    status: Annotated[WatchStatus, about("Whether it looks.")]
    pauseReason: Annotated[PauseReason | None, about("Why it does not; null while it does.")]
    pausedAt: Annotated[Moment | None, about("Since when; null while it looks.")]
    nextCheckAt: Annotated[Moment | None, about("When it looks next, UTC; null while it is paused.")]
    lastChecks: Annotated[
        list[WatchCheck], about("The last look at its record, and at the liens on its name where these are watched.")
    ]
    pricePerCheck: Annotated[float, about("USD for a look that finds it; nothing is charged otherwise.")]
    pricePerUnchangedCheck: Annotated[float, about("USD where nothing that is watched has changed.")]
    pricePerCheckFromCopy: Annotated[float, about("USD where a loaded copy of the state's bulk data answers.")]
    createdAt: Annotated[Moment, about("When it was made, UTC.")]


class WatchReply(Shape):
    """One watch."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    watch: Annotated[Watch, about("As it is now.")]


class NewWatches(Shape):
    """Watches that were made together."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    created: Annotated[int, about("How many are new; the others were there before, just so.")]
    watches: Annotated[list[Watch], about("In the order asked for, each company once.")]


class WatchList(Shape):
    """A page of watches."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    watches: Annotated[list[Watch], about("The newest first.")]
    nextCursor: Annotated[str | None, about("Send it as `cursor` for the next page; null on the last one.")]


class WatchCheckList(Shape):
    """A page of a watch's checks."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    checks: Annotated[list[WatchCheck], about("The newest first.")]
    nextCursor: Annotated[str | None, about("Send it as `cursor` for the next page; null on the last one.")]
