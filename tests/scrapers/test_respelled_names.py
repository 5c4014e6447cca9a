"""A search that compares text letter by letter must not call a company absent for a sign."""

from __future__ import annotations

import pytest

from scrapers.normalize import names
from scrapers.records import Found
from tests.scrapers.conversation import Conversation, answer

LIST = "https://firststop.sos.nd.gov/api/Records/businesssearch"


class TestANameInOtherSpellings:
    """The ways a registry may write it."""

    @pytest.mark.parametrize(
        ("name", "others"),
        [
            ("Blue Heron Logistics", ()),
            ("Smith & Sons", ("Smith and Sons",)),
            ("Smith and Sons", ("Smith & Sons",)),
            ("Smith AND Sons", ("Smith & Sons",)),
            ("A.B.C. Hauling", ("ABC Hauling",)),
            ("O'Neil's Pub & Grill", ("O'Neil's Pub and Grill", "ONeils Pub & Grill")),
            ("Sandy Land", ()),
            ("Sandy-Land", ("Sandy Land",)),
            ("Compañía Coquí", ("Compania Coqui",)),
            ("!!!", ()),
        ],
    )
    def test_has_the_sign_and_the_word(self, name: str, others: tuple[str, ...]) -> None:
        assert names.respelled(name) == others


class TestASearchThatComparesText:
    """North Dakota's, as an example of five families."""

    def test_is_asked_again_in_the_other_spelling_before_a_company_is_called_absent(self) -> None:
        row = {
            "SORT_INDEX": 0,
            "TITLE": ["SMITH & SONS, INC.", "Corporation - Business - Domestic"],
            "ID": 7,
            "FILING_DATE": "01/02/2020",
            "RECORD_NUM": "0000000007",
            "STATUS": "Active",
            "STANDING": "",
        }
        drawer = {"DRAWER_DETAIL_LIST": [{"LABEL": label, "VALUE": "Active"} for label in ("Filing Type", "Status")]}
        asked = {"STARTS_WITH_YN": False, "ACTIVE_ONLY_YN": False}
        talk = Conversation(
            "ND",
            answer("POST", LIST, {"rows": {}}, sent={"SEARCH_VALUE": "Smith and Sons"} | asked),
            answer("POST", LIST, {"rows": {"7": row}}, sent={"SEARCH_VALUE": "Smith & Sons"} | asked),
            answer("GET", "https://firststop.sos.nd.gov/api/FilingDetail/business/7/false", drawer),
        )
        told = talk.ask(name="Smith and Sons, Inc.")
        assert isinstance(told, Found)
        assert told.match.kind == "exact"
