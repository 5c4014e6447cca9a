"""Who is asking: an API key in `x-api-key`, or as `Authorization: Bearer`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from billing import audit, keys
from billing.models import Account, ApiKey
from lookups import client_address
from lookups.api import errors, throttling

if TYPE_CHECKING:
    from rest_framework.views import APIView

    from lookups.api.endpoint import Endpoint

FROM_HERE = "This API key may not be used from this address: its allowedNetworks are others"


def read_secret(request: Request | HttpRequest) -> str:
    """The key the caller sent, empty when there is none. `x-api-key` goes before `Authorization`."""
    secret: str = request.META.get("HTTP_X_API_KEY", "").strip()
    if secret:
        return secret
    scheme, _, value = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return value.strip() if scheme.lower() == "bearer" else ""


def refusal(request: Request) -> errors.ApiError:
    """The 401 of a key that opens nothing, counted against the address; 429 once that has had a minute's worth."""
    rate = throttling.count_keyless(request)
    return errors.unauthorized() if rate.allowed else throttling.refusal(rate)


def actor_of(request: Request) -> audit.Actor:
    """The key that opened a request, with the address it came from, as the audit log names who did something."""
    key = request.auth
    name = f"key {key.prefix}… of account {key.account_id}" if isinstance(key, ApiKey) else "nobody"
    return audit.Actor(name, client_address.address_of(request._request), request.request_id)  # type: ignore[attr-defined]


class ApiKeyAuthentication(BaseAuthentication):
    """Opens the request with its key: `request.auth` is the ApiKey, `request.user` its Account. One query."""

    def authenticate(self, request: Request) -> tuple[Account, ApiKey] | None:
        """Return account and key; None without a key; ApiError 401 for a wrong one, 403 for one from elsewhere."""
        secret = read_secret(request)
        if not secret:
            scheme = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")[0].lower()
            if scheme not in ("", "payment"):
                raise refusal(request)  # something was sent that opens nothing: that is not the same as no key
            return None
        try:
            key = keys.verify(secret=secret, now=timezone.now(), address=client_address.find(request._request))
        except keys.WrongNetwork as elsewhere:
            raise errors.forbidden(FROM_HERE) from elsewhere  # a good key: not counted as a wrong one
        except keys.InvalidKey as wrong:
            raise refusal(request) from wrong  # which of the reasons it is stays here
        return key.account, key

    def authenticate_header(self, request: Request) -> str:
        """What 401 asks for."""
        return errors.CHALLENGE


class HasApiKey(BasePermission):
    """A key is needed, and its scopes must allow what the endpoint does (`list_scopes` of the view; none: any key)."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the request may go on; a key that lacks the scope is refused with that scope's name."""
        key = request.auth
        if not isinstance(key, ApiKey):
            return False
        scopes = cast("Endpoint", view).list_scopes()
        if scopes and not any(map(key.allows, scopes)):
            raise errors.forbidden(f'This API key may not be used for this endpoint: it lacks the scope "{scopes[0]}"')
        return True
