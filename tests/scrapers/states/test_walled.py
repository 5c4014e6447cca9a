"""Protocols that stand behind walls: how a name is written into a question, and answers of another shape."""

from __future__ import annotations

import pytest

from scrapers.failures import PageChanged, PortalBlocked
from scrapers.states.ohio import spelled
from tests.scrapers.conversation import Conversation, answer

SERVICE = "https://corp.sos.ms.gov/corp/Services/MS/CorpServices.asmx/BusinessNameSearch"
WA = "https://ccfs-api.prod.sos.wa.gov/api/BusinessSearch/GetBusinessSearchDetails"


class TestAnOhioName:
    """As the page writes it into a path."""

    @pytest.mark.parametrize(
        ("name", "path"),
        [
            ("PCS & Build", "PCS $A29 BUILD"),
            ("O'Neil's  100% Co.", "ONEILS 100$P26 CO"),
            ("A-B_C", "A$H31B$U28C"),
        ],
    )
    def test_is_capitals_with_four_signs_by_code(self, name: str, path: str) -> None:
        assert spelled(name) == path


@pytest.mark.parametrize("body", [{}, {"d": None}, {"d": "<html>"}, {"d": "[]"}, {"d": '{"Rows": []}'}])
class TestAMississippiAnswerOfAnotherShape:
    """Whatever it is, it is no "not found"."""

    def test_is_a_changed_page(self, body: object) -> None:
        talk = Conversation("MS", answer("POST", SERVICE, body))
        with pytest.raises(PageChanged):
            talk.ask(name="Acme")


@pytest.mark.parametrize("body", ["", '""', "{}", '{"Table": []}'])
class TestAnEmptyMississippiAnswer:
    """What the page's own script takes for "No Matches Found"."""

    def test_is_not_found(self, body: str) -> None:
        talk = Conversation("MS", answer("POST", SERVICE, {"d": body}))
        assert type(talk.ask(name="Acme")).__name__ == "NotFound"


class TestAWashingtonAnswer:
    """Rows without their total, and the refusal in words."""

    def test_without_its_total_is_a_changed_page(self) -> None:
        talk = Conversation("WA", answer("POST", WA, [{"BusinessName": "ACME", "UBINumber": "600 000 000"}]))
        with pytest.raises(PageChanged):
            talk.ask(name="Acme")

    def test_in_words_is_a_wall(self) -> None:
        talk = Conversation("WA", answer("POST", WA, '{"Message":"System verification in progress, please wait."}'))
        with pytest.raises(PortalBlocked):
            talk.ask(name="Acme")
