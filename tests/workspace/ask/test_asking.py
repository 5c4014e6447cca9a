"""Somebody asks in the workspace: the answer has a page, is paid for once, and says what can be done next."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from billing import keys, ledger, selectors
from billing.models import LedgerEntry
from jurisdictions import services
from lookups import tasks
from lookups.lookup import storage
from lookups.models import BulkJob, IdempotencyRecord, Job, Lookup
from lookups.workspace.ask import asking
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.conftest import register as register
from tests.lookups.registry_server import Register, company
from tests.workspace.conftest import Browser, open_office, spend_all
from tests.workspace.people import read_form

pytestmark = [pytest.mark.django_db, pytest.mark.once, pytest.mark.usefixtures("no_workers")]
WORD = "0" * 31 + "1"


@pytest.fixture
def lab(office: Browser) -> Browser:
    """The owner in the sandbox."""
    return office.work_in("sandbox")


def ask(browser: Browser, name: str = "Acme Corp", state: str = "NY", word: str = WORD, **more: str) -> Any:
    return browser.post("/app/", {"name": name, "state": state, "kind": "company", "word": word, **more})


def open_answer(browser: Browser, reply: Any) -> str:
    """The page that a form leads to."""
    assert reply.status_code == 303, reply.content.decode()
    page = browser.get(reply["Location"])
    assert page.status_code == 200
    return str(page.content.decode())


def read(page: str) -> str:
    """What stands on it, without its marks."""
    return " ".join(re.sub(r"<[^>]+>", " ", page[page.index("<main") :]).split())


def spent(browser: Browser) -> int:
    return selectors.get_balance(browser.account.pk).spent


class TestTheForm:
    """/app/."""

    def test_takes_the_cursor_and_says_the_price_first(self, office: Browser) -> None:
        page = office.get("/app/").content.decode()
        assert re.search(r'<input[^>]* id="name"[^>]* autofocus', page)
        assert "0.0314 USD for an answer. Nothing for “not found”" in read(page)
        assert "Why a state cannot be asked now stands in the list of all states" in read(page)
        assert 'href="/states/"' in page

    def test_is_filled_in_by_an_address_in_the_words_of_the_api_too(self, office: Browser) -> None:
        page = office.get("/app/?state=DE&entity_id=SB-DE-000123&kind=ucc").content.decode()
        assert '<option value="DE" selected>' in page
        assert 'value="SB-DE-000123"' in page
        assert re.search(r'value="liens" checked', page)

    @pytest.mark.parametrize(
        ("asked", "field", "text"),
        [
            ({"name": "x"}, "wrong-name", "at least 2 characters"),
            ({"state": ""}, "wrong-state", "Choose a state"),
            ({"state": "XX"}, "wrong-state", "No such jurisdiction"),
            ({"name": "Ac\u202eme"}, "wrong-name", "U+202E"),
            ({"name": "A" * 1001}, "wrong-name", "too long"),
            ({"kind": "liens", "entity_id": "1"}, "wrong-id", "searched by name"),
            ({"kind": "name", "entity_id": "1"}, "wrong-id", "name alone"),
            ({"kind": "name", "ref": "r" * 201}, "wrong-ref", "no more than 200 characters"),
            ({"kind": "name", "ref": "file\0 7"}, "wrong-ref", "U+0000"),
        ],
    )
    def test_says_beside_the_field_what_is_wrong(
        self, office: Browser, asked: dict[str, str], field: str, text: str
    ) -> None:
        reply = ask(office, **asked)
        assert reply.status_code == 400
        assert re.search(rf'<span class="wrong" id="{field}">[^<]*{re.escape(text)}', reply.content.decode())
        assert not Lookup.objects.exists()

    def test_is_only_read_by_a_viewer(self, viewer: Browser, register: Register) -> None:
        assert 'action="/app/"' not in viewer.get("/app/").content.decode()
        assert ask(viewer).status_code == 403
        assert register.asked == 0

    @pytest.mark.parametrize("field", ["entity_id", "ref", "name"])
    def test_keeps_what_was_typed_beside_a_field_that_is_too_long(self, office: Browser, field: str) -> None:
        page = ask(office, **{"name": "Acme Corp", "state": "DE", "kind": "liens", field: "9" * 1001}).content.decode()
        assert "too long: its first 1,000 characters are left" in page
        assert f'value="{"9" * 1000}"' in page
        assert field == "name" or 'value="Acme Corp"' in page
        assert '<option value="DE" selected>' in page
        assert re.search(r'value="liens" checked', page)

    def test_leads_who_is_not_signed_in_to_signing_in(self, office: Browser) -> None:
        office.cookies.clear()
        assert ask(office)["Location"].startswith("/app/sign-in/")

    def test_is_still_filled_in_after_signing_in(self, office: Browser) -> None:
        place = Client().post("/app/", {"name": "Acme Corp", "state": "DE", "kind": "liens", "word": WORD})["Location"]
        (after,) = parse_qs(urlsplit(place).query)["next"]
        page = office.get(after).content.decode()
        assert 'value="Acme Corp"' in page
        assert '<option value="DE" selected>' in page
        assert re.search(r'value="liens" checked', page)
        assert not Lookup.objects.exists()

    @pytest.mark.parametrize(
        ("more", "there"),
        [
            ({"identifiers": "on"}, 'name="identifiers" checked'),
            ({"source": "cache"}, '<input type="hidden" name="source" value="cache">'),
        ],
        ids=["with its LEI", "from the loaded copy"],
    )
    def test_is_of_the_same_answer_after_signing_in(self, office: Browser, more: dict[str, str], there: str) -> None:
        place = Client().post("/app/", {"name": "Acme Corp", "state": "DE", "word": WORD, **more})["Location"]
        (after,) = parse_qs(urlsplit(place).query)["next"]
        assert there in office.get(after).content.decode()


class TestAnAnswer:
    """/app/lookups/lk_…/."""

    def test_is_the_record_with_its_price_and_whoever_asked(self, clerk: Browser, register: Register) -> None:
        reply = ask(clerk, ref="file 7")
        page = read(open_answer(clerk, reply))
        lookup = Lookup.objects.get()
        assert (lookup.asked_by, lookup.origin, lookup.ref) == (clerk.user, "page", "file 7")
        assert reply["Location"] == f"/app/lookups/{lookup.public_id}/"
        for text in ("ACME CORP.", "jonas@quay.test", "0.0314 USD", "file 7", "entry"):
            assert text in page
        assert spent(clerk) == PRICE

    def test_has_the_lei_where_the_form_was_ticked(self, lab: Browser) -> None:
        page = read(open_answer(lab, ask(lab, "Blue Heron Logistics LLC", "DE", identifiers="on")))
        assert "984500SANDBOX0000190 company ACTIVE · LEI LAPSED" in page
        assert Lookup.objects.get().question["include"] == ["identifiers"]
        plain = read(open_answer(lab, ask(lab, "Blue Heron Logistics LLC", "DE")))
        assert "LEI LAPSED" not in plain, "another form, though it has the same word"

    def test_leads_whoever_may_read_the_statement_to_its_charge(
        self, office: Browser, viewer: Browser, register: Register
    ) -> None:
        address = ask(office)["Location"]
        link = re.search(r'href="(/app/balance/statement/[^"]*)">entry (\d+)', office.get(address).content.decode())
        assert link is not None
        statement = read(office.get(link[1].replace("&amp;", "&")).content.decode())
        assert "NY Acme Corp" in statement
        assert "/app/balance/statement/" not in viewer.get(address).content.decode()

    def test_says_what_of_its_price_was_given_back(self, office: Browser, register: Register) -> None:
        address = ask(office)["Location"]
        assert "given back" not in read(office.get(address).content.decode())
        charge = LedgerEntry.objects.get(account=office.account, kind="capture")
        why: dict[str, Any] = {"reason": "wrong_answer", "operator": "dana", "now": timezone.now()}
        ledger.refund(entry_id=charge.pk, idempotency_key="part", amount=100, **why)
        page = read(office.get(address).content.decode())
        assert f"0.0314 USD entry {charge.pk} of the statement , of it given back 0.0100 USD" in page

    def test_is_shared_within_the_account_and_with_nobody_else(
        self, office: Browser, viewer: Browser, register: Register
    ) -> None:
        address = ask(office)["Location"]
        assert "ACME CORP." in viewer.get(address).content.decode()
        stranger = open_office("Other", "other@else.test")
        for more in ("", "progress/", "reply.json", "evidence.wacz", "evidence.json"):
            assert stranger.get(address + more).status_code in (204, 404), more
        assert stranger.post(f"{address}again/", {"word": WORD}).status_code == 404

    def test_comes_with_what_proves_it_and_with_the_reply_of_the_api(self, office: Browser, register: Register) -> None:
        address = ask(office)["Location"]
        file = office.get(f"{address}evidence.wacz")
        assert file.content.startswith(b"PK")
        assert file["Content-Disposition"].endswith('.wacz"')
        assert office.get(f"{address}evidence.json").json()["lookup"] == Lookup.objects.get().public_id
        reply = office.get(f"{address}reply.json").json()
        assert (reply["verdict"], reply["data"]["entityName"]) == ("found", "ACME CORP.")
        assert office.get(f"{address}evidence/")["Location"] == f"{address}#evidence"

    def test_that_is_several_companies_is_a_choice_of_one_click(self, lab: Browser) -> None:
        page = open_answer(lab, ask(lab, "Magic Ambiguous LLC"))
        assert "Several companies fit “Magic Ambiguous LLC” equally well" in read(page)
        assert "Nothing was charged" in read(page)
        section = page[page.index('id="candidates"') :]
        first = section[section.index("<form") : section.index("</form>")]
        fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', first))
        chosen = lab.post("/app/", fields)
        assert "“Good Standing”" in read(open_answer(lab, chosen))
        assert Lookup.objects.latest("pk").question["entity_id"] == fields["entity_id"]
        assert lab.post("/app/", fields)["Location"] == chosen["Location"]  # the same click again is no other question

    def test_that_is_several_companies_has_the_lei_of_the_chosen_one_where_the_form_was_ticked(
        self, lab: Browser
    ) -> None:
        page = open_answer(lab, ask(lab, "Magic Ambiguous LLC", identifiers="on"))
        section = page[page.index('id="candidates"') :]
        first = section[section.index("<form") : section.index("</form>")]
        lab.post("/app/", dict(re.findall(r'name="(\w+)" value="([^"]*)"', first)))
        chosen = Lookup.objects.latest("pk").question
        assert (bool(chosen["entity_id"]), chosen["include"]) == (True, ["identifiers"])

    def test_that_is_several_companies_counts_no_near_name_and_says_where_was_not_looked(
        self, office: Browser, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "coverage", "active_only")
        names = ("DOVER TIN INC.", "DOVER TIN INC.", "DOVER TIN WORKS INC.")
        register.rows = [company(name, f"{number}") for number, name in enumerate(names, start=300001)]
        page = read(open_answer(office, ask(office, "Dover Tin Inc")))
        assert "DOVER TIN WORKS INC." in page
        assert "3 companies fit" not in page
        assert "Several companies fit “Dover Tin Inc” equally well" in page
        assert "Only active entities can be searched in this source" in page

    def test_that_nothing_is_there_names_what_was_asked_and_is_free(self, office: Browser, register: Register) -> None:
        page = read(open_answer(office, ask(office, "Nobody Inc")))
        assert "New York has no company “Nobody Inc”" in page
        assert "Nothing was charged" in page
        assert spent(office) == 0

    def test_that_nothing_is_there_says_where_was_not_looked(
        self, office: Browser, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "coverage", "active_only")
        page = read(open_answer(office, ask(office, "Nobody Inc")))
        assert "Only active entities can be searched in this source" in page

    def test_that_nothing_is_there_names_the_copy_that_was_read(self, lab: Browser) -> None:
        address = ask(lab, "Magic Not Found LLC")["Location"]
        Lookup.objects.update(evidence={**(Lookup.objects.get().evidence or {}), "fromRegister": True})
        page = read(lab.get(address).content.decode())
        assert "A loaded copy of the register has no such record" in page
        assert "a loaded copy of the state&#x27;s published register" in page
        assert "answered in full" not in page
        assert "asked live" not in page

    def test_of_liens_names_the_party_that_was_asked_for(self, lab: Browser) -> None:
        holds = read(open_answer(lab, ask(lab, "First Puddlestone Bank", "DE", kind="liens", party="secured_party")))
        assert "Liens held by First Puddlestone Bank" in holds
        assert "Liens on First Puddlestone" not in holds
        nobody = read(open_answer(lab, ask(lab, "Nobody Bank", "DE", kind="liens", party="secured_party")))
        assert "Delaware has no liens held by “Nobody Bank”" in nobody

    def test_of_liens_of_some_days_says_of_which(self, lab: Browser) -> None:
        address = ask(lab, "Magic Not Found LLC", "DE", kind="liens")["Location"]
        asked = Lookup.objects.get()
        Lookup.objects.update(question={**asked.question, "date_after": "2025-01-01", "date_before": "2025-03-31"})
        page = read(lab.get(address).content.decode())
        assert "no liens on “Magic Not Found LLC” filed from 1 January 2025 until 31 March 2025" in page

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("Magic Portal Down LLC", "It may be asked again from"),
            ("Magic Blocked LLC", "turns programs away"),
            ("Magic Page Changed LLC", "Asking again will not help until we have looked into it"),
            ("Magic Too Many LLC", "give more of it, or the state&#x27;s identifier"),
        ],
    )
    def test_that_did_not_come_says_why_and_what_is_next(self, lab: Browser, name: str, text: str) -> None:
        page = read(open_answer(lab, ask(lab, name)))
        assert text in page
        assert "Nothing was charged" in page
        assert "has no company" not in page

    def test_of_a_state_that_is_switched_off_does_not_say_that_it_was_asked(self, office: Browser) -> None:
        page = open_answer(office, ask(office, "Blue Heron Logistics LLC", "DE"))
        assert "Delaware is not asked here" in read(page)
        assert "forbid automated search. Nothing was charged. Asking again will not help as long as" in read(page)
        assert "did not answer" not in page
        assert re.search(r'<button type="submit" class="quiet">Ask again now', page)

    def test_that_did_not_come_names_the_day_from_which_on_it_may_be_asked_again(self, lab: Browser) -> None:
        address = ask(lab, "Magic Portal Down LLC")["Location"]
        Lookup.objects.update(retry_at="2026-11-20T23:58:00Z")
        page = read(lab.get(address).content.decode())
        assert "It may be asked again from 20 November 2026, 23:58 UTC on." in page

    def test_of_a_name_check_is_a_verdict_with_its_rule(self, lab: Browser) -> None:
        page = read(open_answer(lab, ask(lab, "Rustwhistle Cartography LLC", "UT", kind="name")))
        for text in (
            "may or may not be free in Utah",
            "Utah Code 16-1a-302",
            "Who has the name",
            "does not reserve the name",
        ):
            assert text in page

    def test_of_a_name_check_names_the_day_of_the_copy_as_people_write_it(self, lab: Browser) -> None:
        address = ask(lab, "Rustwhistle Cartography LLC", "UT", kind="name")["Location"]
        [lookup] = Lookup.objects.all()
        Lookup.objects.update(name_check=lookup.name_check | {"dataAsOf": "2026-11-01T00:00:00.000Z"})
        assert "Data of 1 November 2026" in read(lab.get(address).content.decode())

    def test_has_one_way_to_ask_again(self, lab: Browser) -> None:
        """The record's own button led to the form that stands below it, too."""
        page = read(open_answer(lab, ask(lab, "Magic Found LLC", "DE")))
        assert "Ask again now" in page
        assert "Check again" not in page

    def test_of_a_name_that_the_registry_refuses_is_not_said_to_be_nobodys(self, lab: Browser) -> None:
        page = read(open_answer(lab, ask(lab, "Magic Name Refused LLC", kind="name")))
        assert "“Magic Name Refused LLC” is taken in" in page
        assert "No entity that counts" not in page
        assert "No entity that counts under this rule has the name" in read(
            open_answer(lab, ask(lab, "Zebu LLC", kind="name"))
        )

    def test_of_a_legal_form_alone_names_no_owner_that_is_not_shown(self, lab: Browser) -> None:
        page = read(open_answer(lab, ask(lab, "Inc.", kind="name")))
        assert "may or may not be free in" in page
        assert "A legal form alone is no name" in page
        assert "which entity has the name" not in page

    def test_by_an_identifier_says_that_the_name_beside_it_is_another_companys(self, lab: Browser) -> None:
        number = {"entity_id": "SB-DE-000123", "state": "DE"}
        other = read(open_answer(lab, ask(lab, "Lantern Works Corp", **number)))
        assert "not the one that was sent with the identifier, “Lantern Works Corp”" in other
        own = read(open_answer(lab, ask(lab, "Blue Heron Logistics LLC", word="0" * 31 + "2", **number)))
        assert "sent with the identifier" not in own

    def test_of_liens_lists_them(self, lab: Browser) -> None:
        page = read(open_answer(lab, ask(lab, "Blue Heron Logistics LLC", "DE", kind="liens")))
        assert "SBU-DE-2024-000401" in page

    def test_is_the_record_as_it_was_and_as_it_is_today(self, office: Browser, register: Register) -> None:
        address = ask(office)["Location"]
        register.rows[0]["current_entity_name"] = "ACME & SONS CORP."
        ask(office, name="", entity_id="100001")
        then, today = office.get(address), office.get(f"{address}?record=today")
        assert "As it was read last" in read(then.content.decode())
        assert "<bdi>ACME CORP.</bdi>" in then.content.decode()
        assert "<bdi>ACME &amp; SONS CORP.</bdi>" in today.content.decode()

    def test_with_hostile_candidates_shows_them_as_text(self, lab: Browser) -> None:
        address = ask(lab, "Magic Ambiguous LLC")["Location"]
        hostile = ["<script>alert(1)</script>", "\u202eEVIL", "A" * 10_000, "🏦 " * 500, "B " * 4000]
        rows = [{"entityName": name, "entityId": name[:60], "status": name, "features": ["word"]} for name in hostile]
        Lookup.objects.update(candidates=rows)
        page = lab.get(address).content.decode()
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert" not in page
        assert "A" * 301 not in page

    def test_offers_a_watch_to_whoever_may_begin_one(self, lab: Browser, viewer: Browser) -> None:
        address = ask(lab, "Blue Heron Logistics LLC", "DE")["Location"]
        assert "/app/watches/new" in lab.get(address).content.decode()
        assert "/app/watches/new" not in viewer.get(address).content.decode()

    @pytest.mark.parametrize("word", ["lk_1", "nc_" + "0" * 32, "watch", "lk_" + "0" * 32])
    def test_that_there_is_not_is_a_page_of_ours(self, office: Browser, word: str) -> None:
        reply = office.get(f"/app/lookups/{word}/")
        assert reply.status_code == 404
        assert "There is no such lookup here" in reply.content.decode()

    def test_of_the_sandbox_is_marked_and_asked_again_in_the_sandbox_alone(self, lab: Browser) -> None:
        address = ask(lab, "Magic Not Found LLC")["Location"]
        assert "a fictional registry answered" in lab.get(address).content.decode()
        lab.work_in("live")
        page = lab.get(address).content.decode()
        assert "Switch to Sandbox" in page
        assert "Ask again now" not in page
        assert lab.post(f"{address}again/", {"word": WORD}).status_code == 404


