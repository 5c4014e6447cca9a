"""What requests may say: read strictly, so that a wrong type is an error and not a guess."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from billing.accounts import OLDEST_STORED
from lookups.api import errors
from lookups.api.requests.fields import (
    LONGEST_ADDRESS,
    Day,
    Dollars,
    Flag,
    HookAddress,
    StateCode,
    Text,
    TopUpAmount,
    Whole,
    Word,
    Words,
)
from lookups.api.wire.identifiers.words import Included
from lookups.api.wire.words import PayBy, SearchBy, SearchType, Source, SourceWanted
from lookups.jobs import lifecycle

LONGEST_WAIT_SECONDS = round(lifecycle.LONGEST_WAIT.total_seconds())
OLDER_SPELLINGS = {
    "searchType": ("search_type", "lookup_type", "query_type", "entity_type"),
    "entity_name": ("query",),
}


def read(shape: type[serializers.Serializer[Any]], body: Any) -> dict[str, Any]:
    """The valid body; ApiError 400 otherwise."""
    serializer = shape(data=body)
    if not serializer.is_valid():
        unknown = any(error.code == "unknown" for error in serializer.errors.get("state", []))
        raise errors.invalid(serializer.errors, code="unsupported_state" if unknown else "invalid_request")
    asked: dict[str, Any] = serializer.validated_data
    return asked


def _respell(body: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The body in the names of the contract, and which older name was used for which of them.

    What would change what is bought is never passed over: two spellings that disagree are refused.
    """
    asked, used = dict(body), {}
    for name, older in OLDER_SPELLINGS.items():
        for spelling in (name, *older):
            value = _as_search_type(body.get(spelling)) if name == "searchType" else body.get(spelling)
            if value is None or (spelling == "entity_type" and not _names_a_search(value)):
                continue
            if asked.get(name) is None or spelling == name:
                asked[name] = value
                used[name] = spelling
            elif asked[name] != value:
                raise serializers.ValidationError({spelling: [f"Says something else than {used[name]}."]})
    return asked, used


def is_for_liens(body: Mapping[str, Any]) -> bool:
    """Whether a body asks for UCC filings, in whichever spelling; raises ValidationError where two disagree."""
    return _respell(body)[0].get("searchType") == SearchType.UCC


def _names_a_search(entity_type: Any) -> bool:
    """Whether an `entity_type` is about what is bought; it may be a company's legal form, which changes nothing."""
    if not isinstance(entity_type, str):
        return False
    of_liens = any(word.startswith("ucc") for word in entity_type.split("_"))  # a successor is none
    return of_liens or entity_type == SearchType.BUSINESS_ENTITY


def _as_search_type(value: Any) -> Any:
    """The word as the contract writes it, whatever its case; what is no text as it is."""
    if not isinstance(value, str):
        return value
    return value.strip().lower().replace(" ", "_").replace("-", "_")


