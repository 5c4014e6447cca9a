"""What a customer may set about the account; everything about its money stays with the ledger."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from billing import audit
from billing.models import Account, Member

OF_LIVE_KEYS = frozenset({"max_cache_age_days", "cache_first_default", "monthly_budget"})
"""What live keys alone may set; a webhook address is each mode's own."""
OF_MEMBERS = ("name", "email", "low_balance")
"""What no key sets, because it is of people: what the account is called, who has its mail, and when one goes out."""


def change(*, account_id: int, livemode: bool, now: datetime, **changes: Any) -> Account:
    """Write the preferences that a key gives; return the account. `monthly_budget` is in 1/10,000 USD, None: no limit.

    `webhook_url` is the address of the mode, and all that may be set in test mode.
    """
    return _write("By a key", {}, changes, account_id=account_id, livemode=livemode, now=now)


def change_in_workspace(*, member: Member, now: datetime, livemode: bool = True, **changes: Any) -> Account:
    """Write what a member who may has set: preferences, and what is the account's own."""
    own = {name: changes.pop(name) for name in OF_MEMBERS if name in changes}
    return _write("In the workspace", own, changes, account_id=member.account_id, livemode=livemode, now=now)


@transaction.atomic
def _write(
    where: str, own: dict[str, Any], changes: dict[str, Any], *, account_id: int, livemode: bool, now: datetime
) -> Account:
    if wrong := set(changes) - {"webhook_url"} - (OF_LIVE_KEYS if livemode else set()):
        raise TypeError(f"Not a preference of this mode: {', '.join(sorted(wrong))}")
    names = sorted(own | changes)
    if "webhook_url" in changes and not livemode:
        changes["test_webhook_url"] = changes.pop("webhook_url")
    if names:
        # Only these columns: the ledger may be writing the sums of the same row right now.
        Account.objects.filter(pk=account_id).update(**own, **changes)
    account = Account.objects.get(pk=account_id)
    if names:
        detail = f"{where}{'' if livemode else ' (test)'}: {', '.join(names)}."
        audit.record(audit.Kind.SETTINGS_CHANGED, subject=account, detail=detail, now=now)
    return account
