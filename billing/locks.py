"""Locks of the ledger: whoever moves an account's money holds its row from his first statement to the commit."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from billing.models import Account, Hold
from jurisdictions.prepared import Blank, Prepared

_ACCOUNT = Prepared(lambda: Account.objects.select_for_update(no_key=True).filter(id=Blank("id")))
_HOLD = Prepared(
    lambda: (
        Hold.objects.select_for_update(no_key=True, of=("account", "self"))
        .select_related("account")
        .filter(id=Blank("id"))
    )
)


def lock_account(account_id: int) -> Account:
    """Lock and read the account's row. NO KEY: rows that merely point at the account are not made to wait."""
    return _ACCOUNT.get(id=account_id)


def lock_hold(hold_id: int) -> Hold:
    """Lock the account of a hold, then the hold: who has waited for the account reads the hold as it is then."""
    return _HOLD.get(id=hold_id)


def lock_rows(rows: QuerySet[Any]) -> None:
    """Lock these in the order of their numbers: two who take several of one table then never wait for each other."""
    list(rows.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
