"""Accounts that owe: what they had spent was taken back. They buy nothing until it is paid, and are told so by mail."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet, Sum

from billing import mail_server, money
from billing.models import Account

AT_ONCE = 20  # a mail server that hangs is not waited for again and again


def list_owing() -> QuerySet[Account]:
    """Every account that owes."""
    return Account.objects.filter(available__lt=0)


def count_owed() -> int:
    """What all of them owe, in units of 1/10,000 USD."""
    return -(list_owing().aggregate(total=Sum("available"))["total"] or 0)


def tell(*, now: datetime) -> int:
    """Write to whoever owes and does not know it yet; returns to how many. A mail that fails is tried again."""
    Account.objects.filter(available__gte=0, owing_told_at__isnull=False).update(owing_told_at=None)
    if not settings.MAIL_CONFIGURED:
        return 0
    # In no order: addresses that are always refused keep nobody's place
    untold = list_owing().filter(owing_told_at__isnull=True)
    return sum(_write_to(account, untold, now) for account in untold.exclude(email="").order_by("?")[:AT_ONCE])


def _write_to(account: Account, untold: QuerySet[Account], now: datetime) -> bool:
    subject, done = "Your account owes money", {"owing_told_at": now}
    return mail_server.post_once(account, untold, subject=subject, text=_text(account), done=done, now=now)


def _text(account: Account) -> str:
    return (
        "A payment to your prepaid balance was refunded or disputed after part of it was spent.\n\n"
        f"Owed: {money.to_decimal_string(account.owed)} USD\n\n"
        "Until it is paid nothing can be bought. Whatever is paid in, or was set aside and comes back, "
        f"goes there first. To pay: {settings.PUBLIC_URL}/pricing/\n"
    )
