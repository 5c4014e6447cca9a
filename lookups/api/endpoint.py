"""What every endpoint of /v1 does around its one domain call: key, limits, headers, the one error shape."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NoReturn

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.exceptions import NotAcceptable
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from billing import audit, limits, prices
from billing.models import ApiKey
from lookups.api import authentication, errors, replies, throttling
from lookups.api.authentication import HasApiKey
from lookups.lookup.outcomes import OutOfFunds
from lookups.lookup.questions import Question
from scrapers.sandbox.magic import find_played


class Endpoint(APIView):
    """An endpoint that needs a key. `scope` is the right the key must have; None: any key."""

    permission_classes = (HasApiKey,)
    http_method_names: Sequence[str] = ("get", "post", "put", "patch", "delete", "head")
    scope: ClassVar[str | None] = None
    sells: ClassVar[bool] = False  # whether a request without a key may get this far, to pay as it goes
    polled: ClassVar[bool] = False  # whether a GET is a look at work that was asked for
    rate: limits.Rate | None = None
    unreadable: Exception | None = None  # why the reply cannot be written as it is wanted

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer; what the audit log is told of meanwhile, the key has done."""
        with audit.acting(lambda: authentication.actor_of(self.request)):
            return super().dispatch(request, *args, **kwargs)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[Any, str]:
        """What the reply is written in. Whoever can read none of it is told so once it is known who asks, not before:
        that refusal counts as every other does."""
        try:
            return super().perform_content_negotiation(request, force)
        except (errors.ApiError, NotAcceptable) as refused:
            self.unreadable = refused
            first = self.get_renderers()[0]
            return first, first.media_type

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Who asks, whether they may, and whether they can read the answer."""
        super().initial(request, *args, **kwargs)
        if self.unreadable is not None:
            raise self.unreadable

    def list_scopes(self) -> list[str]:
        """The rights of which its key must have one; none: any key."""
        return [] if self.scope is None else [self.scope]

    def check_permissions(self, request: Request) -> None:
        """Whether they may. A key that has no right to it is counted all the same, and told how far it has got."""
        try:
            super().check_permissions(request)
        except errors.ApiError:
            if request.auth is not None:
                self.check_throttles(request)
            raise

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> NoReturn:
        """No key where one is needed is counted like a wrong one; a key that may not do this is told so."""
        if request.auth is None:
            raise authentication.refusal(request)
        super().permission_denied(request, message, code)

    def check_throttles(self, request: Request) -> None:
        """Count the request; 429 when its minute is spent."""
        if self.is_look(request):
            self.rate = throttling.count_poll(request)
        elif self.sells and request.auth is None:
            self.rate = throttling.count_keyless(request)
        else:
            self.rate = throttling.count(request)
        if self.rate is not None and not self.rate.allowed:
            raise throttling.refusal(self.rate)

    def is_look(self, request: Request) -> bool:
        """Whether it is a look at work that was asked for, of which there may be many."""
        return self.polled and request.method == "GET"

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Add what every reply to a key carries."""
        finished = super().finalize_response(request, response, *args, **kwargs)
        # What has no such mark was made by Django for people, and is put into our shape.
        finished.from_endpoint = True  # type: ignore[attr-defined]
        if self.rate is not None:
            for name, value in throttling.headers(self.rate).items():
                finished[name] = value
        if not finished.has_header("Cache-Control"):
            finished["Cache-Control"] = "no-store"
        return finished

    def key_of(self, request: Request) -> ApiKey:
        """The key that opened this request."""
        assert isinstance(request.auth, ApiKey)
        return request.auth

    def refuse_played(self, key: ApiKey, questions: Iterable[Question]) -> None:
        """Raise the 402 or the 429 that a name among a test key's questions has the service play: docs/sandbox.md."""
        if not key.is_test:
            return
        asked = {(one.state, one.kind, one.spelled): one.name for one in questions}
        played = {find_played(name) for name in asked.values() if name}
        if "too_many_requests" in played and self.rate is not None:
            wait = max(1, math.ceil(self.rate.reset_epoch - timezone.now().timestamp()))
            self.rate = self.rate._replace(allowed=False, remaining=0, retry_after=wait)
            raise throttling.refusal(self.rate)
        if "no_funds" in played:
            raise replies.out_of_funds(OutOfFunds(0, len(asked) * prices.LOOKUP), key.account)


class OpenEndpoint(Endpoint):
    """An endpoint that anybody may read."""

    authentication_classes = ()
    permission_classes = ()  # type: ignore[assignment]
