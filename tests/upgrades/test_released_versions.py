"""An installation of each released version, with a row in every table it had, comes along with all of it.

What becomes of single kinds of rows is told in the other files here; this one leaves no table out.
"""

from __future__ import annotations

import hashlib
import re
import uuid
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.apps import apps as apps_now
from django.conf import settings
from django.core.management import call_command

from billing import reconciliation, selectors
from billing.models import Account, ApiKey
from billing.verification import Verification
from lookups.lookup.questions import Question
from tests.lookups.conftest import Customer
from tests.lookups.registry_server import Register
from tests.upgrades.conftest import put_back_afterwards, stand_at_1_3
from tests.upgrades.version_1_3 import MATCH, NORMALIZED, record

APPS = ("billing", "jurisdictions", "lookups", "scrapers")
PRICE = 314
SECRET = "osd_live_" + "a" * 32
ACME = Question("NY", "Acme Corp")

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Version130:
    """Writes a row of every kind through the models of 1.3.0; the books add up as that version kept them."""

    models: Any
    now: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0) - timedelta(hours=2))
    sums: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("available", "held", "spent", "deposited"), 0))

    def write(self, table: str, /, **facts: Any) -> Any:
        """A row of a table, "app.Model"."""
        return self.models.get_model(table).objects.create(**facts)

    def fill(self) -> None:
        """Everything, in the order that customers and the service leave it behind."""
        self.write("jurisdictions.Jurisdiction", code="NY", enabled=True, status="active", note="kept")
        self.account = self.write("billing.Account", name="Acme", email="ops@acme.test", created_at=self.now)
        digest = hashlib.sha256(SECRET.encode()).hexdigest()
        made = {"account": self.account, "created_at": self.now}
        self.key = self.write("billing.ApiKey", name="server", prefix=SECRET[:13], secret_hash=digest, **made)
        self.write("billing.RateWindow", subject=f"key:{self.key.pk}", window=0, count=1)
        self.write("billing.ConcurrencySlot", subject=f"key:{self.key.pk}", number=1)
        self.write("billing.Reconciliation", ran_at=self.now, accounts=1, mismatches=[])
        self.pay_in()
        self.ask()
        self.ask_later()
        self.read_registries()
        self.models.get_model("billing.Account").objects.filter(pk=self.account.pk).update(**self.sums)

    def pay_in(self) -> None:
        """Free lookups, a card's ten dollars, a message of the provider, and a payment that came to nothing."""
        self.enter("free_grant", 10 * PRICE, available=1, idempotency_key="free-grant", source="free_grant")
        paid = {"state": "paid", "session_id": "cs_1", "payment_intent": "pi_1", "paid_at": self.now}
        topup = self.write("billing.TopUp", account=self.account, amount=100_000, created_at=self.now, **paid)
        named = {"idempotency_key": f"topup:{topup.pk}", "source": "card", "reference": "pi_1"}
        self.enter("deposit", 100_000, available=1, **named)
        message = {"event_id": "evt_1", "kind": "checkout.session.completed", "outcome": "credited"}
        self.write("billing.ProviderEvent", received_at=self.now, **message)
        failed = {"method": "tempo", "purpose": "lookup", "amount": PRICE, "state": "failed", "ended_at": self.now}
        self.write("billing.Payment", challenge_id="c", proof_hash="p", created_at=self.now, **failed)

    def ask(self) -> None:
        """A company that was found, sold and kept, under an Idempotency-Key; another customer waits for the same."""
        where = {"sourceUrl": "https://r.test/", "retrievedAt": "2026-11-01T00:00:00.000Z", "sha256": "0" * 64}
        read = {"evidence": where, "retrieved_at": self.now, "version": "1.0", "built_at": "2026-11-01T00:00:00Z"}
        shown = {"slug": "acme-corp-ny-100001", "name": "ACME CORP.", "name_key": "acme", "normalized": NORMALIZED}
        shown["data"] = record("ACME CORP.", "100001", status="Active")
        entity = self.write("lookups.StoredEntity", state="NY", entity_id="100001", **shown, **read)
        asked = {"state": "NY", "kind": "business_entity"}
        answers = {"question": ACME.digest, "asked": "Acme Corp", "entity": entity, "match": MATCH}
        answer = self.write("lookups.StoredAnswer", **asked, **answers, **read)
        ask, hold = uuid.uuid4(), self.hold(state="captured", remaining=0, ended_at=self.now)
        self.enter("hold", PRICE, available=-1, held=1, hold=hold, idempotency_key=f"lookup:{ask}")
        self.enter("capture", PRICE, held=-1, spent=1, hold=hold, idempotency_key=f"hold:{hold.pk}:capture")
        mine = {"account": self.account, "key": self.key, "hold": hold, "created_at": self.now}
        sold = {"source": "live", "outcome": "found", "cost": PRICE, "duration_ms": 900, "answer": answer}
        self.write("lookups.Lookup", ask_id=ask, asked="Acme Corp", **asked, **sold, **mine)
        kept = {"account": self.account, "key": "word", "body_hash": "0" * 64, "status": 200, "body": "{}"}
        times = {"lease_until": self.now, "created_at": self.now, "expires_at": self.now + timedelta(hours=24)}
        self.write("lookups.IdempotencyRecord", ask_id=ask, **kept, **times)
        self.write("lookups.Flight", question="q", started_at=self.now, lease_until=self.now, **asked)

    def ask_later(self) -> None:
        """A bulk request with one row still open, and a webhook about it that did not arrive."""
        bulk_id, hold = uuid.uuid4(), self.hold()
        self.enter("hold", PRICE, available=-1, held=1, hold=hold, idempotency_key=f"bulk:{bulk_id}")
        mine = {"account": self.account, "key": self.key, "hold": hold, "created_at": self.now}
        mine["deadline"] = self.now + timedelta(hours=9)
        bulk = self.write("lookups.BulkJob", id=bulk_id, accepts_stored=False, total=1, questions=1, **mine)
        question = {name: value for name, value in ACME.to_json().items() if name != "from_copy"}
        waits = {"ask_id": uuid.uuid4(), "state": "NY", "question": question, "estimated_seconds": 7, "bulk": bulk}
        job = self.write("lookups.Job", **waits, **mine)
        self.write("lookups.BulkRow", bulk=bulk, index=0, ref="a", entity_name="Acme Corp", state="NY", job=job)
        self.write("lookups.HookSecret", account=self.account, salt="salt", made_at=self.now)
        given_up = {"channel": "webhook", "event": "webhook.test", "status": "given_up", "attempts": 1}
        told = self.write("lookups.Delivery", account=self.account, created_at=self.now, **given_up)
        self.write("lookups.DeliveryAttempt", delivery=told, at=self.now, status_code=500, duration_ms=20)

    def read_registries(self) -> None:
        """What is known of portals: an attempt that failed with its page, a breaker, a loaded register."""
        asked = {"state": "NY", "outcome": "blocked"}
        tried = {"kind": "business_entity", "question": "Acme", "duration_ms": 700, "version": "1.0"}
        attempt = self.write("scrapers.ScrapeAttempt", started_at=self.now, **asked, **tried)
        page = {"number": 1, "method": "GET", "url": "https://r.test/", "size": 4, "body": zlib.compress(b"wall")}
        self.write("scrapers.AttemptPage", attempt=attempt, asked_at=self.now, **asked, **page)
        self.write("scrapers.Breaker", state="NY", failures=1, reason="blocked", changed_at=self.now)
        loaded = {
            "url": "https://r.test/all.csv",
            "file": "all.csv",
            "status": "current",
            "rows_read": 1,
            "entities": 1,
        }
        times = {"as_of": self.now, "started_at": self.now, "finished_at": self.now}
        copy = self.write("scrapers.RegisterCopy", state="AK", **loaded, **times)
        row = {"entity_name": "ZEBRA LLC", "entity_id": "7", "status": "Good Standing"}
        self.write("scrapers.RegisteredEntity", copy=copy, entity_id="7", name_key="zebra", record=row)

    def hold(self, **facts: Any) -> Any:
        """Money set aside."""
        terms: dict[str, Any] = {"amount": PRICE, "remaining": PRICE, "reference": "NY Acme Corp"}
        terms["expires_at"] = self.now + timedelta(hours=9)
        return self.write("billing.Hold", account=self.account, key=self.key, created_at=self.now, **{**terms, **facts})

    def enter(self, kind: str, amount: int, *, available: int = 0, held: int = 0, spent: int = 0, **more: Any) -> None:
        """A line of the ledger, and the sums after it."""
        moves = {"available": available * amount, "held": held * amount, "spent": spent * amount}
        for name, change in moves.items():
            self.sums[name] += change
        self.sums["deposited"] += sum(moves.values())
        changes = {f"{name}_change": change for name, change in moves.items()}
        after = {f"{name}_after": self.sums[name] for name in moves}
        facts = {"account": self.account, "fingerprint": "f", "created_at": self.now, **changes, **after, **more}
        self.write("billing.LedgerEntry", kind=kind, amount=amount, **facts)


