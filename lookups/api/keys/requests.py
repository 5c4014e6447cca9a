"""What a request about keys may say."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from billing import customer_keys, keys, networks
from lookups.api.requests.fields import Text, Whole, Word
from lookups.api.wire.words import KeyMode, Scope

LONGEST_NAME = 100
LAST_YEAR = 2199


@extend_schema_field({"type": "string", "pattern": networks.FORM})
class Network(serializers.Field[Any, Any, Any, Any]):
    """An address or a network, as CIDR; becomes the network in its one spelling."""

    def to_internal_value(self, data: Any) -> str:
        """The network."""
        try:
            return networks.read(data if isinstance(data, str) else "")
        except ValueError as wrong:
            raise serializers.ValidationError(str(wrong), code="invalid") from None


class Several(serializers.ListField):
    """A list; which of it does not fit is said in the message, for details are field to messages."""

    def run_child_validation(self, data: Any) -> list[Any]:
        """What the members become."""
        read, wrong = [], []
        for number, member in enumerate(data, 1):
            try:
                read.append(self.child.run_validation(member))
            except serializers.ValidationError as refused:
                wrong += [f"Number {number}: {text}" for text in refused.detail]
        if wrong:
            raise serializers.ValidationError(wrong)
        return read


class Ahead(serializers.DateTimeField):
    """A moment that is still to come, with its offset from UTC."""

    default_error_messages = {
        "invalid": "Send a moment as 2027-01-31T00:00:00Z.",
        "past": "Lies in the past.",
        "far": f"Lies beyond {LAST_YEAR}.",
    }

    def to_internal_value(self, data: Any) -> datetime:
        """The moment in UTC."""
        try:
            moment = datetime.fromisoformat(data) if isinstance(data, str) and "T" in data.upper() else None
            moment = moment.astimezone(UTC) if moment and moment.tzinfo else None
        except (ValueError, OverflowError):
            moment = None
        if moment is None:
            self.fail("invalid", format="")
        if moment <= timezone.now():
            self.fail("past")
        if moment.year > LAST_YEAR:
            self.fail("far")
        return moment


class KeyRequest(serializers.Serializer[Any]):
    """The body of POST /v1/keys; what is left out or null is as the key that asks has it."""

    name = Text(max_length=LONGEST_NAME, help_text="Who or what will use it.")
    mode = Word(
        KeyMode,
        required=False,
        allow_null=True,
        help_text="Default: that of the requesting key. A test key creates `test` keys.",
    )
    scopes = Several(
        child=Word(Scope),
        required=False,
        allow_null=True,
        min_length=1,
        help_text="What it may be used for. Default: the same as the requesting key; no more can be granted.",
    )
    expiresAt = Ahead(
        required=False,
        allow_null=True,
        help_text="When it stops working, at the latest when the requesting key does. Default: with it, or never.",
    )
    allowedNetworks = Several(
        child=Network(),
        required=False,
        allow_null=True,
        max_length=networks.MOST,
        help_text="The only networks it may be used from (IPv4 or IPv6, `192.0.2.0/24`), within those of the "
        "requesting key. Empty: everywhere. Default: the same as that key.",
    )

    def validate_scopes(self, scopes: list[str] | None) -> list[str] | None:
        """The scopes, if a key could use each of them."""
        if keys.reconciles_in_vain(scopes or ()):
            raise serializers.ValidationError(keys.ALONE)
        return scopes


class RotationRequest(serializers.Serializer[Any]):
    """The body of POST /v1/keys/{keyId}/rotate; it may be left out."""

    overlapSeconds = Whole(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=round(customer_keys.LONGEST_OVERLAP.total_seconds()),
        help_text="How long the old key keeps working. Default: 86400, a day. At least "
        f"{customer_keys.SHORTEST_OF_ITSELF.seconds} when a key rotates itself.",
    )
