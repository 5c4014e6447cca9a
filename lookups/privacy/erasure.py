"""Erases a customer from an account: who they are and what they asked. The books stay, as they must.

Entries, receipts and payments keep their sums, times and numbers, under an account that has no name any more; an entry
is chained by its hash, and nobody can change it. What registries said of companies is nobody's account.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q, QuerySet

from billing import audit, keys, locks, outage_refunds
from billing.members import team
from billing.models import Account, ApiKey, Hold, Payment, TopUp, WaitingGrant
from lookups.models import (
    BulkDraft,
    BulkJob,
    Delivery,
    IdempotencyRecord,
    Identifiers,
    Job,
    Lookup,
    Manifest,
    RowAnswer,
    Watch,
    WebhookAddress,
    WebhookSecret,
)
from scrapers.models import ScrapeAttempt

ERASED = "erased"
ANSWERED_WITHIN = timedelta(days=1)  # also by a worker that comes too late: the longest wait is six hours


class NotErasable(Exception):
    """Something is under way or owed; the message says what."""


def erase(*, account: Account, give_up_credit: bool, now: datetime) -> dict[str, int]:
    """Erase what is personal of an account, in one transaction; returns how many rows of each kind were changed.

    Raises NotErasable while work is under way, while something is owed, and while there is credit that nobody has
    given up. Erasing again is allowed: it finds what a request that was already on its way has left.
    """
    with transaction.atomic():
        # Whoever buys a draft, does a job over, comes late with an answer or takes a payment back has that before the
        # account, and whoever forgets jobs by the clock has their messages before them
        lately = Lookup.objects.filter(created_at__gt=now - ANSWERED_WITHIN)
        for rows in (BulkDraft.objects, Delivery.objects, Job.objects, lately, Payment.objects):
            locks.lock_rows(rows.filter(account=account))
        locked = locks.lock_account(account.pk)
        _refuse_open(locked, give_up_credit=give_up_credit)
        nobody = f"Erased account {locked.pk}"
        Account.objects.filter(pk=locked.pk).update(
            name=nobody,
            email="",
            webhook_url="",
            test_webhook_url="",
            is_active=False,
        )
        _forget_in_admins_log(locked, nobody)
        changed = _erase_rows(locked)
        for key in ApiKey.objects.filter(Q(revoked_at__isnull=True) | Q(revoked_at__gt=now), account=locked):
            keys.revoke(key=key, now=now)  # last: the audit log is locked from here on
        audit.record(audit.Kind.DONE, now=now, subject=nobody, detail="Erased.")
        return changed


def forget_lookups(lookups: QuerySet[Lookup]) -> dict[str, int]:
    """Empty these rows of what was asked and answered; returns how many of each kind were changed.

    How a registry answered is kept for its own sake, in words for a month, but not any more as this row's.
    """
    ScrapeAttempt.objects.filter(asked_by__in=lookups.values("ask_id")).update(asked_by=None)
    return {
        "manifests": Manifest.objects.filter(lookup__in=lookups).update(document=None),  # the chain has its hash
        "identifiers": Identifiers.objects.filter(lookup__in=lookups).delete()[0],
        "lookups": lookups.update(
            asked=ERASED,
            question={},
            asked_by=None,  # who is in another account as well stays somebody
            ref=None,
            refusal=None,
            match=None,
            related=[],
            candidates=[],
            name_check=None,
            note="",
            evidence=None,
            version=None,
            filing_set=None,
            request_id="",
            reading=None,
            attempt_id=None,
        ),
    }


def _forget_in_admins_log(account: Account, nobody: str) -> None:
    """Each line has the name of its object as it was then; an account is in it as the address of webhooks, too."""
    pages = ContentType.objects.get_for_models(Account, WebhookAddress, for_concrete_models=False).values()
    of_account = LogEntry.objects.filter(content_type__in=pages, object_id=str(account.pk))
    of_account.update(object_repr=nobody, change_message="")
    numbers = [str(number) for number in ApiKey.objects.filter(account=account).values_list("pk", flat=True)]
    of_keys = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(ApiKey), object_id__in=numbers)
    of_keys.update(object_repr=ERASED)
    grants = [str(number) for number in WaitingGrant.objects.filter(account=account).values_list("pk", flat=True)]
    of_grants = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(WaitingGrant))
    of_grants.filter(object_id__in=grants).update(change_message="")  # an earlier version named the account there


def _refuse_open(account: Account, *, give_up_credit: bool) -> None:
    if account.role:
        raise NotErasable("This account is the service's own.")
    under_way = (
        Hold.objects.filter(account=account, state=Hold.State.OPEN).exists()
        or Lookup.objects.open().filter(account=account).exists()
        or Job.objects.open().filter(account=account).exists()
        or BulkJob.objects.open().filter(account=account).exists()
    )
    if under_way:
        raise NotErasable("Work of this account is under way: close the account, and try again when it has ended.")
    # What is given or paid by these later on would be nobody's
    if WaitingGrant.objects.waiting().filter(account=account).exists():
        who = "a second person of the operator's staff"
        raise NotErasable(
            f"This account is to get credit that waits for {who}: it has to be approved or rejected first."
        )
    if outage_refunds.is_to_get_back(account.pk):
        raise NotErasable(
            "This account is to get back what it paid in an outage: that has to be done, or rejected, first."
        )
    if TopUp.objects.filter(account=account, state=TopUp.State.CREATED).exists():
        raise NotErasable(
            "A page to pay by card is open, or what was paid there is on its way: "
            "try again in three days, when the page has ended for certain, or when the payment has."
        )
    if Payment.objects.filter(account=account, ended_at=None).exists():
        raise NotErasable("A payment of this account is under way: try again when it is known how it has ended.")
    if account.owed:
        raise NotErasable("This account owes something: settle that first.")
    if account.available and not give_up_credit:
        raise NotErasable("This account has credit: refund it, or say that it is given up.")


def _erase_rows(account: Account) -> dict[str, int]:
    mine = {"account": account}
    people = team.forget(account)
    deliveries, _ = Delivery.objects.filter(**mine).delete()
    jobs, _ = Job.objects.filter(**mine).delete()
    secrets, _ = WebhookSecret.objects.filter(**mine).delete()
    watches, _ = Watch.objects.filter(**mine).delete()
    drafts, _ = BulkDraft.objects.filter(**mine).delete()
    answers, _ = RowAnswer.objects.filter(row__account=account).delete()
    repeats, _ = IdempotencyRecord.objects.filter(**mine).delete()
    return {
        "keys": ApiKey.objects.filter(**mine).update(name=ERASED, allowed_networks=[]),
        "people": people,
        "messages": deliveries,
        "jobs": jobs,
        "watches": watches,
        "drafts": drafts,
        "rows asked again": answers,
        "webhook secrets": secrets,
        "idempotency keys": repeats,
        "bulk jobs": BulkJob.objects.filter(**mine).update(webhook_url="", asked_hash="", request_id=""),
        **forget_lookups(Lookup.objects.filter(**mine)),
        "payments": Payment.objects.filter(**mine).update(payer="", detail="", request_key=None),
        "grants": WaitingGrant.objects.filter(**mine).update(note=""),
    }
