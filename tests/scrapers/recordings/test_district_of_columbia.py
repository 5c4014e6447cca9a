"""What the District's map service really answered (2026-09-18)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrapers.failures import PageChanged
from scrapers.records import Address, Found, NotFound
from tests.scrapers.conversation import Conversation, answer

QUERY = (
    "https://maps2.dcgis.dc.gov/dcgis/rest/services/DCGIS_DATA/Business_Licensing_and_Grants_WebMercator/FeatureServer"
    "/0/query?where=FILE_NUMBER='{}'&outFields=*&returnGeometry=false&resultRecordCount=500&resultOffset=0"
    "&orderByFields=BUSINESS_NAME ASC&f=json"
)


NAMES = (
    "https://maps2.dcgis.dc.gov/dcgis/rest/services/DCGIS_DATA/Business_Licensing_and_Grants_WebMercator/FeatureServer"
    "/1/query?where=INITIAL_FILENUMBER='{}'&outFields=TRADE_NAME,TRADENAME_STATUS,FILE_NUMBER,INITIAL_FILENUMBER"
    "&returnGeometry=false&resultRecordCount=500&resultOffset=0&orderByFields=TRADE_NAME ASC&f=json"
)


def talk(recordings: Path, number: str, body: str, *, names: str = "arcgis-empty") -> Conversation:
    folder = recordings / "DC"
    company = answer("GET", QUERY.format(number), folder / f"{body}.json")
    return Conversation("DC", company, answer("GET", NAMES.format(number), folder / f"{names}.json"))


class TestARecordedCompany:
    """An old one and a revoked one, with every attribute of the layer."""

    def test_is_read_field_by_field(self, recordings: Path) -> None:
        conversation = talk(recordings, "000347", "arcgis-company-active-old", names="arcgis-trade-names")
        told = conversation.ask(entity_id="000347")
        assert isinstance(told, Found)
        record = told.record
        assert record.entity_name == "AMERICAN CHEMICAL SOCIETY"
        assert (record.status, record.formation_date, record.domestic) == (
            "Active - In Good Standing",
            "1937-08-25",
            True,
        )
        assert record.principal_address == Address("1155 16th Street, NW", "Washington", "DC", "20036", "USA")
        assert record.agent_name == "ResAgent, Inc."
        assert record.assumed_names == ("ACS",)
        assert conversation.unread == []

    def test_may_be_revoked(self, recordings: Path) -> None:
        conversation = talk(recordings, "L00005434982", "arcgis-company-revoked")
        told = conversation.ask(entity_id="L00005434982")
        assert isinstance(told, Found)
        assert conversation.portal.record_meaning(told.record).status_class == "inactive"
        assert conversation.unread == []


class TestARecordedAnswerWithoutRows:
    """Nothing found, and an error that comes with HTTP 200 too."""

    def test_is_not_found_where_the_list_is_empty(self, recordings: Path) -> None:
        told = talk(recordings, "US-DC-LL012601299", "arcgis-empty").ask(entity_id="US-DC-LL012601299")
        assert isinstance(told, NotFound)

    def test_is_never_not_found_where_it_is_an_error(self, recordings: Path) -> None:
        with pytest.raises(PageChanged, match="error"):
            talk(recordings, "000347", "arcgis-error-http200").ask(entity_id="000347")
