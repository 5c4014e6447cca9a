"""Shows units of money in templates as dollars, so that no template divides by ten thousand."""

from __future__ import annotations

from dataclasses import astuple

from django import template

from billing import money
from billing.finance import Day

register = template.Library()


@register.filter
def usd(units: int) -> str:
    """Return units of 1/10,000 USD as exact dollars: 314 is "0.0314"."""
    return money.to_decimal_string(units)


@register.filter
def in_words(reason: str) -> str:
    """Return "card_refund" as people write it."""
    return reason.replace("_", " ")


@register.filter
def split_words(text: str) -> list[str]:
    """Return "a,b" as a list: column heads on one line."""
    return text.split(",")


@register.filter
def day_sums(day: Day) -> tuple[int, ...]:
    """Return a day's sums in the order of the finance page's columns."""
    return astuple(day)[1:]
