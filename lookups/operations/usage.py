"""What accounts asked in a day, added up once it is over where it was much, so that a page of usage reads few rows."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Count, Sum

from lookups.models import Lookup, UsageSum

MANY = 200  # of an account and mode in a day: fewer are counted as fast as their sums would be read
ALIKE = ("state", "key_id", "origin", "verdict")


def keep_day(day: date) -> None:
    """Add up a day on which every lookup has ended; once, in the transaction that notes that it was done."""
    since = datetime.combine(day, time.min, tzinfo=UTC)
    asked = Lookup.objects.filter(
        account__isnull=False, created_at__gte=since, created_at__lt=since + timedelta(days=1)
    )
    of_one = asked.order_by().values("account_id", "sandbox")
    for one in of_one.annotate(number=Count("*")).filter(number__gte=MANY):
        same = asked.filter(account_id=one["account_id"], sandbox=one["sandbox"]).order_by().values(*ALIKE)
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
