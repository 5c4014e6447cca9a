"""The endpoints about watches and events in the document."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema

from lookups.api.schema import describe
from lookups.api.schema.components import refer
from lookups.api.schema.describe import BYTES, reply
from lookups.api.schema.examples import errors as errors_examples
from lookups.api.watches import examples
from lookups.api.watches.requests import MOST_CHECKS, ManyWatchesRequest, WatchChanges, WatchRequest
from lookups.api.wire.errors import Error, InvalidBulk
from lookups.api.wire.watching.events import EventList, Taxonomy
from lookups.api.wire.watching.watches import NewWatches, WatchCheckList, WatchList, WatchReply
from lookups.api.wire.watching.words import EventCategory, Every, WatchStatus

_PATH = OpenApiParameter(
    "watchId", {"type": "string", "pattern": "^watch_[0-9a-f]{32}$"}, OpenApiParameter.PATH, description="Its `id`."
)
_STATE = OpenApiParameter(
    "state", {"type": "string", "pattern": "^[A-Za-z]{2}$"}, description="Of this jurisdiction alone."
)
_RIGHT = "Needs the scope `watches`. Beyond the contract of existing clients."
_ONCE = OpenApiParameter(
    "Idempotency-Key",
    describe.IDEMPOTENCY_KEY.type,
    OpenApiParameter.HEADER,
    description="The same key with the same body makes nothing anew for 24 hours; what is watched just so already is "
    "not made again without one either.",
)
_CHECKED_ONCE = OpenApiParameter(
    "Idempotency-Key",
    describe.IDEMPOTENCY_KEY.type,
    OpenApiParameter.HEADER,
    description="The same key for the same watch has it look once in 24 hours, however often it is sent.",
)
_PRICE = (
    "Each check is a lookup of its own (origin `watch`) at the price of the moment it is made, charged where it finds "
    "the company. What was found unchanged costs `pricePerUnchangedCheck`, an answer from a loaded copy "
    "`pricePerCheckFromCopy`. A balance or a budget that does not cover a check pauses the watch, which is an event."
)
_GONE = reply(Error, "No such watch, another account's or mode's, or one that was deleted.", examples.NO_WATCH)
_CONFLICT = reply(
    Error,
    "Too many watches in test mode, or the Idempotency-Key belongs to another request or to one still running.",
    examples.TOO_MANY,
    errors_examples.REUSED,
)


_WORDS_OF_A_TABLE = [
    describe.of_a_table("every", refer(Every), "how often to look, where a row says nothing else."),
    describe.of_a_table("email_digest", OpenApiTypes.BOOL, "whether events are mailed once a day."),
    describe.of_a_table("tell_unchanged", OpenApiTypes.BOOL, "whether a check that found nothing changed is an event."),
    describe.of_a_table(
        "max_per_month", {"type": "integer", "minimum": 1, "maximum": MOST_CHECKS}, "checks in a month (UTC) at most."
    ),
]

list_watches = extend_schema(
    operation_id="listWatches",
    tags=["Watches"],
    summary="The account's watches, newest first",
    description=f"Those of the key's mode, with what their last checks came to. {_RIGHT}",
    parameters=[
        _STATE,
        OpenApiParameter("status", refer(WatchStatus), description="Those that look, or those that are paused."),
        describe.place("nextCursor"),
        describe.LIMIT,
        *describe.HEADERS,
    ],
    responses=describe.replies(
        describe.KEYED, {200: reply(WatchList, "A page of them.", examples.WATCHES), 400: describe.INVALID}
    ),
)

create_watch = extend_schema(
    operation_id="createWatch",
    tags=["Watches"],
    summary="Watch a company",
    description="It is looked at soon, which is what later checks are compared with, and then at a time of its own in "
    f"each day, week or month. {_PRICE} {_RIGHT}",
    request=WatchRequest,
    parameters=[_ONCE, *describe.HEADERS],
    examples=[examples.CREATE, examples.CREATE_BY_NAME],
    responses=describe.replies(
        describe.SENDING,
        describe.KEYED,
        {
            200: reply(WatchReply, "It was watched just so before.", examples.SAME),
            201: reply(WatchReply, "It is watched.", examples.CREATED),
            409: _CONFLICT,
        },
    ),
)

create_watches = extend_schema(
    operation_id="createWatches",
    tags=["Watches"],
    summary="Watch up to 1,000 companies",
    description="`watches` are rows of their own; or `bulk_job` names a bulk job, and every company that it found is "
    "watched from the reading it has, without another one. The rows may also come as a table (`text/csv`, UTF-8, with "
    "a header: `state`, `entity_id`, `entity_name`, `every`, `on`, `webhook`, `email_digest`, `tell_unchanged`, "
    "`max_per_month`, `ref`). All are made or "
    f"none. {_PRICE} {_RIGHT}",
    request={describe.JSON: ManyWatchesRequest, "text/csv": BYTES},
    parameters=[*_WORDS_OF_A_TABLE, _ONCE, *describe.HEADERS],
    examples=[examples.CREATE_MANY, examples.CREATE_BY_TABLE],
    responses=describe.replies(
        describe.SENDING,
        describe.KEYED,
        {
            200: reply(NewWatches, "All of them were watched just so before.", examples.MADE_BEFORE),
            201: reply(NewWatches, "They are watched.", examples.MADE),
            400: reply(InvalidBulk, "Nothing was made.", errors_examples.INVALID_BULK),
            404: reply(Error, "No such bulk job, or another account's.", errors_examples.NO_JOB),
            409: _CONFLICT,
        },
    ),
)

read_watch = extend_schema(
    operation_id="getWatch",
    tags=["Watches"],
    summary="One watch",
    description=f"How it is set, and what its last checks came to. {_RIGHT}",
    parameters=[_PATH, *describe.HEADERS],
    responses=describe.replies(describe.KEYED, {200: reply(WatchReply, "The watch.", examples.WATCH), 404: _GONE}),
)

change_watch = extend_schema(
    operation_id="changeWatch",
    tags=["Watches"],
    summary="Pause a watch, take it up again, or set it otherwise",
    description="Whom it watches stays: that would be another watch. One that was paused for want of money looks at "
    f"once when it is taken up again, one that you paused at its next time. {_RIGHT}",
    request=WatchChanges,
    parameters=[_PATH, *describe.HEADERS],
    examples=[examples.PAUSE, examples.RESET],
    responses=describe.replies(
        describe.SENDING,
        describe.KEYED,
        {200: reply(WatchReply, "As it is now.", examples.PAUSED), 404: _GONE},
    ),
)

delete_watch = extend_schema(
    operation_id="deleteWatch",
    tags=["Watches"],
    summary="Watch a company no more",
    description=f"A check that has not begun is cancelled; what was seen stays among the events. {_RIGHT}",
    parameters=[_PATH, *describe.HEADERS],
    responses=describe.replies(describe.KEYED, {200: reply(WatchReply, "As it was.", examples.DELETED), 404: _GONE}),
)

list_checks = extend_schema(
    operation_id="listWatchChecks",
    tags=["Watches"],
    summary="What a watch's checks came to, newest first",
    description=f"With the fields that the source did not show: nothing is known of these. {_RIGHT}",
    parameters=[_PATH, describe.cursor("nextCursor", 18), describe.LIMIT, *describe.HEADERS],
    responses=describe.replies(
        describe.KEYED,
        {200: reply(WatchCheckList, "A page of them.", examples.CHECKS), 400: describe.INVALID, 404: _GONE},
    ),
)

check_now = extend_schema(
    operation_id="checkNow",
    tags=["Watches"],
    summary="Have a watch look at once",
    description="Beside its own times. It is a check like any other: it is charged, and counts among `max_per_month`. "
    f"{_RIGHT}",
    request=None,
    parameters=[_PATH, _CHECKED_ONCE, *describe.HEADERS],
    responses=describe.replies(
        describe.KEYED,
        {
            202: reply(WatchReply, "It is due.", examples.DUE),
            400: describe.INVALID,
            404: _GONE,
            409: reply(
                Error,
                "It is paused, or has made its checks of this month; or the Idempotency-Key belongs to another request "
                "or to one still running.",
                examples.IS_PAUSED,
                examples.USED_UP,
                errors_examples.REUSED,
            ),
        },
    ),
)

list_events = extend_schema(
    operation_id="listEvents",
    tags=["Watches"],
    summary="What was seen at watched companies, oldest first",
    description="Keep `nextCursor` and ask again with it: you get what was seen since, each event once and none left "
    "out. The same events go out as webhooks (`watch.changed`, `watch.unchanged`, `watch.unclear`, `watch.paused`) and "
    f"mails. {_RIGHT}",
    parameters=[
        OpenApiParameter("category", refer(EventCategory), description="Events of this category alone."),
        _STATE,
        OpenApiParameter(
            "watch", {"type": "string", "pattern": "^watch_[0-9a-f]{32}$"}, description="Of this watch alone."
        ),
        describe.cursor("nextCursor", 18, "^[0-9]+$"),
        describe.LIMIT,
        *describe.HEADERS,
    ],
    responses=describe.replies(
        describe.KEYED,
        {200: reply(EventList, "A page of them.", examples.EVENTS), 400: describe.INVALID, 404: _GONE},
    ),
)

read_taxonomy = extend_schema(
    operation_id="getEventTaxonomy",
    tags=["Watches"],
    summary="All that an event can be",
    description="Categories, codes, how much each matters and what it means. Needs no key.",
    auth=[],
    parameters=[describe.REQUEST_ID],
    responses=describe.replies({200: reply(Taxonomy, "The table.", examples.TAXONOMY)}),
)
