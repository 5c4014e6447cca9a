"""POST /v1/name-availability: is this name free in this state?"""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from billing import money, prices
from lookups.api import errors, idempotency, replies
from lookups.api.endpoint import Endpoint
from lookups.api.schema import name_check
from lookups.api.serializers import NameRequest
from lookups.idempotency import Claim
from lookups.lookup.storage import wire_time
from lookups.names.check import Judged, NameAsk, perform
from scrapers.records import NameCheck


class NameAvailabilityView(Endpoint):
    """One name check."""

    scope = "names"

    @name_check.check_name
    def post(self, request: Request) -> Any:
        """Say whether a name is free."""
        said = _read(request)
        key = self.key_of(request)

        def answer(claim: Claim | None) -> Response:
            same = {"ask_id": claim.ask_id, "resumed": claim.resumed} if claim else {}
            ask = NameAsk(
                said["entity_name"],
                said["state"],
                key,
                request_id=request.request_id,
                from_copy=said.get("source") == "cache",
                **same,  # type: ignore[attr-defined]
            )
            outcome = perform(ask=ask, now=timezone.now())
            if isinstance(outcome, Judged):
                return Response(_body(ask, outcome), headers={"Cache-Control": "private, no-store"})
            return replies.to_error(outcome).response(ask.request_id)

        return idempotency.answer_once(request, key=key, answer=answer)


def _read(request: Request) -> dict[str, Any]:
    serializer = NameRequest(data=request.data)
    if not serializer.is_valid():
        unknown = any(error.code == "unknown" for error in serializer.errors.get("state", []))
        raise errors.invalid(serializer.errors, code="unsupported_state" if unknown else "invalid_request")
    return dict(serializer.validated_data)


def _body(ask: NameAsk, outcome: Judged) -> dict[str, Any]:
    verdict, balance = outcome.verdict, outcome.balance
    return {
        "success": True,
        "available": verdict.available,
        "searchedName": ask.name,
        "state": ask.state,
        "conflictingEntities": [
            {
                "entityName": one.candidate.name,
                "entityId": one.candidate.entity_id or None,
                "status": one.candidate.status,
                "statusClass": one.status_class,
                "sosUrl": one.candidate.sos_url,
                "entityPageUrl": outcome.pages.get(one.candidate.entity_id),
            }
            for one in verdict.conflicts
        ],
        "variationNote": verdict.variation_note,
        "warning": verdict.warning,
        "statusNote": verdict.status_note,
        "cost": money.to_json_number(outcome.cost),
        "data_source": "cache" if outcome.evidence["fromRegister"] else "live",
        "dataAsOf": wire_time(outcome.as_of) if outcome.as_of else None,
        "walletBalance": None if balance is None else money.to_rounded_string(balance),
        "lookupsRemaining": None if balance is None else prices.lookups_covered(balance),
        "designatorNote": verdict.designator_note,
        "normalizedName": verdict.normalized_name,
        "registryVerdict": verdict.check and _own(verdict.check),
        "evidence": outcome.evidence,
    }


def _own(check: NameCheck) -> dict[str, Any]:
    return {"source": check.search, "available": check.available, "said": check.said}
