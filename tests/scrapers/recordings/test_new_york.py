"""New York's histories as real rows hold them: companies that ended, were renamed, or share their number."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from requests import PreparedRequest, Response
from requests.adapters import BaseAdapter

from scrapers.platforms.socrata import new_york_history as history
from scrapers.records import Address, Found, NotFound
from scrapers.transport.recording import answer as reply
from tests.scrapers.conversation import Conversation

LIST = "n9v6-gdp6"
CORNING = {
    "dos_id": "49779",
    "current_entity_name": "CORNING INCORPORATED",
    "entity_type": "DOMESTIC BUSINESS CORPORATION",
    "initial_dos_filing_date": "1936-12-24T00:00:00",
}


class Sets(BaseAdapter):
    """The four sets' recorded rows, and the rows of the list that a test gives; asked by number or by name."""

    def __init__(self, folder: Path, *active: dict[str, str]) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.rows: dict[str, Any] = {LIST: list(active)}
        for dataset in (history.NAMES, history.STATUSES, history.FILINGS, history.ADDRESSES):
            self.rows[dataset] = json.loads((folder / f"{dataset}-rows.json").read_text(encoding="utf-8"))

    def send(self, request: PreparedRequest, *_: Any, **__: Any) -> Response:
        address = urlsplit(request.url or "")
        dataset, where = address.path.split("/")[-1].removesuffix(".json"), parse_qs(address.query)["$where"][0]
        self.asked.append(dataset)
        column = "dos_id" if dataset == LIST else "corpid_num"
        by_name = re.fullmatch(r"upper\((\w+)\) like '(.+)'", where)
        if by_name:
            column, wanted = by_name[1], re.compile(".*".join(map(re.escape, by_name[2].split("%"))))
            rows = [row for row in self.rows[dataset] if wanted.search(row[column].upper())]
        else:
            rows = [row for row in self.rows[dataset] if row[column] in re.findall(r"'(\d+)'", where)]
        body = json.dumps(rows).encode()
        return reply(request, status=200, headers={"content-type": "application/json"}, body=body)

    def close(self) -> None:
        """Nothing to close."""


@pytest.fixture
def folder(recordings: Path) -> Path:
    """The rows; tests that need them skip plainly where they are not."""
    found = recordings.parent / "sources" / "NY"
    if not found.is_dir():
        pytest.skip(f"no recorded rows at {found}")
    return found


def ask(folder: Path, *active: dict[str, str], **question: Any) -> tuple[Conversation, Any, Sets]:
    """The conversation, its answer and what was asked."""
    talk, sets = Conversation("NY"), Sets(folder, *active)
    talk.session._http.mount("https://", sets)
    return talk, talk.ask(**question), sets


class TestACompanyThatWasDissolved:
    """It is in no list of active companies."""

    def test_is_found_by_its_name(self, folder: Path) -> None:
        talk, told, sets = ask(folder, name="Lentor Capital LLC")
        assert isinstance(told, Found)
        read = told.record
        assert (read.entity_name, read.entity_id, read.status) == ("LENTOR CAPITAL LLC", "5810913", "Inactive")
        assert talk.portal.status_meaning(read.status).status_class == "inactive"
        assert (read.entity_type, read.jurisdiction) == ("DOMESTIC LIMITED LIABILITY COMPANY", "NY")
        assert read.formation_date == "2020-08-12T00:00:00.000"
        assert [filing.title for filing in read.filings][:2] == [
            "CERTIFICATE OF DISSOLUTION-CANCELLATION",
            "CERTIFICATE OF CHANGE BY ENTITY",
        ]
        assert len(sets.asked) == 7
        assert talk.unread == []

    def test_is_found_by_its_number(self, folder: Path) -> None:
        _, told, sets = ask(folder, entity_id="5810913")
        assert isinstance(told, Found)
        assert told.record.status == "Inactive"
        assert len(sets.asked) == 5


