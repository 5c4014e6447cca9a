"""The Comptroller's protocol where a saved page would say little."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scrapers.failures import PageChanged, PortalUnavailable
from scrapers.records import Found, Query
from scrapers.refusals import QueryRefused
from scrapers.search.pipeline import ask_name
from tests.scrapers.conversation import Conversation, answer
from tests.scrapers.golden import NOW

LIST = "https://comptroller.texas.gov/data-search/franchise-tax"


def listed(*rows: tuple[str, str], count: int | None = None) -> dict[str, Any]:
    """A search answer."""
    data = [{"name": name, "taxpayerId": number, "mailingAddressZip": "78006"} for name, number in rows]
    return {"success": True, "data": data, "count": len(rows) if count is None else count}


class TestAList:
    """What the search says of itself."""

    def test_shorter_than_its_count_proves_no_absence(self) -> None:
        cut = listed(("OTHER LLC", "32000000001"), count=900)
        talk = Conversation("TX", *(answer("GET", f"{LIST}?name={name}", cut) for name in ("Acme", "The+Acme")))
        with pytest.raises(QueryRefused, match="too many"):
            talk.ask(name="Acme")

    @pytest.mark.parametrize(
        ("body", "status", "error"),
        [
            ({"success": False, "error": '"q" is not allowed'}, 400, PageChanged),
            ({"success": False, "error": '"q" is not allowed'}, 200, PageChanged),
            ({"success": False, "error": "database down"}, 200, PortalUnavailable),
            ({"success": True}, 200, PageChanged),
            ({"success": True, "data": {}, "count": 0}, 200, PageChanged),
            ({"success": True, "data": [{"name": "ACME"}], "count": 1}, 200, PageChanged),
            ({"success": True, "data": []}, 200, PageChanged),
            ([], 200, PageChanged),
        ],
    )
    def test_of_another_shape_is_no_answer(self, body: object, status: int, error: type[Exception]) -> None:
        talk = Conversation("TX", answer("GET", f"{LIST}?name=Acme", body, status=status))
        with pytest.raises(error):
            talk.ask(name="Acme")


class TestAFileNumber:
    """The Secretary of State's number: the account must bear it."""

    def test_that_the_account_does_not_bear_is_a_changed_page(self, recordings: Any) -> None:
        talk = Conversation(
            "TX",
            answer("GET", f"{LIST}?fileNumber=0800000000", listed(("MIHAILA HOLDINGS CORP", "32085984956"))),
            answer("GET", f"{LIST}/32085984956", recordings / "TX/comptroller-detail.json"),
        )
        with pytest.raises(PageChanged, match="file number"):
            talk.ask(entity_id="0800000000")


class TestTheOfficialApi:
    """The same accounts for operators with a free key."""

    API = "https://api.comptroller.texas.gov/public-data/v1/public/franchise-tax"

    def test_is_asked_when_the_operator_has_a_key(self, recordings: Any) -> None:
        where = "?$where=taxpayer_number%3D'32085984956'&$limit=2&$order=taxpayer_number"
        talk = Conversation(
            "TX",
            answer("GET", f"{self.API}-list?name=Mihaila Holdings", recordings / "TX/comptroller-search.json"),
            answer("GET", f"{self.API}/32085984956", recordings / "TX/comptroller-detail.json"),
            answer("GET", f"https://data.texas.gov/resource/9cir-efmm.json{where}", []),
            keys={"comptroller": "key-1"},
        )
        told = talk.ask(name="Mihaila Holdings Corp")
        assert isinstance(told, Found)
        assert talk.replay.left == []


class TestANameCheck:
    """The list shows no status, so names that a clerk would call the same are opened before they are judged."""

    def account(self, recordings: Any, name: str, number: str, status: str) -> dict[str, Any]:
        body = json.loads((recordings / "TX/comptroller-detail.json").read_text(encoding="utf-8"))
        changed = {"name": name, "taxpayerId": number, "sosRegistrationStatus": status}
        return {"success": True, "data": body["data"] | changed}

    def check(self, recordings: Any, *statuses: str) -> Any:
        numbers = [f"3200000000{at}" for at in range(1, len(statuses) + 1)]
        steps = [
            answer("GET", f"{LIST}/{number}", self.account(recordings, f"ACME {form}", number, status))
            for number, status, form in zip(numbers, statuses, FORMS, strict=False)
        ]
        rows = [(f"ACME {form}", number) for number, form in zip(numbers, FORMS, strict=False)]
        lists = (("Acme", listed(*rows)), ("The+Acme", listed()))
        talk = Conversation("TX", *(answer("GET", f"{LIST}?name={name}", body) for name, body in lists), *steps)
        verdict, _ = ask_name(talk.portal, talk.session, Query(state="TX", name="Acme LLC"), now=NOW)
        return verdict

    def test_finds_an_active_owner(self, recordings: Any) -> None:
        assert not self.check(recordings, "INACTIVE", "ACTIVE").available

    def test_lets_ended_names_go(self, recordings: Any) -> None:
        assert self.check(recordings, "INACTIVE", "FORFEITED").available

    def test_says_nothing_of_more_names_than_it_opens(self, recordings: Any) -> None:
        with pytest.raises(QueryRefused, match="too many names"):
            self.check(recordings, *["INACTIVE"] * 6)


FORMS = ("LLC", "INC", "CORP", "LTD", "LP", "COMPANY")
