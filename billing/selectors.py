"""Reading what is owed: balances, keys, alerts. Nothing here changes anything."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet

from billing import owing, reversals
from billing.accounts import FREE_GRANT
from billing.members import addresses
from billing.models import Account, ApiKey, Difference, Hold, LedgerEntry, Member, Payment, Reconciliation, TopUp
from billing.payments import tempo

OVERDUE = timedelta(minutes=15)
ENDING = timedelta(minutes=10)
LONG_UNKNOWN = timedelta(hours=1)  # a payment's outcome is found out within minutes, unless something is broken


@dataclass(frozen=True, slots=True)
class Balance:
    """An account's sums, in units of 1/10,000 USD; `available + held + spent == deposited`.

    Less than nothing is available where what was spent has been taken back: so much is owed.
    """

    available: int
    held: int
    spent: int
    deposited: int

    @property
    def spendable(self) -> int:
        """What can be spent: nothing where something is owed."""
        return max(0, self.available)

    @property
    def owed(self) -> int:
        """What has to be paid before anything is bought."""
        return max(0, -self.available)


def get_balance(account_id: int) -> Balance:
    """Return the account's sums in one query; raise Account.DoesNotExist when there is none."""
    row = Account.objects.values_list("available", "held", "spent", "deposited").get(pk=account_id)
    return Balance(*row)


def count_free_left(account_id: int) -> int:
    """Return the units that are left of an account's free lookups: they are what is spent first."""
    sums = get_balance(account_id)
    grant = LedgerEntry.objects.filter(account_id=account_id, idempotency_key=FREE_GRANT)
    granted = grant.values_list("amount", flat=True).first() or 0
    return max(0, min(granted - sums.held - sums.spent, sums.available))


def list_topups(account_id: int) -> QuerySet[TopUp]:
    """Return the account's ways to the card page, newest first."""
    return TopUp.objects.filter(account_id=account_id).order_by("-id")


def list_keys(account_id: int) -> QuerySet[ApiKey]:
    """Return the account's keys that programs use, newest first, revoked ones included."""
    return ApiKey.objects.of_programs().filter(account_id=account_id).order_by("-id")


def find_alert() -> Reconciliation | None:
    """Return the latest reconciliation while something that was found is not gone, else None."""
    return Reconciliation.objects.order_by("-id").first() if list_differences().exists() else None


def list_differences() -> QuerySet[Difference]:
    """Return what differs, as far as the latest reconciliation knows."""
    return Difference.objects.filter(gone_at=None)


def list_gauges(*, now: datetime) -> dict[str, tuple[str, int]]:
    """Return what a monitoring system watches: name -> what it counts, and its value now. All but the age are 0.

    `payments_unknown` alone may be more for some minutes.
    """
    latest = Reconciliation.objects.order_by("-id").first()
    age = int((now - latest.ran_at).total_seconds()) if latest else -1
    return {
        "ledger_mismatches": (
            "Differences that were found and that last.",
            list_differences().count(),
        ),
        "ledger_reconciliation_age_seconds": ("Seconds since the latest reconciliation; -1 before the first.", age),
        "provider_comparison_age_seconds": (
            "Seconds since the card provider was compared; -1 before the first, 0 without one.",
            _count_age("provider_until", now) if settings.STRIPE_SECRET_KEY else 0,
        ),
        "chain_comparison_age_seconds": (
            "Seconds since the chain was compared; -1 before the first, 0 where no transfers are taken.",
            _count_age("chain_until", now) if tempo.find() else 0,
        ),
        "payments_unknown": ("Payments that may or may not have moved money.", list_unknown_payments().count()),
        "payments_unknown_long": ("Those that have been so for an hour.", list_unknown_payments(now).count()),
        "payments_undelivered": (
            "Lookups paid by request whose answer was not delivered: to be claimed, or refunded.",
            list_undelivered_payments(now).count(),
        ),
        "topups_mismatched": (
            "Top-ups paid with another amount than asked for.",
            TopUp.objects.filter(state=TopUp.State.MISMATCH).count(),
        ),
        "accounts_owing": (
            "Accounts whose payments were taken back after they were spent.",
            owing.list_owing().count(),
        ),
        "owed_units": ("What they owe, in 1/10,000 USD.", owing.count_owed()),
        "reversals_unmatched": (
            "Refunds and disputes of no payment of ours, an hour after they were heard of.",
            reversals.count_unmatched(now=now),
        ),
        "holds_overdue": (
            "Holds that should have been given back a quarter of an hour ago.",
            list_overdue_holds(now).count(),
        ),
    }


def _count_age(compared: str, now: datetime) -> int:
    """Seconds since a reconciliation compared this side as well; -1 when none has."""
    latest = Reconciliation.objects.filter(**{f"{compared}__isnull": False}).order_by("-id").first()
    return int((now - latest.ran_at).total_seconds()) if latest else -1


def list_overdue_holds(now: datetime) -> QuerySet[Hold]:
    """Return the holds whose time was over a while ago, and that nobody has given back."""
    return Hold.objects.filter(state=Hold.State.OPEN, expires_at__lt=now - OVERDUE)


def list_ending_holds(now: datetime) -> QuerySet[Hold]:
    """Return the holds that will be given back within ten minutes, unless their work ends before."""
    return Hold.objects.filter(state=Hold.State.OPEN, expires_at__lte=now + ENDING)


def list_unknown_payments(long_before: datetime | None = None) -> QuerySet[Payment]:
    """Return the payments that may or may not have moved money; with a moment those that have been so for long then.

    Strangers can bring new ones about, and these end by themselves; what lasts is for a person.
    """
    unknown = Payment.objects.filter(state=Payment.State.UNKNOWN, is_sandbox=False)
    if long_before is None:
        return unknown
    since = long_before - LONG_UNKNOWN
    return unknown.filter(Q(settling_at__lte=since) | Q(settling_at=None, created_at__lte=since))


def list_undelivered_payments(now: datetime) -> QuerySet[Payment]:
    """Return the lookups paid by request that are neither delivered nor given back, nor being answered right now."""
    paid = Payment.objects.filter(state=Payment.State.PAID, purpose=Payment.Purpose.LOOKUP, is_sandbox=False)
    return paid.filter(delivered_at=None, taken_back=0, ended_at__lte=now - OVERDUE)


def find_accounts(text: str) -> QuerySet[Account]:
    """Return the accounts of this number, of this e-mail address (their own or a member's), or whose name begins so."""
    word = text.strip().removeprefix("#")
    if not word:
        return Account.objects.none()
    wanted = Q(name__istartswith=word) | Q(email__iexact=word)
    if word.isdecimal() and len(word) < 19:
        wanted |= Q(pk=int(word))
    if "@" in word:
        wanted |= Q(pk__in=Member.objects.filter(user__username=addresses.name_of(word.lower())).values("account"))
    return Account.objects.filter(wanted).order_by("name", "pk")
