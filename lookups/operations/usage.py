"""What accounts asked in a day, added up once it is over where it was much, so that a page of usage reads few rows."""

from __future__ import annotations

from datetime import date

from django.db.models import Count, QuerySet, Sum

from lookups.models import Lookup, UsageSum

MANY = 200  # of an account and mode in a day: fewer are counted as fast as their sums would be read
ALIKE = ("state", "key_id", "origin", "verdict")


def keep_day(day: date, asked: QuerySet[Lookup]) -> None:
    """Add up a day on which every lookup has ended; once, in the transaction that notes that it was done."""
    of_accounts = asked.filter(account__isnull=False)
    for one in of_accounts.values("account_id", "sandbox").annotate(number=Count("*")).filter(number__gte=MANY):
        same = of_accounts.filter(account_id=one["account_id"], sandbox=one["sandbox"]).values(*ALIKE)
        UsageSum.objects.bulk_create(
            UsageSum(
                day=day,
                account_id=one["account_id"],
                sandbox=one["sandbox"],
                **{word: row[word] for word in ALIKE},
                lookups=row["number"],
                spent=row["cost__sum"],
            )
            for row in same.annotate(Sum("cost"), number=Count("*"))
        )
