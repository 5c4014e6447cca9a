"""A summary of Massachusetts' program, where a saved one would say little."""

from __future__ import annotations

import pytest

from scrapers.records import Answer, Found
from tests.scrapers.states.test_nothing_shown import put

NAMES = '<table id="MainContent_tblNameChange">'
SENTENCE = '<div class="p1"><b>The fictitious name of: </b>HERON CAFE &amp; BAR<b> was filed on </b>06-01-2021</div>'


def with_fictitious_names(state: str, *shown: str) -> Answer | str:
    """The saved summary of an active company, with such a table before that of its changed names."""
    rows = "".join(f"<tr><td>{one}</td></tr>" for one in shown)
    return put(state, "active", (NAMES, f'<table id="MainContent_tblFictitiousName">{rows}</table>{NAMES}'))


@pytest.mark.parametrize("state", ["MA", "RI"])
class TestAFictitiousName:
    """Told in a sentence, as a change of the name is (a public client of Rhode Island's)."""

    def test_is_the_name_alone(self, state: str) -> None:
        found = with_fictitious_names(state, SENTENCE, SENTENCE.replace("CAFE", "GRILL"))
        assert isinstance(found, Found), found
        assert found.record.assumed_names == ("HERON CAFE & BAR", "HERON GRILL & BAR")

    def test_is_not_passed_over_where_the_sentence_is_another(self, state: str) -> None:
        assert with_fictitious_names(state, "It trades as HERON CAFE") == "layout_changed"
