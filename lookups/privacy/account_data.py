"""Everything that is kept about one account, to be handed to whoever asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db.models import ForeignKey, Model, QuerySet

from billing.models import Account, Payment, Receipt, Reversal, TopUp
from lookups.models import DeliveryAttempt

# Neither the account's nor anybody's to read: what a secret could be found by, and marks of our own work.
HIDDEN = frozenset({"secret_hash", "salt", "proof", "proof_hash", "claim", "lease_until"})
# What hangs on the account by another row of its own.
INDIRECT: dict[type[Model], str] = {DeliveryAttempt: "delivery__account", Receipt: "entry__account"}


def list_rows(account: Account) -> Iterator[tuple[type[Model], QuerySet[Any]]]:
    """Every table that keeps something about the account, with its rows of it: found from the models themselves."""
    yield Account, Account.objects.filter(pk=account.pk)
    for model in apps.get_models():
        path = INDIRECT.get(model) or _find_link(model)
        if path is not None:
            yield model, model._default_manager.filter(**{path: account}).order_by("pk")
    references = [*_references(account)]
    yield Reversal, Reversal.objects.filter(payment_reference__in=references).order_by("pk")


def export(account: Account) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Table by table its rows, as they are kept but for secrets; tables without any are left out."""
    for model, rows in list_rows(account):
        columns = [field.attname for field in model._meta.concrete_fields if field.attname not in HIDDEN]
        told = list(rows.values(*columns))
        if told:
            yield model._meta.label_lower, told


def _find_link(model: type[Model]) -> str | None:
    if model._meta.proxy:
        return None
    links = [field.name for field in model._meta.concrete_fields if isinstance(field, ForeignKey)]
    named = [name for name in links if model._meta.get_field(name).related_model is Account]
    return named[0] if named else None


def _references(account: Account) -> Iterator[str]:
    """By what names its payments are known elsewhere."""
    for rows, name in ((TopUp.objects, "payment_intent"), (Payment.objects, "reference")):
        yield from (value for value in rows.filter(account=account).values_list(name, flat=True) if value)
