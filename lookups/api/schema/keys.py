"""The endpoints about API keys in the document."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema

from billing import customer_keys
from lookups.api.keys.requests import KeyRequest, RotationRequest
from lookups.api.schema import describe
from lookups.api.schema.describe import reply
from lookups.api.schema.examples import errors as errors_examples
from lookups.api.schema.examples import keys as examples
from lookups.api.wire.errors import Error
from lookups.api.wire.keys import KeyList, KeyReply, NewKeyReply

_PATH = OpenApiParameter(
    "keyId", {"type": "string", "pattern": "^key_[0-9a-f]{32}$"}, OpenApiParameter.PATH, description="Its `id`."
)
_ONCE = OpenApiParameter(
    "Idempotency-Key",
    describe.IDEMPOTENCY_KEY.type,
    OpenApiParameter.HEADER,
    description="The same key with the same body makes no second API key for 24 hours: the reply is told again with "
    "`Idempotency-Replayed: true`, and its `secret` is null, for nobody has it any more. If the first reply was lost, "
    "rotate the API key that this one names.",
)
_RIGHT = "Needs the scope `keys`. Beyond the contract of existing clients."
_BOUNDED = (
    "None is made with more rights than the key that asks has: its scopes, its mode (a test key makes and sees test "
    "keys only, a live key both), its expiry and its networks; a key with a monthly budget makes test keys only. What "
    "goes beyond is refused with 403 `forbidden`, and nothing is made."
)
_GONE = reply(Error, "No such key, another account's, or a live key where a test key asks.", examples.NO_KEY)

list_keys = extend_schema(
    operation_id="listKeys",
    tags=["Keys"],
    summary="The account's API keys, newest first",
    description=f"A live key sees all of the account, a test key those of test mode. {_RIGHT}",
    parameters=[describe.cursor("nextCursor", 18), describe.LIMIT, *describe.HEADERS],
    responses=describe.replies(
        describe.KEYED, {200: reply(KeyList, "A page of them.", examples.KEYS), 400: describe.INVALID}
    ),
)

create_key = extend_schema(
    operation_id="createKey",
    tags=["Keys"],
    summary="Make an API key",
    description=f"Its secret is in this reply alone. {_BOUNDED} At most {customer_keys.MOST_KEYS} keys of a mode "
    f"work at a time. {_RIGHT}",
    request=KeyRequest,
    parameters=[_ONCE, *describe.HEADERS],
    examples=[examples.CREATE_LIKE_THIS, examples.CREATE_NARROW],
    responses=describe.replies(
        describe.SENDING,
        describe.KEYED,
        {
            201: reply(NewKeyReply, "The key, and its secret this once.", examples.CREATED, examples.CREATED_BEFORE),
            409: reply(
                Error,
                "Too many keys, or the Idempotency-Key belongs to another request or to one still running.",
                examples.TOO_MANY,
                errors_examples.REUSED,
            ),
        },
    ),
)

read_key = extend_schema(
    operation_id="getKey",
    tags=["Keys"],
    summary="One API key",
    description=f"What it may do, and when it was last used; never its secret. {_RIGHT}",
    parameters=[_PATH, *describe.HEADERS],
    responses=describe.replies(describe.KEYED, {200: reply(KeyReply, "The key.", examples.KEY), 404: _GONE}),
)

rotate_key = extend_schema(
    operation_id="rotateKey",
    tags=["Keys"],
    summary="Exchange an API key for a successor",
    description="The successor has the same name, rights, limits and budget; its secret is in this reply alone. The "
    "old key works on for `overlapSeconds` (a day if nothing is said, seven days at most; 60 seconds at least when a "
    "key rotates itself), then it is refused. Only a key that has no more rights than the one that asks is rotated, "
    "for that one is handed the secret: else 403 `forbidden`. A key is rotated once; of two requests at a time one is "
    "409 `key_ended`. A key that was rotated makes no keys, and rotates its successor alone, while nobody has used "
    f"that. {_RIGHT}",
    request=RotationRequest,
    parameters=[_PATH, _ONCE, *describe.HEADERS],
    examples=[examples.ROTATE],
    responses=describe.replies(
        describe.SENDING,
        describe.KEYED,
        {
            201: reply(NewKeyReply, "The successor, and its secret this once.", examples.ROTATED),
            404: _GONE,
            409: reply(
                Error,
                "It has a successor, is revoked or expired; or the Idempotency-Key belongs to another request.",
                examples.ENDED,
                examples.TOO_MANY,
                errors_examples.REUSED,
            ),
        },
    ),
)

revoke_key = extend_schema(
    operation_id="revokeKey",
    tags=["Keys"],
    summary="Revoke an API key",
    description="It is refused from now on, and what waits for it is cancelled. A key may revoke itself, and any key "
    "that has no scope which it has not itself. The last key that can make others is not revoked (409 `last_key`): "
    f"rotate it, and revoke it with its successor. Revoked again, it stays as it is. {_RIGHT}",
    parameters=[_PATH, *describe.HEADERS],
    responses=describe.replies(
        describe.KEYED,
        {
            200: reply(KeyReply, "The key as it is now.", examples.REVOKED),
            404: _GONE,
            409: reply(Error, "It is the last that can make keys.", examples.LAST),
        },
    ),
)
