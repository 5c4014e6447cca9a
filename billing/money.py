"""Money as whole ten-thousandths of a US dollar, so that no sum in the service ever passes through a float.

One lookup at 0.0314 USD is 314 units; 3.14 USD is 31,400 units. A cent is 100 units.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal, Inexact
from typing import NewType

Amount = NewType("Amount", int)
"""Whole units of 1/10,000 USD. May be negative only where a signature says so."""

UNITS_PER_DOLLAR = 10_000
UNITS_PER_CENT = 100

# A thousand times the largest sum the service will ever see (10 billion USD), and far inside a 64-bit column:
# a mistyped amount is refused with a sentence instead of an overflow in the database.
LARGEST = 100_000_000_000_000

_EXACT = Context(prec=50, traps=[Inexact])


def units(value: int) -> Amount:
    """Return `value` as an amount of zero or more units; raise ValueError for anything else (a bool, a float)."""
    if type(value) is not int:
        raise ValueError(f"An amount is a whole number of units, not {value!r}.")
    if not 0 <= value <= LARGEST:
        raise ValueError(f"An amount lies between 0 and {LARGEST} units; {value} does not.")
    return Amount(value)


def from_dollars(dollars: Decimal | str) -> Amount:
    """Return the units of a price such as "0.0314"; raise ValueError when it is finer than 1/10,000 USD."""
    try:
        exact = _EXACT.multiply(Decimal(dollars), UNITS_PER_DOLLAR)
    except Inexact:  # 1e-99999999 would be rounded to nothing
        exact = None
    if exact is None or exact != exact.to_integral_value():
        raise ValueError(f"{dollars} USD is finer than 1/10,000 USD.")
    return units(int(exact))


def from_cents(cents: int) -> Amount:
    """Return the units of a whole number of cents, the unit of card networks."""
    return units(cents * UNITS_PER_CENT)


def to_dollars(amount: int) -> Decimal:
    """Return the exact number of dollars: 314 units are Decimal("0.0314")."""
    return Decimal(amount).scaleb(-4)


def to_decimal_string(amount: int) -> str:
    """Return the exact dollars as text with four decimals: "0.0314"."""
    return f"{to_dollars(amount):.4f}"


def to_rounded_string(amount: int) -> str:
    """Return the dollars rounded half up to cents, as people read them: 31,086 units are "3.11"."""
    return str(to_dollars(amount).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))


def to_json_number(amount: int) -> float:
    """Return the number the wire shows (0.0314): for writing JSON only, never for reckoning.

    Every amount below 10 billion USD has few enough digits to come out of a float's shortest text unchanged.
    """
    return float(to_dollars(amount))
