"""Everything that is kept about one account, to be handed to whoever asks for it.

What registries said of others is in it as everywhere else: without what these have asked to be left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, QuerySet

from billing.models import Account, LedgerEntry, MemberSession, Payment, Receipt, Reversal, TopUp
from lookups.identities import bodies as identities
from lookups.models import (
    Delivery,
    DeliveryAttempt,
    Identifiers,
    Manifest,
    RowAnswer,
    WatchBaseline,
    WatchCheck,
    WatchEvent,
)
from lookups.notifications import webhook_events
from lookups.watches import bodies as watches

# Neither the account's nor anybody's to read: what a secret could be found by, marks of our own work, and who of the
# staff moved money.
HIDDEN = frozenset(
    {"secret_hash", "token_hash", "password", "salt", "proof", "proof_hash", "claim", "lease_until"}
    | {"operator", "asked_by", "decided_by"}
)
# What hangs on the account by another row of its own.
INDIRECT: dict[type[Model], str] = {
    Authenticator: "user__memberships__account",
    DeliveryAttempt: "delivery__account",
    Identifiers: "lookup__account",
    Manifest: "lookup__account",
    MemberSession: "member__account",
    Receipt: "entry__account",
    RowAnswer: "row__account",
    User: "memberships__account",
    WatchBaseline: "watch__account",
    WatchCheck: "watch__account",
}


def _shown_of(way_in: Authenticator) -> dict[str, Any]:
    """A passkey, of which we have the public half; what makes codes, of who works here as well, is a secret."""
    return {"data": way_in.data if way_in.type == Authenticator.Type.WEBAUTHN else None}


# What of a row is of others, or secret -> as it may be shown, and what has to be read beside the row for that.
NOT_THEIRS: dict[type[Model], tuple[Callable[[Any], dict[str, Any]], tuple[str, ...]]] = {
    Authenticator: (_shown_of, ()),
    Delivery: (lambda row: {"body": webhook_events.get_body(row)}, ("job", "watch_event")),
    Identifiers: (identities.withhold, ("entity",)),
    LedgerEntry: (lambda row: {"reference": row.customer_reference, "note": row.customer_note}, ("account",)),
    WatchBaseline: (lambda row: {"facts": watches.withhold_facts(row)}, ("watch",)),
    WatchEvent: (lambda row: {"changes": watches.withhold(row)}, ("watch", "before__version", "after__version")),
}


def list_rows(account: Account) -> Iterator[tuple[type[Model], QuerySet[Any]]]:
    """Every table that keeps something about the account, with its rows of it: found from the models themselves."""
    yield Account, Account.objects.filter(pk=account.pk)
    for model in apps.get_models():
        path = INDIRECT.get(model) or _find_link(model)
        if path is not None:
            yield model, model._default_manager.filter(**{path: account}).order_by("pk")
    references = [*_references(account)]
    yield Reversal, Reversal.objects.filter(payment_reference__in=references).order_by("pk")


def read_tables(account: Account) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    """Table by table its rows, as they are kept but for secrets; read as they are asked for."""
    for model, rows in list_rows(account):
        columns = [field.attname for field in model._meta.concrete_fields if field.attname not in HIDDEN]
        yield model._meta.label_lower, _read(model, rows, columns)


def write_json(account: Account) -> Iterator[str]:
    """One JSON object, a list of rows for each table that has any; however much it is, a row at a time."""
    encode = DjangoJSONEncoder(ensure_ascii=False).encode
    between = "{\n"
    for name, rows in read_tables(account):
        first = next(rows, None)
        if first is None:
            continue
        yield f"{between}{json.dumps(name)}: [\n{encode(first)}"
        for row in rows:
            yield f",\n{encode(row)}"
        yield "\n]"
        between = ",\n"
    yield "\n}\n"


def _read(model: type[Model], rows: QuerySet[Any], columns: list[str]) -> Iterator[dict[str, Any]]:
    if model not in NOT_THEIRS:
        return rows.values(*columns).iterator(chunk_size=500)
    show, beside = NOT_THEIRS[model]
    whole = rows.select_related(*beside).iterator(chunk_size=500)
    return ({name: getattr(row, name) for name in columns} | show(row) for row in whole)


def _find_link(model: type[Model]) -> str | None:
    if model._meta.proxy:
        return None
    return next((field.name for field in model._meta.concrete_fields if field.related_model is Account), None)


def _references(account: Account) -> Iterator[str]:
    """By what names its payments are known elsewhere."""
    for rows, name in ((TopUp.objects, "payment_intent"), (Payment.objects, "reference")):
        yield from (value for value in rows.filter(account=account).values_list(name, flat=True) if value)
