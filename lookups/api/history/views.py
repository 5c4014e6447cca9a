"""GET /v1/entities/{state}/{entityId}: what was read of a company, from the first reading to the last."""

from __future__ import annotations

from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from lookups.api import errors, idempotency, replies
from lookups.api.endpoint import Endpoint
from lookups.api.history import bodies
from lookups.api.history import schema as describe
from lookups.api.requests.fields import Flag
from lookups.api.views import paging
from lookups.history.sale import Mixed, NothingKept, read_history
from lookups.history.versions import Wanted
from lookups.idempotency import Claim
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import OutOfFunds
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question


class EntityHistoryView(Endpoint):
    """The history of one company, in the key's mode."""

    scope = "lookup"
    http_method_names = ("get",)  # a HEAD would be charged for, and bring nothing

    @describe.entity_history
    def get(self, request: Request, state: str, entityId: str) -> Response:
        """What is kept of it; no registry is asked."""
        wanted = _asked(request)
        question = Question(state.upper(), entity_id=entityId)
        return idempotency.answer_once(
            request, key=self.key_of(request), answer=lambda claim: self._answer(request, question, wanted, claim)
        )

    def _answer(self, request: Request, question: Question, wanted: Wanted, claim: Claim | None) -> Response:
        payer = KeyPayer(self.key_of(request))
        ask = Ask(
            question=question,
            payer=payer,
            accepts_stored=True,
            request_id=request.request_id,  # type: ignore[attr-defined]
            **idempotency.same_ask(claim),
        )
        match read_history(ask=ask, wanted=wanted, now=timezone.now()):
            case NothingKept(entity=None):
                raise errors.ApiError(404, "entity_not_found", "Entity not found")
            case NothingKept():
                raise errors.ApiError(404, "not_read_by_then", "Nothing had been read about it by that day")
            case Mixed():
                raise errors.ApiError(404, "ambiguous_name", "Entity not found")
            case OutOfFunds() as short:
                raise replies.out_of_funds(short, payer.account)
            case shown:
                headers = {"Cache-Control": "private, no-store"}
                return Response(bodies.of_history(shown, as_of=wanted.as_of), headers=headers)


def _asked(request: Request) -> Wanted:
    """The day, the page and the noise of the query string; ApiError 400."""
    asked, wrong = request.query_params, paging.Wrong()
    as_of = paging.read_day(asked.get("as_of"), "as_of", wrong)
    if as_of is not None and as_of > timezone.now():
        wrong["as_of"] = ["Lies in the future."]
    before = paging.read_number(asked.get("cursor"), "cursor", wrong, most=paging.LAST)
    limit = paging.read_limit(asked.get("limit"), wrong)
    noise = False
    try:
        noise = bool(Flag().run_validation(asked["noise"])) if "noise" in asked else False
    except ValidationError as refused:
        wrong["noise"] = list(map(str, refused.detail))
    if wrong:
        raise errors.invalid(wrong)
    return Wanted(as_of=as_of, before=before, limit=limit, noise=noise)