class TestACompanyThatWasRenamed:
    """Corning was a glass works, Maybank was Kim Eng."""

    def test_is_found_by_the_name_it_had(self, folder: Path) -> None:
        talk, told, _ = ask(folder, CORNING, name="Corning Glass Works")
        assert isinstance(told, Found)
        assert (told.record.entity_name, told.match.kind) == ("CORNING INCORPORATED", "former_name")
        assert told.record.former_names == ("CORNING GLASS WORKS",)
        assert talk.unread == []

    def test_has_all_its_earlier_names(self, folder: Path) -> None:
        active = CORNING | {"dos_id": "1484459", "current_entity_name": "MAYBANK SECURITIES USA INC."}
        _, told, sets = ask(folder, active, name="Maybank Securities USA Inc.")
        assert isinstance(told, Found)
        assert told.record.former_names == ("MAYBANK KIM ENG SECURITIES USA INC.", "KIM ENG SECURITIES U.S.A. INC.")
        assert len(sets.asked) == 4


class TestANumberOfTwo:
    """The filings of assumed names have a count of their own, which meets the companies' numbers."""

    def test_gives_a_company_nothing_of_the_other(self, folder: Path) -> None:
        talk, told, sets = ask(folder, CORNING, entity_id="49779")
        assert "J & M COFFEE SHOP" in {row["corp_name"] for row in sets.rows[history.FILINGS]}
        assert isinstance(told, Found)
        assert (told.record.entity_name, told.record.former_names) == ("CORNING INCORPORATED", ("CORNING GLASS WORKS",))
        assert not any("ASSUMED" in filing.title for filing in told.record.filings)
        assert len(told.record.filings) == 9
        assert talk.unread == []

    @pytest.mark.parametrize("name", ["J & M Coffee Shop", "Toy Town"])
    def test_is_not_found_by_the_assumed_name(self, folder: Path, name: str) -> None:
        _, told, _ = ask(folder, CORNING, name=name)
        assert isinstance(told, NotFound)
        assert not told.suggestions

    def test_has_the_type_of_the_company_and_not_of_the_shop(self, folder: Path) -> None:
        """The list may lack it, and its last word is Active: then nobody can say."""
        _, told, _ = ask(folder, entity_id="8512")
        assert isinstance(told, Found)
        read = told.record
        assert read.entity_name == "THE MUNICIPAL WASTE PAPER RECEPTACLE COMPANY"
        assert (read.entity_type, read.jurisdiction) == ("FOREIGN BUSINESS CORPORATION", "NJ")
        assert read.status is None
        assert [filing.title for filing in read.filings] == ["APPLICATION OF AUTHORITY"]


class TestAddresses:
    """Of a company that the list lacks, whether it has ended or not."""

    def test_are_the_newest_of_each_kind(self, folder: Path) -> None:
        sets = Sets(folder)
        rows = [row for row in sets.rows[history.ADDRESSES] if row["corpid_num"] == "49779"]
        rows.sort(key=lambda row: row["date_filed"], reverse=True)
        bare = history.ended("49779", [row for row in sets.rows[history.NAMES] if row["corpid_num"] == "49779"], [])
        assert bare is not None
        read = history.with_addresses(bare, rows)
        assert [officer.name for officer in read.officers] == ["WINDY P EXAMPLE"]
        assert read.principal_address == Address("ONE RIVERFRONT PLAZA", "CORNING", "NY", "14831-0001", "USA")

    def test_have_an_agent_only_where_there_is_one(self, folder: Path) -> None:
        sets = Sets(folder)
        barnes = {"corpid_num": "3322706", "film_num": "060217000994", "date_filed": "2006-02-17T00:00:00.000"}
        sets.rows[history.NAMES] += [
            barnes | {"name_type": "A", "name_status": "I", "corp_name": "BARNES & NOBLE BOOKSELLERS, INC."}
        ]
        talk = Conversation("NY")
        talk.session._http.mount("https://", sets)
        told = talk.ask(entity_id="3322706")
        assert isinstance(told, Found)
        assert (told.record.agent_name, told.record.process_name) == (None, "CAPITOL SERVICES, INC.")
        assert told.record.mailing_address == Address("1218 CENTRAL AVE, STE 100", "ALBANY", "NY", "12205", "USA")