RELEASED: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "1.3.0": (stand_at_1_3, Version130),
}
"""What brings the tables to those of each released version, and what writes its rows."""

# Where the rows of a table are since, if not in one of that name.
NOW_CALLED = {
    "lookups.BulkRow": "lookups.Lookup",
    "scrapers.AttemptPage": "scrapers.Reading",
    "lookups.Flight": "lookups.SharedFetch",
    "lookups.StoredEntity": "lookups.Entity",
    "lookups.HookSecret": "lookups.WebhookSecret",
    "scrapers.RegisterCopy": "scrapers.BulkCopy",
    "scrapers.RegisteredEntity": "scrapers.BulkEntity",
}


def count_rows(models: Any) -> dict[str, int]:
    """How many rows each table of ours has, by "app.Model"."""
    ours = [model for model in models.get_models() if model._meta.app_label in APPS and model._meta.managed]
    return {model._meta.label: model._base_manager.count() for model in ours if not model._meta.proxy}


class TestEachReleasedVersion:
    """With data of every kind."""

    @pytest.fixture(params=RELEASED)
    def installed(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
        monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
        stand, version = RELEASED[request.param]
        with put_back_afterwards():
            installed = version(stand())
            installed.fill()
            yield installed

    def test_comes_along_whole_and_works_on(self, installed: Any, register: Register) -> None:
        before = count_rows(installed.models)
        assert [name for name, rows in before.items() if not rows] == [], "of every kind there is something"
        call_command("migrate", verbosity=0)
        expected: Counter[str] = Counter()
        for name, rows in before.items():
            expected[NOW_CALLED.get(name, name)] += rows
        assert expected - Counter(count_rows(apps_now)) == Counter(), "rows that are nowhere any more"
        self.assert_books_agree(installed)
        self.assert_customer_is_served(installed)
        call_command("makemigrations", check=True, dry_run=True, verbosity=0)

    def assert_books_agree(self, installed: Any) -> None:
        verification = Verification()
        assert list(verification.list_differences()) == []
        assert verification.entries == 5
        reconciliation.run(now=datetime.now(UTC))
        assert list(selectors.list_differences().values_list("name", "subject")) == []
        balance = selectors.get_balance(installed.account.pk)
        assert {name: getattr(balance, name) for name in ("available", "held", "spent")} == {
            name: installed.sums[name] for name in ("available", "held", "spent")
        }

    def assert_customer_is_served(self, installed: Any) -> None:
        """With the key of before: what was sold is told again, what waits is found, and a new question is answered."""
        account, key = Account.objects.get(pk=installed.account.pk), ApiKey.objects.get(pk=installed.key.pk)
        customer = Customer(account, key, SECRET)
        assert customer.lookup(source="cache").json()["data"]["entityId"] == "100001"
        (bulk,) = customer.get("/v1/bulk-lookup").json()["bulk_jobs"]
        assert (bulk["total"], bulk["completed"]) == (1, 0)
        assert customer.lookup("Zebra Inc").json()["data"]["entityName"] == "ZEBRA INC."

    def test_is_every_one_that_the_documents_name(self) -> None:
        changelog, security = (Path(settings.BASE_DIR, name).read_text() for name in ("CHANGELOG.md", "SECURITY.md"))
        named = set(re.findall(r"^## \[(\d+\.\d+\.\d+)\]", changelog, flags=re.MULTILINE))
        (last,) = re.findall(r"the last released one \((\d+\.\d+)\)", security)
        assert named <= RELEASED.keys()
        assert {version.rpartition(".")[0] for version in RELEASED} >= {last}
