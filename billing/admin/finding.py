"""How staff find a row of the books: by what has an index, a column at a time."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from billing import selectors
from jurisdictions.bounded import BoundedList

MOST_ACCOUNTS = 50
NUMBERS = {"pk", "number"}  # columns that hold no other word


def of_accounts(rows: QuerySet[Any], word: str, path: str = "account") -> QuerySet[Any] | None:
    """Rows of the accounts of this number or address, or whose name begins so; None where there is no such account."""
    accounts = list(selectors.find_accounts(word).values_list("pk", flat=True)[:MOST_ACCOUNTS])
    if not accounts:
        return None
    return rows.filter(**{path: accounts[0]} if len(accounts) == 1 else {f"{path}__in": accounts})


class OfAccounts(BoundedList):
    """A list whose rows are found by a whole name of theirs (`names`: unique columns), or by whose they are."""

    names: tuple[str, ...] = ()
    account_path = "account"
    search_fields: tuple[str, ...] = ("pk",)  # there is a box; what it finds is said below

    def find(self, request: HttpRequest, rows: QuerySet[Any], word: str) -> QuerySet[Any] | None:
        """By the first that fits."""
        is_number = word.isdecimal() and len(word) < 19
        for name in self.names:
            if (is_number or name not in NUMBERS) and rows.filter(**{name: word}).exists():
                return rows.filter(**{name: word})
        found = of_accounts(rows, word, self.account_path) if self.account_path else None
        return rows.none() if found is None else found
