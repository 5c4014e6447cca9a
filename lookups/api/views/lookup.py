"""POST /v1/lookup: what does the state's own registry say about this company?"""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from billing.challenge import PaymentProblem
from billing.models import Account, ApiKey
from lookups.api import errors, idempotency, replies
from lookups.api.endpoint import Endpoint
from lookups.api.pay_per_request import KeyOrPayment, Till
from lookups.api.schema import describe
from lookups.api.serializers import Flag, LookupRequest
from lookups.idempotency import Claim
from lookups.lookup.asks import Ask
from lookups.lookup.flow import perform
from lookups.lookup.questions import Question


class LookupView(Endpoint):
    """One lookup, of a company or of UCC filings."""

    scope = "lookup"
    sells = True
    permission_classes = (KeyOrPayment,)

    @describe.lookup
    def post(self, request: Request) -> Any:
        """Look a company up, or the UCC filings of a party."""
        if request.auth is None:
            return self.sell(request)
        said = read_request(request)
        key = self.key_of(request)

        def answer(claim: Claim | None) -> Response:
            ask = to_ask(said, key=key, request_id=request.request_id, claim=claim)  # type: ignore[attr-defined]
            outcome = perform(ask=ask, now=timezone.now(), render=replies.to_body)
            return replies.to_response(outcome, request_id=request.request_id)  # type: ignore[attr-defined]

        return idempotency.answer_once(request, key=key, answer=answer)

    def sell(self, request: Request) -> Any:
        """Answer a request without a key for a payment; without one, say what it costs."""
        till = Till(request)
        try:
            credential = till.find_credential()
            if credential is None:
                return till.demand()
            said = read_request(request)  # nobody pays for a 400
            return till.sell(to_question(said), credential=credential, accepts_stored=accepts_stored(said, None))
        except PaymentProblem as problem:
            return till.demand(problem)


def read_request(request: Request) -> dict[str, Any]:
    """The valid body, with `fresh` of the query string where the body has none; ApiError 400 otherwise."""
    serializer = LookupRequest(data=request.data)
    if not serializer.is_valid():
        unknown = any(error.code == "unknown" for error in serializer.errors.get("state", []))
        raise errors.invalid(serializer.errors, code="unsupported_state" if unknown else "invalid_request")
    said: dict[str, Any] = dict(serializer.validated_data)
    if "fresh" not in said and "fresh" in request.query_params:
        try:
            said["fresh"] = Flag().run_validation(request.query_params["fresh"])
        except errors.exceptions.ValidationError as wrong:
            raise errors.invalid({"fresh": wrong.detail}) from None
    return said


def to_ask(said: dict[str, Any], *, key: ApiKey, request_id: str, claim: Claim | None) -> Ask:
    """The request as the service understands it."""
    same = {"ask_id": claim.ask_id, "resumed": claim.resumed} if claim else {}
    return Ask(
        question=to_question(said),
        key=key,
        accepts_stored=accepts_stored(said, key.account),
        request_id=request_id,
        **same,
    )


def to_question(said: dict[str, Any]) -> Question:
    """What is asked of which registry."""
    return Question(
        state=said["state"],
        name=said.get("entity_name"),
        entity_id=said.get("entity_id"),
        kind=said.get("searchType", "business_entity"),
        search_by=said.get("searchBy", "debtor"),
        date_after=said.get("dateAfter"),
        date_before=said.get("dateBefore"),
    )


def accepts_stored(said: dict[str, Any], account: Account | None) -> bool:
    """Whether a stored record will do: `source` goes before `fresh`, both before the account's preference."""
    preference = account.cache_first_default if account else False
    if "source" in said:
        source = said["source"]
        return preference if source == "auto" else bool(source == "cache")
    if "fresh" in said:
        return not said["fresh"]
    return preference
