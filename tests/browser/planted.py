"""One record that its registry, or somebody on the way, filled with all that breaks pages, and all that leads to it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from billing import keys, ledger
from billing.accounting import receipts
from billing.models import Account, ApiKey, LedgerEntry
from lookups.bulk import queue
from lookups.models import BulkDraft, BulkJob, Delivery, Entity, FilingSet, Lookup, Manifest, Watch, WatchEvent
from tests.pages.dossier.records import BIDI, EMOJI, HOSTILE, HOSTILE_READ, LONG, SCRIPT, keep
from tests.workspace.conftest import Browser

ASKED = f"{SCRIPT} שלום =1+1 {'Q' * 90}"  # what a name may be that somebody asks for: no sign that cannot be seen
CHANGES = [
    {"path": "data.entityName", "before": f"{BIDI} {SCRIPT}", "after": EMOJI + LONG},
    {"path": f"data.officers[{SCRIPT}].title", "before": BIDI, "after": None},
    {"path": f"data.{LONG}", "before": LONG, "after": [BIDI, {"name": SCRIPT}]},
]
CANDIDATES = [
    {
        "entityName": f"{BIDI} {SCRIPT} {number} {LONG[:600]}",
        "entityId": f"{SCRIPT}{number}",
        "status": f"{BIDI} {LONG}",
        "score": 0.9,
        "url": "javascript:alert(1)",
    }
    for number in range(30)
]
PARTY = {
    "kind": "organization",
    "city": BIDI,
    "state": "DE",
    "zip": LONG,
    "name": f"{BIDI} {SCRIPT} {LONG}",
    "address": LONG,
}
FILING = {
    "fileNumber": f"{SCRIPT}{LONG[:200]}",
    "filingType": BIDI,
    "status": f"{BIDI}{SCRIPT}",
    "collateral": LONG,
    "debtors": [PARTY] * 10,
    "securedParties": [PARTY] * 10,
    "amendments": [{"fileDate": None, "filingType": f"{BIDI} {SCRIPT}", "fileNumber": LONG}] * 50,
    "sosUrl": "javascript:alert(1)",
}


@dataclass(frozen=True, slots=True)
class Planted:
    """Where it is shown, and as which files it is given away."""

    public: list[str]
    workspace: list[str]
    files: list[str]
    rows: list[Any]  # that have a page of their own in the admin


def plant(office: Browser) -> Planted:
    """Ask the sandbox as anybody does, then put the record where its answers were."""
    now = timezone.now()
    keep(read_at=now - timedelta(days=9), sandbox=True, entityId="666")
    version = keep(
        read_at=now - timedelta(days=3), sandbox=True, **{**HOSTILE, "entityId": "666"}, normalized=HOSTILE_READ
    )
    listed = keep(read_at=now - timedelta(days=3), **{**HOSTILE, "entityId": "667"}, normalized=HOSTILE_READ)
    found, unclear, liens = (_ask(office, name, kind) for name, kind in QUESTIONS)
    filings = FilingSet.objects.get(pk=liens.filing_set_id)
    filings.pk, filings.filings = None, [{**filings.filings[0], **FILING}] * 3
    filings.save(force_insert=True)
    Lookup.objects.filter(pk=found.pk).update(version=version, asked=ASKED, ref=ASKED)
    Lookup.objects.filter(pk=unclear.pk).update(candidates=CANDIDATES, asked=ASKED, note=f"{BIDI}{SCRIPT}{LONG}")
    Lookup.objects.filter(pk=liens.pk).update(filing_set=filings, asked=ASKED)
    watch = _watch(office, found)
    _name_at_length(office)
    draft, job = _bring_tables(office)
    Lookup.objects.filter(bulk=job, position=0).update(version=version, verdict="found")
    Lookup.objects.filter(bulk=job, position=1).update(candidates=CANDIDATES, verdict="ambiguous")
    seals = [f"/verify/{one.sha256}/" for one in Manifest.objects.filter(lookup__in=(found, liens))]
    entity = Entity.objects.get(pk=listed.entity_id)
    return Planted(
        public=[entity.page_url, "/entity/delaware/", *seals],
        workspace=[
            *("/app/", "/app/history/", "/app/watches/", f"/app/watches/{watch.public_id}/", "/app/events/"),
            *(f"/app/lookups/{one.public_id}/" for one in (found, unclear, liens)),
            *("/app/bulk/", f"/app/bulk/drafts/{draft.pk}/", f"/app/bulk/{job.public_id}/"),
            f"/app/watches/new/?lookup={found.public_id}",
            *("/app/keys/", f"/app/keys/{_list_of_account(office)[2].public_id}/"),
            *("/app/webhooks/", f"/app/webhooks/{_list_of_account(office)[3].message_id}/"),
            *("/app/team/", f"/app/team/{office.member.pk}/remove/", "/app/settings/", "/app/settings/erase/"),
            *("/app/usage/", "/app/balance/", "/app/balance/statement/", "/app/balance/receipts/"),
            f"/app/balance/receipts/{_pay_in(office).pk}/",
        ],
        files=[
            f"/app/lookups/{found.public_id}/reply.json",
            f"/app/lookups/{liens.public_id}/reply.json",
            *(f"/app/history/export.{form}" for form in ("csv", "xlsx")),
            *(f"/app/bulk/{job.public_id}/results.{form}" for form in ("csv", "xlsx")),
        ],
        rows=[entity, version.entity, found, unclear, liens, watch, watch.events.get(), job, *_list_of_account(office)],
    )


QUESTIONS = (
    ("Magic Found LLC", "business_entity"),
    ("Magic Ambiguous LLC", "business_entity"),
    ("Blue Heron Logistics LLC", "ucc"),
)


def _ask(office: Browser, name: str, kind: str) -> Lookup:
    word = f"{len(name):032x}"
    reply = office.post("/app/", {"name": name, "state": "DE", "kind": kind, "word": word})
    public_id = reply["Location"].split("/")[3]
    return next(one for one in Lookup.objects.all() if one.public_id == public_id)


def _watch(office: Browser, found: Lookup) -> Watch:
    now = timezone.now()
    watch = Watch.objects.create(
        account=office.account,
        key=found.key,
        sandbox=True,
        state="DE",
        entity_id="666",
        entity_name=ASKED,
        name=f"{BIDI} {SCRIPT} {LONG[:400]}",
        ref=ASKED,
        every="day",
        categories=["name"],
        created_at=now,
    )
    WatchEvent.objects.create(
        account=office.account,
        watch=watch,
        sandbox=True,
        number=1,
        category="name",
        code="name.changed",
        severity="high",
        changes=CHANGES,
        before=found,
        after=found,
        created_at=now,
    )
    return watch


def _name_at_length(office: Browser) -> None:
    """What a customer may write: an account, a key, an address and what its server answers."""
    now, address = timezone.now(), f"https://hooks.example.com/{'w' * 400}"
    named = f"{ASKED} {BIDI}"  # as whoever opened it may have pasted it
    Account.objects.filter(pk=office.account.pk).update(name=named, webhook_url=address, test_webhook_url=address)
    keys.issue(account=office.account, name=ASKED[:100], mode="test", now=now)
    User.objects.filter(pk=office.user.pk).update(email=f"{'a' * 60}@{'quay-street' * 5}.test")
    message = Delivery.objects.create(
        account=office.account,
        livemode=False,
        channel="webhook",
        event="webhook.test",
        address=address,
        body=json.dumps({"data": LONG, "name": ASKED}),
        status="given_up",
        attempts=1,
        last_answer=f"{BIDI}{SCRIPT}{LONG}"[:300],
        created_at=now,
    )
    message.log.create(at=now, status_code=500, error=LONG[:300], duration_ms=9, excerpt=f"{BIDI}{SCRIPT}{LONG}"[:500])


def _list_of_account(office: Browser) -> list[Any]:
    key = ApiKey.objects.of_programs().get(account=office.account)
    return [
        office.account,
        office.member,
        key,
        Delivery.objects.filter(account=office.account, event="webhook.test").get(),
    ]


def _pay_in(office: Browser) -> LedgerEntry:
    """What was paid by card, with its receipt."""
    paid = {"account_id": office.account.pk, "amount": 31_400, "idempotency_key": "paid", "now": timezone.now()}
    entry = ledger.deposit(source="card", reference=LONG[:200], **paid)
    receipts.issue(entry, now=timezone.now())
    return entry


def _bring_tables(office: Browser) -> tuple[BulkDraft, BulkJob]:
    """Two tables of hostile cells: one that waits, one that was bought."""
    cells = f'"{ASKED}",DE,"{BIDI} {SCRIPT}","{LONG}"\n"Magic Found LLC",DE,,\n,"{EMOJI}",,\n'
    table = f'Company,State,"{SCRIPT}{BIDI}",Note\n{cells}'.encode()
    waiting, bought = (
        office.post("/app/bulk/", {"file": SimpleUploadedFile(f"{SCRIPT[:40]}.csv", table)})["Location"] for _ in "ab"
    )
    office.post(f"{bought}buy/", {"revision": "1"})
    queue.work(now=timezone.now())
    return BulkDraft.objects.get(pk=waiting.split("/")[4]), BulkJob.objects.get()