class LookupRequest(serializers.Serializer[Any]):
    """The body of POST /v1/lookup."""

    entity_name = Text(
        required=False,
        allow_null=True,
        min_length=2,
        max_length=200,
        help_text="The company's name; for UCC the name of the party. Required unless `entity_id` is given.",
    )
    state = StateCode(help_text="Two letters, any case.")
    searchType = Word(
        SearchType,
        required=False,
        allow_null=True,
        help_text="Default: business_entity. Any case is understood, and so are the older spellings `search_type`, "
        "`lookup_type` and `query_type`.",
    )
    source = Word(  # type: ignore[assignment]
        SourceWanted,
        required=False,
        allow_null=True,
        help_text="`auto` (default): the account's preference. `cache`: a stored record up to the account's maximum "
        "age, else live. `live`: ask the registry.",
    )
    fresh = Flag(
        required=False, allow_null=True, help_text="Older form of `source`: true = live, false = cache. `source` wins."
    )
    entity_id = Text(
        required=False,
        allow_null=True,
        min_length=1,
        max_length=60,
        help_text="The state's own identifier, for an exact lookup; not for UCC.",
    )
    searchBy = Word(SearchBy, required=False, allow_null=True, help_text="UCC only. Default: debtor.")
    dateAfter = Day(required=False, allow_null=True, help_text="UCC only: filed on this day or later.")
    dateBefore = Day(required=False, allow_null=True, help_text="UCC only: filed on this day or earlier.")
    ref = Text(
        required=False,
        allow_null=True,
        max_length=200,
        help_text="Your own reference, kept with the lookup and its bulk row; `GET /v1/lookups?ref=` finds it.",
    )
    include = Words(
        Included,
        required=False,
        allow_null=True,
        help_text="Free, beside the registry's answer: the company's LEI and CIK. Not for UCC.",
    )
    max_wait_seconds = Whole(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=LONGEST_WAIT_SECONDS,
        help_text="How long a lookup that is answered later may take; after that it ends `unavailable`, not charged. "
        "Default: 900.",
    )

    def get_fields(self) -> dict[str, Any]:
        """Copies of the declared ones: DRF would make each anew from its arguments, for every request."""
        return {name: copy.copy(field) for name, field in self._declared_fields.items()}

    def to_internal_value(self, data: Any) -> Any:
        """The fields, whichever of their spellings was used; what is wrong is said of the spelling that was."""
        if not isinstance(data, Mapping):
            return super().to_internal_value(data)
        asked, used = _respell(data)
        try:
            return super().to_internal_value(asked)
        except serializers.ValidationError as wrong:
            details: Any = wrong.detail
            raise serializers.ValidationError({used.get(name, name): details[name] for name in details}) from None

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What the fields must be together."""
        asked = {name: value for name, value in attrs.items() if value is not None}
        ucc = asked.get("searchType") == "ucc"
        if "entity_name" not in asked and (ucc or "entity_id" not in asked):
            raise serializers.ValidationError({"entity_name": ["This field is required."]})
        if ucc and "entity_id" in asked:
            raise serializers.ValidationError({"entity_id": ["UCC filings are searched by name."]})
        if ucc and asked.get("include"):
            raise serializers.ValidationError({"include": ["Filings have no identifiers of a company."]})
        lost = [name for name in ("searchBy", "dateAfter", "dateBefore") if name in asked and not ucc]
        if lost:
            raise serializers.ValidationError({name: ["Only with searchType ucc."] for name in lost})
        if "dateAfter" in asked and "dateBefore" in asked and asked["dateAfter"] > asked["dateBefore"]:
            raise serializers.ValidationError({"dateAfter": ["Lies after dateBefore."]})
        return asked


class BulkEntity(LookupRequest):
    """One row of a bulk request."""

    source = fresh = include = max_wait_seconds = None  # type: ignore[assignment]


class NameRequest(serializers.Serializer[Any]):
    """The body of POST /v1/name-availability."""

    entity_name = Text(min_length=2, max_length=200, help_text="The name, with or without its legal form.")
    state = StateCode(help_text="Two letters, any case.")
    source = Word(  # type: ignore[assignment]
        Source,
        required=False,
        allow_null=True,
        help_text="`live` (default): ask the registry. `cache`: read the loaded copy of the state's register where one "
        "is kept (`nameAvailabilityFromCache` in `/v1/states`); the reply says so and gives its day.",
    )


class TopUpRequest(serializers.Serializer[Any]):
    """The body of POST /v1/account/topup."""

    amount = TopUpAmount(help_text="USD, from 0.50 to 10,000 in whole cents.")
    payBy = Word(
        PayBy,
        required=False,
        help_text="`page` (default): the card provider's page, for people. `challenge`: a 402 that an agent answers.",
    )


class SettingsRequest(serializers.Serializer[Any]):
    """The body of PATCH /v1/account/settings; what is left out stays as it is, null goes back to the default."""

    maxCacheAgeDays = Whole(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=OLDEST_STORED,
        help_text="How old a stored record may be.",
    )
    cacheFirstDefault = serializers.BooleanField(
        required=False, help_text="Answer `source: auto` from stored records first."
    )
    monthlyBudget = Dollars(
        required=False, allow_null=True, help_text="The most to spend in a month (UTC), in USD; null: no limit."
    )
    webhookUrl = HookAddress(
        required=False,
        allow_null=True,
        max_length=LONGEST_ADDRESS,
        help_text="Where finished jobs are reported; null: nowhere.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A flag is a flag: the word "yes" is not."""
        if "cacheFirstDefault" in attrs and not isinstance(self.initial_data.get("cacheFirstDefault"), bool):
            raise serializers.ValidationError({"cacheFirstDefault": ["Send true or false."]})
        return attrs


class BulkRequest(serializers.Serializer[Any]):
    """The body of POST /v1/bulk-lookup; its rows are checked one by one, to tell which of them are wrong."""

    entities = BulkEntity(many=True, help_text="1 to 1,000 rows. A row that repeats another is charged once.")
    source = LookupRequest._declared_fields["source"]  # type: ignore[assignment]
    include = LookupRequest._declared_fields["include"]
    webhook_url = HookAddress(
        required=False,
        allow_null=True,
        max_length=LONGEST_ADDRESS,
        help_text="Receives a message when the bulk job has ended. Default: the account's `webhookUrl`.",
    )
    max_wait_seconds = Whole(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=LONGEST_WAIT_SECONDS,
        help_text="How long the whole request may take; the rest then ends `unavailable`, not charged. Default: 900.",
    )
    email_results = serializers.BooleanField(
        required=False,
        allow_null=True,
        help_text="true: the results are mailed to the account's e-mail address when it has ended.",
    )
