"""POST /v1/name-availability in the document."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema

from lookups.api.requests.serializers import NameRequest
from lookups.api.schema import describe
from lookups.api.schema.describe import reply
from lookups.api.schema.examples import lookups as lookups_examples
from lookups.api.wire.names import NameReply

check_name = extend_schema(
    operation_id="checkName",
    tags=["Names"],
    summary="Say whether a name is free in a state",
    description="Always asks the registry, unless `source` is `cache`. Charged per verdict, whichever it is; nothing "
    "on 400, 402 and 503. A state whose own search turns programs away is 400 `unsupported_state`; where a copy of its "
    "register is loaded, `details` says so. "
    "A free name is a good sign, not a promise: a filing office decides by more than its register.",
    request=NameRequest,
    parameters=[describe.IDEMPOTENCY_KEY, *describe.HEADERS],
    examples=[lookups_examples.ASK_NAME],
    responses=describe.replies(describe.ASKING, {200: reply(NameReply, "The verdict.", lookups_examples.NAME_TAKEN)}),
)
