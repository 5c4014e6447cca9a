"""The tables of billing, one module per thing."""

from billing.models.accounts import Account, ApiKey
from billing.models.anchors import LedgerAnchor
from billing.models.audit import AuditEvent, AuditHead
from billing.models.closes import DaySum, MonthClose, Receipt
from billing.models.differences import Difference
from billing.models.entries import Hold, LedgerEntry
from billing.models.grants import WaitingGrant
from billing.models.limits import ConcurrencySlot, RateWindow
from billing.models.members import FreeGrant, Invitation, Member, MemberSession, SignInLink
from billing.models.outage_refunds import OutageRefund
from billing.models.payments import Payment
from billing.models.reconciliations import Reconciliation
from billing.models.topups import ProviderEvent, Reversal, TopUp

__all__ = [
    "Account",
    "ApiKey",
    "AuditEvent",
    "AuditHead",
    "ConcurrencySlot",
    "DaySum",
    "Difference",
    "FreeGrant",
    "Hold",
    "Invitation",
    "LedgerAnchor",
    "LedgerEntry",
    "Member",
    "MemberSession",
    "MonthClose",
    "OutageRefund",
    "Payment",
    "ProviderEvent",
    "RateWindow",
    "Receipt",
    "Reconciliation",
    "Reversal",
    "SignInLink",
    "TopUp",
    "WaitingGrant",
]
