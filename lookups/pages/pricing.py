"""Prices and how to pay, for people, and where the card provider's page comes back to.

Nothing is bought here: whoever is signed in tops up beside their balance.
"""

from __future__ import annotations

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from billing import money, prices, topups
from billing.payments import checkout
from lookups.pages import views
from lookups.pages.home.terms import contact_link

MONTHS = (100, 1_000, 10_000)  # companies


class Month(NamedTuple):
    """What so many companies cost: all found, and one in ten not."""

    number: str
    all: str
    most: str


@require_safe
@cache_control(public=True, max_age=300)
def pricing(request: HttpRequest) -> HttpResponse:
    """What a lookup costs and how it is paid."""
    content = {
        "price": money.to_decimal_string(prices.LOOKUP),
        "stored": _words(prices.STORED),
        "changed": _words(prices.LOOKUP),
        "unchanged": _words(prices.UNCHANGED),
        "from_copy": _words(prices.CHECK_FROM_COPY),
        "months": [_month(number) for number in MONTHS],
        "cards": topups.are_cards_configured(),
        "offers": checkout.list_offers("lookup", prices.LOOKUP),
        "by_challenge": checkout.is_open("topup", secure=request.is_secure()),
        **contact_link(),
    }
    return views.show(request, "pricing", content)


@require_safe
@cache_control(public=True, max_age=300)
def done(request: HttpRequest) -> HttpResponse:
    """Where the provider sends people who paid; the balance grows when the provider tells us, not here."""
    return _message_page(
        request,
        "Thank you",
        "Your payment is on its way. The balance grows as soon as the card provider confirms it, usually within a "
        "minute; GET /v1/account/balance shows it. Some ways to pay take a few days to confirm.",
    )


@require_safe
@cache_control(public=True, max_age=300)
def cancelled(request: HttpRequest) -> HttpResponse:
    """Where the provider sends people who changed their mind."""
    return _message_page(
        request, "Nothing was paid", "You left the card page before paying. Your balance is unchanged."
    )


def _month(number: int) -> Month:
    return Month(f"{number:,}", *(prices.display(found * prices.LOOKUP) for found in (number, number * 9 // 10)))


def _words(amount: int) -> str:
    return f"{money.to_decimal_string(amount)} USD" if amount else "free"


def _message_page(request: HttpRequest, title: str, text: str) -> HttpResponse:
    return views.show(request, "topup", {"title": title, "text": text})
