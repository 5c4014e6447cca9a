"""POST /v1/name-availability: is this name free in this state?"""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from lookups.api import idempotency, replies
from lookups.api.endpoint import Endpoint
from lookups.api.requests.serializers import NameRequest, read
from lookups.api.schema import names as describe
from lookups.idempotency import Claim
from lookups.lookup.asks import Ask
from lookups.lookup.flow import perform
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question


class NameAvailabilityView(Endpoint):
    """One name check."""

    scope = "names"

    @describe.check_name
    def post(self, request: Request) -> Any:
        """Say whether a name is free."""
        question, key = _read(request), self.key_of(request)
        self.refuse_played(key, [question])

        def answer(claim: Claim | None) -> Response:
            ask = Ask(
                question=question,
                payer=KeyPayer(key),
                request_id=request.request_id,  # type: ignore[attr-defined]
                **idempotency.same_ask(claim),
            )
            outcome = perform(ask=ask, now=timezone.now())
            return replies.to_response(outcome, account=key.account)

        return idempotency.answer_once(request, key=key, answer=answer)


def _read(request: Request) -> Question:
    asked = read(NameRequest, request.data)
    return Question(
        state=asked["state"],
        name=asked["entity_name"],
        kind="name_check",
        from_copy=asked.get("source") == "cache",
    )
