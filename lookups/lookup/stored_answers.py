"""Reading a stored answer instead of asking the registry again."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from billing.models import Account
from lookups.lookup.questions import Question
from lookups.models import StoredAnswer


def max_age(account: Account | None) -> timedelta:
    """How old a stored answer may be for this account: its own choice, or the service's default."""
    days = account.max_cache_age_days if account else None
    return timedelta(days=settings.CACHE_MAX_AGE_DAYS if days is None else days)


def find_answer(question: Question, *, sandbox: bool, since: datetime) -> StoredAnswer | None:
    """The stored answer to this question when it was read after `since`, with its entity, in one query."""
    return (
        StoredAnswer.objects.select_related("entity")
        .filter(
            question=question.digest,
            state=question.state,
            kind=question.kind,
            sandbox=sandbox,
            retrieved_at__gt=since,
        )
        .first()
    )
