"""The map service's protocol where a saved page would say little."""

from __future__ import annotations

import pytest

from scrapers.failures import PageChanged, PortalUnavailable
from scrapers.states.district_of_columbia import _day, _with_suffix
from tests.scrapers.conversation import Conversation, answer

QUERY = (
    "https://maps2.dcgis.dc.gov/dcgis/rest/services/DCGIS_DATA/Business_Licensing_and_Grants_WebMercator/FeatureServer"
    "/0/query?where=upper(BUSINESS_NAME) like '%25ACME%25'&outFields=*&returnGeometry=false&resultRecordCount=500"
    "&resultOffset=0&orderByFields=BUSINESS_NAME ASC&f=json"
)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": {"code": 400, "message": "Invalid query"}}, PageChanged),
        ({"error": {"code": 503, "message": "Service busy"}}, PortalUnavailable),
        ({"error": "text"}, PageChanged),
        ({}, PageChanged),
        ([], PageChanged),
        ({"features": None}, PageChanged),
        ({"features": [{}]}, PageChanged),
        ({"features": [{"attributes": None}]}, PageChanged),
        ({"features": [{"attributes": {"FILE_NUMBER": "L00000001"}}]}, PageChanged),
    ],
)
class TestAnAnswerOfAnotherShape:
    """Errors come with HTTP 200 here; none of them is "not found"."""

    def test_is_told_as_what_it_is(self, body: object, error: type[Exception]) -> None:
        with pytest.raises(error):
            Conversation("DC", answer("GET", QUERY, body)).ask(name="Acme")


class TestADay:
    """Milliseconds since 1970."""

    def test_may_lie_before_1970(self) -> None:
        assert _day({"D": -1388534400000}, "D") == "1926-01-01"

    def test_may_be_empty(self) -> None:
        assert _day({"D": None}, "D") is None

    @pytest.mark.parametrize("row", [{"D": "2015"}, {"D": True}, {}])
    def test_is_a_number_or_a_changed_page(self, row: dict[str, object]) -> None:
        with pytest.raises(PageChanged):
            _day(row, "D")


@pytest.mark.parametrize(
    ("name", "suffix", "whole"),
    [
        ("Acme", "LLC", "Acme LLC"),
        ("Acme LLC", "LLC", "Acme LLC"),
        ("Acme, L.L.C.", "LLC", "Acme, L.L.C."),
        ("Acme Works", None, "Acme Works"),
        ("Acme Chartered", "Chartered", "Acme Chartered"),
        ("Capitol Zinc", "Inc", "Capitol Zinc Inc"),
        ("Frisco", "Co.", "Frisco Co."),
    ],
)
class TestASuffix:
    """A column of its own; whether the name already holds it was not seen."""

    def test_stands_once(self, name: str, suffix: str | None, whole: str) -> None:
        assert _with_suffix(name, suffix) == whole