class TestAnAnswerOfAnOlderInstallation:
    """Of 1.3, whose staff could delete a company's record: that it was found is all that the row says since."""

    @pytest.mark.parametrize("kind", ["company", "liens"])
    def test_has_a_page_that_says_so(self, lab: Browser, kind: str) -> None:
        reply = ask(lab, "Blue Heron Logistics LLC", "DE", kind=kind)
        Lookup.objects.update(version=None, filing_set=None, evidence=None, match=None, reading=None)
        page = read(open_answer(lab, reply))
        assert "“Blue Heron Logistics LLC” was found" in page
        assert "The answer of that time is no longer kept." in page
        assert "0 liens" not in page


class TestMoney:
    """A question is paid for once, however often its form is sent."""

    def test_sent_again_is_one_question(self, office: Browser, register: Register) -> None:
        first, second = ask(office), ask(office)
        assert first["Location"] == second["Location"]
        assert (Lookup.objects.count(), spent(office)) == (1, PRICE)

    def test_opened_anew_within_five_minutes_tells_the_same_answer(self, office: Browser, register: Register) -> None:
        first = ask(office)
        later = ask(office, word="0" * 31 + "2")
        assert first["Location"] == later["Location"]
        assert ask(office, word="0" * 31 + "2")["Location"] == first["Location"]
        assert spent(office) == PRICE

    def test_of_a_key_and_of_a_person_are_one_question_within_five_minutes(
        self, office: Browser, register: Register
    ) -> None:
        ask(office)
        asked = Lookup.objects.get()
        Lookup.objects.update(origin=Lookup.Origin.API)
        assert ask(office, word="0" * 31 + "3")["Location"].endswith(f"{asked.public_id}/")
        assert spent(office) == PRICE

    def test_with_a_reference_is_one_question_with_that_of_a_program_however_it_is_spaced(
        self, office: Browser, register: Register
    ) -> None:
        key, secret = keys.issue(account=office.account, name="program", mode="live", now=timezone.now())
        program = Customer(office.account, key, secret)
        open_answer(office, ask(office, ref="file  7"))
        again = program.lookup(ref="file  7").json()
        assert (spent(office), again["lookupId"]) == (PRICE, Lookup.objects.get().public_id)
        (told,) = program.get("/v1/lookups?ref=file%20%207").json()["lookups"]
        assert told["lookupId"] == again["lookupId"]

    def test_changed_under_the_same_word_is_another_question(self, office: Browser, register: Register) -> None:
        assert ask(office)["Location"] != ask(office, "Zebra Inc")["Location"]
        assert spent(office) == 2 * PRICE

    def test_asked_again_on_purpose_asks_the_registry_and_is_paid_once_a_click(
        self, office: Browser, register: Register
    ) -> None:
        address = ask(office)["Location"]
        again = [office.post(f"{address}again/", {"word": "a" * 32})["Location"] for _ in range(2)]
        assert again[0] == again[1] != address
        assert spent(office) == 2 * PRICE

    def test_without_credit_hears_of_it_before_anything_is_asked(self, office: Browser, register: Register) -> None:
        asking_too_much = open_office("Poor", "poor@else.test")
        type(asking_too_much.account).objects.filter(pk=asking_too_much.account.pk).update(monthly_budget=0)
        reply = ask(asking_too_much)
        assert reply.status_code == 402
        assert "budget is spent" in reply.content.decode()
        assert register.asked == 0

    def test_of_a_name_that_plays_an_empty_balance_offers_credit(self, lab: Browser) -> None:
        reply = ask(lab, "Magic No Funds LLC")
        assert reply.status_code == 402
        assert "This may cost 0.0314 USD" in reply.content.decode()
        assert '<a href="/app/balance/">Add credit</a>' in reply.content.decode()

    def test_without_credit_leads_nobody_to_a_page_that_is_not_for_their_role(self, clerk: Browser) -> None:
        anywhere = clerk.get("/app/anywhere/?name=Acme+Corp&state=*")
        assert anywhere.status_code == 200
        spend_all(clerk)
        anywhere = clerk.get("/app/anywhere/?name=Acme+Corp&state=*")
        for reply in (anywhere, ask(clerk.work_in("sandbox"), "Magic No Funds LLC")):
            page = reply.content.decode()
            assert "/app/balance/" not in page
            assert "An admin or the owner of the account can add credit." in page

    def test_beyond_the_minutes_limit_hears_when_to_come_back(self, lab: Browser) -> None:
        reply = ask(lab, "Magic Too Many Requests LLC")
        assert reply.status_code == 429
        assert f"try again in {reply['Retry-After']} seconds" in reply.content.decode()

    def test_that_broke_down_here_can_be_sent_again(
        self, office: Browser, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(asking, "perform", lambda **_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                ask(office)
        assert ask(office).status_code == 303
        assert spent(office) == PRICE

    def test_that_found_no_answer_is_asked_anew_by_the_same_form(self, lab: Browser) -> None:
        first, second = (ask(lab, "Magic Portal Down LLC")["Location"] for _ in range(2))
        assert first != second


class TestWaiting:
    """What is answered later."""

    def test_says_who_is_asked_and_looks_again_by_itself(self, lab: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
        reply = ask(lab, "Magic Later LLC", "CA")
        page = open_answer(lab, reply)
        assert "California is slow" in read(page)
        assert "Nothing is charged until it answers" in read(page)
        assert re.search(r'<noscript><meta http-equiv="refresh" content="\d+"></noscript>', page)
        assert lab.get(f"{reply['Location']}progress/").status_code == 200
        tasks.run_job(job_id=str(Job.objects.get().pk))
        assert lab.get(f"{reply['Location']}progress/").status_code == 204
        assert "MAGIC LATER LLC" in lab.get(reply["Location"]).content.decode()

    def test_names_the_moment_of_the_next_try(self, lab: Browser) -> None:
        reply = ask(lab, "Magic Later LLC", "CA")
        again = timezone.now() + timezone.timedelta(minutes=20)
        Job.objects.update(not_before=again)
        page = read(lab.get(reply["Location"]).content.decode())
        assert "California did not answer" in page
        assert f"asked again at {again:%H:%M} UTC" in page

    def test_tells_no_program_of_the_customer(self, lab: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
        type(lab.account).objects.update(test_webhook_url="https://hooks.quay.test/")
        ask(lab, "Magic Later LLC", "CA")
        tasks.run_job(job_id=str(Job.objects.get().pk))
        assert not lab.account.deliveries.exists()

    @pytest.mark.usefixtures("register")
    def test_tells_a_program_that_asked_the_same_meanwhile(
        self, office: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", True)
        type(office.account).objects.update(webhook_url="https://hooks.quay.test/")
        ask(office)
        key, secret = keys.issue(account=office.account, name="a program", now=timezone.now())
        job, program = Job.objects.get(), Customer(office.account, key, secret)
        for _ in range(2):
            assert program.lookup().json()["jobId"] == job.public_id
        tasks.run_job(job_id=str(job.pk))
        assert [(sent.event, sent.job) for sent in office.account.deliveries.all()] == [("lookup.complete", job)]
        assert spent(office) == PRICE

    def test_a_form_that_is_being_answered_leads_to_its_answer(self, lab: Browser) -> None:
        ask(lab, "Magic Found LLC")
        record, lookup = IdempotencyRecord.objects.get(), Lookup.objects.get()
        IdempotencyRecord.objects.update(is_answered=False, lease_until=timezone.now() + timezone.timedelta(minutes=1))
        reply = ask(lab, "Magic Found LLC")
        assert reply["Location"] == f"/app/asked/{record.key}/"
        assert lab.get(reply["Location"])["Location"] == f"/app/lookups/{lookup.public_id}/"
        Lookup.objects.update(ask_id="00000000-0000-4000-8000-000000000000")
        assert 'http-equiv="refresh"' in lab.get(reply["Location"]).content.decode()

    def test_under_a_mark_that_no_form_has_leads_to_the_history(self, lab: Browser) -> None:
        for mark in ("%00", "0" * 32):
            assert lab.get(f"/app/asked/{mark}/")["Location"] == "/app/history/"


class TestAnywhere:
    """One name in every state."""

    def test_says_what_it_costs_at_most_and_asks_nobody_before_that_is_confirmed(self, office: Browser) -> None:
        reply = ask(office, "Acme Corp", "*")
        assert reply.status_code == 302
        page = read(office.get(reply["Location"]).content.decode())
        found = re.search(r"Ask (\d+) states for “ Acme Corp ”\?.*It costs ([\d.]+) USD at most", page)
        assert found is not None
        assert float(found[2]) == pytest.approx(int(found[1]) * 0.0314)
        assert not BulkJob.objects.exists()

    def test_asks_no_state_that_was_switched_on_since_its_sum_was_shown(self, office: Browser) -> None:
        services.disable(code="DE", reason="Delaware asked us to stop.")
        there = ask(office, "Acme Corp", "*")["Location"]
        shown = read_form(office.get(there))
        services.enable(code="DE")
        reply = office.post("/app/anywhere/", shown)
        assert reply.status_code == 409
        page = read(reply.content.decode())
        assert "have changed since this page was shown. Nothing was asked: please check the sum again." in page
        more = int(shown["states"]) + 1
        assert f"Ask {more} states, at most {more * 0.0314:.4f} USD" in page
        assert not BulkJob.objects.exists()
        first = office.post("/app/anywhere/", read_form(reply))
        services.disable(code="DE", reason="Delaware asked us to stop.")
        assert office.post("/app/anywhere/", read_form(reply))["Location"] == first["Location"], "the same click again"
        assert BulkJob.objects.get().total == more

    def test_has_a_row_for_each_state_and_is_taken_on_once(self, lab: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        sent = {"name": "Magic Found LLC", "state": "*", "kind": "company", "word": WORD}
        first, second = (lab.post("/app/anywhere/", sent) for _ in range(2))
        assert first["Location"] == second["Location"]
        bulk = BulkJob.objects.get()
        assert set(Lookup.objects.values_list("asked_by", flat=True)) == {lab.user.pk}
        page = lab.get(first["Location"]).content.decode()
        assert f"0 of {bulk.total} states have answered" in read(page)
        for job in Job.objects.filter(state__in=("DE", "NY")):
            tasks.run_job(job_id=str(job.pk))
        part = read("<main>" + lab.get(f"{first['Location']}progress/").content.decode())
        assert f"2 of {bulk.total} states have answered. 2 have it" in part
        assert re.search(r"Delaware Found MAGIC FOUND LLC", part)
        lab.post(f"{first['Location']}cancel/")
        page = read(lab.get(first["Location"]).content.decode())
        assert f"2 of {bulk.total} states have been asked. 2 have it, 0 have not, 0 gave no answer." in page

    def test_tells_no_program_of_the_customer(self, lab: Browser) -> None:
        type(lab.account).objects.update(test_webhook_url="https://hooks.quay.test/")
        at = lab.post("/app/anywhere/", {"name": "Magic Found LLC", "state": "*", "word": WORD})["Location"]
        lab.post(f"{at}cancel/")
        assert BulkJob.objects.get().ended_at is not None
        assert not lab.account.deliveries.exists()

    def test_says_of_a_state_that_did_not_answer_when_it_is_asked_again(self, lab: Browser) -> None:
        at = lab.post("/app/anywhere/", {"name": "Magic Portal Down LLC", "state": "*", "word": WORD})["Location"]
        tasks.run_job(job_id=str(Job.objects.get(state="DE").pk))
        again = Job.objects.get(state="DE").not_before
        assert again is not None
        page = read(lab.get(at).content.decode())
        assert page.count(f"The registry did not answer. It is asked again at {again:%H:%M} UTC.") == 1

    def test_says_of_a_state_that_has_more_liens_than_are_counted_that_it_has(self, lab: Browser) -> None:
        at = lab.post("/app/anywhere/", {"name": "Magic Found LLC", "state": "*", "kind": "liens", "word": WORD})
        tasks.run_job(job_id=str(Job.objects.get(state="DE").pk))
        Lookup.objects.filter(state="DE").update(note=storage.MORE_FILINGS)
        page = read(lab.get(at["Location"]).content.decode())
        assert f"1 lien on “Magic Found LLC” {storage.MORE_FILINGS}" in page

    def test_counts_no_state_where_several_fit_among_those_that_have_it_not(self, lab: Browser) -> None:
        sent = {"name": "Magic Ambiguous LLC", "state": "*", "kind": "company", "word": WORD}
        at = lab.post("/app/anywhere/", sent)["Location"]
        total = BulkJob.objects.get().total
        for job in Job.objects.filter(state__in=("DE", "NY")):
            tasks.run_job(job_id=str(job.pk))
        page = read(lab.get(at).content.decode())
        assert f"2 of {total} states have answered. 0 have it, in 2 several fit, 0 have not, 0 gave no answer." in page

    @pytest.mark.parametrize(("more", "text"), [({"kind": "name"}, "in one state"), ({"entity_id": "1"}, "one state")])
    def test_is_refused_for_what_belongs_to_one_state(self, lab: Browser, more: dict[str, str], text: str) -> None:
        reply = lab.post("/app/anywhere/", {"name": "Acme Corp", "state": "*", "word": WORD, **more})
        assert reply.status_code == 400
        assert text in reply.content.decode()
