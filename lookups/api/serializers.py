"""What requests may say: read strictly, so that a wrong type is an error and not a guess."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from billing import money
from jurisdictions.codes import PLACES
from lookups.api.wire.identifiers.words import Included
from lookups.api.wire.words import PayBy, SearchBy, SearchType, Source, SourceWanted
from lookups.jobs import lifecycle
from lookups.notifications import webhook_addresses
from scrapers.normalize.hidden import find_hidden, spell_out

TRUE_WORDS, FALSE_WORDS = frozenset({"true", "1"}), frozenset({"false", "0"})
LARGEST_BUDGET = Decimal(1_000_000)  # USD a month
LONGEST_ADDRESS = 500
MOST_ROWS = 1000
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SUM = re.compile(r"[0-9]{0,9}\.?[0-9]{1,9}")


class Text(serializers.CharField):
    """Text and nothing else: no numbers, nothing that cannot be seen; white space is trimmed and made single blanks."""

    default_error_messages = {
        "invalid": "Send text.",
        "hidden": "Characters that cannot be seen are not allowed: {signs}.",
    }

    def to_internal_value(self, data: Any) -> str:
        """The trimmed text."""
        if not isinstance(data, str):
            self.fail("invalid")
        text = " ".join(data.split())
        if hidden := find_hidden(text):
            self.fail("hidden", signs=", ".join(dict.fromkeys(map(spell_out, hidden))))
        return super().to_internal_value(text)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Blanks alone are blank, whatever sort of blanks."""
        return super().run_validation(" ".join(data.split()) if isinstance(data, str) else data)


class Word(serializers.ChoiceField):
    """One of a few words, exactly as documented."""

    def __init__(self, words: type[StrEnum], **options: Any) -> None:
        self.words = words
        super().__init__(choices=[word.value for word in words], **options)

    def to_internal_value(self, data: Any) -> str:
        """The word."""
        if not isinstance(data, str) or data not in self.choices:
            raise serializers.ValidationError(f"Use one of: {', '.join(self.choices)}.", code="invalid_choice")
        return data


class Words(serializers.ListField):
    """Some of a few words."""

    def __init__(self, words: type[StrEnum], **options: Any) -> None:
        super().__init__(child=Word(words), max_length=len(words), **options)

    def run_child_validation(self, data: Any) -> list[str]:
        """The words; of what is wrong with them, the first is said."""
        return [self.child.run_validation(item) for item in data]


@extend_schema_field({"type": "string", "minLength": 2, "maxLength": 2, "pattern": "^[A-Za-z]{2}$"})
class StateCode(serializers.CharField):
    """A two-letter code in any case; becomes upper case."""

    default_error_messages = {"invalid": "Send a two-letter code, such as NY.", "unknown": "No such jurisdiction."}

    def to_internal_value(self, data: Any) -> str:
        """The code in upper case."""
        code = data.strip().upper() if isinstance(data, str) else ""
        if len(code) != 2 or not (code.isascii() and code.isalpha()):
            self.fail("invalid")
        if code not in PLACES:
            self.fail("unknown")
        return code


@extend_schema_field({"type": "boolean", "deprecated": True})
class Flag(serializers.Field[Any, Any, Any, Any]):
    """The older form of `source`: a boolean. Query strings have words alone, so "true" and "false" are understood."""

    default_error_messages = {"invalid": "Send true or false."}

    def to_internal_value(self, data: Any) -> bool:
        """The boolean."""
        word = data.lower() if isinstance(data, str) else data
        if word is True or (isinstance(word, str) and word in TRUE_WORDS):
            return True
        if word is False or (isinstance(word, str) and word in FALSE_WORDS):
            return False
        self.fail("invalid")
        raise AssertionError


class Day(serializers.DateField):
    """A day as YYYY-MM-DD."""

    default_error_messages = {"invalid": "Send a day as YYYY-MM-DD."}

    def to_internal_value(self, data: Any) -> Any:
        """The day."""
        if not isinstance(data, str) or not DAY.fullmatch(data):
            self.fail("invalid", format="YYYY-MM-DD")
        return super().to_internal_value(data)


