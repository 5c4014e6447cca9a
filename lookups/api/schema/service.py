"""GET /v1/states and GET /v1/health in the document: no key is needed."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from lookups.api.schema import describe
from lookups.api.schema.components import list_of
from lookups.api.schema.describe import reply
from lookups.api.schema.examples import errors as errors_examples
from lookups.api.schema.examples import service as service_examples
from lookups.api.wire.errors import Error
from lookups.api.wire.service import Health, State

_UNCHANGED: dict[Any, OpenApiResponse] = {304: OpenApiResponse(description="Nothing changed since the ETag you sent.")}

states = extend_schema(
    operation_id="listStates",
    tags=["Service"],
    summary="Every jurisdiction and what can be asked of it",
    description="Read from the switches and measurements of this moment; may be kept for a minute.",
    auth=[],
    parameters=[
        OpenApiParameter(
            "If-None-Match",
            OpenApiTypes.STR,
            OpenApiParameter.HEADER,
            description="An earlier ETag.",
        ),
        OpenApiParameter(
            "ETag", OpenApiTypes.STR, OpenApiParameter.HEADER, response=[200, 304], description="Names this version."
        ),
        describe.REQUEST_ID,
    ],
    responses=_UNCHANGED
    | describe.replies(
        {
            200: reply(list_of(State), "A bare array, by code.", service_examples.STATES),
            500: reply(Error, "Something broke here.", errors_examples.CRASHED),
        }
    ),
)

health = extend_schema(
    operation_id="getHealth",
    tags=["Service"],
    summary="Whether the service is well",
    description="200 while it can serve, also when degraded: a registry or the queue is ill, or a process is missing."
    " What would be left to a process that is missing is refused with a 503.",
    auth=[],
    parameters=[describe.REQUEST_ID],
    responses=describe.replies(
        {
            200: reply(Health, "It can serve, perhaps degraded.", service_examples.HEALTHY),
            503: reply(Error, "It cannot serve."),
        }
    ),
)
