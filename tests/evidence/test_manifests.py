"""What is signed of every lookup that says something of a registry, and that it is what the customer was given."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import textwrap
import uuid
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing import keys
from jurisdictions.prepared import Insertion
from lookups.evidence import manifests, signing
from lookups.lookup.storage import wire_time
from lookups.models import Lookup, Manifest
from tests.evidence.conftest import FOUND, UNKNOWN, proof_of
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.messages import end_bulk, end_jobs
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db


def verify(proof: dict[str, Any], document: bytes | None = None) -> None:
    """With nothing but a library of signatures."""
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(proof["publicKey"]))
    key.verify(base64.b64decode(proof["signature"]), proof["document"].encode() if document is None else document)


class TestTheManifestOfALookup:
    """What `GET /v1/lookups/{lookupId}/evidence` has."""

    def test_is_named_by_the_reply(self, tester: Customer) -> None:
        reply = tester.lookup(FOUND, "DE")
        proof = proof_of(tester, reply)
        assert reply.json()["data"]["evidence"]["sha256"] == proof["sha256"]
        assert hashlib.sha256(proof["document"].encode()).hexdigest() == proof["sha256"]

    def test_is_in_the_one_form_of_rfc_8785_and_signed(self, tester: Customer) -> None:
        proof = proof_of(tester, tester.lookup(FOUND, "DE"))
        assert rfc8785.dumps(proof["manifest"]).decode() == proof["document"]
        verify(proof)
        with pytest.raises(InvalidSignature):
            verify(proof, proof["document"].replace("found", "fount").encode())

    @pytest.mark.skipif(shutil.which("openssl") is None, reason="the program that the document names")
    def test_is_checked_by_hand_with_the_lines_of_the_document(self, tester: Customer, tmp_path: Path) -> None:
        proof = proof_of(tester, tester.lookup(FOUND, "DE"))
        page = (settings.BASE_DIR / "docs" / "evidence.md").read_text()
        lines = textwrap.dedent(page.partition("**By hand:**")[2].partition("\n\n")[2].partition("\n\n")[0])
        environment = os.environ | {name: proof[name] for name in ("publicKey", "signature")}
        (tmp_path / "manifest.json").write_text(proof["document"])
        done = subprocess.run(["sh", "-ec", lines], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == "Signature Verified Successfully", done.stderr
        (tmp_path / "manifest.json").write_text(proof["document"].replace("found", "fount"))
        assert subprocess.run(["sh", "-ec", lines], cwd=tmp_path, env=environment, capture_output=True).returncode != 0

    def test_says_who_asked_what_and_how_it_ended(self, tester: Customer) -> None:
        reply = tester.lookup(FOUND, "DE", headers={"X_Request_Id": "mine-17"})
        said = proof_of(tester, reply)["manifest"]
        assert said["lookup"] == reply.json()["lookupId"]
        assert said["requestId"] == "mine-17"
        assert said["question"]["entityName"] == FOUND
        assert (said["question"]["state"], said["livemode"], said["verdict"]) == ("DE", False, "found")
        assert said["reader"]["version"] == reply.json()["state_scraper_version"]

    @pytest.mark.parametrize(
        "asked",
        [
            {
                "entityName": "First Puddlestone Bank",
                "searchType": "ucc",
                "searchBy": "secured_party",
                "dateAfter": "2001-02-03",
                "dateBefore": "2024-05-06",
            },
            {"entityId": "SB-DE-000123", "searchType": "business_entity"},
        ],
        ids=["liens", "an identifier"],
    )
    def test_says_all_that_was_asked_and_when(self, tester: Customer, asked: dict[str, str]) -> None:
        words = {"entityName": "entity_name", "entityId": "entity_id"}
        body = {words.get(name, name): value for name, value in asked.items()} | {"state": "DE"}
        said = proof_of(tester, tester.post("/v1/lookup", body))["manifest"]
        question = dict.fromkeys(("entityName", "entityId", "searchBy", "dateAfter", "dateBefore")) | asked
        assert said["question"] == question | {"state": "DE"}
        lookup = Lookup.objects.get()
        assert lookup.reading is not None
        moments = (lookup.created_at, lookup.reading.read_at, lookup.ended_at)
        assert [said[name] for name in ("askedAt", "readAt", "answeredAt")] == [wire_time(one) for one in moments]

    def test_cites_each_exchange_with_the_registry_and_its_bytes(self, customer: Customer, register: Register) -> None:
        proof = proof_of(customer, customer.lookup())
        cited = proof["manifest"]["exchanges"]
        assert len(cited) >= register.asked >= 1
        assert [one["sha256"] for one in proof["exchanges"]] == cited
        for one in proof["exchanges"]:
            assert hashlib.sha256(rfc8785.dumps(one["record"])).hexdigest() == one["sha256"]
            assert one["bytes"] == "kept"

    @pytest.mark.parametrize(("name", "verdict"), [(FOUND, "found"), (UNKNOWN, "not_found")])
    def test_has_the_facts_that_the_customer_was_given(self, tester: Customer, name: str, verdict: str) -> None:
        proof = proof_of(tester, tester.lookup(name, "DE"))
        facts = json.loads(proof["facts"])
        assert hashlib.sha256(proof["facts"].encode()).hexdigest() == proof["manifest"]["facts"]["sha256"]
        assert facts["verdict"] == verdict
        if verdict == "found":
            assert facts["record"]["entityName"] == FOUND.upper()

    def test_is_there_for_liens_and_name_checks(self, tester: Customer) -> None:
        liens = tester.lookup(FOUND, "DE", searchType="ucc")
        told = json.loads(proof_of(tester, liens)["facts"])
        assert told["filings"][0]["fileNumber"] == liens.json()["data"]["filings"][0]["fileNumber"]
        stored = tester.lookup(FOUND, "DE", searchType="ucc", source="cache")
        said, again = (proof_of(tester, one)["manifest"] for one in (liens, stored))
        assert (again["source"], again["reader"]) == ("stored", said["reader"])
        check = tester.post("/v1/name-availability", {"entity_name": FOUND, "state": "DE"})
        proof = proof_of(tester, check)
        assert check.json()["evidence"]["sha256"] == proof["sha256"]
        assert json.loads(proof["facts"])["nameCheck"]["available"] is False

    def test_of_a_stored_answer_is_its_own_and_cites_the_old_reading(
        self, customer: Customer, register: Register
    ) -> None:
        first = proof_of(customer, customer.lookup())
        stored = customer.lookup(source="cache")
        again = proof_of(customer, stored)
        assert stored.json()["data"]["evidence"]["sha256"] == again["sha256"] != first["sha256"]
        assert again["manifest"]["source"] == "stored"
        assert again["manifest"]["exchanges"] == first["manifest"]["exchanges"]
        assert again["manifest"]["readAt"] == first["manifest"]["readAt"]

    def test_of_a_registry_that_was_down_says_so(self, customer: Customer, register: Register) -> None:
        register.status = 503
        reply = customer.lookup()
        assert reply.status_code == 503
        said = proof_of(customer, reply)["manifest"]
        assert (said["verdict"], said["reason"]) == ("unavailable", "down")

    def test_of_a_job_is_written_when_it_ends(self, tester: Customer) -> None:
        from scrapers.sandbox.magic import MAGIC

        taken = tester.lookup(MAGIC["later"], "DE")
        address = f"/v1/lookups/{taken.json()['lookupId']}/evidence"
        open_still = tester.get(address)
        assert (open_still.status_code, open_still.json()["code"]) == (404, "evidence_not_kept")
        end_jobs()
        assert tester.get(address).json()["manifest"]["verdict"] == "found"

    def test_of_a_row_that_repeats_another_is_that_ones(self, tester: Customer) -> None:
        same = {"entity_name": FOUND, "state": "DE"}
        bulk = tester.post("/v1/bulk-lookup", {"entities": [same, same]}).json()
        end_bulk()
        one, other = tester.get(f"/v1/bulk-lookup/{bulk['job_id']}").json()["results"]
        hashes = {row["data"]["evidence"]["sha256"] for row in (one, other)}
        proofs = [tester.get(f"/v1/lookups/{row['lookupId']}/evidence").json() for row in (one, other)]
        assert hashes == {proof["sha256"] for proof in proofs}
        assert Manifest.objects.count() == 1

    def test_is_nobody_elses_to_read(self, tester: Customer) -> None:
        """Of another account with a test key, and of the same account with a live one."""
        reply = tester.lookup(FOUND, "DE")
        live = keys.issue(account=tester.account, name="live", now=timezone.now())
        for stranger in (open_customer(mode="test"), Customer(tester.account, *live)):
            for ending in ("evidence", "evidence.wacz"):
                told = stranger.get(f"/v1/lookups/{reply.json()['lookupId']}/{ending}")
                assert (told.status_code, told.json()["code"]) == (404, "lookup_not_found")

    def test_is_not_made_up_for_lookups_from_before(self, tester: Customer) -> None:
        reply = tester.lookup(FOUND, "DE")
        Manifest.objects.all().delete()
        for ending in ("evidence", "evidence.wacz"):
            told = tester.get(f"/v1/lookups/{reply.json()['lookupId']}/{ending}")
            assert (told.status_code, told.json()["code"]) == (404, "evidence_not_kept")

    def test_is_not_there_where_its_end_is_not(self, tester: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: Any) -> None:
            raise RuntimeError("broken")

        monkeypatch.setattr(manifests, "keep", broken)
        assert tester.lookup(FOUND, "DE").status_code == 500
        assert not Lookup.objects.filter(verdict__isnull=False).exists()


class TestWhatItCosts:
    """Signed evidence, for the lookup that waits for it."""

    def test_is_one_more_row(self, tester: Customer) -> None:
        tester.lookup(FOUND, "DE")
        lookup = Lookup.objects.select_related("version", "reading").get()
        now = timezone.now()
        signing.sign({}, now=now)
        with CaptureQueriesContext(connection) as asked:
            signed = manifests.seal(lookup, reading=lookup.reading, now=now)
        assert len(asked.captured_queries) <= 1  # the key; what else it takes, `tests/bench/evidence_cost.py` measures
        Manifest.objects.all().delete()
        with CaptureQueriesContext(connection) as asked:
            manifests.keep(signed, lookup)
        assert len([one for one in asked if "INSERT" in one["sql"]]) == 1

    def test_of_a_row_that_is_not_written_yet_is_written_with_it(self, tester: Customer) -> None:
        tester.lookup(FOUND, "DE")
        first = Lookup.objects.select_related("version", "reading").get()
        again = Lookup(**{one.attname: getattr(first, one.attname) for one in Lookup._meta.concrete_fields})
        again.pk, again.ask_id = None, uuid.uuid4()
        signed = manifests.seal(again, reading=first.reading, now=timezone.now())
        assert signed is not None
        with CaptureQueriesContext(connection) as asked:
            manifests.keep_with(signed, again, Insertion(Lookup))
        if connection.vendor == "postgresql":
            assert len(asked.captured_queries) == 1
        kept = Lookup.objects.get(ask_id=again.ask_id)
        assert kept.pk == again.pk != first.pk
        assert (kept.manifest.document, kept.manifest.sha256) == (signed.document.decode(), signed.sha256)
        assert (kept.verdict, kept.version_id, kept.evidence) == (again.verdict, again.version_id, again.evidence)
