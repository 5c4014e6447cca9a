"""A customer who wants to see everything that is kept about them, and one who wants to be forgotten."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from celery import current_app
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import RequestFactory
from django.utils import timezone

from billing import accounts, grants, keys, ledger, money, outage_refunds, reconciliation, statements, topups
from billing.models import Account, ApiKey, AuditEvent, LedgerEntry, Member, Payment, Reversal, TopUp, WaitingGrant
from billing.payments import booking
from lookups.models import (
    BulkDraft,
    BulkJob,
    Delivery,
    Entity,
    FilingSet,
    IdempotencyRecord,
    Identifiers,
    Job,
    Lookup,
    RowAnswer,
    WebhookAddress,
    WebhookSecret,
)
from lookups.privacy import account_data
from scrapers.models import ScrapeAttempt
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import Customer, anew, open_customer
from tests.lookups.messages import write_messages
from tests.lookups.registry_server import Register
from tests.lookups.test_left_out import leave_out
from tests.sign_in.people import make_user

pytestmark = pytest.mark.django_db
PERSONAL = ("acme holdings", "ops@acme.test", "hooks.acme.test", "zebra", "our-own-mark", "repeat-me")


@pytest.fixture
def known(customer: Customer, register: Register) -> Customer:
    """A customer who has used much: bought, asked twice, has webhooks and a name of their own for a lookup."""
    hooks = {"webhook_url": "https://hooks.acme.test/x", "test_webhook_url": "https://hooks.acme.test/y"}
    Account.objects.filter(pk=customer.account.pk).update(name="Acme Holdings", **hooks)
    ledger.deposit(account_id=customer.account.pk, amount=5000, idempotency_key="d", source="card", now=timezone.now())
    assert customer.lookup("Zebra Inc", headers={"idempotency_key": "repeat-me"}, ref="our-own-mark").status_code == 200
    assert customer.lookup("Acme Corp", headers=anew()).status_code == 200
    assert customer.post("/v1/account/webhook-secret", {}).status_code in (200, 201)
    customer.account.refresh_from_db()
    return customer


def export(customer: Customer, folder: Path) -> Any:
    call_command("export_account", str(customer.account.pk), output=folder / "account.json", verbosity=0)
    return json.loads((folder / "account.json").read_text())


def erase(customer: Customer, **more: Any) -> None:
    name = Account.objects.get(pk=customer.account.pk).name
    call_command("erase_account", str(customer.account.pk), confirm=name, **more)


def make_neighbor(monkeypatch: pytest.MonkeyPatch) -> Account:
    """Another customer, with something of every kind and much under way."""
    bolt, now = open_customer(name="Bolt"), timezone.now()
    account, mine = bolt.account, {"account": bolt.account}
    assert bolt.lookup("Acme Corp", headers=anew()).status_code == 200
    found: dict[str, Any] = {"entity": Entity.objects.latest("pk"), "name": "ACME", "lei": {}, "cik": {}}
    Identifiers.objects.create(lookup=Lookup.objects.get(**mine), **found, is_answer=True, asked_at=now)
    monkeypatch.setattr(NewYork, "slow", True)
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    Account.objects.filter(pk=account.pk).update(webhook_url="https://bolt.test/x", email="bolt@quay.test")
    ledger.deposit(account_id=account.pk, amount=90_000, idempotency_key="b", source="card", now=now)
    assert bolt.lookup("Zebra Inc", headers=anew()).status_code == 202
    rows = [{"entity_name": name, "state": "NY"} for name in ("Acme Corp", "Zebra Inc")]
    assert bolt.post("/v1/bulk-lookup", {"entities": rows}, **anew()).status_code == 202
    assert bolt.post("/v1/watches", {"state": "NY", "entity_id": "100001"}, **anew()).status_code == 201
    assert bolt.post("/v1/account/webhook-secret", {}).status_code in (200, 201)
    write_messages(bolt, 1)
    BulkDraft.objects.create(**mine, name="bolt.csv", table={}, mapping={}, created_at=now, changed_at=now)
    RowAnswer.objects.create(row=Lookup.objects.filter(**mine).earliest("pk"), digest="0" * 64, created_at=now)
    cy = User.objects.create(username="member-cy", email="cy@quay.test")
    Member.objects.create(user=cy, **mine, role="owner", joined_at=now)
    TopUp.objects.create(**mine, amount=50_000, created_at=now)
    paid: dict[str, Any] = {"method": "tempo", "purpose": "topup", "amount": 1, "state": "unknown", "payer": "bolt"}
    Payment.objects.create(**mine, **paid, request_key="r", challenge_id="n", proof_hash="n", created_at=now)
    asked: dict[str, Any] = {"kind": "grant", "amount": 1, "reason": "goodwill", "note": "bolt", "asked_by": "jo"}
    WaitingGrant.objects.create(**mine, **asked, token="n", asked_at=now)
    return account


def note_in_admins_log(neighbor: Account, known: Account) -> None:
    """What staff did with the neighbor's rows, and with other things that happen to have the numbers of `known`'s."""
    jo = make_user("jo")
    rows: list[Any] = [neighbor, ApiKey.objects.get(account=neighbor, name="server")]
    rows.append(WaitingGrant.objects.get(account=neighbor))
    for row in rows:
        LogEntry.objects.log_actions(jo.pk, [row], 2, change_message="Looked after.", single_object=True)
    for row in (known, *ApiKey.objects.filter(account=known), *WaitingGrant.objects.filter(account=known)):
        LogEntry.objects.log_actions(jo.pk, [TopUp(pk=row.pk)], 2, change_message="Looked after.", single_object=True)


class TestAnExport:
    """`manage.py export_account`."""

    def test_has_everything_that_is_kept_and_nobody_elses(self, known: Customer, tmp_path: Path) -> None:
        other = Account.objects.create(name="Somebody Else", created_at=timezone.now())
        ledger.deposit(account_id=other.pk, amount=1, idempotency_key="o", source="card", now=timezone.now())
        told = export(known, tmp_path)
        text = json.dumps(told).lower()
        for part in PERSONAL:
            assert part in text, part
        assert "somebody else" not in text
        assert all(row for rows in told.values() for row in rows or [None])  # a table without a row is left out
        assert {"billing.account", "billing.apikey", "billing.ledgerentry", "lookups.lookup"} <= set(told)
        beside = {"auth.user", "billing.membersession", "billing.receipt", "mfa.authenticator"}
        beside |= {f"lookups.{name}" for name in ("deliveryattempt", "manifest", "rowanswer", "watchcheck")}
        assert beside <= {name for name, _ in account_data.read_tables(known.account)}, "what hangs on its rows"
        assert len(told["billing.ledgerentry"]) == LedgerEntry.objects.filter(account=known.account).count()

    def test_has_a_members_passkey_and_not_what_makes_the_codes_of_one_who_works_here(
        self, known: Customer, tmp_path: Path
    ) -> None:
        user = make_user("jo")
        Member.objects.create(user=user, account=known.account, role="owner", joined_at=timezone.now())
        for kind, data in (("webauthn", {"name": "Laptop"}), ("totp", {"secret": "sealed"}), ("recovery_codes", {})):
            Authenticator.objects.create(user=user, type=kind, data=data)
        told = {row["type"]: row["data"] for row in export(known, tmp_path)["mfa.authenticator"]}
        assert told == {"webauthn": {"name": "Laptop"}, "totp": None, "recovery_codes": None}

    def test_has_what_other_registers_call_the_companies_it_found(self, known: Customer, tmp_path: Path) -> None:
        """Kept with each of its lookups, and gone with the account."""
        lookup = Lookup.objects.filter(account=known.account).latest("pk")
        found: dict[str, Any] = {"entity": Entity.objects.latest("pk"), "name": "ACME CORP", "cik": {}}
        lei = {"status": "found", "lei": "5493001KJTIIGC8Y1R12"}
        Identifiers.objects.create(lookup=lookup, lei=lei, **found, is_answer=True, asked_at=timezone.now())
        [kept] = export(known, tmp_path)["lookups.identifiers"]
        assert (kept["lookup_id"], kept["lei"]) == (lookup.pk, lei)

    @pytest.mark.parametrize(
        "wanted",
        [{"kind": "company", "state": "NY", "entity_id": "100001"}, {"kind": "person", "person": "Acme Corp"}],
        ids=["its company", "who bears its name"],
    )
    def test_has_no_number_of_a_company_that_was_left_out(
        self, known: Customer, tmp_path: Path, wanted: dict[str, str]
    ) -> None:
        lookup = Lookup.objects.filter(account=known.account).latest("pk")
        found = {
            "lei": {"status": "attached", "lei": "5493001KJTIIGC8Y1R12"},
            "cik": {"status": "suggested", "cik": "7"},
        }
        acme = Entity.objects.get(state="NY", entity_id="100001")
        Identifiers.objects.create(
            lookup=lookup, entity=acme, name="ACME CORP", **found, is_answer=True, asked_at=timezone.now()
        )
        leave_out(**wanted)
        [kept] = export(known, tmp_path)["lookups.identifiers"]
        assert (kept["lei"], kept["cik"]) == ({"status": "withheld"}, {"status": "withheld"})

    def test_has_what_was_taken_back_of_its_own_payments_alone(self, known: Customer, tmp_path: Path) -> None:
        now = timezone.now()
        other = Account.objects.create(name="Somebody Else", created_at=now)
        for account, reference in ((known.account, "pi_own"), (other, "pi_other")):
            TopUp.objects.create(account=account, amount=1, created_at=now, payment_intent=reference)
            Reversal.objects.create(payment_reference=reference, kind="refund", name=reference, amount=1, heard_at=now)
        told = export(known, tmp_path)
        assert [row["payment_reference"] for row in told["billing.reversal"]] == ["pi_own"]

    def test_has_no_secret_in_it_and_is_for_its_owner_alone(self, known: Customer, tmp_path: Path) -> None:
        text = json.dumps(export(known, tmp_path))
        assert known.secret not in text
        assert known.key.secret_hash not in text
        assert WebhookSecret.objects.get().salt not in text
        assert (tmp_path / "account.json").stat().st_mode & 0o077 == 0

    def test_names_nobody_of_the_staff_who_moved_money(self, known: Customer, tmp_path: Path) -> None:
        """As their statement does not."""
        by: dict[str, Any] = {"operator": "clerk-jo", "reason": "goodwill", "now": timezone.now()}
        ledger.adjust(account_id=known.account.pk, amount=100, idempotency_key="a", **by)
        asked: dict[str, Any] = {"kind": "grant", "amount": 100, "reason": "goodwill", "asked_by": "clerk-jo"}
        WaitingGrant.objects.create(account=known.account, token="t", asked_at=timezone.now(), **asked)
        told = export(known, tmp_path)
        assert "goodwill" in json.dumps(told["billing.ledgerentry"])
        assert told["billing.waitinggrant"]
        assert "clerk-jo" not in json.dumps(told)

    def test_names_nobody_of_the_staff_who_approved_it(self, known: Customer, settings: Any, tmp_path: Path) -> None:
        """Nor do the tables: a second person stands in what the entry is for, or in its note."""
        settings.GRANT_CEILING, settings.GRANT_MAXIMUM = 1, 100_000
        by: dict[str, Any] = {"operator": "clerk-jo", "reason": "goodwill", "now": timezone.now()}
        to: dict[str, Any] = {
            "account_id": known.account.pk,
            "kind": "grant",
            "amount": 500_000,
            "token": "g",
            "note": "PO 78",
        }
        waits = grants.give(**to, **by)
        grants.approve(grant_id=waits.pk, operator="chief-sam", now=timezone.now())
        found = outage_refunds.count(LedgerEntry.objects.filter(account=known.account, kind="capture"))
        settings.GRANT_CEILING = 0
        act = outage_refunds.begin(subject="NY", found=found, token="o", note="12 March", **by)
        act = outage_refunds.approve(refund_id=act.pk, operator="chief-sam", now=timezone.now())
        assert outage_refunds.carry_out(act, now=timezone.now()).state == "done"
        told = "\n".join(
            [
                json.dumps(export(known, tmp_path)),
                known.get("/v1/account/usage").text,
                known.get("/v1/account/usage", accept="text/csv").getvalue().decode(),
                *statements.write_csv(statements.make(account_id=known.account.pk), for_staff=False),
            ]
        )
        assert all(word in told for word in ("NY Zebra Inc", "PO 78", "12 March"))
        assert not [line for line in told.splitlines() if "chief-sam" in line]
        staffs = "".join(statements.write_csv(statements.make(account_id=known.account.pk)))
        assert staffs.count("approved by chief-sam") == 1 + len(found.charges)

    def test_is_recorded_and_overwrites_nothing(self, known: Customer, tmp_path: Path) -> None:
        export(known, tmp_path)
        assert AuditEvent.objects.filter(detail="Exported.", subject=f"account {known.account.pk}").exists()
        with pytest.raises(CommandError, match="cannot be written"):
            export(known, tmp_path)
        with pytest.raises(CommandError, match="no account"):
            call_command("export_account", "999999", output=tmp_path / "other.json")

    def test_that_breaks_off_leaves_no_half_of_a_file(
        self, known: Customer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def write_half(account: Account) -> Iterator[str]:
            yield "{"
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as disk:
            disk.setattr(account_data, "write_json", write_half)
            with pytest.raises(CommandError, match="No space left"):
                export(known, tmp_path)
        assert list(tmp_path.glob("*.json")) == []
        assert not AuditEvent.objects.filter(detail="Exported.").exists()
        assert export(known, tmp_path)


class TestAnErasure:
    """`manage.py erase_account`."""

    def test_leaves_books_that_add_up_and_nobody_to_whom_they_belong(self, known: Customer, tmp_path: Path) -> None:
        entries = list(LedgerEntry.objects.order_by("pk").values())
        erase(known, give_up_credit=True)
        assert list(LedgerEntry.objects.order_by("pk").values()) == entries  # not a byte of the books is changed
        told = export(known, tmp_path)
        books = {name: told.pop(name) for name in ("billing.ledgerentry", "billing.hold")}
        assert books["billing.ledgerentry"]
        for part in PERSONAL:
            assert part not in json.dumps(told).lower(), part
        nobody = f"Erased account {known.account.pk}"
        [account] = told["billing.account"]
        assert (account["name"], account["is_active"]) == (nobody, False)
        assert AuditEvent.objects.filter(subject=nobody, detail="Erased.").exists()
        assert not any(table.objects.exists() for table in (Delivery, IdempotencyRecord, Job, WebhookSecret))
        assert [lookup.cost for lookup in Lookup.objects.all()] == [314, 314]

    def test_forgets_in_which_words_a_row_was_asked_again(self, known: Customer) -> None:
        RowAnswer.objects.create(row=Lookup.objects.earliest("pk"), digest="0" * 64, created_at=timezone.now())
        erase(known, give_up_credit=True)
        assert not RowAnswer.objects.exists()

    def test_forgets_who_has_asked_also_where_they_work_in_another_account(self, known: Customer) -> None:
        ada = User.objects.create(username="member-ada", email="ada@quay.test")
        for account in (known.account, Account.objects.create(name="Quay Street", created_at=timezone.now())):
            Member.objects.create(user=ada, account=account, role="owner", joined_at=timezone.now())
        Lookup.objects.update(asked_by=ada)
        erase(known, give_up_credit=True)
        assert User.objects.filter(pk=ada.pk).exists()
        assert not Lookup.objects.filter(asked_by=ada).exists()
        assert not Member.objects.filter(account=known.account).exists()

    def test_takes_its_names_out_of_what_staff_did_with_its_keys_and_webhooks(self, known: Customer) -> None:
        ApiKey.objects.filter(account=known.account).update(name="Ada Merrill's laptop")
        pages = admin.site._registry
        request = RequestFactory().post("/")
        request.user = make_user()
        for model in (Account, WebhookAddress, ApiKey):
            for row in model.objects.all():
                pages[model].log_change(request, row, "Looked after." if model is ApiKey else f"Looked after {row}.")
        asked: dict[str, Any] = {"kind": "grant", "amount": 100, "reason": "goodwill", "asked_by": "clerk-jo"}
        decided = {"state": "rejected", "decided_by": "jo", "decided_at": timezone.now()}
        grant = WaitingGrant.objects.create(
            account=known.account, token="t", asked_at=timezone.now(), **asked, **decided
        )
        pages[WaitingGrant].log_change(request, grant, f"Rejected by jo: 0.0100 USD to {known.account}.")
        erase(known, give_up_credit=True)
        rows = LogEntry.objects.values_list("object_repr", "change_message")
        kept = " ".join(word for row in rows for word in row).lower()
        assert kept
        for part in (*PERSONAL, "ada merrill"):
            assert part not in kept, part

    def test_leaves_everything_of_everybody_else_as_it_is(
        self, known: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Also what is under way with another customer, which is no reason to wait."""
        neighbor = make_neighbor(monkeypatch)
        asked: dict[str, Any] = {"kind": "grant", "amount": 1, "reason": "goodwill", "asked_by": "jo"}
        decided = {"state": "rejected", "decided_by": "sam", "decided_at": timezone.now()}
        WaitingGrant.objects.create(account=known.account, token="t", asked_at=timezone.now(), **asked, **decided)
        note_in_admins_log(neighbor, known.account)
        lines = list(LogEntry.objects.order_by("pk").values())
        before = {name: list(rows) for name, rows in account_data.read_tables(neighbor)}
        assert {"billing.member", "billing.payment", "billing.topup", "billing.waitinggrant"} <= set(before)
        kinds = ("bulkdraft", "bulkjob", "delivery", "job", "manifest", "watch")
        assert all(before[f"lookups.{name}"] for name in kinds)
        erase(known, give_up_credit=True)
        assert Identifiers.objects.filter(lookup__account=neighbor).exists()
        assert {name: list(rows) for name, rows in account_data.read_tables(neighbor)} == before
        assert list(LogEntry.objects.order_by("pk").values()) == lines

    def test_leaves_nothing_of_what_was_asked_named_and_noted(self, known: Customer) -> None:
        mark: Any = {"name": "zebra", "note": "zebra"}
        filings = FilingSet.objects.create(
            state="NY", question="q", filings=[], facts="f", first_read_at=timezone.now(), last_read_at=timezone.now()
        )
        own = {"ref": "zebra", "refusal": mark, "match": mark, "related": [mark], "candidates": [mark], "note": "zebra"}
        Lookup.objects.update(name_check=mark, evidence=mark, request_id="zebra", filing_set=filings, **own)
        ApiKey.objects.filter(account=known.account).update(name="zebra", allowed_networks=["203.0.113.7/32"])
        now = timezone.now()
        paid: dict[str, Any] = {"method": "tempo", "purpose": "topup", "amount": 1, "state": "failed", "ended_at": now}
        paid |= {"payer": "zebra", "detail": "zebra", "request_key": "zebra", "challenge_id": "c", "proof_hash": "p"}
        Payment.objects.create(account=known.account, created_at=now, **paid)
        asked: dict[str, Any] = {"kind": "grant", "amount": 1, "reason": "goodwill", "note": "zebra", "asked_by": "jo"}
        decided = {"state": "rejected", "decided_by": "sam", "decided_at": now}
        WaitingGrant.objects.create(account=known.account, token="t", asked_at=now, **asked, **decided)
        asked_in = {"webhook_url": "https://zebra.test", "asked_hash": "zebra", "request_id": "zebra"}
        ended: dict[str, Any] = {"created_at": now, "deadline": now, "ended_at": now, "accepts_stored": False}
        BulkJob.objects.create(account=known.account, total=1, questions=1, key=known.key, **asked_in, **ended)
        drafted: dict[str, Any] = {"name": "zebra.csv", "table": {"rows": [["zebra"]]}, "mapping": {}}
        BulkDraft.objects.create(account=known.account, created_at=now, changed_at=now, **drafted)
        erase(known, give_up_credit=True)
        told = {name: list(rows) for name, rows in account_data.read_tables(known.account)}
        books = {"billing.ledgerentry", "billing.hold"}
        kept = json.dumps({name: told[name] for name in set(told) - books}, default=str)
        for part in ("zebra", "203.0.113.7"):
            assert part not in kept.lower(), part
        told_by = Lookup.objects.values_list("version", "filing_set", "reading", "evidence", "asked_by")
        assert set(told_by) == {(None,) * 5}

    def test_leaves_no_way_from_its_lookups_to_how_registries_answered_them(self, known: Customer) -> None:
        """Where the question stands in words for a month; others' questions are found by their lookups as before."""
        neighbor = open_customer(name="Bolt")
        assert neighbor.lookup("Nobody Knows This").status_code == 404
        attempts = ScrapeAttempt.objects.filter(asked_by__isnull=False)
        assert attempts.count() == 3
        erase(known, give_up_credit=True)
        asked = Lookup.objects.get(account=neighbor.account)
        assert [(one.asked_by, one.pk) for one in attempts] == [(asked.ask_id, asked.attempt_id)]
        assert not Lookup.objects.filter(account=known.account).exclude(attempt_id=None).exists()

    def test_is_found_by_no_reconciliation(self, known: Customer) -> None:
        before = reconciliation.run(now=timezone.now())
        erase(known, give_up_credit=True)
        after = reconciliation.run(now=timezone.now())
        assert (
            (after.differences, after.mismatches) == (before.differences, []) == (before.differences, before.mismatches)
        )

    def test_ends_the_keys(self, known: Customer) -> None:
        """Also one that was rotated, and would have worked on beside its successor for a while."""
        keys.rotate(key=known.key, grace=timedelta(hours=24), now=timezone.now())
        erase(known, give_up_credit=True)
        assert not ApiKey.objects.working(timezone.now()).exists()
        assert known.get("/v1/account/balance").status_code == 401

    def test_is_refused_while_there_is_credit(self, known: Customer) -> None:
        with pytest.raises(CommandError, match="has credit"):
            erase(known)
        assert Account.objects.get(pk=known.account.pk).email == "ops@acme.test"

    def test_is_refused_while_something_is_owed(self, known: Customer) -> None:
        """Whose card payment was taken back by their bank after it was spent."""
        now = timezone.now()
        why = {"source": "card", "reason": "dispute", "reference": "pi_1"}
        ledger.reverse(account_id=known.account.pk, amount=-900_000, idempotency_key="r", now=now, **why)
        assert Account.objects.get(pk=known.account.pk).owed
        with pytest.raises(CommandError, match="owes something"):
            erase(known, give_up_credit=True)
        assert Account.objects.get(pk=known.account.pk).email == "ops@acme.test"

    def test_is_refused_of_the_accounts_that_the_service_works_with(self, known: Customer) -> None:
        own = accounts.pay_per_request_account(now=timezone.now())
        with pytest.raises(CommandError, match="the service's own"):
            call_command("erase_account", str(own.pk), confirm=own.name, give_up_credit=True)
        assert accounts.pay_per_request_account(now=timezone.now()) == own
        assert Account.objects.get(pk=own.pk).is_active

    def test_is_refused_while_work_is_under_way(self, known: Customer) -> None:
        now = timezone.now()
        ledger.hold(account_id=known.account.pk, amount=1, idempotency_key="h", reference="", expires_at=now, now=now)
        with pytest.raises(CommandError, match="under way"):
            erase(known, give_up_credit=True)

    def test_is_refused_while_a_job_or_a_bulk_job_has_not_ended(self, known: Customer) -> None:
        """All that was asked may be answered by then: that it has ended is still to be told."""
        now = timezone.now()
        begun: dict[str, Any] = {"account": known.account, "key": known.key, "created_at": now, "deadline": now}
        bulk = BulkJob.objects.create(total=1, questions=1, accepts_stored=False, **begun)
        with pytest.raises(CommandError, match="under way"):
            erase(known, give_up_credit=True)
        BulkJob.objects.filter(pk=bulk.pk).update(ended_at=now)
        answered = {"lookup": Lookup.objects.latest("pk"), "ask_id": bulk.pk, "state": "NY"}
        Job.objects.create(estimated_seconds=1, **answered, **begun)
        with pytest.raises(CommandError, match="under way"):
            erase(known, give_up_credit=True)

    def test_is_refused_while_something_is_asked_that_costs_nothing(self, known: Customer) -> None:
        """As with a test key, for which nothing is held: its answer would come to an account that is nobody's."""
        asked = {"state": "DE", "kind": "business_entity", "asked": "Blue Heron Logistics LLC", "sandbox": True}
        Lookup.objects.create(account=known.account, created_at=timezone.now(), **asked)
        with pytest.raises(CommandError, match="under way"):
            erase(known, give_up_credit=True)

    def test_says_that_a_grant_waits_which_does_not_end_by_itself(self, known: Customer) -> None:
        """Closing the account, as was asked for, ended nothing of it."""
        now = timezone.now()
        asked: dict[str, Any] = {"kind": "grant", "amount": 100, "reason": "goodwill", "asked_by": "clerk-jo"}
        grant = WaitingGrant.objects.create(account=known.account, token="t", asked_at=now, **asked)
        with pytest.raises(CommandError, match="credit that waits for a second person of the operator's staff"):
            erase(known, give_up_credit=True)
        grants.reject(grant_id=grant.pk, operator="robin", now=now)
        erase(known, give_up_credit=True)

    @pytest.mark.parametrize("state", ["waiting", "under_way"])
    def test_waits_for_what_it_gets_back_of_an_outage(self, known: Customer, settings: Any, state: str) -> None:
        """It would be given to an account that is nobody's any more; an outage of others keeps nobody waiting."""
        settings.GRANT_CEILING = 0 if state == "waiting" else 1_000
        found = outage_refunds.count(LedgerEntry.objects.filter(account=known.account, kind="capture"))
        by: dict[str, Any] = {"operator": "clerk-jo", "reason": "outage", "note": "", "now": timezone.now()}
        act = outage_refunds.begin(subject="New York", found=found, token="o", **by)
        with pytest.raises(CommandError, match="get back what it paid in an outage"):
            erase(known, give_up_credit=True)
        neighbor = Account.objects.create(name="Neighbor", created_at=timezone.now())
        call_command("erase_account", str(neighbor.pk), confirm="Neighbor")
        if state == "waiting":
            act = outage_refunds.approve(refund_id=act.pk, operator="chief-sam", now=timezone.now())
        assert outage_refunds.carry_out(act, now=timezone.now()).state == "done"
        erase(known, give_up_credit=True)

    def test_waits_for_a_page_to_pay_on(self, known: Customer) -> None:
        """It may be paid yet: the money would be credited to an account that is nobody's any more."""
        began = timezone.now()
        topup = TopUp.objects.create(account=known.account, amount=money.from_cents(500), created_at=began)
        with pytest.raises(CommandError, match="try again in three days"):
            erase(known, give_up_credit=True)
        topups.expire_old(now=began + timedelta(days=3, seconds=1))
        erase(known, give_up_credit=True)
        topup.refresh_from_db()
        assert topup.state == TopUp.State.EXPIRED

    def test_waits_for_what_a_bank_is_still_paying(self, known: Customer) -> None:
        """It was confirmed on the page, and takes the bank some days: by then the account was nobody's any more."""
        by: dict[str, Any] = {"amount": money.from_cents(500), "payment_intent": "pi_1", "created_at": timezone.now()}
        topup = TopUp.objects.create(account=known.account, **by)
        topups.expire_old(now=timezone.now() + timedelta(days=5))
        with pytest.raises(CommandError, match="is on its way"):
            erase(known, give_up_credit=True)
        TopUp.objects.filter(pk=topup.pk).update(state=TopUp.State.FAILED)  # as the provider tells of it in the end
        erase(known, give_up_credit=True)

    def test_waits_for_a_payment_of_which_nobody_knows_the_end(self, known: Customer) -> None:
        """A program's top-up: what its card turns out to have paid would be nobody's as well."""
        payment = Payment.objects.create(
            challenge_id="c-1",
            proof_hash="p-1",
            method="stripe",
            purpose=Payment.Purpose.TOPUP,
            amount=money.from_cents(500),
            account=known.account,
            state=Payment.State.UNKNOWN,
            created_at=timezone.now(),
        )
        with pytest.raises(CommandError, match="payment of this account"):
            erase(known, give_up_credit=True)
        booking.complete(payment, reference="pi_1", now=timezone.now())
        assert known.balance.available > money.from_cents(500)
        erase(known, give_up_credit=True)
        assert reconciliation.run(now=timezone.now()).mismatches == []

    def test_asks_for_the_name_as_well(self, known: Customer) -> None:
        with pytest.raises(CommandError, match="of this name"):
            call_command("erase_account", str(known.account.pk), confirm="Acme", give_up_credit=True)

    def test_may_be_done_again_and_is_recorded(self, known: Customer) -> None:
        for _ in range(2):
            erase(known, give_up_credit=True)
        assert AuditEvent.objects.filter(detail="Erased.").count() == 2