LONGEST_WAIT_SECONDS = round(lifecycle.LONGEST_WAIT.total_seconds())
OLDER_SPELLINGS = {
    "searchType": ("search_type", "lookup_type", "query_type", "entity_type"),
    "entity_name": ("query",),
}


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
    return isinstance(entity_type, str) and ("ucc" in entity_type or entity_type == SearchType.BUSINESS_ENTITY)


def _as_search_type(value: Any) -> Any:
    """The word as the contract writes it, whatever its case; what is no text as it is."""
    if not isinstance(value, str):
        return value
    return value.strip().lower().replace(" ", "_").replace("-", "_")


class Whole(serializers.IntegerField):
    """A JSON integer, which 60.0 is too; not text that looks like one."""

    def to_internal_value(self, data: Any) -> int:
        """The number."""
        if isinstance(data, Decimal) and -(10**9) < data < 10**9 and data == int(data):
            data = int(data)
        if type(data) is not int:
            self.fail("invalid")
        return super().to_internal_value(data)


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
        help_text="Your own mark, kept with the lookup: `GET /v1/lookups?ref=` finds it; rows of bulk jobs bear it.",
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
        "is kept (`nameAvailabilityFromCache` in `/v1/states`); the reply says so and tells its day.",
    )


@extend_schema_field({"type": "number", "minimum": 0, "maximum": int(LARGEST_BUDGET)})
class Dollars(serializers.Field[Any, Any, Any, Any]):
    """A sum in USD as a number or decimal text, to the 1/10,000; becomes whole units."""

    default_error_messages = {"invalid": "Send an amount in USD, from 0 to 1,000,000, with at most four decimals."}

    def to_internal_value(self, data: Any) -> int:
        """Units of 1/10,000 USD."""
        amount = self._decimal(data)
        if amount is None or not amount.is_finite() or not 0 <= amount <= LARGEST_BUDGET:
            self.fail("invalid")
        try:
            return money.from_dollars(amount)
        except ValueError:
            self.fail("invalid")
        raise AssertionError

    @staticmethod
    def _decimal(data: Any) -> Any:
        if isinstance(data, bool) or not isinstance(data, int | Decimal | str):
            return None
        return Decimal(data) if not isinstance(data, str) or _SUM.fullmatch(data) else None


@extend_schema_field({"type": "number", "minimum": 0.5, "maximum": 10_000})
class TopUpAmount(Dollars):
    """A sum that is sold; whether it is one is judged where it is sold."""


class TopUpRequest(serializers.Serializer[Any]):
    """The body of POST /v1/account/topup."""

    amount = TopUpAmount(help_text="USD, from 0.50 to 10,000 in whole cents.")
    payBy = Word(
        PayBy,
        required=False,
        help_text="`page` (default): the card provider's page, for people. `challenge`: a 402 that an agent answers.",
    )


@extend_schema_field({"type": "string", "format": "uri", "maxLength": LONGEST_ADDRESS})
class HookAddress(Text):
    """An https address on the public internet, or empty for none.

    A first sieve, by its spelling; what its name leads to is judged whenever something is sent there.
    """

    default_error_messages = {"address": "Send an https address on the public internet: {reason}."}

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Nothing but blanks is no address, as null is."""
        return "" if isinstance(data, str) and not data.strip() else super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        """The address."""
        text = super().to_internal_value(data)
        try:
            if text:
                webhook_addresses.read(text, to_loopback=settings.WEBHOOKS_TO_LOOPBACK)
        except webhook_addresses.Refused as refused:
            self.fail("address", reason=refused)
        return text


class SettingsRequest(serializers.Serializer[Any]):
    """The body of PATCH /v1/account/settings; what is left out stays as it is, null goes back to the default."""

    maxCacheAgeDays = Whole(
        required=False, allow_null=True, min_value=0, max_value=365, help_text="How old a stored record may be."
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
        help_text="Told when the bulk job has ended. Default: the account's `webhookUrl`.",
    )
    max_wait_seconds = Whole(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=LONGEST_WAIT_SECONDS,
        help_text="How long all of it may take; what is left then ends `unavailable`, not charged. Default: 900.",
    )
    email_results = serializers.BooleanField(
        required=False,
        allow_null=True,
        help_text="true: the results are mailed to the account's e-mail address when it has ended.",
    )
