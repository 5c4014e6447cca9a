"""A lookup of a company, told as its customer lives it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing import prices
from billing.models import Hold, LedgerEntry
from jurisdictions.codes import PLACES
from lookups.models import Entity, FilingSet, Lookup, Manifest, RecordVersion, SharedFetch, StoredAnswer
from scrapers import discovery
from scrapers.portal import Capabilities
from scrapers.states.guam import Guam
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import PRICE, Customer, anew, open_customer
from tests.lookups.registry_server import Register, company

pytestmark = pytest.mark.django_db
UNREADABLE = [one for one in discovery.list_portals() if one.verification == "unsupported"]


class TestACompanyThatIsThere:
    """The registry has it."""

    def test_comes_with_the_states_own_text_and_costs_one_lookup(self, customer: Customer, register: Register) -> None:
        reply = customer.lookup("Acme Corporation")
        assert reply.status_code == 200, reply.content
        body = reply.json()
        assert body["data"]["entityName"] == "ACME CORP."
        assert body["data"]["entityId"] == "100001"
        assert body["data"]["normalized"]["match"] == {"score": 1.0, "kind": "exact", "features": []}
        assert body["cost"] == 0.0314
        assert (body["source"], body["cached"], body["data"]["cached"]) == ("live", False, False)
        assert body["walletBalance"] == "0.28"
        assert body["lookupsRemaining"] == 9
        assert customer.balance.available == 9 * PRICE
        assert customer.balance.spent == PRICE
        assert customer.balance.held == 0

    def test_is_kept_with_its_proof_and_its_page(self, customer: Customer, register: Register) -> None:
        body = customer.lookup().json()
        stored = RecordVersion.objects.get()
        assert stored.entity.page_url == body["data"]["entityPageUrl"] == "/entity/new-york/acme-corp-ny-100001/"
        proof = body["data"]["evidence"]
        assert stored.evidence == {**proof, "sha256": stored.reading.sha256}
        assert proof["sha256"] == Manifest.objects.get().sha256
        assert not stored.entity.sandbox

    def test_leaves_a_row_that_says_what_it_cost(self, customer: Customer, register: Register) -> None:
        reply = customer.lookup(headers={"x_request_id": "mine-1"})
        row = Lookup.objects.get()
        assert (row.verdict, row.source, row.cost, row.sandbox) == ("found", "live", PRICE, False)
        assert row.request_id == reply["X-Request-Id"] == "mine-1"
        assert row.hold is not None
        assert row.hold.state == Hold.State.CAPTURED

    def test_is_found_by_its_identifier(self, customer: Customer, register: Register) -> None:
        body = customer.post("/v1/lookup", {"entity_id": "100002", "state": "ny"}).json()
        assert body["data"]["entityName"] == "ZEBRA INC."
        assert body["data"]["normalized"]["match"]["kind"] == "entity_id"

    def test_names_the_other_matches(self, customer: Customer, register: Register) -> None:
        register.rows.append(company("ACME LLC", "100003"))
        body = customer.lookup("Acme Corp").json()
        assert [row["entityId"] for row in body["data"]["relatedResults"]] == ["100003"]
        assert body["total_results"] == 2

    def test_costs_an_internal_account_nothing(self, switches: None, register: Register) -> None:
        ours = open_customer(kind="internal")
        assert ours.lookup().json()["cost"] == 0
        assert ours.balance.spent == 0


class TestAStoredRecord:
    """What was read within the account's maximum age."""

    def test_answers_without_asking_the_registry_and_costs_nothing(
        self, customer: Customer, register: Register
    ) -> None:
        first = customer.lookup("ACME CORP.").json()
        second = customer.lookup("acme corporation", source="cache").json()
        assert register.asked == 1
        assert (second["source"], second["cached"], second["data"]["cached"]) == ("cache", True, True)
        assert (second["cost"], second["walletBalance"], second["lookupsRemaining"]) == (0, "0.28", 9)
        assert second["entity"] == second["data"]
        assert second["data"]["scrapedAt"] == first["data"]["scrapedAt"]
        assert second["data"]["cacheExpiresAt"] > first["data"]["scrapedAt"]
        assert customer.balance.spent == PRICE

    def test_of_liens_of_which_one_has_lapsed_since_it_was_read_is_read_anew(self, tester: Customer) -> None:
        """It is not called active any more for as long as the answer may be kept."""
        asked = {"entity_name": "Blue Heron Logistics LLC", "state": "DE", "searchType": "ucc", "source": "cache"}

        def is_stored() -> bool:
            stored: bool = tester.lookup(**asked).json()["cached"]
            return stored

        assert [is_stored(), is_stored()] == [False, True]
        kept, today = FilingSet.objects.get(), timezone.now().date()
        active = next(lien for lien in kept.filings if lien["statusClass"] == "active")
        for lapses, serves in ((today, True), (today - timedelta(days=1), False)):
            active["lapseDate"] = lapses.isoformat()
            FilingSet.objects.update(filings=kept.filings)
            StoredAnswer.objects.update(retrieved_at=timezone.now() - timedelta(days=2), filing_set=kept)
            assert is_stored() is serves
        StoredAnswer.objects.update(filing_set=kept)  # read after that day, and active all the same
        assert is_stored()

    def test_of_liens_is_not_that_of_a_name_with_other_letters(self, tester: Customer) -> None:
        """An index is asked letter by letter: "Cafe" lists no lien on CAF\u00c9, and a lien left out is a loss."""
        asked = {"state": "DE", "searchType": "ucc", "source": "cache"}
        names = ("Blue Heron Logistics LLC", "BLUE HERON LOGISTICS, L.L.C.", "Bl\u00fce Heron Logistics LLC")
        assert [tester.lookup(one, **asked).json()["cached"] for one in names] == [False, True, False]

    @pytest.mark.django_db(transaction=True)
    def test_takes_four_statements_of_postgresql(self, switches: None, register: Register) -> None:
        customer = open_customer()
        customer.lookup()
        customer.lookup(source="cache")
        with CaptureQueriesContext(connection) as captured:
            assert customer.lookup(source="cache").json()["source"] == "cache"
        asked = [one["sql"] for one in captured]
        # The key, the answer, the balance, and the row with its manifest; SQLite counts requests too, and writes both
        # within a transaction
        assert len(asked) <= (4 if connection.vendor == "postgresql" else 8), asked

    def test_costs_what_the_operator_has_set(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prices, "STORED", 100)
        customer.lookup()
        assert customer.lookup(source="cache", headers=anew()).json()["cost"] == 0.01
        assert customer.balance.spent == PRICE + 100

    def test_is_not_that_of_another_company_whose_name_is_alike(self, customer: Customer, register: Register) -> None:
        register.rows += [company("FOXES LLC", "200001"), company("THE FOXES LLC", "200002")]
        assert customer.lookup("Foxes LLC").json()["data"]["entityId"] == "200001"
        other = customer.lookup("The Foxes LLC", source="cache").json()
        assert (other["data"]["entityId"], other["source"]) == ("200002", "live")
        assert customer.lookup("The Foxes, L.L.C.", source="cache").json()["data"]["entityId"] == "200002"

    def test_is_not_that_of_a_company_which_its_list_did_not_hold(self, customer: Customer, register: Register) -> None:
        """Many registries list what begins with the words: "Foxes" brings no THE FOXES LLC."""
        register.rows += [company("FOXES LLC", "200001")]
        assert customer.lookup("Foxes LLC").json()["data"]["entityId"] == "200001"
        register.rows += [company("THE FOXES LLC", "200002")]
        other = customer.lookup("The Foxes LLC", source="cache").json()
        assert (other["data"]["entityId"], other["source"]) == ("200002", "live")

    def test_is_not_that_of_a_company_which_is_written_with_other_letters(
        self, customer: Customer, register: Register
    ) -> None:
        """A registry compares text: "Oneil" lists no O'NEIL, and "Caf\u00e9" no CAFE."""
        register.rows += [company("CAF\u00c9 FOXES LLC", "200001"), company("CAFE FOXES INC", "200002")]
        register.rows += [company("ONEIL FOXES LLC", "200003"), company("O'NEIL FOXES INC", "200004")]
        assert customer.lookup("Caf\u00e9 Foxes").json()["data"]["entityId"] == "200001"
        assert customer.lookup("Cafe Foxes", source="cache").json()["data"]["entityId"] == "200002"
        assert customer.lookup("Oneil Foxes").json()["data"]["entityId"] == "200003"
        assert customer.lookup("O'Neil Foxes", source="cache").json()["code"] == "ambiguous_name"

    def test_is_given_to_whoever_writes_its_name(self, customer: Customer, register: Register) -> None:
        register.rows += [company("THE FOXES LLC", "200002")]
        assert customer.lookup("Foxes LLC").json()["data"]["entityId"] == "200002"
        other = customer.lookup("The Foxes, L.L.C.", source="cache").json()
        assert (other["data"]["entityId"], other["source"]) == ("200002", "cache")

    def test_is_not_given_to_a_question_that_would_not_have_found_it(
        self, customer: Customer, register: Register
    ) -> None:
        assert customer.lookup("Acme Corp, Delaware").json()["data"]["entityName"] == "ACME CORP."
        assert customer.lookup("Acme Corp of Delaware", source="cache").status_code == 404

    def test_is_not_used_unless_asked_for(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        assert customer.lookup(headers=anew()).json()["source"] == "live"
        assert register.asked == 2

    def test_is_used_when_the_account_prefers_it(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        assert customer.patch("/v1/account/settings", {"cacheFirstDefault": True}).status_code == 200
        assert customer.lookup().json()["source"] == "cache"
        assert customer.lookup(source="auto").json()["source"] == "cache"
        assert customer.lookup(source="live").json()["source"] == "live"

    @pytest.mark.parametrize(
        ("body", "query", "source"),
        [
            ({"fresh": False}, "", "cache"),
            ({"fresh": True}, "", "live"),
            ({}, "?fresh=false", "cache"),
            ({}, "?fresh=true", "live"),
            ({"fresh": True}, "?fresh=false", "cache"),
            ({"fresh": False}, "?fresh=true", "live"),
            ({"fresh": True, "source": "cache"}, "", "cache"),
            ({"fresh": False, "source": "live"}, "", "live"),
            ({"source": "live"}, "?fresh=false", "live"),
        ],
    )
    def test_obeys_the_older_word_fresh_unless_source_is_given(
        self, customer: Customer, register: Register, body: dict[str, Any], query: str, source: str
    ) -> None:
        customer.lookup()
        reply = customer.post(f"/v1/lookup{query}", {"entity_name": "Acme Corp", "state": "NY", **body})
        assert reply.json()["source"] == source

    def test_is_too_old_after_seven_days(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        _make_older(days=6, hours=23)
        assert customer.lookup(source="cache").json()["source"] == "cache"
        _make_older(hours=2)
        assert customer.lookup(source="cache").json()["source"] == "live"

    def test_is_too_old_earlier_where_the_account_says_so(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        customer.patch("/v1/account/settings", {"maxCacheAgeDays": 0})
        assert customer.lookup(source="cache").json()["source"] == "live"

    def test_found_by_name_answers_for_the_identifier_too(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        reply = customer.post("/v1/lookup", {"entity_id": "100001", "state": "NY", "source": "cache"})
        assert reply.json()["source"] == "cache"
        assert reply.json()["data"]["normalized"]["match"]["kind"] == "entity_id"

    def test_of_another_legal_form_is_another_question(self, customer: Customer, register: Register) -> None:
        customer.lookup("Acme Corp")
        body = customer.lookup("Acme LLC", source="cache").json()
        assert body["source"] == "live"
        assert body["data"]["normalized"]["match"]["kind"] == "suffix_variant"

    def test_is_renewed_by_the_next_live_answer(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        register.rows[0]["entity_type"] = "DOMESTIC LIMITED LIABILITY COMPANY"
        customer.lookup(headers=anew())
        assert customer.lookup(source="cache").json()["data"]["entityType"] == "DOMESTIC LIMITED LIABILITY COMPANY"
        assert Entity.objects.count() == 1

    def test_needs_money_where_it_costs_some(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        customer.lookup()
        _spend_all(customer)
        assert customer.lookup(source="cache").status_code == 200
        monkeypatch.setattr(prices, "STORED", PRICE)
        assert customer.lookup(source="cache", headers=anew()).status_code == 402


class TestACompanyThatIsNotThere:
    """The registry answered in full and has no such company."""

    def test_is_reported_plainly_and_costs_nothing(self, customer: Customer, register: Register) -> None:
        reply = customer.lookup("Nobody Knows This")
        assert reply.status_code == 404
        body = reply.json()
        assert (body["success"], body["error"], body["cost"]) == (False, "Entity not found", 0)
        assert body["code"] == "entity_not_found"
        assert customer.balance.available == 10 * PRICE
        assert customer.balance.held == 0
        assert Lookup.objects.get().verdict == "not_found"

    def test_comes_with_near_misses(self, customer: Customer, register: Register) -> None:
        register.rows = [company("ACME HOLDING CORP.", "1")]
        body = customer.lookup("Acme Holdings Trading Corp").json()
        assert body["error"] == "Entity not found"

    def test_is_not_remembered(self, customer: Customer, register: Register) -> None:
        customer.lookup("Nobody Knows This")
        customer.lookup("Nobody Knows This", source="cache")
        assert register.asked >= 2
        assert StoredAnswer.objects.count() == 0


class TestARegistryThatDoesNotAnswer:
    """Nothing is known, so nothing is said of the company, and nothing is owed."""

    @pytest.mark.parametrize(
        ("status", "reason"), [(500, "down"), (503, "down"), (403, "blocked"), (429, "rate_limited")]
    )
    def test_is_no_proof_of_absence(self, customer: Customer, register: Register, status: int, reason: str) -> None:
        register.status = status
        reply = customer.lookup()
        assert reply.status_code == 503
        body = reply.json()
        assert body["error"] == "State portal temporarily unavailable"
        assert (body["code"], body["reason"], body["state"]) == ("source_unavailable", reason, "NY")
        assert int(reply["Retry-After"]) >= 1
        assert customer.balance.available == 10 * PRICE
        assert Lookup.objects.get().reason == reason

    def test_that_takes_too_long_ends_as_a_timeout(self, customer: Customer, register: Register, settings: Any) -> None:
        settings.SYNC_BUDGET_SECONDS = 1.0
        register.seconds = 3
        assert customer.lookup().json()["reason"] == "timeout"
        assert customer.balance.available == 10 * PRICE

    def test_that_is_switched_off_is_not_asked_at_all(self, customer: Customer, register: Register) -> None:
        from jurisdictions import services

        services.disable(code="NY", reason="Maintenance")
        body = customer.lookup().json()
        assert (body["reason"], body["note"]) == ("disabled", "Maintenance")
        assert register.asked == 0
        assert LedgerEntry.objects.filter(kind="hold").count() == 0

    def test_that_sends_another_page_than_known_is_reported_as_such(
        self, customer: Customer, register: Register
    ) -> None:
        del register.rows[0]["dos_id"]
        register.rows[0]["dos_id_new"] = "1"
        register.find = lambda where: register.rows  # type: ignore[method-assign]
        body = customer.lookup().json()
        assert (body["reason"], body["retryable"]) == ("layout_changed", False)


class TestANameBesideAnIdentifier:
    """The identifier decides; that the name is another one is the answer to whoever checks it."""

    def test_is_compared_and_the_disagreement_told(self, tester: Customer) -> None:
        other = tester.lookup("Totally Other Inc", "DE", entity_id="SB-DE-000123").json()["data"]
        assert other["entityName"] == "BLUE HERON LOGISTICS LLC"
        assert other["normalized"]["match"]["kind"] == "name_mismatch"
        assert other["normalized"]["match"]["score"] < 0.6

    def test_is_compared_with_its_former_names_too(self, tester: Customer) -> None:
        same = tester.lookup("Heron & Sons Haulage LLC", "DE", entity_id="SB-DE-000123").json()["data"]
        assert same["normalized"]["match"] == {"score": 0.98, "kind": "entity_id", "features": ["former_name"]}

    def test_is_nobody_elses_answer(self, tester: Customer) -> None:
        asked = {"state": "DE", "entity_id": "SB-DE-000123", "source": "cache"}
        tester.lookup("Totally Other Inc", **asked)
        for name, kind in (("Blue Heron Logistics LLC", "entity_id"), ("Totally Other Inc", "name_mismatch")):
            assert tester.lookup(name, **asked).json()["data"]["normalized"]["match"]["kind"] == kind
        alone = tester.post("/v1/lookup", asked).json()["data"]["normalized"]["match"]
        assert alone == {"score": 1.0, "kind": "entity_id", "features": []}


class TestAStateThatNoProgramCanAsk:
    """No time helps: it is a 400 that says why, not a portal that is away for the moment."""

    @pytest.mark.parametrize("path", ["/v1/lookup", "/v1/name-availability"])
    @pytest.mark.parametrize("state", [one.code for one in UNREADABLE])
    def test_differs_from_one_that_is_away(self, customer: Customer, path: str, state: str) -> None:
        reply = customer.post(path, {"entity_name": "Acme Corp", "state": state})
        assert (reply.status_code, reply.json()["code"], reply.json()["retryable"]) == (400, "unsupported_state", False)
        (told,) = reply.json()["details"]["state"]
        assert told.startswith(f"No program can ask the registry of {PLACES[state].name}. ")
        assert "Retry-After" not in reply
        assert customer.balance.available == 10 * PRICE
        assert (Lookup.objects.get().outcome, Lookup.objects.get().reason) == ("refused", "no_reader")

    def test_has_what_is_known_of_it_today(self, customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = customer.lookup("Acme Corp", "GU").json()
        row = Lookup.objects.get()
        assert row.refusal == {"state": "Guam"}, "why is not kept"
        why = "The Department of Revenue and Taxation has no online name search."
        again = customer.get(f"/v1/lookups/{asked['lookupId']}").json()
        assert asked["details"] == again["details"] == {"state": [f"No program can ask the registry of Guam. {why}"]}
        monkeypatch.setattr(Guam, "off_reason", "Its search stands behind a wall now.")
        Lookup.objects.update(refusal={"state": "Guam", "why": why})  # as earlier installations kept it
        told = customer.get(f"/v1/lookups/{asked['lookupId']}").json()["details"]
        assert told == {"state": ["No program can ask the registry of Guam. Its search stands behind a wall now."]}


class TestAFailureThatNoTimeMends:
    """Names no time to come back at."""

    def test_such_as_a_page_that_changed(self, tester: Customer) -> None:
        reply = tester.lookup("Magic Page Changed LLC")
        assert (reply.status_code, reply.json()["reason"], reply.json()["retryable"]) == (503, "layout_changed", False)
        assert "Retry-After" not in reply

    def test_such_as_a_state_that_is_switched_off(self, customer: Customer) -> None:
        reply = customer.lookup("Acme Corp", "KS")
        assert (reply.status_code, reply.json()["reason"], reply.json()["retryable"]) == (503, "disabled", False)
        assert "Retry-After" not in reply


class TestAQuestionTheStateDoesNotTake:
    """Refused before anybody is asked or money is touched."""

    def test_such_as_liens_where_there_are_none_is_a_400(self, customer: Customer, register: Register) -> None:
        reply = customer.lookup(searchType="ucc")
        assert reply.status_code == 400
        assert reply.json()["code"] == "unsupported_state"
        assert reply.json()["details"] == {"searchType": ["UCC filings of this state cannot be searched here."]}
        assert customer.balance.held == 0
        assert register.asked == 0

    @pytest.mark.parametrize(
        ("asked", "details"),
        [
            ({"searchBy": "secured_party"}, {"searchBy": ["This state cannot be searched by secured party."]}),
            ({"dateAfter": "2025-01-01"}, {"dateAfter": ["This state cannot filter UCC filings by date."]}),
            ({"dateBefore": "2025-01-01"}, {"dateBefore": ["This state cannot filter UCC filings by date."]}),
        ],
    )
    def test_such_as_liens_asked_for_as_the_state_cannot_says_which_field_it_is(
        self,
        customer: Customer,
        register: Register,
        monkeypatch: pytest.MonkeyPatch,
        asked: dict[str, str],
        details: dict[str, list[str]],
    ) -> None:
        monkeypatch.setattr(NewYork, "capabilities", Capabilities(ucc=True))
        reply = customer.lookup(searchType="ucc", **asked)
        assert (reply.status_code, reply.json()["details"]) == (400, details)
        assert (customer.balance.held, register.asked) == (0, 0)

    def test_such_as_an_impossible_identifier_is_a_400(self, customer: Customer, register: Register) -> None:
        reply = customer.post("/v1/lookup", {"entity_id": "not-a-number", "state": "NY"})
        assert reply.status_code == 400
        assert "entity_id" in reply.json()["details"]


class TestAnEmptyBalance:
    """Ten lookups were free."""

    def test_is_a_402_that_says_where_to_top_up(self, customer: Customer, register: Register) -> None:
        _spend_all(customer)
        reply = customer.lookup()
        assert reply.status_code == 402
        assert reply["Content-Type"] == "application/problem+json"
        assert reply["Cache-Control"] == "no-store"
        body = reply.json()
        assert {"type", "title", "status", "detail", "challengeId"} <= set(body)
        assert (body["status"], body["challengeId"], body["code"]) == (402, None, "insufficient_balance")
        assert body["topUpUrl"].startswith("http")
        assert register.asked == 0


class TestACrash:
    """Something breaks inside the service."""

    def test_gives_the_money_back_and_answers_in_the_one_shape(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def broken(**_: Any) -> None:
            raise RuntimeError("the store broke")

        monkeypatch.setattr("lookups.lookup.storage.store", broken)
        reply = customer.lookup(headers={"x_request_id": "crash-1"})
        assert reply.status_code == 500
        assert reply.json() == {
            "success": False,
            "error": "Internal error",
            "code": "internal_error",
            "cost": 0,
            "retryable": True,
            "requestId": "crash-1",
            "docUrl": f"{settings.PUBLIC_URL}/docs/errors/#internal_error",
        }
        assert "crash-1" in caplog.text
        assert customer.secret not in caplog.text
        assert customer.balance.available == 10 * PRICE
        assert SharedFetch.objects.get().result == {"kind": "crashed"}

    def test_between_hold_and_capture_leaves_a_hold_that_expires(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from datetime import timedelta

        from billing import ledger

        def killed(*_: Any, **__: Any) -> None:
            raise SystemExit

        with monkeypatch.context() as patch:
            patch.setattr("lookups.lookup.settlement.settle_reply", killed)
            patch.setattr("lookups.lookup.payers.KeyPayer.release", lambda *a, **k: None)  # no time left for it
            with pytest.raises(SystemExit):
                customer.lookup()
        assert customer.balance.held == PRICE
        assert ledger.expire_holds(now=timezone.now() + timedelta(minutes=11)) == 1
        assert customer.balance.available == 10 * PRICE


def _make_older(**by: int) -> None:
    from datetime import timedelta

    from django.db.models import F

    StoredAnswer.objects.update(retrieved_at=F("retrieved_at") - timedelta(**by))


def _spend_all(customer: Customer) -> None:
    from billing import ledger

    ledger.adjust(
        account_id=customer.account.pk,
        amount=-customer.balance.available,
        idempotency_key="spent",
        operator="test",
        reason="spent",
        now=timezone.now(),
    )
