"""/v1/keys: a customer's keys, listed, made, rotated and revoked with one of them. No reply shows a secret twice."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from billing import customer_keys, keys, limits, money
from billing.models import ApiKey
from lookups.api import errors, idempotency
from lookups.api.endpoint import Endpoint
from lookups.api.keys.requests import KeyRequest, RotationRequest
from lookups.api.requests.serializers import read
from lookups.api.schema import keys as describe
from lookups.api.views import paging
from lookups.api.wire.keys import Key, KeyLimits, KeyList, KeyReply, NewKeyReply
from lookups.api.wire.words import KeyMode, KeyStatus, Scope
from lookups.idempotency import Claim
from lookups.lookup.storage import wire_time

_NAMES = {
    "name": "name",
    "mode": "mode",
    "scopes": "scopes",
    "expiresAt": "expires_at",
    "allowedNetworks": "allowed_networks",
}
Done = TypeVar("Done")


class KeysView(Endpoint):
    """The keys of the account, as far as the key that asks sees them."""

    scope = customer_keys.SCOPE

    @describe.list_keys
    def get(self, request: Request) -> Response:
        """A page of them, newest first."""
        by, asked, wrong = self.key_of(request), request.query_params, paging.Wrong()
        before = paging.read_number(asked.get("cursor"), "cursor", wrong, most=paging.LAST)
        limit = paging.read_limit(asked.get("limit"), wrong)
        if wrong:
            raise errors.invalid(wrong)
        page, more = paging.take(customer_keys.list_keys(by=by, before=before), limit)
        return Response(
            KeyList(
                success=True,
                livemode=by.livemode,
                keys=[key_fields(key, now=timezone.now()) for key in page],
                nextCursor=str(page[-1].pk) if more else None,
            )
        )

    @describe.create_key
    def post(self, request: Request) -> Response:
        """Make one."""
        by, asked = self.key_of(request), read(KeyRequest, request.data)
        wanted = {_NAMES[name]: value for name, value in asked.items()}

        def answer(claim: Claim | None) -> Response:
            now = timezone.now()
            return _made(by, _refusing(lambda: customer_keys.create(by=by, named=_name(claim), now=now, **wanted)), now)

        return idempotency.answer_once(request, key=by, answer=answer)


class OneKeyView(Endpoint):
    """One of them."""

    scope = customer_keys.SCOPE

    @describe.read_key
    def get(self, request: Request, keyId: str) -> Response:
        """What it may do, and whether it is used."""
        by = self.key_of(request)
        return _reply(by, _get(keyId, by))

    @describe.revoke_key
    def delete(self, request: Request, keyId: str) -> Response:
        """Refuse it from now on."""
        by = self.key_of(request)
        key = _get(keyId, by)
        _refusing(lambda: customer_keys.revoke(by=by, key=key, now=timezone.now()))
        return _reply(by, _get(keyId, by))


class RotationView(Endpoint):
    """A successor for one of them."""

    scope = customer_keys.SCOPE

    @describe.rotate_key
    def post(self, request: Request, keyId: str) -> Response:
        """Make it; the old key works on for a while."""
        by, seconds = self.key_of(request), read(RotationRequest, request.data).get("overlapSeconds")
        overlap = customer_keys.OVERLAP if seconds is None else timedelta(seconds=seconds)
        key = _get(keyId, by)

        def answer(claim: Claim | None) -> Response:
            now = timezone.now()
            made = _refusing(lambda: customer_keys.rotate(by=by, key=key, overlap=overlap, named=_name(claim), now=now))
            return _made(by, made, now)

        return idempotency.answer_once(request, key=by, answer=answer)


def key_fields(key: ApiKey, *, now: datetime) -> Key:
    """A key as the wire has it at `now`."""
    budget, successor = key.monthly_budget, getattr(key, "replaced_by", None)
    return Key(
        id=key.public_id,
        name=key.name,
        mode=KeyMode(key.mode),
        prefix=key.prefix,
        status=KeyStatus(key.status_at(now)),
        scopes=[Scope(scope) for scope in key.scopes] or None,
        allowedNetworks=key.allowed_networks,
        limits=KeyLimits(
            requestsPerMinute=limits.requests_per_minute(key),
            concurrentLookups=limits.concurrent_lookups(key),
            monthlyBudget=None if budget is None else money.to_json_number(budget),
        ),
        createdAt=wire_time(key.created_at),
        expiresAt=wire_time(key.expires_at),
        revokedAt=wire_time(key.revoked_at),
        lastUsedAt=wire_time(key.last_used_at),
        replaces=key.replaces.public_id if key.replaces else None,
        replacedBy=successor.public_id if successor else None,
    )


def _name(claim: Claim | None) -> uuid.UUID | None:
    """A key is called by the ask that made it, so that its repetition finds it."""
    return claim.ask_id if claim else None


def _get(key_id: str, by: ApiKey) -> ApiKey:
    found = customer_keys.find(key_id, by=by)
    if found is None:
        raise errors.ApiError(404, "key_not_found", "Key not found")
    return found


def _reply(by: ApiKey, key: ApiKey) -> Response:
    return Response(KeyReply(success=True, livemode=by.livemode, key=key_fields(key, now=timezone.now())))


def _made(by: ApiKey, made: tuple[ApiKey, str | None], now: datetime) -> Response:
    """The one reply with a secret; like all replies to a key it is not to be stored (`Cache-Control: no-store`)."""
    key, secret = made
    return Response(
        NewKeyReply(
            success=True,
            livemode=by.livemode,
            key=key_fields(key, now=now),
            secret=secret,
            previousValidUntil=wire_time(key.replaces.revoked_at) if key.replaces else None,
        ),
        status=201,
        headers={"Location": f"/v1/keys/{key.public_id}"},
    )


def _refusing(act: Callable[[], Done]) -> Done:
    """What `act` returns, or its refusal as an error of the API."""
    try:
        return act()
    except customer_keys.Beyond as beyond:
        raise errors.forbidden(str(beyond)) from beyond
    except customer_keys.TooShort as short:
        text = "A key that rotates itself keeps working for at least 60 seconds; its successor can revoke it."
        raise errors.invalid({"overlapSeconds": [text]}) from short
    except customer_keys.KeyEnded as ended:
        text = "The key was rotated or revoked, or has expired"
        raise errors.ApiError(409, "key_ended", text) from ended
    except customer_keys.LastKey as last:
        text = "No other key could make keys: rotate this one, and revoke it with its successor"
        raise errors.ApiError(409, "last_key", text) from last
    except customer_keys.TooManyKeys as many:
        text = f"At most {customer_keys.MOST_KEYS} keys of a mode work at a time: revoke some"
        raise errors.ApiError(409, "too_many_keys", text) from many
    except keys.InvalidKey as wrong:  # the key that asks has ended meanwhile
        raise errors.unauthorized() from wrong
