"""What Puerto Rico's registry really answered, read field by field."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from scrapers.normalize import types
from scrapers.records import Found
from scrapers.refusals import QueryRefused
from scrapers.transport.recording import load_steps
from tests.scrapers.conversation import Conversation, answer
from tests.scrapers.golden import FOLDER


class TestPuertoRicosList:
    """One expired partnership."""

    def test_is_read_field_by_field(self, recordings: Path) -> None:
        talk = Conversation(
            "PR",
            answer("POST", "https://rceapi.estado.pr.gov/api/corporation/search", recordings / "PR/search.json"),
        )
        found = talk.portal.search(talk.session, "Central Radiology Services")
        assert found.complete
        (row,) = found.candidates
        assert row.name == "CENTRAL RADIOLOGY SERVICES LLP"
        assert row.entity_id == "1-811"
        assert row.status == "EXPIRED"
        assert talk.portal.status_meaning(row.status).status_class == "inactive"
        assert row.entity_type == "L.L.P."
        assert talk.unread == []


class TestACompanyWithoutProfit:
    """ "Sin Fines" stands beside the class, which is "Corporation" for both."""

    def test_is_no_plain_corporation(self, recordings: Path) -> None:
        body = json.loads((recordings / "PR/search.json").read_text(encoding="utf-8"))
        body["response"]["records"][0] |= {"classEn": "Corporation", "profitTypeEn": "Non Profit"}
        talk = Conversation("PR", answer("POST", "https://rceapi.estado.pr.gov/api/corporation/search", body))
        (row,) = talk.portal.search(talk.session, "Central Radiology Services").candidates
        assert row.entity_type == "Corporation (Non Profit)"
        assert types.to_class(row.entity_type) == "nonprofit_corporation"


class TestAListThatCountsItsRows:
    """ "totalRecords" beside the rows: how many were found, of which at most so many come."""

    def talk(self, recordings: Path, *, total: int) -> Conversation:
        body = json.loads((recordings / "PR/search.json").read_text(encoding="utf-8"))
        body["response"]["totalRecords"] = total
        return Conversation("PR", answer("POST", "https://rceapi.estado.pr.gov/api/corporation/search", body))

    @pytest.mark.parametrize(("total", "whole"), [(1, True), (2, False)])
    def test_is_whole_when_all_of_them_came(self, recordings: Path, total: int, whole: bool) -> None:
        talk = self.talk(recordings, total=total)
        assert talk.portal.search(talk.session, "Central Radiology Services").complete is whole

    def test_proves_no_absence_of_a_number_when_it_was_cut(self, recordings: Path) -> None:
        with pytest.raises(QueryRefused, match="too many"):
            self.talk(recordings, total=2).ask(entity_id="1-1511")


class TestAForeignCompanyWhoseHomeIsNotShown:
    """ "Foreign" is its kind, and no place where a company is formed."""

    def test_has_no_jurisdiction(self) -> None:
        search, info = load_steps(FOLDER / "PR" / "several-matches")
        info = replace(info, body=info.body.replace(b'"FLORIDA"', b"null"))
        talk = Conversation("PR", search, info)
        found = talk.ask(name="Caribe Freight Corp")
        assert isinstance(found, Found)
        assert (found.record.jurisdiction, found.record.domestic) == (None, False)
