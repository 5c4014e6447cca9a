"""GET /v1/account/balance and /usage, PATCH /v1/account/settings: the customer's own numbers and preferences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from billing import keys, money, prices, statements
from billing.models import Account, LedgerEntry
from lookups import account_settings, csv_export
from lookups.api import errors, renderers, replies
from lookups.api.endpoint import Endpoint
from lookups.api.schema import account as describe
from lookups.api.serializers import SettingsRequest
from lookups.api.wire.account import AccountSettings, Balance, Usage, UsageEntry
from lookups.api.wire.shape import to_plain
from lookups.api.wire.words import AccountType, EntryKind
from lookups.lookup.storage import wire_time

PAGE, LONGEST_PAGE = 100, 500
CSV_COLUMNS = ("id", "createdAt", "kind", "amount", "availableAfter", "heldAfter", "reference", "reason", "key")


class BalanceView(Endpoint):
    """What is left."""

    scope = "account"

    @describe.balance
    def get(self, request: Request) -> Response:
        """The account's balance."""
        account = self.key_of(request).account
        return Response(
            Balance(
                success=True,
                type=AccountType(account.kind),
                balanceStored=account.available,
                balanceDisplay=prices.display(account.available),
                lookupsRemaining=prices.lookups_covered(account.available),
                pricePerLookup=money.to_json_number(prices.LOOKUP),
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
        """The account's ledger entries, newest first; as CSV (all of the period) when asked for."""
        since, until, cursor, limit = _period(request)
        account_id = self.key_of(request).account_id
        entries = statements.list_entries(account_id=account_id, since=since, until=until).select_related("key")
        if cursor is not None:
            entries = entries.filter(pk__lt=cursor)
        if isinstance(request.accepted_renderer, renderers.CsvRenderer):
            rows = csv_export.csv_lines(CSV_COLUMNS, _rows(entries.iterator(chunk_size=500)))
            headers = {"Content-Disposition": 'attachment; filename="usage.csv"'}
            return StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8", headers=headers)
        page = list(entries[: limit + 1])
        more = len(page) > limit
        page = page[:limit]
        return Response(
            Usage(
                success=True,
                entries=[entry_fields(entry) for entry in page],
                nextCursor=str(page[-1].pk) if more else None,
            )
        )


class SettingsView(Endpoint):
    """Preferences."""

    scope = "account"

    @describe.settings
    def patch(self, request: Request) -> Response:
        """Change the account's preferences; what is left out stays as it is."""
        serializer = SettingsRequest(data=request.data)
        if not serializer.is_valid():
            raise errors.invalid(serializer.errors)
        changes = _changes(serializer.validated_data)
        account = account_settings.change(account_id=self.key_of(request).account_id, **changes)
        return Response(settings_fields(account))


def entry_fields(entry: LedgerEntry) -> UsageEntry:
    """One movement of money: `amountStored` in 1/10,000 USD changes what is available (negative: less)."""
    return UsageEntry(
        id=str(entry.pk),
        createdAt=wire_time(entry.created_at),
        kind=EntryKind(entry.kind),
        amount=money.to_json_number(entry.amount),
        amountStored=entry.amount,
        availableChange=entry.available_change,
        availableAfter=entry.available_after,
        heldAfter=entry.held_after,
        reference=entry.reference or None,
        reason=entry.reason or None,
        key=entry.key.prefix if entry.key else None,
    )


def settings_fields(account: Account) -> AccountSettings:
    """The preferences as the wire has them."""
    budget = account.monthly_budget
    return AccountSettings(
        success=True,
        maxCacheAgeDays=account.max_cache_age_days,
        cacheFirstDefault=account.cache_first_default,
        monthlyBudget=None if budget is None else money.to_json_number(budget),
        webhookUrl=account.webhook_url or None,
    )


def _changes(asked: dict[str, Any]) -> dict[str, Any]:
    names = {
        "maxCacheAgeDays": "max_cache_age_days",
        "cacheFirstDefault": "cache_first_default",
        "monthlyBudget": "monthly_budget",
        "webhookUrl": "webhook_url",
    }
    changes = {names[name]: value for name, value in asked.items()}
    if "webhook_url" in changes:
        changes["webhook_url"] = changes["webhook_url"] or ""
    return changes


def _period(request: Request) -> tuple[datetime | None, datetime | None, int | None, int]:
    """The days `from` and `to` (inclusive), the cursor and the limit of the query string."""
    asked = request.query_params
    wrong: dict[str, list[str]] = {}
    since = _day(asked.get("from"), "from", wrong)
    until = _day(asked.get("to"), "to", wrong)
    cursor = _number(asked.get("cursor"), "cursor", wrong, most=2**63 - 1)
    limit = _number(asked.get("limit"), "limit", wrong, most=LONGEST_PAGE)
    if wrong:
        raise errors.invalid(wrong)
    return since, until + timedelta(days=1) if until else None, cursor, limit or PAGE


def _day(text: str | None, name: str, wrong: dict[str, list[str]]) -> datetime | None:
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
        if len(text) == 10 and 2000 <= day.year <= 2200:
            return datetime.combine(day, time(), tzinfo=UTC)
    except ValueError:
        pass
    wrong[name] = ["Send a day as YYYY-MM-DD."]
    return None


def _number(text: str | None, name: str, wrong: dict[str, list[str]], *, most: int) -> int | None:
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= most:
        return int(text)
    wrong[name] = [f"Send a whole number from 1 to {most}."]
    return None


def _rows(entries: Iterable[LedgerEntry]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        yield to_plain(entry_fields(entry)) | {"amount": money.to_decimal_string(entry.amount)}
