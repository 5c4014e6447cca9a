"""What paying clients discover: what a request may be paid with, and where the service explains itself."""

from __future__ import annotations

from typing import Any

from billing import money, prices
from billing.payments import checkout

SERVICE = {
    "categories": ["data"],
    "docs": {"apiReference": "/docs/", "homepage": "/", "llms": "/llms.txt"},
}


def price() -> str:
    """The price of one lookup, for people."""
    return f"{money.to_decimal_string(prices.LOOKUP)} USD per lookup"


def without_methods() -> dict[str, Any]:
    """`x-payment-info` of an installation that says what a lookup costs, whatever it can be paid with."""
    return {"offers": [{"intent": "charge", "amount": None, "currency": "usd", "description": price()}]}


def configured() -> list[dict[str, str]]:
    """The offers of this installation, the preferred one first; empty where nothing can be paid by the request."""
    return checkout.list_offers("lookup", prices.LOOKUP, description=price())
