"""FileOne's protocol where a saved page would be too long or too small to keep."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any, ClassVar

import pytest

from scrapers.failures import PageChanged
from scrapers.normalize import liens
from scrapers.records import Found, FoundFilings, NotFound
from scrapers.refusals import QueryRefused
from scrapers.transport.recording import Step, load_steps
from tests.scrapers.conversation import Conversation, answer
from tests.scrapers.golden import FOLDER, Case, dated

LIST = "https://firststop.sos.nd.gov/api/Records/businesssearch"


def row(number: int, name: str) -> dict[str, object]:
    """A row as North Dakota lists it."""
    return {
        "SORT_INDEX": number,
        "TITLE": [name, "Trade Name"],
        "ID": number,
        "FILING_DATE": "01/02/2020",
        "RECORD_NUM": f"{number:010d}",
        "STATUS": "Active",
        "STANDING": "",
        "ALERT": False,
        "CAN_FILE_AR": False,
    }


def asked(name: str, *, starts_with: bool) -> dict[str, object]:
    """What the portal must be sent."""
    return {"SEARCH_VALUE": name, "STARTS_WITH_YN": starts_with, "ACTIVE_ONLY_YN": False}


def rows(*listed: dict[str, object]) -> dict[str, object]:
    """A search answer."""
    return {"rows": {str(each["ID"]): each for each in listed}}


FULL = rows(*[row(number, f"NORTHERN PLAINS {number} LLC") for number in range(500)])


class TestAListAsLongAsTheCap:
    """Five hundred rows: nobody knows what came after them."""

    def test_proves_no_absence(self) -> None:
        talk = Conversation("ND", answer("POST", LIST, FULL), answer("POST", LIST, rows()))
        with pytest.raises(QueryRefused, match="too many"):
            talk.ask(name="Northern Plains")

    def test_is_asked_again_for_just_the_name(self) -> None:
        drawer = {
            "DRAWER_DETAIL_LIST": [
                {"LABEL": "Filing Type", "VALUE": "Trade Name"},
                {"LABEL": "Status", "VALUE": "Active"},
            ]
        }
        talk = Conversation(
            "ND",
            answer("POST", LIST, FULL, sent=asked("Northern Plains", starts_with=False)),
            answer("POST", LIST, rows(row(900, "Northern Plains")), sent=asked("Northern Plains", starts_with=True)),
            answer("GET", "https://firststop.sos.nd.gov/api/FilingDetail/business/900/false", drawer),
        )
        outcome = talk.ask(name="Northern Plains")
        assert isinstance(outcome, Found)
        assert outcome.record.entity_id == "0000000900"

    def test_proves_no_absence_of_a_number_either(self) -> None:
        talk = Conversation("ND", answer("POST", LIST, FULL))
        with pytest.raises(QueryRefused):
            talk.ask(entity_id="0000777777")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"rows": []},
        {"rows": None},
        {"rows": {"1": "text"}},
        {"rows": {"1": {key: value for key, value in row(1, "ACME").items() if key != "ID"}}},
        {"rows": {"1": row(1, "ACME") | {"TITLE": []}}},
        {"rows": {"1": row(1, "ACME") | {"TITLE": "ACME"}}},
        {"rows": {"1": row(1, "ACME") | {"RECORD_NUM": None}}},
    ],
)
class TestAListOfAnotherShape:
    """Whatever it is, it is no "not found"."""

    def test_is_a_changed_page(self, body: dict[str, object]) -> None:
        talk = Conversation("ND", answer("POST", LIST, body))
        with pytest.raises(PageChanged):
            talk.ask(name="Acme")


@pytest.mark.parametrize("body", [{"DRAWER_DETAIL_LIST": []}, {"DRAWER_DETAIL_LIST": None}, [], {}])
class TestADrawerOfAnotherShape:
    """The row alone is no record."""

    def test_is_a_changed_page(self, body: object) -> None:
        talk = Conversation(
            "ND",
            answer("POST", LIST, rows(row(1, "ACME"))),
            answer("GET", "https://firststop.sos.nd.gov/api/FilingDetail/business/1/false", body),
        )
        with pytest.raises(PageChanged):
            talk.ask(name="Acme")


class TestARowWithAnOddNumber:
    """Registrations of other kinds stand in the same list."""

    def test_does_not_turn_the_question_into_a_refused_one(self) -> None:
        drawer = {
            "DRAWER_DETAIL_LIST": [{"LABEL": label, "VALUE": "Trade Name"} for label in ("Filing Type", "Status")]
        }
        talk = Conversation(
            "ND",
            answer("POST", LIST, rows(row(1, "ACME HAULING"), row(2, "ACME") | {"RECORD_NUM": "TM-7"})),
            answer("GET", "https://firststop.sos.nd.gov/api/FilingDetail/business/1/false", drawer),
        )
        outcome = talk.ask(name="Acme Hauling")
        assert isinstance(outcome, Found)
        assert outcome.record.entity_id == "0000000001"

    def test_is_passed_over_when_a_number_is_looked_for(self) -> None:
        talk = Conversation("ND", answer("POST", LIST, rows(row(2, "ACME") | {"RECORD_NUM": "TM-7"})))
        assert type(talk.ask(entity_id="0000000001")).__name__ == "NotFound"


class TestACompanyThatOneOfCaliforniasOfficesFindsInDefault:
    """The Franchise Tax Board, for one: it is active, and something is said against it."""

    @pytest.mark.parametrize(
        ("case", "name", "keys"),
        [
            ("active", "Golden Lantern Works, Inc.", {}),
            ("by-the-official-api", "Golden Lantern Works", {"calico": "a-key"}),
        ],
    )
    def test_is_not_in_good_standing(self, case: str, name: str, keys: dict[str, str]) -> None:
        *before, last = load_steps(FOLDER / "CA" / case)
        before_it, ftb, after = last.body.partition(b"FTB")
        last = replace(last, body=before_it + ftb + after.replace(b'"Good"', b'"Not Good"', 1))
        found = (talk := Conversation("CA", *before, last, keys=keys)).ask(name=name)
        assert isinstance(found, Found)
        assert (found.record.status, found.record.standing) == ("Active", "Not Good")
        assert talk.portal.record_meaning(found.record).reason == "not_in_good_standing"


class TestCaliforniasLienNumbers:
    """U197699061462 and 197699061462 are one number: it comes with the letter and without it (seen 2026-07)."""

    @pytest.mark.parametrize("letter_in", [1, 3])  # the list, the history
    def test_may_begin_with_a_letter_in_one_place_alone(self, letter_in: int) -> None:
        plain = Conversation("CA", *load_steps(FOLDER / "CA" / "ucc-debtor")).ask(**self.QUESTION)
        steps = load_steps(FOLDER / "CA" / "ucc-debtor")
        bare, lettered = b'"197728979000"', b'"U197728979000"'
        assert bare in steps[letter_in].body
        steps[letter_in] = replace(steps[letter_in], body=steps[letter_in].body.replace(bare, lettered))
        if letter_in == 1:
            steps[3] = replace(steps[3], url=steps[3].url.replace("/197728979000", "/U197728979000"))
        told = Conversation("CA", *steps).ask(**self.QUESTION)
        assert isinstance(plain, FoundFilings)
        assert isinstance(told, FoundFilings)
        assert [lien.amendments for lien in told.filings] == [lien.amendments for lien in plain.filings]
        assert any(lien.amendments for lien in told.filings)

    QUESTION: ClassVar[dict[str, Any]] = dated(
        Case("CA", "ucc-debtor", FOLDER / "CA" / "ucc-debtor").content["question"]
    )


class TestIdahosLiens:
    """Their page says that results are limited, and that a terminated lien keeps its status word."""

    URL = "https://sosbiz.idaho.gov/api/records/uccinforeqsearch"
    ROW = {
        "SORT_INDEX": 0,
        "ID": 501,
        "RECORD_NUM": "20230100200",
        "RECORD_TYPE": "UCC",
        "TITLE": ["TETON LANTERN WORKS, LLC - BOISE, ID"],
        "SEC_PARTY": "EXAMPLE BANK - BUHL, ID",
        "STATUS": "Active",
        "FILING_DATE": "02/03/2023",
        "LAPSE_DATE": "02/03/2028",
    }

    def found(self, *later: str) -> FoundFilings:
        """Four liens; of the newest the history has these later documents."""
        numbers = [f"2023010020{at}" for at in range(4)]
        listed = [
            self.ROW | {"ID": at, "RECORD_NUM": one, "FILING_DATE": f"02/0{9 - at}/2023"}
            for at, one in enumerate(numbers)
        ]
        told = Conversation(
            "ID",
            answer("POST", self.URL, rows(*listed)),
            *(self.history(one, *(later if one == numbers[0] else ())) for one in numbers[:3]),
        ).ask(kind="ucc", name="Teton Lantern Works, LLC")
        assert isinstance(told, FoundFilings)
        return told

    def history(self, number: str, *later: str) -> Step:
        kinds = ("UCC Financing Statement", *later)
        listed = [
            {"AMENDMENT_TYPE": kind, "AMENDMENT_NUM": number if not at else f"{number}-{at}", "AMENDMENT_DATE": None}
            for at, kind in enumerate(kinds)
        ]
        url = f"https://sosbiz.idaho.gov/api/History/ucc/{number}"
        return answer("GET", url, {"AMENDMENT_LIST": listed, "HISTORY_LIST": []})

    def test_are_active_where_their_history_was_read_and_never_called_all(self) -> None:
        told = self.found("UCC Continuation")
        assert not told.complete
        kinds = [liens.status_class(lien, today=date(2026, 11, 22)) for lien in told.filings]
        assert kinds == ["active", "active", "active", "unknown"]

    def test_have_ended_where_their_history_says_so(self) -> None:
        first = self.found("UCC Termination").filings[0]
        assert liens.status_class(first, today=date(2026, 11, 22)) == "terminated"
        assert [later.filing_type for later in first.amendments] == ["UCC Termination"]

    def test_are_not_called_active_where_their_history_has_a_release(self) -> None:
        meanings = {
            later: liens.status_class(self.found(later).filings[0], today=date(2026, 11, 22))
            for later in ("Lien Release", "Partial Release")
        }
        assert meanings == {"Lien Release": "unknown", "Partial Release": "active"}

    def test_may_be_cut_before_the_days_asked_for(self) -> None:
        talk = Conversation("ID", answer("POST", self.URL, rows(self.ROW)))
        with pytest.raises(QueryRefused, match="too many"):
            talk.ask(kind="ucc", name="Teton Lantern Works, LLC", date_after=date(2024, 1, 1))

    def test_are_not_there_where_the_list_is_empty(self) -> None:
        told = Conversation("ID", answer("POST", self.URL, rows())).ask(kind="ucc", name="Teton Lantern Works, LLC")
        assert isinstance(told, NotFound)

    OTHERS = ROW | {"ID": 502, "RECORD_NUM": "20240100300", "TITLE": ["GRAND TETON LANTERN WORKS INC - DRIGGS, ID"]}

    def test_are_those_of_the_debtor_where_the_list_holds_the_words_in_other_names(self) -> None:
        talk = Conversation("ID", answer("POST", self.URL, rows(self.ROW, self.OTHERS)), self.history("20230100200"))
        told = talk.ask(kind="ucc", name="Teton Lantern Works, LLC")
        assert isinstance(told, FoundFilings)
        assert [lien.file_number for lien in told.filings] == ["20230100200"]

    def test_are_not_found_on_another_company_alone(self) -> None:
        talk = Conversation("ID", answer("POST", self.URL, rows(self.OTHERS)))
        with pytest.raises(QueryRefused, match="too many"):  # the list may be cut: nothing is said of the debtor
            talk.ask(kind="ucc", name="Teton Lantern Works, LLC")

    def test_stay_on_a_person_however_the_list_writes_the_name(self) -> None:
        shown = self.ROW | {"TITLE": ["SAMPLE JORDAN - BOISE, ID"]}
        listed = (answer("POST", self.URL, rows()), answer("POST", self.URL, rows(shown)))
        told = Conversation("ID", *listed, self.history("20230100200")).ask(kind="ucc", name="Jordan Sample")
        assert isinstance(told, FoundFilings)


class TestNewMexicosLiens:
    """How its query compares names is not known: those of the same platform list a word in any name."""

    ROWS = (
        {"ID": 900, "RECORD_NUM": "20230100200A", "DEBTOR": "DESERT LANTERN WORKS, LLC - SANTA FE, NM"},
        {"ID": 901, "RECORD_NUM": "20240100300B", "DEBTOR": "OLD DESERT LANTERN WORKS INC - TAOS, NM"},
    )

    def listed(self, *shown: dict[str, object]) -> dict[str, object]:
        """The rows with what all have."""
        rest = {"RECORD_TYPE": "Lien Initial", "STATUS": "Active", "FILING_DATE": "1/9/2023 8:05 AM"}
        return rows(
            *({"SEC_PARTY": "EXAMPLE BANK - ALBUQUERQUE, NM", "LAPSE_DATE": None} | rest | one for one in shown)
        )

    def ask(self, *shown: dict[str, object], **question: Any) -> Any:
        """Liens from the case's question, with these rows as its answer."""
        found = "ucc-debtor" if question.get("search_by", "debtor") == "debtor" else "ucc-secured-party"
        first, *more = load_steps(FOLDER / "NM" / found)
        listed = answer(first.method, first.url, self.listed(*shown))
        return Conversation("NM", listed, *more).ask(kind="ucc", **question)

    def test_are_those_of_the_debtor_asked_for(self) -> None:
        told = self.ask(*self.ROWS, name="Desert Lantern Works, LLC")
        assert [lien.file_number for lien in told.filings] == ["20230100200A"]

    def test_are_not_found_on_another_company_alone(self) -> None:
        assert isinstance(self.ask(self.ROWS[1], name="Desert Lantern Works, LLC"), NotFound)

    def test_are_those_of_the_secured_party_asked_for(self) -> None:
        others = self.ROWS[1] | {"SEC_PARTY": "FIRST EXAMPLE BANK CORP - TAOS, NM"}
        told = self.ask(self.ROWS[0], others, name="Example Bank", search_by="secured_party")
        assert [lien.file_number for lien in told.filings] == ["20230100200A"]
