"""What is asked for: every list and search of the admin, pages of the workspace, and the calls that programs repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tests.bench.large.tables import BIG

ADMIN, WORKSPACE, HOT = "admin", "workspace", "hot"
ONE_ROW = "/change/"


@dataclass(frozen=True, slots=True)
class Address:
    """One of them. `posts` is sent as JSON; hot ones keep what the process remembers, the others begin without it."""

    part: str
    name: str
    path: str
    posts: dict[str, Any] | None = None


def list_addresses() -> Iterator[Address]:
    """All of them, by rows of the database that is connected."""
    yield from _list_hot()
    yield from _list_lists()
    yield from _list_searches()
    yield from _list_admin_pages()
    yield from _list_workspace()


def _list_hot() -> Iterator[Address]:
    from lookups.models import Entity, Lookup

    mine = Lookup.objects.filter(account=BIG, sandbox=False)
    entity, lookup = Entity.objects.first(), mine.filter(verdict="found").first()
    assert entity
    assert lookup
    yield Address(HOT, "health", "/v1/health")
    yield Address(HOT, "states", "/v1/states")
    yield Address(HOT, "balance", "/v1/account/balance")
    yield Address(HOT, "lookups, a page", "/v1/lookups")
    yield Address(HOT, "lookups that failed", "/v1/lookups?verdict=failed")
    yield Address(HOT, "lookups of a state", "/v1/lookups?state=WA")
    yield Address(HOT, "lookups of a mark", "/v1/lookups?ref=ref-1")
    yield Address(HOT, "one lookup again", f"/v1/lookups/{lookup.public_id}")
    asked = {"state": entity.state, "entity_id": entity.entity_id, "source": "cache"}
    yield Address(HOT, "stored answer", "/v1/lookup", asked)


def _list_lists() -> Iterator[Address]:
    """Each list as it opens, and its last page where it has one."""
    from tests.admin_lists import list_admins

    for model in sorted(list_admins(), key=lambda one: one._meta.label):
        path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        yield Address(ADMIN, f"list of {model._meta.verbose_name_plural}", path)
    for name, path in (
        ("lookups that failed", "lookups/lookup/?verdict__exact=failed"),
        ("lookups of Iowa", "lookups/lookup/?state__exact=IA"),
        ("lookups of nobody's sandbox", "lookups/lookup/?mode=sandbox&verdict__exact=cancelled"),
        ("lookups in the order of names", "lookups/lookup/?o=3"),
        ("lookups, page 50", "lookups/lookup/?p=50"),
        ("lookups of the large account", f"lookups/lookup/?account__id__exact={BIG}"),
        ("lookups of an account", "lookups/lookup/?account__id__exact=12"),
        ("attempts that were blocked in Iowa", "scrapers/scrapeattempt/?outcome__exact=blocked&state__exact=IA"),
        ("entries that are revenue", "billing/ledgerentry/?moves=revenue"),
        ("entries of refunds", "billing/ledgerentry/?kind__exact=refund"),
        ("entries in the order of references", "billing/ledgerentry/?o=7"),
        ("entries of the large account", f"billing/ledgerentry/?account__id__exact={BIG}"),
        ("entries of an account", "billing/ledgerentry/?account__id__exact=12"),
        ("holds that are open", "billing/hold/?state__exact=open"),
        ("holds of an account", "billing/hold/?account__id__exact=12"),
        ("jobs that are open", "lookups/job/?age=open"),
        ("jobs of a reason", "lookups/job/?why=blocked"),
        ("companies of Iowa", "lookups/entity/?state__exact=IA"),
        ("companies of the sandbox", "lookups/entity/?mode=sandbox"),
        ("companies in the order of names", "lookups/entity/?o=1"),
    ):
        yield Address(ADMIN, f"list of {name}", f"/admin/{path}")


def _list_searches() -> Iterator[Address]:
    from billing.models import Account, ApiKey, AuditEvent, LedgerEntry, Payment, TopUp
    from lookups.models import Delivery, Entity, Job, Lookup, Watch

    account, lookup = Account.objects.get(pk=12), Lookup.objects.order_by("pk")[50]
    entity, job, watch = Entity.objects.order_by("pk")[20], Job.objects.first(), Watch.objects.first()
    entry, message = LedgerEntry.objects.order_by("pk")[70], Delivery.objects.first()
    payment, topup, key = Payment.objects.order_by("pk")[1], TopUp.objects.order_by("pk")[1], ApiKey.objects.get(pk=12)
    event = AuditEvent.objects.first()
    assert job
    assert watch
    assert message
    assert event
    by_account = {"its number": f"{account.pk}", "its address": account.email, "its name": account.name}
    lists = ["lookup", "job", "delivery", "bulkjob", "watch", "watchcheck", "watchevent", "webhookaddress"]
    books = ["ledgerentry", "hold", "topup", "payment", "receipt", "apikey", "member", "account"]
    tables = [*(f"lookups/{name}" for name in lists), *(f"billing/{name}" for name in books)]
    searches = [(table, f"an account by {how}", word) for table in tables for how, word in by_account.items()]
    searches += [
        ("lookups/lookup", "its id", lookup.public_id),
        ("lookups/lookup", "a name that nobody has", "zzyzx"),
        ("lookups/job", "its id", job.public_id),
        ("lookups/job", "its lookup's id", f"lk_{job.ask_id.hex}"),
        ("lookups/delivery", "its id", message.message_id),
        ("lookups/watch", "its id", watch.public_id),
        ("lookups/entity", "its whole name", entity.name),
        ("lookups/entity", "how many names begin", "the "),
        ("lookups/entity", "how few names begin", entity.name[:8]),
        ("lookups/entity", "a name that nobody has", "zzyzx"),
        ("lookups/entity", "the registry's id", entity.entity_id),
        ("scrapers/scrapeattempt", "how a question begins", entity.name[:8]),
        ("scrapers/scrapeattempt", "a name that nobody has", "zzyzx"),
        ("scrapers/scrapeattempt", "the ask's id", lookup.public_id),
        ("billing/ledgerentry", "its number", f"{entry.pk}"),
        ("billing/payment", "its payer", payment.payer),
        ("billing/topup", "the provider's name", topup.session_id or ""),
        ("billing/apikey", "how it begins", key.prefix),
        ("billing/auditevent", "a person", event.actor),
        ("billing/auditevent", "a subject", event.subject),
        ("lookups/suppression", "a name", "zzyzx"),
        ("lookups/removalrequest", "a name", "zzyzx"),
        ("billing/reversal", "a name", "zzyzx"),
    ]
    for table, how, word in searches:
        yield Address(ADMIN, f"search in {table} by {how}", f"/admin/{table}/?{urlencode({'q': word})}")
    for how, word in {**by_account, "a lookup's id": lookup.public_id, "a job's id": job.public_id}.items():
        yield Address(ADMIN, f"the box by {how}", f"/admin/find/?{urlencode({'q': word})}")


def _list_admin_pages() -> Iterator[Address]:
    from billing.models import LedgerEntry
    from lookups.models import Job, Lookup

    job, lookup = Job.objects.first(), Lookup.objects.filter(account=BIG, verdict="found", sandbox=False).first()
    entry = LedgerEntry.objects.filter(account=BIG).first()
    assert job
    assert lookup
    assert entry
    for name, path in (
        ("today", ""),
        ("finance", "billing/ledgerentry/finance/"),
        ("registries", "jurisdictions/jurisdiction/health/"),
        ("queue", "lookups/job/queue/"),
        ("an account", f"billing/account/12{ONE_ROW}"),
        ("the large account", f"billing/account/{BIG}{ONE_ROW}"),
        ("a statement", "billing/account/12/statement/"),
        ("the large account's statement", f"billing/account/{BIG}/statement/"),
        ("a lookup", f"lookups/lookup/{lookup.pk}{ONE_ROW}"),
        ("a job", f"lookups/job/{job.pk}{ONE_ROW}"),
        ("an entry", f"billing/ledgerentry/{entry.pk}{ONE_ROW}"),
        ("a company", f"lookups/entity/20{ONE_ROW}"),
        ("an attempt", f"scrapers/scrapeattempt/40{ONE_ROW}"),
    ):
        yield Address(ADMIN, f"page of {name}", f"/admin/{path}")


def _list_workspace() -> Iterator[Address]:
    """Of the account that asked a tenth of everything."""
    from lookups.models import BulkJob, Lookup, Watch

    lookup = Lookup.objects.filter(account=BIG, sandbox=False, verdict="found").first()
    watch, bulk = Watch.objects.filter(account=BIG).first(), BulkJob.objects.filter(account=BIG).first()
    assert lookup
    assert watch
    pages = {
        "ask": "",
        "a lookup": f"lookups/{lookup.public_id}/",
        "history": "history/",
        "history by name": "history/?name=zzyzx",
        "history by state and verdict": "history/?state=IA&verdict=failed",
        "history by mark": "history/?ref=ref-15",
        "usage": "usage/",
        "usage of 90 days": "usage/?from=2026-08-25&to=2026-11-23",
        "watches": "watches/",
        "watches of a state": "watches/?state=IA",
        "a watch": f"watches/{watch.public_id}/",
        "events": "events/",
        "events of a state": "events/?state=IA",
        "bulk": "bulk/",
        "a bulk job": f"bulk/{bulk.public_id}/" if bulk else "bulk/",
        "balance": "balance/",
        "statement": "balance/statement/",
        "keys": "keys/",
        "webhooks": "webhooks/",
        "team": "team/",
    }
    for name, path in pages.items():
        yield Address(WORKSPACE, name, f"/app/{path}")
