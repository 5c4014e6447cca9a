"""What a customer may set about the account; everything about its money stays with the ledger."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from billing import audit
from billing.models import Account, Member

OF_LIVE_KEYS = frozenset({"max_cache_age_days", "cache_first_default", "monthly_budget"})
"""What live keys alone may set; a webhook address is each mode's own."""
OF_MEMBERS = ("name", "email", "low_balance")
"""What no key sets, because it is of people: what the account is called, who has its mail, and when one goes out."""


def change(*, account_id: int, livemode: bool, **changes: Any) -> Account:
    """Write the given preferences; return the account. `monthly_budget` is in 1/10,000 USD, None: no limit.

    `webhook_url` is the address of the mode, and all that may be set in test mode.
    """
    if wrong := set(changes) - {"webhook_url"} - (OF_LIVE_KEYS if livemode else set()):
        raise TypeError(f"Not a preference of this mode: {', '.join(sorted(wrong))}")
    if "webhook_url" in changes and not livemode:
        changes["test_webhook_url"] = changes.pop("webhook_url")
    if changes:
        # Only these columns: the ledger may be writing the sums of the same row right now.
        Account.objects.filter(pk=account_id).update(**changes)
    return Account.objects.get(pk=account_id)


def change_in_workspace(*, member: Member, now: datetime, livemode: bool = True, **changes: Any) -> Account:
    """Write what a member who may has set: preferences, and what is the account's own."""
    own = {name: changes.pop(name) for name in OF_MEMBERS if name in changes}
    if own:
        Account.objects.filter(pk=member.account_id).update(**own)
    account = change(account_id=member.account_id, livemode=livemode, **changes)
    if names := sorted(own | changes):
        mode = "" if livemode else " (test)"
        detail = f"In the workspace{mode}: {', '.join(names)}."
        audit.record(audit.Kind.SETTINGS_CHANGED, subject=account, detail=detail, now=now)
    return account
