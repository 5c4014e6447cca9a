"""From an account to all that is of it: found by what refers to accounts, so that a new list needs no word here."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import ForeignKey, Model
from django.http import HttpRequest
from django.urls import reverse

from billing.models import Account, Receipt, WaitingGrant

FURTHER: dict[type[Model], str] = {Receipt: "entry__account"}  # what refers to an account by something else
LEFT_OUT: set[type[Model]] = {WaitingGrant}  # staff's own affairs, which stand in the account's history


def list_links(request: HttpRequest, account: str) -> list[tuple[str, str]]:
    """Every list that has rows of this account, as far as this person may see it: its name and its address."""
    links = []
    for model, shown in admin.site._registry.items():
        path = FURTHER.get(model) or next(
            (one.name for one in model._meta.fields if isinstance(one, ForeignKey) and one.related_model is Account), ""
        )
        if not path or model in LEFT_OUT or not shown.has_view_permission(request):
            continue
        page = f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
        name = str(model._meta.verbose_name_plural)
        links.append((name[0].upper() + name[1:], reverse(page, query={f"{path}__id__exact": account})))
    addressed = Account.objects.filter(pk=account).exclude(webhook_url="", test_webhook_url="")
    if request.user.has_perm("lookups.view_webhookaddress") and addressed.exists():
        links.append(("Webhook address", reverse("admin:lookups_webhookaddress_change", args=[account])))
    return sorted(links)
