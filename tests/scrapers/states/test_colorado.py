"""Colorado's codes of entity types, in words where they are sure."""

from __future__ import annotations

import pytest

from scrapers.bulk_data.layouts import colorado
from scrapers.normalize import types


class TestACode:
    """Of the column `entitytype`."""

    @pytest.mark.parametrize(
        ("code", "words", "kind"),
        [
            ("DLLC", "Domestic Limited Liability Company", "llc"),
            ("DPC-PBC", "Domestic Public Benefit Corporation", "benefit_corporation"),
            ("FLCA", "Foreign Limited Cooperative Association", "cooperative"),
            ("DC55", "Domestic Cooperative Association (Article 55)", "cooperative"),
            ("DC56-PBC", "Domestic Cooperative (Article 56, Public Benefit Corporation)", "cooperative"),
            ("FCOOP", "Foreign Cooperative", "cooperative"),
            ("DLPA", "Domestic Limited Partnership Association", "other"),
            ("UNA", "Unincorporated Nonprofit Association", "nonprofit_association"),
            ("GP", "General Partnership", "general_partnership"),
            ("SP", "Sole Proprietorship", "sole_proprietorship"),
            ("DT", "Ditch Company", "corporation"),
            ("WC", "Water Company", "corporation"),
            ("IC", "Insurance Company", "corporation"),
            ("DPCDT", "Domestic Profit Corporation (Ditch Company)", "corporation"),
            ("DNCWC", "Domestic Nonprofit Corporation (Water Company)", "nonprofit_corporation"),
            ("FPCIC", "Foreign Profit Corporation (Insurance Company)", "corporation"),
        ],
    )
    def test_has_words(self, code: str, words: str, kind: str) -> None:
        shown = colorado.record({"entityid": "1", "entityname": "BLUE HERON", "entitytype": code}).entity_type
        assert (shown, types.to_class(shown)) == (words, kind)

    @pytest.mark.parametrize("code", ["CS", "CU", "FO", "SL", "DPCCU", "FNCSL", "DCOOP"])
    def test_that_nobody_is_sure_of_stays_a_code(self, code: str) -> None:
        shown = colorado.record({"entityid": "1", "entityname": "BLUE HERON", "entitytype": code}).entity_type
        assert (shown, types.to_class(shown)) == (code, "other")
