"""Money is whole ten-thousandths of a dollar, and reads as people write it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing import money, prices


class TestAnAmount:
    def test_of_one_lookup_is_314_units(self) -> None:
        assert prices.LOOKUP == 314

    @pytest.mark.parametrize("wrong", [1.0, True, "314", Decimal(3), None, -1, money.LARGEST + 1])
    def test_is_a_whole_number_within_bounds_and_nothing_else(self, wrong: object) -> None:
        with pytest.raises(ValueError, match="amount"):
            money.units(wrong)  # type: ignore[arg-type]

    @pytest.mark.parametrize("dollars", ["0.03145", "1e-99999999", "1e-9"])
    def test_finer_than_a_ten_thousandth_is_refused(self, dollars: str) -> None:
        with pytest.raises(ValueError, match="finer"):
            money.from_dollars(dollars)

    @given(st.integers(min_value=0, max_value=money.LARGEST))
    def test_survives_the_way_to_text_and_back(self, units: int) -> None:
        assert money.from_dollars(money.to_decimal_string(units)) == units

    @given(st.integers(min_value=0, max_value=money.LARGEST))
    def test_survives_the_way_to_a_json_number_and_back(self, units: int) -> None:
        assert money.from_dollars(repr(money.to_json_number(units))) == units


class TestABalance:
    @pytest.mark.parametrize(
        ("units", "shown"),
        [(31_400, "$3.14"), (31_086, "$3.11"), (0, "$0.00"), (-50, "-$0.01"), (99_999_950, "$10000.00")],
    )
    def test_reads_as_dollars_and_cents(self, units: int, shown: str) -> None:
        assert prices.display(units) == shown

    def test_of_three_dollars_fourteen_covers_a_hundred_lookups(self) -> None:
        assert prices.lookups_covered(31_400) == 100
        assert prices.lookups_covered(31_399) == 99
