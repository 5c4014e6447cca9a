"""The ready-made roles of staff: each a group with exactly these rights, brought about by every migration.

They are whole jobs, to be given one or several to a person; "owner" is all of them with users and the audit log, and no
superuser. Who needs another cut makes a group of their own: changes of these would be undone.
"""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connections
from django.db.models import Q

_HEALTH = {
    "jurisdictions.view_jurisdiction",
    "scrapers.view_breaker",
    "scrapers.view_bulkcopy",
    "lookups.view_lookup",
    "lookups.view_entity",
    "lookups.view_job",
    "lookups.view_bulkjob",
}
_CUSTOMERS = {
    "billing.view_account",
    "billing.view_apikey",
    "billing.view_member",
    "billing.view_invitation",
    "lookups.view_delivery",
    "lookups.view_webhookaddress",
    "lookups.view_watch",
    "lookups.view_watchcheck",
    "lookups.view_watchevent",
    "scrapers.view_scrapeattempt",
}
_BOOKS = {
    "billing.view_account",
    "billing.view_ledgerentry",
    "billing.view_hold",
    "billing.view_payment",
    "billing.view_topup",
    "billing.view_reversal",
}
VIEWER = frozenset(_HEALTH)
_PRIVACY = {
    "lookups.view_removalrequest",
    "lookups.change_removalrequest",
    "lookups.view_suppression",
    "lookups.add_suppression",
    "lookups.change_suppression",
}
SUPPORT = frozenset(_HEALTH | _CUSTOMERS | _BOOKS | _PRIVACY | {"lookups.change_delivery"})
FINANCE = frozenset(
    _BOOKS
    | {
        "billing.view_waitinggrant",
        "billing.view_outagerefund",
        "billing.view_providerevent",
        "billing.view_monthclose",
        "billing.view_receipt",
        "billing.view_reconciliation",
        "billing.view_difference",
        "billing.change_difference",
        "billing.move_money",
    }
)
OPERATOR = frozenset(
    _HEALTH
    | _CUSTOMERS
    | {
        "jurisdictions.change_jurisdiction",
        "lookups.change_job",
        "lookups.change_delivery",
        "lookups.change_webhookaddress",
        "billing.add_account",
        "billing.change_account",
        "billing.add_apikey",
        "billing.change_apikey",
    }
)
_STAFF = {
    "auth.view_user",
    "auth.add_user",
    "auth.change_user",
    "auth.view_group",
    "auth.add_group",
    "auth.change_group",
    "auth.delete_group",
    "billing.view_auditevent",
    "billing.view_signinlink",
    "billing.show_signinlink",
    "billing.add_invitation",
    "billing.delete_invitation",
}
ROLES = {
    "viewer": VIEWER,
    "support": SUPPORT,
    "finance": FINANCE,
    "operator": OPERATOR,
    "owner": VIEWER | SUPPORT | FINANCE | OPERATOR | _STAFF,
}


def make(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Make the groups that are missing, and give each what it is to have; after a migration, as far as it went."""
    there = connections[using].introspection.table_names()
    if not {Group._meta.db_table, Permission._meta.db_table, ContentType._meta.db_table} <= set(there):
        return
    for name, rights in ROLES.items():
        group, _created = Group.objects.using(using).get_or_create(name=name)
        wanted = Q()
        for right in rights:
            app, _dot, codename = right.partition(".")
            wanted |= Q(content_type__app_label=app, codename=codename)
        group.permissions.set(Permission.objects.using(using).filter(wanted))
