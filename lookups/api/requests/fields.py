"""The fields of requests: each read strictly, so that a wrong type is an error and not a guess."""

from __future__ import annotations

import re
from decimal import Decimal
from enum import StrEnum
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from billing import money
from jurisdictions.codes import PLACES
from lookups.notifications import webhook_addresses
from scrapers.normalize.hidden import find_hidden, spell_out

TRUE_WORDS, FALSE_WORDS = frozenset({"true", "1"}), frozenset({"false", "0"})
LARGEST_BUDGET = Decimal(1_000_000)  # USD a month
LONGEST_ADDRESS = 500
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


class Whole(serializers.IntegerField):
    """A JSON integer, which 60.0 is too; not text that looks like one."""

    def to_internal_value(self, data: Any) -> int:
        """The number."""
        if isinstance(data, Decimal) and -(10**9) < data < 10**9 and data == int(data):
            data = int(data)
        if type(data) is not int:
            self.fail("invalid")
        return super().to_internal_value(data)


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
