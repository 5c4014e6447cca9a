"""Louisiana's record beside its status: the annual report's standing, in a table of its own (public clients)."""

from __future__ import annotations

import pytest

from scrapers.records import Found
from scrapers.states.louisiana import Louisiana
from tests.scrapers.states.test_nothing_shown import put

MAILING = '<table id="ctl00_cphContent_tblMailing">'


def with_report(standing: str) -> Found:
    """The saved record of an active company, with the table of its reports."""
    rows = (("Annual Report Status:", standing), ("Qualified:", "3/14/2019"), ("Last Report Filed:", "2/2/2023"))
    cells = "".join(f"<tr><td>{label}</td><td>{value}</td></tr>" for label, value in rows)
    found = put("LA", "active", (MAILING, f'<table id="ctl00_cphContent_tblStatus">{cells}</table>{MAILING}'))
    assert isinstance(found, Found), found
    return found


class TestAnActiveCompany:
    """Louisiana goes on calling it active while a report is missing."""

    @pytest.mark.parametrize(
        ("standing", "reason"), [("Not In Good Standing", "not_in_good_standing"), ("In Good Standing", None)]
    )
    def test_is_not_in_good_standing_where_its_report_is_not(self, standing: str, reason: str | None) -> None:
        record = with_report(standing).record
        assert (record.status, record.standing) == ("Active", standing)
        meaning = Louisiana().record_meaning(record)
        assert (meaning.status_class, meaning.reason) == ("active", reason)
