"""GET /v1/entities/{state}/{entityId} in the document."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema

from lookups.api.schema import describe
from lookups.api.schema.describe import reply
from lookups.api.schema.examples import history as examples
from lookups.api.wire.entities import EntityHistory
from lookups.api.wire.errors import Error

STATE = OpenApiParameter(
    "state",
    {"type": "string", "minLength": 2, "maxLength": 2, "pattern": "^[A-Za-z]{2}$"},
    OpenApiParameter.PATH,
    description="The jurisdiction, two letters.",
)
ENTITY_ID = OpenApiParameter(
    "entityId",
    {"type": "string", "minLength": 1, "maxLength": 120, "pattern": "^[0-9A-Za-z .:-]+$"},
    OpenApiParameter.PATH,
    description="The state's own identifier: `entityId` of a record.",
)
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    OpenApiParameter.HEADER,
    description="The same key with the same address has the same `cost` and `lookupId` for 24 hours. Without one "
    "nothing is charged twice either: a history that was bought is free from then on.",
)

entity_history = extend_schema(
    operation_id="getEntityHistory",
    tags=["Lookup"],
    summary="A company's history, as far as it was read here",
    description="The record as it was last read, every version of it, and what changed between them. No registry is "
    "asked. Free for an account that has bought a reading of the company (any lookup that found it, or an earlier "
    "request here); otherwise it costs what a stored record costs, once. What is not kept is 404 and costs nothing. "
    "`registryHistory` is what the registry itself tells of the past, `changes` what was seen to change between two "
    "readings here: nothing is known of what came and went in between.",
    parameters=[
        STATE,
        ENTITY_ID,
        OpenApiParameter(
            "as_of",
            describe.DAY,
            description="What had been read by the end of this day (UTC), today at the latest. 404 `not_read_by_then` "
            "if nothing had.",
        ),
        OpenApiParameter(
            "noise",
            {"type": "boolean", "default": False},
            description="Whether another case, punctuation, order or way of writing an address is a change, too.",
        ),
        describe.cursor("nextCursor", 18),
        describe.LIMIT,
        IDEMPOTENCY_KEY,
        *describe.HEADERS,
    ],
    responses=describe.replies(
        describe.KEYED,
        describe.SPENDING,
        {
            200: reply(EntityHistory, "Its history.", examples.HISTORY),
            400: describe.INVALID,
            404: reply(
                Error,
                "Nothing was read about it, or not by that day; or several companies bear the number.",
                examples.NOT_KEPT,
                examples.NOT_READ_BY_THEN,
                examples.MIXED,
            ),
        },
    ),
)
