"""POST /v1/lookup: what does the state's own registry say about this company?"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from billing.models import Account
from billing.payments import checkout
from lookups.api import errors, idempotency, parsers, pay_per_request, replies
from lookups.api.endpoint import Endpoint
from lookups.api.pay_per_request import KeyOrPayment
from lookups.api.requests.fields import Flag
from lookups.api.requests.serializers import LookupRequest, read
from lookups.api.schema import lookups as describe
from lookups.idempotency import Claim
from lookups.lookup import checks
from lookups.lookup.asks import Ask
from lookups.lookup.flow import perform
from lookups.lookup.outcomes import OutOfFunds, Refused, Unavailable
from lookups.lookup.payers import KeyPayer, Payer
from lookups.lookup.questions import Question
from scrapers.failures import Failure


class LookupView(Endpoint):
    """One lookup, of a company or of UCC filings."""

    scope = "lookup"
    sells = True
    permission_classes = (KeyOrPayment,)

    @describe.lookup
    def post(self, request: Request) -> Any:
        """Look a company up, or the UCC filings of a party."""
        if pay_per_request.pays_itself(request):
            return pay_per_request.answer_paid(
                request,
                read=lambda: read_request(request),
                refuse=_refuse_in_vain,
                answer=lambda asked, payer: _answer(request, asked, payer),
            )
        parsers.raw_body(request)  # keeps the bytes, to which a challenge would be bound
        asked, key = read_request(request), self.key_of(request)
        self.refuse_played(key, [to_question(asked)])
        return idempotency.answer_once(
            request, key=key, answer=lambda claim: _answer(request, asked, KeyPayer(key), claim)
        )


def _answer(request: Request, asked: dict[str, Any], payer: Payer, claim: Claim | None = None) -> Response:
    ask = Ask(
        question=to_question(asked),
        payer=payer,
        accepts_stored=accepts_stored(asked, payer.account),
        request_id=request.request_id,  # type: ignore[attr-defined]
        ref=asked.get("ref"),
        max_wait=read_max_wait(asked),
        **idempotency.same_ask(claim),
    )
    result = perform(ask=ask, now=timezone.now())
    if isinstance(result, OutOfFunds):
        raise pay_per_request.offer(request, replies.out_of_funds(result, payer.account))
    return replies.to_response(result, account=payer.account)


def _refuse_in_vain(asked: dict[str, Any]) -> None:
    """ApiError for what no registry takes (400), or is asked while its state is switched off (503).

    Nobody is asked to pay for that; but the pretended registry takes all states, and what was read before may do.
    """
    if checkout.is_pretended("lookup") or accepts_stored(asked, None):
        return
    question, payer = to_question(asked), Payer()
    payer.sandbox = False
    match checks.find_objection(Ask(question=question, payer=payer), now=timezone.now()):
        case Refused() as refused:
            raise replies.refusal(refused, state=question.state)
        case Unavailable(reason=Failure.DISABLED) as off:
            raise replies.switched_off(off)


def read_request(request: Request) -> dict[str, Any]:
    """The valid body, with `fresh` of the query string before that of the body; ApiError 400 otherwise."""
    asked = read(LookupRequest, request.data)
    if "fresh" in request.query_params:
        try:
            asked["fresh"] = Flag().run_validation(request.query_params["fresh"])
        except ValidationError as wrong:
            raise errors.invalid({"fresh": wrong.detail}) from None
    return asked


def read_max_wait(asked: dict[str, Any]) -> timedelta | None:
    """How long the caller lets it take as a job; None where nothing is said."""
    seconds = asked.get("max_wait_seconds")
    return None if seconds is None else timedelta(seconds=seconds)


def to_question(asked: dict[str, Any]) -> Question:
    """What is asked of which registry."""
    return Question(
        state=asked["state"],
        name=asked.get("entity_name"),
        entity_id=asked.get("entity_id"),
        kind=asked.get("searchType", "business_entity"),
        search_by=asked.get("searchBy", "debtor"),
        date_after=asked.get("dateAfter"),
        date_before=asked.get("dateBefore"),
        include=tuple(asked.get("include", ())),
    )


def accepts_stored(asked: dict[str, Any], account: Account | None) -> bool:
    """Whether a stored record will do: `source` goes before `fresh`, both before the account's preference."""
    preference = account.cache_first_default if account else False
    if "source" in asked:
        source = asked["source"]
        return preference if source == "auto" else bool(source == "cache")
    if "fresh" in asked:
        return not asked["fresh"]
    return preference
