"""GET /v1/account/balance and /usage, GET and PATCH of settings: the customer's own numbers and preferences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from billing import keys, money, prices, statements
from billing.models import Account, LedgerEntry
from lookups import account_settings, csv_export
from lookups.api import errors, renderers, replies
from lookups.api.endpoint import Endpoint
from lookups.api.requests.serializers import SettingsRequest, read
from lookups.api.schema import account as describe
from lookups.api.views import paging
from lookups.api.wire.account import AccountSettings, Balance, Usage, UsageEntry
from lookups.api.wire.shape import to_plain
from lookups.api.wire.words import AccountType, EntryKind
from lookups.lookup.storage import wire_time

IN_DOLLARS = {  # column of the table -> what it is of, in the entry
    "amountUsd": "amount",
    "availableChangeUsd": "available_change",
    "availableAfterUsd": "available_after",
    "heldAfterUsd": "held_after",
}
CSV_COLUMNS = ("id", "createdAt", "kind", *IN_DOLLARS, "reference", "reason", "key", "requestId")

_NAMES = {
    "maxCacheAgeDays": "max_cache_age_days",
    "cacheFirstDefault": "cache_first_default",
    "monthlyBudget": "monthly_budget",
    "webhookUrl": "webhook_url",
}


class BalanceView(Endpoint):
    """What is left."""

    scope = "account"

    @describe.balance
    def get(self, request: Request) -> Response:
        """The balance of the key's mode: test mode has none, and nothing costs anything there."""
        key = self.key_of(request)
        owner = key.account
        available, owed, price = (owner.spendable, owner.owed, prices.LOOKUP) if key.livemode else (0, 0, 0)
        return Response(
            Balance(
                success=True,
                livemode=key.livemode,
                type=AccountType(key.account.kind),
                balanceStored=available,
                owedStored=owed,
                balanceDisplay=prices.display(available),
                lookupsRemaining=prices.lookups_covered(available),
                pricePerLookup=money.to_json_number(price),
                topUpUrl=replies.top_up_url(),
            )
        )

    def handle_exception(self, exc: Exception) -> Response:
        """Here alone a right key learns that its account is closed."""
        if isinstance(exc.__cause__, keys.AccountClosed):
            exc = errors.ApiError(404, "user_not_found", "User not found")
        return super().handle_exception(exc)


class UsageView(Endpoint):
    """What was spent."""

    scope = "account"
    renderer_classes = (renderers.ShapeRenderer, renderers.CsvRenderer)

    @describe.usage
    def get(self, request: Request) -> Any:
        """The account's ledger entries, newest first; as CSV (all of the period) when asked for. Test mode has none."""
        since, until, cursor, limit = _period(request)
        key = self.key_of(request)
        entries = statements.list_entries(account_id=key.account_id, since=since, until=until).select_related("key")
        if key.is_test:
            entries = entries.none()
        if cursor is not None:
            entries = entries.filter(pk__lt=cursor)
        if isinstance(request.accepted_renderer, renderers.CsvRenderer):
            return csv_export.make_response("usage.csv", CSV_COLUMNS, _rows(entries.iterator(chunk_size=500)))
        page, more = paging.take(entries, limit)
        return Response(
            Usage(
                success=True,
                livemode=key.livemode,
                entries=[entry_fields(entry) for entry in page],
                nextCursor=str(page[-1].pk) if more else None,
            )
        )


class SettingsView(Endpoint):
    """Preferences."""

    scope = "account"

    @describe.read_settings
    def get(self, request: Request) -> Response:
        """The account's preferences, with the webhook address of the key's mode."""
        key = self.key_of(request)
        return Response(settings_fields(key.account, livemode=key.livemode))

    @describe.settings
    def patch(self, request: Request) -> Response:
        """Change the account's preferences; what is left out stays as it is."""
        key = self.key_of(request)
        if key.is_test and (sent := [name for name in _NAMES if name in request.data and name != "webhookUrl"]):
            text = f"{', '.join(sent)}: set with a live key only; a test key sets the webhookUrl of test mode"
            raise errors.forbidden(text)
        changes = _changes(read(SettingsRequest, request.data))
        account = account_settings.change(
            account_id=key.account_id, livemode=key.livemode, now=timezone.now(), **changes
        )
        return Response(settings_fields(account, livemode=key.livemode))


def entry_fields(entry: LedgerEntry) -> UsageEntry:
    """One movement of money: in USD, and in units of 1/10,000 USD under names that end in `Stored`."""
    return UsageEntry(
        id=str(entry.pk),
        createdAt=wire_time(entry.created_at),
        kind=EntryKind(entry.kind),
        amount=money.to_json_number(entry.amount),
        amountStored=entry.amount,
        availableChangeStored=entry.available_change,
        availableAfterStored=entry.available_after,
        heldAfterStored=entry.held_after,
        reference=entry.customer_reference or None,
        reason=entry.reason or None,
        key=entry.key.prefix if entry.key else None,
        requestId=entry.request_id or None,
    )


def settings_fields(account: Account, *, livemode: bool) -> AccountSettings:
    """The preferences as the wire has them, with the address of the mode."""
    budget = account.monthly_budget
    return AccountSettings(
        success=True,
        livemode=livemode,
        maxCacheAgeDays=account.max_cache_age_days,
        cacheFirstDefault=account.cache_first_default,
        monthlyBudget=None if budget is None else money.to_json_number(budget),
        webhookUrl=account.webhook_address(livemode=livemode) or None,
    )


def _changes(asked: dict[str, Any]) -> dict[str, Any]:
    changes = {_NAMES[name]: value for name, value in asked.items()}
    if "webhook_url" in changes:
        changes["webhook_url"] = changes["webhook_url"] or ""
    return changes


def _period(request: Request) -> tuple[datetime | None, datetime | None, int | None, int]:
    """The days `from` and `to` (inclusive), the cursor and the limit of the query string."""
    asked = request.query_params
    wrong = paging.Wrong()
    since = paging.read_day(asked.get("from"), "from", wrong)
    until = paging.read_day(asked.get("to"), "to", wrong)
    cursor = paging.read_number(asked.get("cursor"), "cursor", wrong, most=paging.LAST)
    limit = paging.read_limit(asked.get("limit"), wrong)
    if since and until and since > until:
        wrong["from"] = ["Lies after to."]
    if wrong:
        raise errors.invalid(wrong)
    return since, until + timedelta(days=1) if until else None, cursor, limit


def _rows(entries: Iterable[LedgerEntry]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        dollars = {column: money.to_dollars(getattr(entry, name)) for column, name in IN_DOLLARS.items()}
        yield to_plain(entry_fields(entry)) | dollars
