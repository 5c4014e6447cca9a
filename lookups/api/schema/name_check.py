"""POST /v1/name-availability in the OpenAPI document: its reply, an example, and every way it can end."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers

from lookups.api.schema import components, describe, examples
from lookups.api.serializers import NameRequest


class ConflictingEntity(serializers.Serializer[Any]):
    entityName = components.text()
    entityId = components.maybe()
    status = components.maybe("The state's own word.")
    statusClass = components.word(["active", "neutral", "inactive"])
    sosUrl = components.maybe()
    entityPageUrl = components.maybe("The entity's page here, once its record has been fetched.")


class RegistryVerdict(serializers.Serializer[Any]):
    source = components.text("The registry's search that was asked.")  # type: ignore[assignment]
    available = serializers.BooleanField(
        allow_null=True, help_text="What the registry itself says; null where it lists names and gives no verdict."
    )
    said = components.maybe("Its own words.")


class NameReply(serializers.Serializer[Any]):
    success = components.flag()
    available = components.flag(
        "False when at least one active entity has the name, or the registry's own name check says no."
    )
    searchedName = components.text()
    state = components.text()
    conflictingEntities = serializers.ListField(
        child=ConflictingEntity(), max_length=10, help_text="Active, then neutral, then inactive; empty when available."
    )
    variationNote = components.maybe("The same name with another legal form is active.")
    warning = components.maybe("A suspended or revoked entity used the name.")
    statusNote = components.maybe("What this registry does not show.")
    cost = components.number("What was charged, USD.")
    data_source = components.word(
        ["live", "cache"], "`cache` only when it was asked for: a loaded copy of the state's published register."
    )
    dataAsOf = components.moment("The day of the copy that was read; null when live.", allow_null=True)
    walletBalance = components.maybe("What is left, USD.")
    lookupsRemaining = components.whole(allow_null=True)
    designatorNote = components.text("What a name must contain in this state.")
    normalizedName = components.text("The name as the filing office compares it.")
    registryVerdict = RegistryVerdict(
        allow_null=True, help_text="Set where the registry has an availability search of its own, which was asked too."
    )
    evidence = components.Evidence()


EXAMPLE = {
    "success": True,
    "available": False,
    "searchedName": "Blue Heron Logistics LLC",
    "state": "DE",
    "conflictingEntities": [
        {
            "entityName": "BLUE HERON LOGISTICS LLC",
            "entityId": "SB-DE-000123",
            "status": "Good Standing",
            "statusClass": "active",
            "sosUrl": "https://sandbox.registry.invalid/DE/entity/SB-DE-000123",
            "entityPageUrl": None,
        }
    ],
    "variationNote": None,
    "warning": None,
    "statusNote": None,
    "cost": 0.0314,
    "data_source": "live",
    "dataAsOf": None,
    "walletBalance": "28.45",
    "lookupsRemaining": 906,
    "designatorNote": "An LLC's name must contain Limited Liability Company, LLC or L.L.C.",
    "normalizedName": "blueheronlogistic",
    "registryVerdict": None,
    "evidence": {
        "sourceUrl": "https://sandbox.registry.invalid/DE/search",
        "retrievedAt": "2026-11-21T08:00:00.000Z",
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "fromRegister": False,
    },
}

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
    examples=[
        OpenApiExample("A name", value={"entity_name": "Blue Heron Logistics LLC", "state": "DE"}, request_only=True)
    ],
    responses={
        200: describe.reply(
            NameReply, "The verdict.", OpenApiExample("Taken", value=EXAMPLE, response_only=True, status_codes=["200"])
        ),
        (402, "application/problem+json"): describe.reply(
            components.PaymentRequired, "The balance does not cover it.", examples.NO_FUNDS
        ),
        **describe.ASKING,
    },
)
