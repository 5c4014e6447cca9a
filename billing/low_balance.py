"""Accounts that run low: one mail to their owner each time less is left than they want to have.

Only who had that much is written to, so that ten free lookups bring no mail. What is held counts as left: a bulk job
that holds its whole price, and gives half of it back, has spent only the other half.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db.models import F, QuerySet

from billing import mail_server, money, prices
from billing.models import Account

AT_ONCE = 20  # a mail server that hangs is not waited for again and again


def tell(*, now: datetime) -> int:
    """Write to whoever has fallen below; returns to how many. A mail that fails is tried again."""
    wanted = Account.objects.filter(low_balance__isnull=False, kind=Account.Kind.USER, is_active=True)
    wanted = wanted.annotate(left=F("available") + F("held"))
    wanted.filter(left__gte=F("low_balance"), is_above_low=False).update(is_above_low=True)
    if not settings.MAIL_CONFIGURED:
        return 0
    fallen = wanted.filter(left__lt=F("low_balance"), is_above_low=True)
    # Who owes has had a mail of that. In no order: addresses that are always refused keep nobody's place
    fallen_now = fallen.filter(left__gte=0).exclude(email="").order_by("?")
    return sum(_write_to(account, fallen, now) for account in fallen_now[:AT_ONCE])


def _write_to(account: Account, fallen: QuerySet[Account], now: datetime) -> bool:
    subject, done = "Your balance runs low", {"is_above_low": False}
    return mail_server.post_once(account, fallen, subject=subject, text=_text(account), done=done, now=now)


def _text(account: Account) -> str:
    left, limit = (
        money.to_decimal_string(units) for units in (account.available + account.held, account.low_balance or 0)
    )
    held = f", of which {money.to_decimal_string(account.held)} USD are held for work under way" if account.held else ""
    return (
        f"Your prepaid balance has fallen below {limit} USD.\n\n"
        f"Left: {left} USD{held}\n"
        f"That covers {prices.lookups_covered(account.spendable)} lookups. Without credit a lookup is refused.\n\n"
        f"To top up: {settings.PUBLIC_URL}/app/balance/\n\n"
        "You get this mail once each time it falls below. From which sum on, and whether at all, is set at\n"
        f"{settings.PUBLIC_URL}/app/settings/\n"
    )
