"""An account: balance, ledger, preferences, top-ups, webhooks."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample

from lookups.api.schema.examples.making import JOB, reply, request
from lookups.api.schema.examples.records import WHEN
from lookups.api.wire import account
from lookups.api.wire.shape import fill
from lookups.api.wire.words import Channel, DeliveryStatus, EventType

CHANGE_SETTINGS = request("With a live key", maxCacheAgeDays=3, cacheFirstDefault=True, monthlyBudget=25)
TOP_UP_ON_A_PAGE = request("On a page", amount=3.14)
TOP_UP_BY_CHALLENGE = request("By challenge", amount=3.14, payBy="challenge")
BALANCE = reply(
    "A customer's",
    fill(
        account.Balance,
        {
            "success": True,
            "livemode": True,
            "type": "user",
            "balanceStored": 31_400,
            "owedStored": 0,
            "balanceDisplay": "$3.14",
            "lookupsRemaining": 100,
            "pricePerLookup": 0.0314,
            "topUpUrl": "https://example.com/pricing/",
        },
    ),
)
USAGE = reply(
    "One lookup",
    {
        "success": True,
        "livemode": True,
        "entries": [
            fill(
                account.UsageEntry,
                {
                    "id": "2041",
                    "createdAt": WHEN,
                    "kind": "charge",
                    "amount": 0.0314,
                    "amountStored": 314,
                    "availableChangeStored": -314,
                    "availableAfterStored": 31_086,
                    "heldAfterStored": 0,
                    "requestId": "req-7f3a",
                    "reference": "DE Blue Heron Logistics LLC",
                    "key": "osd_4f0c",
                },
            )
        ],
        "nextCursor": None,
    },
)
SETTINGS = reply(
    "Changed",
    fill(
        account.AccountSettings,
        {"success": True, "livemode": True, "maxCacheAgeDays": 3, "cacheFirstDefault": True, "monthlyBudget": 25},
    ),
)


def _topped_up(title: str, **differs: Any) -> OpenApiExample:
    started = {
        "success": True,
        "livemode": True,
        "status": "created",
        "amount": 3.14,
        "amountStored": 31_400,
        "lookups": 100,
        "checkoutUrl": "https://pay.example.test/cs_1",
        "balanceStored": 3140,
        "lookupsRemaining": 10,
    }
    return reply(title, fill(account.TopUpReply, started, **differs))


TOP_UP_STARTED = _topped_up("Started")
TOP_UP_PAID = _topped_up("Paid", status="paid", checkoutUrl=None, balanceStored=34_540, lookupsRemaining=110)
WEBHOOK_SECRET = reply(
    "A new secret",
    account.WebhookSecretReply(
        success=True,
        livemode=True,
        webhookSecret="whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDkMmq3fVmwyc=",
        previousValidUntil="2026-11-22T12:00:00.000Z",
    ),
)


def _tested(title: str, **differs: Any) -> OpenApiExample:
    delivered = {
        "success": True,
        "livemode": True,
        "delivered": True,
        "status": 204,
        "error": None,
        "durationMs": 84,
        "webhookId": "msg_3f0c9a6d0b7e4c5f8a1d2e3f4a5b6c7d",
    }
    return reply(title, fill(account.WebhookTestReply, delivered, **differs))


WEBHOOK_DELIVERED = _tested("Delivered")
WEBHOOK_REFUSED = _tested("Refused by the server", delivered=False, status=500, error="answered 500")
WEBHOOK_NOT_SENT = _tested("Not sent", delivered=False, status=None, error="the address leads to a private network")
DELIVERIES = reply(
    "One that waits for its next try",
    account.AccountDeliveries(
        success=True,
        livemode=True,
        deliveries=[
            account.AccountDelivery(
                id="msg_3f0c9a6d0b7e4c5f8a1d2e3f4a5b6c7d",
                livemode=True,
                type=EventType.LOOKUP_COMPLETE,
                channel=Channel.WEBHOOK,
                address="https://hooks.example.com/sos",
                status=DeliveryStatus.PENDING,
                attempts=1,
                lastAnswer="answered 503",
                nextAt="2026-11-21T12:00:05.000Z",
                createdAt=WHEN,
                deliveredAt=None,
                jobId=JOB,
                bulkJobId=None,
            )
        ],
        nextCursor=None,
    ),
)
