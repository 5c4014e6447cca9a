"""What a request about watches may say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from lookups.api.keys.requests import Several
from lookups.api.requests.fields import LONGEST_ADDRESS, HookAddress, StateCode, Text, Whole, Word
from lookups.api.wire.watching.words import Every, WatchCategory, WatchStatus
from lookups.watches import taxonomy

MOST_CHECKS = 100_000
MOST_WATCHES = 1000


class Yes(serializers.BooleanField):
    """True or false; no word that looks like one."""

    def to_internal_value(self, data: Any) -> bool:
        """The boolean."""
        if not isinstance(data, bool):
            raise serializers.ValidationError("Send true or false.", code="invalid")
        return data


class EventAddress(HookAddress):
    """Where events go; none is null, not an empty text."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """The address, or None."""
        if isinstance(data, str) and not data.strip():
            raise serializers.ValidationError("Send an address, or null for the account's.", code="invalid")
        return super().run_validation(data)


class WatchSettings(serializers.Serializer[Any]):
    """How companies are watched; what is left out or null is as it is by default."""

    every = Word(Every, required=False, allow_null=True, help_text="How often to look. Default: day.")
    on = Several(
        child=Word(WatchCategory),
        required=False,
        allow_null=True,
        min_length=1,
        max_length=len(taxonomy.EVERY_CATEGORY),
        help_text="The changes to tell (`GET /v1/events/taxonomy`). Default: all but `lien`, which is another search "
        "of the registry, and a lookup more each time.",
    )
    webhook = EventAddress(
        required=False,
        allow_null=True,
        max_length=LONGEST_ADDRESS,
        help_text="Where its events go. Default: the account's `webhookUrl`.",
    )
    email_digest = Yes(
        required=False, allow_null=True, help_text="true: its events are mailed to the account, together, once a day."
    )
    tell_unchanged = Yes(
        required=False, allow_null=True, help_text="true: a check that found nothing changed is an event, too."
    )
    max_per_month = Whole(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MOST_CHECKS,
        help_text="Checks in a month (UTC) at most. Default: as many as `every` makes. With `lien` beside others a "
        "look is two.",
    )
    ref = Text(required=False, allow_null=True, max_length=200, help_text="Your own mark, echoed with every event.")


class WatchRequest(WatchSettings):
    """The body of POST /v1/watches, and a row of many."""

    state = StateCode(help_text="Two letters, any case.")
    entity_id = Text(
        required=False,
        allow_null=True,
        min_length=1,
        max_length=60,
        help_text="The state's own identifier: the surest way to name a company.",
    )
    entity_name = Text(
        required=False,
        allow_null=True,
        min_length=2,
        max_length=200,
        help_text="Its name. Required unless `entity_id` is given; the first check finds the identifier.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """One of the two names the company."""
        if attrs.get("entity_id") is None and attrs.get("entity_name") is None:
            raise serializers.ValidationError({"entity_id": ["Send entity_id or entity_name."]})
        return attrs


class ManyWatchesRequest(WatchSettings):
    """The body of POST /v1/watches/batch: rows of their own, or the companies that a bulk job has found.

    The settings beside them hold for every row that says nothing else.
    """

    watches = WatchRequest(
        many=True, required=False, allow_null=True, help_text="1 to 1,000 rows; their own settings go first."
    )
    bulk_job = Text(
        required=False,
        allow_null=True,
        min_length=37,
        max_length=37,
        help_text="The `job_id` of a bulk job: each company that it has found is watched, from the reading it has.",
    )


class WatchChanges(WatchSettings):
    """The body of PATCH /v1/watches/{watchId}; what is left out stays as it is, null goes back to the default."""

    status = Word(WatchStatus, required=False, help_text="`paused`: look no more for now. `active`: take it up again.")


def to_settings(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The settings in the names of the service, as far as something is said of them; null is the default."""
    defaults: dict[str, Any] = {
        "every": Every.DAY.value,
        "on": list(taxonomy.BY_DEFAULT),
        "webhook": "",
        "email_digest": False,
        "tell_unchanged": False,
        "max_per_month": None,
        "ref": None,
    }
    named = {"on": "categories", "webhook": "webhook_url"}
    read = {name: defaults[name] if asked[name] is None else asked[name] for name in defaults if name in asked}
    if "on" in read:
        read["on"] = [word for word in taxonomy.EVERY_CATEGORY if word in read["on"]]  # once each, in one order
    return {named.get(name, name): value for name, value in read.items()}
