"""The tables of billing, one module per thing."""

from billing.models.accounts import Account, ApiKey
from billing.models.entries import Hold, LedgerEntry
from billing.models.grants import WaitingGrant
from billing.models.limits import ConcurrencySlot, RateWindow
from billing.models.payments import Payment
from billing.models.reconciliations import Reconciliation
from billing.models.topups import ProviderEvent, TopUp

__all__ = [
    "Account",
    "ApiKey",
    "ConcurrencySlot",
    "Hold",
    "LedgerEntry",
    "Payment",
    "ProviderEvent",
    "RateWindow",
    "Reconciliation",
    "TopUp",
    "WaitingGrant",
]
